"""The manifests of an import while it grows: each made once, kept in the order of citation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kgraph.importers.liger.manifest import (
    environment_document,
    implementation_document,
    listing_document,
    operation_document,
    project_document,
    protocol_document,
    run_document,
    source_document,
    workload_document,
)
from kgraph.manifest import identify, make_manifest
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from kgraph.canonical import JsonValue
    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.importers.liger.case import Case
    from kgraph.importers.liger.row import SpeedRow
    from kgraph.importers.liger.table import Kernel, LigerTable
    from kgraph.manifest import Identified
    from kgraph.vocab import TimedPass

_ORDER: Final = (
    Kind.SOURCE,
    Kind.SOFTWARE_PROJECT,
    Kind.OPERATION_SPEC,
    Kind.EXECUTION_ENVIRONMENT,
    Kind.BENCHMARK_PROTOCOL,
    Kind.WORKLOAD_CASE,
    Kind.IMPLEMENTATION_REVISION,
    Kind.LISTING,
    Kind.BENCHMARK_RUN,
)
"""A manifest cites only kinds before its own."""


class Drafts:
    """Collects the manifests of runs; what many runs share is made and named once."""

    def __init__(self, table: LigerTable) -> None:
        self._table = table
        self._made: dict[Kind, dict[ObjectId, Identified]] = {kind: {} for kind in _ORDER}
        self._shared: dict[Hashable, SpecDigest] = {}
        self._projects: dict[str, dict[SpecDigest, SpecDigest]] = {}
        self._kernels: dict[str, Kernel] = {}

    @property
    def run_count(self) -> int:
        """Runs collected so far."""
        return len(self._made[Kind.BENCHMARK_RUN])

    def add_run(self, row: SpeedRow, kernel: Kernel, case: Case, external: str) -> None:
        """Collect the run of a row and all that it cites.

        Raises:
            ManifestRefusedError: the row says something that no manifest may hold.
        """
        where = row.place.where()
        document = run_document(
            row,
            kernel,
            case,
            external=external,
            implementation=self._implementation(kernel, row, where),
            workload=self._workload(kernel, case, row, where),
            protocol=self._protocol(kernel, row.timed_pass, where),
            environment=self._environment(row.gpu, where),
        )
        self._make(document, where)

    def in_order(self) -> tuple[Identified, ...]:
        """All manifests, each after those that it cites; within a kind as they came up."""
        if not self.run_count:
            return ()
        self._make(source_document(self._table), "the Source")
        for name, projects in self._projects.items():
            document = listing_document(self._kernels[name], projects.items())
            self._make(document, f"the Listing of {name}")
        return tuple([entry for kind in _ORDER for entry in self._made[kind].values()])

    def _make(self, document: Mapping[str, JsonValue], where: str) -> SpecDigest:
        identified = identify(make_manifest(document, where=where))
        self._made[identified.kind].setdefault(identified.object_id, identified)
        return identified.digest

    def _operation(self, kernel: Kernel, where: str) -> SpecDigest:
        key = (Kind.OPERATION_SPEC, kernel.csv_name)
        if key not in self._shared:
            self._shared[key] = self._make(operation_document(kernel, self._table), where)
            self._kernels[kernel.csv_name] = kernel
        return self._shared[key]

    def _workload(self, kernel: Kernel, case: Case, row: SpeedRow, where: str) -> SpecDigest:
        # The case is a function of these, and they are cheaper to compare than it.
        key = (kernel.csv_name, row.x_name, row.x_value, row.config.canonical)
        if key not in self._shared:
            operation = self._operation(kernel, where)
            self._shared[key] = self._make(workload_document(kernel, case, operation), where)
        return self._shared[key]

    def _implementation(self, kernel: Kernel, row: SpeedRow, where: str) -> SpecDigest:
        name = row.provider
        version = row.liger_version if name in self._table.own_providers else None
        key = (Kind.IMPLEMENTATION_REVISION, kernel.csv_name, name, version)
        if key not in self._shared:
            provider = self._table.providers[name]
            operation = self._operation(kernel, where)
            digest = self._make(
                implementation_document(kernel, name, provider, operation, version=version), where
            )
            project = self._make(project_document(provider.project), where)
            self._projects.setdefault(kernel.csv_name, {})[digest] = project
            self._shared[key] = digest
        return self._shared[key]

    def _protocol(self, kernel: Kernel, mode: TimedPass, where: str) -> SpecDigest:
        key = (Kind.BENCHMARK_PROTOCOL, kernel.csv_name, mode)
        if key not in self._shared:
            self._shared[key] = self._make(protocol_document(kernel, mode, self._table), where)
        return self._shared[key]

    def _environment(self, gpu: str, where: str) -> SpecDigest:
        key = (Kind.EXECUTION_ENVIRONMENT, gpu)
        if key not in self._shared:
            self._shared[key] = self._make(environment_document(gpu, self._table), where)
        return self._shared[key]
