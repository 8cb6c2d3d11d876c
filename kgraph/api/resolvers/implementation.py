"""Linked fields of implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyOperation, LazyStoredObject
from kgraph.api.resolvers.link import Link, answered_by, null
from kgraph.api.types.standing import ImplementationStanding

if TYPE_CHECKING:
    from kgraph.api.types.implementation import Implementation


_OPERATION = Link["Implementation", "LazyOperation"](
    lambda loaders: loaders.operations,
    lambda root: root.operation_digest,
)


@answered_by(_OPERATION)
async def resolve_operation_of_implementation(
    root: strawberry.Parent[Implementation], info: Info
) -> LazyOperation:
    """What an implementation computes."""
    return await _OPERATION.follow(root, info)


_STANDING = Link["Implementation", "ImplementationStanding | None"](
    lambda loaders: loaders.standings,
    lambda root: root.digest,
    absent=null,
)


@answered_by(_STANDING)
async def resolve_standing_of_implementation(
    root: strawberry.Parent[Implementation], info: Info
) -> ImplementationStanding | None:
    """How an implementation stands over all its cohorts."""
    return await _STANDING.follow(root, info)


_OBJECT = Link["Implementation", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_implementation(
    root: strawberry.Parent[Implementation], info: Info
) -> LazyStoredObject:
    """The stored manifest of an implementation."""
    return await _OBJECT.follow(root, info)
