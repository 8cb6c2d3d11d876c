"""Durations convert exactly or not at all; measured ones round half to even."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.units import (
    DURATION_UNITS,
    UnitError,
    format_quantity,
    format_ratio,
    microseconds_to_ns,
    milliseconds_to_ns,
    nanoseconds_to_ns,
    parse_duration_ns,
    seconds_to_ns,
)

FACTORS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0.008 ms", 8000),
        ("13.8 us", 13_800),
        ("13.8 µs", 13_800),
        ("13.8 \u03bcs", 13_800),
        ("13.8us", 13_800),
        ("1 s", 10**9),
        ("5 ns", 5),
        (" 5 ns ", 5),
        ("1e3 ns", 1000),
        ("1.5E-3 ms", 1500),
        ("-3 ms", -3_000_000),
        ("0 s", 0),
        ("9007199254740991 ns", 2**53 - 1),
        ("0.100000000 s", 10**8),
    ],
)
def test_a_duration_with_a_unit_is_integer_nanoseconds(text: str, nanoseconds: int) -> None:
    assert parse_duration_ns(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("0.5 ns", '"0.5 ns", which is 0.5 ns', "a whole number of nanoseconds"),
        ("0.0000005 ms", "which is 0.5 ns", "a whole number of nanoseconds"),
        ("3 min", 'the unit "min"', "one of ns, us, µs, ms, s"),
        ("3 MS", 'the unit "MS"', "one of ns, us, µs, ms, s"),
        ("8120", '"8120"', "a number and a unit"),
        ("ms", '"ms"', "a number and a unit"),
        ("", '""', "a number and a unit"),
        ("1,5 ms", '"1,5 ms"', "a number and a unit"),
        ("NaN s", '"NaN s"', "a number and a unit"),
        ("1 2 s", '"1 2 s"', "a number and a unit"),
        ("1e999 s", '"1e999 s"', "at most 2^53 - 1 nanoseconds"),
        ("9007199254740992 ns", "9007199254740992", "at most 2^53 - 1 nanoseconds"),
        ("1" * 61 + " ns", "…", "a number and a unit"),
    ],
)
def test_what_is_no_integer_of_nanoseconds_is_refused(text: str, found: str, expected: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_duration_ns(text)

    assert found in caught.value.found
    assert expected in caught.value.expected
    assert found in str(caught.value)


@given(st.decimals(0, 10**6, places=6), st.sampled_from(DURATION_UNITS))
def test_parsing_is_exact_arithmetic(number: Decimal, unit: str) -> None:
    exact = Fraction(number) * FACTORS[unit]

    if exact.denominator == 1:
        assert parse_duration_ns(f"{number} {unit}") == exact
    else:
        with pytest.raises(UnitError):
            parse_duration_ns(f"{number} {unit}")


@pytest.mark.parametrize(
    ("milliseconds", "nanoseconds"),
    [
        (59.177982330322266, 59_177_982),
        ("59.177982330322266", 59_177_982),
        (Decimal("0.0000005"), 0),
        (Decimal("0.0000015"), 2),
        (0.0000025, 2),
        (3, 3_000_000),
        (11_500.25, 11_500_250_000),
    ],
    ids=str,
)
def test_measured_milliseconds_round_half_to_even(
    milliseconds: float | Decimal | str, nanoseconds: int
) -> None:
    assert milliseconds_to_ns(milliseconds) == nanoseconds


def test_every_unit_has_its_conversion() -> None:
    assert seconds_to_ns(1.0048658277929109e-05) == 10_049
    assert milliseconds_to_ns(0.0138) == 13_800
    assert microseconds_to_ns(13.8) == 13_800
    assert nanoseconds_to_ns(13.5) == 14


@given(st.floats(0, 1e9, allow_nan=False))
def test_rounding_is_within_half_a_nanosecond_of_the_written_number(milliseconds: float) -> None:
    exact = Fraction(repr(milliseconds)) * 10**6

    assert abs(milliseconds_to_ns(milliseconds) - exact) <= Fraction(1, 2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), "a finite number of ms"),
        (float("inf"), "a finite number of ms"),
        ("", "a number of ms"),
        ("n/a", "a number of ms"),
        (1e300, "at most 2^53 - 1 nanoseconds"),
    ],
    ids=str,
)
def test_a_measured_value_that_is_no_duration_is_refused(value: float | str, expected: str) -> None:
    with pytest.raises(UnitError) as caught:
        milliseconds_to_ns(value)

    assert expected in caught.value.expected


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (59_177_982, "ns", "59.2 ms"),
        (779_100, "ns", "779.1 µs"),
        (850, "ns", "850.0 ns"),
        (999_960, "ns", "1.0 ms"),
        (999_940, "ns", "999.9 µs"),
        (11_500_000_000, "ns", "11.5 s"),
        (86_400, "s", "86400.0 s"),
        (1.0048658277929109e-05, "s", "10.0 µs"),
        (0.25, "ns", "0.2 ns"),
        (0, "ns", "0.0 ns"),
        (-1_500, "ns", "-1.5 µs"),
        (13.8, "ms", "13.8 ms"),
        (8840.42, "tokens_s", "8,840.4 tokens/s"),
        (0.87312, None, "0.8731"),
        (0.87312, "ratio", "0.8731"),
        (12.5, "watts", "12.5 watts"),
    ],
)
def test_quantities_are_shown_with_one_decimal_and_a_fitting_unit(
    value: float, unit: str | None, shown: str
) -> None:
    assert format_quantity(value, unit) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"), [(17.7468, "17.75×"), (1.0, "1.00×"), (12345.678, "12,345.68×")]
)
def test_ratios_are_shown_with_two_decimals(ratio: float, shown: str) -> None:
    assert format_ratio(ratio) == shown
