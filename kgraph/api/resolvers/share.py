"""Linked fields of shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyFamily
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.share import FamilyShare


_FAMILY = Link["FamilyShare", "LazyFamily"](
    lambda loaders: loaders.families, lambda root: root.family_slug
)


@answered_by(_FAMILY)
async def resolve_family_of_share(root: strawberry.Parent[FamilyShare], info: Info) -> LazyFamily:
    """The family of a share."""
    return await _FAMILY.follow(root, info)
