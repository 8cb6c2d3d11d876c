from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import CorrectionFact, MeasurementFact, ServingRunFact
from kgraph.policy import (
    SERVING_RANKING_VERSION,
    Direction,
    ServingObjective,
    ServingRanking,
    find_objective_rule,
    rank_serving,
)
from kgraph.vocab import CohortKey, CorrectionAction, Slug

AT = datetime(2026, 1, 2, tzinfo=UTC)
THROUGHPUT = ServingObjective.OUTPUT_TOKEN_THROUGHPUT
PER_ACCELERATOR = ServingObjective.OUTPUT_TOKEN_THROUGHPUT_PER_ACCELERATOR
FIRST_TOKEN = ServingObjective.TIME_TO_FIRST_TOKEN_P99


def name(number: int) -> SpecDigest:
    return SpecDigest(f"sha256:{number:064x}")


def figure(
    value: float,
    metric: str = "output_token_throughput_tps",
    statistic: str = "reported",
    unit: str = "tokens_s",
) -> MeasurementFact:
    return MeasurementFact(metric, statistic, unit, value, None)


def serving_run(number: int, *measurements: MeasurementFact, **changes: Any) -> ServingRunFact:  # noqa: ANN401 - any field
    run = ServingRunFact(
        digest=name(number),
        object_id=ObjectId("blake3:" + "0" * 64),
        title="a run",
        status="valid",
        observed_at=AT,
        published_at=AT,
        source=Slug("source"),
        cohort=CohortKey(name(1000)),
        model=name(1001),
        model_name="model",
        configuration=name(1002),
        stack=name(1003),
        stack_version=None,
        workload=name(1004),
        workload_name="load",
        scenario="server",
        quality_policy="closed",
        accelerator_vendor="nvidia",
        accelerator_model="NVIDIA H200",
        accelerator_count=8,
        node_count=1,
        dtype="fp8",
        measurements=measurements,
    )
    return replace(run, **changes)


def correction(run: ServingRunFact, action: CorrectionAction) -> CorrectionFact:
    return CorrectionFact(run.object_id, run.digest, action, None, "wrong", "somebody", AT)


def shown(ranking: ServingRanking) -> list[tuple[SpecDigest, int, bool, float]]:
    return [(one.run, one.rank, one.is_tied, one.value) for one in ranking.standings]


def test_more_tokens_a_second_is_better_and_equal_values_tie_densely() -> None:
    runs = [serving_run(n, figure(value)) for n, value in enumerate((50.0, 90.0, 70.0, 90.0), 1)]

    ranking = rank_serving(runs, THROUGHPUT, {})

    assert ranking.policy == SERVING_RANKING_VERSION
    assert (ranking.direction, ranking.unit) == (Direction.HIGHER, "tokens_s")
    assert shown(ranking) == [
        (name(2), 1, True, 90.0),
        (name(4), 1, True, 90.0),
        (name(3), 2, False, 70.0),
        (name(1), 3, False, 50.0),
    ]
    assert [one.position for one in ranking.standings] == [1, 2, 3, 4]
    assert [one.ratio_to_leader for one in ranking.standings] == [1, 1, 90 / 70, 90 / 50]
    assert ranking.unranked == ()


def test_a_tie_is_shown_newest_first_then_by_digest() -> None:
    runs = [
        serving_run(1, figure(90.0)),
        serving_run(3, figure(90.0), observed_at=AT + timedelta(days=1)),
        serving_run(2, figure(90.0), observed_at=AT + timedelta(days=1)),
    ]

    ranking = rank_serving(runs, THROUGHPUT, {})

    assert [one.run for one in ranking.standings] == [name(2), name(3), name(1)]


def test_per_accelerator_divides_by_all_devices_of_all_nodes() -> None:
    runs = [
        serving_run(1, figure(800.0), accelerator_count=8, node_count=2),
        serving_run(2, figure(100.0), accelerator_count=1, node_count=1),
    ]

    ranking = rank_serving(runs, PER_ACCELERATOR, {})

    assert ranking.unit == "tokens_s/accelerator"
    assert shown(ranking) == [(name(2), 1, False, 100.0), (name(1), 2, False, 50.0)]
    assert [one.run for one in rank_serving(runs, THROUGHPUT, {}).standings] == [name(1), name(2)]


