"""Filters of the lists. Fields of one input must all hold; `and`, `or` and `not` combine inputs.

An attribute is named for the field of the list that it tests; `FIELDS` says where they differ.
What several lists are filtered by is written once, in the inputs that begin with an underscore;
these are no types of the API by themselves.
"""

from __future__ import annotations

from typing import ClassVar

from kgraph.api.describe import input_type, optional, where_type
from kgraph.api.inputs.operator import (
    AxisTest,
    BelowFloorTest,
    BooleanTest,
    BoundTest,
    DateTimeTest,
    DigestTest,
    EvidenceTest,
    FloatTest,
    IntTest,
    ProfileTest,
    RecordCauseTest,
    RunStatusTest,
    SetTest,
    SnapshotTest,
    StringTest,
    TimedPassTest,
)

_SOURCE = "By the source's slug."
_RUN_COUNT = "By number of runs."
_ELIGIBLE_COUNT = "By number of eligible runs."
_LAST_OBSERVED = "By latest eligible observation."


@input_type
class _OfOperation:
    """What belongs to an operation."""

    FIELDS: ClassVar = {"operation": "operation_slug", "operation_digest": "operation"}

    operation: StringTest | None = optional("By the operation's slug.")
    operation_digest: DigestTest | None = optional("By the operation's spec digest.")
    family: StringTest | None = optional("By the family's slug.")


@input_type
class _Shaped:
    """What a workload is, or belongs to one."""

    axes: list[AxisTest] | None = optional(
        "By sizes of the workload's axes; all must hold, at most 20."
    )
    dtype: SetTest | None = optional("By an element type among the workload's tensors.")
    shape: SetTest | None = optional(
        "By the shape of a tensor of the workload, as `4096x2048`, or of a named one, as "
        "`target:4096`."
    )


@input_type
class _OfWorkload(_Shaped):
    """What belongs to a workload."""

    workload: DigestTest | None = optional("By the workload's spec digest.")


@input_type
class _OfProtocol:
    """What was measured under a protocol."""

    protocol: DigestTest | None = optional("By the protocol's spec digest.")
    harness: StringTest | None = optional("By name of the protocol's harness.")
    timed_pass: TimedPassTest | None = optional("By the pass that the protocol times.")


@input_type
class _OnHardware:
    """What was measured on a device."""

    environment: DigestTest | None = optional("By the environment's spec digest.")
    hardware: StringTest | None = optional("By product name, as `NVIDIA A100`.")
    vendor: StringTest | None = optional("By maker of the hardware.")
    architecture: StringTest | None = optional("By architecture of the hardware.")


@input_type
class _OfImplementation:
    """What an implementation did."""

    implementation: DigestTest | None = optional("By the implementation's spec digest.")
    language: StringTest | None = optional("By language of the implementation.")
    project: StringTest | None = optional("By slug of the implementation's project.")


@input_type
class _OfUsableImplementation(_OfImplementation):
    """What an implementation did, and whether that can be used."""

    license: StringTest | None = optional("By SPDX expression concluded for the implementation.")
    permissive: BooleanTest | None = optional("Whether that licence is permissive.")
    deployable: BooleanTest | None = optional("Whether the implementation can be used today.")
    installable: BooleanTest | None = optional("Whether it has an install recipe.")
    mismatched: BooleanTest | None = optional(
        "Whether the implementation is of another operation than the workload."
    )


@input_type
class _Measured:
    """What has runs."""

    hardware: StringTest | None = optional("By a product that a run of it was measured on.")
    source: StringTest | None = optional("By the slug of a source that a run of it comes from.")
    run_count: IntTest | None = optional(_RUN_COUNT)
    eligible_run_count: IntTest | None = optional(_ELIGIBLE_COUNT)


@where_type
class FamilyWhere(_Measured):
    """Which families."""

    slug: StringTest | None = optional("By slug.")
    language: StringTest | None = optional("By language of an implementation that was measured.")
    operation_count: IntTest | None = optional("By number of operations.")
    last_observed_at: DateTimeTest | None = optional(_LAST_OBSERVED)


@where_type
class OperationWhere(_Measured):
    """Which operations."""

    digest: DigestTest | None = optional("By spec digest.")
    slug: StringTest | None = optional("By slug.")
    alias: SetTest | None = optional("By another name that finds it.")
    title: StringTest | None = optional("By title.")
    family: StringTest | None = optional("By the family's slug.")
    tag: SetTest | None = optional("By tag.")
    language: StringTest | None = optional("By language of an implementation that was measured.")
    last_observed_at: DateTimeTest | None = optional(_LAST_OBSERVED)


@where_type
class WorkloadWhere(_Measured, _Shaped, _OfOperation):
    """Which workloads."""

    digest: DigestTest | None = optional("By spec digest.")
    suite: BooleanTest | None = optional("Whether it is a suite.")
    label: StringTest | None = optional("By label.")
    comparator: StringTest | None = optional("By how outputs are compared.")
    language: StringTest | None = optional("By language of an implementation that was measured.")


