"""Plots of braille dots in a terminal: a staircase of records, and lines on logarithmic axes.

The dots are plotille's: it has no dependencies and no state of its own. Axes are ours, since its
own have ticks at every tenth column, whatever stands there. Series are told apart by a letter at
each point, so that colour is never needed.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kgraph.cli.output import clean
from kgraph.cli.terminal import cut, measure, pad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgraph.cli.terminal import Terminal

Point = tuple[float, float]

MAX_SERIES = 8
"""Lines that can still be told apart."""

# Readable on dark and light alike; the plain blue is not on dark, nor bright green on light.
_COLORS = ("bright_blue", "bright_red", "green", "magenta", "cyan", "yellow")
_LETTERS = "ABCDEFGH"
_HEIGHT, _LEAST_HEIGHT = 20, 14
# Part of an axis that stays free at either end.
_MARGIN = 0.04
_DASH = 4
_TICK_ROWS = 3

_BLANK = 0x2800
_UPPER, _LOWER = 0x1B, 0xE4
_FRAME = str.maketrans({"│": "|", "┤": "+", "└": "+", "─": "-", "┬": "+", "━": "="})


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot."""

    label: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows, and how its numbers are written."""

    label: str
    write: Callable[[float], str]


@dataclass(slots=True)
class _Range:
    """Part of a number line that an axis shows."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float]) -> _Range:
        low, high = min(values), max(values)
        spread = (high - low) or abs(high) * 0.2 or 1.0
        return cls(low - spread * _MARGIN, high + spread * _MARGIN)

    def place(self, value: float, length: int) -> int:
        """Which of `length` cells a value lies in."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(int(share * length), 0), length - 1)


@dataclass(slots=True)
class _Drawing:
    """A canvas in its frame."""

    terminal: Terminal
    x: _Range
    y: _Range
    y_ticks: list[tuple[float, str]]
    x_ticks: list[tuple[float, str]]
    spans: list[Point] = field(default_factory=list)
    """Parts of the x axis that are drawn thick."""
    canvas: Any = None
    gutter: int = 0

    def __post_init__(self) -> None:
        # Only plots need it.
        import plotille  # noqa: PLC0415

        self.gutter = max((measure(text) for _, text in self.y_ticks), default=0)
        width = max(self.terminal.width - self.gutter - 2, 10)
        height = min(_HEIGHT, max(_LEAST_HEIGHT, width // 5))
        self.canvas = plotille.Canvas(
            width,
            height,
            self.x.low,
            self.y.low,
            self.x.high,
            self.y.high,
            no_color=not self.terminal.has_color,
        )

    def line(self, points: Sequence[Point], color: str | None) -> None:
        """Join points in their order."""
        for (x0, y0), (x1, y1) in pairwise(points):
            self.canvas.line(x0, y0, x1, y1, color=color)

    def dashes(self, points: Sequence[Point]) -> None:
        """Join points by a line with gaps."""
        for (x0, y0), (x1, y1) in pairwise(points):
            across, up = self.canvas.dots_between(x0, y0, x1, y1)
            steps = max(abs(across), abs(up), 1)
            for step in range(steps + 1):
                if step % _DASH < _DASH // 2:
                    share = step / steps
                    self.canvas.point(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)

    def mark(self, points: Sequence[Point], sign: str, color: str | None) -> None:
        """Put a sign at each point."""
        for x, y in points:
            self.canvas.point(x, y, color=color, marker=sign)

    def count_cells(self, points: Sequence[Point]) -> int:
        """How many cells the points, given as they are, lie in."""
        width, height = self.canvas.width, self.canvas.height
        found = {
            (self.x.place(at, width), self.y.place(value, height))
            for at, value in _take_logarithms(points)
        }
        return len(found)

    def lines(self) -> list[str]:
        """The finished plot, a text for each row."""
        height, width = self.canvas.height, self.canvas.width
        by_row: dict[int, str] = {}
        for value, text in self.y_ticks:
            by_row.setdefault(height - 1 - self.y.place(value, height), text)
        found = []
        for row, text in enumerate(self.canvas.plot(linesep="\n").split("\n")):
            sign = "┤" if row in by_row else "│"
            found.append(f"{pad(by_row.get(row, ''), self.gutter, is_right=True)} {sign}{text}")
        axis, labels = ["─"] * width, [" "] * width
        for begin, end in self.spans:
            for place in range(self.x.place(begin, width), self.x.place(end, width) + 1):
                axis[place] = "━"
        free_from = 0
        for value, text in self.x_ticks:
            place = self.x.place(value, width)
            start = min(max(place - len(text) // 2, 0), max(width - len(text), 0))
            if start < free_from or start + len(text) > width:
                continue
            labels[start : start + len(text)] = text
            axis[place] = "┬"
            free_from = start + len(text) + 2
        blank = " " * self.gutter
        found += [f"{blank} └{''.join(axis)}", f"{blank}  {''.join(labels).rstrip()}"]
        found = [line.replace(chr(_BLANK), " ").rstrip() for line in found]
        return found if self.terminal.has_unicode else [_write_ascii(line) for line in found]


def draw_scaling(
    series: Sequence[Series],
    *,
    floor: Sequence[Point],
    crossovers: Sequence[Point],
    x: Axis,
    y: Axis,
    terminal: Terminal,
) -> list[str]:
    """Lines on two logarithmic axes, with a dashed floor below them.

    Args:
        series: at most `MAX_SERIES`, each along x; all numbers are above 0.
        floor: the same, empty where none is known.
        crossovers: parts of the x axis in which the lead passes on.
    """
    points = [point for one in series for point in one.points]
    drawn = points + list(floor)
    drawing = _Drawing(
        terminal,
        _Range.over([math.log10(at) for at, _ in points]),
        _Range.over([math.log10(value) for _, value in drawn]),
        [(math.log10(value), y.write(value)) for value in _choose_decimal(drawn)],
        [(math.log10(at), x.write(at)) for at in sorted({at for at, _ in points})],
        [(math.log10(begin), math.log10(end)) for begin, end in crossovers],
    )
    drawing.dashes(_take_logarithms(floor))
    for place, one in enumerate(series):
        drawing.line(_take_logarithms(one.points), _COLORS[place % len(_COLORS)])
    # Letters last, so that no line runs over one; the first series is on top.
    for place, one in reversed(list(enumerate(series))):
        color = _COLORS[place % len(_COLORS)]
        drawing.mark(_take_logarithms(one.points), _LETTERS[place], color)
    lines = [f"{y.label} by {x.label}, both axes logarithmic", *drawing.lines()]
    lines += _write_legend([one.label for one in series], terminal)
    covered = drawing.count_cells(points) < len(points)
    notes = ["dashed: the floor that the hardware sets, an estimate"] if floor else []
    notes += ["thick on the axis: where the lead passes on"] if crossovers else []
    notes += ["a letter covers others at its place"] if covered else []
    return lines + _write_notes(notes, terminal)


def draw_staircase(
    steps: Sequence[tuple[datetime, float]],
    *,
    until: datetime,
    y: Axis,
    lower_is_better: bool,
    terminal: Terminal,
) -> list[str]:
    """A value over time that changes at once and then holds.

    Args:
        steps: in their order; the last one holds until `until`.
    """
    ends = [at.timestamp() for at, _ in steps[1:]] + [until.timestamp()]
    path: list[Point] = []
    for (at, value), end in zip(steps, ends, strict=True):
        path += [(at.timestamp(), value), (end, value)]
    corners = [(at.timestamp(), value) for at, value in steps]
    ticks = _choose_even([value for _, value in steps])
    drawing = _Drawing(
        terminal,
        _Range.over([at for at, _ in path]),
        _Range.over([value for _, value in steps]),
        [(value, y.write(value)) for value in ticks],
        [(at, _write_day(at)) for at in _spread([at for at, _ in path])],
    )
    drawing.line(path, _COLORS[0])
    drawing.mark(corners, "●" if terminal.has_unicode else "o", _COLORS[0])
    better = "lower" if lower_is_better else "higher"
    return [f"{y.label} over time, {better} is better", *drawing.lines()]


def _take_logarithms(points: Sequence[Point]) -> list[Point]:
    return [(math.log10(at), math.log10(value)) for at, value in points]


def _choose_decimal(points: Sequence[Point]) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, with 2 and 5 times them where few fit."""
    low, high = min(value for _, value in points), max(value for _, value in points)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 10**_TICK_ROWS else (1,)
    ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
    inside = [tick for tick in ticks if low * 0.95 <= tick <= high * 1.05]
    return inside or [low, high]


