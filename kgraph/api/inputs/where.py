"""Filters of the lists. Fields of one input must all hold; `and`, `or` and `not` combine inputs.

An attribute is named for the field of the list that it tests; `FIELDS` says where they differ.
"""

from __future__ import annotations

from typing import ClassVar

from kgraph.api.describe import optional, where_type
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
)

_HARDWARE = "By product name, as `NVIDIA A100`."
_OPERATION = "By the operation's slug."
_FAMILY = "By the family's slug."
_SOURCE = "By the source's slug."


@where_type
class FamilyWhere:
    """Which families."""

    slug: StringTest | None = optional("By slug.")
    operation_count: IntTest | None = optional("By number of operations.")
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")
    last_observed_at: DateTimeTest | None = optional("By latest eligible observation.")


@where_type
class OperationWhere:
    """Which operations."""

    digest: DigestTest | None = optional("By spec digest.")
    slug: StringTest | None = optional("By slug.")
    title: StringTest | None = optional("By title.")
    family: StringTest | None = optional(_FAMILY)
    tag: SetTest | None = optional("By tag.")
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")
    last_observed_at: DateTimeTest | None = optional("By latest eligible observation.")


@where_type
class WorkloadWhere:
    """Which workloads."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    digest: DigestTest | None = optional("By spec digest.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    axes: list[AxisTest] | None = optional("By sizes of axes; all must hold, at most 20.")
    dtype: SetTest | None = optional("By an element type among its tensors.")
    shape: SetTest | None = optional(
        "By the shape of a tensor, as `4096x2048`, or of a named one, as `target:4096`."
    )
    suite: BooleanTest | None = optional("Whether it is a suite.")
    label: StringTest | None = optional("By label.")
    comparator: StringTest | None = optional("By how outputs are compared.")
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")


@where_type
class ImplementationWhere:
    """Which implementations."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    digest: DigestTest | None = optional("By spec digest.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    title: StringTest | None = optional("By title.")
    language: StringTest | None = optional("By language, as `triton`.")
    project: StringTest | None = optional("By the project's slug.")
    license: StringTest | None = optional("By concluded SPDX expression.")
    permissive: BooleanTest | None = optional("Whether its licence is permissive.")
    deployable: BooleanTest | None = optional("Whether it can be used today.")
    installable: BooleanTest | None = optional("Whether an install recipe is known.")
    baseline: BooleanTest | None = optional("Whether its source labels it as the baseline.")
    architecture: SetTest | None = optional("By an architecture that it states to support.")
    dtype: SetTest | None = optional("By an element type that it states to support.")
    run_count: IntTest | None = optional("By number of runs.")
    record_count: IntTest | None = optional("By number of standing records.")


@where_type
class RunWhere:
    """Which runs."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    digest: DigestTest | None = optional("By spec digest.")
    cohort: DigestTest | None = optional("By cohort key.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    workload: DigestTest | None = optional("By the workload's spec digest.")
    implementation: DigestTest | None = optional("By the implementation's spec digest.")
    protocol: DigestTest | None = optional("By the protocol's spec digest.")
    environment: DigestTest | None = optional("By the environment's spec digest.")
    source: StringTest | None = optional(_SOURCE)
    status: RunStatusTest | None = optional("By how it ended.")
    eligible: BooleanTest | None = optional("Whether it takes part in ranking.")
    evidence: EvidenceTest | None = optional("By evidence level.")
    stale: BooleanTest | None = optional("Whether it was observed more than 180 days before now.")
    hardware: StringTest | None = optional(_HARDWARE)
    vendor: StringTest | None = optional("By maker of the hardware.")
    architecture: StringTest | None = optional("By architecture of the hardware.")
    language: StringTest | None = optional("By language of the implementation.")
    project: StringTest | None = optional("By slug of the implementation's project.")
    license: StringTest | None = optional("By SPDX expression concluded for the implementation.")
    permissive: BooleanTest | None = optional("Whether that licence is permissive.")
    deployable: BooleanTest | None = optional("Whether the implementation can be used today.")
    metric: StringTest | None = optional("By name of the primary metric.")
    unit: StringTest | None = optional("By unit of the primary measurement.")
    value: FloatTest | None = optional("By primary measurement; compare within one unit only.")
    rank: IntTest | None = optional("By rank in its cohort.")
    baseline: BooleanTest | None = optional("Whether it is a baseline.")
    observed_at: DateTimeTest | None = optional("By when it was measured.")
    published_at: DateTimeTest | None = optional("By when it was made public.")
    title: StringTest | None = optional("By title.")


@where_type
class CohortWhere:
    """Which cohorts."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    key: DigestTest | None = optional("By cohort key.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    workload: DigestTest | None = optional("By the workload's spec digest.")
    protocol: DigestTest | None = optional("By the protocol's spec digest.")
    environment: DigestTest | None = optional("By the environment's spec digest.")
    source: StringTest | None = optional(_SOURCE)
    profile: ProfileTest | None = optional("By profile.")
    metric: StringTest | None = optional("By name of the metric.")
    hardware: StringTest | None = optional(_HARDWARE)
    vendor: StringTest | None = optional("By maker of the hardware.")
    architecture: StringTest | None = optional("By architecture of the hardware.")
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")
    record_event_count: IntTest | None = optional("By number of record events.")
    last_observed_at: DateTimeTest | None = optional("By latest eligible observation.")


