"""Linked fields of stored objects and publications."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyPublication, LazyReference, LazyStoredObject
from kgraph.api.resolvers.link import require
from kgraph.api.scalars import Json
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.stored import Publication, Reference, StoredObject


async def resolve_source_of_publication(
    root: strawberry.Parent[Publication], info: Info
) -> Source | None:
    """Source of what a publication adds."""
    if root.source_slug is None:
        return None
    return await info.context.loaders.sources.load(root.source_slug)


async def resolve_referenced_object(
    root: strawberry.Parent[Reference], info: Info
) -> LazyStoredObject | None:
    """The object now shown for a reference."""
    return await info.context.loaders.objects.load(root.digest)


async def resolve_canonical_json(root: strawberry.Parent[StoredObject], info: Info) -> str:
    """The bytes that an object id names, verified against it."""
    context = info.context
    content = await context.worker.run(lambda: context.catalog.load_canonical(root.object_id))
    return content.decode("utf-8")


async def resolve_manifest_of_object(root: strawberry.Parent[StoredObject], info: Info) -> Json:
    """The manifest of an object as JSON."""
    manifest = await require(info.context.loaders.manifests.load(root.object_id), root.object_id)
    return cast("Json", manifest)


async def resolve_publication_of_object(
    root: strawberry.Parent[StoredObject], info: Info
) -> LazyPublication:
    """The log entry that added an object."""
    return await require(info.context.loaders.publications.load(root.sequence), root.sequence)


async def resolve_references(
    root: strawberry.Parent[StoredObject], info: Info
) -> list[LazyReference]:
    """What an object cites."""
    return await info.context.loaders.references.load(root.digest) or []
