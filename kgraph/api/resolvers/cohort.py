"""Linked fields of cohorts and ranked runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.connection import After, Before, First, Last, choose_page
from kgraph.api.context import Info
from kgraph.api.enums import HeadroomPolicy
from kgraph.api.inputs.facet import CohortFacet
from kgraph.api.lazy import (
    LazyFamily,
    LazyOperation,
    LazyRankedRun,
    LazyRankedRunConnection,
    LazyRecordEventConnection,
    LazyRun,
    LazyWorkload,
)
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import require
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.measure import FacetCount
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.cohort import Cohort, CohortConnection, RankedRun


def resolve_run_of_ranked(root: strawberry.Parent[RankedRun], info: Info) -> LazyRun:
    """The run of a ranked run; it is at hand, nothing is asked."""
    return info.context.loaders.make_run(root.fact)


async def resolve_operation_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyOperation:
    """What the runs of a cohort compute."""
    loader = info.context.loaders.operations
    return await require(loader.load(root.operation_digest), root.operation_digest)


async def resolve_family_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyFamily:
    """Family of a cohort's operation."""
    return await require(info.context.loaders.families.load(root.family_slug), root.family_slug)


async def resolve_workload_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> LazyWorkload:
    """Workload that the runs of a cohort share."""
    loader = info.context.loaders.workloads
    return await require(loader.load(root.workload_digest), root.workload_digest)


async def resolve_protocol_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Protocol:
    """Protocol that the runs of a cohort share."""
    loader = info.context.loaders.protocols
    return await require(loader.load(root.protocol_digest), root.protocol_digest)


async def resolve_environment_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Environment:
    """Environment that the runs of a cohort share."""
    loader = info.context.loaders.environments
    return await require(loader.load(root.environment_digest), root.environment_digest)


async def resolve_hardware_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Hardware:
    """Device of a cohort's environment."""
    return (await resolve_environment_of_cohort(root, info)).hardware


async def resolve_source_of_cohort(root: strawberry.Parent[Cohort], info: Info) -> Source:
    """Where the runs of a cohort come from."""
    return await require(info.context.loaders.sources.load(root.source_slug), root.source_slug)


async def resolve_record_of_cohort(
    root: strawberry.Parent[Cohort], info: Info
) -> LazyRankedRun | None:
    """The run that holds a cohort's standing record."""
    loaders = info.context.loaders
    leader = await loaders.leaders.load(root.key)
    return None if leader is None else loaders.make_ranked(leader)


async def resolve_ranking(
    root: strawberry.Parent[Cohort],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyRankedRunConnection:
    """A page of a cohort's ranking."""
    page = choose_page(first, after, last, before)
    return await require(info.context.loaders.rankings.load((root.key, page)), root.key)


async def resolve_history(
    root: strawberry.Parent[Cohort],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyRecordEventConnection:
    """A page of a cohort's record events."""
    page = choose_page(first, after, last, before)
    return await require(info.context.loaders.histories.load((root.key, page)), root.key)


async def resolve_headroom(
    root: strawberry.Parent[Cohort],
    info: Info,
    policy: Annotated[
        HeadroomPolicy, strawberry.argument(description="Version of the estimate.")
    ] = HeadroomPolicy.HEADROOM_V2,
) -> Headroom | None:
    """The floor that the hardware sets for a cohort."""
    return await info.context.loaders.headrooms.load((root.key, policy))


async def resolve_facets(
    root: strawberry.Parent[CohortConnection],
    info: Info,
    field: Annotated[CohortFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Cohorts counted by a field."""
    return await count_facets(info, "cohorts", root.where, field.value)
