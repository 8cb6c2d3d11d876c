from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import day, digest_of, make_implementation, make_run

from kgraph.facts import ProjectFact
from kgraph.policy import ChangeVerdict, RegressionSeries, derive_series, find_lineage
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from kgraph.facts import RunFact

OLD, MIDDLE, NEW = (digest_of(name) for name in ("0.6", "0.7", "0.8"))
PROJECT = ProjectFact(digest_of("project"), Slug("kernels"), "Kernels", None, None)


def run(at: float, value: float, revision: str = "0.8", **changes: Any) -> RunFact:  # noqa: ANN401 - any field
    name = f"{revision} {at}"
    return make_run(name, value, implementation=digest_of(revision), observed_at=day(at), **changes)


def derive(*runs: RunFact, threshold: float = 0.05, **named: Any) -> RegressionSeries:  # noqa: ANN401 - as derive_series
    return derive_series(runs, threshold, **{"candidate": frozenset({NEW}), **named})


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (104.9, ChangeVerdict.WITHIN_THRESHOLD),
        (105.1, ChangeVerdict.SLOWER),
        (96.0, ChangeVerdict.WITHIN_THRESHOLD),
        (95.0, ChangeVerdict.FASTER),
    ],
)
def test_a_value_beyond_the_threshold_is_slower_or_faster(
    after: float, verdict: ChangeVerdict
) -> None:
    change = derive(run(0, 100, "0.7"), run(1, after)).change

    assert change is not None
    assert change.verdict is verdict
    assert (change.before, change.after) == (MIDDLE, NEW)
    assert change.ratio == pytest.approx(after / 100)


def test_a_rate_that_falls_is_slower() -> None:
    rate: dict[str, Any] = {"metric": "bandwidth", "unit": "GB/s", "statistic": None}

    change = derive(run(0, 100, "0.7", **rate), run(1, 80, **rate)).change

    assert change is not None
    assert change.verdict is ChangeVerdict.SLOWER
    assert change.ratio == pytest.approx(1.25)


def test_the_revision_before_is_the_last_one_first_seen_earlier() -> None:
    change = derive(run(0, 50, "0.6"), run(1, 100, "0.7"), run(2, 100), run(3, 49, "0.6")).change

    # 0.6 was measured again after 0.8 and is no newer for it.
    assert change is not None
    assert change.before == MIDDLE
    assert change.verdict is ChangeVerdict.WITHIN_THRESHOLD


def test_medians_stand_for_revisions_measured_often() -> None:
    runs = [run(at, value, "0.7") for at, value in enumerate((90, 100, 500))]
    change = derive(*runs, run(9, 101), run(10, 99), run(11, 300)).change

    assert change is not None
    assert (change.before_value, change.after_value) == (100, 101)
    assert (change.before_run_count, change.after_run_count) == (3, 3)


def test_one_revision_is_compared_with_its_own_past() -> None:
    change = derive(run(0, 100), run(1, 100), run(2, 120)).change

    assert change is not None
    assert change.before == change.after == NEW
    assert change.verdict is ChangeVerdict.SLOWER


def test_overlapping_intervals_are_noise() -> None:
    def measured(at: float, value: float, revision: str, half: float) -> RunFact:
        return run(at, value, revision, interval_low=value - half, interval_high=value + half)

    wide = derive(measured(0, 100, "0.7", 8), measured(1, 110, "0.8", 8))
    narrow = derive(measured(0, 100, "0.7", 2), measured(1, 110, "0.8", 2))
    one_sided = derive(run(0, 100, "0.7"), measured(1, 110, "0.8", 50))

    assert wide.change is not None
    assert wide.change.verdict is ChangeVerdict.WITHIN_NOISE
    assert not wide.points[1].is_change
    assert narrow.change is not None
    assert narrow.change.verdict is ChangeVerdict.SLOWER
    assert narrow.points[1].is_change
    assert one_sided.change is not None
    assert one_sided.change.verdict is ChangeVerdict.SLOWER


def test_a_baseline_is_compared_with_in_place_of_the_one_before() -> None:
    runs = (run(0, 50, "0.6"), run(1, 100, "0.7"), run(2, 100))

    change = derive(*runs, baseline=frozenset({OLD})).change

    assert change is not None
    assert change.before == OLD
    assert change.ratio == 2