def _choose_even(values: Sequence[float]) -> list[float]:
    """Ticks of a linear axis: some round numbers that the values span."""
    low, high = min(values), max(values)
    if low == high:
        return [low]
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
    first = math.ceil(low / step)
    return [place * step for place in range(first, math.floor(high / step) + 1)] or [low, high]


def _spread(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [low, *(low + (high - low) * part / 4 for part in (1, 2, 3)), high]


def _write_day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _write_legend(labels: Sequence[str], terminal: Terminal) -> list[str]:
    """The letters with what they stand for, as many a line as fit."""
    import plotille  # noqa: PLC0415 - see _Drawing

    lines, used = [""], 0
    for place, label in enumerate(labels):
        text = cut(f"{_LETTERS[place]} {clean(label)}", terminal.width - 2)
        if used and used + measure(text) + 3 > terminal.width:
            lines.append("")
            used = 0
        shown = plotille.color(
            text, fg=_COLORS[place % len(_COLORS)], no_color=not terminal.has_color
        )
        lines[-1] += ("   " if used else "  ") + shown
        used += measure(text) + 3
    return lines


def _write_notes(notes: Sequence[str], terminal: Terminal) -> list[str]:
    whole = "; ".join(notes)
    told = [whole] if measure(whole) + 2 <= terminal.width else notes
    return [
        line
        for note in told
        for line in textwrap.wrap(
            note, terminal.width, initial_indent="  ", subsequent_indent="    "
        )
    ]


def _write_ascii(line: str) -> str:
    found = []
    for sign in line.translate(_FRAME):
        dots = ord(sign) - _BLANK
        if not 0 <= dots <= 0xFF:  # noqa: PLR2004 - the block of braille
            found.append(sign)
        elif dots & _UPPER and dots & _LOWER:
            found.append(":")
        else:
            found.append("'" if dots & _UPPER else ".")
    return "".join(found)
