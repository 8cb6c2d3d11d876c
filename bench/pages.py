"""Latency of the family page and a run page, in process and over HTTP.

    python bench/pages.py [--store objects] [--repeat 50]

Cold: the index exists; documents and facts are not yet in memory, as in a server's first request.
Warm: the same question, executed again. Cached: the same question, from the answer cache.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import http.client
import json
import statistics
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import uvicorn

from kgraph.api import Engine, Moment, Request, build_schema
from kgraph.catalog import CatalogSource
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 9, 1, tzinfo=UTC)
QUERIES = Path(__file__).resolve().parents[1] / "tests" / "api" / "queries"


def read_pages() -> dict[str, tuple[str, dict[str, Any]]]:
    """Document and variables of each page, as the tests ask them."""
    return {
        name: (
            (QUERIES / f"{name}.graphql").read_text(),
            json.loads((QUERIES / f"{name}.variables.json").read_text()),
        )
        for name in ("family-page", "run-page")
    }


def measure(call: Callable[[], float], repeat: int) -> str:
    """Median, 99th percentile and CPU of `repeat` calls; each returns its own wall time."""
    started = time.process_time()
    walls = sorted(call() for _ in range(repeat))
    cpu = (time.process_time() - started) / repeat
    last = walls[min(len(walls) - 1, int(len(walls) * 0.99))]
    return (
        f"median {statistics.median(walls) * 1e3:7.2f} ms   p99 {last * 1e3:7.2f} ms"
        f"   CPU {cpu * 1e3:7.2f} ms"
    )


def open_source(store: str, folder: Path) -> CatalogSource:
    """The catalogue of a store, its index in `folder`."""
    objects = open_store(store)
    return CatalogSource(Log(objects), objects, ranking_v1, folder=folder, clock=lambda: NOW)


def measure_in_process(store: str, folder: Path, repeat: int) -> None:
    """Ask the engine itself; the answer is encoded too."""
    schema = build_schema()

    def measure_page(name: str, page: tuple[str, dict[str, Any]]) -> None:
        def ask(engine: Engine, source: CatalogSource) -> float:
            moment = Moment(source.current(), NOW, "http://localhost", "bench")
            started = time.perf_counter()
            answer = asyncio.run(engine.answer(Request(*page), moment))
            orjson.dumps(answer.body)
            spent = time.perf_counter() - started
            assert not answer.has_errors, answer.body["errors"]
            return spent

        # Made and warmed up before the clock starts, as a server does before it is ready.
        fresh = [(Engine(schema), open_source(store, folder)) for _ in range(min(repeat, 20))]
        for engine, source in fresh:
            engine.warm_up(source.current())
        waiting = iter(fresh)
        print(f"{name:12} in process, cold   ", measure(lambda: ask(*next(waiting)), len(fresh)))
        first = fresh[0]
        print(f"{name:12} in process, warm   ", measure(lambda: ask(*first), repeat))
        for used, _ in fresh:
            used.close()

    for name, page in read_pages().items():
        measure_page(name, page)


def measure_http(store: str, folder: Path, repeat: int) -> None:
    """Ask a server on loopback over one kept connection."""
    for label, cache_bytes in (("warm", 0), ("cached", 64 * 2**20)):
        options = WebOptions(answer_cache_bytes=cache_bytes, refresh_seconds=0)
        app = build_app(open_source(store, folder), options=options, clock=lambda: NOW)
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def ask(body: bytes, connection: http.client.HTTPConnection = connection) -> float:
            started = time.perf_counter()
            connection.request("POST", "/graphql", body, {"content-type": "application/json"})
            response = connection.getresponse()
            content = response.read()
            spent = time.perf_counter() - started
            assert response.status == http.HTTPStatus.OK
            assert b'"errors"' not in content[:100]
            return spent

        for name, (document, variables) in read_pages().items():
            body = orjson.dumps({"query": document, "variables": variables})
            for _ in range(3):
                ask(body)
            print(f"{name:12} over HTTP, {label:8}", measure(functools.partial(ask, body), repeat))
        connection.close()
        server.should_exit = True
        thread.join()


def main() -> None:
    """Measure both pages both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", default="objects")
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        open_source(options.store, Path(folder))
        print(f"index build              {time.perf_counter() - started:.2f} s")
        measure_in_process(options.store, Path(folder), options.repeat)
        measure_http(options.store, Path(folder), options.repeat)


if __name__ == "__main__":
    main()