def test_waiting_less_is_better() -> None:
    runs = [
        serving_run(1, figure(450.0, "ttft_ms", "p99", "ms")),
        serving_run(2, figure(300.0, "ttft_ms", "p99", "ms")),
    ]

    ranking = rank_serving(runs, FIRST_TOKEN, {})

    assert ranking.direction is Direction.LOWER
    assert shown(ranking) == [(name(2), 1, False, 300.0), (name(1), 2, False, 450.0)]
    assert ranking.standings[1].ratio_to_leader == 1.5


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (serving_run(1, figure(9.0), status="invalid"), ("STATUS_INVALID",)),
        (
            serving_run(1, figure(9.0), status="incomplete_evidence"),
            ("STATUS_INCOMPLETE_EVIDENCE",),
        ),
        (serving_run(1, figure(9.0, metric="goodput")), ("MISSING_OBJECTIVE_METRIC",)),
        (serving_run(1, figure(9.0, statistic="p01")), ("MISSING_OBJECTIVE_METRIC",)),
        (serving_run(1, figure(0.0)), ("MISSING_OBJECTIVE_METRIC",)),
        (serving_run(1, figure(float("inf"))), ("MISSING_OBJECTIVE_METRIC",)),
        (serving_run(1, figure(5e-324)), ("MISSING_OBJECTIVE_METRIC",)),
        (serving_run(1, figure(9.0, unit="requests_s")), ("OBJECTIVE_UNIT_UNKNOWN",)),
        (
            serving_run(1, figure(9.0, unit="requests_s"), status="invalid"),
            ("STATUS_INVALID", "OBJECTIVE_UNIT_UNKNOWN"),
        ),
    ],
)
def test_a_run_without_a_standing_says_why(run: ServingRunFact, reasons: tuple[str, ...]) -> None:
    ranking = rank_serving([run, serving_run(2, figure(5.0))], THROUGHPUT, {})

    assert [one.run for one in ranking.standings] == [name(2)]
    assert [(one.run, one.reasons) for one in ranking.unranked] == [(name(1), reasons)]


def test_a_corrected_run_has_no_standing() -> None:
    first, second, third = (serving_run(n, figure(float(n))) for n in (1, 2, 3))
    corrections = {
        third.digest: [correction(third, CorrectionAction.RETRACT)],
        second.digest: [correction(second, CorrectionAction.SUPERSEDE)],
    }

    ranking = rank_serving([first, second, third], THROUGHPUT, corrections)

    assert shown(ranking) == [(name(1), 1, False, 1.0)]
    assert [one.reasons for one in ranking.unranked] == [("SUPERSEDED",), ("RETRACTED",)]


def test_the_figure_as_reported_is_preferred_to_a_mean() -> None:
    run = serving_run(1, figure(7.0, statistic="mean"), figure(8.0))

    (standing,) = rank_serving([run], THROUGHPUT, {}).standings

    assert (standing.value, standing.statistic) == (8.0, "reported")


def test_runs_of_two_cohorts_are_never_compared() -> None:
    other = serving_run(2, figure(9.0), cohort=CohortKey(name(2000)))

    with pytest.raises(ValueError, match="expected one"):
        rank_serving([serving_run(1, figure(8.0)), other], THROUGHPUT, {})


def test_no_runs_have_no_standing() -> None:
    ranking = rank_serving([], THROUGHPUT, {})
    assert (ranking.standings, ranking.unranked) == ((), ())


@pytest.mark.parametrize("objective", ServingObjective)
def test_every_objective_says_how_it_reads_a_run(objective: ServingObjective) -> None:
    rule = find_objective_rule(objective)
    run = serving_run(1, figure(8.0, rule.metric, rule.statistics[0], rule.units[0]))

    (standing,) = rank_serving([run], objective, {}).standings

    assert standing.value == (1.0 if rule.is_per_accelerator else 8.0)


@given(
    values=st.lists(st.integers(1, 6), max_size=12),
    objective=st.sampled_from([THROUGHPUT, PER_ACCELERATOR]),
    data=st.data(),
)
def test_the_order_of_runs_changes_nothing_and_ranks_are_dense(
    values: list[int], objective: ServingObjective, data: st.DataObject
) -> None:
    runs = [serving_run(n, figure(float(value))) for n, value in enumerate(values)]
    shuffled = data.draw(st.permutations(runs))

    ranking = rank_serving(runs, objective, {})

    assert rank_serving(shuffled, objective, {}) == ranking
    assert sorted({one.rank for one in ranking.standings}) == list(range(1, len(set(values)) + 1))
    ratios = [one.ratio_to_leader for one in ranking.standings]
    assert ratios == sorted(ratios)
