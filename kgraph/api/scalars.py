"""Scalars of the API beyond the five that GraphQL has.

Each is keyed by the Python type that the rest of kgraph already uses, so that no value changes
its type on the way out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import NewType, TypeVar

import strawberry
from graphql import GraphQLError
from strawberry.types.scalar import ScalarDefinition

from kgraph.digest import ObjectId, SpecDigest
from kgraph.vocab import CohortKey, Nanoseconds

T = TypeVar("T")

BigInt = NewType("BigInt", int)
"""An integer that may pass 2^31: bytes, operations, axis values."""

Json = NewType("Json", object)
"""Any JSON value, as stored."""

MAX_SAFE_INTEGER = 2**53
"""Largest magnitude that a JSON number carries exactly in every client."""


def parse_big_int(value: object) -> int:
    """The integer that a client gave, as a number or as text of one.

    Raises:
        ValueError: it is no integer, or its magnitude is above 2^53.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        message = f"BigInt: found {value!r}, expected an integer"
        raise ValueError(message)
    try:
        number = int(value)
    except (ValueError, OverflowError) as error:
        message = f"BigInt: found {value!r}, expected an integer"
        raise ValueError(message) from error
    if isinstance(value, float) and number != value:
        message = f"BigInt: found {value!r}, expected a whole number"
        raise ValueError(message)
    if abs(number) > MAX_SAFE_INTEGER:
        message = f"BigInt: found {value!r}, expected a magnitude of at most 2^53"
        raise ValueError(message)
    return number


def parse_instant(value: object) -> datetime:
    """The UTC instant that a client wrote in RFC 3339 form.

    Raises:
        ValueError: it is other text, or has no zone.
    """
    message = f"DateTime: found {value!r}, expected RFC 3339 with a zone, as 2026-01-02T03:04:05Z"
    if not isinstance(value, str):
        raise ValueError(message)
    try:
        instant = datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(message) from error
    if instant.tzinfo is None:
        raise ValueError(message)
    return instant.astimezone(UTC)


# Instants of facts that stay in memory are served again and again; 3 MB at most.
@lru_cache(maxsize=16_384)
def encode_instant(value: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as manifests write instants."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def parse_name(value: object) -> str:
    """The digest text that a client gave; what it names is checked where it is used.

    Raises:
        ValueError: it is no text.
    """
    if not isinstance(value, str):
        message = f"Digest: found {value!r}, expected text such as sha256:…"
        raise ValueError(message)
    return value


def _tell(parse: Callable[[object], T]) -> Callable[[object], T]:
    """The parser of a scalar, whose refusals are the client's and not faults of ours."""

    def read(value: object) -> T:
        try:
            return parse(value)
        except ValueError as error:
            raise GraphQLError(str(error)) from error

    return read


def build_scalar_map() -> dict[object, ScalarDefinition]:
    """Which Python type is served as which scalar."""
    digest = strawberry.scalar(
        name="Digest",
        description=(
            "A name made from content: `sha256:` and 64 hex digits for what a manifest means "
            "(spec digest, cohort key), `blake3:` and 64 hex digits for stored bytes (object id, "
            "snapshot)."
        ),
        specified_by_url="https://www.rfc-editor.org/rfc/rfc8785",
        serialize=str,
        parse_value=_tell(parse_name),
    )
    big_int = strawberry.scalar(
        name="BigInt",
        description=(
            "An integer of magnitude up to 2^53, written as a JSON number. Durations are in "
            "nanoseconds, sizes in bytes."
        ),
        specified_by_url="https://www.rfc-editor.org/rfc/rfc8259#section-6",
        serialize=int,
        parse_value=_tell(parse_big_int),
    )
    instant = strawberry.scalar(
        name="DateTime",
        description="An instant in UTC, RFC 3339 with milliseconds: `2026-01-02T03:04:05.678Z`.",
        specified_by_url="https://www.rfc-editor.org/rfc/rfc3339",
        serialize=encode_instant,
        parse_value=_tell(parse_instant),
    )
    json = strawberry.scalar(
        name="JSON",
        description="Any JSON value, exactly as the manifest holds it.",
        specified_by_url="https://www.rfc-editor.org/rfc/rfc8259",
        serialize=lambda value: value,
        parse_value=lambda value: value,
    )
    return {
        SpecDigest: digest,
        ObjectId: digest,
        CohortKey: digest,
        BigInt: big_int,
        Nanoseconds: big_int,
        datetime: instant,
        Json: json,
    }
