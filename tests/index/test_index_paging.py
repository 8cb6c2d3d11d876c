"""Pages of every list, from both ends, in every order; and cursors that are none of theirs."""

from __future__ import annotations

import base64
import itertools
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import RUN_COUNT, Shelf, World, attestation

from kgraph.facts import Condition, Order, Page, PageRequest
from kgraph.index import (
    LISTS,
    MAX_PAGE,
    CursorError,
    Index,
    ListSpec,
    PageSizeError,
    UnknownFieldError,
    query_histories,
    query_rankings,
    query_runs,
)
from kgraph.vocab import CohortKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ORDERABLE = [
    (name, field)
    for name, spec in LISTS.items()
    for field, found in spec.fields.items()
    if found.is_orderable
]


def open_cursor(cursor: str) -> list[Any]:
    """What a cursor holds: its question, then sort values and key."""
    plain: list[Any] = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    return plain


def seal_cursor(plain: object) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(plain)).rstrip(b"=").decode()


def ask_list(index: Index, name: str, order: tuple[Order, ...] = ()) -> Callable[..., Page[Any]]:
    """Pages of a list as bare rows."""
    return lambda request: index.fetch_page(name, tuple, None, order, request)


def walk_forward(ask: Callable[[PageRequest], Page[Any]], size: int) -> list[Page[Any]]:
    pages = [ask(PageRequest(first=size))]
    while pages[-1].has_next:
        pages.append(ask(PageRequest(first=size, after=pages[-1].cursors[-1])))
    return pages


def walk_backward(ask: Callable[[PageRequest], Page[Any]], size: int) -> list[Page[Any]]:
    pages = [ask(PageRequest(last=size))]
    while pages[0].has_previous:
        pages.insert(0, ask(PageRequest(last=size, before=pages[0].cursors[0])))
    return pages


def check_walk(pages: list[Page[Any]], size: int) -> None:
    """No page is longer than asked, and each knows what lies on both sides of it."""
    total = pages[0].total_count
    assert sum(len(page.items) for page in pages) == total
    for page in pages:
        assert len(page.items) == len(page.cursors) <= size
        assert page.total_count == total
        assert len(page.items) > 0 or total == 0
    assert not pages[0].has_previous
    assert not pages[-1].has_next
    assert all(page.has_next for page in pages[:-1])
    assert all(page.has_previous for page in pages[1:])


def sort_key(index: Index, spec: ListSpec, order: tuple[Order, ...]) -> list[tuple[Any, ...]]:
    """Keys of the whole list in order, from the rows themselves."""
    fields = [spec.find_field(item.field).order_sql for item in order]
    rows = index.fetch(f"SELECT {', '.join([*fields, spec.key])} FROM {spec.relation}")
    rows.sort(key=lambda row: row[-1])
    # Python's sort is stable, so the last field goes first.
    for position in reversed(range(len(order))):
        rows.sort(
            key=lambda row, position=position: row[position],  # type: ignore[misc]  # bound now
            reverse=order[position].is_descending,
        )
    return [row[-1] for row in rows]


@pytest.mark.parametrize(("name", "field"), ORDERABLE, ids=str)
def test_every_order_gives_every_item_once_from_both_ends(
    index: Index, name: str, field: str
) -> None:
    for is_descending in (False, True):
        order = (Order(field, is_descending),)
        expected = sort_key(index, LISTS[name], order)
        ask = ask_list(index, name, order)
        for pages in (walk_forward(ask, 4), walk_backward(ask, 4)):
            check_walk(pages, 4)
            keys = [open_cursor(cursor)[-1] for page in pages for cursor in page.cursors]
            assert keys == expected


@given(data=st.data())
def test_orders_by_several_fields_page_alike_whatever_the_size(
    index: Index, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(LISTS)))
    fields = [field for one, field in ORDERABLE if one == name]
    chosen = data.draw(st.lists(st.sampled_from(fields), max_size=3, unique=True))
    order = tuple(Order(field, data.draw(st.booleans())) for field in chosen)
    size = data.draw(st.integers(1, 30))
    ask = ask_list(index, name, order)

    forward, backward = walk_forward(ask, size), walk_backward(ask, size)

    check_walk(forward, size)
    check_walk(backward, size)
    items = [item for page in forward for item in page.items]
    assert items == [item for page in backward for item in page.items]
    keys = [open_cursor(cursor)[-1] for page in forward for cursor in page.cursors]
    assert keys == sort_key(index, LISTS[name], order or LISTS[name].order)


