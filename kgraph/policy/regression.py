"""Whether later revisions of one implementation got slower (`regression-v1`).

One series is the eligible runs of one lineage in one cohort, so that every value in it is
comparable with every other; they are walked by (observed at, digest).

* Change points: the level is the median of the runs since the last change point. A run that lies
  above or below the level by more than the threshold begins a new level, unless it and the run
  before it both declare confidence intervals and these overlap. One run suffices: releases are
  seldom measured twice.
* The change: the median of the revision that is asked about against the median of the one before
  it, by first observation. Where no earlier one was measured, its newest run against the median of
  its own earlier ones. Ratios are above 1 where the later value is worse, whatever the metric's
  direction; within the threshold nothing changed, and where both medians are single runs whose
  declared intervals overlap, nothing is known to have changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from kgraph.policy.metric import Direction, find_direction, ratio_of
from kgraph.policy.profile import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.facts import ImplementationFact, RunFact
    from kgraph.vocab import CohortKey

REGRESSION_VERSION = "regression-v1"
"""Name of these rules; other rules get another name beside it."""


class ChangeVerdict(StrEnum):
    """What became of a value from one revision to the next."""

    SLOWER = "SLOWER"
    """Worse by more than the threshold."""
    FASTER = "FASTER"
    """Better by more than the threshold."""
    WITHIN_THRESHOLD = "WITHIN_THRESHOLD"
    WITHIN_NOISE = "WITHIN_NOISE"
    """Beyond the threshold, but the declared intervals of both values overlap."""


@dataclass(frozen=True, slots=True)
class RegressionPoint:
    """One run of a series."""

    run: SpecDigest
    implementation: SpecDigest
    observed_at: datetime
    value: float
    ratio_to_level: float | None
    """To the level before it, above 1 is worse; None for the first run."""
    is_change: bool
    """Whether it begins a new level."""


@dataclass(frozen=True, slots=True)
class RevisionChange:
    """The value of the revision asked about against the one before."""

    before: SpecDigest
    """Implementation that gave the earlier value."""
    after: SpecDigest
    """The same implementation where only the dates differ."""
    before_value: float
    """Median of the earlier runs."""
    after_value: float
    before_run_count: int
    after_run_count: int
    ratio: float
    """Later over earlier, above 1 is worse."""
    verdict: ChangeVerdict


@dataclass(frozen=True, slots=True)
class RegressionSeries:
    """The runs of one lineage in one cohort."""

    cohort: CohortKey
    points: tuple[RegressionPoint, ...]
    """By observation."""
    change: RevisionChange | None
    """None where there is nothing to compare; `reason` says why."""
    reason: str | None


def find_lineage(
    implementation: ImplementationFact, of_operation: Iterable[ImplementationFact]
) -> tuple[ImplementationFact, ...]:
    """The revisions of one piece of code: same operation, same project, same title.

    Without a project the repository stands for it; without either, the implementation is alone,
    since a title by itself is no identity. In the order given.
    """
    home = _find_home(implementation)
    if home is None:
        return (implementation,)
    return tuple(
        other
        for other in of_operation
        if other.operation_digest == implementation.operation_digest
        and other.title == implementation.title
        and _find_home(other) == home
    )


def _find_home(implementation: ImplementationFact) -> str | None:
    project = implementation.project
    return implementation.repository if project is None else project.digest


def derive_series(
    runs: Sequence[RunFact],
    threshold: float,
    *,
    candidate: frozenset[SpecDigest],
    baseline: frozenset[SpecDigest] | None = None,
) -> RegressionSeries:
    """The series of one lineage in one cohort.

    Args:
        runs: its eligible runs there, at least one, in any order.
        threshold: share by which a value may differ and count as unchanged: 0.05 for 5%.
        candidate: the revision that is asked about.
        baseline: what to compare it with, in place of the revision before it.
    """
    ordered = sorted(runs, key=lambda run: (run.observed_at, run.digest))
    first = ordered[0]
    direction = find_direction(first.metric, first.unit)
    if direction is None:
        points = tuple(
            RegressionPoint(
                run.digest, run.implementation, run.observed_at, run.value or 0.0, None, False
            )
            for run in ordered
        )
        unknown = f"It is not known which way {first.metric} goes."
        return RegressionSeries(first.cohort, points, None, unknown)
    points = tuple(_mark_changes(ordered, threshold, direction))
    earlier, later, reason = _split(ordered, candidate, baseline)
    if reason is not None:
        return RegressionSeries(first.cohort, points, None, reason)
    change = _compare(earlier, later, threshold, direction)
    return RegressionSeries(first.cohort, points, change, None)


def _mark_changes(
    ordered: Sequence[RunFact], threshold: float, direction: Direction
) -> Iterable[RegressionPoint]:
    level: list[float] = []
    before: RunFact | None = None
    for run in ordered:
        value = _value_of(run)
        ratio = ratio_of(value, median(level), direction) if level else None
        is_change = (
            ratio is not None
            and _is_beyond(ratio, threshold)
            and not (before is not None and _overlap(before, run))
        )
        if is_change:
            level.clear()
        level.append(value)
        before = run
        yield RegressionPoint(
            run.digest, run.implementation, run.observed_at, value, ratio, is_change
        )


def _split(
    ordered: Sequence[RunFact],
    candidate: frozenset[SpecDigest],
    baseline: frozenset[SpecDigest] | None,
) -> tuple[list[RunFact], list[RunFact], str | None]:
    """The runs to compare, earlier and later; or why there are none."""
    later = [run for run in ordered if run.implementation in candidate]
    if not later:
        return [], later, "The revision that is asked about was not measured here."
    if baseline is not None:
        earlier = [run for run in ordered if run.implementation in baseline - candidate]
        return earlier, later, None if earlier else "The baseline was not measured here."
    # A revision counts from its first observation: measuring an old one again makes it no newer.
    revisions = list(dict.fromkeys(run.implementation for run in ordered))
    place = min(revisions.index(run.implementation) for run in later)
    if place > 0:
        return [run for run in ordered if run.implementation == revisions[place - 1]], later, None
    if len(later) > 1:
        return later[:-1], later[-1:], None
    return [], later, "No earlier revision and no earlier run of this one was measured here."


def _compare(
    earlier: Sequence[RunFact], later: Sequence[RunFact], threshold: float, direction: Direction
) -> RevisionChange:
    before, after = (median(map(_value_of, runs)) for runs in (earlier, later))
    ratio = ratio_of(after, before, direction)
    is_noise = len(earlier) == len(later) == 1 and _overlap(earlier[0], later[0])
    if not _is_beyond(ratio, threshold):
        verdict = ChangeVerdict.WITHIN_THRESHOLD
    elif is_noise:
        verdict = ChangeVerdict.WITHIN_NOISE
    else:
        verdict = ChangeVerdict.SLOWER if ratio > 1 else ChangeVerdict.FASTER
    return RevisionChange(
        before=earlier[-1].implementation,
        after=later[-1].implementation,
        before_value=before,
        after_value=after,
        before_run_count=len(earlier),
        after_run_count=len(later),
        ratio=ratio,
        verdict=verdict,
    )


def _is_beyond(ratio: float, threshold: float) -> bool:
    # Symmetric: what undoes a change is as large as the change.
    return ratio > 1 + threshold or 1 / ratio > 1 + threshold


def _overlap(one: RunFact, other: RunFact) -> bool:
    first, second = interval_of(one), interval_of(other)
    if first is None or second is None:
        return False
    return max(first[0], second[0]) <= min(first[1], second[1])


def _value_of(run: RunFact) -> float:
    assert run.value is not None  # noqa: S101 - an eligible run has a value
    return run.value
