"""Linked fields of cohorts and ranked runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Context, Info
from kgraph.api.enums import HeadroomPolicy
from kgraph.api.inputs.order import RecordEventOrder
from kgraph.api.inputs.where import RecordEventWhere
from kgraph.api.lazy import (
    LazyFamily,
    LazyOperation,
    LazyRankedRun,
    LazyRankedRunConnection,
    LazyRecordEventConnection,
    LazyRun,
    LazyStrictRankingConnection,
    LazyWorkload,
)
from kgraph.api.resolvers.link import AtHand, Link, answered_by, null
from kgraph.api.resolvers.page import ask_list, owned_resolver
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.cohort import (
        Cohort,
        RankedRun,
    )

_RUN = AtHand["RankedRun", "LazyRun"](lambda loaders, root: loaders.make_run(root.fact))


@answered_by(_RUN)
def resolve_run_of_ranked(root: strawberry.Parent[RankedRun], info: Info) -> LazyRun:
    """The run of a ranked run; it is at hand, nothing is asked."""
    return _RUN.follow(root, info)


_OPERATION = Link["Cohort", "LazyOperation"](
    lambda loaders: loaders.operations,
    lambda root: root.operation_digest,
)


@answered_by(_OPERATION)
async def resolve_operation_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyOperation:
    """What the runs of a cohort compute."""
    return await _OPERATION.follow(root, info)


_FAMILY = Link["Cohort", "LazyFamily"](
    lambda loaders: loaders.families,
    lambda root: root.family_slug,
)


@answered_by(_FAMILY)
async def resolve_family_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyFamily:
    """Family of a cohort's operation."""
    return await _FAMILY.follow(root, info)


_WORKLOAD = Link["Cohort", "LazyWorkload"](
    lambda loaders: loaders.workloads,
    lambda root: root.workload_digest,
)


@answered_by(_WORKLOAD)
async def resolve_workload_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyWorkload:
    """Workload that the runs of a cohort share."""
    return await _WORKLOAD.follow(root, info)


_PROTOCOL = Link["Cohort", Protocol](
    lambda loaders: loaders.protocols,
    lambda root: root.protocol_digest,
)


@answered_by(_PROTOCOL)
async def resolve_protocol_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Protocol:
    """Protocol that the runs of a cohort share."""
    return await _PROTOCOL.follow(root, info)


_ENVIRONMENT = Link["Cohort", Environment](
    lambda loaders: loaders.environments,
    lambda root: root.environment_digest,
)


@answered_by(_ENVIRONMENT)
async def resolve_environment_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Environment:
    """Environment that the runs of a cohort share."""
    return await _ENVIRONMENT.follow(root, info)


_HARDWARE = Link["Cohort", Hardware](
    lambda loaders: loaders.environments,
    lambda root: root.environment_digest,
    then=lambda _, environment: environment.hardware,
)


@answered_by(_HARDWARE)
async def resolve_hardware_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Hardware:
    """Device of a cohort's environment."""
    return await _HARDWARE.follow(root, info)


_SOURCE = Link["Cohort", Source](
    lambda loaders: loaders.sources,
    lambda root: root.source_slug,
)


@answered_by(_SOURCE)
async def resolve_source_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Source:
    """Where the runs of a cohort come from."""
    return await _SOURCE.follow(root, info)


_RECORD = Link["Cohort", "LazyRankedRun | None"](
    lambda loaders: loaders.leaders,
    lambda root: root.key,
    absent=null,
    then=lambda loaders, leader: loaders.make_ranked(leader),
)


@answered_by(_RECORD)
async def resolve_record_of_cohort(
    root: strawberry.Parent[Cohort], info: Info
) -> LazyRankedRun | None:
    """The run that holds a cohort's standing record."""
    return await _RECORD.follow(root, info)


_RANKING = Link["Cohort", "LazyRankedRunConnection"](
    lambda loaders: loaders.rankings,
    lambda root: root.key,
    part=ask_list,
)


# A ranking is an order: it takes no other.
resolve_ranking = owned_resolver(_RANKING, LazyRankedRunConnection)


_STRICT = Link["Cohort", "LazyStrictRankingConnection"](
    lambda loaders: loaders.strict_rankings,
    lambda root: root.key,
    part=ask_list,
)


resolve_strict_ranking = owned_resolver(_STRICT, LazyStrictRankingConnection)


_HISTORY = Link["Cohort", "LazyRecordEventConnection"](
    lambda loaders: loaders.histories,
    lambda root: root.key,
    part=ask_list,
)


resolve_history = owned_resolver(
    _HISTORY, LazyRecordEventConnection, where=RecordEventWhere, order=RecordEventOrder
)


def _choose_policy(_: Context, *, policy: HeadroomPolicy) -> HeadroomPolicy:
    return policy


_HEADROOM = Link["Cohort", "Headroom | None"](
    lambda loaders: loaders.headrooms,
    lambda root: root.key,
    absent=null,
    part=_choose_policy,
)


@answered_by(_HEADROOM)
async def resolve_headroom(
    root: strawberry.Parent[Cohort],
    info: Info,
    policy: Annotated[
        HeadroomPolicy, strawberry.argument(description="Version of the estimate.")
    ] = HeadroomPolicy.HEADROOM_V2,
) -> Headroom | None:
    """The floor that the hardware sets for a cohort."""
    return await _HEADROOM.follow(root, info, policy=policy)
