"""Pages of lists at hand whole: from both ends, in every order, bound to their question."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.facts import Order, PageRequest
from kgraph.index import CursorError, PageSizeError, encode_cursor, fingerprint, slice_sequence

if TYPE_CHECKING:
    from kgraph.facts import Page

Pair = tuple[int | None, int]
FIELDS = {"first": lambda pair: pair[0], "second": lambda pair: pair[1]}
PAIRS = st.lists(st.tuples(st.none() | st.integers(0, 3), st.integers(0, 3)), max_size=12)
ORDERS = st.lists(
    st.builds(Order, st.sampled_from(sorted(FIELDS)), st.booleans()),
    max_size=2,
    unique_by=lambda order: order.field,
)


def ask(
    items: list[Pair], order: list[Order], request: PageRequest, question: str = "q"
) -> Page[Pair]:
    return slice_sequence(items, request, (question,), order, FIELDS)


@given(items=PAIRS, order=ORDERS, size=st.integers(1, 5))
def test_pages_from_either_end_hold_every_item_once(
    items: list[Pair], order: list[Order], size: int
) -> None:
    whole = ask(items, order, PageRequest(first=200))
    forward: list[Pair] = []
    cursor = None
    while True:
        page = ask(items, order, PageRequest(first=size, after=cursor))
        assert page.has_previous is (cursor is not None)
        assert page.total_count == len(items)
        forward += page.items
        if not page.has_next:
            break
        cursor = page.cursors[-1]
    backward: list[Pair] = []
    cursor = None
    while True:
        page = ask(items, order, PageRequest(last=size, before=cursor))
        assert page.has_next is (cursor is not None)
        backward = [*page.items, *backward]
        if not page.has_previous:
            break
        cursor = page.cursors[0]

    assert forward == backward == list(whole.items)
    assert sorted(forward, key=repr) == sorted(items, key=repr)


@given(items=PAIRS, order=ORDERS)
def test_items_are_sorted_with_absence_first_and_ties_as_they_were(
    items: list[Pair], order: list[Order]
) -> None:
    numbered = [(first, second, place) for place, (first, second) in enumerate(items)]
    fields = {"first": lambda one: one[0], "second": lambda one: one[1]}

    found = slice_sequence(numbered, PageRequest(first=200), ("q",), order, fields).items

    def key(one: tuple[int | None, int, int]) -> list[int]:
        values = {"first": -1 if one[0] is None else one[0], "second": one[1]}
        return [-values[item.field] if item.is_descending else values[item.field] for item in order]

    for one, other in itertools.pairwise(found):
        assert (key(one), one[2]) < (key(other), other[2])


@pytest.mark.parametrize(
    ("order", "question"),
    [([Order("second")], "q"), ([], "another"), ([Order("first", is_descending=True)], "q")],
)
def test_a_cursor_of_another_question_or_order_is_refused(
    order: list[Order], question: str
) -> None:
    items: list[Pair] = [(1, 2), (2, 1)]
    cursor = ask(items, [Order("first")], PageRequest(first=1)).cursors[0]

    with pytest.raises(CursorError):
        ask(items, order, PageRequest(first=1, after=cursor), question)


@pytest.mark.parametrize("place", [-5, -1, 2, 10**9, 0.5, -1e308, 1e308])
@pytest.mark.parametrize("end", ["after", "before"])
def test_a_place_that_is_none_is_taken_for_the_nearest(place: float, end: str) -> None:
    items: list[Pair] = [(1, 2), (2, 1)]
    cursor = encode_cursor(fingerprint("q", ()), [place])
    request = (
        PageRequest(first=9, after=cursor) if end == "after" else PageRequest(last=9, before=cursor)
    )

    page = ask(items, [], request)

    assert len(page.items) == len(page.cursors) <= 2


@pytest.mark.parametrize("cursor", ["", "at:1", "x" * 9000, "W10"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(CursorError):
        ask([(1, 2)], [], PageRequest(first=1, after=cursor))


def test_a_size_out_of_bounds_is_refused() -> None:
    with pytest.raises(PageSizeError):
        ask([(1, 2)], [], PageRequest(first=0))
