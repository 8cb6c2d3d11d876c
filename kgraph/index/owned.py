"""A page of a list for each of many owners, in one statement."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from kgraph.facts import AllOf, Condition, Page
from kgraph.index.cursor import Cursors, fingerprint
from kgraph.index.filters import compile_filter, make_sorting
from kgraph.index.lists import LISTS
from kgraph.index.queries import make_item, query_key_page, query_page
from kgraph.index.read import check_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kgraph.facts import Filter, Order, PageRequest
    from kgraph.index.read import Index


def query_owned_pages(
    index: Index,
    list_name: str,
    field: str,
    owners: Iterable[str],
    request: PageRequest,
    *,
    where: Filter | None = None,
    order: Sequence[Order] = (),
    is_by_key: bool = False,
) -> dict[str, Page[Any]]:
    """A page of the items that meet `where` and whose `field` is each owner.

    Pages and cursors are those of `query_page` with the condition that the field equals the owner.
    An owner without items has an empty page.

    Args:
        order: How each page is sorted; the list's own order where empty.
        is_by_key: Whether pages hold the keys of their items, which cost a fraction of the rows.

    Raises:
        PageSizeError, CursorError, UnknownFieldError: the request cannot be met.
    """
    keys = list(dict.fromkeys(owners))
    filters = {key: own(field, key, where) for key in keys}
    if request.after is not None or request.before is not None:
        # A cursor is one owner's: the pages of all others are refused.
        query = query_key_page if is_by_key else query_page
        return {key: query(index, list_name, filters[key], order, request) for key in keys}
    size, is_reversed = check_page(request)
    spec = LISTS[list_name]
    sorting, owner = make_sorting(spec, order), spec.find_field(field).sql
    condition, bound = compile_filter(spec, where)
    columns = () if is_by_key else spec.columns
    picked = [*columns, *sorting.expressions]
    named = ", ".join(f"{sql} AS c{place}" for place, sql in enumerate(picked))
    names = ", ".join(f"c{place}" for place in range(len(picked)))
    window, sort = f"PARTITION BY {owner}", sorting.order_by(is_reversed=is_reversed)
    rows = index.fetch(
        f"SELECT owner, total, {names} FROM (SELECT {named}, {owner} AS owner,"
        f" row_number() OVER ({window} ORDER BY {sort}) AS place,"
        f" count(*) OVER ({window}) AS total"
        f" FROM {spec.relation} WHERE {owner} IN ({', '.join('?' * len(keys))}) AND {condition})"
        f" WHERE place <= {size} ORDER BY owner, place",
        [*keys, *bound],
    )
    found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row[1:])
    return {
        key: _make_page(
            found[key],
            len(columns),
            (lambda row: row[-1]) if is_by_key else partial(make_item, list_name),
            fingerprint(index.snapshot, list_name, filters[key], tuple(order)),
            is_reversed=is_reversed,
        )
        for key in keys
    }


def own(field: str, owner: str, where: Filter | None) -> Filter:
    """The filter that leaves of a filtered list what belongs to one owner."""
    owned = Condition(field, "eq", owner)
    return owned if where is None else AllOf((owned, where))


def _make_page(
    rows: list[tuple[Any, ...]],
    width: int,
    make: Callable[[tuple[Any, ...]], Any],
    question: str,
    *,
    is_reversed: bool,
) -> Page[Any]:
    """A page of rows that are its total, the columns of an item and the sort values, key last."""
    total = rows[0][0] if rows else 0
    if is_reversed:
        rows = rows[::-1]
    end = 1 + width
    has_more = total > len(rows)
    return Page(
        items=tuple([make(row[1:end] if width else row) for row in rows]),
        cursors=Cursors(question, [row[end:] for row in rows]),
        total_count=total,
        has_next=has_more and not is_reversed,
        has_previous=has_more and is_reversed,
    )
