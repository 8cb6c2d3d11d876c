"""How implementations scale along an axis: both axes logarithmic, the estimated floor below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.web.pages.charts.scale import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Tick,
    scale_log,
    thin_ticks,
)
from kgraph.web.pages.words import show_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_SERIES = 8
"""Colours that can be told apart; more implementations stand in the table alone."""

_LABEL_WIDTH = 58.0


@dataclass(frozen=True, slots=True)
class Series:
    """One implementation along the axis."""

    name: str
    points: tuple[tuple[int, float], ...]
    """Place on the axis and value, in order of the axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A run as it is drawn."""

    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """One implementation as it is drawn."""

    number: int
    """Which colour and shape; 0 first."""
    name: str
    path: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Scaling:
    """The drawing."""

    axis: str
    lines: tuple[Line, ...]
    floor: str
    """Path data; empty where fewer than two floors are known."""
    floor_marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def plot_scaling(
    axis: str, series: Sequence[Series], floors: Mapping[int, float], unit: str | None
) -> Scaling | None:
    """The drawing; None where there are not two places with values above zero.

    Args:
        axis: its name.
        series: fastest first; the first 8 are drawn.
        floors: estimated floor by place on the axis, in the unit of the values.
        unit: of the values.
    """
    drawn = [
        Series(one.name, tuple((at, value) for at, value in one.points if at > 0 and value > 0))
        for one in series[:MAX_SERIES]
    ]
    places = sorted({at for one in drawn for at, _ in one.points})
    if len(places) < 2:  # noqa: PLR2004 - one place is no axis
        return None
    low = {at: floors[at] for at in places if floors.get(at, 0.0) > 0}
    x = scale_log(places, LEFT, WIDTH - RIGHT, air=1.12)
    values = [value for one in drawn for _, value in one.points]
    y = scale_log([*values, *low.values()], HEIGHT - BOTTOM, TOP, air=1.35)

    def mark(at: int, value: float, name: str) -> Mark:
        title = f"{name}: {show_value(value, unit)} at {axis} = {at:,}"
        return Mark(x.place(at), y.place(value), title)

    lines = []
    for number, one in enumerate(drawn):
        marks = tuple(mark(at, value, one.name) for at, value in one.points)
        lines.append(Line(number, one.name, _join(marks), marks))
    floor_marks = tuple(mark(at, value, "estimated floor") for at, value in low.items())
    return Scaling(
        axis,
        tuple(lines),
        _join(floor_marks) if len(floor_marks) > 1 else "",
        floor_marks,
        thin_ticks([Tick(x.place(at), f"{at:,}") for at in places], _LABEL_WIDTH),
        y.ticks(unit),
    )


def _join(marks: Sequence[Mark]) -> str:
    return "M" + "L".join(f"{one.x:g} {one.y:g}" for one in marks) if marks else ""
