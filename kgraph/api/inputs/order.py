"""How lists are sorted. A member's value is the field of the list; ties go by digest."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Generic, TypeVar

from kgraph.api.describe import choice_type, input_type, optional, plain
from kgraph.api.enums import OrderDirection
from kgraph.api.errors import BadArgumentError
from kgraph.facts import Order

F = TypeVar("F")

MAX_ORDERS = 3
"""Most fields that a list is sorted by."""


@choice_type
class FamilyOrderField(StrEnum):
    """What families are sorted by."""

    SLUG = "slug"
    OPERATION_COUNT = "operation_count"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class OperationOrderField(StrEnum):
    """What operations are sorted by."""

    SLUG = "slug"
    TITLE = "title"
    FAMILY = "family"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class WorkloadOrderField(StrEnum):
    """What workloads are sorted by."""

    OPERATION = "operation_slug"
    POSITION = "position"
    LABEL = "label"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"


@choice_type
class ImplementationOrderField(StrEnum):
    """What implementations are sorted by."""

    OPERATION = "operation_slug"
    TITLE = "title"
    LANGUAGE = "language"
    RUN_COUNT = "run_count"
    RECORD_COUNT = "record_count"


@choice_type
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


@choice_type
class CohortOrderField(StrEnum):
    """What cohorts are sorted by."""

    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    RECORD_EVENT_COUNT = "record_event_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class RecordOrderField(StrEnum):
    """What records are sorted by."""

    SINCE = "since"
    OBSERVED_AT = "observed_at"
    VALUE = "value"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"


@choice_type
class RecordEventOrderField(StrEnum):
    """What record events are sorted by."""

    AT = "at"
    ORDINAL = "ordinal"
    IMPROVEMENT_PERCENT = "improvement_percent"


@choice_type
class HardwareOrderField(StrEnum):
    """What hardware products are sorted by."""

    PRODUCT = "product"
    RUN_COUNT = "run_count"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class SourceOrderField(StrEnum):
    """What sources are sorted by."""

    SLUG = "slug"
    NAME = "name"
    RUN_COUNT = "run_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class PublicationOrderField(StrEnum):
    """What publications are sorted by."""

    SEQUENCE = "sequence"
    AT = "published_at"


@choice_type
class ServingRunOrderField(StrEnum):
    """What serving runs are sorted by."""

    OBSERVED_AT = "observed_at"
    MODEL = "model"
    HARDWARE = "hardware"
    ACCELERATOR_COUNT = "accelerator_count"


@choice_type
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


@choice_type
class OpportunityOrderField(StrEnum):
    """What opportunities are sorted by."""

    RATIO = "ratio"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    ELIGIBLE_RUN_COUNT = "eligible_run_count"
    LAST_OBSERVED_AT = "last_observed_at"


@choice_type
class UnmeasuredCellOrderField(StrEnum):
    """What unmeasured cells are sorted by."""

    NEIGHBOUR_COUNT = "neighbour_count"
    PRODUCT_COUNT = "product_count"
    CASE_COUNT = "case_count"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"


@choice_type
class SearchOrderField(StrEnum):
    """What search hits are sorted by, where not by how exact they are."""

    KIND = "kind"
    NAME = "name"
    RUN_COUNT = "run_count"


@choice_type
class AttestationOrderField(StrEnum):
    """What attestations are sorted by."""

    AT = "at"
    KIND = "kind"
    BY = "by"


@choice_type
class CohortPlaceOrderField(StrEnum):
    """What an implementation's places are sorted by."""

    COHORT = "cohort"
    RANK = "rank"
    RATIO_TO_LEADER = "ratio_to_leader"
    IMPLEMENTATION_COUNT = "implementation_count"


@choice_type
class FloorRowOrderField(StrEnum):
    """What rows across devices are sorted by; ratios are those of records to floors."""

    PRODUCT_COUNT = "product_count"
    BEST_RATIO = "best_ratio"
    WORST_RATIO = "worst_ratio"
    METRIC = "metric"


@choice_type
class RegressionSeriesOrderField(StrEnum):
    """What series of a regression view are sorted by."""

    COHORT = "cohort"
    RATIO = "ratio"
    POINT_COUNT = "point_count"
    LAST_OBSERVED_AT = "last_observed_at"


@input_type
class ListOrder(Generic[F]):
    """How a list is sorted."""

    field: F = plain("The field to sort by.")
    direction: OrderDirection = optional(
        "Which end comes first; ascending where not given.", default=OrderDirection.ASC
    )


@input_type
class FamilyOrder(ListOrder[FamilyOrderField]):
    """How families are sorted."""


@input_type
class OperationOrder(ListOrder[OperationOrderField]):
    """How operations are sorted."""


@input_type
class WorkloadOrder(ListOrder[WorkloadOrderField]):
    """How workloads are sorted."""


@input_type
class ImplementationOrder(ListOrder[ImplementationOrderField]):
    """How implementations are sorted."""


@input_type
class RunOrder(ListOrder[RunOrderField]):
    """How runs are sorted."""


@input_type
class CohortOrder(ListOrder[CohortOrderField]):
    """How cohorts are sorted."""


@input_type
class RecordOrder(ListOrder[RecordOrderField]):
    """How records are sorted."""


@input_type
class RecordEventOrder(ListOrder[RecordEventOrderField]):
    """How record events are sorted."""


@input_type
class HardwareOrder(ListOrder[HardwareOrderField]):
    """How hardware products are sorted."""


@input_type
class SourceOrder(ListOrder[SourceOrderField]):
    """How sources are sorted."""


@input_type
class PublicationOrder(ListOrder[PublicationOrderField]):
    """How publications are sorted."""


@input_type
class ServingRunOrder(ListOrder[ServingRunOrderField]):
    """How serving runs are sorted."""


@input_type
class ProjectOrder(ListOrder[ProjectOrderField]):
    """How projects are sorted."""


@input_type
class OpportunityOrder(ListOrder[OpportunityOrderField]):
    """How opportunities are sorted."""


@input_type
class UnmeasuredCellOrder(ListOrder[UnmeasuredCellOrderField]):
    """How unmeasured cells are sorted."""


@input_type
class SearchOrder(ListOrder[SearchOrderField]):
    """How search hits are sorted."""


@input_type
class AttestationOrder(ListOrder[AttestationOrderField]):
    """How attestations are sorted."""


@input_type
class CohortPlaceOrder(ListOrder[CohortPlaceOrderField]):
    """How an implementation's places are sorted."""


@input_type
class FloorRowOrder(ListOrder[FloorRowOrderField]):
    """How rows across devices are sorted."""


@input_type
class RegressionSeriesOrder(ListOrder[RegressionSeriesOrderField]):
    """How series of a regression view are sorted."""


def compile_order(orders: Sequence[ListOrder[Any]] | None) -> tuple[Order, ...]:
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
