"""How and where runs are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.vocab import TimedPass


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
