"""Catalogues to look at through pages: the starter, and one of everything that pages get wrong."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asgi import Client
from build import (
    changed,
    digest_of,
    make_attestation,
    make_correction,
    make_environment,
    make_implementation,
    make_listing,
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
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.applications import Starlette

    from kgraph.digest import SpecDigest

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 9, 1, tzinfo=UTC)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)

COSINE = "liger-distill-cosine-loss"
"""Operation of the reference pages, in the starter catalogue."""

MARKUP = """<script>alert(1)</script> & "double" 'single' <img src=x onerror=alert(2)>"""
ARABIC = "نواة الانتباه السريعة"
EMOJI = "🚀 kernel 🔥👩🏽‍🔬"
LONG = "x" * 200
BAD_ADDRESS = "javascript:alert(3)"

TWINS = (22_674, 47_327)
"""Medians of two runs whose digests begin with the same 8 digits; found by looking."""


def make_app(source: CatalogSource) -> Starlette:
    """The application over a catalogue, at `NOW`."""
    return build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)


@cache
def scratch_folder() -> Path:
    """Where indexes are built; goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="kgraph-pages-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def starter_source() -> CatalogSource:
    """The catalogue that ships with the program."""
    store = open_store(ROOT / "objects")
    folder = scratch_folder() / "starter"
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


@cache
def starter() -> Client:
    """A client of an application over it that nothing else closes."""
    return Client(make_app(starter_source()))


class Hostile:
    """A catalogue of hard cases; what it made is kept by name."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self.names: dict[str, SpecDigest] = {}
        self._make()
        store = memory_store()
        log = Log(store)
        ids = store.put_many(list(self._contents.values()))
        draft = Draft(NOW, "tests", objects=tuple(ids), source=Slug("example-bench"))
        log.append(lambda _: draft)
        folder = scratch_folder() / "hostile"
        source = CatalogSource(log, store, ranking_v1, folder=folder, clock=lambda: NOW)
        self.source = source
        self.client = Client(make_app(source))

    def add(self, value: Mapping[str, Any], **metadata: Any) -> SpecDigest:  # noqa: ANN401 - any JSON value
        """The digest of one manifest more."""
        given = {f"metadata.{key}": item for key, item in metadata.items() if item is not None}
        whole = changed(value, given)
        identified = identify_value(whole, where="test")
        self._contents[identified.object_id] = identified.content
        return identified.digest

    def _make(self) -> None:
        self.add(make_source(license="<b>nobody's</b>", url=BAD_ADDRESS), name="example-bench")
        operation = self.add(make_operation(), name="double", title=MARKUP, description=MARKUP)
        bare = self.add(
            make_operation(semantics={"mutation": "in_place", "determinism": "deterministic"}),
            name="bare",
            title=ARABIC,
        )
        self.add(make_listing({"subject": operation, "tags": ["<i>tag</i>"]}), name="tags")
        crowded = self._workload(operation, 260)
        lonely = self._workload(operation, 1)
        empty = self._workload(operation, 3)
        self.names |= {"crowded": crowded, "lonely": lonely, "empty": empty, "bare": bare}
        project = 'https://example.org/"><script>alert(4)</script>'
        self.add(
            make_project(name=MARKUP, repository=project, homepage=BAD_ADDRESS), name="project"
        )
        titles = [MARKUP, ARABIC, EMOJI, LONG, *(f"kernel {number}" for number in range(256))]
        for number, title in enumerate(titles):
            implementation = self._implementation(operation, title, project, number)
            # Later runs are mostly faster, so that the staircase has many steps.
            median = 1_000_000 - number * 700 + (number % 7) * 900
            name = self._run(implementation, crowded, median, day=number / 4)
            self.names[title] = name
        kernel = self._implementation(operation, "kernel 1", project, 5)
        self.names["alone"] = self._run(kernel, lonely, 5_000, day=1)
        failed = {"status": "compile_error", "timing": None}
        self.names["failed"] = self._run(kernel, lonely, 1, day=2, **failed)
        self.names["retracted"] = self._run(kernel, lonely, 10, day=3)
        self.add(
            make_correction(run=self.names["retracted"], reason=MARKUP, by=MARKUP),
            name="correction",
        )
        self.add(
            make_attestation(run=self.names["alone"], statement=MARKUP, by=ARABIC), name="note"
        )
        for place, median in enumerate(TWINS):
            self.names[f"twin {place}"] = self._run(digest_of("1"), digest_of("2"), median)

    def _workload(self, operation: SpecDigest, rows: int) -> SpecDigest:
        axes = {"rows": rows, "columns": 4096}
        tensors = {name: {"shape": [rows, 4096], "dtype": "bf16"} for name in ("x", "y")}
        value = make_workload(operationSpecDigest=operation, axes=axes, tensors=tensors)
        return self.add(value, name=f"case-{rows}", title=MARKUP if rows == 1 else None)

    def _implementation(
        self, operation: SpecDigest, title: str, project: str, number: int
    ) -> SpecDigest:
        licensing = {"declared": "BSD-2-Clause"} if number % 3 == 0 else {}
        value = make_implementation(
            operation={"specDigest": operation},
            licensing=licensing,
            projectRevision={"repository": project if number in {1, 5} else BAD_ADDRESS},
        )
        value["spec"]["callable"] = {"language": "triton" if number % 2 else "cuda", "path": title}
        return self.add(value, name=f"implementation-{number}", title=title)

    def _run(
        self,
        implementation: str,
        workload: str,
        median: int,
        *,
        day: float = 0.0,
        **spec: Any,  # noqa: ANN401 - any JSON value
    ) -> SpecDigest:
        at = START + timedelta(days=day)
        value = make_run(
            median=median,
            implementationDigest=implementation,
            workloadDigest=workload,
            protocolDigest=self.add(make_protocol(), name="protocol"),
            environmentDigest=self.add(make_environment(), name="environment"),
            observedAt=at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )
        value = changed(value, {f"spec.{key}": item for key, item in spec.items()})
        return self.add(value, name="run", title=f"run of {median}")


@cache
def hostile() -> Hostile:
    """The catalogue of hard cases, made once."""
    return Hostile()
