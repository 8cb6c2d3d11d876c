"""Linked fields of serving runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyStoredObject
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.serving import ServingRun


_SOURCE = Link["ServingRun", Source](
    lambda loaders: loaders.sources,
    lambda root: root.source_slug,
)


@answered_by(_SOURCE)
async def resolve_source_of_serving_run(root: strawberry.Parent[ServingRun], info: Info) -> Source:
    """Where a serving run comes from."""
    return await _SOURCE.follow(root, info)


_OBJECT = Link["ServingRun", "LazyStoredObject"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
)


@answered_by(_OBJECT)
async def resolve_object_of_serving_run(
    root: strawberry.Parent[ServingRun], info: Info
) -> LazyStoredObject:
    """The stored manifest of a serving run."""
    return await _OBJECT.follow(root, info)