def test_a_page_between_two_cursors_holds_what_lies_between(index: Index) -> None:
    ask = ask_list(index, "runs")
    whole = ask(PageRequest(first=MAX_PAGE))

    between = PageRequest(first=100, after=whole.cursors[2], before=whole.cursors[9])
    page = ask(between)

    assert page.items == whole.items[3:9]
    assert (page.has_previous, page.has_next) == (True, False)
    assert page.total_count == len(whole.items)


def test_a_page_has_twenty_items_unless_asked_otherwise(index: Index) -> None:
    page = ask_list(index, "runs")(PageRequest())

    assert len(page.items) == 20
    assert page.total_count == RUN_COUNT


@pytest.mark.parametrize(
    "request_",
    [
        PageRequest(first=0),
        PageRequest(first=-1),
        PageRequest(first=MAX_PAGE + 1),
        PageRequest(last=0),
        PageRequest(last=MAX_PAGE + 1),
        PageRequest(first=1, last=1),
    ],
    ids=str,
)
def test_a_page_that_cannot_be_is_refused(index: Index, request_: PageRequest) -> None:
    with pytest.raises(PageSizeError):
        ask_list(index, "runs")(request_)
    with pytest.raises(PageSizeError):
        query_rankings(index, [CohortKey("any")], request_)


def test_the_longest_page_is_given(index: Index) -> None:
    assert len(ask_list(index, "runs")(PageRequest(first=MAX_PAGE)).items) == RUN_COUNT


def test_a_cursor_answers_its_own_question_only(
    index: Index,
) -> None:
    passed = Condition("status", "eq", "passed")
    by_value = (Order("value"),)
    first = PageRequest(first=1)
    cursor = index.fetch_page("runs", tuple, passed, by_value, first).cursors[0]
    second = PageRequest(first=1, after=cursor)

    assert len(index.fetch_page("runs", tuple, passed, by_value, second).items) == 1
    for name, where, order in (
        ("runs", None, by_value),
        ("runs", Condition("status", "eq", "timeout"), by_value),
        ("runs", passed, ()),
        ("runs", passed, (Order("value", is_descending=True),)),
        ("runs", passed, (Order("digest"),)),
        ("records", None, by_value),
    ):
        with pytest.raises(CursorError):
            index.fetch_page(name, tuple, where, order, second)


def test_a_cursor_of_another_snapshot_is_refused(world: World, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish(world.all)
    before = Index(shelf.build().path)
    shelf.publish([attestation(world.runs[0])])
    after = Index(shelf.build().path)
    cursor = ask_list(before, "runs")(PageRequest(first=1)).cursors[0]
    key = before.fetch("SELECT key FROM cohort ORDER BY run_count DESC LIMIT 1")[0][0]
    ranked = query_rankings(before, [key], PageRequest(first=1))[key].cursors[0]

    with pytest.raises(CursorError, match="same snapshot"):
        ask_list(after, "runs")(PageRequest(first=1, after=cursor))
    with pytest.raises(CursorError, match="same snapshot"):
        query_rankings(after, [key], PageRequest(first=1, after=ranked))


MALFORMED = {
    "empty": "",
    "no base64": "!!!",
    "not ascii": "ключ",
    "a stray line": "WyJh\n",
    "no JSON": base64.urlsafe_b64encode(b"{").decode(),
    "no list": seal_cursor({"a": 1}),
    "no values": seal_cursor([]),
    "bytes": base64.urlsafe_b64encode(b"\xff\xfe\x00").decode(),
    "huge": "A" * 1_000_000,
    "deep": base64.urlsafe_b64encode(b"[" * 3000).decode(),
}


@pytest.mark.parametrize("cursor", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_cursor_is_refused(index: Index, cursor: str) -> None:
    key = index.fetch("SELECT key FROM cohort LIMIT 1")[0][0]

    for ask in (
        lambda: ask_list(index, "runs")(PageRequest(first=1, after=cursor)),
        lambda: ask_list(index, "runs")(PageRequest(last=1, before=cursor)),
        lambda: query_rankings(index, [key], PageRequest(first=1, after=cursor)),
        lambda: query_histories(index, [key], PageRequest(first=1, before=cursor)),
    ):
        with pytest.raises(CursorError):
            ask()


def _alike(value: object) -> type:
    """Types that may stand for each other in a cursor."""
    return float if type(value) is int else type(value)


WRONG = [None, {}, {"a": 1}, [], [1], True, False, "", "x", "2026-01-01T00:00:00Z", 0, 1.5, 2**63]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("runs", "value"),
        ("runs", "observed_at"),
        ("runs", "eligible"),
        ("runs", "title"),
        ("publications", "sequence"),
    ],
)
@pytest.mark.parametrize("place", [1, 2])
def test_a_forged_value_of_another_type_is_refused(
    index: Index, name: str, field: str, place: int
) -> None:
    ask = ask_list(index, name, (Order(field),))
    plain = open_cursor(ask(PageRequest(first=1)).cursors[0])

    for value in WRONG:
        forged = [*plain]
        forged[place] = value
        request = PageRequest(first=5, after=seal_cursor(forged))
        if _alike(value) == _alike(plain[place]):
            continue
        with pytest.raises(CursorError):
            ask(request)


