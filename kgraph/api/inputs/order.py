"""How lists are sorted. A member's value is the field of the list; ties go by digest."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

import strawberry

from kgraph.api.describe import input_type, optional, plain
from kgraph.api.enums import OrderDirection
from kgraph.api.errors import BadArgumentError
from kgraph.facts import Order

MAX_ORDERS = 3
"""Most fields that a list is sorted by."""


class FamilyOrderField(StrEnum):
    """What families are sorted by."""

    SLUG = "slug"
    OPERATION_COUNT = "operation_count"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


class OperationOrderField(StrEnum):
    """What operations are sorted by."""

    SLUG = "slug"
    TITLE = "title"
    FAMILY = "family"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


class WorkloadOrderField(StrEnum):
    """What workloads are sorted by."""

    OPERATION = "operation_slug"
    POSITION = "position"
    LABEL = "label"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"


class ImplementationOrderField(StrEnum):
    """What implementations are sorted by."""

    OPERATION = "operation_slug"
    TITLE = "title"
    LANGUAGE = "language"
    RUN_COUNT = "run_count"
    RECORD_COUNT = "record_count"


class RunOrderField(StrEnum):
    """What runs are sorted by."""

    OBSERVED_AT = "observed_at"
    PUBLISHED_AT = "published_at"
    VALUE = "value"
    RANK = "rank"
    EVIDENCE = "evidence_order"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    TITLE = "title"


class CohortOrderField(StrEnum):
    """What cohorts are sorted by."""

    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    RECORD_EVENT_COUNT = "record_event_count"
    LAST_OBSERVED_AT = "last_observed_at"


class RecordOrderField(StrEnum):
    """What records are sorted by."""

    SINCE = "since"
    OBSERVED_AT = "observed_at"
    VALUE = "value"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"


class RecordEventOrderField(StrEnum):
    """What record events are sorted by."""

    AT = "at"
    ORDINAL = "ordinal"
    IMPROVEMENT_PERCENT = "improvement_percent"


class HardwareOrderField(StrEnum):
    """What hardware products are sorted by."""

    PRODUCT = "product"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


class SourceOrderField(StrEnum):
    """What sources are sorted by."""

    SLUG = "slug"
    NAME = "name"
    RUN_COUNT = "run_count"
    LAST_OBSERVED_AT = "last_observed_at"


class PublicationOrderField(StrEnum):
    """What publications are sorted by."""

    SEQUENCE = "sequence"
    AT = "published_at"


class ServingRunOrderField(StrEnum):
    """What serving runs are sorted by."""

    OBSERVED_AT = "observed_at"
    MODEL = "model"
    HARDWARE = "hardware"
    ACCELERATOR_COUNT = "accelerator_count"


class ProjectOrderField(StrEnum):
    """What projects are sorted by."""

    SLUG = "slug"
    NAME = "name"
    IMPLEMENTATION_COUNT = "implementation_count"
    OPERATION_COUNT = "operation_count"
    FAMILY_COUNT = "family_count"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    RECORD_COUNT = "record_count"


class OpportunityOrderField(StrEnum):
    """What opportunities are sorted by."""

    RATIO = "ratio"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


class UnmeasuredCellOrderField(StrEnum):
    """What unmeasured cells are sorted by."""

    NEIGHBOUR_COUNT = "neighbour_count"
    PRODUCT_COUNT = "product_count"
    CASE_COUNT = "case_count"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"


def _register(fields: type[StrEnum]) -> None:
    made = strawberry.enum(fields, description=fields.__doc__)
    for value in made.__strawberry_definition__.values:  # type: ignore[attr-defined] # set by strawberry.enum
        words = value.name.lower().replace("_", " ")
        value.description = f"By {words}."


for _fields in (
    FamilyOrderField,
    OperationOrderField,
    WorkloadOrderField,
    ImplementationOrderField,
    RunOrderField,
    CohortOrderField,
    RecordOrderField,
    RecordEventOrderField,
    HardwareOrderField,
    SourceOrderField,
    PublicationOrderField,
    ServingRunOrderField,
    ProjectOrderField,
    OpportunityOrderField,
    UnmeasuredCellOrderField,
):
    _register(_fields)


class OrderInput(Protocol):
    """What every order input has."""

    @property
    def field(self) -> StrEnum:
        """The field to sort by."""
        ...

    @property
    def direction(self) -> OrderDirection:
        """Which end comes first."""
        ...


@input_type
class FamilyOrder:
    """How families are sorted."""

    field: FamilyOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class OperationOrder:
    """How operations are sorted."""

    field: OperationOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class WorkloadOrder:
    """How workloads are sorted."""

    field: WorkloadOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class ImplementationOrder:
    """How implementations are sorted."""

    field: ImplementationOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class RunOrder:
    """How runs are sorted."""

    field: RunOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class CohortOrder:
    """How cohorts are sorted."""

    field: CohortOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class RecordOrder:
    """How records are sorted."""

    field: RecordOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class RecordEventOrder:
    """How record events are sorted."""

    field: RecordEventOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class HardwareOrder:
    """How hardware products are sorted."""

    field: HardwareOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class SourceOrder:
    """How sources are sorted."""

    field: SourceOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class PublicationOrder:
    """How publications are sorted."""

    field: PublicationOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class ServingRunOrder:
    """How serving runs are sorted."""

    field: ServingRunOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class ProjectOrder:
    """How projects are sorted."""

    field: ProjectOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class OpportunityOrder:
    """How opportunities are sorted."""

    field: OpportunityOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class UnmeasuredCellOrder:
    """How unmeasured cells are sorted."""

    field: UnmeasuredCellOrderField = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


def compile_order(orders: Sequence[OrderInput] | None) -> tuple[Order, ...]:
    """The order that the catalogue understands; empty for the list's own.

    Raises:
        BadArgumentError: too many fields, or one twice.
    """
    asked = orders or ()
    if len(asked) > MAX_ORDERS:
        raise BadArgumentError(
            "orderBy", f"found {len(asked)} fields, expected at most {MAX_ORDERS}"
        )
    if len({order.field for order in asked}) < len(asked):
        raise BadArgumentError("orderBy", "found one field twice, expected each field once")
    return tuple(
        Order(order.field.value, is_descending=order.direction is OrderDirection.DESC)
        for order in asked
    )
