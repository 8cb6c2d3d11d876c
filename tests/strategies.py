"""Hypothesis strategies: JSON values, digests, manifests as plain values."""

from __future__ import annotations

import math
import string
import struct
from datetime import datetime
from typing import Any, Final, Literal

from build import make_implementation, make_run, make_workload
from hypothesis import strategies as st

from kgraph.canonical import MAX_INTEGER

_HEX: Final = "0123456789abcdef"

# UTF-8 has no form for them, so they are tried apart.
_SURROGATES: Final[tuple[Literal["Cs"]]] = ("Cs",)


def _double(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def finite_floats() -> st.SearchStrategy[float]:
    """Doubles of every exponent alike, with those near the bounds of notations."""
    every_exponent = st.integers(0, 2**64 - 1).map(_double)
    near_bounds = st.builds(
        lambda digits, exponent: float(f"{digits}e{exponent}"),
        st.integers(-(10**17), 10**17),
        st.integers(-30, 30),
    )
    return st.one_of(
        every_exponent, near_bounds, st.floats(), st.integers(-9, 9).map(float)
    ).filter(math.isfinite)


def readable_floats() -> st.SearchStrategy[float]:
    """Doubles that a document may hold: whole ones end at 2^53 or are written with an exponent."""
    return finite_floats().filter(lambda value: abs(value) <= MAX_INTEGER or abs(value) >= 1e21)


def texts() -> st.SearchStrategy[str]:
    """Text of any script, with control characters and characters beyond U+FFFF, none lone."""
    anything = st.characters(exclude_categories=_SURROGATES)
    awkward = st.sampled_from(
        '"\\/\b\f\n\r\t\x00\x1f\x7f\u2028\u20ac\ue000\uffff\U00010000\U0010ffff'
    )
    return st.text(st.one_of(anything, awkward, st.sampled_from("e+-6.0,[{null}")), max_size=12)


def json_values(floats: st.SearchStrategy[float] | None = None) -> st.SearchStrategy[Any]:
    """Values of JSON, nested."""
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-MAX_INTEGER, MAX_INTEGER),
        finite_floats() if floats is None else floats,
        texts(),
    )
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5), st.dictionaries(texts(), inner, max_size=5)
        ),
        max_leaves=25,
    )


def spec_digests() -> st.SearchStrategy[str]:
    """Well-formed spec digests."""
    return st.text(_HEX, min_size=64, max_size=64).map("sha256:".__add__)


def words() -> st.SearchStrategy[str]:
    """Words as manifests spell them."""
    letters = st.sampled_from(string.ascii_lowercase)
    return st.builds(
        str.__add__, letters, st.text(string.ascii_lowercase + "0123456789_", max_size=9)
    )


def instants() -> st.SearchStrategy[str]:
    """UTC instants, with and without a fraction."""
    return st.builds(
        lambda moment, fraction: moment.isoformat(timespec="seconds") + fraction + "Z",
        st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001 - Z is added
        st.sampled_from(["", ".0", ".000", ".678", ".123456789"]),
    )


def runs() -> st.SearchStrategy[dict[str, Any]]:
    """Valid runs with a timing, further figures and the source's own words."""
    nanoseconds = st.integers(1, MAX_INTEGER)
    numbers = st.one_of(
        st.integers(-MAX_INTEGER, MAX_INTEGER),
        st.floats(-(2.0**52), 2.0**52, allow_nan=False),
    )
    measurement = st.fixed_dictionaries(
        {"metric": words(), "unit": words(), "statistic": words(), "value": numbers},
        optional={"sampleCount": st.integers(1, 10**6)},
    )
    return st.builds(
        make_run,
        median=nanoseconds,
        status=st.sampled_from(["passed", "timeout", "revoked"]),
        observedAt=instants(),
        implementationDigest=spec_digests(),
        measurements=st.lists(measurement, max_size=4),
        sourceNative=st.fixed_dictionaries(
            {
                "source": st.just("example"),
                "externalId": texts(),
                "metrics": st.dictionaries(words(), numbers, max_size=4),
            }
        ),
    )


def workloads() -> st.SearchStrategy[dict[str, Any]]:
    """Valid cases with axes and scalars."""
    scalar = st.fixed_dictionaries({"dtype": words(), "value": st.booleans() | st.integers(-9, 9)})
    return st.builds(
        make_workload,
        axes=st.dictionaries(words(), st.integers(0, 2**40), max_size=5),
        scalars=st.dictionaries(words(), scalar, max_size=3),
    )


def implementations() -> st.SearchStrategy[dict[str, Any]]:
    """Valid implementations whose set-like lists are in any order, with repeats."""
    return st.builds(
        make_implementation,
        support=st.fixed_dictionaries(
            {
                "dtypes": st.lists(words(), max_size=6),
                "hardwareArchitectures": st.lists(words(), max_size=6),
            }
        ),
    )


def manifests() -> st.SearchStrategy[dict[str, Any]]:
    """Valid manifests of several kinds as plain values."""
    return st.one_of(runs(), workloads(), implementations())
