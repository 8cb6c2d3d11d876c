"""Exports on their way: parts come while rows are read, and what breaks off shows it."""

from __future__ import annotations

import asyncio
import csv
import io
import logging
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from asgi import NOW
from live_app import serving
from live_server import OBJECTS
from raw_asgi import Exchange, get
from world import Shelf, World

from kgraph.api import Answer, Engine, Moment, Request
from kgraph.catalog import CatalogSource
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app
from kgraph.web.sheets import MAX_EXPORTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from starlette.applications import Starlette

DOCUMENT = "{ runs(first: 50) { nodes { digest title primary { value } } } }"


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> CatalogSource:
    store = open_store(OBJECTS)
    folder = tmp_path_factory.mktemp("starter")
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


@pytest.fixture
def app(starter: CatalogSource) -> Starlette:
    return build_app(starter, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)


class Pages:
    """Watches the pages that an engine is asked for, and spoils one of them."""

    def __init__(self, engine: Engine) -> None:
        self.asked = 0
        self.spoil: dict[int, Callable[[], Awaitable[Answer]]] = {}
        self._answer = engine.answer
        engine.answer = self.answer  # type: ignore[method-assign] # its own, with an ear on it

    async def answer(self, request: Request, moment: Moment) -> Answer:
        """The engine's answer, unless this page is spoilt."""
        if "pageAfter" in request.variables:
            self.asked += 1
            if self.asked in self.spoil:
                return await self.spoil[self.asked]()
        return await self._answer(request, moment)


@pytest.fixture
def pages(app: Starlette) -> Pages:
    return Pages(app.state.engine)


async def fail_late() -> Answer:
    shown = {"message": "time: spent", "extensions": {"code": "LIMIT_TIME"}}
    return Answer({"errors": [shown], "data": None, "extensions": {}}, is_refused=False)


async def fail_badly() -> Answer:
    message = "a fault of ours"
    raise RuntimeError(message)


def query(form: str = "csv", **more: str) -> dict[str, str]:
    return {"query": DOCUMENT, "format": form, **more}


def test_parts_leave_as_pages_are_read(app: Starlette, pages: Pages) -> None:
    seen: list[tuple[int, int]] = []

    async def run() -> None:
        exchange = Exchange("/export", query(), {})

        async def send(message: Any) -> None:  # noqa: ANN401 - of ASGI
            await exchange.send(message)
            seen.append((pages.asked, exchange.sent.body.count(b"\r\n")))

        await app(exchange.scope, exchange.receive, send)

    asyncio.run(run())

    # The start, the header, then each page before the next one is read, and the end.
    assert seen[:4] == [(1, 0), (1, 1), (1, 51), (2, 101)]
    assert seen[-1] == (33, 1650)
    assert [number for number, _ in seen[2:-1]] == list(range(1, 34))


def test_a_client_that_goes_away_stops_the_work(app: Starlette, pages: Pages) -> None:
    async def run() -> Exchange:
        exchange = Exchange("/export", query(), {})

        async def send(message: Any) -> None:  # noqa: ANN401 - of ASGI
            await exchange.send(message)
            if pages.asked == 3:
                exchange.has_left.set()
                await asyncio.sleep(0)

        await app(exchange.scope, exchange.receive, send)
        await asyncio.sleep(0.05)
        return exchange

    exchange = asyncio.run(run())

    assert not exchange.sent.is_complete
    assert 3 <= pages.asked <= 5


def test_so_many_exports_are_at_work_at_once_and_the_next_waits(app: Starlette) -> None:
    async def run() -> tuple[list[int], int]:
        reading = asyncio.Event()
        begun = asyncio.Semaphore(0)

        async def export() -> Exchange:
            exchange = Exchange("/export", query(), {})

            async def send(message: Any) -> None:  # noqa: ANN401 - of ASGI
                if message["type"] == "http.response.start":
                    begun.release()
                    await reading.wait()
                await exchange.send(message)

            await app(exchange.scope, exchange.receive, send)
            return exchange

        others = [asyncio.create_task(export()) for _ in range(MAX_EXPORTS)]
        for _ in others:
            await begun.acquire()
        reading.set()
        late = Exchange("/export", query(), {})
        await app(late.scope, late.receive, late.send)
        assert late.sent.status == 503
        assert late.sent.headers["retry-after"] == "5"
        assert b"LIMIT_EXPORTS" in late.sent.body
        done = [(await other).sent.status for other in others]
        again = Exchange("/export", query(), {})
        await app(again.scope, again.receive, again.send)
        return done, again.sent.status

    assert asyncio.run(run()) == ([200] * MAX_EXPORTS, 200)


