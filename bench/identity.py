"""How fast manifests become canonical bytes and names.

Run it from a checkout:

    python bench/identity.py [--export FILE.jsonl.zst] [--rounds 5]

It takes the BenchmarkRun manifests under objects/, or those of a public catalogue export (given,
or beside the repository), or makes runs where it finds neither. Every figure is the best of several
rounds, in CPU time of one core, taken in one process; the `rfc8785` package is timed on the very
same values in the same rounds, so that the ratio holds on a busy machine.
"""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import rfc8785
import zstandard

from kgraph.canonical import decode_json, encode_canonical
from kgraph.digest import digest_object
from kgraph.manifest import identify, identify_value, make_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPOSITORY = Path(__file__).resolve().parents[1]
EXPORT = REPOSITORY.parent / "shared" / "data" / "kernelindex-export"
WANTED_RUNS_A_SECOND = 8000
FEWEST_RUNS = 1000
"""Fewer make the clock's own error show."""


def runs_in_objects(folder: Path) -> Iterator[dict[str, Any]]:
    """BenchmarkRun manifests stored loose."""
    for file in sorted(folder.glob("loose/*/*.json")):
        manifest = orjson.loads(file.read_bytes())
        if manifest["kind"] == "BenchmarkRun":
            yield manifest


def runs_in_export(file: Path) -> Iterator[dict[str, Any]]:
    """BenchmarkRun manifests of a catalogue export, one `{"table", "row"}` a line."""
    with file.open("rb") as stream:
        reader = zstandard.ZstdDecompressor().stream_reader(stream)
        for line in io.TextIOWrapper(reader, encoding="utf-8"):
            record = json.loads(line)
            if record["table"] == "benchmark_runs":
                yield record["row"]["manifest"]["run"]


def made_runs(count: int) -> Iterator[dict[str, Any]]:
    """Runs of the size of real ones."""
    for number in range(count):
        digests = {
            f"{role}Digest": f"sha256:{number * 31 + position:064x}"
            for position, role in enumerate(
                ("implementation", "workload", "protocol", "environment")
            )
        }
        median = 13_800_000 + number * 17
        yield {
            "apiVersion": "kernelindex.dev/v1alpha1",
            "kind": "BenchmarkRun",
            "metadata": {"name": f"made-{number}", "title": f"Made run · {number}"},
            "spec": digests
            | {
                "status": "passed",
                "timing": {"primaryStatistic": "median", "latencyNs": {"median": median}},
                "measurements": [
                    {"metric": "latency", "unit": "ns", "statistic": "p20", "value": median - 9},
                    {"metric": "latency", "unit": "ns", "statistic": "p80", "value": median + 9},
                ],
                "sourceNative": {"source": "made", "metrics": {"ms_50": median / 1e6}},
                "observedAt": "2026-01-02T03:04:05.678Z",
            },
        }


def find_runs(export: Path | None) -> tuple[list[dict[str, Any]], str]:
    """Runs to measure with, and where they are from."""
    if export is None:
        runs = list(runs_in_objects(REPOSITORY / "objects"))
        if len(runs) >= FEWEST_RUNS:
            return runs, "objects/"
        export = max(EXPORT.glob("*.jsonl.zst"), default=None)
    if export is not None:
        return list(runs_in_export(export)), export.name
    return list(made_runs(5000)), "made runs"


def best_of(rounds: int, steps: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of CPU that each step takes at its best; steps take turns, so that load is shared."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            start = time.process_time()
            step()
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time the naming of manifests.")
    parser.add_argument("--export", type=Path, help="catalogue export to take runs from")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    runs, origin = find_runs(options.export)
    manifests = [make_manifest(run, where=origin) for run in runs]
    contents = [encode_canonical(run) for run in runs]
    assert contents == [rfc8785.dumps(run) for run in runs], "canonical bytes differ"

    def each(function: Callable[[Any], object], values: list[Any]) -> Callable[[], object]:
        def step() -> None:
            for value in values:
                function(value)

        return step

    seconds = best_of(
        options.rounds,
        {
            "rfc8785.dumps": each(rfc8785.dumps, runs),
            "encode_canonical": each(encode_canonical, runs),
            "decode_json": each(lambda content: decode_json(content, where=""), contents),
            "make_manifest": each(lambda run: make_manifest(run, where=""), runs),
            "identify": each(identify, manifests),
            "hash alone": each(digest_object, contents),
            "identify_value": each(lambda run: identify_value(run, where=""), runs),
        },
    )

    count = len(runs)
    size = sum(map(len, contents)) / count
    print("command: python " + shlex.join(["bench/identity.py", *sys.argv[1:]]))
    print(f"python {sys.version.split()[0]}, {count} runs of {size:.0f} bytes from {origin}")
    for name, taken in seconds.items():
        print(f"{name:18} {taken / count * 1e6:8.1f} us each {count / taken:10,.0f} a second")
    ratio = seconds["encode_canonical"] / seconds["rfc8785.dumps"]
    print(f"encode_canonical takes {ratio:.2f} of the time of rfc8785.dumps")
    rate = count / seconds["identify_value"]
    verdict = "met" if rate >= WANTED_RUNS_A_SECOND else "missed"
    print(
        f"validate + canonicalise + hash: {rate:,.0f} runs/s a core"
        f" (wanted {WANTED_RUNS_A_SECOND:,}: {verdict})"
    )


if __name__ == "__main__":
    main()