@pytest.mark.parametrize(
    ("runs", "named", "reason"),
    [
        ([run(0, 1)], {}, "No earlier revision"),
        ([run(0, 1, "0.7")], {}, "asked about was not measured"),
        ([run(0, 1), run(1, 1, "0.6")], {}, "No earlier revision"),
        ([run(0, 1), run(1, 1)], {"baseline": frozenset({OLD})}, "baseline was not measured"),
        ([run(0, 1), run(1, 1)], {"baseline": frozenset({NEW})}, "baseline was not measured"),
        ([run(0, 1, metric="zest"), run(1, 9, metric="zest")], {}, "which way zest goes"),
    ],
    ids=["alone", "not-measured", "only-later", "no-baseline", "own-baseline", "no-direction"],
)
def test_what_cannot_be_compared_says_why(
    runs: list[RunFact], named: dict[str, Any], reason: str
) -> None:
    series = derive(*runs, **named)

    assert series.change is None
    assert series.reason is not None
    assert reason in series.reason
    assert len(series.points) == len(runs)


def test_change_points_begin_new_levels() -> None:
    values = (100, 102, 99, 120, 121, 118, 100)
    points = derive(*(run(at, value) for at, value in enumerate(values))).points

    assert [point.is_change for point in points] == [False] * 3 + [True] + [False] * 2 + [True]
    assert points[0].ratio_to_level is None
    assert points[3].ratio_to_level == pytest.approx(1.2)
    assert points[4].ratio_to_level == pytest.approx(121 / 120)


series_drawn = st.lists(
    st.tuples(st.sampled_from(["0.6", "0.7", "0.8"]), st.integers(1, 400)), min_size=1, max_size=12
)


@given(series_drawn, st.floats(0, 1), st.randoms(use_true_random=False))
def test_the_order_of_runs_changes_nothing(
    drawn: list[tuple[str, int]],
    threshold: float,
    shuffler: Any,  # noqa: ANN401 - hypothesis's own
) -> None:
    runs = [run(at, value, revision) for at, (revision, value) in enumerate(drawn)]
    shuffled = list(runs)
    shuffler.shuffle(shuffled)

    assert derive(*runs, threshold=threshold) == derive(*shuffled, threshold=threshold)


@given(series_drawn, st.floats(0, 1))
def test_a_verdict_follows_from_its_ratio(drawn: list[tuple[str, int]], threshold: float) -> None:
    series = derive(
        *(run(at, value, revision) for at, (revision, value) in enumerate(drawn)),
        threshold=threshold,
    )

    assert (series.change is None) == (series.reason is not None)
    if series.change is not None:
        is_slower = series.change.ratio > 1 + threshold
        assert (series.change.verdict is ChangeVerdict.SLOWER) == is_slower
        assert series.change.ratio == pytest.approx(
            series.change.after_value / series.change.before_value
        )


# --- lineages --------------------------------------------------------------------------------


def test_a_lineage_shares_operation_project_and_title() -> None:
    one, other, retitled, foreign, elsewhere = (
        make_implementation(digest=digest_of("one"), project=PROJECT),
        make_implementation(digest=digest_of("other"), project=PROJECT, version="2"),
        make_implementation(digest=digest_of("retitled"), project=PROJECT, title="Another"),
        make_implementation(digest=digest_of("foreign"), project=None),
        make_implementation(
            digest=digest_of("elsewhere"), project=PROJECT, operation_digest=digest_of("else")
        ),
    )

    found = find_lineage(one, [one, other, retitled, foreign, elsewhere])

    assert found == (one, other)


def test_a_repository_stands_for_a_project_and_a_title_alone_does_not() -> None:
    home = "https://example.org/kernels"
    one = make_implementation(digest=digest_of("one"), repository=home)
    other = make_implementation(digest=digest_of("other"), repository=home)
    homeless = make_implementation(digest=digest_of("homeless"))
    namesake = make_implementation(digest=digest_of("namesake"))

    everything = [one, other, homeless, namesake]
    assert find_lineage(one, everything) == (one, other)
    assert find_lineage(homeless, everything) == (homeless,)
