"""Frozen rows that index hands to policy, and policy's verdicts that index keeps.

Plain fields only: no pydantic, no database, no file. A fact says what is stored or counted; a
verdict
says what a named policy version made of it. Sequences are tuples; absence is None, its meaning
beside it.
Times are timezone-aware UTC datetimes. `value` fields are floats in the unit beside them: integer
nanoseconds to 2^53 are exact in a float.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.vocab import (
        AttestationKind,
        BelowFloor,
        Bound,
        CohortKey,
        CorrectionAction,
        EvidenceLevel,
        HeadroomPolicy,
        Kind,
        Profile,
        RecordCause,
        RunStatus,
        SearchKind,
        SearchMatch,
        Slug,
        TimedPass,
    )

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A slice of an ordered list."""

    items: tuple[T, ...]
    cursors: Sequence[str]
    """One opaque cursor an item, bound to snapshot, list, filter and order."""
    total_count: int
    """Length of the whole filtered list, the slice ignored."""
    has_next: bool
    has_previous: bool


@dataclass(frozen=True, slots=True)
class PublicationFact:
    """One entry of the log."""

    sequence: int
    """1 for the first entry of the chain."""
    object_id: ObjectId
    """Also the snapshot: it names the whole catalogue as of this entry."""
    parent: ObjectId | None
    """None for the first entry."""
    source: Slug | None
    """The source whose runs it brought; None where it is the catalogue's own note."""
    published_at: datetime
    published_by: str
    message: str | None
    object_count: int


@dataclass(frozen=True, slots=True)
class ObjectFact:
    """One stored manifest, whatever its kind."""

    object_id: ObjectId
    digest: SpecDigest
    kind: Kind
    name: str
    size_bytes: int
    """Length of its canonical JSON."""
    sequence: int
    """Number of the publication that added it."""
    is_current: bool
    """False where a later object with the same spec digest is shown in its place."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """Where runs come from, and on which terms."""

    slug: Slug
    digest: SpecDigest
    name: str
    kind: str
    """The source's own word: benchmark, leaderboard, runner."""
    url: str | None
    license: str | None
    """As the source writes it; not necessarily SPDX."""
    attribution: str | None
    terms: str | None
    freshness_days: int | None
    run_count: int
    last_observed_at: datetime | None
    """None where no run of it is stored."""


@dataclass(frozen=True, slots=True)
class ProjectFact:
    """A software project that holds implementations."""

    digest: SpecDigest
    slug: Slug
    name: str
    repository: str | None
    homepage: str | None


@dataclass(frozen=True, slots=True)
class AxisFact:
    """A named dimension of an operation."""

    name: str
    role: str
    """variable, constant or derived."""
    value: int | None
    """Given for a constant only."""
    expression: str | None
    """Given for a derived axis only, over other axis names."""


@dataclass(frozen=True, slots=True)
class TensorFact:
    """A declared operand or a concrete tensor."""

    name: str
    dtype: str
    shape: tuple[str | int, ...] | None
    """Axis names or integers; all integers in a workload; None for a scalar operand."""
    layout: str | None = None


@dataclass(frozen=True, slots=True)
class ScalarFact:
    """A scalar argument fixed by a workload."""

    name: str
    dtype: str
    value: float | int | bool | str


@dataclass(frozen=True, slots=True)
class OperationFact:
    """What is computed."""

    digest: SpecDigest
    slug: Slug
    title: str
    description: str | None
    family: Slug
    axes: tuple[AxisFact, ...]
    inputs: tuple[TensorFact, ...]
    outputs: tuple[TensorFact, ...]
    mutation: str
    determinism: str
    expression: str | None
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    run_count: int
    eligible_run_count: int
    last_observed_at: datetime | None
    """Latest eligible observation; None where nothing eligible is stored."""


@dataclass(frozen=True, slots=True)
class WorkloadFact:
    """Exactly which instance of an operation is measured: a case, or a suite of cases."""

    digest: SpecDigest
    operation_digest: SpecDigest
    is_suite: bool
    name: str
    title: str | None
    label: str
    """For people: `vocab = 128256 · hidden = 4096 · tokens = 1024 · bf16`."""
    axes: tuple[tuple[str, int], ...]
    """Given axes by name length, then name; empty for a suite."""
    dtypes: tuple[str, ...]
    """Distinct dtypes of its tensors, sorted."""
    tensors: tuple[TensorFact, ...]
    scalars: tuple[ScalarFact, ...]
    comparator: str
    case_axes: tuple[tuple[tuple[str, int], ...], ...]
    """Axes of each case of a suite, in its order; empty for a case."""
    aggregation_metric: str | None
    aggregation_statistic: str | None


