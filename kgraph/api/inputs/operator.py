"""Typed tests of one field. Several tests in one input must all hold."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Generic, TypeVar

from kgraph.api.describe import input_type, optional, plain
from kgraph.api.enums import (
    BelowFloor,
    Bound,
    EvidenceLevel,
    Profile,
    RecordCause,
    RunStatus,
    TimedPass,
)
from kgraph.api.scalars import BigInt
from kgraph.digest import ObjectId, SpecDigest

E = TypeVar("E", bound=Enum)

_IS_NULL = "Whether it is not known."


@input_type
class StringTest:
    """A test of text."""

    eq: str | None = optional("Equal, letter case counts.")
    in_: list[str] | None = optional("One of these, at most 100.", name="in")
    contains: str | None = optional("Holds this text, letter case does not count.")
    is_null: bool | None = optional(_IS_NULL)


@input_type
class SetTest:
    """A test of a list of texts."""

    eq: str | None = optional("The list holds this text.")
    in_: list[str] | None = optional("The list holds one of these, at most 100.", name="in")
    contains: str | None = optional(
        "One of the list's texts holds this text, letter case does not count."
    )


@input_type
class DigestTest:
    """A test of a digest."""

    eq: SpecDigest | None = optional("Equal, written out in full.")
    in_: list[SpecDigest] | None = optional("One of these, at most 100.", name="in")


@input_type
class SnapshotTest:
    """A test of a snapshot."""

    eq: ObjectId | None = optional("Equal, written out in full.")
    in_: list[ObjectId] | None = optional("One of these, at most 100.", name="in")


@input_type
class BooleanTest:
    """A test of a truth value."""

    eq: bool | None = optional("Equal.")


@input_type
class IntTest:
    """A test of an integer."""

    eq: BigInt | None = optional("Equal.")
    in_: list[BigInt] | None = optional("One of these, at most 100.", name="in")
    gt: BigInt | None = optional("Above.")
    gte: BigInt | None = optional("This or above.")
    lt: BigInt | None = optional("Below.")
    lte: BigInt | None = optional("This or below.")
    is_null: bool | None = optional(_IS_NULL)


@input_type
class FloatTest:
    """A test of a number."""

    eq: float | None = optional("Equal.")
    in_: list[float] | None = optional("One of these, at most 100.", name="in")
    gt: float | None = optional("Above.")
    gte: float | None = optional("This or above.")
    lt: float | None = optional("Below.")
    lte: float | None = optional("This or below.")
    is_null: bool | None = optional(_IS_NULL)


@input_type
class DateTimeTest:
    """A test of an instant."""

    eq: datetime | None = optional("At exactly this instant.")
    gt: datetime | None = optional("After.")
    gte: datetime | None = optional("At or after.")
    lt: datetime | None = optional("Before.")
    lte: datetime | None = optional("At or before.")
    is_null: bool | None = optional(_IS_NULL)


@input_type
class ChoiceTest(Generic[E]):
    """A test of one of a closed set."""

    eq: E | None = optional("Equal.")
    in_: list[E] | None = optional("One of these.", name="in")


@input_type
class RunStatusTest(ChoiceTest[RunStatus]):
    """A test of a run's status."""


@input_type
class EvidenceTest(ChoiceTest[EvidenceLevel]):
    """A test of an evidence level."""

    gte: EvidenceLevel | None = optional("This level or a stronger one.")


@input_type
class ProfileTest(ChoiceTest[Profile]):
    """A test of a cohort's profile."""


@input_type
class TimedPassTest(ChoiceTest[TimedPass]):
    """A test of which pass is timed; one that is not stated passes none."""


@input_type
class RecordCauseTest(ChoiceTest[RecordCause]):
    """A test of why a record changed."""


@input_type
class BoundTest(ChoiceTest[Bound]):
    """A test of the resource that sets a floor."""


@input_type
class BelowFloorTest(ChoiceTest[BelowFloor]):
    """A test of what explains a record below its floor; null, not below, passes none."""


@input_type
class AxisTest(IntTest):
    """A test of the size that a workload gives to one axis."""

    name: str = plain("Name of the axis, as `tokens`.")
