"""Linked fields of operations and sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.connection import After, Before, First, Last, choose_page
from kgraph.api.context import Info
from kgraph.api.inputs.facet import OperationFacet
from kgraph.api.lazy import (
    LazyFamily,
    LazyFastest,
    LazyImplementation,
    LazyImplementationConnection,
    LazyRun,
    LazyStoredObject,
    LazySweep,
    LazyWorkload,
    LazyWorkloadConnection,
)
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import require
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.measure import FacetCount
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.operation import (
        Operation,
        OperationConnection,
        Sweep,
        SweepPoint,
        SweepSeries,
    )


async def resolve_family_of_operation(root: strawberry.Parent[Operation], info: Info) -> LazyFamily:
    """Family that an operation belongs to."""
    return await require(info.context.loaders.families.load(root.family_slug), root.family_slug)


async def resolve_fastest(root: strawberry.Parent[Operation], info: Info) -> LazyFastest | None:
    """Who is fastest at an operation."""
    return await info.context.loaders.fastest.load(root.digest)


async def resolve_workloads_of_operation(
    root: strawberry.Parent[Operation],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyWorkloadConnection:
    """A page of an operation's workloads."""
    page = choose_page(first, after, last, before)
    loader = info.context.loaders.workloads_of_operation
    return await require(loader.load((root.digest, page)), root.digest)


async def resolve_implementations_of_operation(
    root: strawberry.Parent[Operation],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyImplementationConnection:
    """A page of an operation's implementations."""
    page = choose_page(first, after, last, before)
    loader = info.context.loaders.implementations_of_operation
    return await require(loader.load((root.digest, page)), root.digest)


async def resolve_sweeps(root: strawberry.Parent[Operation], info: Info) -> list[LazySweep]:
    """How implementations of an operation scale along an axis."""
    return await info.context.loaders.sweeps.load(root.digest) or []


async def resolve_sources_of_operation(
    root: strawberry.Parent[Operation], info: Info
) -> list[Source]:
    """Where the runs of an operation come from."""
    return await info.context.loaders.sources_of_operation.load(root.digest) or []


async def resolve_object_of_operation(
    root: strawberry.Parent[Operation], info: Info
) -> LazyStoredObject:
    """The stored manifest of an operation."""
    return await require(info.context.loaders.objects.load(root.digest), root.digest)


async def resolve_run_of_point(root: strawberry.Parent[SweepPoint], info: Info) -> LazyRun:
    """The run at a place of a sweep."""
    return await require(info.context.loaders.runs.load(root.run_digest), root.run_digest)


async def resolve_workload_of_point(
    root: strawberry.Parent[SweepPoint], info: Info
) -> LazyWorkload:
    """The workload at a place of a sweep."""
    loader = info.context.loaders.workloads
    return await require(loader.load(root.workload_digest), root.workload_digest)


async def resolve_implementation_of_series(
    root: strawberry.Parent[SweepSeries], info: Info
) -> LazyImplementation:
    """The implementation of a series."""
    loader = info.context.loaders.implementations
    return await require(loader.load(root.implementation_digest), root.implementation_digest)


async def resolve_protocol_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Protocol:
    """How the runs of a sweep are measured."""
    loader = info.context.loaders.protocols
    return await require(loader.load(root.protocol_digest), root.protocol_digest)


async def resolve_environment_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Environment:
    """Where the runs of a sweep are measured."""
    loader = info.context.loaders.environments
    return await require(loader.load(root.environment_digest), root.environment_digest)


async def resolve_hardware_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Hardware:
    """Device of a sweep's environment."""
    return (await resolve_environment_of_sweep(root, info)).hardware


async def resolve_facets(
    root: strawberry.Parent[OperationConnection],
    info: Info,
    field: Annotated[OperationFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Operations counted by a field."""
    return await count_facets(info, "operations", root.where, field.value)
