"""Record events."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import day, digest_of, judge_all, make_correction, make_run

from kgraph.policy import derive_records, judge_eligibility
from kgraph.vocab import CorrectionAction, RecordCause, RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from kgraph.facts import RecordEventFact, RunFact


def derive(runs: Sequence[RunFact]) -> tuple[RecordEventFact, ...]:
    return derive_records(runs, judge_all(runs))


def told(events: Sequence[RecordEventFact], runs: Sequence[RunFact]) -> list[tuple[Any, ...]]:
    """Cause, record after and record before, by title."""
    titles = {run.digest: run.title for run in runs}
    return [
        (
            event.cause,
            event.run and titles[event.run],
            event.previous_run and titles[event.previous_run],
        )
        for event in events
    ]


def test_each_strictly_better_run_takes_the_record() -> None:
    runs = [
        make_run("first", 20.0, observed_at=day(1)),
        make_run("worse", 30.0, observed_at=day(2)),
        make_run("equal", 20.0, observed_at=day(3)),
        make_run("better", 15.0, observed_at=day(4)),
    ]

    events = derive(runs)

    assert told(events, runs) == [
        (RecordCause.NEW_RUN, "first", None),
        (RecordCause.NEW_RUN, "better", "first"),
    ]
    assert [event.ordinal for event in events] == [1, 2]
    assert [event.improvement_percent for event in events] == [None, 25.0]
    assert [event.previous_value for event in events] == [None, 20.0]
    assert events[1].at == day(4)
    assert events[1].policy == "ranking-v1"


def test_runs_of_one_instant_are_walked_by_digest() -> None:
    names = sorted(("x", "y"), key=digest_of)
    runs = [make_run(names[0], 20.0), make_run(names[1], 10.0)]

    assert told(derive(runs), runs) == [
        (RecordCause.NEW_RUN, names[0], None),
        (RecordCause.NEW_RUN, names[1], names[0]),
    ]


def test_improvement_is_positive_where_more_is_better() -> None:
    runs = [
        make_run("a", 50.0, metric="throughput", unit="tokens/s", observed_at=day(1)),
        make_run("b", 60.0, metric="throughput", unit="tokens/s", observed_at=day(2)),
    ]

    assert derive(runs)[1].improvement_percent == pytest.approx(20.0)


def test_a_retraction_hands_the_record_back() -> None:
    runs = [
        make_run("old", 20.0, observed_at=day(1)),
        make_run(
            "wrong", 10.0, observed_at=day(2), corrections=(make_correction("wrong", day(9)),)
        ),
        make_run("twin", 20.0, observed_at=day(3)),
        make_run("next", 18.0, observed_at=day(12)),
    ]

    events = derive(runs)

    assert told(events, runs) == [
        (RecordCause.NEW_RUN, "old", None),
        (RecordCause.NEW_RUN, "wrong", "old"),
        (RecordCause.RETRACTION, "old", "wrong"),
        (RecordCause.NEW_RUN, "next", "old"),
    ]
    assert events[2].at == day(9)
    assert events[2].improvement_percent == -100.0


def test_a_correction_without_successor_leaves_no_record() -> None:
    supersession = make_correction("only", day(5), CorrectionAction.SUPERSEDE)
    runs = [
        make_run("only", 10.0, observed_at=day(1), corrections=(supersession,)),
        make_run("later", 30.0, observed_at=day(6)),
    ]

    events = derive(runs)

    assert told(events, runs) == [
        (RecordCause.NEW_RUN, "only", None),
        (RecordCause.SUPERSESSION, None, "only"),
        (RecordCause.NEW_RUN, "later", None),
    ]
    assert events[1].value is None
    assert events[1].improvement_percent is None
    assert events[2].improvement_percent is None


def test_a_correction_of_another_run_only_removes_it_from_later() -> None:
    runs = [
        make_run(
            "second", 12.0, observed_at=day(1), corrections=(make_correction("second", day(4)),)
        ),
        make_run("best", 10.0, observed_at=day(2), corrections=(make_correction("best", day(8)),)),
        make_run("third", 15.0, observed_at=day(3)),
    ]

    assert told(derive(runs), runs) == [
        (RecordCause.NEW_RUN, "second", None),
        (RecordCause.NEW_RUN, "best", "second"),
        (RecordCause.RETRACTION, "third", "best"),
    ]


def test_a_run_corrected_before_it_was_observed_never_stands() -> None:
    runs = [
        make_run("a", 10.0, observed_at=day(5), corrections=(make_correction("a", day(4)),)),
        make_run("b", 20.0, observed_at=day(6)),
    ]

    assert told(derive(runs), runs) == [(RecordCause.NEW_RUN, "b", None)]


def test_a_second_correction_of_one_run_changes_nothing() -> None:
    both = (
        make_correction("a", day(4)),
        make_correction("a", day(5), CorrectionAction.SUPERSEDE),
    )
    runs = [make_run("a", 10.0, observed_at=day(1), corrections=both)]

    assert told(derive(runs), runs) == [
        (RecordCause.NEW_RUN, "a", None),
        (RecordCause.RETRACTION, None, "a"),
    ]


def test_a_failed_run_never_enters_even_when_it_is_corrected() -> None:
    failed = make_run(
        "a", 1.0, status=RunStatus.TIMEOUT, corrections=(make_correction("a", day(1)),)
    )

    assert derive([failed]) == ()


def test_an_unknown_metric_has_no_records() -> None:
    assert derive([make_run(metric="beauty")]) == ()


@st.composite
def histories(draw: st.DrawFn) -> list[RunFact]:
    """Runs of one cohort over a few days, some failed, some corrected."""
    runs = []
    for number in range(draw(st.integers(1, 8))):
        name = f"run-{number}"
        run = make_run(
            name,
            float(draw(st.integers(1, 6))),
            observed_at=day(draw(st.integers(0, 5))),
            status=draw(st.sampled_from([RunStatus.PASSED] * 4 + [RunStatus.TIMEOUT])),
        )
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            action = draw(st.sampled_from(CorrectionAction))
            correction = make_correction(name, day(draw(st.integers(0, 9))), action)
            run = replace(run, corrections=(*run.corrections, correction))
        runs.append(run)
    return runs


@given(histories(), st.randoms(use_true_random=False))
def test_import_order_changes_no_record(runs: list[RunFact], random: Random) -> None:
    shuffled = list(runs)
    random.shuffle(shuffled)

    assert derive(shuffled) == derive(runs)


@given(histories())
def test_an_ineligible_run_changes_no_record(runs: list[RunFact]) -> None:
    failed = make_run("failed", 0.5, observed_at=day(2), status=RunStatus.INCORRECT_NUMERICAL)

    assert derive([*runs, failed]) == derive(runs)


@given(histories())
def test_each_event_follows_from_the_one_before(runs: list[RunFact]) -> None:
    events = derive(runs)

    assert [event.ordinal for event in events] == list(range(1, len(events) + 1))
    for before, after in pairwise(events):
        assert before.at <= after.at
        assert after.previous_run == before.run
        assert after.previous_value == before.value
        if after.cause is RecordCause.NEW_RUN and before.value is not None:
            assert after.value is not None
            assert after.value < before.value


@given(histories())
def test_the_standing_record_is_the_best_eligible_value(runs: list[RunFact]) -> None:
    eligible = [run.value for run in runs if run.value is not None and judge_eligibility(run)[0]]
    # A run corrected before it was observed is out as well, whatever the order of the two.
    events = derive(runs)

    standing = events[-1].value if events else None

    assert standing == min(eligible, default=None)


@given(histories(), st.integers(0, 5))
def test_a_better_eligible_run_never_worsens_the_record(runs: list[RunFact], on: int) -> None:
    before = derive(runs)
    after = derive([*runs, make_run("better", 0.5, observed_at=day(on))])

    assert after[-1].value == 0.5
    assert not before or before[-1].value is None or before[-1].value >= 0.5


@given(histories())
def test_a_correction_rewrites_nothing_before_it(runs: list[RunFact]) -> None:
    events = derive(runs)
    if not events or events[-1].run is None:
        return
    holder = events[-1].run
    correction = make_correction("later", day(20))
    corrected = [
        replace(run, corrections=(*run.corrections, replace(correction, run=run.digest)))
        if run.digest == holder
        else run
        for run in runs
    ]

    now = derive(corrected)

    assert now[: len(events)] == events
    assert len(now) == len(events) + 1
    assert now[-1].previous_run == holder
