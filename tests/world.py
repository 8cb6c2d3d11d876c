"""A small catalogue of every kind of fact, and ways to publish and compare it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import duckdb
from build import (
    changed,
    make_attestation,
    make_configuration,
    make_correction,
    make_environment,
    make_implementation,
    make_listing,
    make_load,
    make_model,
    make_operation,
    make_project,
    make_protocol,
    make_run,
    make_serving_run,
    make_source,
    make_stack,
    make_suite,
    make_workload,
)

from kgraph.index import BuiltIndex, build_index
from kgraph.log import Draft, Log
from kgraph.manifest import Identified, identify_value
from kgraph.policy import ranking_v1
from kgraph.store import ObjectStore, memory_store
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kgraph.importers import ImportBatch
    from kgraph.log import LogEntry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOURCE = Slug("example-bench")

RUN_COUNT = 25
"""Runs of the small world."""

Rows = dict[str, list[tuple[Any, ...]]]


def name(value: Mapping[str, Any], **metadata: Any) -> Identified:  # noqa: ANN401 - any JSON value
    """The manifest with its names; further metadata is set first."""
    whole = changed(value, {f"metadata.{key}": item for key, item in metadata.items()})
    return identify_value(whole, where="test")


class World:
    """Manifests of a small catalogue, each after those that it cites."""

    def __init__(self) -> None:
        self.all: list[Identified] = []
        self.source = self.add(make_source(), name=SOURCE)
        self.project = self.add(
            make_project(repository="https://example.org/kernels"), name="kernels"
        )
        self.operation = self.add(make_operation(), name="double", title="Doubling Ω")
        self.other_operation = self.add(
            make_operation(
                family="gemm",
                axes={
                    "m": {"role": "variable", "type": "integer"},
                    "k": {"role": "constant", "type": "integer", "value": 64},
                },
                inputs=[{"name": "a", "tensor": {"shape": ["m", "k"], "dtype": "float"}}],
                outputs=[{"name": "b", "tensor": {"shape": ["m"], "dtype": "float"}}],
            ),
            name="row-sum",
        )
        digest = self.operation.digest
        self.workloads = [
            self.add(
                make_workload(
                    operationSpecDigest=digest,
                    axes={"rows": rows, "columns": 8},
                    tensors={"x": {"shape": [rows, 8], "dtype": "bf16"}},
                ),
                name=f"rows-{rows}",
            )
            for rows in (64, 128, 4096)
        ]
        self.other_workload = self.add(
            make_workload(
                operationSpecDigest=self.other_operation.digest,
                axes={"m": 5, "k": 64},
                tensors={
                    "a": {"shape": [5, 64], "dtype": "fp32"},
                    "i": {"shape": [5], "dtype": "int64"},
                },
            ),
            name="m-5",
        )
        self.suite = self.add(make_suite(operationSpecDigest=digest), name="suite", title="All")
        self.baseline = self.add_implementation("torch", labels={"role": "baseline"})
        self.fast = self.add_implementation(
            "fast",
            projectRevision={"repository": "https://example.org/kernels", "version": "1.2"},
            buildVariants=[
                {"name": "pip", "install": {"kind": "pip", "command": "pip install kernels"}}
            ],
            licensing={"declared": "MIT"},
            source={"contentDigest": "sha256:" + "a" * 64},
        )
        self.plain = self.add_implementation("plain")
        self.other_implementation = self.add(
            make_implementation(operation={"specDigest": self.other_operation.digest}),
            name="other",
        )
        self.protocol = self.add(make_protocol(), name="median")
        self.score_protocol = self.add(
            make_protocol(harness={"name": "Scoring harness"}), name="scores"
        )
        self.environments = [
            self.add(
                make_environment(
                    hardware={"vendor": "nvidia", "product": product, "architecture": architecture}
                ),
                name=product.lower().replace(" ", "-"),
            )
            for product, architecture in (("NVIDIA A100", "sm_80"), ("NVIDIA H100", "sm_90"))
        ]
        self.runs = [self.add_run(*case) for case in _CASES]
        self.slow_run = self.add_run("plain", 0, 0, 2**40 + 1, 50)
        self.failed_run = self.add_run("plain", 0, 0, 5, 51, status="incorrect_numerical")
        self.empty_run = self.add_run("plain", 0, 0, None, 52)
        self.score_runs = [
            self.add_run(
                implementation,
                0,
                0,
                None,
                60 + number,
                protocolDigest=self.score_protocol.digest,
                measurements=[
                    {"metric": "score", "unit": "points", "statistic": "median", "value": score}
                ],
            )
            for number, (implementation, score) in enumerate(
                (("torch", 1e-5), ("fast", 3e-5), ("plain", 2e-5))
            )
        ]
        # A score without a unit says nothing of which way is better: eligible, and not ranked.
        self.unranked_runs = [
            self.add_run(
                "fast",
                1,
                0,
                None,
                65 + number,
                protocolDigest=self.score_protocol.digest,
                sourceNative={"source": SOURCE, "benchmark": "board", "metrics": {"score": score}},
            )
            for number, score in enumerate((1e-5, 2e-5))
        ]
        self.strict_runs = [
            self.add_run(
                implementation,
                2,
                1,
                None,
                70 + number,
                timing={
                    "primaryStatistic": "median",
                    "samples": 10,
                    "latencyNs": {"median": median, "confidence95": [median - 50, median + 50]},
                },
            )
            for number, (implementation, median) in enumerate(
                (("torch", 1000), ("fast", 960), ("plain", 2000))
            )
        ]
        self.suite_run = self.add_run("fast", 0, 1, 777, 80, workloadDigest=self.suite.digest)
        self.other_run = self.add_run(
            "fast",
            0,
            0,
            31,
            81,
            workloadDigest=self.other_workload.digest,
            implementationDigest=self.other_implementation.digest,
        )
        self.model = self.add(make_model(), name="model-7b")
        self.stack = self.add(make_stack(), name="server")
        self.configuration = self.add(
            make_configuration(stackDigest=self.stack.digest, dtype="fp8"), name="configured"
        )
        self.load = self.add(make_load(), name="offline")
        self.serving_run = self.add(
            make_serving_run(
                modelDigest=self.model.digest,
                configurationDigest=self.configuration.digest,
                workloadDigest=self.load.digest,
            ),
            name="served",
        )

    def add(self, value: Mapping[str, Any], **metadata: Any) -> Identified:  # noqa: ANN401 - any JSON value
        """One manifest more."""
        identified = name(value, **metadata)
        self.all.append(identified)
        return identified

    def add_implementation(self, slug: str, **changes: Any) -> Identified:  # noqa: ANN401 - any JSON value
        """An implementation of the first operation."""
        metadata = {"labels": changes.pop("labels")} if "labels" in changes else {}
        spec = make_implementation(operation={"specDigest": self.operation.digest}, **changes)
        # The name is no part of what a manifest means, so the path keeps two apart.
        spec["spec"]["callable"] = {
            "language": "triton" if slug == "fast" else "python",
            "path": slug,
        }
        return self.add(spec, name=slug, title=f"{slug} kernel", **metadata)

    def add_run(
        self,
        implementation: str,
        workload: int,
        environment: int,
        median: int | None,
        minute: int,
        **changes: Any,  # noqa: ANN401 - any JSON value
    ) -> Identified:
        """A run of the first operation, observed `minute` minutes after noon."""
        by_name = {"torch": self.baseline, "fast": self.fast, "plain": self.plain}
        value = make_run(
            implementationDigest=by_name[implementation].digest,
            workloadDigest=self.workloads[workload].digest,
            protocolDigest=self.protocol.digest,
            environmentDigest=self.environments[environment].digest,
            observedAt=instant(minute),
        )
        if median is None:
            del value["spec"]["timing"]
        else:
            value["spec"]["timing"]["latencyNs"]["median"] = median
        value["spec"] |= changes
        return self.add(value, name=f"run-{minute}", title=f"{implementation} · {minute}")


# Implementation, workload, environment, median, minute.
_CASES = (
    ("torch", 0, 0, 900, 1),
    ("fast", 0, 0, 700, 2),
    ("plain", 0, 0, 700, 3),
    ("fast", 0, 0, 600, 4),
    ("torch", 1, 0, 1900, 5),
    ("fast", 1, 0, 1500, 6),
    ("torch", 0, 1, 450, 7),
    ("fast", 0, 1, 460, 8),
    ("fast", 0, 1, 440, 9),
    ("plain", 1, 1, 800, 10),
    ("plain", 2, 0, 90_000, 11),
    ("fast", 2, 0, 88_000, 12),
)


def instant(minute: int) -> str:
    """A UTC instant as manifests write it."""
    at = NOON + timedelta(minutes=minute)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def retraction(run: Identified, minute: int = 100) -> Identified:
    """A correction that takes a run out."""
    return name(make_correction(run=run.digest, at=instant(minute)), name="retraction")


def supersession(run: Identified, by: Identified, minute: int = 101) -> Identified:
    """A correction that puts another run in a run's place."""
    return name(
        make_correction(
            run=run.digest, action="supersede", replacement=by.digest, at=instant(minute)
        ),
        name="supersession",
    )


