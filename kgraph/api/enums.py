"""Closed sets of the API, in the field's words; most are the sets that the rest of kgraph uses."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TypeVar

import strawberry

from kgraph.catalog import ProblemCode, TokenRole
from kgraph.policy import (
    ChangeVerdict,
    DifferenceMethod,
    DifferenceVerdict,
    Direction,
    ServingObjective,
)
from kgraph.vocab import (
    AttestationKind,
    BelowFloor,
    Bound,
    CorrectionAction,
    DeployabilityReason,
    EvidenceLevel,
    HeadroomPolicy,
    Kind,
    Match,
    Profile,
    RecordCause,
    RunStatus,
    SearchKind,
    SearchMatch,
    TimedPass,
)

E = TypeVar("E", bound=Enum)


class AxisRole(StrEnum):
    """Whether a workload chooses an axis, the operation fixes it, or other axes give it."""

    VARIABLE = "variable"
    CONSTANT = "constant"
    DERIVED = "derived"


class Mutation(StrEnum):
    """What an operation does to its inputs."""

    NONE = "none"
    IN_PLACE = "in_place"
    DESTINATION = "destination"


class Determinism(StrEnum):
    """Whether equal inputs must give equal outputs, bit for bit."""

    DETERMINISTIC = "deterministic"
    NONDETERMINISTIC = "nondeterministic"
    UNSPECIFIED = "unspecified"


class RunWarningCode(StrEnum):
    """What a reader of a run should know."""

    OPERATION_MISMATCH = "OPERATION_MISMATCH"


class OrderDirection(StrEnum):
    """Which end of a list comes first."""

    ASC = "asc"
    DESC = "desc"


def _register(
    members: type[E], description: str, values: dict[str, str], name: str | None = None
) -> type[E]:
    """Make `members` a GraphQL enum; every member must be described."""
    made = strawberry.enum(members, name=name, description=description)
    for value in made.__strawberry_definition__.values:  # type: ignore[attr-defined] # set by strawberry.enum
        value.description = values[value.name]
    return made


def register_enums() -> None:
    """Tell strawberry of every enum; done once, when the types are made."""
    _register(
        RunStatus,
        "How a run ended, as its source or runner says.",
        {
            "PASSED": "Ran to the end and was marked correct.",
            "INCORRECT_SHAPE": "An output had another shape.",
            "INCORRECT_DTYPE": "An output had another element type.",
            "INCORRECT_NUMERICAL": "An output was outside the tolerances.",
            "COMPILE_ERROR": "Did not compile.",
            "RUNTIME_ERROR": "Failed while running.",
            "TIMEOUT": "Took longer than it may.",
            "RESOURCE_EXCEEDED": "Needed more memory or another resource than it may.",
            "INVALID_REFERENCE": "The reference to compare with is itself wrong.",
            "POLICY_VIOLATION": "Broke a rule of the source.",
            "SUSPECTED_REWARD_HACK": "Looks fast by not doing the work.",
            "INCOMPLETE_EVIDENCE": "What was handed in does not suffice to judge.",
            "REVOKED": "Taken back by its source.",
        },
    )
    _register(
        TimedPass,
        "Which part of training a protocol times.",
        {
            "FORWARD": "The forward pass.",
            "BACKWARD": "The backward pass.",
            "FULL": "Forward and backward together.",
        },
    )
    _register(
        EvidenceLevel,
        "How well a run is supported, weakest first; derived by this catalogue, never submitted.",
        {
            "REPORTED": "Its source reports it.",
            "REPRODUCIBLE": "Public source, complete identity and raw evidence.",
            "VERIFIED": "A controlled rerun by this catalogue's runner passed.",
            "REPLICATED": "Two independent runners agree.",
        },
    )
    _register(
        Profile,
        "Under whose rules the runs of a cohort were made.",
        {
            "SOURCE_NATIVE": "Reported by an upstream project under its own harness.",
            "STRICT_EXACT": "With raw samples or confidence intervals.",
            "CONTROLLED": "Made by this catalogue's own runner.",
        },
    )
    _register(
        RecordCause,
        "Why the record of a cohort changed.",
        {
            "NEW_RUN": "A strictly better run was observed.",
            "RETRACTION": "The run that held it was retracted.",
            "SUPERSESSION": "The run that held it was superseded.",
        },
    )
    _register(
        CorrectionAction,
        "What a correction does to a run.",
        {
            "RETRACT": "Takes it out of every ranking.",
            "SUPERSEDE": "Puts another run in its place.",
        },
    )
    _register(
        AttestationKind,
        "What a third party says about a run; shown, never counted as evidence.",
        {
            "REPRODUCTION": "Somebody reports to have reproduced it.",
            "NOTE": "A remark.",
            "DISPUTE": "Somebody doubts it.",
        },
    )
    _register(
        DeployabilityReason,
        "What keeps an implementation from being used today.",
        {
            "NO_PUBLIC_SOURCE": "No public address leads to its code.",
            "NO_INSTALL_RECIPE": "Nothing says how to install it.",
            "LICENSE_UNKNOWN": "No valid SPDX licence can be concluded.",
        },
    )
    _register(
        HeadroomPolicy,
        "A frozen version of the floor estimate; all versions stay answerable.",
        {
            "HEADROOM_V1": "Every declared tensor crosses device memory exactly once.",
            "HEADROOM_V2": "Only the bytes that must move, and arithmetic by the timed pass.",
        },
    )
    _register(
        Bound,
        "The resource that sets a floor.",
        {"MEMORY": "Memory bandwidth.", "COMPUTE": "Arithmetic throughput."},
    )
    _register(
        Match,
        "How closely measured cases answer a request.",
        {
            "EXACT": "A measured case equals the request.",
            "COMPATIBLE": "A measured case differs in the ways that are listed.",
            "SUPPORTED_UNMEASURED": "An implementation states support, and nobody has measured it.",
            "NONE": "Nothing in this catalogue answers.",
        },
    )
    _register(
        Kind,
        "What a manifest describes.",
        {
            "OPERATION_SPEC": "What is computed.",
            "WORKLOAD_CASE": "One instance of an operation: axes, tensors, tolerances.",
            "WORKLOAD_SUITE": "An ordered set of cases that is scored as one.",
            "SOFTWARE_PROJECT": "A project that holds implementations.",
            "IMPLEMENTATION_REVISION": "One revision of code that computes an operation.",
            "BENCHMARK_PROTOCOL": "How a run is measured.",
            "EXECUTION_ENVIRONMENT": "Where a run is measured.",
            "BENCHMARK_RUN": "One measurement.",
            "MODEL_REVISION": "A model that is served.",
            "SERVING_STACK_REVISION": "Software that serves models.",
            "SERVING_CONFIGURATION": "How a serving stack is set up.",
            "SERVING_WORKLOAD": "The load that a served model is put under.",
            "SERVING_RUN": "One end-to-end serving measurement.",
            "SOURCE": "Where runs come from, and on which terms.",
            "LISTING": "Editorial facts that a catalogue adds: slugs, aliases, projects, roles.",
            "ATTESTATION": "What a third party states about a run.",
            "CORRECTION": "A retraction or supersession of a run.",
            "PUBLICATION": "An entry of the log.",
        },
        name="ManifestKind",
    )
    _register(
        RunWarningCode,
        "What a reader of a run should know.",
        {
            "OPERATION_MISMATCH": "Its implementation is of another operation than its workload.",
        },
    )
    _register(
        AxisRole,
        "Where the value of an axis comes from.",
        {
            "VARIABLE": "Each workload chooses it.",
            "CONSTANT": "The operation fixes it.",
            "DERIVED": "It follows from other axes.",
        },
    )
    _register(
        Mutation,
        "What an operation does to its inputs.",
        {
            "NONE": "Leaves them as they are.",
            "IN_PLACE": "Writes its result over an input.",
            "DESTINATION": "Writes its result into a given output.",
        },
        # A type named Mutation would be taken for the root of mutations.
        name="MutationMode",
    )
    _register(
        Determinism,
        "Whether equal inputs must give equal outputs, bit for bit.",
        {
            "DETERMINISTIC": "They must.",
            "NONDETERMINISTIC": "They need not.",
            "UNSPECIFIED": "The operation does not say.",
        },
    )
    _register(
        OrderDirection,
        "Which end of a list comes first.",
        {
            "ASC": "Smallest, earliest or first by letter.",
            "DESC": "Largest, latest or last by letter.",
        },
    )

    _register(
        SearchKind,
        "What a search finds.",
        {
            "FAMILY": "A family of operations.",
            "OPERATION": "An operation.",
            "HARDWARE": "A device product that is measured.",
            "PROJECT": "A software project.",
            "IMPLEMENTATION": "An implementation.",
        },
    )
    _register(
        SearchMatch,
        "How text leads to a hit, most exact first.",
        {
            "EXACT": "It is a name of the thing; letter case, accents and separators do not count.",
            "PREFIX": "A name begins with it.",
            "WORD": "Each of its words is, or begins, a word said of the thing.",
            "TYPO": "As one of these, a letter or two aside.",
        },
    )
    _register(
        ProblemCode,
        "What is wrong with a part of a query.",
        {
            "UNKNOWN_KEY": "No key is called that.",
            "BAD_VALUE": "The key does not take that value.",
            "REPEATED": "It was stated before.",
            "UNCLOSED_QUOTE": "A quote is opened and not closed.",
            "TOO_LONG": "The query is longer than is read.",
        },
        name="QueryProblemCode",
    )
    _register(
        TokenRole,
        "What a part of a query states.",
        {
            "WORD": "Part of the name of an operation or family.",
            "KEY": "A key with its value, as `gpu:H100`.",
            "AXIS": "The size of an axis, as `tokens=2048`.",
            "TENSOR": "What is asked of one tensor, as `x.dtype=bf16`.",
        },
        name="QueryTokenRole",
    )
    _register(
        BelowFloor,
        "What explains a record below its floor, mildest first.",
        {
            "DATASHEET_ROUNDING": "Below by no more than datasheets round.",
            "CACHE_RESIDENT_POSSIBLE": "The data may have stayed in cache.",
            "COUNTED_BEYOND_CERTAIN": "The estimate counts bytes that need not move.",
            "IMPOSSIBLE": "Nothing: the record should be distrusted.",
        },
    )
    _register(
        DifferenceMethod,
        "By what two runs were compared.",
        {
            "BOOTSTRAP_INDEPENDENT": "Raw samples of both, resampled independently.",
            "BOOTSTRAP_PAIRED": "Raw samples of both, resampled in pairs.",
            "INTERVAL_OVERLAP": "Declared 95 % confidence intervals.",
            "VALUES_ONLY": "Their values alone: nothing is decided beyond equal or not.",
        },
    )
    _register(
        DifferenceVerdict,
        "What follows for a run, measured against the one shown before it.",
        {
            "LOWER": "Its value is lower.",
            "HIGHER": "Its value is higher.",
            "TIE": "They do not differ by more than noise and the minimum effect.",
            "UNDECIDED": "The evidence does not allow a statement.",
        },
    )
    _register(
        ChangeVerdict,
        "What became of a value from one revision to the next.",
        {
            "SLOWER": "Worse by more than the threshold.",
            "FASTER": "Better by more than the threshold.",
            "WITHIN_THRESHOLD": "Unchanged, by the threshold.",
            "WITHIN_NOISE": "Beyond the threshold, but declared intervals overlap.",
        },
    )
    _register(
        ServingObjective,
        "What serving runs of one cohort are compared by.",
        {
            "OUTPUT_TOKEN_THROUGHPUT": "Tokens a second that the whole system gives out.",
            "OUTPUT_TOKEN_THROUGHPUT_PER_ACCELERATOR": "The same for each accelerator.",
            "TIME_TO_FIRST_TOKEN_P99": "The wait for the first token, 99th percentile.",
            "TIME_PER_OUTPUT_TOKEN_P99": "The wait for each further token, 99th percentile.",
        },
    )
    _register(
        Direction,
        "Which of two values of a metric is the better one.",
        {"LOWER": "The lower.", "HIGHER": "The higher."},
        name="MetricDirection",
    )


register_enums()

__all__ = [
    "AttestationKind",
    "AxisRole",
    "BelowFloor",
    "Bound",
    "ChangeVerdict",
    "CorrectionAction",
    "DeployabilityReason",
    "Determinism",
    "DifferenceMethod",
    "DifferenceVerdict",
    "Direction",
    "EvidenceLevel",
    "HeadroomPolicy",
    "Kind",
    "Match",
    "Mutation",
    "OrderDirection",
    "ProblemCode",
    "Profile",
    "RecordCause",
    "RunStatus",
    "RunWarningCode",
    "SearchKind",
    "SearchMatch",
    "ServingObjective",
    "TimedPass",
    "TokenRole",
]
