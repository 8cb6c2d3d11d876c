from datetime import datetime
from typing import Any, Optional

from pydantic import Field

from .base_model import BaseModel
from .enums import (
    AttestationKind,
    AxisRole,
    Bound,
    CorrectionAction,
    DeployabilityReason,
    Determinism,
    EvidenceLevel,
    HeadroomPolicy,
    Match,
    MutationMode,
    Profile,
    RecordCause,
    RunStatus,
)


class CatalogState(BaseModel):
    snapshot: str
    published_at: Optional[datetime] = Field(alias="publishedAt")
    counts: "CatalogStateCounts"
    policies: "CatalogStatePolicies"
    sources: list["CatalogStateSources"]


class CatalogStateCounts(BaseModel):
    families: int
    operations: int
    workloads: int
    implementations: int
    runs: int
    eligible_runs: int = Field(alias="eligibleRuns")
    cohorts: int
    record_events: int = Field(alias="recordEvents")
    hardware: int
    serving_runs: int = Field(alias="servingRuns")
    sources: int


class CatalogStatePolicies(BaseModel):
    ranking: str
    headroom: list[str]
    deployability: str


class CatalogStateSources(BaseModel):
    slug: str
    name: str
    license: Optional[str]
    run_count: int = Field(alias="runCount")
    last_observed_at: Optional[datetime] = Field(alias="lastObservedAt")


class HeadroomPart(BaseModel):
    policy: HeadroomPolicy
    floor_ns: Optional[float] = Field(alias="floorNs")
    display: Optional[str]
    bound: Optional[Bound]
    memory_floor_ns: Optional[float] = Field(alias="memoryFloorNs")
    compute_floor_ns: Optional[float] = Field(alias="computeFloorNs")
    bytes_: Optional[int] = Field(alias="bytes")
    flops: Optional[int]
    record_ratio: Optional[float] = Field(alias="recordRatio")
    assumptions: list[str]
    caveat: Optional[str]
    reason: Optional[str]
    hardware_source: Optional["HeadroomPartHardwareSource"] = Field(
        alias="hardwareSource"
    )


class HeadroomPartHardwareSource(BaseModel):
    url: str


class ImplementationPart(BaseModel):
    digest: str
    title: str
    language: str
    revision: Optional[str]
    project: Optional["ImplementationPartProject"]
    license: "ImplementationPartLicense"
    install: Optional["ImplementationPartInstall"]
    deployability: "ImplementationPartDeployability"


class ImplementationPartProject(BaseModel):
    name: str


class ImplementationPartLicense(BaseModel):
    declared: Optional[str]
    concluded: Optional[str]


class ImplementationPartInstall(BaseModel):
    command: str


class ImplementationPartDeployability(BaseModel):
    eligible: bool
    reasons: list[DeployabilityReason]


class RankedRow(BaseModel):
    rank: int
    tied: bool
    position: int
    value: float
    unit: Optional[str]
    display: str
    ratio_to_leader: float = Field(alias="ratioToLeader")
    speedup_over_baseline: Optional[float] = Field(alias="speedupOverBaseline")
    is_baseline: bool = Field(alias="isBaseline")
    stale: bool
    evidence: "RankedRowEvidence"
    run: "RankedRowRun"


class RankedRowEvidence(BaseModel):
    level: EvidenceLevel


class RankedRowRun(BaseModel):
    digest: str
    title: str
    observed_at: datetime = Field(alias="observedAt")
    implementation: "RankedRowRunImplementation"


class RankedRowRunImplementation(ImplementationPart):
    pass


class OperationPage(BaseModel):
    slug: str
    title: str
    description: Optional[str]
    digest: str
    family: "OperationPageFamily"
    run_count: int = Field(alias="runCount")
    eligible_run_count: int = Field(alias="eligibleRunCount")
    last_observed_at: Optional[datetime] = Field(alias="lastObservedAt")
    semantics: "OperationPageSemantics"
    fastest: Optional["OperationPageFastest"]
    workloads: "OperationPageWorkloads"
    sources: list["OperationPageSources"]


class OperationPageFamily(BaseModel):
    slug: str
    name: str


