"""Closed sets and named quantities that rooms share; the field's words (`domain.md`)."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)
"""A duration as an integer count of nanoseconds."""

CohortKey = NewType("CohortKey", str)
"""`sha256:<hex>`: names everything two runs must share to be comparable (`domain.md` §3)."""

Slug = NewType("Slug", str)
"""A name that stands in addresses: of an operation, family, source or project."""

KERNELINDEX_API_VERSION = "kernelindex.dev/v1alpha1"
"""apiVersion of the manifests that the field shares."""

KGRAPH_API_VERSION = "kgraph.dev/v1"
"""apiVersion of kgraph's own kinds."""


class Kind(StrEnum):
    """What a manifest describes."""

    OPERATION_SPEC = "OperationSpec"
    WORKLOAD_CASE = "WorkloadCase"
    WORKLOAD_SUITE = "WorkloadSuite"
    SOFTWARE_PROJECT = "SoftwareProject"
    IMPLEMENTATION_REVISION = "ImplementationRevision"
    BENCHMARK_PROTOCOL = "BenchmarkProtocol"
    EXECUTION_ENVIRONMENT = "ExecutionEnvironment"
    BENCHMARK_RUN = "BenchmarkRun"
    MODEL_REVISION = "ModelRevision"
    SERVING_STACK_REVISION = "ServingStackRevision"
    SERVING_CONFIGURATION = "ServingConfiguration"
    SERVING_WORKLOAD = "ServingWorkload"
    SERVING_RUN = "ServingRun"
    SOURCE = "Source"
    LISTING = "Listing"
    ATTESTATION = "Attestation"
    CORRECTION = "Correction"
    PUBLICATION = "Publication"


KGRAPH_KINDS = frozenset(
    {Kind.SOURCE, Kind.LISTING, Kind.ATTESTATION, Kind.CORRECTION, Kind.PUBLICATION}
)
"""Kinds whose apiVersion is kgraph's own."""


class RunStatus(StrEnum):
    """How a run ended, as its source or runner says."""

    PASSED = "passed"
    INCORRECT_SHAPE = "incorrect_shape"
    INCORRECT_DTYPE = "incorrect_dtype"
    INCORRECT_NUMERICAL = "incorrect_numerical"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    RESOURCE_EXCEEDED = "resource_exceeded"
    INVALID_REFERENCE = "invalid_reference"
    POLICY_VIOLATION = "policy_violation"
    SUSPECTED_REWARD_HACK = "suspected_reward_hack"
    INCOMPLETE_EVIDENCE = "incomplete_evidence"
    REVOKED = "revoked"


class TimedPass(StrEnum):
    """Which part of training a protocol times; absent where a source does not say."""

    FORWARD = "forward"
    BACKWARD = "backward"
    FULL = "full"


class EvidenceLevel(StrEnum):
    """How well a run is supported, weakest first; derived, never submitted (`domain.md` §7)."""

    REPORTED = "REPORTED"
    REPRODUCIBLE = "REPRODUCIBLE"
    VERIFIED = "VERIFIED"
    REPLICATED = "REPLICATED"

    @property
    def order(self) -> int:
        """0 for the weakest."""
        return list(EvidenceLevel).index(self)


class Profile(StrEnum):
    """Under whose rules the runs of a cohort were made (`domain.md` §3)."""

    SOURCE_NATIVE = "SOURCE_NATIVE"
    STRICT_EXACT = "STRICT_EXACT"
    CONTROLLED = "CONTROLLED"


class RecordCause(StrEnum):
    """Why the record of a cohort changed."""

    NEW_RUN = "new_run"
    RETRACTION = "retraction"
    SUPERSESSION = "supersession"


class CorrectionAction(StrEnum):
    """What a Correction does to a run."""

    RETRACT = "retract"
    SUPERSEDE = "supersede"


class AttestationKind(StrEnum):
    """What a third party says about a run; shown, never counted as evidence."""

    REPRODUCTION = "reproduction"
    NOTE = "note"
    DISPUTE = "dispute"


class DeployabilityReason(StrEnum):
    """What keeps an implementation from being used today."""

    NO_PUBLIC_SOURCE = "NO_PUBLIC_SOURCE"
    NO_INSTALL_RECIPE = "NO_INSTALL_RECIPE"
    LICENSE_UNKNOWN = "LICENSE_UNKNOWN"


class HeadroomPolicy(StrEnum):
    """A frozen version of the floor estimate (`domain.md` §6)."""

    HEADROOM_V1 = "headroom-v1"
    HEADROOM_V2 = "headroom-v2"


class Bound(StrEnum):
    """The resource that sets a floor."""

    MEMORY = "memory"
    COMPUTE = "compute"


class BelowFloor(StrEnum):
    """What explains a record below its floor, mildest first."""

    DATASHEET_ROUNDING = "DATASHEET_ROUNDING"
    """Below by no more than datasheets round."""
    CACHE_RESIDENT_POSSIBLE = "CACHE_RESIDENT_POSSIBLE"
    """The caveat of the estimate explains it."""
    COUNTED_BEYOND_CERTAIN = "COUNTED_BEYOND_CERTAIN"
    """The policy counts bytes that need not move: the record respects the strict floor."""
    IMPOSSIBLE = "IMPOSSIBLE"
    """Below the strict floor by more than datasheets round: the record should be distrusted."""


class Match(StrEnum):
    """How closely a measured case answers a request (`domain.md` §9)."""

    EXACT = "EXACT"
    COMPATIBLE = "COMPATIBLE"
    SUPPORTED_UNMEASURED = "SUPPORTED_UNMEASURED"
    NONE = "NONE"


class SearchKind(StrEnum):
    """What a search finds, in the order in which equally good hits are shown."""

    FAMILY = "family"
    OPERATION = "operation"
    HARDWARE = "hardware"
    PROJECT = "project"
    IMPLEMENTATION = "implementation"


class SearchMatch(StrEnum):
    """How text leads to a hit, most exact first."""

    EXACT = "EXACT"
    """It is a name of the thing, letter case, accents and separators aside."""
    PREFIX = "PREFIX"
    """A name begins with it."""
    WORD = "WORD"
    """Each of its words is, or begins, a word said of the thing."""
    TYPO = "TYPO"
    """As one of these, a letter or two aside."""