@dataclass(frozen=True, slots=True)
class ImplementationFact:
    """One revision of code that computes an operation."""

    digest: SpecDigest
    operation_digest: SpecDigest
    name: str
    title: str
    description: str | None
    language: str
    version: str | None
    """The revision as its source names it: a release, or a commit; None where unknown."""
    commit: str | None
    repository: str | None
    """Of the revision itself, not of its project."""
    project: ProjectFact | None
    license_declared: str | None
    license_concluded: str | None
    """As the manifest states it; what policy concludes is a verdict."""
    install_kind: str | None
    install_command: str | None
    source_content_digest: str | None
    """Digest of the exact source bytes; None where they are not identified."""
    source_url: str | None
    is_baseline: bool
    """Whether its source labels it `role: baseline`."""
    architectures: tuple[str, ...]
    dtypes: tuple[str, ...]
    authors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProtocolFact:
    """How a run is measured."""

    digest: SpecDigest
    title: str
    harness_name: str
    harness_repository: str | None
    harness_version: str | None
    timer: str | None
    primary_statistic: str
    timed_pass: TimedPass | None
    """None where the protocol does not say."""
    flushes_cache: bool | None
    """Whether caches are flushed before each timed call; None where it says nothing."""
    comparability_family: str | None
    notes: str | None


@dataclass(frozen=True, slots=True)
class HardwareFact:
    """The device of an environment, as its source names it."""

    vendor: str
    product: str
    form_factor: str | None
    architecture: str
    memory_bytes: int | None
    count: int | None
    interconnect: str | None


@dataclass(frozen=True, slots=True)
class EnvironmentFact:
    """Where a run is measured."""

    digest: SpecDigest
    title: str
    hardware: HardwareFact
    software: tuple[tuple[str, str], ...]
    """Name and version of everything the source states, sorted by name."""


@dataclass(frozen=True, slots=True)
class CorrectionFact:
    """A published retraction or supersession of one run."""

    object_id: ObjectId
    run: SpecDigest
    action: CorrectionAction
    replacement: SpecDigest | None
    """The run that takes its place; given for a supersession only."""
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AttestationFact:
    """What a third party states about a run; shown, never evidence."""

    object_id: ObjectId
    run: SpecDigest
    kind: AttestationKind
    statement: str
    by: str
    at: datetime


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
class ImplementationVerdict:
    """What policy says of one implementation on its own."""

    digest: SpecDigest
    license: str | None
    """The concluded SPDX expression; None where none can be concluded."""
    is_permissive: bool
    is_deployable: bool


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
class CountsFact:
    """How much a snapshot holds."""

    families: int
    operations: int
    workloads: int
    implementations: int
    runs: int
    eligible_runs: int
    cohorts: int
    """Cohorts with at least one run, eligible or not."""
    record_events: int
    hardware: int
    """Distinct products measured by kernel runs."""
    serving_runs: int
    sources: int


@dataclass(frozen=True, slots=True)
class SweepPointFact:
    """One run on a sweep along an axis."""

    axis_value: int
    workload: SpecDigest
    implementation: SpecDigest
    run: SpecDigest
    value: float


@dataclass(frozen=True, slots=True)
class ServingRunFact:
    """An end-to-end serving measurement; never ranked beside kernels."""

    digest: SpecDigest
    object_id: ObjectId
    title: str
    status: str
    observed_at: datetime
    published_at: datetime
    source: Slug
    cohort: CohortKey
    model: SpecDigest
    model_name: str
    configuration: SpecDigest
    stack: SpecDigest
    stack_version: str | None
    workload: SpecDigest
    workload_name: str
    scenario: str | None
    quality_policy: str | None
    accelerator_vendor: str | None
    accelerator_model: str
    accelerator_count: int
    """Per node."""
    node_count: int
    dtype: str | None
    measurements: tuple[MeasurementFact, ...]


@dataclass(frozen=True, slots=True)
class MeasurementFact:
    """One number a source reports beside or as the primary measurement."""

    metric: str
    statistic: str | None
    unit: str
    value: float
    sample_count: int | None


@dataclass(frozen=True, slots=True)
class MeasuredRecord:
    """The value that a cohort's record holds, and of what."""

    value: float | None
    """None where no record stands."""
    metric: str
    statistic: str | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class HeadroomVerdict:
    """The floor of one cohort under one version of the estimate, without what explains it."""

    policy: HeadroomPolicy
    floor_ns: float | None
    """None where there is no floor; `reason` says why."""
    strict_floor_ns: float | None
    """What no data and no cache can undercut."""
    record_ratio: float | None
    """Record over floor; None without a floor or a record."""
    bound: Bound | None
    """Resource that sets the floor."""
    below_floor: BelowFloor | None
    """What explains a record below the floor; None where it is not below."""
    caveat: str | None
    reason: str | None


