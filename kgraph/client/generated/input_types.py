from datetime import datetime
from typing import Optional

from pydantic import Field

from .base_model import BaseModel
from .enums import (
    EvidenceLevel,
    OrderDirection,
    Profile,
    RecordCause,
    RecordEventOrderField,
    RecordOrderField,
    RunOrderField,
    RunStatus,
    TimedPass,
)


class AxisInput(BaseModel):
    """The size of one axis."""

    name: str
    "Name of the axis, as the operation declares it."
    value: int
    "Its size, 1 or more."


class AxisTest(BaseModel):
    """A test of the size that a workload gives to one axis."""

    eq: Optional[int] = None
    "Equal."
    in_: Optional[list[int]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these, at most 100."
    gt: Optional[int] = None
    "Above."
    gte: Optional[int] = None
    "This or above."
    lt: Optional[int] = None
    "Below."
    lte: Optional[int] = None
    "This or below."
    is_null: Optional[bool] = Field(validation_alias="isNull", serialization_alias="isNull", default=None)
    "Whether it is not known."
    name: str
    "Name of the axis, as `tokens`."


class BooleanTest(BaseModel):
    """A test of a truth value."""

    eq: Optional[bool] = None
    "Equal."


class DateTimeTest(BaseModel):
    """A test of an instant."""

    eq: Optional[datetime] = None
    "At exactly this instant."
    gt: Optional[datetime] = None
    "After."
    gte: Optional[datetime] = None
    "At or after."
    lt: Optional[datetime] = None
    "Before."
    lte: Optional[datetime] = None
    "At or before."
    is_null: Optional[bool] = Field(validation_alias="isNull", serialization_alias="isNull", default=None)
    "Whether it is not known."


class DigestTest(BaseModel):
    """A test of a digest."""

    eq: Optional[str] = None
    "Equal, written out in full."
    in_: Optional[list[str]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these, at most 100."


class EvidenceTest(BaseModel):
    """A test of an evidence level."""

    eq: Optional[EvidenceLevel] = None
    "Equal."
    in_: Optional[list[EvidenceLevel]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these."
    gte: Optional[EvidenceLevel] = None
    "This level or a stronger one."


class FloatTest(BaseModel):
    """A test of a number."""

    eq: Optional[float] = None
    "Equal."
    in_: Optional[list[float]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these, at most 100."
    gt: Optional[float] = None
    "Above."
    gte: Optional[float] = None
    "This or above."
    lt: Optional[float] = None
    "Below."
    lte: Optional[float] = None
    "This or below."
    is_null: Optional[bool] = Field(validation_alias="isNull", serialization_alias="isNull", default=None)
    "Whether it is not known."


class IntTest(BaseModel):
    """A test of an integer."""

    eq: Optional[int] = None
    "Equal."
    in_: Optional[list[int]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these, at most 100."
    gt: Optional[int] = None
    "Above."
    gte: Optional[int] = None
    "This or above."
    lt: Optional[int] = None
    "Below."
    lte: Optional[int] = None
    "This or below."
    is_null: Optional[bool] = Field(validation_alias="isNull", serialization_alias="isNull", default=None)
    "Whether it is not known."


class ProfileTest(BaseModel):
    """A test of a cohort's profile."""

    eq: Optional[Profile] = None
    "Equal."
    in_: Optional[list[Profile]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these."


class RecordCauseTest(BaseModel):
    """A test of why a record changed."""

    eq: Optional[RecordCause] = None
    "Equal."
    in_: Optional[list[RecordCause]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these."


class RecordEventOrder(BaseModel):
    """How record events are sorted."""

    field: RecordEventOrderField
    "The field to sort by."
    direction: OrderDirection = OrderDirection.ASC
    "Which end comes first; ascending where not given."


class RecordEventWhere(BaseModel):
    """Which record events; those that left no run pass no test of its run or implementation."""

    implementation: Optional["DigestTest"] = None
    "By the implementation's spec digest."
    language: Optional["StringTest"] = None
    "By language of the implementation."
    project: Optional["StringTest"] = None
    "By slug of the implementation's project."
    environment: Optional["DigestTest"] = None
    "By the environment's spec digest."
    hardware: Optional["StringTest"] = None
    "By product name, as `NVIDIA A100`."
    vendor: Optional["StringTest"] = None
    "By maker of the hardware."
    architecture: Optional["StringTest"] = None
    "By architecture of the hardware."
    axes: Optional[list["AxisTest"]] = None
    "By sizes of the workload's axes; all must hold, at most 20."
    dtype: Optional["SetTest"] = None
    "By an element type among the workload's tensors."
    shape: Optional["SetTest"] = None
    "By the shape of a tensor of the workload, as `4096x2048`, or of a named one, as `target:4096`."
    workload: Optional["DigestTest"] = None
    "By the workload's spec digest."
    operation: Optional["StringTest"] = None
    "By the operation's slug."
    operation_digest: Optional["DigestTest"] = Field(
        validation_alias="operationDigest", serialization_alias="operationDigest", default=None
    )
    "By the operation's spec digest."
    family: Optional["StringTest"] = None
    "By the family's slug."
    cohort: Optional["DigestTest"] = None
    "By cohort key."
    run: Optional["DigestTest"] = None
    "By spec digest of the run that took the record."
    protocol: Optional["DigestTest"] = None
    "By the protocol's spec digest."
    profile: Optional["ProfileTest"] = None
    "By profile of the cohort."
    evidence: Optional["EvidenceTest"] = None
    "By evidence level of the run."
    metric: Optional["StringTest"] = None
    "By name of the metric."
    source: Optional["StringTest"] = None
    "By the source's slug."
    cause: Optional["RecordCauseTest"] = None
    "By why the record changed."
    at: Optional["DateTimeTest"] = None
    "By when it happened."
    ordinal: Optional["IntTest"] = None
    "By number in its cohort, 1 first."
    improvement_percent: Optional["FloatTest"] = Field(
        validation_alias="improvementPercent", serialization_alias="improvementPercent", default=None
    )
    "By improvement over the previous record."
    and_: Optional[list["RecordEventWhere"]] = Field(validation_alias="and", serialization_alias="and", default=None)
    "All of these hold."
    or_: Optional[list["RecordEventWhere"]] = Field(validation_alias="or", serialization_alias="or", default=None)
    "At least one of these holds."
    not_: Optional["RecordEventWhere"] = Field(validation_alias="not", serialization_alias="not", default=None)
    "This does not hold."


class RecordOrder(BaseModel):
    """How records are sorted."""

    field: RecordOrderField
    "The field to sort by."
    direction: OrderDirection = OrderDirection.ASC
    "Which end comes first; ascending where not given."


class RecordWhere(BaseModel):
    """Which records."""

    implementation: Optional["DigestTest"] = None
    "By the implementation's spec digest."
    language: Optional["StringTest"] = None
    "By language of the implementation."
    project: Optional["StringTest"] = None
    "By slug of the implementation's project."
    license: Optional["StringTest"] = None
    "By SPDX expression concluded for the implementation."
    permissive: Optional["BooleanTest"] = None
    "Whether that licence is permissive."
    deployable: Optional["BooleanTest"] = None
    "Whether the implementation can be used today."
    installable: Optional["BooleanTest"] = None
    "Whether it has an install recipe."
    mismatched: Optional["BooleanTest"] = None
    "Whether the implementation is of another operation than the workload."
    environment: Optional["DigestTest"] = None
    "By the environment's spec digest."
    hardware: Optional["StringTest"] = None
    "By product name, as `NVIDIA A100`."
    vendor: Optional["StringTest"] = None
    "By maker of the hardware."
    architecture: Optional["StringTest"] = None
    "By architecture of the hardware."
    protocol: Optional["DigestTest"] = None
    "By the protocol's spec digest."
    harness: Optional["StringTest"] = None
    "By name of the protocol's harness."
    timed_pass: Optional["TimedPassTest"] = Field(validation_alias="timedPass", serialization_alias="timedPass", default=None)
    "By the pass that the protocol times."
    axes: Optional[list["AxisTest"]] = None
    "By sizes of the workload's axes; all must hold, at most 20."
    dtype: Optional["SetTest"] = None
    "By an element type among the workload's tensors."
    shape: Optional["SetTest"] = None
    "By the shape of a tensor of the workload, as `4096x2048`, or of a named one, as `target:4096`."
    workload: Optional["DigestTest"] = None
    "By the workload's spec digest."
    operation: Optional["StringTest"] = None
    "By the operation's slug."
    operation_digest: Optional["DigestTest"] = Field(
        validation_alias="operationDigest", serialization_alias="operationDigest", default=None
    )
    "By the operation's spec digest."
    family: Optional["StringTest"] = None
    "By the family's slug."
    cohort: Optional["DigestTest"] = None
    "By cohort key."
    run: Optional["DigestTest"] = None
    "By spec digest of the run that holds it."
    source: Optional["StringTest"] = None
    "By the source's slug."
    evidence: Optional["EvidenceTest"] = None
    "By evidence level of the run."
    stale: Optional["BooleanTest"] = None
    "Whether the run was observed more than 180 days before now."
    profile: Optional["ProfileTest"] = None
    "By profile of its cohort."
    metric: Optional["StringTest"] = None
    "By name of the metric."
    unit: Optional["StringTest"] = None
    "By unit of the value."
    value: Optional["FloatTest"] = None
    "By value; compare within one unit only."
    since: Optional["DateTimeTest"] = None
    "By when the record was observed."
    eligible_run_count: Optional["IntTest"] = Field(
        validation_alias="eligibleRunCount", serialization_alias="eligibleRunCount", default=None
    )
    "By number of eligible runs in its cohort."
    and_: Optional[list["RecordWhere"]] = Field(validation_alias="and", serialization_alias="and", default=None)
    "All of these hold."
    or_: Optional[list["RecordWhere"]] = Field(validation_alias="or", serialization_alias="or", default=None)
    "At least one of these holds."
    not_: Optional["RecordWhere"] = Field(validation_alias="not", serialization_alias="not", default=None)
    "This does not hold."


class ResolveInput(BaseModel):
    """A workload on a device, and what would be accepted as an answer."""

    operation: str
    "Slug, alias or digest of an operation, or slug of a family."
    axes: Optional[list["AxisInput"]] = None
    "Sizes of axes; what is left out may be anything."
    dtypes: Optional[list[str]] = None
    "Element types that must all occur, as `bf16`."
    tensors: Optional[list["TensorInput"]] = None
    "What is asked of single tensors."
    hardware: Optional[str] = None
    "Product, device string or architecture; any where left out."
    software: Optional[list["SoftwareInput"]] = None
    "Software that must be in use."
    minimum_evidence: Optional[EvidenceLevel] = Field(
        validation_alias="minimumEvidence", serialization_alias="minimumEvidence", default=None
    )
    "Weakest evidence level that is accepted."
    licenses: Optional[list[str]] = None
    "SPDX identifiers, any of which is accepted; all, unknown ones included, where left out."
    languages: Optional[list[str]] = None
    "Languages, any of which is accepted; all where left out."
    deployable: Optional[bool] = None
    "Whether only what can be used today is accepted."
    permissive: Optional[bool] = None
    "Whether only what has a permissive licence is accepted."
    installable: Optional[bool] = None
    "Whether only what has an install recipe is accepted."


class RunOrder(BaseModel):
    """How runs are sorted."""

    field: RunOrderField
    "The field to sort by."
    direction: OrderDirection = OrderDirection.ASC
    "Which end comes first; ascending where not given."


class RunStatusTest(BaseModel):
    """A test of a run's status."""

    eq: Optional[RunStatus] = None
    "Equal."
    in_: Optional[list[RunStatus]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these."


class RunWhere(BaseModel):
    """Which runs."""

    implementation: Optional["DigestTest"] = None
    "By the implementation's spec digest."
    language: Optional["StringTest"] = None
    "By language of the implementation."
    project: Optional["StringTest"] = None
    "By slug of the implementation's project."
    license: Optional["StringTest"] = None
    "By SPDX expression concluded for the implementation."
    permissive: Optional["BooleanTest"] = None
    "Whether that licence is permissive."
    deployable: Optional["BooleanTest"] = None
    "Whether the implementation can be used today."
    installable: Optional["BooleanTest"] = None
    "Whether it has an install recipe."
    mismatched: Optional["BooleanTest"] = None
    "Whether the implementation is of another operation than the workload."
    environment: Optional["DigestTest"] = None
    "By the environment's spec digest."
    hardware: Optional["StringTest"] = None
    "By product name, as `NVIDIA A100`."
    vendor: Optional["StringTest"] = None
    "By maker of the hardware."
    architecture: Optional["StringTest"] = None
    "By architecture of the hardware."
    protocol: Optional["DigestTest"] = None
    "By the protocol's spec digest."
    harness: Optional["StringTest"] = None
    "By name of the protocol's harness."
    timed_pass: Optional["TimedPassTest"] = Field(validation_alias="timedPass", serialization_alias="timedPass", default=None)
    "By the pass that the protocol times."
    axes: Optional[list["AxisTest"]] = None
    "By sizes of the workload's axes; all must hold, at most 20."
    dtype: Optional["SetTest"] = None
    "By an element type among the workload's tensors."
    shape: Optional["SetTest"] = None
    "By the shape of a tensor of the workload, as `4096x2048`, or of a named one, as `target:4096`."
    workload: Optional["DigestTest"] = None
    "By the workload's spec digest."
    operation: Optional["StringTest"] = None
    "By the operation's slug."
    operation_digest: Optional["DigestTest"] = Field(
        validation_alias="operationDigest", serialization_alias="operationDigest", default=None
    )
    "By the operation's spec digest."
    family: Optional["StringTest"] = None
    "By the family's slug."
    digest: Optional["DigestTest"] = None
    "By spec digest."
    cohort: Optional["DigestTest"] = None
    "By cohort key."
    source: Optional["StringTest"] = None
    "By the source's slug."
    status: Optional["RunStatusTest"] = None
    "By how it ended."
    eligible: Optional["BooleanTest"] = None
    "Whether it takes part in ranking."
    evidence: Optional["EvidenceTest"] = None
    "By evidence level."
    stale: Optional["BooleanTest"] = None
    "Whether it was observed more than 180 days before now."
    profile: Optional["ProfileTest"] = None
    "By profile of its cohort."
    metric: Optional["StringTest"] = None
    "By name of the primary metric."
    statistic: Optional["StringTest"] = None
    "By statistic of the primary measurement."
    unit: Optional["StringTest"] = None
    "By unit of the primary measurement."
    value: Optional["FloatTest"] = None
    "By primary measurement; compare within one unit only."
    rank: Optional["IntTest"] = None
    "By rank in its cohort."
    baseline: Optional["BooleanTest"] = None
    "Whether it is a baseline."
    observed_at: Optional["DateTimeTest"] = Field(validation_alias="observedAt", serialization_alias="observedAt", default=None)
    "By when it was measured."
    published_at: Optional["DateTimeTest"] = Field(validation_alias="publishedAt", serialization_alias="publishedAt", default=None)
    "By when it was made public."
    title: Optional["StringTest"] = None
    "By title."
    and_: Optional[list["RunWhere"]] = Field(validation_alias="and", serialization_alias="and", default=None)
    "All of these hold."
    or_: Optional[list["RunWhere"]] = Field(validation_alias="or", serialization_alias="or", default=None)
    "At least one of these holds."
    not_: Optional["RunWhere"] = Field(validation_alias="not", serialization_alias="not", default=None)
    "This does not hold."


class SetTest(BaseModel):
    """A test of a list of texts."""

    eq: Optional[str] = None
    "The list holds this text."
    in_: Optional[list[str]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "The list holds one of these, at most 100."
    contains: Optional[str] = None
    "One of the list's texts holds this text, letter case does not count."


class SoftwareInput(BaseModel):
    """Software that must be in use."""

    name: str
    "What it is, as `cuda`."
    version: Optional[str] = None
    "Its version; any where left out."


class StringTest(BaseModel):
    """A test of text."""

    eq: Optional[str] = None
    "Equal, letter case counts."
    in_: Optional[list[str]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these, at most 100."
    contains: Optional[str] = None
    "Holds this text, letter case does not count."
    is_null: Optional[bool] = Field(validation_alias="isNull", serialization_alias="isNull", default=None)
    "Whether it is not known."


class TensorInput(BaseModel):
    """What is asked of one tensor; what is left out may be anything."""

    name: str
    "Name of the operand."
    shape: Optional[list[int]] = None
    "Sizes, outermost first."
    dtype: Optional[str] = None
    "Element type, as `bf16`."
    layout: Optional[str] = None
    "Memory layout."


class TimedPassTest(BaseModel):
    """A test of which pass is timed; one that is not stated passes none."""

    eq: Optional[TimedPass] = None
    "Equal."
    in_: Optional[list[TimedPass]] = Field(validation_alias="in", serialization_alias="in", default=None)
    "One of these."
