"""Answers over many facts: search, coverage, standings and shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.facts.environment import HardwareFact
    from kgraph.facts.implementation import ProjectFact
    from kgraph.facts.run import CohortFact
    from kgraph.vocab import CohortKey, EvidenceLevel, SearchKind, SearchMatch, Slug


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Something that a text leads to."""

    kind: SearchKind
    key: str
    """Slug of a family or project, digest of an operation or implementation, product of a
    device."""
    name: str
    """As the catalogue shows it; the slug of an operation."""
    match: SearchMatch
    distance: int
    """Letters changed, added, dropped or swapped, for TYPO; for WORD, words that are only begun;
    else 0."""
    run_count: int


@dataclass(frozen=True, slots=True)
class ProjectStandingFact:
    """A project and how much of it the catalogue holds."""

    project: ProjectFact
    implementation_count: int
    operation_count: int
    family_count: int
    run_count: int
    eligible_run_count: int
    record_count: int
    """Cohorts whose standing record is a run of the project."""


@dataclass(frozen=True, slots=True)
class MeasuredCohortFact:
    """A cohort with the device that it was measured on and its strongest evidence."""

    cohort: CohortFact
    product: str
    strongest_evidence: EvidenceLevel | None
    """Of its eligible runs; None where it has none."""


@dataclass(frozen=True, slots=True)
class ChallengeFact:
    """A workload that no eligible run measures on a device, beside cases that some do."""

    workload: SpecDigest
    operation: SpecDigest
    family: Slug
    product: str
    vendor: str
    neighbour_count: int
    """Measured neighbours: `product_count` and `case_count` together."""
    product_count: int
    """Other devices on which the workload is measured."""
    case_count: int
    """Workloads measured on the device that differ from this one in one axis and nothing else."""


@dataclass(frozen=True, slots=True)
class HardwareVariantFact:
    """A device as environments name it, and what was measured on it."""

    hardware: HardwareFact
    environment_count: int
    run_count: int
    eligible_run_count: int


@dataclass(frozen=True, slots=True)
class FamilyShareFact:
    """What of one family some part of the catalogue holds."""

    family: Slug
    operation_count: int
    workload_count: int
    run_count: int
    eligible_run_count: int
    record_count: int
    """Cohorts with a standing record, or, of a project, whose record it holds."""
    last_observed_at: datetime | None
    """Of its eligible runs."""


@dataclass(frozen=True, slots=True)
class RecordHolderFact:
    """How many standing records the runs of one project hold."""

    project_slug: Slug | None
    """None for implementations of no known project."""
    project_name: str | None
    record_count: int


@dataclass(frozen=True, slots=True)
class CohortPlaceFact:
    """Where the best run of one implementation stands in one cohort."""

    implementation: SpecDigest
    cohort: CohortKey
    workload: SpecDigest
    run: SpecDigest
    rank: int
    is_tied: bool
    ratio_to_leader: float
    """1.0 for the leader; above 1 is worse."""
    implementation_count: int
    """Implementations that are ranked in the cohort, this one included."""
    holds_record: bool
    """Whether a run of it is the standing record."""


@dataclass(frozen=True, slots=True)
class HardwareShareFact:
    """What of one product a project holds."""

    product: str
    vendor: str
    run_count: int
    eligible_run_count: int
    record_count: int
    last_observed_at: datetime | None
    """Of its eligible runs."""


@dataclass(frozen=True, slots=True)
class RecipeFact:
    """One way to install implementations of a project."""

    kind: str | None
    command: str
    implementation_count: int


@dataclass(frozen=True, slots=True)
class VersionFact:
    """One version of a project, as its implementations name it, and when it was measured."""

    version: str | None
    """None for implementations that name none."""
    implementation_count: int
    run_count: int
    eligible_run_count: int
    record_count: int
    first_observed_at: datetime | None
    """None where no run of it is stored."""
    last_observed_at: datetime | None
