from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import (
    day,
    digest_of,
    judge_all,
    make_environment,
    make_hardware,
    make_implementation,
    make_operation,
    make_protocol,
    make_run,
    make_workload,
)

from kgraph.facts import JudgedRun, ScalarFact, TensorFact
from kgraph.policy import ComparedField, ComparedRun, Comparison, compare_runs, ranking_v1
from kgraph.vocab import CohortKey, RunStatus, TimedPass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import EnvironmentFact, RunFact, WorkloadFact

A100 = make_environment(make_hardware(), (("triton", "3.4"),))
OTHER = replace(A100, digest=digest_of("other"))
H100 = make_environment(make_hardware("NVIDIA H100", "SXM5-80GB", "sm_90"))


def judge(runs: Sequence[RunFact]) -> list[JudgedRun]:
    """Every run with its verdict and its standing in its cohort."""
    verdicts = judge_all(runs)
    standings = {}
    for cohort in {run.cohort for run in runs}:
        members = [run for run in runs if run.cohort == cohort]
        standings.update({one.run: one for one in ranking_v1.rank_cohort(members, verdicts)})
    return [JudgedRun(run, verdicts[run.digest], standings.get(run.digest)) for run in runs]


def with_parts(
    judged: JudgedRun,
    environment: EnvironmentFact = A100,
    workload: WorkloadFact | None = None,
    **parts: object,
) -> ComparedRun:
    found = ComparedRun(
        judged,
        make_operation(),
        workload or make_workload((TensorFact("x", "bf16", (4, 8)),), rows=4, hidden=8),
        make_protocol(),
        environment,
        make_implementation(title=judged.run.title),
    )
    return replace(found, **parts)  # type: ignore[arg-type]  # named by the callers below


def in_one_cohort(*values: float, **changes: object) -> list[ComparedRun]:
    runs = [make_run(f"run {number}", value) for number, value in enumerate(values)]
    return [with_parts(one, **changes) for one in judge(runs)]  # type: ignore[arg-type]  # likewise


def names(fields: Sequence[ComparedField]) -> list[str]:
    return [one.name for one in fields]


def find(comparison: Comparison, name: str) -> ComparedField:
    return next(one for one in comparison.fields if one.name == name)


def test_the_better_run_of_one_cohort_wins() -> None:
    slow, fast = in_one_cohort(300, 200)

    comparison = compare_runs([slow, fast])

    assert comparison.is_comparable
    assert comparison.winner == fast.judged.run.digest
    assert comparison.first_material_difference is None
    assert comparison.must_match == ()
    (group,) = comparison.groups
    assert group.runs == (fast.judged.run.digest, slow.judged.run.digest)
    assert group.ratios == (1.0, 1.5)


def test_equal_values_have_no_winner() -> None:
    comparison = compare_runs(in_one_cohort(200, 200, 300))

    assert comparison.winner is None
    assert comparison.groups[0].tied == tuple(sorted(comparison.runs[:2]))


def test_a_run_that_is_not_eligible_neither_wins_nor_loses() -> None:
    runs = [make_run("good", 200), make_run("bad", 100, status=RunStatus.INCORRECT_NUMERICAL)]
    comparison = compare_runs([with_parts(one) for one in judge(runs)])

    assert comparison.winner is None
    assert comparison.groups[0].tied == ()
    assert comparison.groups[0].ratios == (1.0, None)


def test_ranks_are_those_of_the_whole_cohort() -> None:
    interval = {"interval_low": 90.0, "interval_high": 110.0, "has_raw_samples": True}
    runs = [make_run(f"run {number}", value, **interval) for number, value in enumerate((100, 105))]
    one, other = judge(runs)

    comparison = compare_runs([with_parts(one), with_parts(other)])

    assert comparison.winner is None
    assert len(comparison.groups[0].tied) == 2


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"environment": H100}, "environment.hardware.architecture"),
        (
            {
                "environment": replace(
                    A100, digest=digest_of("other"), software=(("triton", "3.5"),)
                )
            },
            "environment.software.triton",
        ),
        ({"environment": OTHER}, "environment"),
        (
            {"workload": make_workload((TensorFact("x", "bf16", (4, 8)),), rows=9, hidden=8)},
            "workload.axes.rows",
        ),
        (
            {"workload": make_workload((TensorFact("x", "fp32", (4, 8)),), rows=4, hidden=8)},
            "workload.tensors.x",
        ),
        (
            {"protocol": replace(make_protocol(TimedPass.FULL), digest=digest_of("other"))},
            "protocol.timedPass",
        ),
        ({"operation": make_operation(slug="other")}, "operation"),
    ],
)
def test_the_first_material_difference_is_named(changes: dict[str, object], first: str) -> None:
    (one,) = in_one_cohort(100)
    other = judge([make_run("other", 90, cohort=CohortKey("sha256:" + "1" * 64))])[0]
    apart = with_parts(other, **changes)  # type: ignore[arg-type]  # as parametrised

    comparison = compare_runs([one, apart])

    assert not comparison.is_comparable
    assert comparison.winner is None
    assert comparison.first_material_difference is not None
    assert comparison.first_material_difference.name == first
    assert comparison.first_material_difference == comparison.must_match[0]
    assert len(comparison.groups) == 2


