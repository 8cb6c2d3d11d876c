"""Linked fields of runs. What only the manifest says comes from the store, one batch a request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import strawberry

from kgraph.api.context import Context, Info
from kgraph.api.enums import RunWarningCode
from kgraph.api.inputs.order import AttestationOrder
from kgraph.api.lazy import (
    LazyCohort,
    LazyFamily,
    LazyImplementation,
    LazyOperation,
    LazyStoredObject,
    LazyWorkload,
)
from kgraph.api.resolvers.link import Gathered, Link, answered_by, require_all
from kgraph.api.resolvers.page import ORDER_WHOLE_BY, ask_list, owned_resolver
from kgraph.api.scalars import Json
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.measure import Measurement
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
    RunWarning,
    SourceNative,
    Standing,
)
from kgraph.api.types.source import Source
from kgraph.digest import SpecDigest
from kgraph.facts import JudgedRun, StandingFact

if TYPE_CHECKING:
    from kgraph.api.loaders import Loaders
    from kgraph.api.types.cohort import Cohort
    from kgraph.api.types.run import Run


async def _load_warnings(context: Context, runs: Sequence[Run]) -> list[list[RunWarning]]:
    loaders = context.loaders
    implementations = await require_all(
        loaders.implementations, [run.fact.run.implementation for run in runs]
    )
    pairs = [
        (implementation.operation_digest, run.fact.run.operation)
        for run, implementation in zip(runs, implementations, strict=True)
    ]
    strange = [pair for pair in pairs if pair[0] != pair[1]]
    operations = iter(
        await require_all(loaders.operations, [digest for pair in strange for digest in pair])
    )
    return [
        [] if one == other else [_warn_of_operations(next(operations), next(operations))]
        for one, other in pairs
    ]


def _warn_of_operations(of_implementation: LazyOperation, of_workload: LazyOperation) -> RunWarning:
    return RunWarning(
        code=RunWarningCode.OPERATION_MISMATCH,
        message=f"Its implementation is of operation {of_implementation.slug}, "
        f"its workload of {of_workload.slug}.",
    )


_WARNINGS = Gathered["Run", list[RunWarning]](_load_warnings)


@answered_by(_WARNINGS)
async def resolve_warnings(root: strawberry.Parent[Run], info: Info) -> list[RunWarning]:
    """What a reader should know about a run."""
    return await _WARNINGS.follow(root, info)


async def _load_labels(context: Context, runs: Sequence[Run]) -> list[list[Label]]:
    return [read_labels(manifest) for manifest in await _load_manifests(context, runs)]


_LABELS = Gathered["Run", list[Label]](_load_labels)


@answered_by(_LABELS)
async def resolve_labels(root: strawberry.Parent[Run], info: Info) -> list[Label]:
    """Labels that the publisher put on a run."""
    return await _LABELS.follow(root, info)


async def _load_measurements(context: Context, runs: Sequence[Run]) -> list[list[Measurement]]:
    manifests = await _load_manifests(context, runs)
    return [
        read_measurements(manifest, run.fact) for manifest, run in zip(manifests, runs, strict=True)
    ]


_MEASUREMENTS = Gathered["Run", list[Measurement]](_load_measurements)


@answered_by(_MEASUREMENTS)
async def resolve_measurements(root: strawberry.Parent[Run], info: Info) -> list[Measurement]:
    """The primary measurement, then all others that the source reports."""
    return await _MEASUREMENTS.follow(root, info)


async def _load_correctness(context: Context, runs: Sequence[Run]) -> list[Correctness]:
    manifests, workloads = await asyncio.gather(
        _load_manifests(context, runs),
        require_all(context.loaders.workloads, [run.fact.run.workload for run in runs]),
    )
    return [
        read_correctness(manifest, workload.comparator)
        for manifest, workload in zip(manifests, workloads, strict=True)
    ]


_CORRECTNESS = Gathered["Run", Correctness](_load_correctness)


@answered_by(_CORRECTNESS)
async def resolve_correctness(root: strawberry.Parent[Run], info: Info) -> Correctness:
    """What is known of a run's outputs being right."""
    return await _CORRECTNESS.follow(root, info)


async def _load_standings(context: Context, runs: Sequence[Run]) -> list[Standing | None]:
    loaders = context.loaders
    standings = [run.fact.standing for run in runs]
    keys = [standing.cohort for standing in standings if standing is not None]
    cohorts, leaders = await asyncio.gather(
        require_all(loaders.cohorts, keys), require_all(loaders.leaders, keys)
    )
    found = iter(zip(cohorts, leaders, strict=True))
    return [
        None if standing is None else _make_standing(standing, *next(found), loaders)
        for standing in standings
    ]


