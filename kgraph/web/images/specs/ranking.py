"""A ranking: one bar for each run, best first, with its value and its trust in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.units import format_ratio
from kgraph.web.images.specs.figure import (
    MARGIN,
    Frame,
    compose,
    cut_apart,
    find_top,
    label_values,
    measure_labels,
    say_counts,
    say_empty,
    say_metric,
    say_trust,
    say_where,
    value_axis,
    wrap_lines,
)
from kgraph.web.images.specs.theme import TEXT_SIZE
from kgraph.web.images.text import clean_text, fit_text, isolate_text, measure_text
from kgraph.web.pages.charts.scale import Scale, scale_values
from kgraph.web.pages.words import show_code, show_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.images.specs.figure import Figure, Look
    from kgraph.web.pages.ask import Data

_ROW_HEIGHT, _LOWEST_ROW = 22, 17
_LABEL_GAP = 14
_HIGHEST_BAR, _BAND_GAP = 28, 0.3
_MAX_ROWS = 25
_BOTTOM = 32
# A wider range leaves no bar to see of the best.
_LOG_FROM = 20.0
# Statistics that stand on both sides of the primary one, the most telling pair first.
_PAIRS = (("p20", "p80"), ("p25", "p75"), ("p10", "p90"), ("p05", "p95"), ("minimum", "maximum"))
_TOLD = 10


def specify_ranking(data: Data, look: Look) -> Figure:
    """The ranking of a comparison; with a run in the answer, that run is marked."""
    cohort, marked = data["cohort"], data.get("run")
    metric, entries = cohort["metric"], cohort["ranking"]["nodes"]
    pair = _find_pair(metric, entries)
    rows = _choose_rows(entries, marked, _MAX_ROWS)
    if look.height is not None:
        top = find_top(wrap_lines(look, _say_lines(cohort, rows, marked, pair, look)))
        rows = _choose_rows(entries, marked, max((look.height - top - _BOTTOM) // _LOWEST_ROW, 1))
    lines = wrap_lines(look, _say_lines(cohort, rows, marked, pair, look))
    prefixes = [f"{row['rank']}{'=' if row['tied'] else ''}. " for row in rows]
    names = [row["run"]["implementation"]["title"] for row in rows]
    left = measure_labels(
        (prefix + clean_text(name) for prefix, name in zip(prefixes, names, strict=True)),
        widest=look.width * 0.36,
    )
    has_levels = len({entry["evidence"]["level"] for entry in entries}) > 1
    widest = look.width * 0.38
    values = [_tell_value(row, marked, widest, has_levels=has_levels) for row in rows]
    right = measure_labels(values, widest=widest)
    drawn = [
        _draw_row(
            row,
            label,
            fit_text(value, right, TEXT_SIZE),
            _read_pair(row, metric, pair) if pair else None,
            is_marked=_is_marked(row, marked),
        )
        for row, label, value in zip(
            rows, cut_apart(names, left, prefixes=prefixes), values, strict=True
        )
    ]
    top = find_top(lines)
    frame = Frame(
        width=look.width,
        height=look.height or top + max(len(rows), 1) * _ROW_HEIGHT + _BOTTOM,
        left=left + MARGIN + 10 if rows else MARGIN,
        right=right + MARGIN + 8,
        top=top,
        bottom=_BOTTOM,
    )
    body: Data = {"layer": [say_empty(look, "No run of this comparison takes part in ranking.")]}
    if drawn:
        layers = _layers(drawn, look, metric["unit"], frame, has_pair=pair is not None)
        body = {"data": {"name": "ranking", "values": drawn}, "layer": layers}
    return compose(
        look,
        frame,
        subject=cohort["operation"]["title"],
        kind="ranking",
        lines=lines,
        description=_describe(cohort, rows, marked),
        provenance={
            "cohort": cohort["key"],
            "operation": cohort["operation"]["digest"],
            "document": "ranking",
        },
        body=body,
    )


def _say_lines(
    cohort: Data,
    rows: Sequence[Data],
    marked: Data | None,
    pair: tuple[str, str] | None,
    look: Look,
) -> list[str]:
    """What stands below the title."""
    total = cohort["ranking"]["totalCount"]
    first = f"{say_metric(cohort['metric']).capitalize()}, best first · {say_counts(cohort)}"
    if len(rows) < total:
        first += f", {len(rows):,} shown"
    if marked is not None and marked["standing"] is None:
        first += " · this run is not ranked"
    return [
        first,
        isolate_text(cohort["workload"]["label"]),
        say_where(cohort) + (f" · lines from {pair[0]} to {pair[1]}" if pair else ""),
        say_trust(
            (row["evidence"]["level"] for row in rows),
            stale=sum(row["stale"] for row in rows),
            snapshot=look.snapshot,
        ),
    ]


def _is_marked(row: Data, marked: Data | None) -> bool:
    return marked is not None and row["run"]["digest"] == marked["digest"]


def _choose_rows(entries: Sequence[Data], marked: Data | None, fits: int) -> list[Data]:
    """The first rows that fit, and the marked run where it is not among them."""
    rows = list(entries[:fits])
    if marked is None or any(_is_marked(row, marked) for row in rows):
        return rows
    standing, primary = marked["standing"], marked["primary"]
    if standing is None or primary is None:
        return rows
    own = {
        **standing,
        **primary,
        "isBaseline": marked["isBaseline"],
        "stale": marked["stale"],
        "evidence": marked["evidence"],
        "run": marked,
    }
    return [*rows[: max(fits - 1, 0)], own]


def _tell_value(row: Data, marked: Data | None, room: float, *, has_levels: bool) -> str:
    """What stands beside a bar; the ratio, which the bar shows too, is left out first."""
    told = []
    if _is_marked(row, marked):
        told.append("this run")
    if row["isBaseline"]:
        told.append("baseline")
    if has_levels:
        told.append(show_level(row["evidence"]["level"]).lower())
    ratio = [format_ratio(row["ratioToLeader"])] if row["rank"] != 1 else []
    whole = " · ".join([row["display"], *ratio, *told])
    is_fitting = measure_text(whole, TEXT_SIZE) <= room
    return whole if is_fitting else " · ".join([row["display"], *told])


def _find_pair(metric: Data, entries: Sequence[Data]) -> tuple[str, str] | None:
    """The statistics that most say how far the values of a run spread; None where none do."""
    for pair in _PAIRS:
        if any(_read_pair(entry, metric, pair) for entry in entries):
            return pair
    return None


def _read_pair(row: Data, metric: Data, pair: tuple[str, str]) -> tuple[float, float] | None:
    found = {
        one["statistic"]: one["value"]
        for one in row["run"]["measurements"]
        if one["metric"] == metric["name"] and one["unit"] == metric["unit"]
    }
    low, high = (found.get(name) for name in pair)
    return None if low is None or high is None else (low, high)


def _draw_row(
    row: Data,
    label: str,
    told: str,
    spread: tuple[float, float] | None,
    *,
    is_marked: bool,
) -> Data:
    implementation = row["run"]["implementation"]
    drawn: Data = {
        "row": label,
        "told": told,
        "rank": row["rank"],
        "value": row["value"],
        "implementation": clean_text(implementation["title"]),
        "language": implementation["language"],
        "evidence": row["evidence"]["level"],
        "stale": row["stale"],
        "baseline": row["isBaseline"],
        "run": row["run"]["digest"],
        "role": "this run" if is_marked else "first" if row["rank"] == 1 else "other",
    }
    if spread is not None:
        drawn |= {"low": spread[0], "high": spread[1]}
    return drawn


def _layers(
    drawn: list[Data], look: Look, unit: str | None, frame: Frame, *, has_pair: bool
) -> list[Data]:
    theme = look.theme
    # Few rows on a high chart would be slabs.
    band = frame.plot_height / len(drawn) * (1 - _BAND_GAP)
    values = [row["value"] for row in drawn]
    ends = values + [row[end] for row in drawn for end in ("low", "high") if end in row]
    is_log = min(values) > 0 and max(values) / min(values) >= _LOG_FROM
    if is_log:
        scale = scale_values(ends, 0, 1)
    else:
        scale = Scale(min(0.0, *ends), max(*ends, 0.0) or 1.0, 0, 1)
    ticks = scale.round_values()
    x: Data = {
        "field": "value",
        "type": "quantitative",
        "scale": {
            "type": "log" if is_log else "linear",
            "domain": [scale.low, scale.high],
            "nice": False,
            "zero": False,
        },
        "axis": value_axis(_thin(ticks, unit, frame), unit, None),
    }
    y: Data = {
        "field": "row",
        "type": "nominal",
        "sort": None,
        "scale": {"paddingInner": _BAND_GAP, "paddingOuter": _BAND_GAP / 2},
        "axis": {
            "title": None,
            "domain": False,
            "ticks": False,
            "labelColor": theme.ink,
            "labelPadding": 8,
        },
    }
    color: Data = {
        "field": "role",
        "type": "nominal",
        "scale": {
            "domain": ["first", "this run", "other"],
            "range": [theme.series[0], theme.series[1], theme.bar],
        },
        "legend": None,
    }
    tooltip = [
        {"field": "implementation", "type": "nominal"},
        {"field": "value", "type": "quantitative"},
        {"field": "evidence", "type": "nominal"},
        {"field": "run", "type": "nominal"},
    ]
    mark: Data = (
        {"type": "point", "filled": True, "size": 70, "opacity": 1}
        if is_log
        else {"type": "bar", "height": {"band": min(_HIGHEST_BAR / band, 1)}}
    )
    layers: list[Data] = [
        {"mark": mark, "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip}}
    ]
    if has_pair:
        layers.append(
            {
                "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": theme.ink},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative"},
                    "x2": {"field": "high"},
                    "y": {"field": "row", "type": "nominal", "sort": None},
                },
            }
        )
    layers.append(
        {
            "mark": {"type": "text", "align": "left", "baseline": "middle", "dx": 6},
            "encoding": {
                "x": {"value": "width"},
                "y": {"field": "row", "type": "nominal", "sort": None},
                "text": {"field": "told", "type": "nominal"},
            },
        }
    )
    return layers


def _thin(ticks: Sequence[float], unit: str | None, frame: Frame) -> list[float]:
    """As many of the values as have room for their labels."""
    widest = measure_labels(label_values(ticks, unit), widest=frame.plot_width) + _LABEL_GAP
    fits = max(int(frame.plot_width // widest), 1)
    return list(ticks[:: -(-len(ticks) // fits)]) if ticks else []


def _describe(cohort: Data, rows: Sequence[Data], marked: Data | None) -> str:
    where = f"{clean_text(cohort['workload']['label'])}, on {cohort['hardware']['product']}"
    if not rows:
        return f"No run takes part in the ranking of {where}."
    told = "; ".join(
        f"{row['rank']}. {clean_text(row['run']['implementation']['title'])[:60]} {row['display']}"
        f"{', baseline' if row['isBaseline'] else ''}"
        for row in rows[:_TOLD]
    )
    more = f"; and {len(rows) - _TOLD:,} more" if len(rows) > _TOLD else ""
    levels = sorted({show_level(row["evidence"]["level"]).lower() for row in rows})
    place = ""
    if marked is not None and marked["standing"] is None:
        reasons = ", ".join(map(show_code, marked["eligibility"]["reasons"]))
        place = f" The run that is asked for is not ranked: {reasons}."
    return (
        f"Ranking by {say_metric(cohort['metric'])} for {where}, "
        f"{clean_text(cohort['protocol']['title'] or '')}: {told}{more}. "
        f"{say_counts(cohort)}; evidence: {', '.join(levels)}.{place}"
    )
