"""Conversion of durations to integer nanoseconds, and quantities as people read them.

Manifests hold durations as integer nanoseconds. Authors may write `0.008 ms`: what such text says
must land on an integer exactly. Importers convert measured numbers, which seldom do: they round
half to even.
"""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Final

from kgraph.errors import KgraphError

DURATION_UNITS: Final = ("ns", "us", "µs", "ms", "s")
"""Units that a written duration may carry; `us` and `µs` are both microseconds."""

_EXPONENTS: Final = {"ns": 0, "us": 3, "µs": 3, "μs": 3, "ms": 6, "s": 9}
# Both the micro sign (U+00B5) and the Greek letter mu (U+03BC) are typed for "micro".

_DURATION: Final = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)\s*([^\s0-9.]+)")

# A double has at most 17 significant digits and scaling is by a power of ten, so nothing measured
# is rounded twice; written numbers longer than this are refused rather than rounded.
_PRECISION: Final = 60
_EXACT: Final = Context(prec=_PRECISION, rounding=ROUND_HALF_EVEN)

_LONGEST_NS: Final = 2**53 - 1
"""About 104 days; beyond it readers of JSON would round."""


class UnitError(KgraphError):
    """Text or a number does not say a duration in integer nanoseconds."""

    code = "BAD_UNIT"

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(f"duration: found {found}, expected {expected}")


def parse_duration_ns(text: str) -> int:
    """The integer nanoseconds that `text` says, e.g. 13800 for `13.8 us`.

    Raises:
        UnitError: there is no number or no unit, the unit is none of `DURATION_UNITS`, or the
            duration is not a whole number of nanoseconds.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or len(match.group(1)) > _PRECISION:
        raise UnitError(
            _quote(text),
            "a number and a unit, as `13.8 us`; units are " + ", ".join(DURATION_UNITS),
        )
    number, unit = match.groups()
    exponent = _EXPONENTS.get(unit)
    if exponent is None:
        raise UnitError(f"the unit {_quote(unit)}", "one of " + ", ".join(DURATION_UNITS))
    scaled = Decimal(number).scaleb(exponent, _EXACT)
    _refuse_beyond_range(scaled, _quote(text))
    if scaled != scaled.to_integral_value():
        raise UnitError(f"{_quote(text)}, which is {scaled:f} ns", "a whole number of nanoseconds")
    return int(scaled)


def nanoseconds_to_ns(value: float | Decimal | str) -> int:
    """Integer nanoseconds nearest to a measured number of nanoseconds; half rounds to even."""
    return _rounded_ns(value, "ns")


def microseconds_to_ns(value: float | Decimal | str) -> int:
    """Integer nanoseconds nearest to a measured number of microseconds; half rounds to even."""
    return _rounded_ns(value, "us")


def milliseconds_to_ns(value: float | Decimal | str) -> int:
    """Integer nanoseconds nearest to a measured number of milliseconds; half rounds to even.

    A float stands for the shortest decimal that reads back as it, which is what its source wrote:
    59.177982330322266 gives 59177982.
    """
    return _rounded_ns(value, "ms")


def seconds_to_ns(value: float | Decimal | str) -> int:
    """Integer nanoseconds nearest to a measured number of seconds; half rounds to even."""
    return _rounded_ns(value, "s")


def _rounded_ns(value: float | Decimal | str, unit: str) -> int:
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        raise UnitError(_quote(str(value)), f"a number of {unit}") from None
    if not number.is_finite():
        raise UnitError(str(value), f"a finite number of {unit}")
    scaled = number.scaleb(_EXPONENTS[unit], _EXACT)
    _refuse_beyond_range(scaled, f"{value} {unit}")
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def _refuse_beyond_range(nanoseconds: Decimal, shown: str) -> None:
    if abs(nanoseconds) > _LONGEST_NS:
        raise UnitError(shown, "at most 2^53 - 1 nanoseconds, about 104 days")


def _quote(text: str) -> str:
    return json.dumps(
        text if len(text) <= 60 else text[:59] + "…",  # noqa: PLR2004 - fits a line
        ensure_ascii=False,
    )


# --- display ---------------------------------------------------------------------------------

_SHOWN_UNITS: Final = (("ns", 0), ("µs", 3), ("ms", 6), ("s", 9))

_UNIT_SIGNS: Final = {
    "tokens_s": "tokens/s",
    "samples_s": "samples/s",
    "queries_s": "queries/s",
    "gb_s": "GB/s",
    "gbps": "GB/s",
    "tb_s": "TB/s",
    "tflops": "TFLOP/s",
    "gflops": "GFLOP/s",
    "percent": "%",
    "ratio": "",
    "none": "",
}
"""Unit words of manifests whose sign differs from the word."""


def format_quantity(value: float, unit: str | None) -> str:
    """A value with its unit as people read it.

    Durations (unit ns, us, µs, ms, s) take the smallest of ns, µs, ms, s in which less than 1000 is
    shown, with one decimal: 59177982 ns is `59.2 ms`, 1.0048e-05 s is `10.0 µs`, 850 ns is
    `850.0 ns`. Other quantities show one decimal from 1 up and four digits below, thousands
    separated, then the unit: `8,840.4 tokens/s`, `0.8731`.
    """
    exponent = _EXPONENTS.get(unit) if unit is not None else None
    if exponent is not None:
        return _format_duration(value, exponent)
    number = f"{value:,.1f}" if abs(value) >= 1 else f"{value:.4g}"
    sign = _UNIT_SIGNS.get(unit, unit) if unit is not None else ""
    return f"{number} {sign}" if sign else number


def _format_duration(value: float, exponent: int) -> str:
    shown = ""
    for sign, shown_exponent in _SHOWN_UNITS:
        number = f"{value * 10.0 ** (exponent - shown_exponent):.1f}"
        shown = f"{number} {sign}"
        # Compared as shown, so that 999.96 µs is `1.0 ms` and not `1000.0 µs`.
        if abs(float(number)) < 1000:  # noqa: PLR2004 - units are 1000 apart
            break
    return shown


def format_ratio(ratio: float) -> str:
    """A ratio as people read it, two decimals and the sign: `17.75×`."""
    return f"{ratio:,.2f}×"
