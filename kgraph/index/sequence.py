"""A page of a short list that is at hand whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from kgraph.facts import Order, Page, PageRequest
from kgraph.index.cursor import Cursors, decode_cursor, fingerprint
from kgraph.index.read import check_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")


def slice_sequence(
    items: Sequence[T],
    request: PageRequest,
    question: Sequence[object],
    order: Sequence[Order] = (),
    fields: Mapping[str, Callable[[T], Any]] | None = None,
) -> Page[T]:
    """A page of `items`, with cursors that are places among them, bound to question and order.

    Args:
        question: What the items answer, the snapshot included; equal for equal items alone.
        order: How they are sorted, absence first; their own order where empty, and within ties.
        fields: What the items can be sorted by.

    Raises:
        PageSizeError, CursorError: the request cannot be met.
    """
    size, is_reversed = check_page(request)
    name = fingerprint(*question, tuple(order))
    start, end = 0, len(items)
    if request.after is not None:
        start = _read_place(request.after, name, end) + 1
    if request.before is not None:
        end = max(0, min(end, _read_place(request.before, name, end)))
    if is_reversed:
        start = max(start, end - size)
    else:
        end = max(start, min(end, start + size))
    held = _sort(items, order, fields or {})[start:end]
    return Page(
        tuple(held),
        Cursors(name, [(place,) for place in range(start, end)]),
        len(items),
        has_next=end < len(items),
        has_previous=start > 0,
    )


def _read_place(cursor: str, name: str, length: int) -> int:
    # A client can write cursors: a place that is none is taken for the nearest that is one.
    return max(-1, min(int(decode_cursor(cursor, [name], ("number",))[0]), length))


def _sort(
    items: Sequence[T], order: Sequence[Order], fields: Mapping[str, Callable[[T], Any]]
) -> Sequence[T]:
    held = items
    for one in reversed(order):
        find = fields[one.field]
        held = sorted(held, key=lambda item: _absent_first(find(item)), reverse=one.is_descending)
    return held


def _absent_first(value: Any) -> tuple[bool, Any]:  # noqa: ANN401 - what a field holds
    return (False, 0) if value is None else (True, value)
