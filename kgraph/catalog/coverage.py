"""Coverage: which workloads of an operation or family are measured on which devices."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.catalog.reader import headline_order
from kgraph.facts import Condition, Page
from kgraph.index import query_measured_cohorts, query_measured_workload_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, timedelta

    from kgraph.catalog.pages import PageReader
    from kgraph.catalog.reader import FactReader
    from kgraph.facts import (
        CohortFact,
        JudgedRun,
        MeasuredCohortFact,
        Order,
        PageRequest,
        WorkloadFact,
    )
    from kgraph.index import CoverageOwner, Index
    from kgraph.vocab import EvidenceLevel


@dataclass(frozen=True, slots=True)
class CoverageColumn:
    """A device of a coverage matrix."""

    product: str
    vendor: str
    is_flagship: bool
    """Whether it stands here as a device that is worth measuring on, measured or not."""
    measured_count: int
    """Workloads of the whole matrix with an eligible run on it."""


@dataclass(frozen=True, slots=True)
class CoverageCell:
    """One workload on one device, all protocols and environments together."""

    product: str
    is_measured: bool
    """Whether there is an eligible run."""
    run_count: int
    eligible_run_count: int
    cohort_count: int
    headline: CohortFact | None
    """The cohort that `best` leads: most eligible runs, then fastest record; None where nothing is
    eligible. Runs of other cohorts are not comparable with it."""
    best: JudgedRun | None
    strongest_evidence: EvidenceLevel | None
    """Of all eligible runs of the cell."""
    last_observed_at: datetime | None
    """Of its eligible runs."""
    age: timedelta | None
    """Time since then, as of now."""
    is_stale: bool
    """Whether the last eligible observation is too old to rely on; False where there is none."""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """A workload with a cell for each column of its matrix, in their order."""

    workload: WorkloadFact
    cells: tuple[CoverageCell, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """A matrix of workloads and devices."""

    columns: tuple[CoverageColumn, ...]
    """Devices that measured some workload of it, and flagships of this catalogue, by name."""
    rows: Page[CoverageRow]
    """Workloads by operation, measured ones first, then by axis values, unless ordered."""
    cell_count: int
    """Of the whole matrix, whatever the page."""
    measured_count: int
    """Cells of the whole matrix with an eligible run."""


def find_coverage(
    index: Index,
    catalog: PageReader,
    owner: CoverageOwner,
    key: str,
    page: PageRequest,
    *,
    order: tuple[Order, ...] = (),
    flagships: Sequence[tuple[str, str]],
    now: datetime,
) -> Coverage:
    """The coverage of one operation or family, by a number of SQL statements that does not grow."""
    counts = {
        product: (vendor, count)
        for product, vendor, count in query_measured_workload_counts(index, owner, key)
    }
    vendors = dict(flagships) | {product: vendor for product, (vendor, _) in counts.items()}
    columns = tuple(
        CoverageColumn(product, vendor, product in dict(flagships), counts.get(product, ("", 0))[1])
        for product, vendor in sorted(vendors.items())
    )
    workloads = catalog.page_workloads(Condition(owner, "eq", key), order, page)
    measured: defaultdict[tuple[str, str], list[MeasuredCohortFact]] = defaultdict(list)
    found = query_measured_cohorts(
        index,
        "workload",
        (workload.digest for workload in workloads.items),
        policy=catalog.policies.ranking,
    )
    for one in found:
        measured[one.cohort.workload, one.product].append(one)
    headlines = {at: _find_headline(cell) for at, cell in measured.items()}
    leaders = catalog.load_runs(
        cohort.record for cohort in headlines.values() if cohort and cohort.record
    )

    def make_cell(workload: WorkloadFact, product: str) -> CoverageCell:
        at = workload.digest, product
        headline = headlines.get(at)
        best = leaders[headline.record] if headline and headline.record else None
        return _make_cell(
            catalog, product, measured.get(at, ()), headline=headline, best=best, now=now
        )

    rows = tuple(
        CoverageRow(workload, tuple(make_cell(workload, column.product) for column in columns))
        for workload in workloads.items
    )
    return Coverage(
        columns,
        Page(
            rows,
            workloads.cursors,
            workloads.total_count,
            workloads.has_next,
            workloads.has_previous,
        ),
        workloads.total_count * len(columns),
        sum(column.measured_count for column in columns),
    )


def _find_headline(cell: Iterable[MeasuredCohortFact]) -> CohortFact | None:
    return min((one.cohort for one in cell if one.cohort.record), key=headline_order, default=None)


def _make_cell(
    catalog: FactReader,
    product: str,
    cell: Sequence[MeasuredCohortFact],
    *,
    headline: CohortFact | None,
    best: JudgedRun | None,
    now: datetime,
) -> CoverageCell:
    cohorts = [one.cohort for one in cell]
    levels = [one.strongest_evidence for one in cell if one.strongest_evidence is not None]
    observed = [cohort.last_observed_at for cohort in cohorts if cohort.last_observed_at]
    last = max(observed, default=None)
    return CoverageCell(
        product=product,
        is_measured=any(cohort.eligible_run_count for cohort in cohorts),
        run_count=sum(cohort.run_count for cohort in cohorts),
        eligible_run_count=sum(cohort.eligible_run_count for cohort in cohorts),
        cohort_count=len(cohorts),
        headline=headline,
        best=best,
        strongest_evidence=max(levels, key=lambda level: level.order, default=None),
        last_observed_at=last,
        age=None if last is None else now - last,
        is_stale=last is not None and catalog.is_stale(last),
    )
