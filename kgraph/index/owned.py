"""A page of a list for each of many owners, in one statement."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from kgraph.facts import Condition, Page
from kgraph.index.cursor import encode_cursor, fingerprint
from kgraph.index.lists import LISTS, make_sorting
from kgraph.index.queries import make_item, query_page
from kgraph.index.read import check_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgraph.facts import PageRequest
    from kgraph.index.read import Index


def query_owned_pages(
    index: Index, list_name: str, field: str, owners: Iterable[str], request: PageRequest
) -> dict[str, Page[Any]]:
    """A page, in the list's own order, of the items whose `field` is each owner.

    Pages and cursors are those of `query_page` with the condition that the field equals the owner.
    An owner without items has an empty page.

    Raises:
        PageSizeError, CursorError: the request cannot be met.
    """
    keys = list(dict.fromkeys(owners))
    if request.after is not None or request.before is not None:
        # A cursor is one owner's: the pages of all others are refused.
        return {
            key: query_page(index, list_name, Condition(field, "eq", key), (), request)
            for key in keys
        }
    size, is_reversed = check_page(request)
    spec = LISTS[list_name]
    sorting, owner = make_sorting(spec, ()), spec.find_field(field).sql
    picked = [*spec.columns, *sorting.expressions]
    named = ", ".join(f"{sql} AS c{place}" for place, sql in enumerate(picked))
    names = ", ".join(f"c{place}" for place in range(len(picked)))
    window, order = f"PARTITION BY {owner}", sorting.order_by(is_reversed=is_reversed)
    rows = index.fetch(
        f"SELECT owner, total, {names} FROM (SELECT {named}, {owner} AS owner,"
        f" row_number() OVER ({window} ORDER BY {order}) AS place,"
        f" count(*) OVER ({window}) AS total"
        f" FROM {spec.relation} WHERE {owner} IN ({', '.join('?' * len(keys))}))"
        f" WHERE place <= {size} ORDER BY owner, place",
        keys,
    )
    found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row[1:])
    return {
        key: _make_page(
            index, list_name, Condition(field, "eq", key), found[key], is_reversed=is_reversed
        )
        for key in keys
    }


def _make_page(
    index: Index,
    list_name: str,
    where: Condition,
    rows: list[tuple[Any, ...]],
    *,
    is_reversed: bool,
) -> Page[Any]:
    question = fingerprint(index.snapshot, list_name, where, ())
    total = rows[0][0] if rows else 0
    if is_reversed:
        rows = rows[::-1]
    end = 1 + len(LISTS[list_name].columns)
    has_more = total > len(rows)
    return Page(
        items=tuple(make_item(list_name, row[1:end]) for row in rows),
        cursors=tuple(encode_cursor(question, row[end:]) for row in rows),
        total_count=total,
        has_next=has_more and not is_reversed,
        has_previous=has_more and is_reversed,
    )
