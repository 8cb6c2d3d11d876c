"""Linked fields of families."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.connection import After, Before, First, Last, choose_page
from kgraph.api.context import Info
from kgraph.api.lazy import LazyOperationConnection
from kgraph.api.resolvers.link import require
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from kgraph.api.types.family import Family


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
    page = choose_page(first, after, last, before)
    loader = info.context.loaders.operations_of_family
    return await require(loader.load((Slug(root.slug), page)), root.slug)
