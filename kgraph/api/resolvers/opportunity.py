"""Linked fields of opportunities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Info
from kgraph.api.inputs.facet import OpportunityFacet
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.api.types.measure import FacetCount

if TYPE_CHECKING:
    from kgraph.api.types.opportunity import Opportunity, OpportunityConnection

_COHORT = Link["Opportunity", "LazyCohort"](
    lambda loaders: loaders.cohorts, lambda root: root.cohort_key
)


@answered_by(_COHORT)
async def resolve_cohort_of_opportunity(
    root: strawberry.Parent[Opportunity], info: Info
) -> LazyCohort:
    """Where a record stands."""
    return await _COHORT.follow(root, info)


_RUN = Link["Opportunity", "LazyRun"](lambda loaders: loaders.runs, lambda root: root.run_digest)


@answered_by(_RUN)
async def resolve_run_of_opportunity(root: strawberry.Parent[Opportunity], info: Info) -> LazyRun:
    """The run that holds a record."""
    return await _RUN.follow(root, info)


async def resolve_facets(
    root: strawberry.Parent[OpportunityConnection],
    info: Info,
    field: Annotated[OpportunityFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Opportunities counted by a field."""
    return await count_facets(info, "opportunities", root.where, field.value)
