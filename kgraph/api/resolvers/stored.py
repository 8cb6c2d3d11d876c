"""Linked fields of stored objects and publications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyPublication, LazyReference, LazyStoredObject
from kgraph.api.resolvers.link import Link, answered_by, empty, null
from kgraph.api.scalars import Json
from kgraph.api.types.source import Source

if TYPE_CHECKING:
    from kgraph.api.types.stored import Publication, Reference, StoredObject


_SOURCE_OF_PUBLICATION = Link["Publication", "Source | None"](
    lambda loaders: loaders.sources,
    lambda root: root.source_slug,
    absent=null,
)


@answered_by(_SOURCE_OF_PUBLICATION)
async def resolve_source_of_publication(
    root: strawberry.Parent[Publication], info: Info
) -> Source | None:
    """Source of what a publication adds."""
    return await _SOURCE_OF_PUBLICATION.follow(root, info)


_OBJECT_OF_REFERENCE = Link["Reference", "LazyStoredObject | None"](
    lambda loaders: loaders.objects,
    lambda root: root.digest,
    absent=null,
)


@answered_by(_OBJECT_OF_REFERENCE)
async def resolve_referenced_object(
    root: strawberry.Parent[Reference], info: Info
) -> LazyStoredObject | None:
    """The object now shown for a reference."""
    return await _OBJECT_OF_REFERENCE.follow(root, info)


async def resolve_canonical_json(root: strawberry.Parent[StoredObject], info: Info) -> str:
    """The bytes that an object id names, verified against it."""
    context = info.context
    content = await context.worker.run(lambda: context.catalog.load_canonical(root.object_id))
    return content.decode("utf-8")


_MANIFEST = Link["StoredObject", Json](
    lambda loaders: loaders.manifests,
    lambda root: root.object_id,
)


@answered_by(_MANIFEST)
async def resolve_manifest_of_object(root: strawberry.Parent[StoredObject], info: Info) -> Json:
    """The manifest of an object as JSON."""
    return await _MANIFEST.follow(root, info)


_PUBLICATION = Link["StoredObject", "LazyPublication"](
    lambda loaders: loaders.publications,
    lambda root: root.sequence,
)


@answered_by(_PUBLICATION)
async def resolve_publication_of_object(
    root: strawberry.Parent[StoredObject], info: Info
) -> LazyPublication:
    """The log entry that added an object."""
    return await _PUBLICATION.follow(root, info)


_REFERENCES = Link["StoredObject", "list[LazyReference]"](
    lambda loaders: loaders.references,
    lambda root: root.digest,
    absent=empty,
)


@answered_by(_REFERENCES)
async def resolve_references(
    root: strawberry.Parent[StoredObject], info: Info
) -> list[LazyReference]:
    """What an object cites."""
    return await _REFERENCES.follow(root, info)
