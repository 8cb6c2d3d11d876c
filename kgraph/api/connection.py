"""Relay connections: bounded pages of any list, and the arguments that choose one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import strawberry

from kgraph.api.context import Info
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.errors import BadArgumentError, BadCursorError
from kgraph.api.resolvers.link import AtHand, answered_by
from kgraph.errors import KgraphError
from kgraph.facts import Filter, Order, Page, PageRequest

T = TypeVar("T")
F = TypeVar("F")
C = TypeVar("C", bound="Connection[Any]")

DEFAULT_PAGE = 20
"""Items a page where a request names no number."""

MAX_PAGE = 200
"""Most items a page; more would make one answer too large for a browser and one query too slow."""

MAX_CURSOR = 1024
"""Longest cursor that is read; ours stay under 300 characters."""

First = Annotated[
    int | None,
    strawberry.argument(
        description="How many items from the start, 1 to 200; 20 where neither is given."
    ),
]
After = Annotated[
    str | None, strawberry.argument(description="A cursor: the page starts behind its item.")
]
Last = Annotated[
    int | None, strawberry.argument(description="How many items from the end, 1 to 200.")
]
Before = Annotated[
    str | None, strawberry.argument(description="A cursor: the page ends before its item.")
]


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The arguments of a list, compiled."""

    where: Filter | None
    order: tuple[Order, ...]
    page: PageRequest

    @property
    def extra(self) -> dict[str, object]:
        """What a connection with facets keeps of the question."""
        return {"where": self.where}


@object_type
class PageInfo:
    """Where a page lies in its list."""

    has_next_page: bool = plain("Whether items follow this page.")
    has_previous_page: bool = plain("Whether items precede this page.")
    start_cursor: str | None = plain("Cursor of the first item; null on an empty page.")
    end_cursor: str | None = plain(
        "Cursor of the last item, to be given as `after`; null on an empty page."
    )


@object_type
class Edge(Generic[T]):
    """One item of a page with its cursor."""

    cursor: str = plain(
        "Names the item's place in this list, in this order and filter, at this snapshot; opaque."
    )
    node: T = plain("The item.")


_EDGES = AtHand["Connection[Any]", "list[Edge[Any]]"](lambda _, root: make_edges(root))


@answered_by(_EDGES)
def resolve_edges(root: strawberry.Parent[Any], info: Info) -> list[Any]:
    """The items of a page with their cursors."""
    return _EDGES.follow(root, info)


@object_type
class Connection(Generic[T]):
    """A page of a list: at most 200 items, by cursor in both directions."""

    total_count: int = plain("Length of the whole filtered list, whatever the page.")
    nodes: list[T] = plain("The items of this page.")
    edges: list[Edge[T]] = linked(resolve_edges, "The items of this page with their cursors.")
    page_info: PageInfo = plain("Where this page lies in the list.")
    cursors: strawberry.Private[Sequence[str]]
    """Of the nodes; most are never looked at, and then never encoded."""


def make_edges(page: Connection[Any]) -> list[Edge[Any]]:
    """The items of a page with their cursors."""
    return [
        Edge(cursor=cursor, node=node)
        for cursor, node in zip(page.cursors, page.nodes, strict=True)
    ]


def choose_page(
    first: int | None, after: str | None, last: int | None, before: str | None
) -> PageRequest:
    """The page that the four arguments ask for.

    Raises:
        BadArgumentError: a number is outside 1 to 200, both ends are asked for, a cursor is given
            for the wrong end or is too long to be one.
    """
    for name, number in (("first", first), ("last", last)):
        if number is not None and not 1 <= number <= MAX_PAGE:
            raise BadArgumentError(name, f"found {number}, expected 1 to {MAX_PAGE}")
    if first is not None and last is not None:
        raise BadArgumentError("last", "found beside first, expected one of the two")
    for name, cursor in (("after", after), ("before", before)):
        if cursor is not None and len(cursor) > MAX_CURSOR:
            raise BadArgumentError(name, f"found {len(cursor)} characters, expected a cursor")
    if last is not None and after is not None:
        raise BadArgumentError("after", "found beside last, expected before, which goes with last")
    if last is None and before is not None:
        raise BadArgumentError(
            "before", "found without last, expected after, which goes with first"
        )
    if last is not None:
        return PageRequest(last=last, before=before)
    return PageRequest(first=DEFAULT_PAGE if first is None else first, after=after)


@contextmanager
def naming_cursor(page: PageRequest) -> Iterator[None]:
    """Name the argument at fault where the catalogue refuses a cursor of `page`.

    Raises:
        BadCursorError: it did.
    """
    try:
        yield
    except KgraphError as error:
        # The class belongs to a room below the catalogue; the code is its public name.
        if error.code != BadCursorError.code:
            raise
        raise BadCursorError("before" if page.last is not None else "after", error) from error


def same(item: T) -> T:
    """The item itself, for pages that hold what the API shows."""
    return item


def build_connection(
    kind: type[C],
    page: Page[F],
    build: Callable[[F], object],
    extra: Mapping[str, object] | None = None,
) -> C:
    """A page of facts as a connection of what `build` makes of each."""
    return kind(
        total_count=page.total_count,
        nodes=[build(item) for item in page.items],
        cursors=page.cursors,
        page_info=PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=page.cursors[0] if page.cursors else None,
            end_cursor=page.cursors[-1] if page.cursors else None,
        ),
        **(extra or {}),
    )