def attestation(run: Identified, statement: str = "Clocks were not locked.") -> Identified:
    """A note about a run."""
    return name(make_attestation(run=run.digest, statement=statement), name="note")


def listing(*entries: Mapping[str, Any]) -> Identified:
    """Editorial facts about manifests."""
    return name(make_listing(*entries), name="listing")


def amended(manifest: Identified, **metadata: Any) -> Identified:  # noqa: ANN401 - any JSON value
    """The same meaning under other metadata."""
    again = name(manifest.manifest.to_json(), **metadata)
    assert again.digest == manifest.digest
    assert again.object_id != manifest.object_id
    return again


class Shelf:
    """A log over memory, and where its indexes lie."""

    def __init__(self, folder: Path) -> None:
        self.store: ObjectStore = memory_store()
        self.log = Log(self.store)
        self.folder = folder
        self._at = NOON + timedelta(days=1)

    def publish(self, manifests: Iterable[Identified], *, packed: bool = False) -> LogEntry:
        """One publication, an hour after the one before."""
        contents = [item.content for item in manifests]
        self._at += timedelta(hours=1)
        ids = () if packed else self.store.put_many(contents)
        packs = (self.store.put_pack(contents).pack_id,) if packed else ()
        draft = Draft(self._at, "tests", objects=ids, packs=packs, source=SOURCE)
        entry = self.log.append(lambda _: draft)
        assert entry is not None
        return entry

    def build(self, **options: Any) -> BuiltIndex:  # noqa: ANN401 - as build_index takes them
        """The index of the head."""
        options = {"folder": self.folder, **options}
        return build_index(self.log, self.store, ranking_v1, **options)


def read_rows(path: Path, *, without: Sequence[str] = ()) -> Rows:
    """Every table of an index file, rows sorted, columns by name."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [
            row[0]
            for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        found: Rows = {}
        for table in sorted(tables):
            columns = sorted(
                row[0]
                for row in connection.execute(
                    "SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [table]
                ).fetchall()
                if row[0] not in without
            )
            rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
            found[table] = sorted((tuple(map(_plain, row)) for row in rows), key=repr)
        # How long a file is depends on how it was made, and is nothing that it says.
        found["meta"] = [row for row in found["meta"] if row[0] != "size_bytes"]
        return found


def _plain(cell: object) -> object:
    return tuple(cell) if isinstance(cell, list) else cell


def split(batch: ImportBatch) -> tuple[list[Identified], list[Identified]]:
    """What runs cite, and the runs."""
    runs = [item for item in batch.manifests if item.kind == "BenchmarkRun"]
    return [item for item in batch.manifests if item.kind != "BenchmarkRun"], runs
