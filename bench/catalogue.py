"""The public catalogue in and out: import, index, questions over all of it, exports.

    python bench/catalogue.py [--export FILE.jsonl.zst] [--runs 3]

The export is one that lies beside the repository unless another is named. Each phase runs in a
process of its own, so that its peak memory is its own: the memory of that process at its highest,
as the kernel counts it. Reading the same file with Python's own `json`, every line once and nothing
done with it, is measured in the same rounds: the ratios to it, taken over processor time, hold on a
busy machine. Times are the best of the runs; those of questions are the median and the 99th
percentile of wall time.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from kgraph.api import Engine, Limits, Moment, Request, build_schema
from kgraph.catalog import CatalogSource
from kgraph.exporters import export_catalogue, export_parquet
from kgraph.facts import Condition, Order, PageRequest
from kgraph.importers import import_kernelindex
from kgraph.index import MAX_PAGE, build_index
from kgraph.ingest import publish_batch
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgraph.catalog import Catalog
    from kgraph.facts import Page

ROOT = Path(__file__).resolve().parents[1]
EXPORTS = ROOT / ".." / "shared" / "data" / "kernelindex-export"
FAMILY_PAGE = ROOT / "frontend" / "examples" / "family-page.graphql"
QUESTIONS = 100

WANTED_BYTES = 1_000_000_000
WANTED_IMPORT_S = 60.0
WANTED_AGAIN_S = 20.0


def timed_s(task: Callable[[], object]) -> float:
    """How long a task takes."""
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def timed(task: Callable[[], object]) -> dict[str, Any]:
    """Wall time and processor time of a task, all its threads counted."""
    started = time.process_time()
    seconds = timed_s(task)
    return {"seconds": seconds, "cpu": time.process_time() - started}


# --- phases, each in a process of its own -------------------------------------------------------


def parse_lines(export: Path, _: Path) -> dict[str, Any]:
    """The yardstick: every line through Python's own JSON reader."""
    count = 0

    def parse() -> None:
        nonlocal count
        with export.open("rb") as file:
            for line in io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file)):
                json.loads(line)
                count += 1

    return {**timed(parse), "rows": count}


def import_file(export: Path, folder: Path) -> dict[str, Any]:
    """Read, check and publish the export."""
    found: dict[str, Any] = {}

    def work() -> None:
        with export.open("rb") as stream:
            batch = import_kernelindex(stream, name=export.name)
        store = open_store(folder / "objects", create=True)
        report = publish_batch(
            store, Log(store), batch, published_by="bench", published_at=datetime.now(UTC)
        )
        found["rows"], found["added"] = batch.rows_read, report.objects_added
        found["refused"] = len(batch.refused)

    found.update(timed(work))
    return found


def make_index(_: Path, folder: Path) -> dict[str, Any]:
    """Build the index of what is published."""
    store = open_store(folder / "objects")
    folder = folder / "index"
    return timed(lambda: build_index(Log(store), store, ranking_v1, folder=folder, is_fresh=True))


def export_lines(_: Path, folder: Path) -> dict[str, Any]:
    """Write the catalogue as compressed lines."""
    catalog, path = open_catalog(folder), folder / "catalogue.jsonl.zst"

    def work() -> None:
        with path.open("wb") as stream:
            export_catalogue(catalog, stream, is_compressed=True)

    return {**timed(work), "bytes": path.stat().st_size}


def export_tables(_: Path, folder: Path) -> dict[str, Any]:
    """Write the tables for analysis."""
    catalog, path = open_catalog(folder), folder / "tables"
    spent = timed(lambda: export_parquet(catalog, path))
    return {**spent, "bytes": sum(file.stat().st_size for file in path.iterdir())}


def ask(_: Path, folder: Path) -> dict[str, Any]:
    """Questions over all of the catalogue; each first answered cold, then again and again."""
    catalog = open_catalog(folder)
    largest = catalog.page_operations(
        None, (Order("run_count", is_descending=True),), PageRequest(first=1)
    ).items[0]
    by_hardware = Counter(
        {one.value: one.count for one in catalog.count_facets("records", None, "hardware")}
    )
    ((hardware, count),) = by_hardware.most_common(1)
    deepest = catalog.page_cohorts(
        None, (Order("record_event_count", is_descending=True),), PageRequest(first=1)
    ).items[0]

    def page_records() -> int:
        where = Condition("hardware", "eq", hardware)
        return sum(1 for _ in every(lambda page: catalog.page_records(where, (), page)))

    engine = Engine(build_schema(), Limits(cost=sys.maxsize, seconds=600))
    document = FAMILY_PAGE.read_text(encoding="utf-8")

    def family_page() -> None:
        moment = Moment(catalog, datetime.now(UTC), base_url="", request_id="bench")
        request = Request(document, {"slug": largest.slug}, None)
        answer = asyncio.run(engine.answer(request, moment))
        assert not answer.has_errors

    found = {
        f"family page of {largest.slug} ({largest.run_count} runs)": repeat(family_page),
        f"record history of {deepest.record_event_count} events": repeat(
            lambda: catalog.load_histories([deepest.key], PageRequest(first=MAX_PAGE))
        ),
        f"{count:,} records of {hardware}, paged to the end": repeat(page_records, times=10),
    }
    engine.close()
    assert page_records() == count
    return {"questions": found}


