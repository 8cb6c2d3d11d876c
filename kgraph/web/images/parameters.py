"""What an address asks of an image beyond its name."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.web.images.specs.theme import THEMES
from kgraph.web.incoming import BadHttpError

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

WIDTHS, HEIGHTS, SCALES = (320, 1600), (240, 1200), (1.0, 4.0)
"""Smallest and largest, in units of the drawing; a scale is pixels to a unit."""

DEFAULT_WIDTH, DEFAULT_SCALE = 640, 2.0
"""Sharp on most screens, and below 100 kB."""

# What one drawing may take of the memory of the process that draws: 32 MB.
_MAX_PIXELS = 8_000_000
_MAX_NAME = 300
_NUMBER = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a chart is wanted, checked."""

    theme: str
    width: int
    height: int | None
    scale: float


def read_wanted(query: QueryParams, *, is_png: bool) -> Wanted:
    """The parameters of a chart.

    Raises:
        BadHttpError: one of them is not what it can be.
    """
    theme = query.get("theme") or "light"
    if theme not in THEMES:
        raise _bad("theme", theme, " or ".join(THEMES))
    width = int(_read_number(query, "width", WIDTHS) or DEFAULT_WIDTH)
    height = _read_number(query, "height", HEIGHTS)
    scale = (_read_number(query, "scale", SCALES) if is_png else None) or DEFAULT_SCALE
    highest = HEIGHTS[1] if height is None else height
    if is_png and width * highest * scale * scale > _MAX_PIXELS:
        fitting = math.floor(math.sqrt(_MAX_PIXELS / (width * highest)) * 100) / 100
        if query.get("scale"):
            told = f"at most {fitting:g} for {width} by {highest:g}"
            raise _bad("scale", query["scale"], f"{told}, which makes 8 megapixels")
        scale = max(fitting, SCALES[0])
    return Wanted(theme, width, None if height is None else int(height), scale)


def read_name(query: QueryParams, name: str) -> str | None:
    """A name of something in the catalogue; None where it is left out or empty.

    Raises:
        BadHttpError: it is longer than any name.
    """
    found = query.get(name) or None
    if found is not None and len(found) > _MAX_NAME:
        raise _bad(name, found, f"a name of at most {_MAX_NAME} letters")
    return found


def _read_number(query: QueryParams, name: str, limits: tuple[float, float]) -> float | None:
    given = query.get(name)
    if not given:
        return None
    low, high = limits
    is_whole = isinstance(low, int)
    number = float(given) if _NUMBER.fullmatch(given) else math.nan
    if not low <= number <= high or (is_whole and not number.is_integer()):
        kind = "a whole number" if is_whole else "a number"
        raise _bad(name, given, f"{kind} from {low:g} to {high:g}")
    return number


def _bad(name: str, found: str, expected: str) -> BadHttpError:
    return BadHttpError(400, "BAD_REQUEST", f"{name}: found {found[:60]!r}, expected {expected}")
