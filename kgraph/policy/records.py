"""Record events of one cohort.

Observations and corrections are walked on one timeline. An observation that is strictly better than
the standing record takes it. A correction of the standing record at its instant hands the record to
the best run observed until then, the earliest holder of that value; a correction of another run
only removes that run from what comes later. Nothing earlier changes; import order never matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.facts import RecordEventFact
from kgraph.policy.eligibility import CORRECTION_REASONS, has_primary_value
from kgraph.policy.metric import Direction, badness, find_direction, is_better
from kgraph.policy.ranking import RANKING_VERSION
from kgraph.vocab import CorrectionAction, RecordCause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact, RunVerdict

_CAUSES = {
    CorrectionAction.RETRACT: RecordCause.RETRACTION,
    CorrectionAction.SUPERSEDE: RecordCause.SUPERSESSION,
}

# Where both fall on one instant, the run is seen before it is corrected.
_SEEN, _CORRECTED = 0, 1


@dataclass(frozen=True, slots=True)
class _Holder:
    """A run that may hold the record."""

    run: RunFact
    value: float


@dataclass(frozen=True, slots=True)
class _Happening:
    """One point of the timeline."""

    at: datetime
    order: int
    tie_breaker: str
    holder: _Holder
    cause: RecordCause


def derive_records(
    runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
) -> tuple[RecordEventFact, ...]:
    """Record events of one cohort, oldest first.

    Args:
        runs: all runs of one cohort, corrected ones included, in any order.
        verdicts: of each of them, by digest. A run enters if it is eligible or would be, had it not
            been corrected.

    Returns:
        Empty where no run enters, or where the metric has no known direction.
    """
    holders = [
        _Holder(run, run.value)
        for run in runs
        if run.value is not None and _may_enter(run, verdicts[run.digest])
    ]
    if not holders:
        return ()
    direction = find_direction(holders[0].run.metric, holders[0].run.unit)
    if direction is None:
        return ()

    events: list[RecordEventFact] = []
    standing: dict[SpecDigest, _Holder] = {}
    removed: set[SpecDigest] = set()
    record: _Holder | None = None
    for happening in _build_timeline(holders):
        holder = happening.holder
        digest = holder.run.digest
        if happening.order == _SEEN:
            if digest in removed:
                continue
            standing[digest] = holder
            if record is not None and not is_better(holder.value, record.value, direction):
                continue
            successor: _Holder | None = holder
        else:
            removed.add(digest)
            standing.pop(digest, None)
            if record is None or record.run.digest != digest:
                continue
            successor = _find_best(standing, direction)
        events.append(_build_event(len(events) + 1, happening, record, successor, direction))
        record = successor
    return tuple(events)


def _may_enter(run: RunFact, verdict: RunVerdict) -> bool:
    """Whether the run is eligible, or only its correction keeps it from being so."""
    return verdict.is_eligible or (
        has_primary_value(run) and CORRECTION_REASONS.issuperset(verdict.reasons)
    )


def _build_timeline(holders: list[_Holder]) -> list[_Happening]:
    happenings = [
        _Happening(holder.run.observed_at, _SEEN, holder.run.digest, holder, RecordCause.NEW_RUN)
        for holder in holders
    ]
    happenings.extend(
        _Happening(
            correction.at, _CORRECTED, correction.object_id, holder, _CAUSES[correction.action]
        )
        for holder in holders
        for correction in holder.run.corrections
    )
    return sorted(happenings, key=lambda one: (one.at, one.order, one.tie_breaker))


def _find_best(standing: Mapping[SpecDigest, _Holder], direction: Direction) -> _Holder | None:
    """The earliest holder of the best value among the runs that stand."""
    return min(
        standing.values(),
        key=lambda holder: (
            badness(holder.value, direction),
            holder.run.observed_at,
            holder.run.digest,
        ),
        default=None,
    )


def _build_event(
    ordinal: int,
    happening: _Happening,
    before: _Holder | None,
    after: _Holder | None,
    direction: Direction,
) -> RecordEventFact:
    improvement = None
    if before is not None and after is not None:
        gain = badness(before.value, direction) - badness(after.value, direction)
        # Positive where the record got better; a correction gives it back, so it is negative there.
        improvement = gain / before.value * 100
    return RecordEventFact(
        cohort=happening.holder.run.cohort,
        ordinal=ordinal,
        at=happening.at,
        cause=happening.cause,
        policy=RANKING_VERSION,
        run=None if after is None else after.run.digest,
        previous_run=None if before is None else before.run.digest,
        value=None if after is None else after.value,
        previous_value=None if before is None else before.value,
        improvement_percent=improvement,
    )
