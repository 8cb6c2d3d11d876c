"""Exports for sheets: any connection of a document as CSV, Parquet or Arrow, sent while it is read.

Whatever is wrong before the first row is told as an error. What goes wrong later cuts the
connection, and what was sent by then is no whole file.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import zlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

import orjson
import zstandard
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kgraph.api import ExportRefusedError, Moment, plan_export, write_pages
from kgraph.digest import short
from kgraph.sheet import FORMS, Form, SheetOptions, make_writer
from kgraph.web.answers import Question, tag_coding
from kgraph.web.incoming import BadHttpError, find_document, read_given
from kgraph.web.live import wait_for_leave
from kgraph.web.negotiate import CODINGS, choose_among, choose_coding
from kgraph.web.observe import exchange_of
from kgraph.web.pins import SNAPSHOT_HEADER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping

    from starlette.requests import Request as HttpRequest
    from starlette.types import Receive, Scope, Send

    from kgraph.api import ConnectionExport, Engine, ExportPage
    from kgraph.sheet import SheetWriter
    from kgraph.web.documents import Documents
    from kgraph.web.metrics import Metrics
    from kgraph.web.observe import Exchange
    from kgraph.web.pins import Pin, Pinner

_log = logging.getLogger(__name__)

SHEET_PATH = "/export"
"""Where sheets are asked for."""

TOTAL_HEADER = "Kgraph-Total-Count"
"""Says how long the whole connection is, whatever part of it is sent."""

MAX_EXPORTS = 8
"""Exports at work at once in one process; each keeps the database busy for as long as it takes."""

SEND_SECONDS = 60.0
"""How long a client may leave a part unread before it is cut; a slow disk takes some seconds."""

_VARY = f"Accept, Accept-Encoding, {SNAPSHOT_HEADER}"
_FOR_GOOD, _REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
_SWITCH = {"1": True, "true": True, "0": False, "false": False, "": False}

# What the client can mend; whatever else goes wrong is the server's.
_MENDABLE = frozenset({"BAD_USER_INPUT", "BAD_CURSOR", "BAD_DIGEST", "AMBIGUOUS_DIGEST"})

# As whole answers are compressed.
_GZIP_LEVEL, _ZSTD_LEVEL = 5, 3
_GZIP_WINDOW = 31


def sheet_route(
    engine: Engine,
    *,
    pinner: Pinner,
    documents: Documents,
    metrics: Metrics | None,
    edition: str,
    public_url: str | None,
) -> BaseRoute:
    """The route that exports sheets; arguments as `SheetEndpoint` takes them."""
    endpoint = SheetEndpoint(
        engine,
        pinner=pinner,
        documents=documents,
        metrics=metrics,
        edition=edition,
        public_url=public_url,
    )
    return Route(SHEET_PATH, endpoint.__call__, methods=["GET"])


class SheetEndpoint:
    """Answers `GET /export?documentId=…&variables=…`."""

    def __init__(
        self,
        engine: Engine,
        *,
        pinner: Pinner,
        documents: Documents,
        metrics: Metrics | None,
        edition: str,
        public_url: str | None,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        """An endpoint of `engine`.

        Args:
            edition: Of the program and its limits, as part of every validator.
        """
        self._engine, self._pinner, self._documents = engine, pinner, documents
        self._metrics, self._edition, self._public_url = metrics, edition, public_url
        self._send_seconds = send_seconds
        self._at_work = 0

    async def __call__(self, http: HttpRequest) -> Response:
        """The sheet, or why there is none."""
        exchange, started = exchange_of(http.scope), time.perf_counter()
        try:
            response = await self._respond(http, exchange)
        except BadHttpError as error:
            shown = {"message": error.message, "extensions": {"code": error.code}}
            response = self._refuse([shown], error.status, error.headers, exchange)
        except ExportRefusedError as error:
            response = self._refuse(error.errors, _status_of(error), {}, exchange)
        if self._metrics is not None:
            facts, seconds = exchange.facts, time.perf_counter() - started
            self._metrics.count_operation(facts.get("operation"), facts["outcome"], seconds)
        return response

    async def _respond(self, http: HttpRequest, exchange: Exchange) -> Response:
        form, options = _choose_form(http), _read_options(http)
        if options != SheetOptions() and form.name != "csv":
            raise _bad("format", form.name, "csv, where bom or raw is given")
        request = find_document(await read_given(http, max_bytes=0), self._documents)
        export = await plan_export(
            self._engine,
            request,
            path=http.query_params.get("path") or None,
            limit=_read_limit(http),
            request_id=exchange.request_id,
        )
        identity = self._engine.identify(request)
        assert identity is not None  # noqa: S101 - the document was found sound
        pin = await self._pinner.choose(http)
        exchange.note(operation=identity.operation_name, snapshot=pin.catalog.snapshot)
        base_url = self._public_url or str(http.base_url).rstrip("/")
        etag = Question(
            edition=f"{self._edition} {_describe_bytes(export, options)}",
            snapshot=pin.catalog.snapshot,
            document=identity.document,
            variables=orjson.dumps(request.variables, option=orjson.OPT_SORT_KEYS),
            operation_name=identity.operation_name,
            now=pin.now.isoformat(),
            base_url=base_url,
            media_type=form.media_type,
        ).etag
        accepted = "" if form.is_packed else http.headers.get("accept-encoding", "")
        coding = choose_coding(accepted)
        headers = {
            "etag": tag_coding(etag, coding),
            "cache-control": _FOR_GOOD if pin.is_final else _REVALIDATE,
            "vary": _VARY,
            "x-content-type-options": "nosniff",
            SNAPSHOT_HEADER: pin.catalog.snapshot,
        }
        if _is_known(http, etag):
            exchange.note(outcome="not_modified")
            return Response(status_code=304, headers=headers)
        moment = Moment(pin.catalog, pin.now, base_url, exchange.request_id)
        metadata = await export.describe(moment) if form.name != "csv" else {}
        writer = make_writer(form, export.columns, metadata=metadata, options=options)
        if self._at_work >= MAX_EXPORTS:
            raise BadHttpError(
                503,
                "LIMIT_EXPORTS",
                f"exports: found {self._at_work} at work, the limit; try again later",
                {"retry-after": "5"},
            )
        pages = export.pages(moment)
        # The first page is read before anything is promised.
        self._at_work += 1
        try:
            first = await anext(pages)
        except BaseException:
            self._end()
            raise
        exchange.note(outcome="stream")
        headers[TOTAL_HEADER] = str(first.total_count)
        headers["content-disposition"] = _name_file(export, pin, form, identity.operation_name)
        if coding is not None:
            headers["content-encoding"] = coding
        response = SheetResponse(
            _join(first, pages, exchange),
            writer,
            coding=coding,
            headers=headers,
            media_type=f"{form.media_type}{form.parameters}",
            exchange=exchange,
            send_seconds=self._send_seconds,
            end=self._end,
        )
        if http.method == "HEAD":
            self._end()
            await pages.aclose()
            return _head_of(response)
        return response

    def _end(self) -> None:
        """Make room for another export."""
        self._at_work -= 1

    def _refuse(
        self,
        errors: list[dict[str, Any]],
        status: int,
        headers: Mapping[str, str],
        exchange: Exchange,
    ) -> Response:
        codes = [error["extensions"]["code"] for error in errors]
        exchange.note(outcome="refused" if status < 500 else "failed", codes=codes)  # noqa: PLR2004
        if self._metrics is not None:
            self._metrics.count_errors(codes)
        body: dict[str, Any] = {"errors": errors}
        told = {"vary": _VARY, "cache-control": "no-store", **headers}
        snapshot = exchange.facts.get("snapshot")
        if snapshot is not None:
            body["extensions"] = {"snapshot": snapshot}
            told[SNAPSHOT_HEADER] = snapshot
        return Response(
            orjson.dumps(body), status_code=status, media_type="application/json", headers=told
        )


class SheetResponse(Response):
    """A sheet, sent part by part while its rows are read."""

    def __init__(
        self,
        pages: AsyncGenerator[ExportPage, None],
        writer: SheetWriter,
        *,
        coding: str | None,
        headers: Mapping[str, str],
        media_type: str,
        exchange: Exchange,
        send_seconds: float,
        end: Callable[[], None],
    ) -> None:
        super().__init__(headers=headers, media_type=media_type)
        self._end = end
        # How long it is shows at its end.
        del self.headers["content-length"]
        self._pages, self._writer, self._exchange = pages, writer, exchange
        self._coder, self._send_seconds = _make_coder(coding), send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts until they end, fail, or the client leaves."""
        del scope
        leaving = asyncio.ensure_future(wait_for_leave(receive))
        sending = asyncio.ensure_future(self._send_all(send))
        try:
            await asyncio.wait({leaving, sending}, return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                self._exchange.note(outcome="left")
        finally:
            leaving.cancel()
            sending.cancel()
            self._end()
            await asyncio.gather(leaving, sending, return_exceptions=True)
            await self._pages.aclose()
        if not sending.cancelled():
            sending.result()

    async def _send_all(self, send: Send) -> None:
        start = {
            "type": "http.response.start",
            "status": self.status_code,
            "headers": self.raw_headers,
        }
        await send(start)
        request_id = self._exchange.request_id
        try:
            async with contextlib.aclosing(write_pages(self._pages, self._writer)) as parts:
                async for part in parts:
                    await self._send(send, self._coder.add(part))
        except TimeoutError:
            _log.warning("request %s: export cut, its client reads nothing", request_id)
            return
        except ExportRefusedError as error:
            _log.warning("request %s: export broke off: %s", request_id, error)
            code = error.code
        except OSError:
            self._exchange.note(outcome="left")
            return
        except Exception:  # noqa: BLE001 - whatever it is, the answer must not look whole
            _log.exception("request %s: export broke off", request_id)
            code = "INTERNAL"
        else:
            await send({"type": "http.response.body", "body": self._coder.end()})
            return
        self._exchange.note(outcome="failed", codes=[code])
        # Returning without an end makes the server cut the connection.
        with contextlib.suppress(TimeoutError):
            await self._send(send, self._coder.add(self._writer.break_off(code)))

    async def _send(self, send: Send, content: bytes) -> None:
        if content:
            async with asyncio.timeout(self._send_seconds):
                await send({"type": "http.response.body", "body": content, "more_body": True})


async def _join(
    first: ExportPage, pages: AsyncGenerator[ExportPage, None], exchange: Exchange
) -> AsyncGenerator[ExportPage, None]:
    """All pages, the first of which is at hand; counts rows into the log."""
    rows = 0
    async with contextlib.aclosing(pages):
        async for page in _chain(first, pages):
            rows += page.row_count
            exchange.note(rows=rows)
            yield page


async def _chain(first: ExportPage, pages: AsyncIterator[ExportPage]) -> AsyncIterator[ExportPage]:
    yield first
    async for page in pages:
        yield page


class _Coder(Protocol):
    """Compresses a body in parts, each of which can be read when it comes."""

    def add(self, content: bytes) -> bytes: ...

    def end(self) -> bytes: ...


class _PlainCoder:
    def add(self, content: bytes) -> bytes:
        return content

    def end(self) -> bytes:
        return b""


class _GzipCoder:
    def __init__(self) -> None:
        self._stream = zlib.compressobj(_GZIP_LEVEL, wbits=_GZIP_WINDOW)

    def add(self, content: bytes) -> bytes:
        return self._stream.compress(content) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._stream.flush()


class _ZstdCoder:
    def __init__(self) -> None:
        self._stream = zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compressobj()

    def add(self, content: bytes) -> bytes:
        coded: bytes = self._stream.compress(content)
        coded += self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        return coded

    def end(self) -> bytes:
        coded: bytes = self._stream.flush()
        return coded


def _make_coder(coding: str | None) -> _Coder:
    if coding is None:
        return _PlainCoder()
    return _ZstdCoder() if coding == "zstd" else _GzipCoder()


def _head_of(response: Response) -> Response:
    """The same headers without a body."""
    head = Response(status_code=response.status_code)
    head.raw_headers = response.raw_headers
    return head


def _describe_bytes(export: ConnectionExport, options: SheetOptions) -> str:
    """What the bytes depend on beside the question: what is sent, and which libraries write it."""
    libraries = version("pyarrow"), zlib.ZLIB_RUNTIME_VERSION, zstandard.ZSTD_VERSION
    # Whose metadata names the document by its text, so blanks in it count here.
    return repr((export.document_id, export.plan.path, export.limit, options, libraries))


def _is_known(http: HttpRequest, etag: str) -> bool:
    """Whether the client says that it has the sheet, in whatever coding."""
    told = http.headers.get("if-none-match", "").split(",")
    tags = {tag.strip().removeprefix("W/") for tag in told}
    return bool(tags & {"*", *(tag_coding(etag, coding) for coding in (None, *CODINGS))})


def _choose_form(http: HttpRequest) -> Form:
    wanted = http.query_params.get("format")
    by_name = {form.name: form for form in FORMS}
    if wanted:
        if wanted not in by_name:
            raise _bad("format", wanted, ", ".join(by_name))
        return by_name[wanted]
    by_type = {form.media_type: form for form in FORMS}
    chosen = choose_among(http.headers.get("accept"), list(by_type))
    if chosen is None:
        raise BadHttpError(
            406, "NOT_ACCEPTABLE", f"accept: found none of {', '.join(by_type)}, expected one"
        )
    return by_type[chosen]


def _read_options(http: HttpRequest) -> SheetOptions:
    return SheetOptions(has_bom=_read_switch(http, "bom"), keeps_formulas=_read_switch(http, "raw"))


def _read_switch(http: HttpRequest, name: str) -> bool:
    text = http.query_params.get(name, "")
    if text not in _SWITCH:
        raise _bad(name, text, "1 or 0")
    return _SWITCH[text]


def _read_limit(http: HttpRequest) -> int | None:
    text = http.query_params.get("limit", "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit():
        raise _bad("limit", text, "a number of rows")
    return int(text[:20])


def _bad(parameter: str, found: str, expected: str) -> BadHttpError:
    message = f"{parameter}: found {found[:40]!r}, expected {expected}"
    return BadHttpError(400, "BAD_REQUEST", message)


def _status_of(error: ExportRefusedError) -> int:
    if error.code == "NOT_FOUND":
        return 404
    if error.code == "LIMIT_TIME":
        return 503
    is_mendable = error.code in _MENDABLE or error.code.startswith("LIMIT_")
    return 400 if error.is_refused or is_mendable else 500


def _name_file(export: ConnectionExport, pin: Pin, form: Form, operation: str | None) -> str:
    """The header that names the download; names of GraphQL need no escaping."""
    name = operation or export.plan.keys[-1]
    return f'attachment; filename="kgraph-{short(pin.catalog.snapshot)}-{name}{form.suffix}"'
