"""How a record changed: a staircase over time, with every run of the comparison behind it."""

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
    scale_instants,
    scale_values,
    thin_ticks,
    tick_instants,
)
from kgraph.web.pages.words import show_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

# "30 Jan 2026" at the drawing's letter size.
_DATE_WIDTH = 78.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change of a record."""

    at: datetime
    value: float | None
    """None where a correction left no record."""
    holder: str | None
    """Who holds it from then on."""
    is_correction: bool
    """Whether something else than a new run caused it."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A change as it is drawn."""

    x: float
    y: float
    title: str
    is_correction: bool


@dataclass(frozen=True, slots=True)
class Staircase:
    """The drawing."""

    line: str
    """Path data."""
    cloud: str
    """Path data: one point for each run."""
    dots: tuple[Dot, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    is_log: bool
    """Whether values stand on a logarithmic axis."""


def plot_staircase(
    steps: Sequence[Step], runs: Sequence[tuple[datetime, float]], unit: str | None
) -> Staircase | None:
    """The drawing; None where no step has a value.

    Args:
        steps: oldest first.
        runs: when and what, in any order.
        unit: of the values.
    """
    values = [step.value for step in steps if step.value is not None]
    if not values:
        return None
    instants = [step.at for step in steps] + [at for at, _ in runs]
    x = scale_instants(instants, LEFT, WIDTH - RIGHT)
    y = scale_values([*values, *(value for _, value in runs)], HEIGHT - BOTTOM, TOP)
    line: list[str] = []
    dots: list[Dot] = []
    is_drawing = False
    for step in steps:
        at = x.place(step.at.timestamp())
        if step.value is None:
            if is_drawing:
                line.append(f"H{at:g}")
            is_drawing = False
            continue
        height = y.place(step.value)
        line.append(f"H{at:g}V{height:g}" if is_drawing else f"M{at:g} {height:g}")
        is_drawing = True
        title = f"{step.at:%Y-%m-%d}: {show_value(step.value, unit)}"
        if step.holder:
            title += f", {step.holder}"
        dots.append(Dot(at, height, title, step.is_correction))
    if is_drawing:
        # The last record still stands.
        line.append(f"H{WIDTH - RIGHT:g}")
    cloud = [f"M{x.place(at.timestamp()):g} {y.place(value):g}h0" for at, value in runs]
    return Staircase(
        "".join(line),
        "".join(cloud),
        tuple(dots),
        thin_ticks(tick_instants(x), _DATE_WIDTH),
        y.ticks(unit),
        y.is_log,
    )
