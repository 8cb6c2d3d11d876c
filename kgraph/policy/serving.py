"""Rank of the runs of one serving cohort by a named objective (`serving-ranking-v1`).

Serving has no one figure that runs are compared by: whoever asks names what matters to them. A
standing is about serving runs of one cohort and one objective alone; it is never put beside one of
kernels, and takes no record.

Dense ranks; equal values tie. Within a tie, display order is newer observation, then digest, and
is never a claim. A run is left out, with every reason that holds, where its source does not hold
it valid, where it is corrected, or where it does not state what the objective asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from kgraph.policy.metric import Direction, badness, is_amount, ratio_of
from kgraph.vocab import CorrectionAction

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import CorrectionFact, ServingRunFact

SERVING_RANKING_VERSION = "serving-ranking-v1"
"""Name of these rules; other rules get another name beside it."""

MISSING_OBJECTIVE_METRIC = "MISSING_OBJECTIVE_METRIC"
"""The run does not state the figure that the objective asks for."""

OBJECTIVE_UNIT_UNKNOWN = "OBJECTIVE_UNIT_UNKNOWN"
"""The run states it in a unit that cannot be compared with the others."""

VALID_STATUS = "valid"


class ServingObjective(StrEnum):
    """What runs of a serving cohort are compared by."""

    OUTPUT_TOKEN_THROUGHPUT = "output_token_throughput"  # noqa: S105 - no password
    """Tokens a second that the whole system gives out, as its source reports them."""
    OUTPUT_TOKEN_THROUGHPUT_PER_ACCELERATOR = "output_token_throughput_per_accelerator"  # noqa: S105 - no password
    """The same, divided by the number of accelerators."""
    TIME_TO_FIRST_TOKEN_P99 = "time_to_first_token_p99"  # noqa: S105 - no password
    """How long the slowest hundredth of requests waits at most for its first token."""
    TIME_PER_OUTPUT_TOKEN_P99 = "time_per_output_token_p99"  # noqa: S105 - no password
    """How long it waits at most for each token after the first."""


@dataclass(frozen=True, slots=True)
class ObjectiveRule:
    """How an objective reads a run."""

    metric: str
    """The metric that it is read from."""
    statistics: tuple[str, ...]
    """Statistics that will do, the best one first."""
    units: tuple[str, ...]
    """Spellings of one unit, the one that answers carry first."""
    direction: Direction
    is_per_accelerator: bool = False


_RATE = ("tokens_s", "tokens/s")
_THROUGHPUT = ("reported", "mean", "median")

_RULES: Mapping[ServingObjective, ObjectiveRule] = {
    ServingObjective.OUTPUT_TOKEN_THROUGHPUT: ObjectiveRule(
        "output_token_throughput_tps", _THROUGHPUT, _RATE, Direction.HIGHER
    ),
    ServingObjective.OUTPUT_TOKEN_THROUGHPUT_PER_ACCELERATOR: ObjectiveRule(
        "output_token_throughput_tps",
        _THROUGHPUT,
        _RATE,
        Direction.HIGHER,
        is_per_accelerator=True,
    ),
    ServingObjective.TIME_TO_FIRST_TOKEN_P99: ObjectiveRule(
        "ttft_ms", ("p99",), ("ms",), Direction.LOWER
    ),
    ServingObjective.TIME_PER_OUTPUT_TOKEN_P99: ObjectiveRule(
        "tpot_ms", ("p99",), ("ms",), Direction.LOWER
    ),
}


@dataclass(frozen=True, slots=True)
class ServingStanding:
    """Where a serving run stands in its cohort under one objective."""

    run: SpecDigest
    rank: int
    """Dense: equal values share a rank and the next value takes the next integer."""
    is_tied: bool
    position: int
    """Display order, 1 first; inside a tie it is never a claim."""
    value: float
    """What it is compared by, in the unit of the ranking."""
    statistic: str
    """Statistic that the value is read from."""
    ratio_to_leader: float
    """1.0 for the leader; above 1 is worse whatever the direction."""


@dataclass(frozen=True, slots=True)
class UnrankedServingRun:
    """A serving run that has no standing."""

    run: SpecDigest
    reasons: tuple[str, ...]
    """Every reason that holds: STATUS_<its status>, RETRACTED, SUPERSEDED,
    MISSING_OBJECTIVE_METRIC, OBJECTIVE_UNIT_UNKNOWN."""


@dataclass(frozen=True, slots=True)
class ServingRanking:
    """The runs of one serving cohort under one objective."""

    objective: ServingObjective
    policy: str
    direction: Direction
    unit: str
    """Of every value; per accelerator where the objective says so."""
    standings: tuple[ServingStanding, ...]
    """In display order."""
    unranked: tuple[UnrankedServingRun, ...]
    """By digest."""


@dataclass(frozen=True, slots=True)
class _Reading:
    run: ServingRunFact
    value: float
    statistic: str


def find_objective_rule(objective: ServingObjective) -> ObjectiveRule:
    """How an objective reads a run."""
    return _RULES[objective]


def rank_serving(
    runs: Sequence[ServingRunFact],
    objective: ServingObjective,
    corrections: Mapping[SpecDigest, Collection[CorrectionFact]],
) -> ServingRanking:
    """Standing of the runs of one serving cohort under one objective.

    Args:
        runs: all runs of one cohort, in any order.
        objective: what they are compared by.
        corrections: published corrections of these runs; absent where a run has none.

    Raises:
        ValueError: the runs are of several cohorts, which must never be compared.
    """
    cohorts = sorted({run.cohort for run in runs})
    if len(cohorts) > 1:
        raise ValueError(f"serving runs: found cohorts {cohorts[0]} and {cohorts[1]}, expected one")
    rule = _RULES[objective]
    readings: list[_Reading] = []
    unranked: list[UnrankedServingRun] = []
    for run in runs:
        reasons = list(_reasons_against(run, corrections.get(run.digest, ())))
        found = _read(run, rule)
        if isinstance(found, str):
            reasons.append(found)
        if reasons:
            unranked.append(UnrankedServingRun(run.digest, tuple(reasons)))
        elif isinstance(found, _Reading):
            readings.append(found)
    unit = rule.units[0] + ("/accelerator" if rule.is_per_accelerator else "")
    return ServingRanking(
        objective=objective,
        policy=SERVING_RANKING_VERSION,
        direction=rule.direction,
        unit=unit,
        standings=tuple(_stand(readings, rule.direction)),
        unranked=tuple(sorted(unranked, key=lambda one: one.run)),
    )


def _stand(readings: list[_Reading], direction: Direction) -> Iterable[ServingStanding]:
    readings.sort(
        key=lambda one: (
            badness(one.value, direction),
            -one.run.observed_at.timestamp(),
            one.run.digest,
        )
    )
    position = 0
    for rank, (value, group) in enumerate(groupby(readings, key=lambda one: one.value), start=1):
        tie = list(group)
        for one in tie:
            position += 1
            yield ServingStanding(
                run=one.run.digest,
                rank=rank,
                is_tied=len(tie) > 1,
                position=position,
                value=value,
                statistic=one.statistic,
                ratio_to_leader=ratio_of(value, readings[0].value, direction),
            )


def _reasons_against(run: ServingRunFact, corrections: Collection[CorrectionFact]) -> Iterable[str]:
    if run.status != VALID_STATUS:
        yield f"STATUS_{run.status.upper()}"
    actions = {correction.action for correction in corrections}
    if CorrectionAction.RETRACT in actions:
        yield "RETRACTED"
    if CorrectionAction.SUPERSEDE in actions:
        yield "SUPERSEDED"


def _read(run: ServingRunFact, rule: ObjectiveRule) -> _Reading | str:
    """What an objective reads from a run, or the code of why it reads nothing."""
    stated = {one.statistic: one for one in reversed(run.measurements) if one.metric == rule.metric}
    found = next((stated[name] for name in rule.statistics if name in stated), None)
    # Every objective is a positive amount; sources write 0 for "not measured".
    if found is None or not is_amount(found.value):
        return MISSING_OBJECTIVE_METRIC
    if found.unit not in rule.units:
        return OBJECTIVE_UNIT_UNKNOWN
    value = found.value
    if rule.is_per_accelerator:
        value /= run.accelerator_count * run.node_count
    return _Reading(run, value, str(found.statistic))
