"""Sources: where runs come from, and on which terms."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.inputs.facet import SourceFacet
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, SourceFact


@object_type
class Source(Node):
    """Where runs come from, and on which terms their facts are carried here."""

    slug: str = plain("Name in addresses and filters.")
    digest: SpecDigest = plain("Spec digest of its manifest.")
    name: str = plain("Name for people.")
    kind: str = plain("The source's own word for what it is: benchmark, leaderboard, runner.")
    url: str | None = plain("Where it is published; null where not stated.")
    license: str | None = plain("Licence as the source writes it; null where it states none.")
    attribution: str | None = plain("How it wants to be named; null where it does not say.")
    terms: str | None = plain("Terms of use beyond the licence; null where there are none.")
    freshness_days: int | None = plain(
        "Days after which it is checked again; null where not agreed."
    )
    run_count: int = plain("Kernel runs of it in this snapshot.")
    last_observed_at: datetime | None = plain(
        "Latest observation of it; null where no run of it is stored."
    )

    @classmethod
    def from_fact(cls, fact: SourceFact) -> Source:
        """The source as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.SOURCE, fact.slug),
            slug=fact.slug,
            digest=fact.digest,
            name=fact.name,
            kind=fact.kind,
            url=fact.url,
            license=fact.license,
            attribution=fact.attribution,
            terms=fact.terms,
            freshness_days=fact.freshness_days,
            run_count=fact.run_count,
            last_observed_at=fact.last_observed_at,
        )


@object_type
class SourceConnection(Connection[Source]):
    """A page of sources."""

    facets: list[FacetCount] = linked(
        count_by("sources", SourceFacet), "How many sources share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("sources"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
