"""Rank of each eligible run of one cohort (`ranking-v1`).

Dense ranks. Equal values always tie. Outside SOURCE_NATIVE, runs whose declared confidence
intervals overlap tie too, and a chain of ties needs every pair to overlap: groups are formed from
the best value on, and a value joins the group before it only if all their intervals share a point.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kgraph.facts import StandingFact
from kgraph.policy.metric import badness, find_direction, ratio_of
from kgraph.policy.profile import interval_of, judge_profile
from kgraph.vocab import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact, RunVerdict

RANKING_VERSION = "ranking-v1"
"""Name of these rules; other rules get another name beside it."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An eligible run and its value."""

    run: RunFact
    value: float


@dataclass(frozen=True, slots=True)
class _Common:
    """The points that all intervals of a tie share."""

    low: float
    high: float


def rank_cohort(
    runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
) -> tuple[StandingFact, ...]:
    """Standing of each eligible run of one cohort, in display order.

    Args:
        runs: all runs of one cohort, in any order.
        verdicts: of each of them, by digest.

    Returns:
        Empty where none is eligible, or where the metric has no known direction.
    """
    entries = [
        _Entry(run, run.value)
        for run in runs
        if run.value is not None and verdicts[run.digest].is_eligible
    ]
    if not entries:
        return ()
    direction = find_direction(entries[0].run.metric, entries[0].run.unit)
    if direction is None:
        return ()

    entries.sort(key=lambda entry: badness(entry.value, direction))
    leader = entries[0].value
    baseline = next((entry.value for entry in entries if entry.run.is_baseline), None)
    may_overlap = judge_profile(runs) is not Profile.SOURCE_NATIVE

    standings: list[StandingFact] = []
    for rank, tie in enumerate(_form_ties(entries, may_overlap=may_overlap), start=1):
        for entry in _display_order(tie, verdicts):
            standings.append(
                StandingFact(
                    cohort=entry.run.cohort,
                    run=entry.run.digest,
                    rank=rank,
                    is_tied=len(tie) > 1,
                    position=len(standings) + 1,
                    ratio_to_leader=ratio_of(entry.value, leader, direction),
                    speedup_over_baseline=(
                        None if baseline is None else ratio_of(baseline, entry.value, direction)
                    ),
                )
            )
    return tuple(standings)


def _form_ties(entries: list[_Entry], *, may_overlap: bool) -> list[list[_Entry]]:
    """Entries, best value first, grouped into ties."""
    ties: list[list[_Entry]] = []
    shared: _Common | None = None
    for _, group in groupby(entries, key=lambda entry: entry.value):
        block = list(group)
        common = _find_common(block) if may_overlap else None
        joined = _intersect(shared, common)
        if joined is None:
            ties.append(block)
            shared = common
        else:
            ties[-1].extend(block)
            shared = joined
    return ties


def _find_common(block: list[_Entry]) -> _Common | None:
    """What the intervals of all entries share; None where one has none or two do not overlap."""
    intervals = [interval_of(entry.run) for entry in block]
    ends = [interval for interval in intervals if interval is not None]
    if len(ends) < len(block):
        return None
    # Intervals on a line overlap pair by pair exactly when all of them share a point.
    common = _Common(max(low for low, _ in ends), min(high for _, high in ends))
    return common if common.low <= common.high else None


def _intersect(one: _Common | None, other: _Common | None) -> _Common | None:
    if one is None or other is None:
        return None
    common = _Common(max(one.low, other.low), min(one.high, other.high))
    return common if common.low <= common.high else None


def _display_order(tie: list[_Entry], verdicts: Mapping[SpecDigest, RunVerdict]) -> list[_Entry]:
    """Stronger evidence first, then the newer observation, then the digest; never a claim."""
    return sorted(
        tie,
        key=lambda entry: (
            -verdicts[entry.run.digest].evidence.order,
            -entry.run.observed_at.timestamp(),
            entry.run.digest,
        ),
    )