class OperationPageSemantics(BaseModel):
    determinism: Determinism
    mutation: MutationMode
    expression: Optional[str]
    inputs: list["OperationPageSemanticsInputs"]
    outputs: list["OperationPageSemanticsOutputs"]
    axes: list["OperationPageSemanticsAxes"]


class OperationPageSemanticsInputs(BaseModel):
    name: str
    dtype: str
    shape: Optional[list[str]]


class OperationPageSemanticsOutputs(BaseModel):
    name: str
    dtype: str
    shape: Optional[list[str]]


class OperationPageSemanticsAxes(BaseModel):
    name: str
    role: AxisRole
    expression: Optional[str]
    value: Optional[int]


class OperationPageFastest(BaseModel):
    reported: "OperationPageFastestReported"
    deployable: Optional["OperationPageFastestDeployable"]
    by_language: list["OperationPageFastestByLanguage"] = Field(alias="byLanguage")


class OperationPageFastestReported(RankedRow):
    pass


class OperationPageFastestDeployable(RankedRow):
    pass


class OperationPageFastestByLanguage(BaseModel):
    language: str
    ratio_to_fastest: float = Field(alias="ratioToFastest")
    entry: "OperationPageFastestByLanguageEntry"


class OperationPageFastestByLanguageEntry(RankedRow):
    pass


class OperationPageWorkloads(BaseModel):
    total_count: int = Field(alias="totalCount")
    nodes: list["OperationPageWorkloadsNodes"]


class OperationPageWorkloadsNodes(BaseModel):
    digest: str
    label: str
    axes: list["OperationPageWorkloadsNodesAxes"]
    cohorts: list["OperationPageWorkloadsNodesCohorts"]


class OperationPageWorkloadsNodesAxes(BaseModel):
    name: str
    value: int


class OperationPageWorkloadsNodesCohorts(BaseModel):
    key: str
    profile: Profile
    hardware: "OperationPageWorkloadsNodesCohortsHardware"
    protocol: "OperationPageWorkloadsNodesCohortsProtocol"
    metric: "OperationPageWorkloadsNodesCohortsMetric"
    run_count: int = Field(alias="runCount")
    eligible_run_count: int = Field(alias="eligibleRunCount")
    last_observed_at: Optional[datetime] = Field(alias="lastObservedAt")
    record: Optional["OperationPageWorkloadsNodesCohortsRecord"]
    headroom: Optional["OperationPageWorkloadsNodesCohortsHeadroom"]


class OperationPageWorkloadsNodesCohortsHardware(BaseModel):
    vendor: str
    product: str
    form_factor: Optional[str] = Field(alias="formFactor")
    architecture: str


class OperationPageWorkloadsNodesCohortsProtocol(BaseModel):
    title: str
    primary_statistic: str = Field(alias="primaryStatistic")


class OperationPageWorkloadsNodesCohortsMetric(BaseModel):
    name: str
    statistic: Optional[str]
    unit: Optional[str]


class OperationPageWorkloadsNodesCohortsRecord(RankedRow):
    pass


class OperationPageWorkloadsNodesCohortsHeadroom(HeadroomPart):
    pass


class OperationPageSources(BaseModel):
    slug: str
    name: str
    license: Optional[str]


class PagePart(BaseModel):
    has_next_page: bool = Field(alias="hasNextPage")
    end_cursor: Optional[str] = Field(alias="endCursor")


class RecordEventRow(BaseModel):
    ordinal: int
    at: datetime
    cause: RecordCause
    policy: str
    value: Optional[float]
    previous_value: Optional[float] = Field(alias="previousValue")
    improvement_percent: Optional[float] = Field(alias="improvementPercent")
    cohort: "RecordEventRowCohort"
    run: Optional["RecordEventRowRun"]
    previous_run: Optional["RecordEventRowPreviousRun"] = Field(alias="previousRun")


class RecordEventRowCohort(BaseModel):
    key: str
    operation: "RecordEventRowCohortOperation"
    workload: "RecordEventRowCohortWorkload"
    hardware: "RecordEventRowCohortHardware"


class RecordEventRowCohortOperation(BaseModel):
    slug: str


class RecordEventRowCohortWorkload(BaseModel):
    label: str