def test_forged_values_of_the_right_type_are_only_compared(index: Index) -> None:
    for name, order, values in (
        ("runs", "value", [-1e308, 1e300, 2**63, 2**64 - 1, -5]),
        ("runs", "title", ["", "'; DROP TABLE run; --", "\U0010ffff", "\x00"]),
        ("runs", "observed_at", ["0001-01-01T00:00:00", "9999-12-31T23:59:59"]),
        ("runs", "eligible", [True, False]),
    ):
        ask = ask_list(index, name, (Order(order),))
        plain = open_cursor(ask(PageRequest(first=1)).cursors[0])
        for value in values:
            page = ask(PageRequest(first=5, after=seal_cursor([plain[0], value, plain[2]])))
            assert page.total_count == RUN_COUNT


@pytest.mark.parametrize("value", [None, "1", [1], {"a": 1}, True])
def test_a_forged_number_in_a_nested_cursor_is_refused(index: Index, value: object) -> None:
    key = index.fetch("SELECT key FROM cohort ORDER BY run_count DESC LIMIT 1")[0][0]
    question = open_cursor(query_rankings(index, [key], PageRequest(first=1))[key].cursors[0])[0]

    with pytest.raises(CursorError):
        query_rankings(index, [key], PageRequest(first=1, after=seal_cursor([question, value])))


def test_an_order_by_what_has_no_order_is_refused(index: Index) -> None:
    for name, field in (("operations", "tag"), ("runs", "nothing"), ("workloads", "axis.rows")):
        with pytest.raises(UnknownFieldError):
            ask_list(index, name, (Order(field),))(PageRequest())


@pytest.mark.parametrize("query", [query_rankings, query_histories], ids=["ranking", "history"])
def test_lists_inside_cohorts_page_from_both_ends(
    index: Index, query: Callable[..., dict[CohortKey, Page[Any]]]
) -> None:
    keys = [row[0] for row in index.fetch("SELECT key FROM cohort")]
    whole = query(index, keys, PageRequest(first=MAX_PAGE))
    assert set(whole) == set(keys)

    for key, size in itertools.product(keys, (1, 2)):

        def ask(request: PageRequest, key: CohortKey = key) -> Page[Any]:
            return query(index, [key], request)[key]

        for walk in (walk_forward, walk_backward):
            pages = walk(ask, size)
            check_walk(pages, size)
            assert [item for page in pages for item in page.items] == list(whole[key].items)


def test_a_ranking_holds_the_runs_that_have_a_position(index: Index, world: World) -> None:
    key = index.fetch("SELECT cohort FROM run WHERE digest = ?", [world.slow_run.digest])[0][0]

    page = query_rankings(index, [key], PageRequest(first=50))[key]

    runs = query_runs(index, page.items)
    standings = [runs[digest].standing for digest in page.items]
    assert [standing and standing.position for standing in standings] == [1, 2, 3]
    # Retracted, superseded and failed runs are in the cohort and have none.
    assert index.fetch("SELECT count(*) FROM run WHERE cohort = ?", [key]) == [(6,)]
    assert page.total_count == 3
    assert runs[page.items[-1]].run.value == 2**40 + 1


def test_a_cohort_without_ranked_runs_has_an_empty_ranking(index: Index, world: World) -> None:
    key = index.fetch("SELECT cohort FROM run WHERE digest = ?", [world.empty_run.digest])[0][0]

    pages = query_rankings(index, [key, CohortKey("sha256:nothing")], PageRequest(first=5))

    assert pages == {key: Page((), (), 0, has_next=False, has_previous=False)}
    assert query_histories(index, [key], PageRequest(first=5))[key].total_count == 0


def test_eligible_runs_of_a_metric_without_direction_are_in_no_ranking(
    index: Index, world: World
) -> None:
    (key, eligible), *others = index.fetch(
        "SELECT cohort, count(*) FROM run WHERE is_eligible AND digest IN (?, ?) GROUP BY cohort",
        [run.digest for run in world.unranked_runs],
    )
    assert (eligible, others) == (2, [])

    assert query_rankings(index, [key], PageRequest(first=1)) == {
        key: Page((), (), 0, has_next=False, has_previous=False)
    }
