"""A record over time: a staircase, every eligible run of the comparison behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.web.images.specs.figure import (
    EMPTY_HEIGHT,
    MARGIN,
    Frame,
    compose,
    find_top,
    label_axis,
    label_values,
    measure_labels,
    points_config,
    say_counts,
    say_empty,
    say_metric,
    say_trust,
    say_where,
    value_axis,
    wrap_lines,
)
from kgraph.web.images.text import clean_text, isolate_text
from kgraph.web.pages.charts.scale import (
    Scale,
    choose_instants,
    scale_instants,
    scale_values,
)
from kgraph.web.pages.words import parse_instant, show_date, show_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.images.specs.figure import Figure, Look
    from kgraph.web.pages.ask import Data

_HEIGHT = 360
_BOTTOM = 34
# "30 Jan 2026" in the letters of an axis, and air.
_DATE_WIDTH = 92.0
_TOLD = 5


@dataclass(frozen=True, slots=True)
class _Scales:
    """What the axes hold."""

    x: Scale
    """Seconds since 1970."""
    y: Scale
    unit: str | None


def specify_history(data: Data, look: Look) -> Figure:
    """The record history of a comparison."""
    cohort = data["cohort"]
    events, entries = cohort["history"]["nodes"], cohort["ranking"]["nodes"]
    scales = _scale(events, entries, cohort["metric"]["unit"])
    lines = wrap_lines(
        look,
        [
            _say_record(cohort["record"]),
            isolate_text(cohort["workload"]["label"]),
            say_where(cohort),
            _say_marks(cohort, scales),
            say_trust(
                (entry["evidence"]["level"] for entry in entries),
                stale=sum(entry["stale"] for entry in entries),
                snapshot=look.snapshot,
            ),
        ],
    )
    labels = label_values(scales.y.round_values(), scales.unit) if scales else ()
    top = find_top(lines)
    frame = Frame(
        width=look.width,
        height=look.height or (_HEIGHT if scales else top + EMPTY_HEIGHT),
        left=measure_labels(labels, widest=look.width * 0.25) + MARGIN + 8,
        right=MARGIN + 6,
        top=top,
        bottom=_BOTTOM if scales else 0,
    )
    layers = (
        _layers(events, entries, scales, look=look, frame=frame)
        if scales
        else [say_empty(look, "No record stands in this comparison.")]
    )
    return compose(
        look,
        frame,
        subject=cohort["operation"]["title"],
        kind="record history",
        lines=lines,
        description=_describe(cohort, events),
        provenance={
            "cohort": cohort["key"],
            "operation": cohort["operation"]["digest"],
            "document": "history",
        },
        body={"layer": layers},
    )


def _scale(events: Sequence[Data], entries: Sequence[Data], unit: str | None) -> _Scales | None:
    """Axes that hold the record and every run; None where no record ever stood."""
    values = [event["value"] for event in events if event["value"] is not None]
    if not values:
        return None
    values += [entry["value"] for entry in entries]
    instants = [parse_instant(event["at"]) for event in events]
    instants += [parse_instant(entry["run"]["observedAt"]) for entry in entries]
    return _Scales(scale_instants(instants, 0, 1), scale_values(values, 0, 1), unit)


def _say_marks(cohort: Data, scales: _Scales | None) -> str:
    told = [say_metric(cohort["metric"]).capitalize()]
    if scales is not None:
        told[0] += ", logarithmic" if scales.y.is_log else ", not from zero"
    told.append(say_counts(cohort))
    if scales is not None:
        events = cohort["history"]["nodes"]
        is_corrected = any(event["cause"] != "NEW_RUN" for event in events)
        crosses = ", crosses: after a correction" if is_corrected else ""
        told.append(f"dots: eligible runs, rings: records{crosses}")
        if len(cohort["ranking"]["nodes"]) < cohort["ranking"]["totalCount"]:
            told.append(f"best {len(cohort['ranking']['nodes'])} drawn")
    return " · ".join(told)


def _say_record(record: Data | None) -> str:
    if record is None:
        return "No record stands"
    holder = isolate_text(record["run"]["implementation"]["title"])
    return (
        f"Record: {record['display']} · {holder} · since {show_date(record['run']['observedAt'])}"
    )


def _layers(
    events: Sequence[Data], entries: Sequence[Data], scales: _Scales, *, look: Look, frame: Frame
) -> list[Data]:
    x, y, unit = scales.x, scales.y, scales.unit
    theme = look.theme
    x_encoding = {
        "field": "at",
        "type": "temporal",
        "scale": {
            "type": "utc",
            "domain": [round(x.low * 1000), round(x.high * 1000)],
            "nice": False,
        },
        "axis": _date_axis(x, frame),
    }
    y_encoding = {
        "field": "value",
        "type": "quantitative",
        "scale": {
            "type": "log" if y.is_log else "linear",
            "domain": [y.low, y.high],
            "nice": False,
            "zero": False,
        },
        "axis": value_axis(y.round_values(), unit, None),
    }
    place = {"x": x_encoding, "y": y_encoding}
    tooltip = [
        {"field": "at", "type": "temporal", "format": "%Y-%m-%d"},
        {"field": "value", "type": "quantitative"},
        {"field": "implementation", "type": "nominal"},
    ]
    return [
        {
            "data": {"name": "runs", "values": [_draw_run(entry) for entry in entries]},
            "mark": {"type": "circle", "size": 18, "color": theme.bar, "opacity": 0.9},
            "encoding": {**place, "tooltip": tooltip},
        },
        {
            "data": {"name": "steps", "values": _draw_steps(events, x.high)},
            "mark": {
                "type": "line",
                "interpolate": "step-after",
                "color": theme.series[0],
                "strokeWidth": 2,
            },
            "encoding": {**place, "detail": {"field": "stretch", "type": "nominal"}},
        },
        {
            "data": {
                "name": "changes",
                "values": [_draw_change(one) for one in events if one["value"] is not None],
            },
            "mark": points_config(theme)
            | {"fill": theme.ground, "stroke": theme.series[0], "strokeWidth": 2, "opacity": 1},
            "encoding": {
                **place,
                "shape": {
                    "field": "cause",
                    "type": "nominal",
                    "scale": {
                        "domain": ["new run", "correction"],
                        "range": ["circle", "cross"],
                    },
                    "legend": None,
                },
                "tooltip": tooltip,
            },
        },
    ]


def _draw_run(entry: Data) -> Data:
    return {
        "at": entry["run"]["observedAt"],
        "value": entry["value"],
        "implementation": clean_text(entry["run"]["implementation"]["title"]),
        "evidence": entry["evidence"]["level"],
        "stale": entry["stale"],
        "run": entry["run"]["digest"],
    }


def _draw_change(event: Data) -> Data:
    run = event["run"]
    return {
        "at": event["at"],
        "value": event["value"],
        "cause": "new run" if event["cause"] == "NEW_RUN" else "correction",
        "improvementPercent": event["improvementPercent"],
        "implementation": clean_text(run["implementation"]["title"]) if run else None,
        "run": run["digest"] if run else None,
    }


def _draw_steps(events: Sequence[Data], end: float) -> list[Data]:
    """Corners of the staircase; a correction that left no record ends a stretch of it."""
    corners: list[Data] = []
    stretch, standing = 0, None
    for event in events:
        if event["value"] is None:
            if standing is not None:
                corners.append({"at": event["at"], "value": standing, "stretch": stretch})
            stretch, standing = stretch + 1, None
            continue
        standing = event["value"]
        corners.append({"at": event["at"], "value": standing, "stretch": stretch})
    if standing is not None:
        # The last record still stands.
        corners.append({"at": round(end * 1000), "value": standing, "stretch": stretch})
    return corners


def _date_axis(x: Scale, frame: Frame) -> Data:
    chosen = choose_instants(x)
    fits = max(int(frame.plot_width // _DATE_WIDTH), 1)
    every = -(-len(chosen) // fits)
    kept = chosen[::every]
    values = [round(at.timestamp() * 1000) for at, _ in kept]
    return label_axis(values, [label for _, label in kept]) | {"title": None, "grid": False}


def _describe(cohort: Data, events: Sequence[Data]) -> str:
    where = f"{clean_text(cohort['workload']['label'])}, on {cohort['hardware']['product']}"
    unit = cohort["metric"]["unit"]
    if not events:
        return f"No record stands for {where}."
    told = "; ".join(
        f"{show_date(event['at'])}: {show_value(event['value'], unit) or 'no record'}"
        + (f", {clean_text(event['run']['implementation']['title'])[:60]}" if event["run"] else "")
        for event in events[-_TOLD:]
    )
    count = cohort["history"]["totalCount"]
    return (
        f"Record of {say_metric(cohort['metric'])} over time for {where}, "
        f"{clean_text(cohort['protocol']['title'] or '')}. {count:,} "
        f"change{'' if count == 1 else 's'}, the latest: {told}. {say_counts(cohort)}."
    )