PHASES: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "json.loads of every line": parse_lines,
    "import and publish": import_file,
    "second import": import_file,
    "index build": make_index,
    "export as lines": export_lines,
    "export as tables": export_tables,
    "questions": ask,
}


def open_catalog(folder: Path) -> Catalog:
    """The catalogue of what is published, its index made first where it is missing."""
    store = open_store(folder / "objects")
    return CatalogSource(
        Log(store), store, ranking_v1, folder=folder / "index", clock=lambda: datetime.now(UTC)
    ).current()


def every(load: Callable[[PageRequest], Page[Any]]) -> Iterator[Any]:
    """Items of a list, page after page."""
    after = None
    while True:
        page = load(PageRequest(first=MAX_PAGE, after=after))
        yield from page.items
        if not page.has_next:
            return
        after = page.cursors[-1]


def repeat(task: Callable[[], object], *, times: int = QUESTIONS) -> list[float]:
    """Milliseconds of a cold answer, then the median and 99th percentile of warm ones."""
    cold = timed_s(task)
    warm = sorted(timed_s(task) for _ in range(times))
    tail = warm[min(len(warm) - 1, round(0.99 * len(warm)))]
    return [1000 * one for one in (cold, statistics.median(warm), tail)]


# --- the process that asks for them ------------------------------------------------------------


def peak_bytes() -> int:
    """Memory of this process at its highest; 0 where the kernel does not say."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def run_phase(name: str, export: Path, folder: Path) -> dict[str, Any]:
    """What a phase measures, in a process of its own."""
    command = [sys.executable, __file__, "--phase", name]
    command += ["--export", str(export), "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--export", type=Path, help="an export of the public catalogue")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--phase", choices=PHASES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    export = asked.export or next(iter(sorted(EXPORTS.glob("*.jsonl.zst"))), None)
    if export is None:
        parser.error("no export beside the repository; name one with --export")
    if asked.phase is not None:
        found = PHASES[asked.phase](export, asked.folder)
        print(json.dumps(found | {"peak": peak_bytes()}))
        return

    print(f"repeat: python bench/catalogue.py {' '.join(sys.argv[1:])}".rstrip())
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {export.name}")
    best: dict[str, dict[str, Any]] = {}
    for number in range(asked.runs):
        with tempfile.TemporaryDirectory() as name:
            for phase in PHASES:
                if phase == "questions" and number:
                    continue
                found = run_phase(phase, export, Path(name))
                if phase not in best or found["cpu"] < best[phase]["cpu"]:
                    best[phase] = found
    show(best)


def show(best: dict[str, dict[str, Any]]) -> None:
    """Print the best of each phase."""
    yardstick = best["json.loads of every line"]["cpu"]
    rows = best["import and publish"]["rows"]
    heading = f"{'seconds':>9}{'rows/s':>10}{'CPU s':>8}{'× json.loads':>14}"
    print(f"\n{'phase':28}{heading}{'peak MB':>9}{'MB out':>8}")
    for phase, found in best.items():
        if phase == "questions":
            continue
        seconds = found["seconds"]
        rate = f"{rows / seconds:,.0f}" if "rows" in found else ""
        size = f"{found['bytes'] / 1e6:.1f}" if "bytes" in found else ""
        print(
            f"{phase:28}{seconds:9.2f}{rate:>10}{found['cpu']:8.2f}{found['cpu'] / yardstick:14.1f}"
            f"{found['peak'] / 1e6:9.0f}{size:>8}"
        )
    print(f"\n{'question':62}{'cold ms':>9}{'median':>9}{'p99':>9}")
    for question, (cold, median, tail) in best["questions"]["questions"].items():
        print(f"{question:62}{cold:9.1f}{median:9.1f}{tail:9.1f}")
    first, again = best["import and publish"], best["second import"]
    print(f"\nrows refused: {first['refused']}; the second import adds {again['added']} objects")
    print(
        f"wanted: import and index within {WANTED_IMPORT_S:.0f} s"
        f" ({first['seconds'] + best['index build']['seconds']:.1f}), second import within"
        f" {WANTED_AGAIN_S:.0f} s ({again['seconds']:.1f}), each below"
        f" {WANTED_BYTES / 1e6:,.0f} MB ({max(one['peak'] for one in best.values()) / 1e6:.0f})"
    )


if __name__ == "__main__":
    main()
