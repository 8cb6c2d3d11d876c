"""Lists inside cohorts: a ranking, a record's history; one statement a page of many cohorts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kgraph.facts import Page, PageRequest, RecordEventFact
from kgraph.index import rows
from kgraph.index.cursor import decode_cursor, encode_cursor, fingerprint
from kgraph.index.read import Index, check_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.vocab import CohortKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Nested(Generic[T]):
    """A list inside a cohort, whose rows are numbered there from 1 without a gap."""

    relation: str
    columns: tuple[str, ...]
    make: Callable[[tuple[Any, ...]], T]
    number: str
    length: str
    """Column of `cohort` that counts them."""


# A run that has no position is not in the ranking: not eligible, or of a metric that says nothing
# of which way is better.
_RANKING: _Nested[SpecDigest] = _Nested(
    "run", ("digest",), lambda row: row[0], "position", "ranked_run_count"
)
_HISTORY = _Nested("event", rows.EVENT_COLUMNS, rows.make_event, "ordinal", "record_event_count")


def _page_nested(
    index: Index, nested: _Nested[T], keys: Sequence[CohortKey], request: PageRequest
) -> dict[CohortKey, Page[T]]:
    """A page for each cohort there is, by one statement for the lengths and one for the rows.

    A cursor belongs to one cohort; asked of several, it cuts all of them at the same number.
    """
    if not keys:
        return {}
    size, is_reversed = check_page(request)
    relation = nested.relation
    after = _position_of(index, relation, keys, request.after)
    before = _position_of(index, relation, keys, request.before)
    slices: dict[CohortKey, _Slice] = {}
    for key, cohort, length in index.fetch_by(
        "cohort", ("key", "cohort_number", nested.length), "key", keys
    ):
        slices[key] = _cut(cohort, length, after, before, size, is_reversed=is_reversed)
    asked = [(one.cohort, one.low, one.high) for one in slices.values()]
    grouped: defaultdict[CohortKey, list[tuple[Any, ...]]] = defaultdict(list)
    for row in index.fetch(
        f"SELECT {', '.join(nested.columns)}, {nested.number}, cohort FROM {relation} JOIN (SELECT"
        " unnest(?::INTEGER[]) AS wanted, unnest(?::INTEGER[]) AS low, unnest(?::INTEGER[]) AS high"
        f") ON wanted = cohort_number WHERE {nested.number} BETWEEN low AND high"
        f" ORDER BY cohort_number, {nested.number}",
        [list(column) for column in zip(*asked, strict=True)] or [[], [], []],
    ):
        grouped[row[-1]].append(row)
    pages: dict[CohortKey, Page[T]] = {}
    for key in dict.fromkeys(keys):
        if key not in slices:
            continue
        question, has_more = fingerprint(index.snapshot, relation, key), slices[key].has_more
        pages[key] = Page(
            tuple(nested.make(row[:-2]) for row in grouped[key]),
            tuple(encode_cursor(question, [row[-2]]) for row in grouped[key]),
            slices[key].length,
            has_next=request.before is not None if is_reversed else has_more,
            has_previous=has_more if is_reversed else request.after is not None,
        )
    return pages


@dataclass(frozen=True, slots=True)
class _Slice:
    """Which numbers of one cohort's list a page holds."""

    cohort: int
    length: int
    low: int
    high: int
    has_more: bool


def _cut(
    cohort: int, length: int, after: int | None, before: int | None, size: int, *, is_reversed: bool
) -> _Slice:
    """As many as fit, from one end, of the numbers between two cursors."""
    low = 1 if after is None else min(max(after, 0), length) + 1
    high = length if before is None else min(max(before, 1), length + 1) - 1
    has_more = high - low >= size
    if is_reversed:
        return _Slice(cohort, length, max(low, high - size + 1), high, has_more)
    return _Slice(cohort, length, low, min(high, low + size - 1), has_more)


def _position_of(
    index: Index, relation: str, keys: Sequence[CohortKey], cursor: str | None
) -> int | None:
    if cursor is None:
        return None
    questions = [fingerprint(index.snapshot, relation, key) for key in keys]
    return int(decode_cursor(cursor, questions, ("number",))[0])


def query_rankings(
    index: Index, keys: Sequence[CohortKey], request: PageRequest
) -> dict[CohortKey, Page[SpecDigest]]:
    """A page of each cohort's ranking by the digests of its runs, in display order.

    Source: table `run`.
    """
    return _page_nested(index, _RANKING, keys, request)


def query_histories(
    index: Index, keys: Sequence[CohortKey], request: PageRequest
) -> dict[CohortKey, Page[RecordEventFact]]:
    """A page of each cohort's record events, oldest first. Source: table `event`."""
    return _page_nested(index, _HISTORY, keys, request)
