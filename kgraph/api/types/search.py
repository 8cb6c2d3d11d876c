"""What a text leads to."""

from __future__ import annotations

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import SearchKind, SearchMatch
from kgraph.api.node import Node
from kgraph.api.resolvers import search as resolve
from kgraph.facts import SearchHit as SearchHitFact


@object_type
class SearchHit:
    """Something that a text leads to."""

    kind: SearchKind = plain("What it is.")
    key: str = plain(
        "What to ask for it by: a slug, of an operation or implementation the digest, of a device "
        "the product name."
    )
    name: str = plain("As the catalogue shows it; the slug of an operation.")
    match: SearchMatch = plain("How the text leads to it.")
    distance: int = plain(
        "For a typo, letters changed, added, dropped or swapped; for words, those only begun; "
        "else 0."
    )
    run_count: int = plain("Runs of it, eligible or not.")
    node: Node | None = linked(
        resolve.resolve_node_of_hit,
        "It; null for a device, which `hardwareProduct` answers.",
    )

    @classmethod
    def from_fact(cls, fact: SearchHitFact) -> SearchHit:
        """The hit as the API shows it."""
        return cls(
            kind=fact.kind,
            key=fact.key,
            name=fact.name,
            match=fact.match,
            distance=fact.distance,
            run_count=fact.run_count,
        )


@object_type
class SearchHitConnection(Connection[SearchHit]):
    """A page of what a text leads to, most exact first."""
