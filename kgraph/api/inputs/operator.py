"""Typed tests of one field. Several tests in one input must all hold."""

from __future__ import annotations

from datetime import datetime

from kgraph.api.describe import input_type, optional, plain
from kgraph.api.enums import (
    BelowFloor,
    Bound,
    EvidenceLevel,
    Profile,
    RecordCause,
    RunStatus,
)
from kgraph.api.scalars import BigInt
from kgraph.digest import ObjectId, SpecDigest


@input_type
class StringTest:
    """A test of text."""

    eq: str | None = optional("Equal, letter case counts.")
    in_: list[str] | None = optional("One of these, at most 100.", name="in")
    contains: str | None = optional("Holds this text, letter case does not count.")


@input_type
class SetTest:
    """A test of a list of texts."""

    eq: str | None = optional("The list holds this text.")
    in_: list[str] | None = optional("The list holds one of these, at most 100.", name="in")


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


@input_type
class FloatTest:
    """A test of a number."""

    eq: float | None = optional("Equal.")
    gt: float | None = optional("Above.")
    gte: float | None = optional("This or above.")
    lt: float | None = optional("Below.")
    lte: float | None = optional("This or below.")


@input_type
class DateTimeTest:
    """A test of an instant."""

    gt: datetime | None = optional("After.")
    gte: datetime | None = optional("At or after.")
    lt: datetime | None = optional("Before.")
    lte: datetime | None = optional("At or before.")


@input_type
class RunStatusTest:
    """A test of a run's status."""

    eq: RunStatus | None = optional("Equal.")
    in_: list[RunStatus] | None = optional("One of these.", name="in")


@input_type
class EvidenceTest:
    """A test of an evidence level."""

    eq: EvidenceLevel | None = optional("Equal.")
    in_: list[EvidenceLevel] | None = optional("One of these.", name="in")
    gte: EvidenceLevel | None = optional("This level or a stronger one.")


@input_type
class ProfileTest:
    """A test of a cohort's profile."""

    eq: Profile | None = optional("Equal.")
    in_: list[Profile] | None = optional("One of these.", name="in")


@input_type
class RecordCauseTest:
    """A test of why a record changed."""

    eq: RecordCause | None = optional("Equal.")
    in_: list[RecordCause] | None = optional("One of these.", name="in")


@input_type
class BoundTest:
    """A test of the resource that sets a floor."""

    eq: Bound | None = optional("Equal.")
    in_: list[Bound] | None = optional("One of these.", name="in")


@input_type
class BelowFloorTest:
    """A test of what explains a record below its floor; null, not below, passes none."""

    eq: BelowFloor | None = optional("Equal.")
    in_: list[BelowFloor] | None = optional("One of these.", name="in")


@input_type
class AxisTest:
    """A test of the size that a workload gives to one axis."""

    name: str = plain("Name of the axis, as `tokens`.")
    eq: BigInt | None = optional("Equal.")
    in_: list[BigInt] | None = optional("One of these, at most 100.", name="in")
    gt: BigInt | None = optional("Above.")
    gte: BigInt | None = optional("This or above.")
    lt: BigInt | None = optional("Below.")
    lte: BigInt | None = optional("This or below.")
