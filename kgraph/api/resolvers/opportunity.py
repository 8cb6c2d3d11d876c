"""Linked fields of opportunities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.opportunity import Opportunity

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
