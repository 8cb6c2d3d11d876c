"""Floors of cohorts, as an index keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgraph.digest import SpecDigest
    from kgraph.vocab import BelowFloor, Bound, CohortKey, HeadroomPolicy


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