class RecordEventRowCohortHardware(BaseModel):
    product: str


class RecordEventRowRun(BaseModel):
    digest: str
    implementation: "RecordEventRowRunImplementation"


class RecordEventRowRunImplementation(BaseModel):
    title: str


class RecordEventRowPreviousRun(BaseModel):
    digest: str
    implementation: "RecordEventRowPreviousRunImplementation"


class RecordEventRowPreviousRunImplementation(BaseModel):
    title: str


class RecordRow(BaseModel):
    value: float
    unit: Optional[str]
    display: str
    since: datetime
    cohort: "RecordRowCohort"
    run: "RecordRowRun"


class RecordRowCohort(BaseModel):
    key: str
    operation: "RecordRowCohortOperation"
    family: "RecordRowCohortFamily"
    workload: "RecordRowCohortWorkload"
    hardware: "RecordRowCohortHardware"
    metric: "RecordRowCohortMetric"
    eligible_run_count: int = Field(alias="eligibleRunCount")


class RecordRowCohortOperation(BaseModel):
    slug: str


class RecordRowCohortFamily(BaseModel):
    slug: str


class RecordRowCohortWorkload(BaseModel):
    digest: str
    label: str


class RecordRowCohortHardware(BaseModel):
    vendor: str
    product: str
    architecture: str


class RecordRowCohortMetric(BaseModel):
    name: str
    statistic: Optional[str]


class RecordRowRun(BaseModel):
    digest: str
    evidence: "RecordRowRunEvidence"
    implementation: "RecordRowRunImplementation"


class RecordRowRunEvidence(BaseModel):
    level: EvidenceLevel


class RecordRowRunImplementation(BaseModel):
    title: str
    language: str
    license: "RecordRowRunImplementationLicense"


class RecordRowRunImplementationLicense(BaseModel):
    concluded: Optional[str]


class ResolutionAnswer(BaseModel):
    match: Match
    policy: str
    operation: Optional["ResolutionAnswerOperation"]
    cohort: Optional["ResolutionAnswerCohort"]
    other_cohorts: list["ResolutionAnswerOtherCohorts"] = Field(alias="otherCohorts")
    best: Optional["ResolutionAnswerBest"]
    best_deployable: Optional["ResolutionAnswerBestDeployable"] = Field(
        alias="bestDeployable"
    )
    alternatives: list["ResolutionAnswerAlternatives"]
    near_matches: list["ResolutionAnswerNearMatches"] = Field(alias="nearMatches")
    bracket: Optional["ResolutionAnswerBracket"]
    unresolved: list["ResolutionAnswerUnresolved"]


class ResolutionAnswerOperation(BaseModel):
    slug: str
    title: str


class ResolutionAnswerCohort(BaseModel):
    key: str
    workload: "ResolutionAnswerCohortWorkload"
    hardware: "ResolutionAnswerCohortHardware"


class ResolutionAnswerCohortWorkload(BaseModel):
    label: str


class ResolutionAnswerCohortHardware(BaseModel):
    product: str


class ResolutionAnswerOtherCohorts(BaseModel):
    key: str


class ResolutionAnswerBest(RankedRow):
    pass


class ResolutionAnswerBestDeployable(RankedRow):
    pass


class ResolutionAnswerAlternatives(RankedRow):
    pass


class ResolutionAnswerNearMatches(BaseModel):
    compatible: bool
    run: "ResolutionAnswerNearMatchesRun"
    differences: list["ResolutionAnswerNearMatchesDifferences"]


class ResolutionAnswerNearMatchesRun(BaseModel):
    digest: str
    title: str


class ResolutionAnswerNearMatchesDifferences(BaseModel):
    field: str
    requested: str
    observed: Optional[str]


class ResolutionAnswerBracket(BaseModel):
    axis: str
    requested: int
    below: Optional["ResolutionAnswerBracketBelow"]
    above: Optional["ResolutionAnswerBracketAbove"]


class ResolutionAnswerBracketBelow(BaseModel):
    value: int
    display: str
    entry: "ResolutionAnswerBracketBelowEntry"


class ResolutionAnswerBracketBelowEntry(RankedRow):
    pass


