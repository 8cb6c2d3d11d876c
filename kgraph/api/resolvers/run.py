"""Linked fields of runs. What only the manifest says comes from the store, one batch a request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, cast

import strawberry

from kgraph.api.connection import After, Before, First, Last, ask_page
from kgraph.api.context import Info
from kgraph.api.inputs.facet import RunFacet
from kgraph.api.lazy import (
    LazyCohort,
    LazyFamily,
    LazyImplementation,
    LazyOperation,
    LazyStoredObject,
    LazyWorkload,
)
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import Link, answered_by, require
from kgraph.api.scalars import Json
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.measure import Aggregate, FacetCount, Measurement
from kgraph.api.types.run_detail import (
    make_citation,
    read_artifacts,
    read_correctness,
    read_labels,
    read_measurements,
    read_source_native,
)
from kgraph.api.types.run_part import (
    Artifact,
    AttestationConnection,
    Citation,
    Correctness,
    Label,
    SourceNative,
    Standing,
)
from kgraph.api.types.source import Source
from kgraph.digest import ObjectId, SpecDigest

if TYPE_CHECKING:
    from kgraph.api.types.run import Run, RunConnection


async def resolve_labels(root: strawberry.Parent[Run], info: Info) -> list[Label]:
    """Labels that the publisher put on a run."""
    return read_labels(await _load_manifest(info, root.object_id))


async def resolve_measurements(root: strawberry.Parent[Run], info: Info) -> list[Measurement]:
    """The primary measurement, then all others that the source reports."""
    return read_measurements(await _load_manifest(info, root.object_id), root.fact)


async def resolve_correctness(root: strawberry.Parent[Run], info: Info) -> Correctness:
    """What is known of a run's outputs being right."""
    manifest, workload = await asyncio.gather(
        _load_manifest(info, root.object_id), resolve_workload_of_run(root, info)
    )
    return read_correctness(manifest, workload.comparator)


async def resolve_standing(root: strawberry.Parent[Run], info: Info) -> Standing | None:
    """Where a run stands in its cohort."""
    standing, loaders = root.fact.standing, info.context.loaders
    if standing is None:
        return None
    cohort, leader = await asyncio.gather(
        require(loaders.cohorts.load(standing.cohort), standing.cohort),
        require(loaders.leaders.load(standing.cohort), standing.cohort),
    )
    return Standing(
        rank=standing.rank,
        tied=standing.is_tied,
        position=standing.position,
        cohort_size=cohort.eligible_run_count,
        ratio_to_leader=standing.ratio_to_leader,
        speedup_over_baseline=standing.speedup_over_baseline,
        leader=loaders.make_run(leader),
    )


_COHORT = Link["Run", "LazyCohort"](
    lambda loaders: loaders.cohorts,
    lambda root: root.fact.run.cohort,
)


@answered_by(_COHORT)
async def resolve_cohort_of_run(root: strawberry.Parent[Run], info: Info) -> LazyCohort:
    """The runs that a run may be compared with."""
    return await _COHORT.follow(root, info)


_IMPLEMENTATION = Link["Run", "LazyImplementation"](
    lambda loaders: loaders.implementations,
    lambda root: root.fact.run.implementation,
)


@answered_by(_IMPLEMENTATION)
async def resolve_implementation_of_run(
    root: strawberry.Parent[Run], info: Info
) -> LazyImplementation:
    """The code that was measured."""
    return await _IMPLEMENTATION.follow(root, info)


_WORKLOAD = Link["Run", "LazyWorkload"](
    lambda loaders: loaders.workloads,
    lambda root: root.fact.run.workload,
)


@answered_by(_WORKLOAD)
async def resolve_workload_of_run(root: strawberry.Parent[Run], info: Info) -> LazyWorkload:
    """On which instance a run was measured."""
    return await _WORKLOAD.follow(root, info)


_OPERATION = Link["Run", "LazyOperation"](
    lambda loaders: loaders.operations,
    lambda root: root.fact.run.operation,
)


@answered_by(_OPERATION)
async def resolve_operation_of_run(root: strawberry.Parent[Run], info: Info) -> LazyOperation:
    """What a run computes."""
    return await _OPERATION.follow(root, info)


_FAMILY = Link["Run", "LazyFamily"](
    lambda loaders: loaders.families,
    lambda root: root.fact.run.family,
)


