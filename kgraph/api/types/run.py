"""Runs: one measurement each, with all it depends on."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import RunStatus
from kgraph.api.inputs.facet import RunFacet
from kgraph.api.lazy import LazyFamily, LazyOperation
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import run as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.scalars import Json
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.implementation import Implementation
from kgraph.api.types.measure import (
    Aggregate,
    Eligibility,
    Evidence,
    FacetCount,
    Measurement,
    Quantity,
)
from kgraph.api.types.run_part import (
    Artifact,
    AttestationConnection,
    Citation,
    Correction,
    Correctness,
    Label,
    RunWarning,
    SourceNative,
    Standing,
)
from kgraph.api.types.source import Source
from kgraph.api.types.stored import StoredObject
from kgraph.api.types.workload import Workload
from kgraph.digest import ObjectId, SpecDigest, short
from kgraph.facts import Filter, JudgedRun
from kgraph.units import format_quantity


@object_type
class Run(Node):
    """One measurement, with the names of all it depends on."""

    digest: SpecDigest = plain("Spec digest: what the run means.")
    object_id: ObjectId = plain("Object id of the manifest now shown for it.")
    short_id: str = plain("First 8 hex digits of the digest, for people; never an identity.")
    title: str = plain("Name for people.")
    status: RunStatus = plain("How it ended.")
    observed_at: datetime = plain("When it was measured.")
    published_at: datetime = plain(
        "When it was made public; the publication's time where no earlier is known."
    )
    stale: bool = plain("Whether it was observed more than 180 days before now.")
    is_baseline: bool = plain("Whether its source labels the implementation as the baseline.")
    primary: Quantity | None = plain(
        "What it is ranked by; null where it has no primary measurement."
    )
    eligibility: Eligibility = plain("Whether it takes part in ranking, and why.")
    evidence: Evidence = plain("How well it is supported.")
    corrections: list[Correction] = plain("Published corrections of it, oldest first.", size=1)
    warnings: list[RunWarning] = linked(
        resolve.resolve_warnings,
        "What a reader should know about it, as that implementation and workload are of different "
        "operations; empty for most.",
        size=1,
    )
    labels: list[Label] = linked(
        resolve.resolve_labels, "Labels that the publisher put on it, by name.", size=2
    )
    measurements: list[Measurement] = linked(
        resolve.resolve_measurements,
        "The primary measurement, then all others that the source reports.",
        size=6,
    )
    correctness: Correctness = linked(
        resolve.resolve_correctness, "What is known of its outputs being right."
    )
    standing: Standing | None = linked(
        resolve.resolve_standing, "Where it stands in its cohort; null where it is not eligible."
    )
    cohort: Cohort = linked(resolve.resolve_cohort_of_run, "The runs that it may be compared with.")
    implementation: Implementation = linked(
        resolve.resolve_implementation_of_run, "The code that was measured."
    )
    workload: Workload = linked(resolve.resolve_workload_of_run, "On which instance.")
    operation: LazyOperation = linked(resolve.resolve_operation_of_run, "What it computes.")
    family: LazyFamily = linked(resolve.resolve_family_of_run, "Family of the operation.")
    protocol: Protocol = linked(resolve.resolve_protocol_of_run, "How it was measured.")
    environment: Environment = linked(resolve.resolve_environment_of_run, "Where it was measured.")
    source: Source = linked(resolve.resolve_source_of_run, "Where it comes from.")
    source_native: SourceNative | None = linked(
        resolve.resolve_source_native,
        "How the source itself names and reports it; null where it states nothing.",
    )
    artifacts: list[Artifact] = linked(
        resolve.resolve_artifacts, "What it and its implementation point to.", size=2
    )
    attestations: AttestationConnection = linked(
        resolve.resolve_attestations, "What third parties state about it, oldest first."
    )
    object: StoredObject = linked(resolve.resolve_object_of_run, "The stored manifest.")
    manifest: Json = linked(
        resolve.resolve_manifest,
        "Manifests of run, protocol and environment, as `{run, protocol, environment}`.",
    )
    citation: Citation = linked(resolve.resolve_citation, "How to cite it.")
    fact: strawberry.Private[JudgedRun]

    @classmethod
    def from_fact(cls, fact: JudgedRun, *, stale: bool) -> Run:
        """The run as the API shows it."""
        run = fact.run
        primary = (
            None
            if run.value is None
            else Quantity(
                metric=run.metric,
                statistic=run.statistic,
                unit=run.unit,
                value=run.value,
                display=format_quantity(run.value, run.unit),
            )
        )
        return cls(
            id=encode_node_id(NodeType.RUN, run.digest),
            digest=run.digest,
            object_id=run.object_id,
            short_id=short(run.digest),
            title=run.title,
            status=run.status,
            observed_at=run.observed_at,
            published_at=run.published_at,
            stale=stale,
            is_baseline=run.is_baseline,
            primary=primary,
            eligibility=Eligibility.from_verdict(fact.verdict),
            evidence=Evidence.from_verdict(fact.verdict),
            corrections=[Correction.from_fact(correction) for correction in run.corrections],
            fact=fact,
        )


@object_type
class RunConnection(Connection[Run]):
    """A page of runs."""

    facets: list[FacetCount] = linked(
        count_by("runs", RunFacet), "How many runs share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("runs"),
        "Summaries of the primary values, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
