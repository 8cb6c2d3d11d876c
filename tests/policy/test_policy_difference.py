"""Whether two runs differ by more than their noise; golden vectors and properties."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import make_run

from kgraph.policy import (
    DIFFERENCE_VERSION,
    DifferenceMethod,
    DifferenceVerdict,
    RunDifference,
    Sampled,
    compare_sampled,
    rank_sampled,
    ranking_v1,
)

if TYPE_CHECKING:
    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact


def draw(center: float, spread: float, count: int, seed: int) -> tuple[float, ...]:
    numbers = random.Random(seed)  # noqa: S311 - made-up timings
    return tuple(center + numbers.uniform(-spread, spread) for _ in range(count))


def sampled(name: str, samples: tuple[float, ...], **changes: object) -> Sampled:
    ordered = sorted(samples)
    value = ordered[len(ordered) // 2] if ordered else 100.0
    fields = {"value": value, "has_raw_samples": bool(samples), **changes}
    return Sampled(make_run(name, **fields), samples)  # type: ignore[arg-type]  # fields by name


def test_runs_far_apart_differ_and_the_answer_says_how() -> None:
    fast = sampled("fast", draw(100, 2, 30, 1))
    slow = sampled("slow", draw(150, 2, 30, 2))

    found = compare_sampled(fast, slow)

    assert found.verdict is DifferenceVerdict.HIGHER
    assert found.method is DifferenceMethod.BOOTSTRAP_INDEPENDENT
    assert found.policy == DIFFERENCE_VERSION
    assert found.ratio == pytest.approx(1.5, rel=0.02)
    assert found.ratio_low is not None
    assert found.ratio_high is not None
    assert 1.45 < found.ratio_low < found.ratio < found.ratio_high < 1.55
    assert found.sample_counts == (30, 30)
    assert found.seed is not None
    assert found.resamples == 4_000


def test_the_same_two_runs_always_give_the_same_interval() -> None:
    one, other = sampled("a", draw(100, 8, 12, 3)), sampled("b", draw(104, 8, 12, 4))

    assert compare_sampled(one, other) == compare_sampled(one, other)


def test_noise_wider_than_the_difference_is_a_tie() -> None:
    found = compare_sampled(sampled("a", draw(100, 30, 8, 5)), sampled("b", draw(103, 30, 8, 6)))

    assert found.verdict is DifferenceVerdict.TIE
    assert found.reason == "The interval of the ratio includes 1."


def test_a_certain_difference_below_the_minimum_effect_is_a_tie() -> None:
    one = sampled("a", draw(100, 0.01, 50, 7))
    other = sampled("b", draw(100.5, 0.01, 50, 8))

    assert compare_sampled(one, other).verdict is DifferenceVerdict.TIE
    found = compare_sampled(one, other, minimum_effect=0.001)
    assert found.verdict is DifferenceVerdict.HIGHER


def test_samples_without_spread_are_compared_as_they_are() -> None:
    found = compare_sampled(sampled("a", (100.0,) * 6), sampled("b", (120.0,) * 6))

    assert found.verdict is DifferenceVerdict.HIGHER
    assert (found.ratio_low, found.ratio_high) == pytest.approx((1.2, 1.2))


def test_pairing_removes_noise_that_both_runs_share() -> None:
    shared = draw(100, 40, 40, 9)
    one = sampled("a", shared, statistic="mean")
    other = sampled("b", tuple(value * 1.05 for value in shared), statistic="mean")

    apart = compare_sampled(one, other)
    paired = compare_sampled(one, other, is_paired=True)

    assert apart.verdict is DifferenceVerdict.TIE
    assert paired.method is DifferenceMethod.BOOTSTRAP_PAIRED
    assert paired.verdict is DifferenceVerdict.HIGHER


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((98.0, 102.0), (108.0, 112.0), DifferenceVerdict.HIGHER),
        ((98.0, 102.0), (101.0, 119.0), DifferenceVerdict.TIE),
    ],
    ids=["apart", "overlapping"],
)
def test_without_samples_declared_intervals_decide(
    one: tuple[float, float], other: tuple[float, float], verdict: DifferenceVerdict
) -> None:
    found = compare_sampled(
        sampled("a", (), value=100.0, interval_low=one[0], interval_high=one[1]),
        sampled("b", (), value=110.0, interval_low=other[0], interval_high=other[1]),
    )

    assert found.method is DifferenceMethod.INTERVAL_OVERLAP
    assert found.verdict is verdict


def test_intervals_apart_by_less_than_the_minimum_effect_tie() -> None:
    found = compare_sampled(
        sampled("a", (), value=100.0, interval_low=99.9, interval_high=100.1),
        sampled("b", (), value=100.5, interval_low=100.4, interval_high=100.6),
    )

    assert found.verdict is DifferenceVerdict.TIE


def test_missing_samples_decide_nothing() -> None:
    found = compare_sampled(
        sampled("a", draw(100, 1, 30, 1)), sampled("b", (101.0, 102.0), value=101.0)
    )

    assert found.method is DifferenceMethod.VALUES_ONLY
    assert found.verdict is DifferenceVerdict.UNDECIDED
    assert found.seed is None


def test_equal_values_without_evidence_tie() -> None:
    found = compare_sampled(sampled("a", (), value=7.0), sampled("b", (), value=7.0))

    assert found.verdict is DifferenceVerdict.TIE


def test_runs_of_two_cohorts_are_refused() -> None:
    one = sampled("a", (), value=7.0)

    with pytest.raises(ValueError, match="two cohorts"):
        compare_sampled(one, sampled("b", (), value=7.0, cohort="sha256:other"))
    with pytest.raises(ValueError, match="positive"):
        compare_sampled(one, sampled("b", (), value=None))


def test_long_series_are_thinned() -> None:
    found = compare_sampled(
        sampled("a", draw(100, 2, 5_000, 1)), sampled("b", draw(150, 2, 5_000, 2))
    )

    assert found.verdict is DifferenceVerdict.HIGHER
    assert found.sample_counts == (5_000, 5_000)


@given(
    st.lists(st.floats(50, 150), min_size=0, max_size=12),
    st.lists(st.floats(50, 150), min_size=0, max_size=12),
)
def test_swapping_the_runs_swaps_the_answer(one: list[float], other: list[float]) -> None:
    a, b = sampled("a", tuple(one)), sampled("b", tuple(other))

    forth, back = compare_sampled(a, b), compare_sampled(b, a)

    swapped = {"LOWER": "HIGHER", "HIGHER": "LOWER"}
    assert swapped.get(forth.verdict, forth.verdict) == back.verdict
    assert forth.ratio == pytest.approx(1 / back.ratio)
    assert forth.seed == back.seed
    assert forth.sample_counts == back.sample_counts[::-1]


# --- ranking-v2


def rank(*items: Sampled) -> tuple[list[tuple[str, int, bool]], list[RunDifference | None]]:
    runs = [item.run for item in items]
    verdicts = {run.digest: ranking_v1.judge_run(run) for run in runs}
    samples: dict[SpecDigest, tuple[float, ...]] = {item.run.digest: item.samples for item in items}
    standings, comparisons = rank_sampled(runs, verdicts, samples)
    names = {run.digest: run.title for run in runs}
    return [(names[s.run], s.rank, s.is_tied) for s in standings], list(comparisons)


def test_noise_ties_and_distance_ranks() -> None:
    a = sampled("a", draw(100, 5, 20, 1), title="a")
    b = sampled("b", draw(101, 5, 20, 2), title="b")
    c = sampled("c", draw(140, 5, 20, 3), title="c")

    shown, comparisons = rank(c, a, b)

    assert sorted(shown[:2]) == [("a", 1, True), ("b", 1, True)]
    assert shown[2] == ("c", 2, False)
    assert comparisons[0] is None
    assert comparisons[2] is not None
    assert comparisons[2].verdict is DifferenceVerdict.HIGHER


def test_a_chain_of_ties_needs_every_pair_to_tie() -> None:
    def interval(name: str, value: float) -> Sampled:
        return sampled(
            name, (), value=value, title=name, interval_low=value - 4, interval_high=value + 4
        )

    shown, _ = rank(interval("a", 100), interval("b", 106), interval("c", 112))

    assert [(name, at) for name, at, _ in sorted(shown)] == [("a", 1), ("b", 1), ("c", 2)]


def test_source_native_cohorts_rank_by_value_alone() -> None:
    shown, _ = rank(
        sampled("a", (), value=100.0, title="a"), sampled("b", (), value=100.1, title="b")
    )

    assert [(name, at) for name, at, _ in shown] == [("a", 1), ("b", 2)]


def test_equal_values_tie_and_newer_is_shown_first() -> None:
    def at(name: str, year: int) -> Sampled:
        return sampled(
            name, (), value=5.0, title=name, observed_at=datetime(year, 1, 1, tzinfo=UTC)
        )

    shown, _ = rank(at("old", 2024), at("new", 2025))

    assert shown == [("new", 1, True), ("old", 1, True)]


def test_nothing_eligible_or_no_direction_ranks_nothing() -> None:
    assert rank() == ([], [])
    assert rank(sampled("a", (), metric="wonder", unit="sparks"))[0] == []


def test_a_baseline_gives_speedups() -> None:
    base = sampled("base", (), value=200.0, is_baseline=True)
    fast = sampled("fast", (), value=100.0)
    runs: list[RunFact] = [base.run, fast.run]

    standings, _ = rank_sampled(runs, {run.digest: ranking_v1.judge_run(run) for run in runs}, {})

    assert [s.speedup_over_baseline for s in standings] == [2.0, 1.0]
