"""Linked fields of implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Info
from kgraph.api.inputs.facet import ImplementationFacet
from kgraph.api.lazy import LazyOperation, LazyStoredObject
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import require
from kgraph.api.types.measure import FacetCount

if TYPE_CHECKING:
    from kgraph.api.types.implementation import Implementation, ImplementationConnection


async def resolve_operation_of_implementation(
    root: strawberry.Parent[Implementation], info: Info
) -> LazyOperation:
    """What an implementation computes."""
    loader = info.context.loaders.operations
    return await require(loader.load(root.operation_digest), root.operation_digest)


async def resolve_object_of_implementation(
    root: strawberry.Parent[Implementation], info: Info
) -> LazyStoredObject:
    """The stored manifest of an implementation."""
    return await require(info.context.loaders.objects.load(root.digest), root.digest)


async def resolve_facets(
    root: strawberry.Parent[ImplementationConnection],
    info: Info,
    field: Annotated[ImplementationFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Implementations counted by a field."""
    return await count_facets(info, "implementations", root.where, field.value)
