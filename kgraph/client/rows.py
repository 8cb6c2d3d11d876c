"""Lists as callers see them: read page by page, or held whole, and as frames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from pydantic import BaseModel

from kgraph.client.errors import KgraphClientError
from kgraph.client.frame import make_pandas, make_polars

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import pandas as pd
    import polars as pl

    from kgraph.client.generated.fragments import PagePart

R = TypeVar("R", bound=BaseModel)
R_co = TypeVar("R_co", bound=BaseModel, covariant=True)

PAGE_SIZE = 100
"""Rows asked for at once; the server gives 200 at most."""

_BAD_CURSOR = "BAD_CURSOR"


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """A part of a list, as one answer holds it."""

    items: tuple[R, ...]
    total_count: int
    """Length of the whole list."""
    has_next: bool
    end_cursor: str | None
    snapshot: str
    """State of the catalogue that the list is of."""


class Connection(Protocol[R_co]):
    """A generated connection, whatever its rows are."""

    @property
    def total_count(self) -> int:
        """Length of the whole list."""

    @property
    def page_info(self) -> PagePart:
        """Where the page lies in it."""

    @property
    def nodes(self) -> Sequence[R_co]:
        """The rows of the page."""


def make_page(snapshot: str, connection: Connection[R]) -> Page[R]:
    """The page that a generated connection holds."""
    info = connection.page_info
    return Page(
        tuple(connection.nodes),
        connection.total_count,
        info.has_next_page,
        info.end_cursor,
        snapshot,
    )


class Table(Sequence[R]):
    """Rows held whole."""

    def __init__(self, row: type[R], items: Sequence[R]) -> None:
        self.row = row
        """The model of each row; it gives a frame its columns, also where there are no rows."""
        self._items = tuple(items)

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Table[R]: ...
    def __getitem__(self, index: int | slice) -> R | Table[R]:
        if isinstance(index, slice):
            return Table(self.row, self._items[index])
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.row is other.row and self._items == other._items

    __hash__ = None  # type: ignore[assignment] # rows can be changed, so they have no fixed hash

    def __repr__(self) -> str:
        return f"Table({self.row.__name__}, {len(self)} rows)"

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame with a line for each row.

        Columns are named by path, as `run.implementation.title`, and typed by the model: `Int64`,
        `float64`, `boolean`, `string`, `datetime64[us, UTC]`; lists are objects.

        Raises:
            KgraphClientError: pandas is not installed (`kgraph[pandas]`).
        """
        return make_pandas(self.row, self._items)

    def to_polars(self) -> pl.DataFrame:
        """A Polars frame with a line for each row.

        Columns are named by path, as `run.implementation.title`, and typed by the model, lists and
        their structs included.

        Raises:
            KgraphClientError: Polars is not installed (`kgraph[polars]`).
        """
        return make_polars(self.row, self._items)


@dataclass(slots=True)
class _Walk:
    """Where a walk over the pages of a list stands, and what its next request asks for.

    Cursors are bound to a snapshot. Where a publication comes between two pages, the walk goes on
    in the snapshot that it began in, so that no row is missed or met twice.
    """

    page_size: int
    limit: int | None
    may_pin: bool
    after: str | None = None
    pin: str | None = None
    begun_in: str | None = None
    seen: int = 0
    is_done: bool = False

    @property
    def first(self) -> int:
        """Rows to ask for."""
        if self.limit is None:
            return self.page_size
        return min(self.page_size, self.limit - self.seen)

    def refuse(self, error: KgraphClientError) -> None:
        """Choose to ask once more, in the snapshot that the walk began in, or give up.

        Raises:
            KgraphClientError: the one given.
        """
        if error.code != _BAD_CURSOR or not self.may_pin or self.after is None or self.pin:
            raise error
        self.pin = self.begun_in

    def take(self, page: Page[Any]) -> None:
        """Go behind a page."""
        self.begun_in = self.begun_in or page.snapshot
        self.seen += len(page.items)
        self.after = page.end_cursor
        has_room = self.limit is None or self.seen < self.limit
        self.is_done = not (page.has_next and has_room)


Fetch = Callable[[int, str | None, str | None], Page[R]]
"""Asks for a page: how many rows, behind which cursor, in which snapshot."""

AsyncFetch = Callable[[int, str | None, str | None], Awaitable[Page[R]]]
"""Asks for a page without holding up the others."""


class Rows(Generic[R]):
    """A list that is read page by page while it is walked; each walk asks anew."""

    def __init__(
        self, row: type[R], fetch: Fetch[R], *, page_size: int, limit: int | None, may_pin: bool
    ) -> None:
        self.row = row
        """The model of each row."""
        self._fetch, self._page_size, self._limit = fetch, page_size, limit
        self._may_pin = may_pin

    def __iter__(self) -> Iterator[R]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page[R]]:
        """The pages of the list, one request each.

        Raises:
            KgraphClientError: a page could not be had.
        """
        walk = _Walk(self._page_size, self._limit, self._may_pin)
        walk.is_done = self._limit is not None and self._limit < 1
        while not walk.is_done:
            try:
                page = self._fetch(walk.first, walk.after, walk.pin)
            except KgraphClientError as error:
                walk.refuse(error)
                continue
            walk.take(page)
            yield page

    def count(self) -> int:
        """Length of the whole list, whatever the limit; one request for one row."""
        return self._fetch(1, None, None).total_count

    def table(self) -> Table[R]:
        """All rows, at most as many as the limit."""
        return Table(self.row, list(self))

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas frame; see `Table.to_pandas`."""
        return self.table().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars frame; see `Table.to_polars`."""
        return self.table().to_polars()


class AsyncRows(Generic[R]):
    """A list that is read page by page while it is walked with `async for`; each walk asks anew."""

    def __init__(
        self,
        row: type[R],
        fetch: AsyncFetch[R],
        *,
        page_size: int,
        limit: int | None,
        may_pin: bool,
    ) -> None:
        self.row = row
        """The model of each row."""
        self._fetch, self._page_size, self._limit = fetch, page_size, limit
        self._may_pin = may_pin

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[R]]:
        """The pages of the list, one request each.

        Raises:
            KgraphClientError: a page could not be had.
        """
        walk = _Walk(self._page_size, self._limit, self._may_pin)
        walk.is_done = self._limit is not None and self._limit < 1
        while not walk.is_done:
            try:
                page = await self._fetch(walk.first, walk.after, walk.pin)
            except KgraphClientError as error:
                walk.refuse(error)
                continue
            walk.take(page)
            yield page

    async def count(self) -> int:
        """Length of the whole list, whatever the limit; one request for one row."""
        return (await self._fetch(1, None, None)).total_count

    async def table(self) -> Table[R]:
        """All rows, at most as many as the limit."""
        return Table(self.row, [item async for item in self])

    async def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas frame; see `Table.to_pandas`."""
        return (await self.table()).to_pandas()

    async def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars frame; see `Table.to_polars`."""
        return (await self.table()).to_polars()
