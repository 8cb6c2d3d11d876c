"""Catalogues to look at through widgets: the starter, and one of everything hard to show."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from build import (
    changed,
    make_correction,
    make_environment,
    make_implementation,
    make_operation,
    make_project,
    make_protocol,
    make_run,
    make_source,
    make_workload,
)

from kgraph.catalog import CatalogSource
from kgraph.log import Draft, Log
from kgraph.manifest import identify_value
from kgraph.policy import ranking_v1
from kgraph.store import memory_store, open_store
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.digest import SpecDigest

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 9, 1, tzinfo=UTC)
START = datetime(2026, 6, 1, 12, tzinfo=UTC)

COSINE = "liger-distill-cosine-loss"
"""Operation of the reference pages, in the starter catalogue."""

MARKUP = """<script>alert(1)</script> & "double" 'single' <img src=x onerror=alert(2)>"""
ARABIC = "نواة الانتباه السريعة"
EMOJI = "🚀 kernel 🔥👩🏽‍🔬"
LONG = "x" * 200
BAD_ADDRESS = "javascript:alert(3)"
NEWCOMER = "newcomer"


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="kgraph-widgets-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def starter_source() -> CatalogSource:
    """The catalogue that ships with the program."""
    store = open_store(ROOT / "objects")
    folder = _folder() / "starter"
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


class Hard:
    """A catalogue of hard cases, published in two steps; workloads and runs by name."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self.names: dict[str, SpecDigest] = {}
        self._store = memory_store()
        self._log = Log(self._store)
        self._make()
        self.first_snapshot = self._publish(NOW - timedelta(days=30))
        self._run(self._implementation(NEWCOMER, 9), self.names["hostile"], 50, day=5)
        for run in self._retracted:
            at = "2026-07-01T00:00:00Z"
            value = make_correction(run=run, reason=MARKUP, by=MARKUP, at=at)
            self._add(value, name="correction")
        self._publish(NOW - timedelta(days=1))
        folder = _folder() / "hard"
        self.source = CatalogSource(
            self._log, self._store, ranking_v1, folder=folder, clock=lambda: NOW
        )

    def _publish(self, at: datetime) -> str:
        ids = tuple(self._store.put_many(list(self._contents.values())))
        self._contents.clear()
        draft = Draft(at, "tests", objects=ids, source=Slug("example-bench"))
        entry = self._log.append(lambda _: draft)
        assert entry is not None
        return entry.object_id

    def _add(self, value: Mapping[str, Any], **metadata: Any) -> SpecDigest:  # noqa: ANN401 - any JSON value
        given = {f"metadata.{key}": item for key, item in metadata.items() if item is not None}
        identified = identify_value(changed(value, given), where="test")
        self._contents[identified.object_id] = identified.content
        return identified.digest

    def _make(self) -> None:
        self._add(make_source(license="<b>nobody's</b>", url=BAD_ADDRESS), name="example-bench")
        self._operation = self._add(make_operation(), name="hard", title=MARKUP)
        self._add(
            make_operation(semantics={"mutation": "in_place", "determinism": "deterministic"}),
            name="bare",
            title=ARABIC,
        )
        for number in range(10):
            address = f"https://example.org/{number}" if number % 2 else BAD_ADDRESS
            name = MARKUP if number % 2 else ARABIC
            self._add(make_project(name=name, repository=address), name=f"project-{number}")
        for name, rows in {
            "hostile": 4,
            "crowded": 260,
            "lonely": 1,
            "broken": 2,
            "empty": 3,
            "gone": 5,
        }.items():
            self.names[name] = self._workload(rows)
        for number, title in enumerate((MARKUP, ARABIC, EMOJI, LONG)):
            made = self._implementation(title, number)
            self.names[title] = self._run(
                made, self.names["hostile"], 400 - number * 50, day=number
            )
        # Observed too long ago to be fresh.
        self._run(self._implementation("old", 8), self.names["hostile"], 900, day=-300)
        for number in range(260):
            median = 1_000_000 - number * 700 + (number % 7) * 900
            made = self._implementation(f"kernel {number}", number % 10)
            self._run(made, self.names["crowded"], median, day=number / 4)
        kernel = self._implementation("kernel 1", 1)
        self._run(kernel, self.names["lonely"], 5_000, day=1)
        self._run(kernel, self.names["lonely"], 1, day=2, status="compile_error", timing=None)
        self._retracted = [
            self._run(kernel, self.names[name], 10, day=3) for name in ("lonely", "gone")
        ]
        self._run(kernel, self.names["broken"], 1, day=1, status="compile_error", timing=None)

    def _workload(self, rows: int) -> SpecDigest:
        axes = {"rows": rows, "columns": 4096}
        tensors = {name: {"shape": [rows, 4096], "dtype": "bf16"} for name in ("x", "y")}
        value = make_workload(operationSpecDigest=self._operation, axes=axes, tensors=tensors)
        return self._add(value, name=f"case-{rows}")

    def _implementation(self, title: str, number: int) -> SpecDigest:
        address = f"https://example.org/{number}" if number % 2 else BAD_ADDRESS
        value = make_implementation(
            operation={"specDigest": self._operation},
            licensing={"declared": "BSD-2-Clause"} if number % 3 == 0 else {},
            projectRevision={"repository": address},
        )
        value["spec"]["callable"] = {"language": "triton" if number % 2 else "cuda", "path": title}
        return self._add(value, name="implementation", title=title)

    def _run(
        self,
        implementation: str,
        workload: str,
        median: int,
        *,
        day: float,
        **spec: Any,  # noqa: ANN401 - any JSON value
    ) -> SpecDigest:
        at = START + timedelta(days=day)
        value = make_run(
            median=median,
            implementationDigest=implementation,
            workloadDigest=workload,
            protocolDigest=self._add(make_protocol(), name="protocol"),
            environmentDigest=self._add(make_environment(), name="environment"),
            observedAt=at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )
        value = changed(value, {f"spec.{key}": item for key, item in spec.items()})
        return self._add(value, name="run", title=f"run of {median}")


@cache
def hard() -> Hard:
    """The catalogue of hard cases, made once."""
    return Hard()
