"""Whether two runs of one cohort differ by more than their noise (`difference-v1`).

Where both runs keep raw samples, the ratio of their statistics is bootstrapped, independently
unless the protocol pairs the samples. Where one keeps none, declared 95 % intervals are compared.
Where neither can be done nothing is decided. A difference counts only when its interval leaves no
doubt of the sign and it is at least as large as the minimum practical effect; else the runs tie.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kgraph.policy.profile import interval_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact

DIFFERENCE_VERSION = "difference-v1"
"""Name of these rules; other rules get another name beside it."""

MINIMUM_EFFECT = 0.01
"""Ratio minus one below which no user would notice: clocks and drivers move results that much."""

MIN_SAMPLES = 5
"""Fewer raw samples than this say nothing of their own spread."""

RESAMPLES = 4_000
"""Enough for the ends of a 95 % interval to move by less than the minimum effect."""

_CONFIDENCE = 0.95
# A cohort page must not become a computation: longer series are thinned evenly.
_MAX_SAMPLES = 2_000


class DifferenceMethod(StrEnum):
    """By what two runs were compared."""

    BOOTSTRAP_INDEPENDENT = "BOOTSTRAP_INDEPENDENT"
    BOOTSTRAP_PAIRED = "BOOTSTRAP_PAIRED"
    INTERVAL_OVERLAP = "INTERVAL_OVERLAP"
    VALUES_ONLY = "VALUES_ONLY"
    """Neither samples nor intervals: nothing is decided beyond equal or not."""


class DifferenceVerdict(StrEnum):
    """What follows for the second run, measured against the first."""

    LOWER = "LOWER"
    HIGHER = "HIGHER"
    TIE = "TIE"
    UNDECIDED = "UNDECIDED"
    """The evidence does not allow a statement."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A run with the raw samples that its manifest keeps."""

    run: RunFact
    samples: tuple[float, ...]
    """In the run's unit, in the order they were taken; empty where none are kept inline."""


@dataclass(frozen=True, slots=True)
class RunDifference:
    """How the second run compares with the first."""

    verdict: DifferenceVerdict
    method: DifferenceMethod
    policy: str
    ratio: float
    """Value of the second over value of the first."""
    ratio_low: float | None
    """Lower end of the ratio's 95 % interval; None where it was not bootstrapped."""
    ratio_high: float | None
    minimum_effect: float
    seed: int | None
    """Of the resampling; the same two runs always give the same. None without resampling."""
    resamples: int | None
    sample_counts: tuple[int, int]
    reason: str
    """In words, for people."""


def compare_sampled(
    first: Sampled,
    second: Sampled,
    *,
    is_paired: bool = False,
    minimum_effect: float = MINIMUM_EFFECT,
) -> RunDifference:
    """How the second run compares with the first; swapping them swaps the answer.

    Args:
        first: a run with a primary value.
        second: another run of the same cohort, with a primary value.
        is_paired: whether sample i of both was taken on the same input.
        minimum_effect: ratio minus one below which runs tie, whatever the samples say.

    Raises:
        ValueError: the runs are of two cohorts, or one has no positive value.
    """
    one, other = first.run, second.run
    if one.cohort != other.cohort:
        message = f"runs {one.digest} and {other.digest} are of two cohorts, expected one"
        raise ValueError(message)
    if one.value is None or other.value is None or min(one.value, other.value) <= 0:
        message = f"runs {one.digest} and {other.digest}: expected positive primary values"
        raise ValueError(message)
    # Both directions are computed in one order, so that swapping cannot change a verdict.
    is_swapped = one.digest > other.digest
    found = _compare_ordered(
        *((second, first) if is_swapped else (first, second)), is_paired, minimum_effect
    )
    return _turn(found) if is_swapped else found


