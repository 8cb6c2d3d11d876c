"""How fast the index is made, carried forward, opened and asked.

Run it from a checkout:

    python bench/index.py [--runs 200000] [--folder DIR]

It makes a catalogue of that many runs (20 operations, 500 workloads, 5 devices, 2 protocols), seals
it in packs and publishes it; every run then goes through the build that `kgraph index build`
uses. The same rows of table `run` are also put into an empty database straight from Arrow, in the
same process, so that the ratio holds on a busy machine: it is what the build costs beyond storing.
Times are wall time; those of questions are the median and the 99th percentile of several hundred.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from kgraph.canonical import encode_canonical
from kgraph.digest import SpecDigest, parse_ref
from kgraph.facts import Condition, PageRequest
from kgraph.index import (
    Index,
    build_index,
    query_objects,
    query_page,
    query_rankings,
    query_record_page,
    query_runs,
)
from kgraph.log import Draft, Log
from kgraph.manifest import identify_value
from kgraph.policy import ranking_v1
from kgraph.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgraph.manifest import Identified
    from kgraph.store import ObjectStore

START = datetime(2026, 1, 1, tzinfo=UTC)
API = "kernelindex.dev/v1alpha1"
RUNS_A_PACK = 50_000
OPERATIONS, WORKLOADS, IMPLEMENTATIONS = 20, 25, 8
DEVICES = ("NVIDIA A100", "NVIDIA H100", "NVIDIA H200", "NVIDIA B200", "NVIDIA L4")
QUESTIONS = 300


def manifest(kind: str, name: str, spec: dict[str, Any]) -> Identified:
    """One manifest, validated and named."""
    value = {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
    return identify_value(value, where=name)


def make_operation(number: int) -> list[Identified]:
    """An operation with its workloads and implementations, in that order."""
    tensor = {"shape": ["rows", "columns"], "dtype": "float"}
    operation = manifest(
        "OperationSpec",
        f"operation-{number}",
        {
            "family": f"family-{number % 7}",
            "axes": {axis: {"role": "variable", "type": "integer"} for axis in ("rows", "columns")},
            "inputs": [{"name": "x", "tensor": tensor}],
            "outputs": [{"name": "y", "tensor": tensor}],
            "semantics": {
                "expression": f"f{number}(x)",
                "mutation": "none",
                "determinism": "unspecified",
            },
        },
    )
    workloads = [
        manifest(
            "WorkloadCase",
            f"case-{number}-{rows}",
            {
                "operationSpecDigest": operation.digest,
                "axes": {"rows": 2**5 * (rows + 1), "columns": 4096},
                "tensors": {"x": {"shape": [2**5 * (rows + 1), 4096], "dtype": "bf16"}},
                "correctness": {"comparator": "not_asserted"},
            },
        )
        for rows in range(WORKLOADS)
    ]
    implementations = [
        manifest(
            "ImplementationRevision",
            f"kernel-{number}-{other}",
            {
                "projectRevision": {"version": f"1.{other}"},
                "operation": {"specDigest": operation.digest},
                "callable": {
                    "language": ("triton", "cuda", "python")[other % 3],
                    "path": str(other),
                },
                "support": {"hardwareArchitectures": [], "dtypes": []},
                "licensing": {"declared": "MIT"},
            },
        )
        for other in range(IMPLEMENTATIONS)
    ]
    return [operation, *workloads, *implementations]


def make_runs(operations: list[list[Identified]], count: int, skip: int = 0) -> Iterator[bytes]:
    """Canonical bytes of runs over all cohorts; the first of them is validated."""
    protocols = [
        manifest(
            "BenchmarkProtocol",
            name,
            {
                "harness": {"name": "harness"},
                "measurement": {
                    "timer": "cuda_events",
                    "primaryStatistic": "median",
                    "timedPass": name,
                },
            },
        )
        for name in ("forward", "full")
    ]
    environments = [
        manifest(
            "ExecutionEnvironment",
            device.lower().replace(" ", "-"),
            {
                "hardware": {"vendor": "nvidia", "product": device, "architecture": "sm_90"},
                "software": {"driver": "570.1"},
            },
        )
        for device in DEVICES
    ]
    for other in (*protocols, *environments):
        yield other.content
    places = product(range(OPERATIONS), range(WORKLOADS), protocols, environments)
    cohorts = list(places)
    for number in range(skip, skip + count):
        operation, rows, protocol, environment = cohorts[number % len(cohorts)]
        made = operations[operation]
        which = number // len(cohorts) % IMPLEMENTATIONS
        noise = int.from_bytes(hashlib.sha256(str(number).encode()).digest()[:4])
        median = 10_000 * (rows + 1) + noise % 9_000
        at = START + timedelta(minutes=number)
        value = {
            "apiVersion": API,
            "kind": "BenchmarkRun",
            "metadata": {"name": f"run-{number}", "title": f"kernel {which} on case {rows}"},
            "spec": {
                "implementationDigest": made[1 + WORKLOADS + which].digest,
                "workloadDigest": made[1 + rows].digest,
                "protocolDigest": protocol.digest,
                "environmentDigest": environment.digest,
                "status": "passed" if number % 50 else "runtime_error",
                "timing": {
                    "primaryStatistic": "median",
                    "latencyNs": {"median": median, "p05": median - 40, "p95": median + 90},
                },
                "sourceNative": {
                    "source": "made",
                    "benchmark": "bench",
                    "externalId": str(number),
                },
                "observedAt": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            },
        }
        if number == skip:
            identify_value(value, where="made run")
        yield encode_canonical(value)


def publish(store: ObjectStore, log: Log, contents: Iterator[bytes]) -> None:
    """One publication of packs."""
    packs = []
    while some := list(islice(contents, RUNS_A_PACK)):
        packs.append(store.put_pack(some).pack_id)
    log.append(lambda _: Draft(datetime.now(UTC), "bench", packs=tuple(packs)))


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Note the seconds that the block takes."""
    start = time.perf_counter()
    yield
    into.append(time.perf_counter() - start)