class Derivation(Protocol):
    """The policy that an index is built with; handed to index by the rooms above both."""

    @property
    def version(self) -> str:
        """Names of all policy versions in it; an index built under another version is rebuilt."""
        ...

    def judge_run(self, run: RunFact) -> RunVerdict:
        """Eligibility and evidence level of one run."""
        ...

    def judge_implementation(self, implementation: ImplementationFact) -> ImplementationVerdict:
        """Licence and deployability of one implementation."""
        ...

    def judge_profile(self, runs: Sequence[RunFact]) -> Profile:
        """Under whose rules the runs of one cohort were made."""
        ...

    def rank_cohort(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[StandingFact, ...]:
        """Standing of each eligible run of one cohort, in display order."""
        ...

    def derive_records(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[RecordEventFact, ...]:
        """Record events of one cohort, oldest first, over all its runs, corrected ones included."""
        ...

    def judge_headroom(
        self,
        *,
        operation: OperationFact,
        workload: WorkloadFact,
        protocol: ProtocolFact,
        hardware: HardwareFact,
        measured: MeasuredRecord,
    ) -> tuple[HeadroomVerdict, ...]:
        """The floor of one cohort, under each version of the estimate."""
        ...


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with what policy says of it and, where it is eligible, where it stands."""

    run: RunFact
    verdict: RunVerdict
    standing: StandingFact | None
    """None where the run is not eligible."""


@dataclass(frozen=True, slots=True)
class FamilyFact:
    """A family of operations."""

    slug: Slug
    name: str
    operation_count: int
    run_count: int
    eligible_run_count: int
    last_observed_at: datetime | None


@dataclass(frozen=True, slots=True)
class MeasuredHardwareFact:
    """A device product that kernel runs were measured on."""

    product: str
    vendor: str
    architectures: tuple[str, ...]
    form_factors: tuple[str, ...]
    run_count: int
    eligible_run_count: int
    cohort_count: int
    family_count: int
    last_observed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a list's field: `Condition("family", "eq", "gemm")`."""

    field: str
    """A filterable field of the list, by the name that `kgraph.index` documents."""
    operator: str
    """eq, in, contains, gt, gte, lt, lte, is_null."""
    value: str | int | float | bool | datetime | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds where every part holds; where there is none, it holds."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where some part holds; where there is none, it does not hold."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """Holds where its part does not."""

    part: Filter


Filter = Condition | AllOf | AnyOf | Negation


@dataclass(frozen=True, slots=True)
class Order:
    """How a list is sorted; the list's key breaks ties."""

    field: str
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which slice of a list is asked for: `first` after a cursor, or `last` before one."""

    first: int | None = None
    last: int | None = None
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class AggregateFact:
    """Summary of the primary values of a filtered list, one for each metric, statistic and unit."""

    metric: str
    statistic: str | None
    unit: str
    count: int
    minimum: float
    median: float
    maximum: float
    geometric_mean_ratio: float | None
    """Of the ratios to each cohort's leader, over eligible runs; None where there is none."""


@dataclass(frozen=True, slots=True)
class FacetCount:
    """How many items of a filtered list share a value."""

    value: str
    count: int


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
class OpportunityFact:
    """How far the record of a cohort lies above its floor."""

    cohort: CohortKey
    record: SpecDigest
    policy: HeadroomPolicy
    floor_ns: float
    record_ns: float
    record_ratio: float
    """Record over floor: the larger, the more may be left to gain."""
    bound: Bound | None
    below_floor: BelowFloor | None
    """What explains a record below the floor; None where it is not below."""
    caveat: str | None
    """Given where the data may be cache-resident, so that a smaller time is possible."""


@dataclass(frozen=True, slots=True)
class HeadroomCountsFact:
    """How many cohorts have a floor under one version of the estimate, and lie below it."""

    policy: HeadroomPolicy
    cohort_count: int
    floor_count: int
    """Cohorts that have a floor."""
    ratio_count: int
    """Cohorts that have a floor and a standing record."""
    below_counts: tuple[tuple[BelowFloor, int], ...]
    """Records below the floor by what explains them, mildest first; what explains none is left
    out."""
    reason_counts: tuple[tuple[str, int], ...]
    """Why the others have no floor, most frequent first."""


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