def test_cases_of_a_suite_and_scalars_are_part_of_the_workload() -> None:
    suite = replace(
        make_workload(
            cases=({"rows": 4, "hidden": 8}, {"rows": 5, "hidden": 8}), statistic="geomean"
        ),
        scalars=(ScalarFact("eps", "fp32", 1e-6),),
    )
    (one,) = in_one_cohort(100, workload=suite)

    comparison = compare_runs([one, one])

    assert find(comparison, "workload.cases").values[0] == "rows=4, hidden=8; rows=5, hidden=8"
    assert find(comparison, "workload.scalars.eps").values[0] == "fp32 1e-06"
    assert find(comparison, "workload.aggregation.statistic").values[0] == "geomean"


def test_a_metric_and_its_unit_both_have_to_match() -> None:
    (one,) = in_one_cohort(100)
    rate = make_run("rate", 90, metric="bandwidth", unit="GB/s", statistic=None)
    other = with_parts(judge([replace(rate, cohort=CohortKey("sha256:" + "1" * 64))])[0])

    comparison = compare_runs([one, other])

    assert names(comparison.must_match) == ["metric", "metric.statistic", "metric.unit"]
    assert find(comparison, "metric.statistic").values == ("median", None)


def test_what_may_differ_is_shown_and_forbids_nothing() -> None:
    comparison = compare_runs(in_one_cohort(100, 200))

    differing = [one for one in comparison.fields if not one.is_equal]
    assert not any(one.is_material for one in differing)
    assert {"implementation.title", "run.value", "run"} <= set(names(differing))


drawn_runs = st.lists(
    st.tuples(st.integers(0, 1), st.integers(1, 4), st.booleans()), min_size=2, max_size=8
)


def build(drawn: Sequence[tuple[int, int, bool]]) -> list[ComparedRun]:
    runs = [
        make_run(
            f"run {number}",
            float(value),
            cohort=CohortKey("sha256:" + str(cohort) * 64),
            environment=(A100, H100)[cohort].digest,
            status=RunStatus.PASSED if passed else RunStatus.TIMEOUT,
            observed_at=day(number),
        )
        for number, (cohort, value, passed) in enumerate(drawn)
    ]
    return [
        with_parts(one, (A100, H100)[cohort])
        for one, (cohort, _, _) in zip(judge(runs), drawn, strict=True)
    ]


@given(drawn_runs, st.data())
def test_the_order_of_runs_changes_nothing_but_columns(
    drawn: list[tuple[int, int, bool]], data: st.DataObject
) -> None:
    runs = build(drawn)
    order = data.draw(st.permutations(range(len(runs))))

    one = compare_runs(runs)
    other = compare_runs([runs[place] for place in order])

    def turned(fields: Sequence[ComparedField]) -> list[ComparedField]:
        return [
            replace(field, values=tuple(field.values[place] for place in order)) for field in fields
        ]

    assert (one.winner, one.is_comparable, one.groups) == (
        other.winner,
        other.is_comparable,
        other.groups,
    )
    assert turned(one.fields) == list(other.fields)
    assert turned(one.must_match) == list(other.must_match)


@given(drawn_runs)
def test_a_winner_stands_alone_in_one_cohort(drawn: list[tuple[int, int, bool]]) -> None:
    comparison = compare_runs(build(drawn))

    assert comparison.is_comparable == (comparison.must_match == ())
    assert comparison.is_comparable == (len({cohort for cohort, _, _ in drawn}) == 1)
    if comparison.winner is not None:
        by_run = dict(zip(comparison.runs, drawn, strict=True))
        _, best, passed = by_run[comparison.winner]
        assert passed
        rest = [value for run, (_, value, ok) in by_run.items() if ok and run != comparison.winner]
        assert rest
        assert best < min(rest)
