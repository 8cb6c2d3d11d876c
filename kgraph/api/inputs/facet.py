"""By what a list's items can be counted. A member's value is the field of the list."""

from __future__ import annotations

from enum import StrEnum

from kgraph.api.describe import choice_type


@choice_type
class FamilyFacet(StrEnum):
    """By what families can be counted."""

    HARDWARE = "hardware"
    SOURCE = "source"
    LANGUAGE = "language"


@choice_type
class OperationFacet(StrEnum):
    """By what operations can be counted."""

    FAMILY = "family"
    TAG = "tag"
    HARDWARE = "hardware"
    SOURCE = "source"
    LANGUAGE = "language"


@choice_type
class WorkloadFacet(StrEnum):
    """By what workloads can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    COMPARATOR = "comparator"
    DTYPE = "dtype"
    SUITE = "suite"
    HARDWARE = "hardware"
    SOURCE = "source"
    LANGUAGE = "language"


@choice_type
class ImplementationFacet(StrEnum):
    """By what implementations can be counted."""

    FAMILY = "family"
    LANGUAGE = "language"
    PROJECT = "project"
    LICENSE = "license"
    OPERATION = "operation_slug"
    VERSION = "version"
    PERMISSIVE = "permissive"
    DEPLOYABLE = "deployable"
    INSTALLABLE = "installable"
    ARCHITECTURE = "architecture"
    DTYPE = "dtype"
    HARDWARE = "hardware"
    SOURCE = "source"


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
    LICENSE = "license"
    DEPLOYABLE = "deployable"
    DTYPE = "dtype"
    PROFILE = "profile"
    ELIGIBLE = "eligible"
    HARNESS = "harness"
    TIMED_PASS = "timed_pass"  # noqa: S105 - which pass is timed


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
    LANGUAGE = "language"
    PROJECT = "project"
    EVIDENCE = "evidence"
    DTYPE = "dtype"
    HARNESS = "harness"
    TIMED_PASS = "timed_pass"  # noqa: S105 - which pass is timed


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
    LICENSE = "license"
    DEPLOYABLE = "deployable"
    DTYPE = "dtype"
    PROFILE = "profile"
    HARNESS = "harness"
    TIMED_PASS = "timed_pass"  # noqa: S105 - which pass is timed


@choice_type
class RecordEventFacet(StrEnum):
    """By what record events can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    SOURCE = "source"
    CAUSE = "cause"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    ARCHITECTURE = "architecture"
    LANGUAGE = "language"
    PROJECT = "project"
    EVIDENCE = "evidence"
    DTYPE = "dtype"
    METRIC = "metric"


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
    LANGUAGE = "language"
    PROJECT = "project"
    DTYPE = "dtype"


@choice_type
class UnmeasuredCellFacet(StrEnum):
    """By what unmeasured cells can be counted."""

    FAMILY = "family"
    OPERATION = "operation_slug"
    HARDWARE = "hardware"
    VENDOR = "vendor"
    DTYPE = "dtype"


@choice_type
class HardwareFacet(StrEnum):
    """By what hardware products can be counted."""

    VENDOR = "vendor"
    ARCHITECTURE = "architecture"
    FORM_FACTOR = "form_factor"
    FAMILY = "family"
    SOURCE = "source"


@choice_type
class SourceFacet(StrEnum):
    """By what sources can be counted."""

    KIND = "kind"
    LICENSE = "license"
    FAMILY = "family"
    HARDWARE = "hardware"


@choice_type
class PublicationFacet(StrEnum):
    """By what publications can be counted."""

    SOURCE = "source"
    BY = "published_by"


@choice_type
class ProjectFacet(StrEnum):
    """By what projects can be counted."""

    FAMILY = "family"
    LANGUAGE = "language"
    LICENSE = "license"
    HARDWARE = "hardware"
    SOURCE = "source"


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
