"""WorkloadCase and WorkloadSuite: exactly which instances of an operation are measured."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kgraph.manifest.base import Artifact, Manifest, Part, SharedVersion
from kgraph.manifest.fields import (
    Count,
    Line,
    Many,
    NotNegative,
    Number,
    Positive,
    Share,
    Short,
    SpecDigestText,
    Whole,
    Word,
)


class TensorData(Part):
    """How the elements of a tensor are made."""

    generator: Word
    """Kind of data, e.g. `random`."""
    seed: Count | None = None
    """Start of the generator."""
    parameters: dict[Word, Number] | None = None
    """What else the generator takes."""
    artifact: Artifact | None = None
    """The elements, where they are kept as a file."""


class WorkloadTensor(Part):
    """A tensor with all sizes fixed."""

    shape: Many[Count]
    """Sizes, outermost first."""
    dtype: Word
    """Element type."""
    strides: Many[Whole] | None = None
    """Strides in elements; unset where the tensor is contiguous or the source does not say."""
    alignment_bytes: Positive | None = None
    """Alignment of the first element, in bytes."""
    data: TensorData | None = None
    """How the elements are made; unset where the source does not say."""


class WorkloadScalar(Part):
    """A scalar argument fixed by the workload."""

    dtype: Word
    """Its type."""
    value: Number | bool | Short
    """Its value."""


class Correctness(Part):
    """When an answer counts as right; part of the cohort key."""

    comparator: Word
    """How answers are compared; `not_asserted` where the source checks nothing."""
    max_absolute_error: NotNegative | None = None
    """Largest absolute error that passes."""
    max_relative_error: NotNegative | None = None
    """Largest relative error that passes."""
    required_matched_ratio: Share | None = None
    """Share of elements that must match."""
    nan_policy: Literal["reject", "exact_match", "ignore"] | None = None
    """What a NaN in the answer means."""
    infinity_policy: Literal["reject", "exact_match", "ignore"] | None = None
    """What an infinity in the answer means."""
    description: Line | None = None
    """In words, where the comparator alone does not say it."""


class Case(Part):
    """Meaning of a WorkloadCase."""

    operation_spec_digest: SpecDigestText
    """Spec digest of the operation."""
    axes: dict[Word, Whole]
    """Size of every variable axis."""
    tensors: dict[Word, WorkloadTensor]
    """Concrete operands by name."""
    scalars: dict[Word, WorkloadScalar] | None = None
    """Scalar arguments by name."""
    correctness: Correctness
    """When an answer counts as right."""


class WorkloadCase(Manifest):
    """One instance of an operation, all sizes fixed."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["WorkloadCase"]
    """Always WorkloadCase."""
    spec: Case
    """Meaning."""


class SuiteCase(Part):
    """One case of a suite, as its source names it."""

    external_id: Short
    """The source's own name of the case."""
    axes: dict[Word, Whole]
    """Sizes of the case."""


class Aggregation(Part):
    """How a suite makes one figure of many."""

    metric: Word
    """What the figure measures, e.g. `latency`."""
    statistic: Word
    """How it is taken over the cases, e.g. `geomean`."""


class Suite(Part):
    """Meaning of a WorkloadSuite."""

    operation_spec_digest: SpecDigestText
    """Spec digest of the operation."""
    cases: Many[SuiteCase] = Field(min_length=1)
    """The cases, in the source's order."""
    correctness: Correctness
    """When an answer counts as right."""
    aggregation: Aggregation
    """How one figure is made of many."""


class WorkloadSuite(Manifest):
    """An ordered set of cases that a source scores as one."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["WorkloadSuite"]
    """Always WorkloadSuite."""
    spec: Suite
    """Meaning."""