@where_type
class RecordWhere:
    """Which records."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    cohort: DigestTest | None = optional("By cohort key.")
    run: DigestTest | None = optional("By spec digest of the run that holds it.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    workload: DigestTest | None = optional("By the workload's spec digest.")
    axes: list[AxisTest] | None = optional(
        "By sizes of the workload's axes; all must hold, at most 20."
    )
    dtype: SetTest | None = optional("By an element type among the workload's tensors.")
    implementation: DigestTest | None = optional("By the implementation's spec digest.")
    environment: DigestTest | None = optional("By the environment's spec digest.")
    source: StringTest | None = optional(_SOURCE)
    hardware: StringTest | None = optional(_HARDWARE)
    vendor: StringTest | None = optional("By maker of the hardware.")
    architecture: StringTest | None = optional("By architecture of the hardware.")
    language: StringTest | None = optional("By language of the implementation.")
    project: StringTest | None = optional("By slug of the implementation's project.")
    license: StringTest | None = optional("By SPDX expression concluded for the implementation.")
    permissive: BooleanTest | None = optional("Whether that licence is permissive.")
    deployable: BooleanTest | None = optional("Whether the implementation can be used today.")
    installable: BooleanTest | None = optional("Whether it has an install recipe.")
    evidence: EvidenceTest | None = optional("By evidence level of the run.")
    stale: BooleanTest | None = optional(
        "Whether the run was observed more than 180 days before now."
    )
    metric: StringTest | None = optional("By name of the metric.")
    value: FloatTest | None = optional("By value; compare within one unit only.")
    since: DateTimeTest | None = optional("By when the record was observed.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs in its cohort.")


@where_type
class RecordEventWhere:
    """Which record events."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    cohort: DigestTest | None = optional("By cohort key.")
    run: DigestTest | None = optional("By spec digest of the run that took the record.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    workload: DigestTest | None = optional("By the workload's spec digest.")
    hardware: StringTest | None = optional(_HARDWARE)
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
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")
    last_observed_at: DateTimeTest | None = optional("By latest eligible observation.")


@where_type
class SourceWhere:
    """Which sources."""

    slug: StringTest | None = optional("By slug.")
    name: StringTest | None = optional("By name.")
    kind: StringTest | None = optional("By the source's own word for what it is.")
    run_count: IntTest | None = optional("By number of runs.")
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
class ProjectWhere:
    """Which projects."""

    slug: StringTest | None = optional("By slug.")
    name: StringTest | None = optional("By name.")
    repository: StringTest | None = optional("By address of its code.")
    implementation_count: IntTest | None = optional("By number of implementations.")
    operation_count: IntTest | None = optional("By number of operations.")
    family_count: IntTest | None = optional("By number of families.")
    run_count: IntTest | None = optional("By number of runs.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs.")
    record_count: IntTest | None = optional("By number of standing records.")


@where_type
class OpportunityWhere:
    """Which records beside their floors."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    cohort: DigestTest | None = optional("By cohort key.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    workload: DigestTest | None = optional("By the workload's spec digest.")
    environment: DigestTest | None = optional("By the environment's spec digest.")
    source: StringTest | None = optional(_SOURCE)
    hardware: StringTest | None = optional(_HARDWARE)
    vendor: StringTest | None = optional("By maker of the hardware.")
    architecture: StringTest | None = optional("By architecture of the hardware.")
    bound: BoundTest | None = optional("By the resource that sets the floor.")
    below_floor: BelowFloorTest | None = optional("By what explains a record below its floor.")
    ratio: FloatTest | None = optional("By record over floor.")
    eligible_run_count: IntTest | None = optional("By number of eligible runs in its cohort.")
    last_observed_at: DateTimeTest | None = optional("By latest eligible observation.")


@where_type
class UnmeasuredCellWhere:
    """Which unmeasured cells."""

    FIELDS: ClassVar = {"operation": "operation_slug"}

    workload: DigestTest | None = optional("By the workload's spec digest.")
    operation: StringTest | None = optional(_OPERATION)
    family: StringTest | None = optional(_FAMILY)
    hardware: StringTest | None = optional(_HARDWARE)
    vendor: StringTest | None = optional("By maker of the hardware.")
    neighbour_count: IntTest | None = optional("By number of measured neighbours.")
    product_count: IntTest | None = optional("By number of other devices that measured it.")
    case_count: IntTest | None = optional("By number of neighbouring workloads measured there.")
