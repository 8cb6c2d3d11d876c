"""Linked fields of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyProjectCounts, LazyProjectHoldings
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.project import Project
_COUNTS = Link["Project", "LazyProjectCounts"](
    lambda loaders: loaders.project_counts, lambda root: root.slug
)


@answered_by(_COUNTS)
async def resolve_counts_of_project(
    root: strawberry.Parent[Project], info: Info
) -> LazyProjectCounts:
    """How much of a project the catalogue holds."""
    return await _COUNTS.follow(root, info)


_HOLDINGS = Link["Project", "LazyProjectHoldings"](
    lambda loaders: loaders.project_holdings, lambda root: root.slug
)


@answered_by(_HOLDINGS)
async def resolve_holdings(root: strawberry.Parent[Project], info: Info) -> LazyProjectHoldings:
    """What the catalogue holds of a project, part by part."""
    return await _HOLDINGS.follow(root, info)
