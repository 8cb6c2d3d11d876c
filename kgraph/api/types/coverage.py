"""Coverage: which workloads are measured on which devices, and which are not."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import EvidenceLevel
from kgraph.api.inputs.facet import UnmeasuredCellFacet
from kgraph.api.lazy import LazyFamily, LazyOperation, LazyWorkload
from kgraph.api.resolvers import coverage as resolve
from kgraph.api.resolvers.facets import count_by
from kgraph.api.types.cohort import Cohort, RankedRun
from kgraph.api.types.measure import FacetCount
from kgraph.catalog import CoverageCell as CoverageCellFact
from kgraph.catalog import CoverageColumn as CoverageColumnFact
from kgraph.digest import SpecDigest
from kgraph.facts import ChallengeFact, Filter
from kgraph.vocab import Slug


@object_type
class CoverageColumn:
    """A device of a coverage matrix."""

    product: str = plain("Product name, as hardware filters take it.")
    vendor: str = plain("Maker.")
    is_flagship: bool = plain(
        "Whether it stands here as a device that is worth measuring on, measured or not."
    )
    measured_count: int = plain("Workloads of the whole matrix with an eligible run on it.")

    @classmethod
    def from_fact(cls, fact: CoverageColumnFact) -> CoverageColumn:
        """The column as the API shows it."""
        return cls(
            product=fact.product,
            vendor=fact.vendor,
            is_flagship=fact.is_flagship,
            measured_count=fact.measured_count,
        )


@object_type
class CoverageCell:
    """One workload on one device, all protocols and environments together."""

    product: str = plain("The device.")
    measured: bool = plain("Whether there is an eligible run.")
    run_count: int = plain("Runs, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    cohort_count: int = plain("Cohorts; their runs are not comparable with each other.")
    cohort: Cohort | None = plain(
        "The cohort that `best` leads: most eligible runs, then fastest record; null where nothing "
        "is eligible."
    )
    best: RankedRun | None = plain("The run that leads it; null likewise.")
    strongest_evidence: EvidenceLevel | None = plain(
        "Of all eligible runs; null where there is none."
    )
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where there is none."
    )
    age_days: int | None = plain("Whole days since then; null likewise.")
    stale: bool = plain("Whether that is more than 180 days before now.")

    @classmethod
    def from_fact(cls, fact: CoverageCellFact, best: RankedRun | None) -> CoverageCell:
        """The cell as the API shows it."""
        return cls(
            product=fact.product,
            measured=fact.is_measured,
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            cohort_count=fact.cohort_count,
            cohort=None if fact.headline is None else Cohort.from_fact(fact.headline),
            best=best,
            strongest_evidence=fact.strongest_evidence,
            last_observed_at=fact.last_observed_at,
            age_days=None if fact.age is None else fact.age.days,
            stale=fact.is_stale,
        )


@object_type
class CoverageRow:
    """A workload with a cell for each column of its matrix, in their order."""

    cells: list[CoverageCell] = plain("One for each column.", size=8)
    workload: LazyWorkload = linked(resolve.resolve_workload_of_row, "The workload.")
    workload_digest: strawberry.Private[SpecDigest]


@object_type
class CoverageConnection(Connection[CoverageRow]):
    """A page of a matrix of workloads and devices: its rows."""

    columns: list[CoverageColumn] = plain(
        "Devices that measured some workload of it, and flagships of this catalogue, by name.",
        size=8,
    )
    cell_count: int = plain("Cells of the whole matrix, whatever the page.")
    measured_count: int = plain("Those with an eligible run.")


@object_type
class UnmeasuredCell:
    """A workload that no eligible run measures on a device, beside cases that some do."""

    product: str = plain("The device, as hardware filters take it.")
    vendor: str = plain("Its maker.")
    neighbour_count: int = plain("Measured neighbours: the two counts that follow, together.")
    product_count: int = plain("Other devices on which the workload is measured.")
    case_count: int = plain(
        "Workloads measured on the device that differ from this one in one axis and nothing else."
    )
    workload: LazyWorkload = linked(resolve.resolve_workload_of_challenge, "The workload.")
    operation: LazyOperation = linked(
        resolve.resolve_operation_of_challenge, "What it is an instance of."
    )
    family: LazyFamily = linked(resolve.resolve_family_of_challenge, "Family of the operation.")
    workload_digest: strawberry.Private[SpecDigest]
    operation_digest: strawberry.Private[SpecDigest]
    family_slug: strawberry.Private[Slug]

    @classmethod
    def from_fact(cls, fact: ChallengeFact) -> UnmeasuredCell:
        """The cell as the API shows it."""
        return cls(
            product=fact.product,
            vendor=fact.vendor,
            neighbour_count=fact.neighbour_count,
            product_count=fact.product_count,
            case_count=fact.case_count,
            workload_digest=fact.workload,
            operation_digest=fact.operation,
            family_slug=fact.family,
        )


@object_type
class UnmeasuredCellConnection(Connection[UnmeasuredCell]):
    """A page of what nobody measured."""

    facets: list[FacetCount] = linked(
        count_by("challenges", UnmeasuredCellFacet),
        "How many cells share a value of one field.",
        size=20,
    )
    where: strawberry.Private[Filter | None]