class ResolutionAnswerBracketAbove(BaseModel):
    value: int
    display: str
    entry: "ResolutionAnswerBracketAboveEntry"


class ResolutionAnswerBracketAboveEntry(RankedRow):
    pass


class ResolutionAnswerUnresolved(BaseModel):
    field: str
    message: str


class RunPage(BaseModel):
    digest: str
    object_id: str = Field(alias="objectId")
    short_id: str = Field(alias="shortId")
    title: str
    status: RunStatus
    observed_at: datetime = Field(alias="observedAt")
    published_at: datetime = Field(alias="publishedAt")
    stale: bool
    is_baseline: bool = Field(alias="isBaseline")
    labels: list["RunPageLabels"]
    primary: Optional["RunPagePrimary"]
    measurements: list["RunPageMeasurements"]
    eligibility: "RunPageEligibility"
    evidence: "RunPageEvidence"
    correctness: "RunPageCorrectness"
    standing: Optional["RunPageStanding"]
    corrections: list["RunPageCorrections"]
    cohort: "RunPageCohort"
    implementation: "RunPageImplementation"
    workload: "RunPageWorkload"
    operation: "RunPageOperation"
    protocol: "RunPageProtocol"
    environment: "RunPageEnvironment"
    source: "RunPageSource"
    source_native: Optional["RunPageSourceNative"] = Field(alias="sourceNative")
    artifacts: list["RunPageArtifacts"]
    attestations: "RunPageAttestations"
    manifest: Any
    citation: "RunPageCitation"


class RunPageLabels(BaseModel):
    name: str
    value: str


class RunPagePrimary(BaseModel):
    metric: str
    statistic: Optional[str]
    unit: Optional[str]
    value: float
    display: str


class RunPageMeasurements(BaseModel):
    metric: str
    statistic: Optional[str]
    unit: str
    value: float
    display: str
    sample_count: Optional[int] = Field(alias="sampleCount")


class RunPageEligibility(BaseModel):
    eligible: bool
    reasons: list[str]


class RunPageEvidence(BaseModel):
    level: EvidenceLevel
    reasons: list[str]


class RunPageCorrectness(BaseModel):
    comparator: str
    asserted: bool


class RunPageStanding(BaseModel):
    rank: int
    tied: bool
    cohort_size: int = Field(alias="cohortSize")
    ratio_to_leader: float = Field(alias="ratioToLeader")
    speedup_over_baseline: Optional[float] = Field(alias="speedupOverBaseline")
    leader: "RunPageStandingLeader"


class RunPageStandingLeader(BaseModel):
    digest: str


class RunPageCorrections(BaseModel):
    action: CorrectionAction
    reason: str
    by: str
    at: datetime
    replacement: Optional[str]


class RunPageCohort(BaseModel):
    key: str
    profile: Profile
    policy: str


class RunPageImplementation(ImplementationPart):
    pass


class RunPageWorkload(BaseModel):
    digest: str
    label: str
    axes: list["RunPageWorkloadAxes"]
    tensors: list["RunPageWorkloadTensors"]
    scalars: list["RunPageWorkloadScalars"]
    comparator: str


class RunPageWorkloadAxes(BaseModel):
    name: str
    value: int


class RunPageWorkloadTensors(BaseModel):
    name: str
    dtype: str
    shape: Optional[list[int]]


class RunPageWorkloadScalars(BaseModel):
    name: str
    dtype: str
    value: Any


class RunPageOperation(BaseModel):
    slug: str
    title: str


class RunPageProtocol(BaseModel):
    digest: str
    title: str
    primary_statistic: str = Field(alias="primaryStatistic")
    harness: "RunPageProtocolHarness"
    timer: Optional[str]
    comparability_family: Optional[str] = Field(alias="comparabilityFamily")
    notes: Optional[str]


class RunPageProtocolHarness(BaseModel):
    name: str
    repository: Optional[str]
    version: Optional[str]


class RunPageEnvironment(BaseModel):
    digest: str
    hardware: "RunPageEnvironmentHardware"
    software: list["RunPageEnvironmentSoftware"]


class RunPageEnvironmentHardware(BaseModel):
    vendor: str
    product: str
    form_factor: Optional[str] = Field(alias="formFactor")
    architecture: str


