"""Eligibility, evidence, profile and ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import day, judge_all, make_correction, make_implementation, make_run

from kgraph.policy import (
    DIRECTION_UNKNOWN,
    RANKING_VERSION,
    Direction,
    find_direction,
    is_time,
    judge_eligibility,
    judge_evidence,
    judge_profile,
    rank_cohort,
    ranking_v1,
)
from kgraph.vocab import CorrectionAction, EvidenceLevel, Profile, RunStatus

if TYPE_CHECKING:
    from random import Random

    from kgraph.facts import Derivation, RunFact, StandingFact


def rank(*runs: RunFact) -> tuple[StandingFact, ...]:
    return rank_cohort(runs, judge_all(runs))


def titles(runs: tuple[RunFact, ...], standings: tuple[StandingFact, ...]) -> list[str]:
    by_digest = {run.digest: run.title for run in runs}
    return [by_digest[standing.run] for standing in standings]


# --- eligibility -----------------------------------------------------------------------------


def test_a_passed_run_says_which_rules_it_meets() -> None:
    assert judge_eligibility(make_run()) == (
        True,
        ("PUBLISHED", "STATUS_PASSED", "NOT_CORRECTED", "PRIMARY_METRIC", "LOWER_IS_BETTER"),
    )


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        pytest.param({"status": RunStatus.COMPILE_ERROR}, ("STATUS_COMPILE_ERROR",), id="status"),
        pytest.param(
            {"status": RunStatus.TIMEOUT, "value": None},
            ("STATUS_TIMEOUT", "MISSING_PRIMARY_METRIC"),
            id="every-reason",
        ),
        pytest.param({"value": 0.0}, ("MISSING_PRIMARY_METRIC",), id="zero-is-unset"),
        pytest.param({"value": float("inf")}, ("MISSING_PRIMARY_METRIC",), id="not-finite"),
        pytest.param({"value": 5e-324}, ("MISSING_PRIMARY_METRIC",), id="too-small-to-divide-by"),
        pytest.param(
            {"corrections": (make_correction("run", day(1)),)}, ("RETRACTED",), id="retracted"
        ),
        pytest.param(
            {"corrections": (make_correction("run", day(1), CorrectionAction.SUPERSEDE),)},
            ("SUPERSEDED",),
            id="superseded",
        ),
        pytest.param(
            {
                "corrections": (
                    make_correction("run", day(1), CorrectionAction.SUPERSEDE),
                    make_correction("run", day(2)),
                )
            },
            ("RETRACTED", "SUPERSEDED"),
            id="both",
        ),
    ],
)
def test_an_ineligible_run_carries_every_reason(
    changes: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    assert judge_eligibility(make_run(**changes)) == (False, reasons)


def test_a_run_is_unpublished_before_it_was_published() -> None:
    run = make_run(published_at=day(3))

    assert judge_eligibility(run, as_of=day(2)) == (False, ("UNPUBLISHED",))
    assert judge_eligibility(run, as_of=day(3))[0]


def test_a_correction_is_not_in_force_before_its_instant() -> None:
    run = make_run(corrections=(make_correction("run", day(5)),))

    assert judge_eligibility(run, as_of=day(4))[0]
    assert judge_eligibility(run, as_of=day(5)) == (False, ("RETRACTED",))


# --- metrics ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "unit", "direction"),
    [
        ("latency", "ns", Direction.LOWER),
        ("score", "s", Direction.LOWER),
        ("score", "points", Direction.HIGHER),
        ("memory", "MB", Direction.LOWER),
        ("throughput", "tokens/s", Direction.HIGHER),
        ("bandwidth", "GB/s", Direction.HIGHER),
        ("tflops", "TFLOPS", Direction.HIGHER),
        ("peak_fraction", "ratio", Direction.HIGHER),
        ("latency", "furlongs", None),
        ("latency", None, None),
        ("beauty", "ns", None),
    ],
)
def test_a_direction_is_registered_or_unknown(
    metric: str, unit: str | None, direction: Direction | None
) -> None:
    assert find_direction(metric, unit) is direction


def test_only_durations_are_times() -> None:
    assert is_time("score", "s")
    assert not is_time("score", "points")
    assert not is_time("beauty", "ns")


def test_a_run_of_an_unknown_metric_is_eligible_but_not_ranked() -> None:
    run = make_run(metric="beauty")

    is_eligible, reasons = judge_eligibility(run)

    assert is_eligible
    assert DIRECTION_UNKNOWN in reasons
    assert rank(run) == ()


# --- evidence --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "level", "codes"),
    [
        pytest.param(
            {},
            EvidenceLevel.REPORTED,
            ("NO_SOURCE_DIGEST", "NO_PUBLIC_SOURCE", "NO_RAW_EVIDENCE"),
            id="reported",
        ),
        pytest.param(
            {"has_source_digest": True, "has_logs": True},
            EvidenceLevel.REPORTED,
            ("SOURCE_IDENTIFIED", "NO_PUBLIC_SOURCE", "LOGS"),
            id="source-not-public",
        ),
        pytest.param(
            {"has_source_digest": True, "has_public_source": True},
            EvidenceLevel.REPORTED,
            ("SOURCE_IDENTIFIED", "SOURCE_PUBLIC", "NO_RAW_EVIDENCE"),
            id="no-raw-evidence",
        ),
        pytest.param(
            {
                "has_source_digest": True,
                "has_public_source": True,
                "has_logs": True,
                "has_raw_samples": True,
            },
            EvidenceLevel.REPRODUCIBLE,
            ("SOURCE_IDENTIFIED", "SOURCE_PUBLIC", "RAW_SAMPLES", "LOGS"),
            id="reproducible",
        ),
        pytest.param(
            {"is_controlled": True},
            EvidenceLevel.VERIFIED,
            ("CONTROLLED_RERUN_PASSED",),
            id="verified",
        ),
        pytest.param(
            {"is_controlled": True, "independent_runners": 2},
            EvidenceLevel.REPLICATED,
            ("INDEPENDENT_RUNNERS",),
            id="replicated",
        ),
    ],
)
def test_evidence_level_is_derived(
    changes: dict[str, Any], level: EvidenceLevel, codes: tuple[str, ...]
) -> None:
    assert judge_evidence(make_run(**changes)) == (level, codes)


def test_a_failed_controlled_run_verifies_nothing() -> None:
    run = make_run(status=RunStatus.TIMEOUT, is_controlled=True, independent_runners=2)

    assert judge_evidence(run)[0] is EvidenceLevel.REPORTED


# --- profile ---------------------------------------------------------------------------------


def test_a_cohort_is_controlled_when_every_run_is() -> None:
    controlled = make_run("a", is_controlled=True)

    assert judge_profile([controlled]) is Profile.CONTROLLED
    assert judge_profile([controlled, make_run("b")]) is Profile.SOURCE_NATIVE


def test_a_cohort_is_strict_when_every_eligible_run_shows_its_spread() -> None:
    sampled = make_run("a", has_raw_samples=True)
    bounded = make_run("b", interval_low=90.0, interval_high=110.0)
    failed = make_run("c", value=None, status=RunStatus.TIMEOUT)

    assert judge_profile([sampled, bounded, failed]) is Profile.STRICT_EXACT
    assert judge_profile([sampled, make_run("d")]) is Profile.SOURCE_NATIVE


def test_a_cohort_without_eligible_runs_is_source_native() -> None:
    assert judge_profile([make_run(value=None)]) is Profile.SOURCE_NATIVE
    assert judge_profile([]) is Profile.SOURCE_NATIVE


# --- ranking ---------------------------------------------------------------------------------


def test_ranks_are_dense_and_equal_values_tie() -> None:
    runs = (make_run("c", 30.0), make_run("a", 10.0), make_run("b", 10.0))

    standings = rank(*runs)

    assert [(one.rank, one.is_tied, one.position) for one in standings] == [
        (1, True, 1),
        (1, True, 2),
        (2, False, 3),
    ]
    assert [one.ratio_to_leader for one in standings] == [1.0, 1.0, 3.0]


def test_a_failed_run_takes_no_rank() -> None:
    failed = make_run("b", 1.0, status=RunStatus.INCORRECT_NUMERICAL)

    standings = rank(make_run("a", 10.0), failed)

    assert len(standings) == 1
    assert rank(failed) == ()


def test_ratio_above_one_is_worse_where_more_is_better() -> None:
    runs = (
        make_run("slow", 50.0, metric="throughput", unit="tokens/s", is_baseline=True),
        make_run("fast", 100.0, metric="throughput", unit="tokens/s"),
    )

    standings = rank(*runs)

    assert titles(runs, standings) == ["fast", "slow"]
    assert [one.ratio_to_leader for one in standings] == [1.0, 2.0]
    assert [one.speedup_over_baseline for one in standings] == [2.0, 1.0]


def test_speedup_is_over_the_best_baseline() -> None:
    runs = (
        make_run("liger", 13.8),
        make_run("torch", 16.5, is_baseline=True),
        make_run("other", 33.0, is_baseline=True),
    )

    speedups = [one.speedup_over_baseline for one in rank(*runs)]

    assert speedups == pytest.approx([16.5 / 13.8, 1.0, 0.5])


def test_speedup_is_absent_without_a_baseline() -> None:
    assert rank(make_run())[0].speedup_over_baseline is None


def test_a_tie_is_shown_by_evidence_then_newer_then_digest() -> None:
    twins = [make_run(name, 10.0, observed_at=day(1)) for name in ("twin-1", "twin-2")]
    twins.sort(key=lambda run: run.digest)
    runs = (
        *twins,
        make_run("older", 10.0, observed_at=day(0)),
        make_run(
            "proven",
            10.0,
            observed_at=day(-9),
            has_logs=True,
            has_source_digest=True,
            has_public_source=True,
        ),
    )

    assert titles(runs, rank(*runs)) == ["proven", twins[0].title, twins[1].title, "older"]


def bounded(name: str, value: float, low: float, high: float) -> RunFact:
    return make_run(name, value, interval_low=low, interval_high=high)


def test_overlapping_intervals_tie_in_a_strict_cohort() -> None:
    standings = rank(bounded("a", 10.0, 9.0, 11.0), bounded("b", 10.5, 10.0, 12.0))

    assert [(one.rank, one.is_tied) for one in standings] == [(1, True), (1, True)]


def test_overlapping_intervals_do_not_tie_in_a_source_native_cohort() -> None:
    standings = rank(
        bounded("a", 10.0, 9.0, 11.0), bounded("b", 10.5, 10.0, 12.0), make_run("c", 99.0)
    )

    assert [one.rank for one in standings] == [1, 2, 3]


def test_a_chain_of_ties_needs_every_pair_to_overlap() -> None:
    runs = (
        bounded("a", 10.0, 9.0, 11.0),
        bounded("b", 11.5, 10.5, 12.5),
        bounded("c", 13.0, 12.0, 14.0),
    )

    standings = rank(*runs)

    assert titles(runs, standings)[2] == "c"
    assert [(one.rank, one.is_tied) for one in standings] == [(1, True), (1, True), (2, False)]


def test_a_run_without_interval_ties_by_equal_value_only() -> None:
    sampled = make_run("sampled", 10.5, has_raw_samples=True)

    standings = rank(bounded("a", 10.0, 9.0, 11.0), bounded("b", 10.5, 9.0, 12.0), sampled)

    assert [(one.rank, one.is_tied) for one in standings] == [(1, False), (2, True), (2, True)]


def test_an_interval_with_crossed_ends_is_no_interval() -> None:
    crossed = make_run("a", 10.0, interval_low=11.0, interval_high=9.0, has_raw_samples=True)

    standings = rank(crossed, bounded("b", 10.5, 9.0, 12.0))

    assert [one.rank for one in standings] == [1, 2]


def test_equal_values_with_disjoint_intervals_do_not_reach_for_others() -> None:
    standings = rank(
        bounded("a", 10.0, 1.0, 2.0), bounded("b", 10.0, 3.0, 4.0), bounded("c", 11.0, 1.0, 4.0)
    )

    assert [one.rank for one in standings] == [1, 1, 2]


values = st.sampled_from([1.0, 2.0, 2.5, 3.0, 7.0])


@st.composite
def cohorts(draw: st.DrawFn) -> list[RunFact]:
    """Runs of one cohort, some failed, tied, bounded or corrected."""
    runs = []
    for number in range(draw(st.integers(1, 8))):
        name = f"run-{number}"
        value = draw(values)
        width = draw(st.none() | st.sampled_from([0.0, 0.4, 1.0]))
        run = make_run(
            name,
            value,
            observed_at=day(draw(st.integers(0, 4))),
            status=draw(st.sampled_from([RunStatus.PASSED] * 4 + [RunStatus.TIMEOUT])),
            is_baseline=draw(st.booleans()),
        )
        if width is not None:
            run = replace(run, interval_low=value - width, interval_high=value + width)
        if draw(st.integers(0, 4)) == 0:
            action = draw(st.sampled_from(CorrectionAction))
            at = day(draw(st.integers(0, 8)))
            run = replace(run, corrections=(make_correction(name, at, action),))
        runs.append(run)
    return runs


@given(cohorts(), st.randoms(use_true_random=False))
def test_ranking_ignores_input_order(runs: list[RunFact], random: Random) -> None:
    shuffled = list(runs)
    random.shuffle(shuffled)

    assert rank(*shuffled) == rank(*runs)


@given(cohorts())
def test_ranks_rise_by_one_and_follow_the_values(runs: list[RunFact]) -> None:
    by_digest = {run.digest: run for run in runs}
    standings = rank(*runs)

    ranks = [one.rank for one in standings]
    assert sorted(set(ranks)) == list(range(1, len(set(ranks)) + 1))
    assert ranks == sorted(ranks)
    for one in standings:
        for other in standings:
            left, right = by_digest[one.run].value, by_digest[other.run].value
            assert left is not None
            assert right is not None
            assert left != right or one.rank == other.rank
            assert one.rank <= other.rank or left > right


@given(cohorts())
def test_every_eligible_run_has_one_standing(runs: list[RunFact]) -> None:
    eligible = {run.digest for run in runs if judge_eligibility(run)[0]}

    standings = rank(*runs)

    assert sorted(one.run for one in standings) == sorted(eligible)
    assert all(one.ratio_to_leader >= 1 for one in standings)


# --- the derivation --------------------------------------------------------------------------


def test_the_derivation_is_what_an_index_asks_for() -> None:
    derivation: Derivation = ranking_v1
    run = make_run()
    verdict = derivation.judge_run(run)

    assert derivation.version.split()[0] == RANKING_VERSION == "ranking-v1"
    assert verdict.is_eligible
    assert verdict.evidence is EvidenceLevel.REPORTED
    assert derivation.judge_profile([run]) is Profile.SOURCE_NATIVE
    assert len(derivation.rank_cohort([run], {run.digest: verdict})) == 1
    assert len(derivation.derive_records([run], {run.digest: verdict})) == 1


def test_the_derivation_judges_implementations_too() -> None:
    usable = make_implementation(
        repository="https://example.org/kernels",
        install_command="pip install kernels",
        license_declared="mit",
    )

    verdict = ranking_v1.judge_implementation(usable)

    assert verdict.license == "MIT"
    assert verdict.is_permissive
    assert verdict.is_deployable
    assert not ranking_v1.judge_implementation(make_implementation()).is_permissive
