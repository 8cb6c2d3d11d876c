"""What the catalogue answers with where one fact is not enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        CohortFact,
        HardwareFact,
        HeadroomCountsFact,
        JudgedRun,
        OpportunityFact,
        Page,
    )


@dataclass(frozen=True, slots=True)
class PolicyVersions:
    """The rule sets behind every verdict of a snapshot."""

    ranking: str
    headroom: tuple[str, ...]
    deployability: str


@dataclass(frozen=True, slots=True)
class LanguageEntry:
    """The best run in one programming language."""

    language: str
    entry: JudgedRun
    ratio_to_fastest: float


@dataclass(frozen=True, slots=True)
class Fastest:
    """The best of an operation's headline cohort: most eligible runs, then fastest record."""

    cohort: CohortFact
    reported: JudgedRun
    deployable: JudgedRun | None
    """The best that can be used today; None where no run of the cohort can."""
    by_language: tuple[LanguageEntry, ...]
    """Best first."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One run on a sweep."""

    axis_value: int
    workload: SpecDigest
    run: SpecDigest
    value: float


@dataclass(frozen=True, slots=True)
class SweepSeries:
    """One implementation along a sweep."""

    implementation: SpecDigest
    points: tuple[SweepPoint, ...]
    """By axis value; its best eligible run at each."""


@dataclass(frozen=True, slots=True)
class SweepLeader:
    """Who is fastest at one measured value of the axis."""

    axis_value: int
    implementations: tuple[SpecDigest, ...]
    """Sorted; several where their runs tie."""
    run: SpecDigest
    value: float
    """Of the best run."""
    measured_count: int
    """Implementations measured at the value, those with this point alone included."""


@dataclass(frozen=True, slots=True)
class Crossover:
    """Two measured values between which the lead passes on; where between them is not known."""

    below: int
    """Largest measured value at which the earlier leaders still lead, alone or tied."""
    above: int
    """The next measured value."""
    leaders_below: tuple[SpecDigest, ...]
    """Implementations, sorted."""
    leaders_above: tuple[SpecDigest, ...]
    is_confirmed: bool
    """Whether all of them are measured at both values; where not, the lead may pass on only
    because a leader was not measured there."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Measured workloads that differ in one axis only, in one environment under one protocol."""

    axis: str
    held_axes: tuple[tuple[str, int], ...]
    dtypes: tuple[str, ...]
    environment: SpecDigest
    protocol: SpecDigest
    metric: str
    statistic: str | None
    unit: str
    series: tuple[SweepSeries, ...]
    """Each with two points or more."""
    leaders: tuple[SweepLeader, ...] = ()
    """Who leads at each measured value, by axis value; empty where the metric has no known
    direction."""
    crossovers: tuple[Crossover, ...] = ()
    """Where the lead passes from one implementation to another, by axis value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepChoice:
    """Which sweeps of an operation; all that is given must hold."""

    axis: str | None = None
    product: str | None = None
    """Name of the device."""
    protocol: SpecDigest | None = None
    environment: SpecDigest | None = None
    workload: SpecDigest | None = None
    """One that some series has a point of."""

    def takes(self, sweep: Sweep, product: str) -> bool:
        """Whether it is one of them.

        Args:
            product: that the sweep is measured on.
        """
        return (
            self.axis in {None, sweep.axis}
            and self.product in {None, product}
            and self.protocol in {None, sweep.protocol}
            and self.environment in {None, sweep.environment}
            and (
                self.workload is None
                or any(
                    point.workload == self.workload
                    for series in sweep.series
                    for point in series.points
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Challenge:
    """Hardware on which a workload is worth measuring, and is not."""

    hardware: HardwareFact
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """The standing record of a cohort."""

    cohort: CohortFact
    run: JudgedRun
    since: datetime


@dataclass(frozen=True, slots=True)
class HeadroomAudit:
    """What of a catalogue lies below its floor, under one version of the estimate."""

    counts: HeadroomCountsFact
    below: Page[OpportunityFact]
    """Records below their floor, the farthest below first."""
