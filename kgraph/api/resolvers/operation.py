"""Linked fields of operations and sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from kgraph.api.connection import ListRequest
from kgraph.api.context import Context, Info
from kgraph.api.enums import HeadroomPolicy
from kgraph.api.errors import BadArgumentError
from kgraph.api.inputs.order import FloorRowOrder, ImplementationOrder, WorkloadOrder
from kgraph.api.inputs.where import ImplementationWhere, WorkloadWhere
from kgraph.api.lazy import (
    LazyCoverageConnection,
    LazyFamily,
    LazyFastest,
    LazyFloorRowConnection,
    LazyImplementation,
    LazyImplementationConnection,
    LazyRun,
    LazyStoredObject,
    LazySweep,
    LazyWorkload,
    LazyWorkloadConnection,
)
from kgraph.api.resolvers.link import Link, answered_by, empty, load_each, null
from kgraph.api.resolvers.page import ORDER_WHOLE_BY, ask_list, owned_resolver
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.source import Source
from kgraph.catalog import SweepChoice
from kgraph.digest import BadDigestError, SpecDigest, parse_spec_digest

if TYPE_CHECKING:
    from kgraph.api.types.operation import (
        Crossover,
        Operation,
        Sweep,
        SweepLeader,
        SweepPoint,
        SweepSeries,
    )


_FAMILY = Link["Operation", "LazyFamily"](
    lambda loaders: loaders.families,
    lambda root: root.family_slug,
)


@answered_by(_FAMILY)
async def resolve_family_of_operation(root: strawberry.Parent[Operation], info: Info) -> LazyFamily:
    """Family that an operation belongs to."""
    return await _FAMILY.follow(root, info)


_FASTEST = Link["Operation", "LazyFastest | None"](
    lambda loaders: loaders.fastest,
    lambda root: root.digest,
    absent=null,
)


@answered_by(_FASTEST)
async def resolve_fastest(root: strawberry.Parent[Operation], info: Info) -> LazyFastest | None:
    """Who is fastest at an operation."""
    return await _FASTEST.follow(root, info)


_WORKLOADS = Link["Operation", "LazyWorkloadConnection"](
    lambda loaders: loaders.workloads_of_operation,
    lambda root: root.digest,
    part=ask_list,
)


resolve_workloads_of_operation = owned_resolver(
    _WORKLOADS, LazyWorkloadConnection, where=WorkloadWhere, order=WorkloadOrder
)


_IMPLEMENTATIONS = Link["Operation", "LazyImplementationConnection"](
    lambda loaders: loaders.implementations_of_operation,
    lambda root: root.digest,
    part=ask_list,
)


resolve_implementations_of_operation = owned_resolver(
    _IMPLEMENTATIONS,
    LazyImplementationConnection,
    where=ImplementationWhere,
    order=ImplementationOrder,
)


def _choose_sweeps(
    _: Context,
    *,
    axis: str | None = None,
    hardware: str | None = None,
    protocol: SpecDigest | None = None,
    environment: SpecDigest | None = None,
    workload: SpecDigest | None = None,
) -> SweepChoice:
    return SweepChoice(
        axis=axis,
        product=hardware,
        protocol=_read_digest("protocol", protocol),
        environment=_read_digest("environment", environment),
        workload=_read_digest("workload", workload),
    )


def _read_digest(argument: str, text: SpecDigest | None) -> SpecDigest | None:
    try:
        return None if text is None else parse_spec_digest(text)
    except BadDigestError as error:
        found = f"found {text!r:.90}, expected {error.expected}"
        raise BadArgumentError(argument, found) from error


_SWEEPS = Link["Operation", "list[LazySweep]"](
    lambda loaders: loaders.sweeps,
    lambda root: root.digest,
    absent=empty,
    part=_choose_sweeps,
)


@answered_by(_SWEEPS)
async def resolve_sweeps(
    root: strawberry.Parent[Operation],
    info: Info,
    *,
    axis: Annotated[str | None, strawberry.argument(description="Only along this axis.")] = None,
    hardware: Annotated[
        str | None, strawberry.argument(description="Only on this product, as `NVIDIA A100`.")
    ] = None,
    protocol: Annotated[
        SpecDigest | None,
        strawberry.argument(
            description="Only under this protocol, its spec digest written out in full."
        ),
    ] = None,
    environment: Annotated[
        SpecDigest | None,
        strawberry.argument(
            description="Only in this environment, its spec digest written out in full."
        ),
    ] = None,
    workload: Annotated[
        SpecDigest | None,
        strawberry.argument(
            description=(
                "Only those with a point of this workload, its spec digest written out in full."
            )
        ),
    ] = None,
) -> list[LazySweep]:
    """How implementations of an operation scale along an axis."""
    return await _SWEEPS.follow(
        root,
        info,
        axis=axis,
        hardware=hardware,
        protocol=protocol,
        environment=environment,
        workload=workload,
    )


_SOURCES = Link["Operation", list[Source]](
    lambda loaders: loaders.sources_of_operation,
    lambda root: root.digest,
    absent=empty,
)


@answered_by(_SOURCES)
async def resolve_sources_of_operation(
    root: strawberry.Parent[Operation], info: Info
) -> list[Source]:
    """Where the runs of an operation come from."""
    return await _SOURCES.follow(root, info)


_OBJECT = Link["Operation", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_operation(
    root: strawberry.Parent[Operation], info: Info
) -> LazyStoredObject:
    """The stored manifest of an operation."""
    return await _OBJECT.follow(root, info)


def _ask_floors(
    context: Context,
    *,
    policy: HeadroomPolicy,
    **given: Any,  # noqa: ANN401 - a list's arguments
) -> tuple[HeadroomPolicy, ListRequest]:
    return policy, ask_list(context, **given)


_FLOORS = Link["Operation", "LazyFloorRowConnection"](
    lambda loaders: loaders.floors_of_operation,
    lambda root: root.digest,
    part=_ask_floors,
)
resolve_across_hardware = owned_resolver(
    _FLOORS,
    LazyFloorRowConnection,
    order=FloorRowOrder,
    order_argument=ORDER_WHOLE_BY,
    policy=(
        Annotated[HeadroomPolicy, strawberry.argument(description="Version of the estimate.")],
        HeadroomPolicy.HEADROOM_V2,
    ),
)


_COVERAGE = Link["Operation", "LazyCoverageConnection"](
    lambda loaders: loaders.coverage_of_operation,
    lambda root: root.digest,
    part=ask_list,
)
resolve_coverage_of_operation = owned_resolver(
    _COVERAGE, LazyCoverageConnection, order=WorkloadOrder
)


_RUN_OF_LEADER = Link["SweepLeader", "LazyRun"](
    lambda loaders: loaders.runs,
    lambda root: root.run_digest,
)


@answered_by(_RUN_OF_LEADER)
async def resolve_run_of_leader(root: strawberry.Parent[SweepLeader], info: Info) -> LazyRun:
    """The best run at a place of a sweep."""
    return await _RUN_OF_LEADER.follow(root, info)


async def resolve_implementations_of_leader(
    root: strawberry.Parent[SweepLeader], info: Info
) -> list[LazyImplementation]:
    """Who leads at a place of a sweep."""
    return await load_each(info.context.loaders.implementations, root.implementation_digests)


async def resolve_leaders_below(
    root: strawberry.Parent[Crossover], info: Info
) -> list[LazyImplementation]:
    """Who leads below a crossover."""
    return await load_each(info.context.loaders.implementations, root.digests_below)


async def resolve_leaders_above(
    root: strawberry.Parent[Crossover], info: Info
) -> list[LazyImplementation]:
    """Who leads above a crossover."""
    return await load_each(info.context.loaders.implementations, root.digests_above)


_RUN_OF_POINT = Link["SweepPoint", "LazyRun"](
    lambda loaders: loaders.runs,
    lambda root: root.run_digest,
)


@answered_by(_RUN_OF_POINT)
async def resolve_run_of_point(root: strawberry.Parent[SweepPoint], info: Info) -> LazyRun:
    """The run at a place of a sweep."""
    return await _RUN_OF_POINT.follow(root, info)


_WORKLOAD_OF_POINT = Link["SweepPoint", "LazyWorkload"](
    lambda loaders: loaders.workloads,
    lambda root: root.workload_digest,
)


@answered_by(_WORKLOAD_OF_POINT)
async def resolve_workload_of_point(
    root: strawberry.Parent[SweepPoint], info: Info
) -> LazyWorkload:
    """The workload at a place of a sweep."""
    return await _WORKLOAD_OF_POINT.follow(root, info)


_IMPLEMENTATION_OF_SERIES = Link["SweepSeries", "LazyImplementation"](
    lambda loaders: loaders.implementations,
    lambda root: root.implementation_digest,
)


@answered_by(_IMPLEMENTATION_OF_SERIES)
async def resolve_implementation_of_series(
    root: strawberry.Parent[SweepSeries], info: Info
) -> LazyImplementation:
    """The implementation of a series."""
    return await _IMPLEMENTATION_OF_SERIES.follow(root, info)


_PROTOCOL_OF_SWEEP = Link["Sweep", Protocol](
    lambda loaders: loaders.protocols,
    lambda root: root.protocol_digest,
)


@answered_by(_PROTOCOL_OF_SWEEP)
async def resolve_protocol_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Protocol:
    """How the runs of a sweep are measured."""
    return await _PROTOCOL_OF_SWEEP.follow(root, info)


_ENVIRONMENT_OF_SWEEP = Link["Sweep", Environment](
    lambda loaders: loaders.environments,
    lambda root: root.environment_digest,
)


@answered_by(_ENVIRONMENT_OF_SWEEP)
async def resolve_environment_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Environment:
    """Where the runs of a sweep are measured."""
    return await _ENVIRONMENT_OF_SWEEP.follow(root, info)


_HARDWARE_OF_SWEEP = Link["Sweep", Hardware](
    lambda loaders: loaders.environments,
    lambda root: root.environment_digest,
    then=lambda _, environment: environment.hardware,
)


@answered_by(_HARDWARE_OF_SWEEP)
async def resolve_hardware_of_sweep(root: strawberry.Parent[Sweep], info: Info) -> Hardware:
    """Device of a sweep's environment."""
    return await _HARDWARE_OF_SWEEP.follow(root, info)
