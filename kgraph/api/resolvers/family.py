"""Linked fields of families."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.connection import After, Before, First, Last, ask_page
from kgraph.api.context import Info
from kgraph.api.lazy import LazyCoverageConnection, LazyOperationConnection
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.family import Family


_OPERATIONS = Link["Family", "LazyOperationConnection"](
    lambda loaders: loaders.operations_of_family,
    lambda root: root.slug,
    part=ask_page,
)


@answered_by(_OPERATIONS)
async def resolve_operations_of_family(
    root: strawberry.Parent[Family],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyOperationConnection:
    """A page of a family's operations."""
    return await _OPERATIONS.follow(root, info, first=first, after=after, last=last, before=before)


_COVERAGE = Link["Family", "LazyCoverageConnection"](
    lambda loaders: loaders.coverage_of_family,
    lambda root: root.slug,
    part=ask_page,
)


@answered_by(_COVERAGE)
async def resolve_coverage_of_family(
    root: strawberry.Parent[Family],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyCoverageConnection:
    """Which workloads of a family are measured on which devices."""
    return await _COVERAGE.follow(root, info, first=first, after=after, last=last, before=before)
