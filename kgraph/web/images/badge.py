"""Badges: who is fastest, in one line of 20 pixels.

Written here rather than by a library. Of those that are maintained or used, `anybadge` gives no
title at all and one id for all badges of a page; `pybadges` gives a title without a role, ids that
collide unless each call suffixes them, stretches Arabic to a width measured letter by letter, fails
on a control character, never cuts a name, and installs an HTTP client; `genbadge` is made for test
reports and needs Pillow. A badge is two rectangles and two texts; what matters is measured and cut
by `text`, as in charts.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from kgraph.units import DURATION_UNITS
from kgraph.web.images.svg import name_drawing
from kgraph.web.images.text import (
    FONT_FAMILY,
    clean_text,
    fit_name,
    fit_text,
    is_right_to_left,
    isolate_text,
    measure_text,
)
from kgraph.web.pages.words import explain_level, show_code, show_date, show_level

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Data

_SIZE = 11.0
_EDGE = 7.0
_LONGEST_LABEL, _LONGEST_NAME = 190.0, 170.0

# Each holds white letters at 4.5 to 1 or better. The words say the same.
_LABEL_COLOR = "#454d57"
_FOUND, _STALE, _NOTHING, _FAULT = "#0a58b8", "#7a4d00", "#66707c", "#9b1c1c"


@dataclass(frozen=True, slots=True)
class Badge:
    """One badge, not yet written."""

    label: str
    message: str
    color: str
    title: str
    """The whole of it, for those who point at it or hear it."""

    def write(self) -> str:
        """The badge as SVG."""
        label = fit_text(self.label, _LONGEST_LABEL, _SIZE)
        first = round(measure_text(label, _SIZE) + 2 * _EDGE)
        second = round(measure_text(self.message, _SIZE) + 2 * _EDGE)
        width = first + second
        texts = _write_text(label, first / 2, first) + _write_text(
            self.message, first + second / 2, second
        )
        # Paths with round corners need no clip, and so no id that another badge might have.
        drawing = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20"'
            f' viewBox="0 0 {width} 20">'
            f'<path fill="{_LABEL_COLOR}" d="M3 0H{first}V20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"/>'
            f'<path fill="{self.color}"'
            f' d="M{first} 0H{width - 3}a3 3 0 0 1 3 3V17a3 3 0 0 1-3 3H{first}z"/>'
            f'<g fill="#fff" font-family="{FONT_FAMILY}" font-size="11" text-anchor="middle">'
            f"{texts}</g></svg>"
        )
        return name_drawing(drawing, self.title, f"{self.label}: {clean_text(self.message)}")


def show_leader(cohort: Data, leader: Data | None, snapshot: str) -> Badge:
    """What a badge says of a comparison.

    Args:
        leader: the run that it is about; None where none is eligible.
    """
    if leader is None:
        return _show_nothing(cohort, snapshot)
    implementation = leader["run"]["implementation"]
    name = isolate_text(fit_name(implementation["title"], _LONGEST_NAME, _SIZE))
    message = f"{leader['display']} · {name}" + (" · stale" if leader["stale"] else "")
    label = f"{_superlative(cohort)} on {_name_device(cohort['hardware'])}"
    level = leader["evidence"]["level"]
    title = (
        f"{label[0].upper()}{label[1:]}: {leader['display']}, "
        f"{clean_text(implementation['title'])} ({implementation['language']}). "
        f"{clean_text(cohort['operation']['title'])}; {clean_text(cohort['workload']['label'])}; "
        f"{clean_text(cohort['protocol']['title'] or 'protocol without a name')}. "
        f"Evidence: {show_level(level).lower()}. {explain_level(level)} "
        f"Source: {clean_text(leader['run']['source']['name'])}, observed "
        f"{show_date(leader['run']['observedAt'])}{', stale' if leader['stale'] else ''}; "
        f"best of {cohort['eligibleRunCount']:,} eligible runs of {cohort['runCount']:,}. "
        f"kgraph snapshot {snapshot.rpartition(':')[2][:8]}."
    )
    return Badge(label, message, _STALE if leader["stale"] else _FOUND, title)


def show_unmeasured(operation: Data, product: str | None, snapshot: str) -> Badge:
    """What a badge says of an operation that nothing eligible measures.

    Args:
        product: the device that was asked for; None for any.
    """
    where = f" on {product}" if product else ""
    title = (
        f"No eligible run of {clean_text(operation['title'])}{where}. "
        f"kgraph snapshot {snapshot.rpartition(':')[2][:8]}."
    )
    return Badge(f"fastest{where}", "no eligible run", _NOTHING, title)


def show_fault(message: str, title: str) -> Badge:
    """What a badge says where it cannot say what it is asked for."""
    return Badge("kgraph", message, _FAULT, title)


def _show_nothing(cohort: Data, snapshot: str) -> Badge:
    title = (
        f"No eligible run of {clean_text(cohort['operation']['title'])}; "
        f"{clean_text(cohort['workload']['label'])}, on {cohort['hardware']['product']}; "
        f"{cohort['runCount']:,} recorded. kgraph snapshot {snapshot.rpartition(':')[2][:8]}."
    )
    label = f"{_superlative(cohort)} on {_name_device(cohort['hardware'])}"
    return Badge(label, "no eligible run", _NOTHING, title)


def _superlative(cohort: Data) -> str:
    metric = cohort["metric"]
    if metric["unit"] in DURATION_UNITS or metric["name"] == "none":
        return "fastest"
    return f"best {show_code(metric['name'])}"


def _name_device(hardware: Data) -> str:
    """A product without its maker, as people say it: `H100`, `8 × H100`."""
    product = clean_text(hardware["product"])
    maker = f"{hardware['vendor']} "
    name = product[len(maker) :] if product.lower().startswith(maker.lower()) else product
    count = hardware["count"]
    return f"{count} × {name}" if count and count > 1 else name


def _write_text(text: str, middle: float, width: float) -> str:
    # A viewer with other fonts keeps to the width; joined scripts must not be pulled apart.
    held = (
        ""
        if is_right_to_left(text)
        else f' textLength="{width - 2 * _EDGE:g}" lengthAdjust="spacingAndGlyphs"'
    )
    return f'<text x="{middle:g}" y="14"{held}>{escape(text)}</text>'
