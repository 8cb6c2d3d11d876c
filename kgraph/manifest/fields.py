"""Kinds of field that manifests share: names, digests, numbers, durations, instants, lists."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, Strict, StringConstraints
from pydantic_core import PydanticCustomError

from kgraph.canonical import MAX_INTEGER, show
from kgraph.units import UnitError, parse_duration_ns

T = TypeVar("T")

PATTERN_WORDS: Final = {
    r"^[a-z][a-z0-9_]*$": "a word of lower-case letters, digits and _, a letter first",
    r"^[a-z0-9][a-z0-9-]*$": "a slug of lower-case letters, digits and -",
    r"^[a-z0-9][a-z0-9._-]*$": "a name of lower-case letters, digits, . _ and -",
    r"^[0-9a-f]{40}$": "a commit of 40 lower-case hex digits",
    r"^sha256:[0-9a-f]{64}$": "sha256: and 64 lower-case hex digits",
    r"^blake3:[0-9a-f]{64}$": "blake3: and 64 lower-case hex digits",
    r"^[a-z0-9_+\-*%/() ]+$": "an expression over axis names with + - * // % and parentheses",
}
"""What each pattern asks for, as messages say it."""


def refuse(found: str, expected: str) -> PydanticCustomError:
    """The error by which a validator refuses a value, in the terms of a `Refusal`."""
    terms = {"found": found, "expected": expected}
    return PydanticCustomError("kgraph", "found {found}, expected {expected}", terms)


# --- text ------------------------------------------------------------------------------------

Word: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
"""A word of a vocabulary, or the name of an axis, tensor or metric."""

SlugText: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=200)
]
"""A name that stands in addresses."""

NameText: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=200)
]
"""The name of a manifest or a build variant."""

CommitText: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
"""A full git commit id."""

SpecDigestText: TypeAlias = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
"""A spec digest, or the SHA-256 of an artifact."""

ObjectIdText: TypeAlias = Annotated[str, StringConstraints(pattern=r"^blake3:[0-9a-f]{64}$")]
"""An object id, or the id of a pack."""

Short: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""One line of text."""

Line: TypeAlias = Annotated[str, StringConstraints(max_length=500)]
"""A longer line of text; a source's own words may be empty."""

Long: TypeAlias = Annotated[str, StringConstraints(max_length=2000)]
"""A paragraph of text, or an address."""

Expression: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9_+\-*%/() ]+$", max_length=200)
]
"""Arithmetic over axis names."""

# --- numbers ---------------------------------------------------------------------------------

Count: TypeAlias = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
"""A whole number from 0."""

Positive: TypeAlias = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
"""A whole number from 1."""

Whole: TypeAlias = Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
"""A whole number of either sign."""

Number: TypeAlias = (
    Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
    | Annotated[float, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
)
"""A finite number. Doubles beyond 2^53 are whole: their canonical form could not be read back."""

NotNegative: TypeAlias = (
    Annotated[int, Field(ge=0, le=MAX_INTEGER)] | Annotated[float, Field(ge=0, le=MAX_INTEGER)]
)
"""A finite number from 0."""

Share: TypeAlias = Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""

PositiveNumber: TypeAlias = (
    Annotated[int, Field(gt=0, le=MAX_INTEGER)] | Annotated[float, Field(gt=0, le=MAX_INTEGER)]
)
"""A finite number above 0."""


def _read_duration(value: object) -> object:
    if isinstance(value, str):
        try:
            return parse_duration_ns(value)
        except UnitError as error:
            raise refuse(error.found, error.expected) from error
    if isinstance(value, float):
        # A bare 8120.5 might be microseconds as well: only an integer is plainly nanoseconds.
        raise refuse(show(value), "an integer of nanoseconds, or a number and its unit as text")
    return value


_Written: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*(ns|us|µs|μs|ms|s)$")
]
"""A duration with its unit, for the JSON Schema; `parse_duration_ns` decides."""

Duration: TypeAlias = Annotated[
    int,
    Field(ge=0, le=MAX_INTEGER),
    BeforeValidator(_read_duration, json_schema_input_type=Count | _Written),
]
"""A duration, stored as integer nanoseconds; may be written with a unit, as `13.8 us`."""

Latency: TypeAlias = Annotated[
    int,
    Field(gt=0, le=MAX_INTEGER),
    BeforeValidator(_read_duration, json_schema_input_type=Positive | _Written),
]
"""A duration above 0; zero would mean that nothing was measured."""

# --- instants --------------------------------------------------------------------------------

_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?Z"
)


def _check_instant(text: str) -> str:
    # The spelling is kept: rewriting .000Z as Z would change the digest of a published manifest.
    if _INSTANT.fullmatch(text) is None or not _is_on_calendar(text):
        raise refuse(show(text), "a UTC instant as 2026-01-02T03:04:05.678Z")
    return text


def _is_on_calendar(text: str) -> bool:
    seconds, _, _ = text.removesuffix("Z").partition(".")
    try:
        datetime.fromisoformat(seconds)
    except ValueError:
        return False
    return True


Instant: TypeAlias = Annotated[
    str,
    AfterValidator(_check_instant),
    Field(json_schema_extra={"format": "date-time"}),
]
"""A UTC instant in ISO 8601, kept as it is spelled."""

# --- collections -----------------------------------------------------------------------------


def _sort_unique(items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(items)))


# `strict` would refuse the list that JSON has for a tuple; items stay strict.
Many = Annotated[tuple[T, ...], Strict(False)]
"""An ordered list."""

AsSet = Annotated[tuple[T, ...], Strict(False), AfterValidator(_sort_unique)]
"""A list whose order says nothing: sorted and deduplicated before it is hashed."""

AxisType: TypeAlias = Literal["integer"]
"""The only type an axis has."""
