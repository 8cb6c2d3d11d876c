"""How implementations scale along an axis: both axes logarithmic, the estimated floor below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.web.images.specs.figure import (
    EMPTY_HEIGHT,
    MARGIN,
    Frame,
    compose,
    cut_apart,
    find_top,
    label_axis,
    label_values,
    measure_labels,
    points_config,
    say_empty,
    say_metric,
    say_trust,
    say_where,
    value_axis,
    wrap_lines,
)
from kgraph.web.images.specs.theme import TEXT_SIZE
from kgraph.web.images.text import clean_text, fit_text, isolate_text, measure_text
from kgraph.web.pages.charts.scale import Tick, scale_log, thin_ticks
from kgraph.web.pages.charts.scaling import MAX_SERIES
from kgraph.web.pages.words import show_axes, show_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.web.images.specs.figure import Figure, Look
    from kgraph.web.pages.ask import Data
    from kgraph.web.pages.views.sweep import ShownSweep

_HEIGHT = 380
_BOTTOM = 48
# Narrower charts have no room for names beside them.
_BESIDE_FROM = 560
_NARROWEST_LEGEND = 190
_KEY = 24
_LEGEND_ROW = 18
_FLOOR = "estimated floor, not evidence"
_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-left",
    "triangle-right",
)
_TOLD = 8


def specify_scaling(operation: Data, shown: ShownSweep | None, look: Look) -> Figure:
    """One sweep of an operation.

    Args:
        shown: None where nothing of the operation is measured along an axis.
    """
    series = _read_series(shown) if shown else {}
    lines = wrap_lines(look, _say_lines(shown, series, look))
    places = sorted({at for points in series.values() for at, _ in points})
    provenance: Data = {"operation": operation["digest"], "document": "scaling"}
    if shown is not None:
        provenance |= {
            "axis": shown.sweep["axis"],
            "protocol": shown.sweep["protocol"]["digest"],
            "environment": shown.sweep["environment"]["digest"],
        }
    if shown is None or len(places) < 2:  # noqa: PLR2004 - one place is no axis
        text = (
            "Fewer than two sizes are measured along this axis."
            if shown
            else "No implementation of this operation is measured along an axis."
        )
        top = find_top(lines)
        height = look.height or top + EMPTY_HEIGHT
        frame = Frame(look.width, height, MARGIN, MARGIN, top, bottom=0)
        body: Data = {"layer": [say_empty(look, text)]}
    else:
        floors = {at: shown.floors[at] for at in places if shown.floors.get(at, 0.0) > 0}
        frame, body = _draw(shown.sweep, series, floors, look, top=find_top(lines))
        text = _describe(operation, shown, series)
    return compose(
        look,
        frame,
        subject=operation["title"],
        kind="scaling",
        lines=lines,
        description=text,
        provenance=provenance,
        body=body,
    )


def _say_lines(
    shown: ShownSweep | None, series: Mapping[str, list[tuple[int, float]]], look: Look
) -> list[str]:
    """What stands below the title."""
    if shown is None:
        return [say_trust((), stale=0, snapshot=look.snapshot)]
    sweep = shown.sweep
    runs = [point["run"] for one in shown.series[:MAX_SERIES] for point in one["points"]]
    first = f"{say_metric(sweep['metric']).capitalize()} by {isolate_text(sweep['axis'])}"
    first += ", both axes logarithmic"
    if len(shown.series) > len(series):
        first += f" · {len(shown.series) - len(series)} more implementations not drawn"
    if not shown.is_of_comparison:
        first += " · another comparison of this operation"
    held = [show_axes(sweep["heldAxes"]), " + ".join(sweep["dtypes"])]
    return [
        first,
        isolate_text(" · ".join(part for part in held if part)) or "no other axes",
        say_where(sweep),
        say_trust(
            (run["evidence"]["level"] for run in runs),
            stale=sum(run["stale"] for run in runs),
            snapshot=look.snapshot,
        ),
    ]


def _read_series(shown: ShownSweep) -> dict[str, list[tuple[int, float]]]:
    """Points above zero by name, fastest first; equal names told apart."""
    found: dict[str, list[tuple[int, float]]] = {}
    for one in shown.series[:MAX_SERIES]:
        name = clean_text(one["implementation"]["title"]) or "without a name"
        if name in found or name == _FLOOR:
            name = f"{name} {one['implementation']['digest'][7:13]}"
        found[name] = [
            (point["axisValue"], point["value"])
            for point in one["points"]
            if point["axisValue"] > 0 and point["value"] > 0
        ]
    return {name: points for name, points in found.items() if points}


def _draw(
    sweep: Data,
    series: Mapping[str, list[tuple[int, float]]],
    floors: Mapping[int, float],
    look: Look,
    *,
    top: int,
) -> tuple[Frame, Data]:
    """The edges and the layers of a chart.

    Args:
        top: height of the words above.
    """
    places = sorted({at for points in series.values() for at, _ in points})
    theme, unit = look.theme, sweep["unit"]
    values = [value for points in series.values() for _, value in points]
    y = scale_log([*values, *floors.values()], 0, 1, air=1.35)
    ticks = y.round_values()
    left = measure_labels(label_values(ticks, unit), widest=look.width * 0.25)
    has_floor = len(floors) > 1
    is_beside = look.width >= _BESIDE_FROM
    room = (
        max(int(look.width * 0.28), _NARROWEST_LEGEND)
        if is_beside
        else look.width - 2 * MARGIN - _KEY
    )
    told_of = [*series, *([_FLOOR] if has_floor else [])]
    names = cut_apart(told_of, room)
    shown_names = dict(zip(told_of, names, strict=True))
    widest = int(max(measure_text(name, TEXT_SIZE) for name in names)) + 1
    legend_height = 0 if is_beside else _LEGEND_ROW * len(names) + 6
    frame = Frame(
        look.width,
        look.height or _HEIGHT + legend_height,
        left + MARGIN + 8,
        (widest + _KEY + 26 if is_beside else 12) + MARGIN,
        top,
        _BOTTOM + legend_height,
    )
    x = scale_log(places, 0, frame.plot_width, air=1.12)
    kept = _thin_places(places, [x.place(at) for at in places])
    encoding: Data = {
        "x": {
            "field": "place",
            "type": "quantitative",
            "scale": {"type": "log", "domain": [x.low, x.high], "nice": False},
            "axis": label_axis(kept, [f"{at:,}" for at in kept])
            | {"title": fit_text(sweep["axis"], frame.plot_width, TEXT_SIZE), "grid": False},
        },
        "y": {
            "field": "value",
            "type": "quantitative",
            "scale": {"type": "log", "domain": [y.low, y.high], "nice": False},
            "axis": value_axis(ticks, unit, None),
        },
    }
    legend: Data = (
        {"orient": "right", "offset": 14}
        if is_beside
        else {
            "orient": "none",
            "legendX": MARGIN - frame.left,
            "legendY": frame.plot_height + _BOTTOM,
            "columns": 1,
        }
    )
    channel = _encode_series(names, look, legend, has_floor=has_floor)
    rows = [
        {"series": shown_names[name], "implementation": name, "place": at, "value": value}
        for name, points in series.items()
        for at, value in points
    ]
    floor_rows = [
        {"series": names[-1], "implementation": None, "place": at, "value": value}
        for at, value in (floors.items() if has_floor else ())
    ]
    tooltip = [
        {"field": "implementation", "type": "nominal"},
        {"field": "place", "type": "quantitative", "title": clean_text(sweep["axis"])},
        {"field": "value", "type": "quantitative"},
    ]
    layers: list[Data] = [
        {
            "data": {"name": "lines", "values": rows + floor_rows},
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                **encoding,
                "color": channel["color"],
                "strokeDash": channel["strokeDash"],
            },
        },
        {
            "data": {"name": "points", "values": rows},
            "mark": points_config(theme),
            "encoding": {
                **encoding,
                "color": channel["color"],
                "shape": channel["shape"],
                "tooltip": tooltip,
            },
        },
    ]
    return frame, {"layer": layers}


def _encode_series(
    names: Sequence[str], look: Look, legend: Data, *, has_floor: bool
) -> dict[str, Data]:
    """Colour, shape and dashes of each name; the floor comes last and is a dashed line alone."""
    count = len(names) - has_floor
    ranges = {
        "color": [*look.theme.series[:count], *([look.theme.quiet] if has_floor else [])],
        "shape": [*_SHAPES[:count], *(["stroke"] if has_floor else [])],
        "strokeDash": [*([[1, 0]] * count), *([[4, 3]] if has_floor else [])],
    }
    return {
        channel: {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(names), "range": marks},
            "legend": legend,
        }
        for channel, marks in ranges.items()
    }


def _thin_places(places: Sequence[int], at: Sequence[float]) -> list[int]:
    """The sizes whose labels have room beside each other; the first and the last stay."""
    widest = measure_text(f"{places[-1]:,}", TEXT_SIZE) + 10
    ticks = [Tick(where, str(place)) for where, place in zip(at, places, strict=True)]
    return [int(tick.label) for tick in thin_ticks(ticks, widest)]


def _describe(
    operation: Data, shown: ShownSweep, series: Mapping[str, list[tuple[int, float]]]
) -> str:
    sweep = shown.sweep
    told = "; ".join(
        f"{name[:60]} {show_value(points[0][1], sweep['unit'])} at {points[0][0]:,} to "
        f"{show_value(points[-1][1], sweep['unit'])} at {points[-1][0]:,}"
        for name, points in list(series.items())[:_TOLD]
    )
    floor = " The dashed line is the estimated floor, which is no evidence." if shown.floors else ""
    return (
        f"{say_metric(sweep['metric']).capitalize()} of {clean_text(operation['title'])} along "
        f"{clean_text(sweep['axis'])} on {sweep['hardware']['product']}, "
        f"{clean_text(sweep['protocol']['title'] or '')}: {told}.{floor}"
    )
