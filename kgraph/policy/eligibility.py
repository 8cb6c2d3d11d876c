"""Whether a run may be ranked, and why.

A run that is not eligible carries every reason that holds, in this order: UNPUBLISHED,
STATUS_<its status>, RETRACTED, SUPERSEDED, MISSING_PRIMARY_METRIC. An eligible run carries the
rules that it meets: PUBLISHED, STATUS_PASSED, NOT_CORRECTED, PRIMARY_METRIC, and the direction of
its metric (LOWER_IS_BETTER, HIGHER_IS_BETTER, or METRIC_DIRECTION_UNKNOWN: eligible, not ranked).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.policy.metric import DIRECTION_UNKNOWN, find_direction, is_amount
from kgraph.vocab import CorrectionAction, RunStatus

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.facts import RunFact

UNPUBLISHED = "UNPUBLISHED"
RETRACTED = "RETRACTED"
SUPERSEDED = "SUPERSEDED"
MISSING_PRIMARY_METRIC = "MISSING_PRIMARY_METRIC"

CORRECTION_REASONS = frozenset({RETRACTED, SUPERSEDED})
"""Reasons that a run acquires after it stood: it may have held a record until then."""

_REASON_OF_ACTION = {
    CorrectionAction.RETRACT: RETRACTED,
    CorrectionAction.SUPERSEDE: SUPERSEDED,
}


def judge_eligibility(
    run: RunFact, *, as_of: datetime | None = None
) -> tuple[bool, tuple[str, ...]]:
    """Whether the run may be ranked, and the codes of why or why not.

    Args:
        run: the run to judge.
        as_of: the instant to judge at; None takes everything stored as published and in force.

    Returns:
        True and the rules met, or False and every reason against, in the module's order.
    """
    against: list[str] = []
    if as_of is not None and run.published_at > as_of:
        against.append(UNPUBLISHED)
    if run.status is not RunStatus.PASSED:
        against.append(f"STATUS_{run.status.value.upper()}")
    in_force = {
        _REASON_OF_ACTION[correction.action]
        for correction in run.corrections
        if as_of is None or correction.at <= as_of
    }
    against.extend(reason for reason in (RETRACTED, SUPERSEDED) if reason in in_force)
    if not has_primary_value(run):
        against.append(MISSING_PRIMARY_METRIC)
    if against:
        return False, tuple(against)
    direction = find_direction(run.metric, run.unit)
    return True, (
        "PUBLISHED",
        "STATUS_PASSED",
        "NOT_CORRECTED",
        "PRIMARY_METRIC",
        DIRECTION_UNKNOWN if direction is None else direction.value,
    )


def has_primary_value(run: RunFact) -> bool:
    """Whether the run has a primary measurement that can be compared.

    Every metric that is ranked is a positive amount; sources write 0 for "not measured", so zero,
    negative and non-finite values are absence, and so is what is too small to divide by.
    """
    return run.value is not None and is_amount(run.value)