@where_type
class ImplementationWhere(_OfOperation):
    """Which implementations."""

    digest: DigestTest | None = optional("By spec digest.")
    title: StringTest | None = optional("By title.")
    language: StringTest | None = optional("By language, as `triton`.")
    version: StringTest | None = optional("By version of the project.")
    project: StringTest | None = optional("By the project's slug.")
    license: StringTest | None = optional("By concluded SPDX expression.")
    permissive: BooleanTest | None = optional("Whether its licence is permissive.")
    deployable: BooleanTest | None = optional("Whether it can be used today.")
    installable: BooleanTest | None = optional("Whether an install recipe is known.")
    baseline: BooleanTest | None = optional("Whether its source labels it as the baseline.")
    architecture: SetTest | None = optional("By an architecture that it states to support.")
    dtype: SetTest | None = optional("By an element type that it states to support.")
    hardware: StringTest | None = optional("By a product that a run of it was measured on.")
    source: StringTest | None = optional("By the slug of a source that a run of it comes from.")
    run_count: IntTest | None = optional(_RUN_COUNT)
    record_count: IntTest | None = optional("By number of standing records.")


@where_type
class RunWhere(_OfUsableImplementation, _OnHardware, _OfProtocol, _OfWorkload, _OfOperation):
    """Which runs."""

    digest: DigestTest | None = optional("By spec digest.")
    cohort: DigestTest | None = optional("By cohort key.")
    source: StringTest | None = optional(_SOURCE)
    status: RunStatusTest | None = optional("By how it ended.")
    eligible: BooleanTest | None = optional("Whether it takes part in ranking.")
    evidence: EvidenceTest | None = optional("By evidence level.")
    stale: BooleanTest | None = optional("Whether it was observed more than 180 days before now.")
    profile: ProfileTest | None = optional("By profile of its cohort.")
    metric: StringTest | None = optional("By name of the primary metric.")
    statistic: StringTest | None = optional("By statistic of the primary measurement.")
    unit: StringTest | None = optional("By unit of the primary measurement.")
    value: FloatTest | None = optional("By primary measurement; compare within one unit only.")
    rank: IntTest | None = optional("By rank in its cohort.")
    baseline: BooleanTest | None = optional("Whether it is a baseline.")
    observed_at: DateTimeTest | None = optional("By when it was measured.")
    published_at: DateTimeTest | None = optional("By when it was made public.")
    title: StringTest | None = optional("By title.")


@where_type
class CohortWhere(_OnHardware, _OfProtocol, _OfWorkload, _OfOperation):
    """Which cohorts."""

    key: DigestTest | None = optional("By cohort key.")
    source: StringTest | None = optional(_SOURCE)
    profile: ProfileTest | None = optional("By profile.")
    metric: StringTest | None = optional("By name of the metric.")
    unit: StringTest | None = optional("By unit of the metric.")
    implementation: DigestTest | None = optional("By spec digest of an implementation in it.")
    language: StringTest | None = optional("By language of an implementation in it.")
    project: StringTest | None = optional("By slug of the project of an implementation in it.")
    evidence: EvidenceTest | None = optional("By evidence level of a run in it.")
    run_count: IntTest | None = optional(_RUN_COUNT)
    eligible_run_count: IntTest | None = optional(_ELIGIBLE_COUNT)
    record_event_count: IntTest | None = optional("By number of record events.")
    record_value: FloatTest | None = optional(
        "By its standing record; compare within one unit only."
    )
    last_observed_at: DateTimeTest | None = optional(_LAST_OBSERVED)


@where_type
class RecordWhere(_OfUsableImplementation, _OnHardware, _OfProtocol, _OfWorkload, _OfOperation):
    """Which records."""

    cohort: DigestTest | None = optional("By cohort key.")
    run: DigestTest | None = optional("By spec digest of the run that holds it.")
    source: StringTest | None = optional(_SOURCE)
    evidence: EvidenceTest | None = optional("By evidence level of the run.")
    stale: BooleanTest | None = optional(
        "Whether the run was observed more than 180 days before now."
    )
    profile: ProfileTest | None = optional("By profile of its cohort.")
    metric: StringTest | None = optional("By name of the metric.")
    unit: StringTest | None = optional("By unit of the value.")
    value: FloatTest | None = optional("By value; compare within one unit only.")
    since: DateTimeTest | None = optional("By when the record was observed.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs in its cohort.")


@where_type
class RecordEventWhere(_OfImplementation, _OnHardware, _OfWorkload, _OfOperation):
    """Which record events; those that left no run pass no test of its run or implementation."""

    cohort: DigestTest | None = optional("By cohort key.")
    run: DigestTest | None = optional("By spec digest of the run that took the record.")
    protocol: DigestTest | None = optional("By the protocol's spec digest.")
    profile: ProfileTest | None = optional("By profile of the cohort.")
    evidence: EvidenceTest | None = optional("By evidence level of the run.")
    metric: StringTest | None = optional("By name of the metric.")
    source: StringTest | None = optional(_SOURCE)
    cause: RecordCauseTest | None = optional("By why the record changed.")
    at: DateTimeTest | None = optional("By when it happened.")
    ordinal: IntTest | None = optional("By number in its cohort, 1 first.")
    improvement_percent: FloatTest | None = optional("By improvement over the previous record.")


