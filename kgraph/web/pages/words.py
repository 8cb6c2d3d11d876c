"""Values of the API as people read them."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from kgraph.units import DURATION_UNITS, format_quantity, format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

# Values that differ less are one value to a reader.
_MOST_DIGITS = 12

_WORDS = MappingProxyType(
    {
        "SOURCE_NATIVE": "source-native comparison",
        "STRICT_EXACT": "strict comparison",
        "CONTROLLED": "controlled comparison",
        "NO_SOURCE_DIGEST": "source text not identified",
        "SOURCE_IDENTIFIED": "source text identified by digest",
        "SOURCE_PUBLIC": "source is public",
        "NO_PUBLIC_SOURCE": "no public source",
        "NO_RAW_EVIDENCE": "no raw evidence published",
        "NO_INSTALL_RECIPE": "no install recipe",
        "LICENSE_UNKNOWN": "licence unknown",
        "NEW_RUN": "new run",
        "IN_PLACE": "writes into its inputs",
        "DESTINATION": "writes into a given destination",
        "PRIMARY_METRIC": "has a primary value",
        "MISSING_PRIMARY_METRIC": "no primary value",
        "NOT_CORRECTED": "not retracted, not superseded",
        "STATUS_PASSED": "passed",
        "not_asserted": "not asserted",
    }
)
"""Codes whose words are not simply their own, in small letters."""

_EVIDENCE = MappingProxyType(
    {
        "REPORTED": "Reported by its source; not independently reproduced.",
        "REPRODUCIBLE": "Public source, complete identity and raw evidence; not rerun here.",
        "VERIFIED": "A controlled rerun by this catalogue passed.",
        "REPLICATED": "Two independent runners agree.",
    }
)

_PROFILES = MappingProxyType(
    {
        "SOURCE_NATIVE": "Runs that a source reported under its own harness; "
        "only equal values tie.",
        "STRICT_EXACT": "Runs with samples or confidence intervals under one protocol and "
        "environment; overlapping intervals tie.",
        "CONTROLLED": "Runs made by this catalogue's own runner; overlapping intervals tie.",
    }
)


def show_code(code: str) -> str:
    """A code such as `COMPILE_ERROR` in words."""
    known = _WORDS.get(code)
    if known is not None:
        return known
    return re.sub(r"^status ", "", code.replace("_", " ").lower())


def show_level(level: str) -> str:
    """An evidence level as a word: `Reported`."""
    return level.capitalize()


def explain_level(level: str) -> str:
    """What an evidence level means, in one sentence."""
    return _EVIDENCE.get(level, show_code(level))


def explain_profile(profile: str) -> str:
    """Under whose rules the runs of a comparison were made, in one sentence."""
    return _PROFILES.get(profile, show_code(profile))


def parse_instant(text: str) -> datetime:
    """An instant of the API."""
    return datetime.fromisoformat(text).astimezone(UTC)


def show_date(text: str) -> str:
    """The day of an instant: `2025-06-27`."""
    return parse_instant(text).date().isoformat()


def show_instant(text: str) -> str:
    """An instant to the minute: `2025-06-27 09:20 UTC`."""
    return f"{parse_instant(text):%Y-%m-%d %H:%M} UTC"


def show_speedup(speedup: float, unit: str | None) -> str:
    """A speed-up over the baseline in words: `1.19× faster than the baseline`.

    Args:
        unit: of the compared values; other things than durations are better, not faster.
    """
    better, worse = ("faster", "slower") if unit in DURATION_UNITS else ("better", "worse")
    shown = format_ratio(speedup)
    if shown == format_ratio(1.0):
        return "equal to the baseline"
    if speedup > 1:
        return f"{shown} {better} than the baseline"
    return f"{format_ratio(1 / speedup)} {worse} than the baseline"


def show_value(value: float | None, unit: str | None) -> str | None:
    """A value with its unit: `13.8 ms`; None for None."""
    return None if value is None else format_quantity(value, unit)


def show_ticks(values: Sequence[float], unit: str | None) -> tuple[str, ...]:
    """Round values on an axis, each told from the next: `14 ms`, `14.5 ms`."""
    shown = [re.sub(r"\.0(?=$|\s)", "", format_quantity(value, unit)) for value in values]
    if len(set(shown)) == len(shown):
        return tuple(shown)
    # One decimal does not tell them apart: as many digits as do, in the unit of the largest.
    number, _, sign = format_quantity(max(values), unit).partition(" ")
    read = float(number.replace(",", ""))
    # Close enough to the unit's own power of ten to be it; what shows as 0.0 has the least unit.
    scale = 10.0 ** round(math.log10(max(values) / read)) if read else 1.0
    for digits in range(2, _MOST_DIGITS):
        rounded = [float(f"{value / scale:.{digits}g}") for value in values]
        if all(map(math.isclose, rounded, (value / scale for value in values))):
            break
    return tuple(f"{value:.{digits}g} {sign}".strip() for value in rounded)


def show_number(value: float) -> str:
    """A number with thousands apart, as a source gave it: `128,256`."""
    if isinstance(value, int) or value.is_integer():
        return f"{int(value):,}"
    return repr(value)


def show_bytes(size: int) -> str:
    """A size in binary units: `80.0 GiB`."""
    shown = float(size)
    for sign in ("B", "KiB", "MiB", "GiB"):
        if shown < 1024:  # noqa: PLR2004 - units are 1024 apart
            return f"{size:,} B" if sign == "B" else f"{shown:.1f} {sign}"
        shown /= 1024
    return f"{shown:,.1f} TiB"


def show_gigabytes(size: int) -> str:
    """A memory as datasheets state it, in powers of ten: `80 GB`."""
    return f"{size / 1e9:,.4g} GB"


def show_bandwidth(bytes_per_second: int) -> str:
    """A memory bandwidth as datasheets state it: `2,039 GB/s`."""
    return f"{bytes_per_second / 1e9:,.0f} GB/s"


def show_tera(per_second: int) -> str:
    """Operations a second as datasheets state them, without the unit: `989.4`."""
    return f"{per_second / 1e12:,.1f}"


def show_metric(name: str, statistic: str | None) -> str:
    """What is measured: `median latency`."""
    return f"{statistic} {name}".replace("_", " ") if statistic else name.replace("_", " ")


def show_axes(axes: list[dict[str, int | str]]) -> str:
    """Sizes of axes on one line: `hidden = 4096 · tokens = 1024`."""
    return " · ".join(f"{axis['name']} = {axis['value']}" for axis in axes)
