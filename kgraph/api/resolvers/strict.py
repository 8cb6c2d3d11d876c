"""Linked fields of rankings by statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyRun
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.strict import StrictEntry

_RUN = Link["StrictEntry", "LazyRun"](lambda loaders: loaders.runs, lambda root: root.run_digest)


@answered_by(_RUN)
async def resolve_run_of_strict(root: strawberry.Parent[StrictEntry], info: Info) -> LazyRun:
    """The run of an entry, with the standing that the catalogue keeps."""
    return await _RUN.follow(root, info)
