"""Linked fields of devices and of comparisons across them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyProject, LazyWorkload
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.api.types.environment import Protocol

if TYPE_CHECKING:
    from kgraph.api.types.hardware import FloorRow, RecordHolder

_PROJECT = Link["RecordHolder", "LazyProject | None"](
    lambda loaders: loaders.projects, lambda root: root.project_slug
)


@answered_by(_PROJECT)
async def resolve_project_of_holder(
    root: strawberry.Parent[RecordHolder], info: Info
) -> LazyProject | None:
    """The project of a record holder."""
    return await _PROJECT.follow(root, info)


_WORKLOAD = Link["FloorRow", "LazyWorkload"](
    lambda loaders: loaders.workloads, lambda root: root.workload_digest
)


@answered_by(_WORKLOAD)
async def resolve_workload_of_floors(root: strawberry.Parent[FloorRow], info: Info) -> LazyWorkload:
    """The workload of a row."""
    return await _WORKLOAD.follow(root, info)


_PROTOCOL = Link["FloorRow", "Protocol"](
    lambda loaders: loaders.protocols, lambda root: root.protocol_digest
)


@answered_by(_PROTOCOL)
async def resolve_protocol_of_floors(root: strawberry.Parent[FloorRow], info: Info) -> Protocol:
    """The protocol of a row."""
    return await _PROTOCOL.follow(root, info)