@where_type
class HardwareWhere:
    """Which hardware products."""

    product: StringTest | None = optional("By product name.")
    vendor: StringTest | None = optional("By maker.")
    architecture: SetTest | None = optional("By architecture.")
    form_factor: SetTest | None = optional("By form factor, as `SXM`.")
    family: StringTest | None = optional("By the slug of a family that was measured on it.")
    source: StringTest | None = optional("By the slug of a source that measured on it.")
    run_count: IntTest | None = optional(_RUN_COUNT)
    eligible_run_count: IntTest | None = optional(_ELIGIBLE_COUNT)
    cohort_count: IntTest | None = optional("By number of cohorts.")
    family_count: IntTest | None = optional("By number of families.")
    last_observed_at: DateTimeTest | None = optional(_LAST_OBSERVED)


@where_type
class SourceWhere:
    """Which sources."""

    slug: StringTest | None = optional("By slug.")
    name: StringTest | None = optional("By name.")
    kind: StringTest | None = optional("By the source's own word for what it is.")
    license: StringTest | None = optional("By the licence of its data.")
    family: StringTest | None = optional("By the slug of a family that it measured.")
    hardware: StringTest | None = optional("By a product that it measured on.")
    run_count: IntTest | None = optional(_RUN_COUNT)
    last_observed_at: DateTimeTest | None = optional("By latest observation.")


@where_type
class PublicationWhere:
    """Which publications."""

    FIELDS: ClassVar = {"at": "published_at", "by": "published_by"}

    sequence: IntTest | None = optional("By number in the log.")
    snapshot: SnapshotTest | None = optional("By snapshot.")
    source: StringTest | None = optional(_SOURCE)
    at: DateTimeTest | None = optional("By when it was published.")
    by: StringTest | None = optional("By who published it.")


@where_type
class ServingRunWhere:
    """Which serving runs."""

    FIELDS: ClassVar = {"load": "workload_name", "nodes": "node_count"}

    digest: DigestTest | None = optional("By spec digest.")
    cohort: DigestTest | None = optional("By cohort key.")
    model: StringTest | None = optional("By name of the model.")
    model_digest: DigestTest | None = optional("By spec digest of the model.")
    configuration: DigestTest | None = optional("By spec digest of the configuration.")
    load: StringTest | None = optional("By name of the load.")
    scenario: StringTest | None = optional("By scenario, as `offline`.")
    hardware: StringTest | None = optional("By accelerator product.")
    vendor: StringTest | None = optional("By maker of the accelerator.")
    nodes: IntTest | None = optional("By number of nodes.")
    accelerator_count: IntTest | None = optional("By devices in each node.")
    dtype: StringTest | None = optional("By element type in use.")
    quality_policy: StringTest | None = optional("By accuracy rule.")
    source: StringTest | None = optional(_SOURCE)
    status: StringTest | None = optional("By how it ended.")
    observed_at: DateTimeTest | None = optional("By when it was measured.")


@where_type
class ProjectWhere(_Measured):
    """Which projects."""

    slug: StringTest | None = optional("By slug.")
    name: StringTest | None = optional("By name.")
    repository: StringTest | None = optional("By address of its code.")
    family: StringTest | None = optional("By the slug of a family that a run of it measured.")
    language: StringTest | None = optional("By language of one of its implementations.")
    license: StringTest | None = optional("By SPDX expression of one of its implementations.")
    implementation_count: IntTest | None = optional("By number of implementations.")
    operation_count: IntTest | None = optional("By number of operations.")
    family_count: IntTest | None = optional("By number of families.")
    record_count: IntTest | None = optional("By number of standing records.")


@where_type
class OpportunityWhere(_OnHardware, _OfWorkload, _OfOperation):
    """Which records beside their floors."""

    cohort: DigestTest | None = optional("By cohort key.")
    protocol: DigestTest | None = optional("By the protocol's spec digest.")
    source: StringTest | None = optional(_SOURCE)
    language: StringTest | None = optional("By language of the implementation that holds it.")
    project: StringTest | None = optional("By slug of the project that holds it.")
    bound: BoundTest | None = optional("By the resource that sets the floor.")
    below_floor: BelowFloorTest | None = optional("By what explains a record below its floor.")
    ratio: FloatTest | None = optional("By record over floor.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs in its cohort.")
    last_observed_at: DateTimeTest | None = optional(_LAST_OBSERVED)


@where_type
class UnmeasuredCellWhere(_OfWorkload, _OfOperation):
    """Which unmeasured cells."""

    hardware: StringTest | None = optional("By product name, as `NVIDIA A100`.")
    vendor: StringTest | None = optional("By maker of the hardware.")
    neighbour_count: IntTest | None = optional("By number of measured neighbours.")
    product_count: IntTest | None = optional("By number of other devices that measured it.")
    case_count: IntTest | None = optional("By number of neighbouring workloads measured there.")
