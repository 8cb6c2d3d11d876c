"""One connection of a document read whole, page by page, at one snapshot.

Each page is a request of its own to the engine, under every limit that holds for requests.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from kgraph.api.connection import DEFAULT_PAGE, MAX_PAGE, choose_page
from kgraph.api.document import RequestError
from kgraph.api.engine import Answer, Engine, Moment, Request, refuse_request
from kgraph.api.errors import BadArgumentError, LimitError, describe_error
from kgraph.errors import KgraphError
from kgraph.sheet import Column, SheetPlan, SheetWriter

MAX_ROWS = 1_000_000
"""Most rows of one export; a worksheet holds as many."""

# A longer page takes fewer questions; a document that is wide gets shorter ones.
_PAGE_SIZES = (MAX_PAGE, MAX_PAGE // 2, MAX_PAGE // 4, DEFAULT_PAGE)

_SOURCES = "{ catalog { sources { slug name url license attribution terms } } }"


class ExportRefusedError(Exception):
    """An export that has no beginning, or that cannot go on."""

    def __init__(self, errors: Sequence[Mapping[str, Any]], *, is_refused: bool) -> None:
        self.errors = [dict(error) for error in errors]
        """As an answer shows them."""
        self.is_refused = is_refused
        """Whether nothing was asked of the catalogue."""
        super().__init__(f"{self.code}: {self.errors[0]['message']}")

    @property
    def code(self) -> str:
        """Stable code of the first error."""
        return str(self.errors[0]["extensions"]["code"])


class NothingToExportError(KgraphError):
    """A connection that is not there, since what leads to it is null."""

    code = "NOT_FOUND"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"{path}: is null, expected what holds the connection; look at the names")


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Some rows of an export."""

    values: list[list[Any]]
    """For each column its values."""
    row_count: int
    total_count: int
    """Length of the whole connection."""


@dataclass(frozen=True, slots=True)
class ConnectionExport:
    """A connection that may be exported."""

    plan: SheetPlan
    page_size: int
    limit: int | None
    document_id: str
    """`sha256:` and hex digits of the document's text, as persisted documents are named."""
    request: Request
    _engine: Engine

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, known before any row."""
        return self.plan.columns

    async def pages(self, moment: Moment) -> AsyncGenerator[ExportPage, None]:
        """The rows from the first to the last, at least one page.

        Raises:
            ExportRefusedError: a page is refused or fails, or there are too many rows.
        """
        plan, after, rows = self.plan, self.plan.after, 0
        while True:
            left = self.page_size if self.limit is None else self.limit - rows
            request = Request(plan.document, plan.ask(min(self.page_size, left), after))
            answer = await self._engine.answer(request, moment)
            if answer.has_errors:
                raise _refuse_answer(answer)
            found = plan.find(answer.body["data"])
            if isinstance(found, str):
                missing = NothingToExportError(found)
                shown = {"message": str(missing), "extensions": describe_error(missing)}
                raise ExportRefusedError([shown], is_refused=False)
            total = found["totalCount"]
            if self.limit is None and total > MAX_ROWS:
                advice = "name a limit, and go on behind the last cursor (edges { cursor })"
                raise _refuse(LimitError("ROWS", MAX_ROWS, total, advice), moment.request_id)
            items = found[plan.items]
            rows += len(items)
            yield ExportPage(plan.tree.read(items), len(items), total)
            after = found["pageInfo"]["endCursor"]
            if not found["pageInfo"]["hasNextPage"] or rows == self.limit:
                return

    async def describe(self, moment: Moment) -> dict[str, str]:
        """What the sheet is of, for its metadata: each value is text, lists are JSON.

        Raises:
            ExportRefusedError: the sources cannot be asked for.
        """
        answer = await self._engine.answer(Request(_SOURCES), moment)
        if answer.has_errors:
            raise _refuse_answer(answer)
        return {
            "kgraph.snapshot": moment.catalog.snapshot,
            "kgraph.now": moment.now.isoformat(),
            "kgraph.documentId": self.document_id,
            "kgraph.variables": orjson.dumps(
                dict(self.request.variables), option=orjson.OPT_SORT_KEYS
            ).decode(),
            "kgraph.path": self.plan.path,
            "kgraph.sources": orjson.dumps(answer.body["data"]["catalog"]["sources"]).decode(),
        }


async def plan_export(
    engine: Engine,
    request: Request,
    *,
    path: str | None = None,
    limit: int | None = None,
    request_id: str,
) -> ConnectionExport:
    """The export of one connection; nothing is asked of the catalogue yet.

    Args:
        path: Response names that lead to the connection; needed where the document has several.
        limit: Rows at most; the whole connection where None.

    Raises:
        ExportRefusedError: the document is refused, holds no such connection, or its pages are too
            costly.
    """
    try:
        if limit is not None and not 1 <= limit <= MAX_ROWS:
            raise BadArgumentError("limit", f"found {limit}, expected 1 to {MAX_ROWS}")
        await engine.read(request)
        plan = engine.plan_sheet(request, path)
        await engine.read(Request(plan.document))
        choose_page(plan.page_size, plan.after, None, None)
        size = _choose_size(engine, plan, limit)
    except (RequestError, KgraphError) as error:
        raise _refuse(error, request_id) from error
    digest = hashlib.sha256(request.document.encode("utf-8", "surrogatepass")).hexdigest()
    return ConnectionExport(plan, size, limit, f"sha256:{digest}", request, engine)


async def write_pages(
    pages: AsyncIterator[ExportPage], writer: SheetWriter
) -> AsyncGenerator[bytes, None]:
    """The bytes of a sheet while its pages come; none before the first page is there."""
    page = await anext(pages)
    # Compressing takes a while, and others wait for this thread.
    yield await asyncio.to_thread(writer.begin)
    yield await asyncio.to_thread(writer.add, page.values)
    async for page in pages:
        yield await asyncio.to_thread(writer.add, page.values)
    yield await asyncio.to_thread(writer.end)


def _choose_size(engine: Engine, plan: SheetPlan, limit: int | None) -> int:
    """Rows a page: what the document says, else as many as its cost allows."""
    sizes = _PAGE_SIZES if plan.page_size is None else (plan.page_size,)
    for size in sizes:
        first = size if limit is None else min(size, limit)
        try:
            engine.weigh(Request(plan.document, plan.ask(first, plan.after)))
        except LimitError as error:
            if error.name != "COST" or size == sizes[-1]:
                raise
        else:
            return first
    raise AssertionError(sizes)


def _refuse(error: RequestError | KgraphError, request_id: str) -> ExportRefusedError:
    return _refuse_answer(refuse_request(error, request_id, {}))


def _refuse_answer(answer: Answer) -> ExportRefusedError:
    """The errors of an answer, without places in a document that the client never saw."""
    errors = [
        {name: value for name, value in error.items() if name != "locations" or answer.is_refused}
        for error in answer.body["errors"]
    ]
    return ExportRefusedError(errors, is_refused=answer.is_refused)
