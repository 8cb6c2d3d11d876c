"""By what a list's items can be counted. A member's value is the field of the list."""

from __future__ import annotations

from enum import StrEnum

import strawberry


class OperationFacet(StrEnum):
    """By what operations can be counted."""

    FAMILY = "family"


class WorkloadFacet(StrEnum):
    """By what workloads can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    COMPARATOR = "comparator"


class ImplementationFacet(StrEnum):
    """By what implementations can be counted."""

    FAMILY = "family"
    LANGUAGE = "language"
    PROJECT = "project"
    LICENSE = "license"


class RunFacet(StrEnum):
    """By what runs can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    STATUS = "status"
    EVIDENCE = "evidence"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    ARCHITECTURE = "architecture"
    LANGUAGE = "language"
    PROJECT = "project"
    METRIC = "metric"


class CohortFacet(StrEnum):
    """By what cohorts can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    PROFILE = "profile"
    METRIC = "metric"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    ARCHITECTURE = "architecture"


class RecordFacet(StrEnum):
    """By what records can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    EVIDENCE = "evidence"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    ARCHITECTURE = "architecture"
    LANGUAGE = "language"
    PROJECT = "project"
    METRIC = "metric"


class RecordEventFacet(StrEnum):
    """By what record events can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    CAUSE = "cause"
    HARDWARE = "hardware"


class OpportunityFacet(StrEnum):
    """By what opportunities can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    ARCHITECTURE = "architecture"
    BOUND = "bound"
    BELOW_FLOOR = "below_floor"


class UnmeasuredCellFacet(StrEnum):
    """By what unmeasured cells can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    VENDOR = "vendor"


class ServingRunFacet(StrEnum):
    """By what serving runs can be counted."""

    MODEL = "model"
    SCENARIO = "scenario"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    DTYPE = "dtype"
    QUALITY_POLICY = "quality_policy"
    SOURCE = "source"
    STATUS = "status"


def _register(facets: type[StrEnum]) -> None:
    made = strawberry.enum(facets, description=facets.__doc__)
    for value in made.__strawberry_definition__.values:  # type: ignore[attr-defined] # set by strawberry.enum
        words = value.name.lower().replace("_", " ")
        value.description = f"By {words}."


for _facets in (
    OperationFacet,
    WorkloadFacet,
    ImplementationFacet,
    RunFacet,
    CohortFacet,
    RecordFacet,
    RecordEventFacet,
    OpportunityFacet,
    UnmeasuredCellFacet,
    ServingRunFacet,
):
    _register(_facets)
