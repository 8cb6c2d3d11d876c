"""What all charts share: their size, the words above them, and axes with the pages' round values.

Nothing in the layout depends on how wide the drawing engine thinks a text is: margins are fixed by
our own measure and texts are cut before they reach it, so a chart has the same shape everywhere.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgraph.web.images.specs.theme import SCHEMA, TEXT_SIZE, THEMES, TITLE_SIZE, configure
from kgraph.web.images.text import (
    clean_text,
    fit_name,
    fit_text,
    isolate_text,
    measure_text,
    wrap_text,
)
from kgraph.web.pages.words import explain_level, show_code, show_level, show_ticks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.web.images.specs.theme import Theme
    from kgraph.web.pages.ask import Data

MARGIN = 14
"""Empty edge of a chart."""

EMPTY_HEIGHT = 40
"""Of the plot where there is nothing to draw."""

_TITLE_HEIGHT, _LINE_HEIGHT, _GAP = 18, 16, 16
# Of one line, where the chart is narrow; what counts most stands at its begin.
_MAX_PIECES = 3
# Of a chart with its axis; less shows nothing.
_LEAST_PLOT = 120


@dataclass(frozen=True, slots=True)
class Look:
    """How a chart is wanted."""

    theme_name: str
    width: int
    height: int | None
    """None for as high as it needs to be."""
    snapshot: str

    @property
    def theme(self) -> Theme:
        """Its colours."""
        return THEMES[self.theme_name]


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart, not yet drawn."""

    spec: Data
    """In Vega-Lite 5, every value inlined."""
    title: str
    description: str
    """What it shows, for those who cannot see it; one paragraph."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The edges of a chart, once its height is known."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    @property
    def plot_width(self) -> int:
        """Between the left and the right edge."""
        return max(self.width - self.left - self.right, 40)

    @property
    def plot_height(self) -> int:
        """Between the upper and the lower edge."""
        return max(self.height - self.top - self.bottom, 20)


def find_top(lines: Sequence[str]) -> int:
    """How high the words above a chart are."""
    return MARGIN + _TITLE_HEIGHT + _LINE_HEIGHT * len(lines) + _GAP


def wrap_lines(look: Look, lines: Sequence[str]) -> list[str]:
    """The lines below a title, each broken where it is wider than the chart, and then cut.

    On a low chart less is said: the first and the last line, which says how well the values are
    supported, go last.
    """
    room = look.width - 2 * MARGIN
    fits = len(lines) * _MAX_PIECES
    if look.height is not None:
        fits = max((look.height - find_top(()) - _LEAST_PLOT) // _LINE_HEIGHT, 2)
    for most in range(_MAX_PIECES, 0, -1):
        broken = [wrap_text(line, room, TEXT_SIZE, most=most) for line in lines]
        if sum(map(len, broken)) <= fits:
            break
    shown = [piece for pieces in broken for piece in pieces]
    return shown if len(shown) <= fits else [*shown[: fits - 1], shown[-1]]


def compose(
    look: Look,
    frame: Frame,
    *,
    subject: str,
    kind: str,
    lines: Sequence[str],
    description: str,
    provenance: Data,
    body: Data,
) -> Figure:
    """The whole chart.

    Args:
        subject: what the chart is about; cut to the width.
        kind: which of its charts it is; never cut.
        lines: below the title, as `wrap_lines` gives them.
        provenance: what the chart was made from, for programs.
        body: data, layers and resolution.
    """
    told = f": {kind}"
    room = look.width - 2 * MARGIN - measure_text(told, TITLE_SIZE)
    spec: Data = {
        "$schema": SCHEMA,
        "description": description,
        "usermeta": {"kgraph": {"snapshot": look.snapshot, **provenance}},
        "background": look.theme.ground,
        "autosize": {"type": "none"},
        "padding": {
            "left": frame.left,
            "right": frame.right,
            "top": frame.top,
            "bottom": frame.bottom,
        },
        "width": frame.plot_width,
        "height": frame.plot_height,
        "title": {
            "text": isolate_text(fit_text(subject, room, TITLE_SIZE)) + told,
            "subtitle": list(lines),
            "dx": MARGIN - frame.left,
            "offset": _GAP,
        },
        **body,
        "config": configure(look.theme),
    }
    return Figure(spec, clean_text(subject) + told, description)


def value_axis(values: Sequence[float], unit: str | None, title: str | None) -> Data:
    """An axis with these values, each labelled as the pages do.

    Args:
        title: above or beside it.
    """
    labels = label_values(values, unit)
    return label_axis(values, labels) | {"title": title, "grid": True}


def label_values(values: Sequence[float], unit: str | None) -> tuple[str, ...]:
    """Labels of round values on an axis; nothing is nothing in every unit."""
    labels = show_ticks(values, unit) if values else ()
    return tuple(label if value else "0" for value, label in zip(values, labels, strict=True))


def label_axis(values: Sequence[float], labels: Sequence[str]) -> Data:
    """An axis with one label for each value.

    The labels stand in an expression of Vega, as an array of JSON: what a text says is never code.
    """
    if not values:
        return {"values": [], "labels": False}
    told, places = json.dumps(list(labels)), json.dumps(list(values))
    return {
        "values": list(values),
        "labelExpr": f"{told}[indexof({places}, +datum.value)]",
    }


def measure_labels(labels: Iterable[str], *, widest: float) -> int:
    """Room for the widest of the labels, at most `widest`."""
    found = max((measure_text(label, TEXT_SIZE) for label in labels), default=0.0)
    return int(min(found, widest)) + 1


def cut_apart(
    names: Sequence[str], room: float, *, prefixes: Sequence[str] | None = None
) -> list[str]:
    """Each name cut to the room, and no two of them equal: a mark of each stands for one thing.

    Args:
        prefixes: what stands before each name, cut from its room.
    """
    shown: list[str] = []
    for number, name in enumerate(names):
        prefix = prefixes[number] if prefixes else ""
        tail, count = "", 1
        while True:
            left = room - measure_text(prefix + tail, TEXT_SIZE)
            cut = f"{prefix}{isolate_text(fit_name(name, left, TEXT_SIZE))}{tail}"
            if cut not in shown:
                break
            count += 1
            tail = f" ({count})"
        shown.append(cut)
    return shown


def say_where(cohort: Data) -> str:
    """The device of a comparison and how it was measured: `NVIDIA A100 SXM4-80GB · protocol`."""
    hardware = cohort["hardware"]
    device = hardware["product"]
    if hardware["count"] and hardware["count"] > 1:
        device = f"{hardware['count']} × {device}"
    if hardware["formFactor"]:
        device = f"{device} {hardware['formFactor']}"
    protocol = cohort["protocol"]["title"] or "protocol without a name"
    return f"{isolate_text(device)} · {isolate_text(protocol)}"


def say_trust(levels: Iterable[str], *, stale: int, snapshot: str) -> str:
    """How well the values are supported, in words, and of which snapshot they are.

    Args:
        levels: evidence level of each run that is drawn.
        stale: how many of them are stale.
    """
    counted = Counter(levels)
    if len(counted) == 1:
        level = next(iter(counted))
        told = explain_level(level).rstrip(".")
        if not told.startswith(show_level(level)):
            told = f"{show_level(level)}: {told[0].lower()}{told[1:]}"
    else:
        told = "Evidence: " + ", ".join(
            f"{count} {show_level(level).lower()}" for level, count in sorted(counted.items())
        )
    parts = [told] if counted else []
    if stale:
        every = stale == counted.total()
        parts.append("stale" if every else f"{stale} stale")
    parts.append(f"kgraph snapshot {snapshot.rpartition(':')[2][:8]}")
    return " · ".join(parts)


def say_counts(cohort: Data) -> str:
    """How many runs take part: `16 eligible runs of 18`."""
    eligible, all_runs = cohort["eligibleRunCount"], cohort["runCount"]
    told = f"{eligible:,} eligible run{'' if eligible == 1 else 's'}"
    return told if eligible == all_runs else f"{told} of {all_runs:,}"


def say_metric(metric: Data) -> str:
    """What is measured: `median latency`."""
    if metric["name"] == "none":
        return "no primary value"
    name = show_code(metric["name"])
    return f"{metric['statistic']} {name}".replace("_", " ") if metric["statistic"] else name


def say_empty(look: Look, text: str) -> Data:
    """A layer that says why there is nothing to draw."""
    return {
        "data": {"values": [{"text": text}]},
        "mark": {"type": "text", "align": "left", "color": look.theme.quiet, "fontSize": TEXT_SIZE},
        "encoding": {
            "x": {"value": 0},
            "y": {"value": 16},
            "text": {"field": "text", "type": "nominal"},
        },
    }


def points_config(theme: Theme) -> dict[str, Any]:
    """Points with an edge of the ground's colour, so that they stand out from their line."""
    return {
        "type": "point",
        "filled": True,
        "size": 55,
        "stroke": theme.ground,
        "strokeWidth": 1,
        "opacity": 1,
    }
