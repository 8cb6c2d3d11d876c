"""From values to places on a drawing, and the round values beside its axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kgraph.web.pages.words import show_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 560.0, 280.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 12.0, 40.0

_MAX_TICKS = 6
# A wider range than this hides its lower part on a linear axis.
_LOG_FROM = 6.0
_ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)
_SHORTEST = timedelta(days=14).total_seconds()
_DAY_STEPS = (1, 2, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Tick:
    """A value beside an axis."""

    at: float
    """Where along the axis, in units of the drawing."""
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to places between two ends of a drawing."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, to a tenth of a unit."""
        low, high, here = self.low, self.high, value
        if self.is_log:
            low, high, here = math.log(low), math.log(high), math.log(value)
        return round(self.start + (here - low) / (high - low) * (self.end - self.start), 1)

    def round_values(self) -> list[float]:
        """Round values of the range, at most 6."""
        return _log_values(self.low, self.high) if self.is_log else _round_values(self)

    def ticks(self, unit: str | None) -> tuple[Tick, ...]:
        """Round values of the range, with labels in the unit."""
        values = self.round_values()
        places = map(self.place, values)
        return (
            tuple(
                Tick(at, label) for at, label in zip(places, show_ticks(values, unit), strict=True)
            )
            if values
            else ()
        )


def scale_values(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale that holds the values with some air; logarithmic where they span a wide range.

    Args:
        values: at least one.
    """
    low, high = min(values), max(values)
    if low > 0 and high / low >= _LOG_FROM:
        return Scale(low / 1.25, high * 1.25, start, end, is_log=True)
    air = (high - low) * 0.12 or abs(high) * 0.1 or 1.0
    floor = low - air
    # No axis runs below zero for values that cannot.
    return Scale(max(floor, 0.0) if low >= 0 else floor, high + air, start, end)


def scale_log(values: Sequence[float], start: float, end: float, *, air: float = 1.2) -> Scale:
    """A logarithmic scale that holds the values, all above zero."""
    return Scale(min(values) / air, max(values) * air, start, end, is_log=True)


def scale_instants(instants: Sequence[datetime], start: float, end: float) -> Scale:
    """A scale of seconds since 1970 that holds the instants."""
    low, high = min(instants).timestamp(), max(instants).timestamp()
    # Runs of one afternoon would stand on an axis of minutes, which says nothing.
    short = (_SHORTEST - (high - low)) / 2
    air = max((high - low) * 0.03, short)
    return Scale(low - air, high + air, start, end)


def tick_instants(scale: Scale) -> tuple[Tick, ...]:
    """First days of months, or days where the range is short, at most 6."""
    return tuple(Tick(scale.place(at.timestamp()), label) for at, label in choose_instants(scale))


def choose_instants(scale: Scale) -> tuple[tuple[datetime, str], ...]:
    """The instants of `tick_instants`, each with its label."""
    low = datetime.fromtimestamp(scale.low, UTC)
    high = datetime.fromtimestamp(scale.high, UTC)
    months = (high.year - low.year) * 12 + high.month - low.month
    if months > 1:
        step = next((one for one in _MONTH_STEPS if months / one <= _MAX_TICKS), _MONTH_STEPS[-1])
        count = low.year * 12 + low.month - 1
        firsts = [
            datetime(index // 12, index % 12 + 1, 1, tzinfo=UTC)
            for index in range(count, count + months + 1)
            if index % step == 0
        ]
        pattern = "%Y" if step % 12 == 0 else "%b %Y"
    else:
        days = (high - low).days + 1
        apart = next((one for one in _DAY_STEPS if days / one <= _MAX_TICKS), _DAY_STEPS[-1])
        first = datetime(low.year, low.month, low.day, tzinfo=UTC)
        firsts = [first + timedelta(days=index) for index in range(1, days + 1, apart)]
        pattern = "%d %b %Y" if days > _MAX_TICKS else "%d %b"
    shown = [one for one in firsts if scale.low <= one.timestamp() <= scale.high]
    return tuple((one, f"{one:{pattern}}") for one in shown)


def thin_ticks(ticks: Sequence[Tick], apart: float) -> tuple[Tick, ...]:
    """The ticks that stand at least `apart` from the one before; the first and the last stay."""
    kept: list[Tick] = []
    for tick in ticks:
        if not kept or abs(tick.at - kept[-1].at) >= apart:
            kept.append(tick)
    if ticks and kept[-1] != ticks[-1]:
        if len(kept) > 1:
            kept.pop()
        kept.append(ticks[-1])
    return tuple(kept)


def _round_values(scale: Scale) -> list[float]:
    wide = scale.high - scale.low
    power = 10.0 ** math.floor(math.log10(wide / (_MAX_TICKS - 1)))
    step = next(one * power for one in _ROUND_STEPS if wide / (one * power) <= _MAX_TICKS)
    first = math.ceil(scale.low / step)
    return [index * step for index in range(first, math.floor(scale.high / step) + 1)]


def _log_values(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        values = [factor * 10.0**power for power in powers for factor in factors]
        shown = [value for value in values if low <= value <= high]
        if len(shown) <= _MAX_TICKS:
            return shown
    every = math.ceil(len(shown) / _MAX_TICKS)
    return shown[::every]
