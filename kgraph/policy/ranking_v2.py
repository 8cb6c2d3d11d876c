"""Rank of each eligible run by the statistics that its evidence allows (`ranking-v2`).

As `ranking-v1`, but outside SOURCE_NATIVE two runs tie unless `difference-v1` tells them apart:
bootstrapped raw samples, else declared intervals, and never less than the minimum practical effect.
A chain of ties needs every pair to tie: groups are formed from the best value on. A pair on which
nothing can be decided is ordered by value, as `ranking-v1` does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kgraph.facts import StandingFact
from kgraph.policy.difference import DifferenceVerdict, RunDifference, Sampled, compare_sampled
from kgraph.policy.metric import badness, find_direction, ratio_of
from kgraph.policy.profile import judge_profile
from kgraph.vocab import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact, RunVerdict

RANKING_V2_VERSION = "ranking-v2"
"""Name of these rules."""


def rank_sampled(
    runs: Sequence[RunFact],
    verdicts: Mapping[SpecDigest, RunVerdict],
    samples: Mapping[SpecDigest, tuple[float, ...]],
    *,
    is_paired: bool = False,
) -> tuple[tuple[StandingFact, ...], tuple[RunDifference | None, ...]]:
    """Standing of each eligible run, and how each compares with the one shown before it.

    Args:
        runs: all runs of one cohort, in any order.
        verdicts: of each of them, by digest.
        samples: raw samples by run; a run without any may be absent.
        is_paired: whether sample i of every run was taken on the same input.

    Returns:
        Standings in display order, and beside each the comparison of the run before it with it;
        None for the first. Both empty where none is eligible or the metric has no known direction.
    """
    eligible = [run for run in runs if run.value is not None and verdicts[run.digest].is_eligible]
    direction = find_direction(eligible[0].metric, eligible[0].unit) if eligible else None
    if direction is None:
        return (), ()
    eligible.sort(key=lambda run: (badness(run.value or 0.0, direction), run.digest))
    sampled = {run.digest: Sampled(run, samples.get(run.digest, ())) for run in eligible}
    is_strict = judge_profile(runs) is not Profile.SOURCE_NATIVE

    def do_tie(one: RunFact, other: RunFact) -> bool:
        if one.value == other.value or not is_strict:
            return one.value == other.value
        found = compare_sampled(sampled[one.digest], sampled[other.digest], is_paired=is_paired)
        return found.verdict is DifferenceVerdict.TIE

    ties: list[list[RunFact]] = []
    for run in eligible:
        if ties and all(do_tie(member, run) for member in ties[-1]):
            ties[-1].append(run)
        else:
            ties.append([run])
    leader = eligible[0].value or 0.0
    baseline = next((run.value for run in eligible if run.is_baseline), None)
    standings: list[StandingFact] = []
    for rank, tie in enumerate(ties, start=1):
        tie.sort(
            key=lambda run: (
                -verdicts[run.digest].evidence.order,
                -run.observed_at.timestamp(),
                run.digest,
            )
        )
        for run in tie:
            value = run.value or 0.0
            standings.append(
                StandingFact(
                    cohort=run.cohort,
                    run=run.digest,
                    rank=rank,
                    is_tied=len(tie) > 1,
                    position=len(standings) + 1,
                    ratio_to_leader=ratio_of(value, leader, direction),
                    speedup_over_baseline=None
                    if baseline is None
                    else ratio_of(baseline, value, direction),
                )
            )
    comparisons: list[RunDifference | None] = [None]
    for before, after in pairwise(standings):
        comparisons.append(
            compare_sampled(sampled[before.run], sampled[after.run], is_paired=is_paired)
        )
    return tuple(standings), tuple(comparisons)
