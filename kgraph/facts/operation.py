"""What is computed, and on which instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.vocab import Slug


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
class FamilyFact:
    """A family of operations."""

    slug: Slug
    name: str
    operation_count: int
    run_count: int
    eligible_run_count: int
    last_observed_at: datetime | None
