"""Colours and letters of the charts: those of the pages, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from kgraph.web.images.text import FONT_FAMILY

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""Version 5: what Observable's standard library, Altair 5 and 6 and vega-embed all read."""

TITLE_SIZE, TEXT_SIZE = 15, 11
"""Letters of the title, and of everything else, in units of the drawing."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours on one ground."""

    ground: str
    ink: str
    quiet: str
    line: str
    bar: str
    """Of what is not in front; told from the ground at 3 to 1."""
    series: tuple[str, ...]
    """Told apart from each other and from the ground; as many as the pages draw."""


THEMES = MappingProxyType(
    {
        "light": Theme(
            ground="#ffffff",
            ink="#16191d",
            quiet="#56606b",
            line="#d9dfe5",
            bar="#8a96a3",
            series=(
                "#0a58b8",
                "#c2410c",
                "#0f766e",
                "#9333a8",
                "#6b7210",
                "#be123c",
                "#4b5563",
                "#7c4a03",
            ),
        ),
        "dark": Theme(
            ground="#0f1317",
            ink="#e4e9ee",
            quiet="#9aa7b4",
            line="#2c353e",
            bar="#66727f",
            series=(
                "#6cb2ff",
                "#ff9d5c",
                "#4fd1c5",
                "#d99bf0",
                "#cdd35a",
                "#ff8fa8",
                "#b4bec9",
                "#e0b070",
            ),
        ),
    }
)
"""By the name that a request gives."""


def configure(theme: Theme) -> dict[str, Any]:
    """Vega-Lite's `config` of a theme."""
    return {
        "font": FONT_FAMILY,
        "view": {"stroke": None},
        "title": {
            "color": theme.ink,
            "fontSize": TITLE_SIZE,
            "fontWeight": "normal",
            "subtitleColor": theme.quiet,
            "subtitleFontSize": TEXT_SIZE,
            "subtitleLineHeight": 16,
            "subtitlePadding": 7,
            "anchor": "start",
            "frame": "group",
        },
        "axis": {
            "labelColor": theme.quiet,
            "labelFontSize": TEXT_SIZE,
            "labelLimit": 0,
            "labelOverlap": False,
            "labelFlush": False,
            "titleColor": theme.quiet,
            "titleFontSize": TEXT_SIZE,
            "titleFontWeight": "normal",
            "titleLimit": 0,
            "gridColor": theme.line,
            "domainColor": theme.quiet,
            "tickColor": theme.quiet,
        },
        "legend": {
            "labelColor": theme.ink,
            "labelFontSize": TEXT_SIZE,
            "labelLimit": 0,
            "symbolSize": 64,
            "symbolStrokeWidth": 2,
            "title": None,
        },
        "text": {"color": theme.ink, "fontSize": TEXT_SIZE, "limit": 0},
    }
