"""Operations and families: what they hold, who is fastest, what is measured where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import ListRequest, build_connection
from kgraph.api.loaders.cohort import CohortLoaders
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.coverage import (
    CoverageCell,
    CoverageColumn,
    CoverageConnection,
    CoverageRow,
)
from kgraph.api.types.hardware import FloorRow, FloorRowConnection, FloorSummary
from kgraph.api.types.implementation import Implementation, ImplementationConnection
from kgraph.api.types.operation import Fastest, LanguageEntry, Operation, OperationConnection, Sweep
from kgraph.api.types.workload import Workload, WorkloadConnection
from kgraph.catalog import (
    Coverage,
    CoverageOwner,
    HardwareComparison,
    SweepChoice,
    slice_sequence,
)
from kgraph.catalog import Fastest as FastestFact
from kgraph.catalog import FloorRow as FloorRowFact
from kgraph.digest import SpecDigest
from kgraph.facts import Page
from kgraph.vocab import HeadroomPolicy, Slug

# By what rows across devices are sorted; see `FloorRowOrderField`.
_FLOOR_FIELDS: dict[str, Callable[[FloorRowFact], Any]] = {
    "product_count": lambda row: len({entry.product for entry in row.entries}),
    "best_ratio": lambda row: min(_ratios(row), default=None),
    "worst_ratio": lambda row: max(_ratios(row), default=None),
    "metric": lambda row: row.metric,
}


class OperationLoaders(CohortLoaders):
    """Relations from operations and families."""

    @cached_property
    def workloads_of_operation(
        self,
    ) -> BatchLoader[tuple[SpecDigest, ListRequest], WorkloadConnection | None]:
        """A page of each operation's workloads."""
        return self._owned_pages(
            self._catalog.load_workload_pages,
            "operation",
            WorkloadConnection,
            self._remembering("workload", Workload.from_fact),
        )

    @cached_property
    def implementations_of_operation(
        self,
    ) -> BatchLoader[tuple[SpecDigest, ListRequest], ImplementationConnection | None]:
        """A page of each operation's implementations."""
        return self._owned_pages(
            self._catalog.load_implementation_pages,
            "operation",
            ImplementationConnection,
            self._remembering("implementation", Implementation.from_fact),
        )

    @cached_property
    def operations_of_family(
        self,
    ) -> BatchLoader[tuple[Slug, ListRequest], OperationConnection | None]:
        """A page of each family's operations."""
        return self._owned_pages(
            self._catalog.load_operation_pages,
            "family",
            OperationConnection,
            self._remembering("operation", Operation.from_fact),
        )

    @cached_property
    def fastest(self) -> BatchLoader[SpecDigest, Fastest | None]:
        """Who is fastest, by operation."""
        return self._by_key(self._catalog.load_fastest, self._make_fastest)

    @cached_property
    def sweeps(self) -> BatchLoader[tuple[SpecDigest, SweepChoice], list[Sweep] | None]:
        """Scaling along an axis, by operation."""
        return self._by_owner(
            self._catalog.load_sweeps, lambda facts: [Sweep.from_fact(fact) for fact in facts]
        )

    @cached_property
    def coverage_of_operation(
        self,
    ) -> BatchLoader[tuple[SpecDigest, ListRequest], CoverageConnection | None]:
        """A page of each operation's coverage; a fixed number of statements for each."""
        return self._coverage("operation")

    @cached_property
    def coverage_of_family(
        self,
    ) -> BatchLoader[tuple[Slug, ListRequest], CoverageConnection | None]:
        """A page of each family's coverage; a fixed number of statements for each."""
        return self._coverage("family")

    def _coverage(self, owner: CoverageOwner) -> BatchLoader[Any, CoverageConnection | None]:
        def load(keys: Iterable[str], asked: ListRequest) -> Mapping[str, Coverage]:
            find = self._catalog.find_coverage
            return {key: find(owner, key, asked.page, asked.order) for key in keys}

        return self._by_owner(load, self._make_coverage)

    def _make_coverage(self, fact: Coverage) -> CoverageConnection:
        return build_connection(
            CoverageConnection,
            fact.rows,
            lambda row: CoverageRow(
                cells=[
                    CoverageCell.from_fact(
                        cell, None if cell.best is None else self.require_ranked(cell.best)
                    )
                    for cell in row.cells
                ],
                workload_digest=row.workload.digest,
            ),
            {
                "columns": [CoverageColumn.from_fact(column) for column in fact.columns],
                "cell_count": fact.cell_count,
                "measured_count": fact.measured_count,
            },
        )

    @cached_property
    def floors_of_operation(
        self,
    ) -> BatchLoader[
        tuple[SpecDigest, tuple[HeadroomPolicy, ListRequest]], FloorRowConnection | None
    ]:
        """A page of each operation across devices; a fixed number of statements for each."""

        def load(
            keys: Iterable[SpecDigest], part: tuple[HeadroomPolicy, ListRequest]
        ) -> Mapping[SpecDigest, tuple[HardwareComparison, Page[FloorRowFact]]]:
            policy, asked = part
            found = {key: self._catalog.compare_hardware(key, policy) for key in keys}
            return {
                key: (
                    compared,
                    slice_sequence(
                        compared.rows,
                        asked.page,
                        (self._catalog.snapshot, "floors", key, policy),
                        asked.order,
                        _FLOOR_FIELDS,
                    ),
                )
                for key, compared in found.items()
            }

        return self._by_owner(
            load,
            lambda found: build_connection(
                FloorRowConnection,
                found[1],
                FloorRow.from_fact,
                {
                    "policy": found[0].policy,
                    "products": [FloorSummary.from_fact(one) for one in found[0].products],
                },
            ),
        )

    def _make_fastest(self, fact: FastestFact) -> Fastest:
        return Fastest(
            cohort=Cohort.from_fact(fact.cohort),
            reported=self.require_ranked(fact.reported),
            deployable=None if fact.deployable is None else self.require_ranked(fact.deployable),
            by_language=[
                LanguageEntry(
                    language=entry.language,
                    entry=self.require_ranked(entry.entry),
                    ratio_to_fastest=entry.ratio_to_fastest,
                )
                for entry in fact.by_language
            ],
        )


def _ratios(row: FloorRowFact) -> list[float]:
    ratios = (entry.headroom.record_ratio for entry in row.entries)
    return [ratio for ratio in ratios if ratio is not None]