def _compare_ordered(
    first: Sampled, second: Sampled, is_paired: bool, minimum_effect: float
) -> RunDifference:
    ratio = (second.run.value or 0.0) / (first.run.value or 1.0)
    counts = (len(first.samples), len(second.samples))
    if min(counts) >= MIN_SAMPLES:
        return _bootstrap(first, second, is_paired and counts[0] == counts[1], minimum_effect)
    one, other = interval_of(first.run), interval_of(second.run)
    if one is not None and other is not None:
        is_apart = one[1] < other[0] or other[1] < one[0]
        is_large = _effect(ratio) >= minimum_effect
        verdict = _direction(ratio) if is_apart and is_large else DifferenceVerdict.TIE
        reason = (
            "Declared intervals overlap."
            if not is_apart
            else "Declared intervals lie apart."
            if is_large
            else "Declared intervals lie apart by less than the minimum effect."
        )
        return RunDifference(
            verdict, DifferenceMethod.INTERVAL_OVERLAP, DIFFERENCE_VERSION, ratio, None, None,
            minimum_effect, None, None, counts, reason,
        )  # fmt: skip
    verdict = DifferenceVerdict.TIE if ratio == 1 else DifferenceVerdict.UNDECIDED
    reason = (
        "Equal values."
        if ratio == 1
        else f"Fewer than {MIN_SAMPLES} raw samples and no declared interval on one side."
    )
    return RunDifference(
        verdict, DifferenceMethod.VALUES_ONLY, DIFFERENCE_VERSION, ratio, None, None,
        minimum_effect, None, None, counts, reason,
    )  # fmt: skip


def _bootstrap(
    first: Sampled, second: Sampled, is_paired: bool, minimum_effect: float
) -> RunDifference:
    # Heavy to import and needed for runs with raw samples alone.
    import numpy as np  # noqa: PLC0415
    from scipy import stats  # noqa: PLC0415

    statistic = np.mean if first.run.statistic == "mean" else np.median
    seed = _seed_of(first.run.digest, second.run.digest)
    one, other = (np.asarray(_thin(item.samples), dtype=float) for item in (first, second))

    def log_ratio(a: Any, b: Any, axis: int = -1) -> Any:  # noqa: ANN401 - arrays, see SciPy
        return np.log(statistic(b, axis=axis)) - np.log(statistic(a, axis=axis))

    if np.ptp(one) == 0 and np.ptp(other) == 0:
        low = high = float(log_ratio(one, other))
    else:
        interval = stats.bootstrap(
            (one, other), log_ratio, n_resamples=RESAMPLES, paired=is_paired, vectorized=True,
            confidence_level=_CONFIDENCE, method="percentile", rng=np.random.default_rng(seed),
        ).confidence_interval  # fmt: skip
        low, high = float(interval.low), float(interval.high)
    ratio = math.exp(float(log_ratio(one, other)))
    is_signed = low > 0 or high < 0
    is_large = _effect(ratio) >= minimum_effect
    reason = (
        "The interval of the ratio includes 1."
        if not is_signed
        else "The interval of the ratio excludes 1."
        if is_large
        else "The interval of the ratio excludes 1, by less than the minimum effect."
    )
    return RunDifference(
        verdict=_direction(ratio) if is_signed and is_large else DifferenceVerdict.TIE,
        method=DifferenceMethod.BOOTSTRAP_PAIRED
        if is_paired
        else DifferenceMethod.BOOTSTRAP_INDEPENDENT,
        policy=DIFFERENCE_VERSION,
        ratio=ratio,
        ratio_low=math.exp(low),
        ratio_high=math.exp(high),
        minimum_effect=minimum_effect,
        seed=seed,
        resamples=RESAMPLES,
        sample_counts=(len(first.samples), len(second.samples)),
        reason=reason,
    )


def _turn(found: RunDifference) -> RunDifference:
    """The same comparison seen from the other run."""
    turned = {
        DifferenceVerdict.LOWER: DifferenceVerdict.HIGHER,
        DifferenceVerdict.HIGHER: DifferenceVerdict.LOWER,
    }
    return RunDifference(
        verdict=turned.get(found.verdict, found.verdict),
        method=found.method,
        policy=found.policy,
        ratio=1 / found.ratio,
        ratio_low=None if found.ratio_high is None else 1 / found.ratio_high,
        ratio_high=None if found.ratio_low is None else 1 / found.ratio_low,
        minimum_effect=found.minimum_effect,
        seed=found.seed,
        resamples=found.resamples,
        sample_counts=(found.sample_counts[1], found.sample_counts[0]),
        reason=found.reason,
    )


def _effect(ratio: float) -> float:
    """How large a ratio is, alike in both directions."""
    return max(ratio, 1 / ratio) - 1


def _direction(ratio: float) -> DifferenceVerdict:
    return DifferenceVerdict.HIGHER if ratio > 1 else DifferenceVerdict.LOWER


def _seed_of(first: SpecDigest, second: SpecDigest) -> int:
    """A seed that only the two runs decide, so that anyone can repeat the resampling."""
    return int(hashlib.sha256(f"{first} {second}".encode()).hexdigest()[:8], 16)


def _thin(samples: Sequence[float]) -> Sequence[float]:
    step = -(-len(samples) // _MAX_SAMPLES)
    return samples[::step] if step > 1 else samples
