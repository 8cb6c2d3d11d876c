"""Under whose rules the runs of a cohort were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.policy.eligibility import judge_eligibility
from kgraph.vocab import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import RunFact


def judge_profile(runs: Sequence[RunFact]) -> Profile:
    """The profile of one cohort, from all its runs.

    Returns:
        CONTROLLED when this catalogue's runner made every run; STRICT_EXACT when every eligible run
        has raw samples or a declared interval; SOURCE_NATIVE otherwise, also for a cohort without
        any eligible run, which shows no rigour of its own.
    """
    if runs and all(run.is_controlled for run in runs):
        return Profile.CONTROLLED
    eligible = [run for run in runs if judge_eligibility(run)[0]]
    if eligible and all(run.has_raw_samples or interval_of(run) is not None for run in eligible):
        return Profile.STRICT_EXACT
    return Profile.SOURCE_NATIVE


def interval_of(run: RunFact) -> tuple[float, float] | None:
    """The declared confidence interval; None where two ordered ends are not given."""
    low, high = run.interval_low, run.interval_high
    if low is None or high is None or not low <= high:
        return None
    return low, high
