"""Crossovers: between which measured values of a sweep the lead passes on."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from kgraph.catalog.answers import Crossover, SweepLeader
from kgraph.policy import Direction, find_direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import JudgedRun


def find_crossovers(
    members: Sequence[tuple[int, JudgedRun]],
) -> tuple[tuple[SweepLeader, ...], tuple[Crossover, ...]]:
    """The leaders at each value of one sweep, and where the lead passes on.

    Nothing is interpolated: a crossover names the two neighbouring measured values between which
    it lies. Runs that share a rank lead together, and a lead that is shared does not pass on.

    Args:
        members: Axis value and run of every eligible run on the sweep, in any order.
    """
    first = members[0][1].run
    direction = find_direction(first.metric, first.unit)
    if direction is None:
        return (), ()
    by_value: defaultdict[int, list[JudgedRun]] = defaultdict(list)
    for value, judged in members:
        by_value[value].append(judged)
    leaders = tuple(
        _find_leader(value, runs, direction) for value, runs in sorted(by_value.items())
    )
    measured = {
        value: {judged.run.implementation for judged in runs} for value, runs in by_value.items()
    }
    return leaders, tuple(_find_changes(leaders, measured))


def _find_leader(value: int, runs: Sequence[JudgedRun], direction: Direction) -> SweepLeader:
    sign = -1.0 if direction is Direction.HIGHER else 1.0
    best = min(runs, key=lambda judged: (sign * (judged.run.value or 0.0), judged.run.digest))
    return SweepLeader(
        axis_value=value,
        implementations=tuple(
            sorted({judged.run.implementation for judged in runs if _ties(judged, best)})
        ),
        run=best.run.digest,
        value=best.run.value or 0.0,
        measured_count=len({judged.run.implementation for judged in runs}),
    )


def _ties(judged: JudgedRun, best: JudgedRun) -> bool:
    if judged.run.value == best.run.value:
        return True
    if judged.standing is None or best.standing is None or judged.run.cohort != best.run.cohort:
        return False
    return judged.standing.rank == best.standing.rank


def _find_changes(
    leaders: Sequence[SweepLeader], measured: dict[int, set[SpecDigest]]
) -> list[Crossover]:
    changes: list[Crossover] = []
    # Who has led, alone or tied, at every value since the lead last passed on.
    holders = set(leaders[0].implementations)
    for before, now in pairwise(leaders):
        kept = holders & set(now.implementations)
        if not kept:
            below, above = before.axis_value, now.axis_value
            changes.append(
                Crossover(
                    below=below,
                    above=above,
                    leaders_below=tuple(sorted(holders)),
                    leaders_above=now.implementations,
                    is_confirmed=holders <= measured[above]
                    and measured[below].issuperset(now.implementations),
                )
            )
        holders = kept or set(now.implementations)
    return changes
