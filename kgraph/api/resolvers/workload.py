"""Linked fields of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyChallenge, LazyCohort, LazyOperation, LazyStoredObject
from kgraph.api.resolvers.link import Link, answered_by, empty

if TYPE_CHECKING:
    from kgraph.api.types.workload import Workload


_OPERATION = Link["Workload", "LazyOperation"](
    lambda loaders: loaders.operations,
    lambda root: root.operation_digest,
)


@answered_by(_OPERATION)
async def resolve_operation_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> LazyOperation:
    """What a workload is an instance of."""
    return await _OPERATION.follow(root, info)


_COHORTS = Link["Workload", "list[LazyCohort]"](
    lambda loaders: loaders.cohorts_of_workload,
    lambda root: root.digest,
    absent=empty,
)


@answered_by(_COHORTS)
async def resolve_cohorts_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> list[LazyCohort]:
    """Groups of comparable runs of a workload."""
    return await _COHORTS.follow(root, info)


_CHALLENGES = Link["Workload", "list[LazyChallenge]"](
    lambda loaders: loaders.challenges,
    lambda root: root.digest,
    absent=empty,
)


@answered_by(_CHALLENGES)
async def resolve_challenges(root: strawberry.Parent[Workload], info: Info) -> list[LazyChallenge]:
    """Hardware that a workload is not measured on."""
    return await _CHALLENGES.follow(root, info)


_OBJECT = Link["Workload", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_workload(
    root: strawberry.Parent[Workload], info: Info
) -> LazyStoredObject:
    """The stored manifest of a workload."""
    return await _OBJECT.follow(root, info)
