"""The projector beside stock execution: CPU and wall-clock time of one request, in process.

    python bench/projector.py [--export FILE.jsonl.zst | --store FOLDER] [--rounds N] [--requests N]

The question is that of the peer benchmark: the newest 100 runs, 15 fields each, and the
implementation of each, sent with an operation name and a variable. Rows are those of an export of
the public catalogue (default: one beside the repository, imported into a temporary store), of a
store, or of the starter catalogue. Both executors answer the same, which is checked first, byte for
byte.

Requests go to the engine in turns, round after round; documents are parsed and validated before.
No answer is kept: each request asks DuckDB for its page. CPU time is that of all threads of the
process, DuckDB's among them. Each figure is the best of the rounds, since other work on the machine
only ever adds. What part of a request takes how long is measured beside it, by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import graphql
import orjson

from kgraph.api import Engine, Moment, Request, build_schema
from kgraph.catalog import Catalog, CatalogSource
from kgraph.facts import PageRequest
from kgraph.importers import import_kernelindex
from kgraph.ingest import publish_batch
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROOT = Path(__file__).resolve().parents[1]
EXPORTS = ROOT / ".." / "shared" / "data" / "kernelindex-export"
QUESTION = ROOT / "bench" / "peers" / "questions" / "kgraph.graphql"
NOW = datetime(2026, 9, 1, tzinfo=UTC)

ROWS = 100

# Documents of other kinds, for what they cost with either executor.
OTHERS = {
    "family pages": """{ operations(first: 3) { nodes { title workloads(first: 5) { nodes { label
      cohorts { key hardware { product } ranking(first: 5) { nodes { rank display
        run { title implementation { title language } } } } } } } } } }""",
    "records": """{ records(first: 50) { nodes { cohort { key hardware { product }
      workload { label } } run { title primary { display }
      implementation { title license { concluded } } } } } }""",
    "rankings with manifests": """{
      cohorts(first: 5, orderBy: {field: RUN_COUNT, direction: DESC}) { nodes { key
        ranking(first: 20) { nodes { rank run { title labels { name value }
          measurements { metric value } } } } } } }""",
}


def open_catalog(args: argparse.Namespace, folder: Path) -> tuple[Catalog, str]:
    """The catalogue that is asked, and where its rows are from."""
    path = args.store or ROOT / "objects"
    name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
    exports = sorted(EXPORTS.glob("*.jsonl.zst")) if args.store is None else []
    export = args.export or (exports[-1] if exports else None)
    if export is not None:
        with export.open("rb") as stream:
            batch = import_kernelindex(stream, name=export.name)
        path, name = folder / "objects", export.name
        store = open_store(path, create=True)
        publish_batch(store, Log(store), batch, published_by="bench", published_at=NOW)
    store = open_store(path)
    source = CatalogSource(
        Log(store), store, ranking_v1, folder=folder / "cache", clock=lambda: NOW
    )
    return source.current(), name


async def measure(
    ask: Callable[[], Awaitable[Any]], *, rounds: int, requests: int
) -> tuple[float, float]:
    """Milliseconds of CPU and of wall-clock time that one call takes, at best."""
    await ask()
    cpu, wall = float("inf"), float("inf")
    for _ in range(rounds):
        started_cpu, started = time.process_time(), time.perf_counter()
        for _ in range(requests):
            await ask()
        cpu = min(cpu, (time.process_time() - started_cpu) / requests * 1e3)
        wall = min(wall, (time.perf_counter() - started) / requests * 1e3)
    return cpu, wall


def asker(
    engine: Engine, request: Request, moment: Moment, *, encodes: bool
) -> Callable[[], Awaitable[bytes | None]]:
    """A function that asks the engine once."""

    async def ask() -> bytes | None:
        answer = await engine.answer(request, moment)
        return orjson.dumps(answer.body) if encodes else None

    return ask


async def check_alike(engines: dict[str, Engine], request: Request, moment: Moment) -> int:
    """The length of the answer, which is the same from every engine; else the run ends."""
    answers = [await asker(engine, request, moment, encodes=True)() for engine in engines.values()]
    first, *others = answers
    assert first is not None
    if any(other != first for other in others) or b'"errors"' in first:
        sys.exit(f"answers differ or have errors: {first[:300]!r}")
    return len(first)


async def run(args: argparse.Namespace, catalog: Catalog, origin: str) -> None:
    """Measure and print."""
    schema = build_schema()
    engines = {"stock": Engine(schema, projector=False), "projector": Engine(schema)}
    moment = Moment(catalog, NOW, "http://localhost", "bench")
    text = QUESTION.read_text().replace(f"first: {ROWS}", "first: $first")
    main = Request(f"query Runs($first: Int) {text}", {"first": ROWS}, "Runs")
    length = await check_alike(engines, main, moment)

    counts = catalog.counts()
    print(f"rows: {origin}, {counts.runs} runs; the answer has {length} bytes")
    print(
        f"Python {sys.version.split()[0]}, graphql-core {graphql.version},"
        f" DuckDB {duckdb.__version__}, {os.cpu_count()} processors,"
        f" load {os.getloadavg()[0]:.1f}; best of {args.rounds} rounds of {args.requests} requests"
    )
    head = f"{'milliseconds a request':42}{'stock':>10}{'projector':>11}{'ratio':>9}"
    print(f"\n{head}")
    questions = {f"{ROWS} runs": main} | {name: Request(text) for name, text in OTHERS.items()}
    for name, request in questions.items():
        await check_alike(engines, request, moment)
        for encodes in (False, True) if request is main else (True,):
            found = {}
            for label, engine in engines.items():
                ask = asker(engine, request, moment, encodes=encodes)
                found[label] = await measure(ask, rounds=args.rounds, requests=args.requests)
            for place, clock in enumerate(("CPU", "wall")):
                stock, projector = found["stock"][place], found["projector"][place]
                title = f"{name}, {clock}{', with JSON' if encodes else ''}"
                print(f"{title:42}{stock:>10.2f}{projector:>11.2f}{stock / projector:>8.1f}x")
    print("\nof which, by themselves (CPU)")
    for name, part in make_parts(catalog, engines["projector"], main, moment).items():
        cpu, _ = await measure(part, rounds=args.rounds, requests=args.requests)
        print(f"{name:42}{cpu:>21.2f}")
    for engine in engines.values():
        engine.close()


def make_parts(
    catalog: Catalog, engine: Engine, request: Request, moment: Moment
) -> dict[str, Callable[[], Awaitable[Any]]]:
    """Parts of what the main question costs, each as a call of its own."""
    short = Request(request.document, {"first": 1}, request.operation_name)

    async def page() -> object:
        return catalog.page_runs(None, (), PageRequest(first=ROWS))

    async def page_of_one() -> object:
        return catalog.page_runs(None, (), PageRequest(first=1))

    return {
        "the page, DuckDB asked": page,
        "a page of one row": page_of_one,
        "the request for one row": asker(engine, short, moment, encodes=True),
    }


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--export", type=Path, help="an export of the public catalogue")
    source.add_argument("--store", type=Path, help="a store that is there")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=40)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog, origin = open_catalog(args, Path(folder))
        asyncio.run(run(args, catalog, origin))


if __name__ == "__main__":
    main()
