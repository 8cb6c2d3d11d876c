"""Runs, what policy says of them, and the cohorts in which they compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.facts.stored import CorrectionFact
    from kgraph.vocab import CohortKey, EvidenceLevel, Profile, RecordCause, RunStatus, Slug


@dataclass(frozen=True, slots=True)
class RunFact:
    """One measurement, with the names of all it depends on; what ranking looks at."""

    digest: SpecDigest
    object_id: ObjectId
    title: str
    status: RunStatus
    observed_at: datetime
    published_at: datetime
    """When its source made it public; the publication's time where no earlier is known."""
    source: Slug
    implementation: SpecDigest
    workload: SpecDigest
    protocol: SpecDigest
    environment: SpecDigest
    operation: SpecDigest
    family: Slug
    cohort: CohortKey
    metric: str
    """`none` where the run has no primary measurement."""
    statistic: str | None
    unit: str | None
    value: float | None
    """Primary measurement; None where the run has none."""
    interval_low: float | None
    """Lower end of the declared 95% confidence interval, in `unit`; None where none is declared."""
    interval_high: float | None
    sample_count: int | None
    has_raw_samples: bool
    has_logs: bool
    has_source_digest: bool
    """Whether its implementation identifies the exact source bytes."""
    has_public_source: bool
    is_baseline: bool
    is_controlled: bool
    """Whether this catalogue's own runner made it."""
    independent_runners: int
    """How many distinct runners have a passing controlled run of the same identity."""
    corrections: tuple[CorrectionFact, ...]
    """Published corrections of this run, oldest first."""


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """What policy says of one run on its own."""

    digest: SpecDigest
    is_eligible: bool
    reasons: tuple[str, ...]
    """Why it is not eligible, or, where it is, the rules that it meets."""
    evidence: EvidenceLevel
    evidence_reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StandingFact:
    """Where an eligible run stands in its cohort under one ranking version."""

    cohort: CohortKey
    run: SpecDigest
    rank: int
    """Dense: equal values share a rank and the next value takes the next integer."""
    is_tied: bool
    position: int
    """Display order, 1 first; inside a tie it is never a claim."""
    ratio_to_leader: float
    """1.0 for the leader; above 1 is worse whatever the metric's direction."""
    speedup_over_baseline: float | None
    """Above 1 is better than the cohort's baseline; None where the cohort has none."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with what policy says of it and, where it is eligible, where it stands."""

    run: RunFact
    verdict: RunVerdict
    standing: StandingFact | None
    """None where the run is not eligible."""


@dataclass(frozen=True, slots=True)
class RecordEventFact:
    """A change of a cohort's record."""

    cohort: CohortKey
    ordinal: int
    """1 for the first event of the cohort."""
    at: datetime
    cause: RecordCause
    policy: str
    run: SpecDigest | None
    """The record after the event; None where a correction left no eligible run."""
    previous_run: SpecDigest | None
    value: float | None
    previous_value: float | None
    improvement_percent: float | None
    """How much better than the previous record, in percent of it; None for a first record."""


@dataclass(frozen=True, slots=True)
class CohortFact:
    """The set of runs that may be compared with each other."""

    key: CohortKey
    operation: SpecDigest
    family: Slug
    workload: SpecDigest
    protocol: SpecDigest
    environment: SpecDigest
    source: Slug
    profile: Profile
    policy: str
    metric: str
    statistic: str | None
    unit: str | None
    run_count: int
    eligible_run_count: int
    last_observed_at: datetime | None
    """Of its eligible runs."""
    record: SpecDigest | None
    """Run that holds the standing record; None where no eligible run is stored."""
    record_value: float | None
    record_since: datetime | None
    record_event_count: int


@dataclass(frozen=True, slots=True)
class SweepPointFact:
    """One run on a sweep along an axis."""

    axis_value: int
    workload: SpecDigest
    implementation: SpecDigest
    run: SpecDigest
    value: float


@dataclass(frozen=True, slots=True)
class MeasurementFact:
    """One number a source reports beside or as the primary measurement."""

    metric: str
    statistic: str | None
    unit: str
    value: float
    sample_count: int | None