@answered_by(_FAMILY)
async def resolve_family_of_run(root: strawberry.Parent[Run], info: Info) -> LazyFamily:
    """Family of a run's operation."""
    return await _FAMILY.follow(root, info)


_PROTOCOL = Link["Run", Protocol](
    lambda loaders: loaders.protocols,
    lambda root: root.fact.run.protocol,
)


@answered_by(_PROTOCOL)
async def resolve_protocol_of_run(root: strawberry.Parent[Run], info: Info) -> Protocol:
    """How a run was measured."""
    return await _PROTOCOL.follow(root, info)


_ENVIRONMENT = Link["Run", Environment](
    lambda loaders: loaders.environments,
    lambda root: root.fact.run.environment,
)


@answered_by(_ENVIRONMENT)
async def resolve_environment_of_run(root: strawberry.Parent[Run], info: Info) -> Environment:
    """Where a run was measured."""
    return await _ENVIRONMENT.follow(root, info)


_SOURCE = Link["Run", Source](
    lambda loaders: loaders.sources,
    lambda root: root.fact.run.source,
)


@answered_by(_SOURCE)
async def resolve_source_of_run(root: strawberry.Parent[Run], info: Info) -> Source:
    """Where a run comes from."""
    return await _SOURCE.follow(root, info)


async def resolve_source_native(root: strawberry.Parent[Run], info: Info) -> SourceNative | None:
    """How the source itself names and reports a run."""
    return read_source_native(await _load_manifest(info, root.object_id))


async def resolve_artifacts(root: strawberry.Parent[Run], info: Info) -> list[Artifact]:
    """What a run and its implementation point to."""
    run, implementation = await asyncio.gather(
        _load_manifest(info, root.object_id),
        _load_manifest_of(info, root.fact.run.implementation),
    )
    return read_artifacts(run, implementation)


_ATTESTATIONS = Link["Run", AttestationConnection](
    lambda loaders: loaders.attestations,
    lambda root: root.digest,
    part=ask_page,
)


@answered_by(_ATTESTATIONS)
async def resolve_attestations(
    root: strawberry.Parent[Run],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> AttestationConnection:
    """A page of what third parties state about a run."""
    return await _ATTESTATIONS.follow(
        root, info, first=first, after=after, last=last, before=before
    )


_OBJECT = Link["Run", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_run(root: strawberry.Parent[Run], info: Info) -> LazyStoredObject:
    """The stored manifest of a run."""
    return await _OBJECT.follow(root, info)


async def resolve_manifest(root: strawberry.Parent[Run], info: Info) -> Json:
    """Manifests of a run, its protocol and its environment."""
    run, protocol, environment = await asyncio.gather(
        _load_manifest(info, root.object_id),
        _load_manifest_of(info, root.fact.run.protocol),
        _load_manifest_of(info, root.fact.run.environment),
    )
    return cast("Json", {"run": run, "protocol": protocol, "environment": environment})


async def resolve_citation(root: strawberry.Parent[Run], info: Info) -> Citation:
    """How to cite a run."""
    implementation, source = await asyncio.gather(
        resolve_implementation_of_run(root, info), resolve_source_of_run(root, info)
    )
    context = info.context
    return make_citation(
        root.fact,
        implementation=implementation.title,
        source=source.name,
        base_url=context.base_url,
        now=context.now,
    )


async def resolve_facets(
    root: strawberry.Parent[RunConnection],
    info: Info,
    field: Annotated[RunFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Runs counted by a field."""
    return await count_facets(info, "runs", root.where, field.value)


async def resolve_aggregates(root: strawberry.Parent[RunConnection], info: Info) -> list[Aggregate]:
    """Summaries of the primary values of runs."""
    context = info.context
    facts = await context.worker.run(lambda: context.catalog.aggregate_runs(root.where))
    return [Aggregate.from_fact(fact) for fact in facts]


async def _load_manifest(info: Info, object_id: ObjectId) -> dict[str, Any]:
    return await require(info.context.loaders.manifests.load(object_id), object_id)


async def _load_manifest_of(info: Info, digest: SpecDigest) -> dict[str, Any]:
    stored = await require(info.context.loaders.objects.load(digest), digest)
    return await _load_manifest(info, stored.object_id)
