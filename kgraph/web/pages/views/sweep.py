"""Which scaling plots belong to a comparison, drawn with the floors of their workloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.web.pages.charts import plot_scaling
from kgraph.web.pages.charts.scaling import Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.web.pages.ask import Data
    from kgraph.web.pages.charts import Scaling

# An operation has one or two axes that its workloads vary; more plots say little more.
_MAX_PLOTS = 2


@dataclass(frozen=True, slots=True)
class ShownSweep:
    """A sweep with its drawing and its table."""

    sweep: Data
    plot: Scaling | None
    places: tuple[int, ...]
    """Sizes of the axis, smallest first."""
    series: tuple[Data, ...]
    """As the API gives them, fastest at the largest shared size first."""
    cells: tuple[Mapping[int, Data], ...]
    """For each of the series, its point by place."""
    floors: Mapping[int, float]
    """Estimated floor in nanoseconds, by place."""
    is_of_comparison: bool
    """Whether it goes through the workload of the comparison, measured the same way."""


def find_sweeps(
    sweeps: Sequence[Data], edges: Sequence[Data], comparison: Data
) -> tuple[ShownSweep, ...]:
    """The sweeps through a comparison, longest first, at most 2; else the longest of all."""
    way = (comparison["protocol"]["digest"], comparison["environment"]["digest"])
    workload = comparison["workload"]["digest"]
    own = [
        sweep
        for sweep in sweeps
        if _way(sweep) == way
        and any(
            point["workload"]["digest"] == workload
            for series in sweep["series"]
            for point in series["points"]
        )
    ]
    own.sort(key=lambda sweep: (-_length(sweep), sweep["axis"]))
    if own:
        return tuple(_show(sweep, edges, own=True) for sweep in own[:_MAX_PLOTS])
    longest = sorted(sweeps, key=lambda sweep: (_way(sweep) != way, -_length(sweep)))
    return tuple(_show(sweep, edges, own=False) for sweep in longest[:1])


def _show(sweep: Data, edges: Sequence[Data], *, own: bool) -> ShownSweep:
    floors_of = {
        edge["node"]["digest"]: cohort["headroom"]["floorNs"]
        for edge in edges
        for cohort in edge["node"]["cohorts"]
        if _way(cohort) == _way(sweep) and cohort["headroom"] and cohort["headroom"]["floorNs"]
    }
    points = [point for series in sweep["series"] for point in series["points"]]
    places = tuple(sorted({point["axisValue"] for point in points}))
    floors = {
        point["axisValue"]: floors_of[point["workload"]["digest"]]
        for point in points
        if sweep["unit"] == "ns" and point["workload"]["digest"] in floors_of
    }
    series = tuple(sorted(sweep["series"], key=_at_the_end))
    plot = plot_scaling(
        sweep["axis"],
        [
            Series(
                one["implementation"]["title"],
                tuple((point["axisValue"], point["value"]) for point in one["points"]),
            )
            for one in series
        ],
        floors,
        sweep["unit"],
    )
    cells = tuple({point["axisValue"]: point for point in one["points"]} for one in series)
    return ShownSweep(sweep, plot, places, series, cells, floors, own)


def _at_the_end(series: Data) -> tuple[int, float, str]:
    last = series["points"][-1]
    return (-last["axisValue"], last["value"], series["implementation"]["title"])


def _way(one: Data) -> tuple[str, str]:
    return (one["protocol"]["digest"], one["environment"]["digest"])


def _length(sweep: Data) -> int:
    return max((len(series["points"]) for series in sweep["series"]), default=0)