class RunPageEnvironmentSoftware(BaseModel):
    name: str
    version: str


class RunPageSource(BaseModel):
    slug: str
    name: str
    license: Optional[str]


class RunPageSourceNative(BaseModel):
    benchmark: Optional[str]
    external_id: Optional[str] = Field(alias="externalId")
    metrics: list["RunPageSourceNativeMetrics"]


class RunPageSourceNativeMetrics(BaseModel):
    name: str
    value: Any


class RunPageArtifacts(BaseModel):
    kind: str
    digest: Optional[str]
    uri: Optional[str]


class RunPageAttestations(BaseModel):
    total_count: int = Field(alias="totalCount")
    nodes: list["RunPageAttestationsNodes"]


class RunPageAttestationsNodes(BaseModel):
    kind: AttestationKind
    statement: str
    by: str
    at: datetime


class RunPageCitation(BaseModel):
    text: str
    bibtex: str
    csl_json: Any = Field(alias="cslJson")
    permalink: str


class RunRow(BaseModel):
    digest: str
    title: str
    status: RunStatus
    observed_at: datetime = Field(alias="observedAt")
    published_at: datetime = Field(alias="publishedAt")
    stale: bool
    is_baseline: bool = Field(alias="isBaseline")
    primary: Optional["RunRowPrimary"]
    eligibility: "RunRowEligibility"
    evidence: "RunRowEvidence"
    standing: Optional["RunRowStanding"]
    cohort: "RunRowCohort"
    operation: "RunRowOperation"
    family: "RunRowFamily"
    workload: "RunRowWorkload"
    implementation: "RunRowImplementation"
    environment: "RunRowEnvironment"
    source: "RunRowSource"


class RunRowPrimary(BaseModel):
    metric: str
    statistic: Optional[str]
    unit: Optional[str]
    value: float
    display: str


class RunRowEligibility(BaseModel):
    eligible: bool


class RunRowEvidence(BaseModel):
    level: EvidenceLevel


class RunRowStanding(BaseModel):
    rank: int
    tied: bool
    cohort_size: int = Field(alias="cohortSize")
    ratio_to_leader: float = Field(alias="ratioToLeader")
    speedup_over_baseline: Optional[float] = Field(alias="speedupOverBaseline")


class RunRowCohort(BaseModel):
    key: str
    profile: Profile


class RunRowOperation(BaseModel):
    slug: str


class RunRowFamily(BaseModel):
    slug: str


class RunRowWorkload(BaseModel):
    digest: str
    label: str


class RunRowImplementation(BaseModel):
    digest: str
    title: str
    language: str


class RunRowEnvironment(BaseModel):
    hardware: "RunRowEnvironmentHardware"


class RunRowEnvironmentHardware(BaseModel):
    vendor: str
    product: str
    architecture: str


class RunRowSource(BaseModel):
    slug: str


class SweepPart(BaseModel):
    axis: str
    held_axes: list["SweepPartHeldAxes"] = Field(alias="heldAxes")
    dtypes: list[str]
    unit: str
    metric: "SweepPartMetric"
    hardware: "SweepPartHardware"
    protocol: "SweepPartProtocol"
    series: list["SweepPartSeries"]


class SweepPartHeldAxes(BaseModel):
    name: str
    value: int


class SweepPartMetric(BaseModel):
    name: str
    statistic: Optional[str]


class SweepPartHardware(BaseModel):
    product: str


class SweepPartProtocol(BaseModel):
    digest: str
    title: str


class SweepPartSeries(BaseModel):
    implementation: "SweepPartSeriesImplementation"
    points: list["SweepPartSeriesPoints"]


class SweepPartSeriesImplementation(BaseModel):
    digest: str
    title: str
    language: str


class SweepPartSeriesPoints(BaseModel):
    axis_value: int = Field(alias="axisValue")
    value: float
    display: str
    run: "SweepPartSeriesPointsRun"
    workload: "SweepPartSeriesPointsWorkload"


class SweepPartSeriesPointsRun(BaseModel):
    digest: str


class SweepPartSeriesPointsWorkload(BaseModel):
    digest: str
