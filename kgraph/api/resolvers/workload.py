"""Linked fields of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Info
from kgraph.api.inputs.facet import WorkloadFacet
from kgraph.api.lazy import LazyChallenge, LazyCohort, LazyOperation, LazyStoredObject
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import require
from kgraph.api.types.measure import FacetCount

if TYPE_CHECKING:
    from kgraph.api.types.workload import Workload, WorkloadConnection


async def resolve_operation_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> LazyOperation:
    """What a workload is an instance of."""
    loader = info.context.loaders.operations
    return await require(loader.load(root.operation_digest), root.operation_digest)


async def resolve_cohorts_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> list[LazyCohort]:
    """Groups of comparable runs of a workload."""
    return await info.context.loaders.cohorts_of_workload.load(root.digest) or []


async def resolve_challenges(root: strawberry.Parent[Workload], info: Info) -> list[LazyChallenge]:
    """Hardware that a workload is not measured on."""
    return await info.context.loaders.challenges.load(root.digest) or []


async def resolve_object_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> LazyStoredObject:
    """The stored manifest of a workload."""
    return await require(info.context.loaders.objects.load(root.digest), root.digest)


async def resolve_facets(
    root: strawberry.Parent[WorkloadConnection],
    info: Info,
    field: Annotated[WorkloadFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Workloads counted by a field."""
    return await count_facets(info, "workloads", root.where, field.value)
