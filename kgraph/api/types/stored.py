"""Stored objects and the publications that added them."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import Kind
from kgraph.api.inputs.facet import PublicationFacet
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import stored as resolve
from kgraph.api.resolvers.facets import count_by
from kgraph.api.scalars import Json
from kgraph.api.types.measure import FacetCount
from kgraph.api.types.source import Source
from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import Filter, ObjectFact, PublicationFact
from kgraph.vocab import Slug


@object_type
class Publication(Node):
    """One entry of the append-only log. Its id is the snapshot as of this entry."""

    sequence: int = plain("Its number in the log, 1 first.")
    snapshot: ObjectId = plain("Object id of the entry: it names the whole catalogue state.")
    parent: ObjectId | None = plain("Snapshot before it; null for the first entry.")
    at: datetime = plain("When it was published.")
    by: str = plain("Who published it.")
    message: str | None = plain("For people; null where none was given.")
    object_count: int = plain("Objects that it adds.")
    source: Source | None = linked(
        resolve.resolve_source_of_publication,
        "Source of what it adds; null where it is no source's.",
    )
    source_slug: strawberry.Private[Slug | None]

    @classmethod
    def from_fact(cls, fact: PublicationFact) -> Publication:
        """The publication as the API shows it."""
        return cls(
            id=strawberry.ID(fact.object_id),
            sequence=fact.sequence,
            snapshot=fact.object_id,
            parent=fact.parent,
            at=fact.published_at,
            by=fact.published_by,
            message=fact.message,
            object_count=fact.object_count,
            source_slug=fact.source,
        )


@object_type
class PublicationConnection(Connection[Publication]):
    """A page of the log."""

    facets: list[FacetCount] = linked(
        count_by("publications", PublicationFacet),
        "How many publications share a value of one field.",
        size=20,
    )
    where: strawberry.Private[Filter | None]


@object_type
class Reference:
    """A manifest that another one cites."""

    digest: SpecDigest = plain("Spec digest that is cited.")
    object: StoredObject | None = linked(
        resolve.resolve_referenced_object,
        "The object now shown for it; null where this catalogue does not hold it.",
    )


@object_type
class StoredObject(Node):
    """One stored manifest, whatever its kind, verified against its name when it is read."""

    object_id: ObjectId = plain("BLAKE3 over the canonical JSON of the whole manifest.")
    digest: SpecDigest = plain("SHA-256 over the canonical JSON of apiVersion, kind and spec.")
    kind: Kind = plain("What it describes.")
    name: str = plain("Its `metadata.name`.")
    size_bytes: int = plain("Length of its canonical JSON, in bytes.")
    is_current: bool = plain(
        "False where a later object with the same spec digest is shown in its place."
    )
    canonical_json: str = linked(
        resolve.resolve_canonical_json, "The bytes that the object id names, as text."
    )
    manifest: Json = linked(resolve.resolve_manifest_of_object, "The manifest as JSON.")
    publication: Publication = linked(
        resolve.resolve_publication_of_object, "The log entry that added it."
    )
    references: list[Reference] = linked(
        resolve.resolve_references, "What it cites, by digest.", size=5
    )
    sequence: strawberry.Private[int]

    @classmethod
    def from_fact(cls, fact: ObjectFact) -> StoredObject:
        """The object as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.STORED_OBJECT, fact.object_id),
            object_id=fact.object_id,
            digest=fact.digest,
            kind=fact.kind,
            name=fact.name,
            size_bytes=fact.size_bytes,
            is_current=fact.is_current,
            sequence=fact.sequence,
        )
