"""Geometry of the drawings: what stands where, and that nothing leaves the frame."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from kgraph.web.pages.charts import plot_scaling, plot_staircase
from kgraph.web.pages.charts.scale import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Scale,
    Tick,
    scale_instants,
    scale_values,
    thin_ticks,
    tick_instants,
)
from kgraph.web.pages.charts.scaling import MAX_SERIES, Series
from kgraph.web.pages.charts.staircase import Step

START = datetime(2026, 1, 31, 12, tzinfo=UTC)

values = st.floats(min_value=1e-6, max_value=1e15)
# Fifty years, to the second.
instants = st.integers(0, 50 * 365 * 86_400).map(lambda late: START + timedelta(seconds=late))


def numbers(path: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", path)]


def step(day: int, value: float | None, *, corrects: bool = False) -> Step:
    at = START + timedelta(days=day)
    return Step(at=at, value=value, holder="fast" if value else None, is_correction=corrects)


@given(st.lists(values, min_size=1, max_size=20))
def test_a_scale_of_values_holds_them_all(held: list[float]) -> None:
    scale = scale_values(held, HEIGHT - BOTTOM, TOP)

    places = [scale.place(value) for value in held]
    assert all(TOP <= place <= HEIGHT - BOTTOM for place in places)
    # Higher values stand higher.
    assert sorted(places, reverse=True) == [scale.place(value) for value in sorted(held)]


@given(st.lists(values, min_size=1, max_size=20))
def test_ticks_are_few_and_inside(held: list[float]) -> None:
    ticks = scale_values(held, 0.0, 100.0).ticks("ns")

    assert len(ticks) <= 7
    assert all(0.0 <= tick.at <= 100.0 for tick in ticks)
    assert len({tick.label for tick in ticks}) == len(ticks)


@given(st.lists(instants, min_size=1, max_size=10))
def test_dates_are_few_and_inside(held: list[datetime]) -> None:
    scale = scale_instants(held, LEFT, WIDTH - RIGHT)
    ticks = tick_instants(scale)

    assert 1 <= len(ticks) <= 8
    assert all(LEFT <= tick.at <= WIDTH - RIGHT for tick in ticks)
    assert all(LEFT <= scale.place(at.timestamp()) <= WIDTH - RIGHT for at in held)


def test_ticks_that_would_touch_are_left_out_but_never_the_ends() -> None:
    ticks = [Tick(float(at), str(at)) for at in (0, 10, 20, 30, 95, 100)]

    assert [tick.label for tick in thin_ticks(ticks, 15)] == ["0", "20", "100"]
    assert thin_ticks((), 15) == ()


def test_values_of_a_wide_range_stand_on_a_logarithmic_axis() -> None:
    assert scale_values([1.0, 100.0], 0.0, 1.0).is_log
    assert not scale_values([50.0, 100.0], 0.0, 1.0).is_log
    assert Scale(1.0, 100.0, 0.0, 10.0, is_log=True).place(10.0) == 5.0


def test_a_staircase_goes_down_at_each_step_and_on_to_the_edge() -> None:
    plot = plot_staircase([step(0, 30.0), step(40, 20.0), step(80, 10.0)], [], "ns")

    assert plot is not None
    assert re.fullmatch(r"M\S+ \S+(H\S+?V[\d.]+){2}H546", plot.line)
    heights = [dot.y for dot in plot.dots]
    assert heights == sorted(heights)
    assert plot.dots[0].title == "2026-01-31: 30.0 ns, fast"


def test_a_correction_that_leaves_no_record_breaks_the_line() -> None:
    steps = [step(0, 30.0), step(10, None, corrects=True), step(20, 40.0)]

    plot = plot_staircase(steps, [], "ns")

    assert plot is not None
    assert plot.line.count("M") == 2
    assert len(plot.dots) == 2
    assert plot_staircase([step(0, None)], [], "ns") is None
    assert plot_staircase([], [], "ns") is None


@given(
    st.lists(st.tuples(instants, values), min_size=1, max_size=15),
    st.lists(st.tuples(instants, values), max_size=15),
)
def test_a_staircase_stays_in_its_frame(
    steps: list[tuple[datetime, float]], runs: list[tuple[datetime, float]]
) -> None:
    drawn = [
        Step(at=at, value=value, holder=None, is_correction=False) for at, value in sorted(steps)
    ]

    plot = plot_staircase(drawn, runs, "ns")

    assert plot is not None
    assert len(plot.dots) == len(steps)
    for dot in plot.dots:
        assert LEFT <= dot.x <= WIDTH - RIGHT
        assert TOP <= dot.y <= HEIGHT - BOTTOM
    assert plot.cloud.count("M") == len(runs)
    assert all(0 <= number <= WIDTH for number in numbers(plot.line))


def test_a_scaling_plot_draws_series_floor_and_hover_values() -> None:
    fast = Series("fast", ((1024, 1e6), (2048, 2e6), (4096, 4e6)))
    slow = Series("slow", ((1024, 2e6), (4096, 8e6)))

    plot = plot_scaling("tokens", [fast, slow], {1024: 5e5, 4096: 2e6, 9999: 1.0}, "ns")

    assert plot is not None
    # Doubling at each doubling is a straight line where both axes are logarithmic.
    (x0, y0), (x1, y1), (x2, y2) = ((mark.x, mark.y) for mark in plot.lines[0].marks)
    assert abs((x1 - x0) - (x2 - x1)) <= 0.2
    assert abs((y1 - y0) - (y2 - y1)) <= 0.2
    assert plot.lines[0].marks[0].title == "fast: 1.0 ms at tokens = 1,024"
    assert [mark.title for mark in plot.floor_marks] == [
        "estimated floor: 500.0 µs at tokens = 1,024",
        "estimated floor: 2.0 ms at tokens = 4,096",
    ]
    assert plot.floor.startswith("M")
    assert [tick.label for tick in plot.x_ticks] == ["1,024", "2,048", "4,096"]


def test_a_single_place_is_no_scaling_plot() -> None:
    assert plot_scaling("n", [Series("one", ((8, 1.0),))], {}, "ns") is None
    assert plot_scaling("n", [Series("one", ((8, 1.0), (16, 0.0)))], {}, "ns") is None
    assert plot_scaling("n", [], {}, "ns") is None


def test_more_series_than_colours_are_left_to_the_table() -> None:
    series = [Series(f"s{number}", ((1, 1.0), (2, 2.0))) for number in range(MAX_SERIES + 3)]

    plot = plot_scaling("n", series, {}, None)

    assert plot is not None
    assert [line.number for line in plot.lines] == list(range(MAX_SERIES))


@given(
    st.lists(
        st.dictionaries(st.integers(1, 10**6), values, min_size=2, max_size=8),
        min_size=1,
        max_size=4,
    )
)
def test_a_scaling_plot_stays_in_its_frame(series: list[dict[int, float]]) -> None:
    drawn = [Series("s", tuple(sorted(one.items()))) for one in series]
    floors = {at: value / 2 for at, value in drawn[0].points}

    plot = plot_scaling("n", drawn, floors, "ns")

    assert plot is not None
    for line in plot.lines:
        for mark in line.marks:
            assert LEFT <= mark.x <= WIDTH - RIGHT
            assert TOP <= mark.y <= HEIGHT - BOTTOM
