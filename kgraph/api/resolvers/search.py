"""Linked fields of search hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import strawberry

from kgraph.api.context import Info
from kgraph.api.node import Node
from kgraph.vocab import SearchKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.api.batch import BatchLoader
    from kgraph.api.loaders import Loaders
    from kgraph.api.types.search import SearchHit

_LOADERS: dict[SearchKind, Callable[[Loaders], BatchLoader[Any, Any]]] = {
    SearchKind.FAMILY: lambda loaders: loaders.families,
    SearchKind.OPERATION: lambda loaders: loaders.operations,
    SearchKind.PROJECT: lambda loaders: loaders.projects,
    SearchKind.IMPLEMENTATION: lambda loaders: loaders.implementations,
}


async def resolve_node_of_hit(root: strawberry.Parent[SearchHit], info: Info) -> Node | None:
    """What was found; devices are products, which have no node."""
    choose = _LOADERS.get(root.kind)
    if choose is None:
        return None
    found: Node | None = await choose(info.context.loaders).load(root.key)
    return found