def test_a_question_to_the_database_ends_with_the_client(app: Starlette, pages: Pages) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def wait_in_vain() -> Answer:
        # What an engine does with a request whose client has left.
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise
        return await fail_late()

    pages.spoil[2] = wait_in_vain

    async def run() -> None:
        exchange = Exchange("/export", query(), {})
        asked = asyncio.create_task(app(exchange.scope, exchange.receive, exchange.send))
        while not started.is_set():
            await asyncio.sleep(0.01)
        exchange.has_left.set()
        await asyncio.wait_for(asked, 10)

    asyncio.run(run())

    assert stopped.is_set()


def test_a_client_that_reads_nothing_is_cut(
    app: Starlette, pages: Pages, caplog: pytest.LogCaptureFixture
) -> None:
    (route,) = (route for route in app.routes if getattr(route, "path", "") == "/export")
    endpoint = route.endpoint.__self__  # type: ignore[attr-defined] # a bound method
    endpoint._send_seconds = 0.05

    async def run() -> Exchange:
        exchange = Exchange("/export", query(), {})

        async def send(message: Any) -> None:  # noqa: ANN401 - of ASGI
            await exchange.send(message)
            if pages.asked == 2:
                await asyncio.sleep(30)

        await asyncio.wait_for(app(exchange.scope, exchange.receive, send), 10)
        return exchange

    exchange = asyncio.run(run())

    assert not exchange.sent.is_complete
    assert pages.asked == 2
    assert "its client reads nothing" in caplog.text


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))


def read_stream(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()


def read_parquet(content: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(content))


@pytest.mark.parametrize(
    ("form", "read", "error"),
    [
        ("csv", read_csv, csv.Error),
        ("arrow", read_stream, (pa.ArrowInvalid, OSError)),
        ("parquet", read_parquet, pa.ArrowInvalid),
    ],
    ids=["csv", "arrow", "parquet"],
)
@pytest.mark.parametrize(
    ("fault", "code"), [(fail_late, "LIMIT_TIME"), (fail_badly, "INTERNAL")], ids=["time", "fault"]
)
def test_what_fails_in_mid_stream_has_no_end_and_reads_as_none(
    app: Starlette,
    pages: Pages,
    caplog: pytest.LogCaptureFixture,
    *,
    form: str,
    read: Callable[[bytes], object],
    error: type[Exception],
    fault: Callable[[], Awaitable[Answer]],
    code: str,
) -> None:
    read(get(app, "/export", query(form)).body)
    pages.asked = 0
    pages.spoil[3] = fault
    caplog.clear()

    sent = get(app, "/export", query(form))

    assert sent.status == 200
    assert not sent.is_complete
    assert pages.asked == 3
    with pytest.raises(error):
        read(sent.body)
    assert "export broke off" in caplog.text
    if form == "csv":
        assert sent.body.endswith(f'"incomplete, this export broke off: {code}'.encode())


def test_what_fails_on_the_first_page_is_an_error(app: Starlette, pages: Pages) -> None:
    pages.spoil[1] = fail_late

    sent = get(app, "/export", query())

    assert sent.status == 503
    assert sent.is_complete
    assert b'"code":"LIMIT_TIME"' in sent.body


def test_a_compressed_part_can_be_read_when_it_comes(app: Starlette) -> None:
    sent = get(app, "/export", query(), {"accept-encoding": "zstd"})

    reader = zstandard.ZstdDecompressor().decompressobj()
    lines = [reader.decompress(part).count(b"\r\n") for part in sent.parts]
    assert lines[:3] == [1, 50, 50]
    assert sum(lines) == 1650
    assert sent.is_complete


@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
def test_a_real_client_sees_that_a_file_is_short(
    app: Starlette, pages: Pages, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    pages.spoil[4] = fail_late

    async def run() -> None:
        async with (
            serving(app) as address,
            httpx.AsyncClient(base_url=f"http://{address}") as client,
        ):
            headers = {"accept-encoding": encoding}
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get("/export", params=query(), headers=headers)

    asyncio.run(run())


def test_an_export_stays_in_its_snapshot_while_others_are_published(tmp_path: Path) -> None:
    world, shelf = World(), Shelf(tmp_path)
    shelf.publish(world.all)
    source = CatalogSource(shelf.log, shelf.store, ranking_v1, folder=tmp_path, clock=lambda: NOW)
    app = build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
    pages = Pages(app.state.engine)
    document = "{ runs(first: 4) { nodes { digest } } }"
    before = source.current().snapshot
    expected = get(app, "/export", {"query": document}).body

    async def publish() -> Answer:
        shelf.publish([world.add_run("fast", 0, 0, 5, 300)])
        assert source.refresh()
        return await pages._answer(*asked)

    asked: tuple[Request, Moment]

    async def remember(request: Request, moment: Moment) -> Answer:
        nonlocal asked
        asked = (request, moment)
        return await pages.answer(request, moment)

    app.state.engine.answer = remember
    pages.asked = 0
    pages.spoil[3] = publish

    sent = get(app, "/export", {"query": document})

    assert source.current().snapshot != before
    assert sent.headers["kgraph-snapshot"] == before
    assert sent.body == expected
