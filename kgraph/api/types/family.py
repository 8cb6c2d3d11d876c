"""Families of operations."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.inputs.facet import FamilyFacet
from kgraph.api.lazy import LazyCoverageConnection, LazyOperationConnection
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import family as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.facts import FamilyFact, Filter


@object_type
class Family(Node):
    """A family of operations, as `gemm`."""

    slug: str = plain("Name in addresses and filters.")
    name: str = plain("Name for people.")
    operation_count: int = plain("Operations of the family.")
    run_count: int = plain("Runs of all its operations, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing eligible is stored."
    )
    operations: LazyOperationConnection = linked(
        resolve.resolve_operations_of_family, "Its operations, by slug."
    )
    coverage: LazyCoverageConnection = linked(
        resolve.resolve_coverage_of_family,
        "Which workloads of its operations are measured on which devices.",
    )

    @classmethod
    def from_fact(cls, fact: FamilyFact) -> Family:
        """The family as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.FAMILY, fact.slug),
            slug=fact.slug,
            name=fact.name,
            operation_count=fact.operation_count,
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            last_observed_at=fact.last_observed_at,
        )


@object_type
class FamilyConnection(Connection[Family]):
    """A page of families."""

    facets: list[FacetCount] = linked(
        count_by("families", FamilyFacet), "How many families share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("families"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