def insert_plainly(path: Path, folder: Path) -> float:
    """Seconds to put the rows of table `run`, at hand as Arrow, into an empty database."""
    with duckdb.connect(str(path), read_only=True) as made:
        rows = made.sql("SELECT * FROM run").to_arrow_table()
    seconds: list[float] = []
    with duckdb.connect(str(folder / "plain.duckdb")) as plain, timed(seconds):
        plain.register("rows", rows)
        plain.execute("CREATE TABLE run AS SELECT * FROM rows")
        plain.execute("CHECKPOINT")
    return seconds[0]


def ask_often(name: str, ask: Callable[[int], object]) -> None:
    """Print the median and the 99th percentile of a question, asked after one that warms up."""
    ask(0)
    seconds: list[float] = []
    for number in range(QUESTIONS):
        with timed(seconds):
            ask(number)
    seconds.sort()
    median, slow = statistics.median(seconds), seconds[int(len(seconds) * 0.99)]
    print(f"{name:<38} median {median * 1e3:7.2f} ms   p99 {slow * 1e3:7.2f} ms")


OPENING = """
import sys, time
start = time.perf_counter()
from pathlib import Path
from kgraph.index import Index, query_counts
imported = time.perf_counter()
query_counts(Index(Path(sys.argv[1])))
print(imported - start, time.perf_counter() - imported, "pyarrow" in sys.modules)
"""


def ask_index(path: Path) -> None:
    """Print what questions cost on one open index."""
    index = Index(path)
    keys = [row[0] for row in index.fetch("SELECT key FROM cohort ORDER BY hash(key) LIMIT 300")]
    digests = [
        row[0] for row in index.fetch("SELECT digest FROM run ORDER BY hash(digest) LIMIT 9000")
    ]
    count = len(digests)
    page = PageRequest(first=50)
    ask_often("ranking of one cohort", lambda n: query_rankings(index, [keys[n % 300]], page))
    ask_often("ranking of 20 cohorts", lambda n: query_rankings(index, keys[n % 200 :][:20], page))
    ask_often("run by digest", lambda n: query_runs(index, [SpecDigest(digests[n])]))
    ask_often("200 runs by digest", lambda n: query_runs(index, digests[n * 9 % count :][:200]))
    ask_often("object by full digest", lambda n: query_objects(index, parse_ref(digests[n])))
    ask_often("object by 8 digits", lambda n: query_objects(index, parse_ref(digests[n][7:15])))
    ask_often("newest 20 runs", lambda _: query_page(index, "runs", None, (), PageRequest()))
    device = Condition("hardware", "eq", "NVIDIA L4")
    ask_often("newest 20 runs of one device", lambda _: query_page(index, "runs", device, (), page))
    ask_often("latest 50 records", lambda _: query_record_page(index, None, (), page))
    ask_often("facet of runs by hardware", lambda _: index.count_facets("runs", None, "hardware"))
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(path)], capture_output=True, text=True, check=True
    )
    imported, opened, has_arrow = done.stdout.split()
    assert has_arrow == "False", "opening an index must not import pyarrow"
    print(f"a new process: imports {float(imported):.3f} s, opens and asks {float(opened):.3f} s")


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder else")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(Path(name), options.runs)


def measure(folder: Path, run_count: int) -> None:
    """Print the figures of a catalogue of so many runs, made in `folder`."""
    store = open_store(folder / "objects", create=True)
    log = Log(store)
    operations = [make_operation(number) for number in range(OPERATIONS)]
    publish(store, log, (item.content for made in operations for item in made))
    publish(store, log, make_runs(operations, run_count))
    first = log.get(1)
    assert first is not None
    cache = folder / "cache"
    build_index(log, store, ranking_v1, folder=cache, until=first)

    seconds: list[float] = []
    with timed(seconds):
        built = build_index(log, store, ranking_v1, folder=cache, is_fresh=True)
    counts = Index(built.path).fetch("SELECT runs, cohorts, record_events FROM counts")[0]
    assert counts[0] == run_count, counts
    plain = insert_plainly(built.path, folder)
    size = built.path.stat().st_size
    print(json.dumps(dict(zip(("runs", "cohorts", "recordEvents"), counts, strict=True))))
    print(f"whole build          {seconds[0]:8.2f} s  {run_count / seconds[0]:10,.0f} runs/s")
    print(f"plain Arrow insert   {plain:8.2f} s  {run_count / plain:10,.0f} rows/s")
    print(f"ratio                {seconds[0] / plain:8.1f} x  the same rows of table run")
    print(f"file                 {size / 1e6:8.1f} MB {size / run_count:10,.0f} bytes a run")
    for added in (1, 1000):
        publish(store, log, make_runs(operations, added, skip=run_count))
        run_count += added
        with timed(seconds):
            carried = build_index(log, store, ranking_v1, folder=cache)
        assert carried.is_incremental
        assert carried.applied == 1
        part = seconds[-1] / seconds[0]
        print(f"carry on {added:>5} runs   {seconds[-1]:8.2f} s  {part:10.1%} of a whole build")
    ask_index(carried.path)


if __name__ == "__main__":
    main()
