"""End-to-end serving measurements, never ranked beside kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.facts.run import MeasurementFact
    from kgraph.vocab import CohortKey, Slug


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