def _make_standing(
    standing: StandingFact, cohort: Cohort, leader: JudgedRun, loaders: Loaders
) -> Standing:
    return Standing(
        rank=standing.rank,
        tied=standing.is_tied,
        position=standing.position,
        cohort_size=cohort.eligible_run_count,
        ratio_to_leader=standing.ratio_to_leader,
        speedup_over_baseline=standing.speedup_over_baseline,
        leader=loaders.make_run(leader),
    )


_STANDING = Gathered["Run", Standing | None](_load_standings)


@answered_by(_STANDING)
async def resolve_standing(root: strawberry.Parent[Run], info: Info) -> Standing | None:
    """Where a run stands in its cohort."""
    return await _STANDING.follow(root, info)


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


async def _load_source_natives(context: Context, runs: Sequence[Run]) -> list[SourceNative | None]:
    return [read_source_native(manifest) for manifest in await _load_manifests(context, runs)]


_SOURCE_NATIVE = Gathered["Run", SourceNative | None](_load_source_natives)


@answered_by(_SOURCE_NATIVE)
async def resolve_source_native(root: strawberry.Parent[Run], info: Info) -> SourceNative | None:
    """How the source itself names and reports a run."""
    return await _SOURCE_NATIVE.follow(root, info)


async def _load_artifacts(context: Context, runs: Sequence[Run]) -> list[list[Artifact]]:
    manifests, implementations = await asyncio.gather(
        _load_manifests(context, runs),
        _load_manifests_of(context, [run.fact.run.implementation for run in runs]),
    )
    return [
        read_artifacts(manifest, implementation)
        for manifest, implementation in zip(manifests, implementations, strict=True)
    ]


_ARTIFACTS = Gathered["Run", list[Artifact]](_load_artifacts)


@answered_by(_ARTIFACTS)
async def resolve_artifacts(root: strawberry.Parent[Run], info: Info) -> list[Artifact]:
    """What a run and its implementation point to."""
    return await _ARTIFACTS.follow(root, info)


_ATTESTATIONS = Link["Run", AttestationConnection](
    lambda loaders: loaders.attestations,
    lambda root: root.digest,
    part=ask_list,
)


resolve_attestations = owned_resolver(
    _ATTESTATIONS, AttestationConnection, order=AttestationOrder, order_argument=ORDER_WHOLE_BY
)


_OBJECT = Link["Run", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_run(root: strawberry.Parent[Run], info: Info) -> LazyStoredObject:
    """The stored manifest of a run."""
    return await _OBJECT.follow(root, info)


async def _load_all_manifests(context: Context, runs: Sequence[Run]) -> list[Json]:
    manifests, protocols, environments = await asyncio.gather(
        _load_manifests(context, runs),
        _load_manifests_of(context, [run.fact.run.protocol for run in runs]),
        _load_manifests_of(context, [run.fact.run.environment for run in runs]),
    )
    return [
        cast("Json", {"run": run, "protocol": protocol, "environment": environment})
        for run, protocol, environment in zip(manifests, protocols, environments, strict=True)
    ]


_MANIFEST = Gathered["Run", Json](_load_all_manifests)


@answered_by(_MANIFEST)
async def resolve_manifest(root: strawberry.Parent[Run], info: Info) -> Json:
    """Manifests of a run, its protocol and its environment."""
    return await _MANIFEST.follow(root, info)


async def _load_citations(context: Context, runs: Sequence[Run]) -> list[Citation]:
    loaders = context.loaders
    implementations, sources = await asyncio.gather(
        require_all(loaders.implementations, [run.fact.run.implementation for run in runs]),
        require_all(loaders.sources, [run.fact.run.source for run in runs]),
    )
    return [
        make_citation(
            run.fact,
            implementation=implementation.title,
            source=source.name,
            base_url=context.base_url,
            now=context.now,
        )
        for run, implementation, source in zip(runs, implementations, sources, strict=True)
    ]


_CITATION = Gathered["Run", Citation](_load_citations)


@answered_by(_CITATION)
async def resolve_citation(root: strawberry.Parent[Run], info: Info) -> Citation:
    """How to cite a run."""
    return await _CITATION.follow(root, info)


async def _load_manifests(context: Context, runs: Sequence[Run]) -> list[dict[str, Any]]:
    return await require_all(context.loaders.manifests, [run.object_id for run in runs])


async def _load_manifests_of(
    context: Context, digests: Sequence[SpecDigest]
) -> list[dict[str, Any]]:
    stored = await require_all(context.loaders.objects, digests)
    return await require_all(context.loaders.manifests, [item.object_id for item in stored])
