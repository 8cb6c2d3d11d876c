"""Small catalogues, made one run at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from build import (
    changed,
    make_environment,
    make_implementation,
    make_operation,
    make_project,
    make_protocol,
    make_run,
    make_source,
    make_workload,
)

from kgraph.catalog import Catalog, CatalogSource
from kgraph.log import Draft, Log
from kgraph.manifest import identify_value
from kgraph.policy import ranking_v1
from kgraph.store import memory_store
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kgraph.digest import SpecDigest

NOW = datetime(2026, 9, 1, tzinfo=UTC)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
_ARCHITECTURES = {"NVIDIA A100": "sm_80", "NVIDIA H100": "sm_90", "NVIDIA B200": "sm_100"}


class Small:
    """Manifests, each after those that it cites; what is added twice is there once."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._published: set[str] = set()
        self._store = memory_store()
        self._log = Log(self._store)
        self._numbers = count()
        self.add(make_source(), name="example-bench")

    def add(self, value: Mapping[str, Any], **metadata: Any) -> SpecDigest:  # noqa: ANN401 - any JSON value
        """The digest of one manifest more."""
        metadata["name"] = "-".join(metadata["name"].lower().split())
        whole = changed(value, {f"metadata.{key}": item for key, item in metadata.items()})
        identified = identify_value(whole, where="test")
        self._contents[identified.object_id] = identified.content
        return identified.digest

    def operation(self, name: str = "double", **spec: Any) -> SpecDigest:  # noqa: ANN401 - likewise
        """An operation with axes `rows` and `columns`."""
        # The name is no part of what a manifest means; the expression keeps two apart.
        semantics = {"expression": name, "mutation": "none", "determinism": "unspecified"}
        return self.add(make_operation(**{"semantics": semantics} | spec), name=name, title=name)

    def workload(self, operation: SpecDigest, dtype: str = "bf16", **axes: int) -> SpecDigest:
        """A case of an operation."""
        shape = list(axes.values())
        tensors = {name: {"shape": shape, "dtype": dtype} for name in ("x", "y")}
        value = make_workload(operationSpecDigest=operation, axes=axes, tensors=tensors)
        return self.add(value, name="-".join(map(str, shape)))

    def project(self, name: str) -> SpecDigest:
        """A project with a repository of its name."""
        repository = f"https://example.org/{name}"
        return self.add(make_project(name=name, repository=repository), name=name)

    def implementation(
        self,
        operation: SpecDigest,
        title: str = "fast",
        **spec: Any,  # noqa: ANN401 - likewise
    ) -> SpecDigest:
        """An implementation of an operation."""
        value = make_implementation(operation={"specDigest": operation}, **spec)
        value["spec"]["callable"] = {"language": "triton", "path": title}
        return self.add(value, name=title, title=title)

    def environment(self, product: str = "NVIDIA A100", **hardware: Any) -> SpecDigest:  # noqa: ANN401 - likewise
        """A device of which no software is known."""
        stated = {
            "vendor": "nvidia",
            "product": product,
            "architecture": _ARCHITECTURES.get(product, "unknown"),
        }
        return self.add(make_environment(hardware=stated | hardware), name=product)

    def protocol(self, harness: str = "Example harness", **measurement: Any) -> SpecDigest:  # noqa: ANN401 - likewise
        """A protocol that compares by the median."""
        stated = {"timer": "cuda_events", "primaryStatistic": "median"} | measurement
        value = make_protocol(harness={"name": harness}, measurement=stated)
        return self.add(value, name=harness)

    def run(
        self,
        implementation: SpecDigest,
        workload: SpecDigest,
        median: int,
        *,
        day: float = 0.0,
        environment: SpecDigest | None = None,
        protocol: SpecDigest | None = None,
        **spec: Any,  # noqa: ANN401 - likewise
    ) -> SpecDigest:
        """A run, observed `day` days after `START`."""
        at = START + timedelta(days=day)
        value = make_run(
            median=median,
            implementationDigest=implementation,
            workloadDigest=workload,
            protocolDigest=protocol or self.protocol(),
            environmentDigest=environment or self.environment(),
            observedAt=at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )
        value["spec"] |= spec
        title = f"run {next(self._numbers)}"
        return self.add(value, name="run", title=title)

    def publish(self, folder: Path) -> Catalog:
        """A catalogue of all of it, asked at `NOW`."""
        return self.open(folder).current()

    def open(self, folder: Path) -> CatalogSource:
        """All of it, published; what is appended later is there after a refresh."""
        self.append()
        return CatalogSource(self._log, self._store, ranking_v1, folder=folder, clock=lambda: NOW)

    def append(self) -> None:
        """Publish what was added since the last time."""
        fresh = {name: one for name, one in self._contents.items() if name not in self._published}
        ids = self._store.put_many(list(fresh.values()))
        self._published.update(fresh)
        draft = Draft(NOW, "tests", objects=tuple(ids), source=Slug("example-bench"))
        self._log.append(lambda _: draft)
