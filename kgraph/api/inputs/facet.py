"""By what a list's items can be counted. A member's value is the field of the list."""

from __future__ import annotations

from enum import StrEnum

from kgraph.api.describe import choice_type


@choice_type
class OperationFacet(StrEnum):
    """By what operations can be counted."""

    FAMILY = "family"


@choice_type
class WorkloadFacet(StrEnum):
    """By what workloads can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    COMPARATOR = "comparator"


@choice_type
class ImplementationFacet(StrEnum):
    """By what implementations can be counted."""

    FAMILY = "family"
    LANGUAGE = "language"
    PROJECT = "project"
    LICENSE = "license"


@choice_type
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


@choice_type
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


@choice_type
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


@choice_type
class RecordEventFacet(StrEnum):
    """By what record events can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    CAUSE = "cause"
    HARDWARE = "hardware"


@choice_type
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


@choice_type
class UnmeasuredCellFacet(StrEnum):
    """By what unmeasured cells can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    VENDOR = "vendor"


@choice_type
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
