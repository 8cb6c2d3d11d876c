"""Linked fields of coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyFamily, LazyOperation, LazyWorkload
from kgraph.api.resolvers.link import Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.coverage import CoverageRow, UnmeasuredCell

_WORKLOAD_OF_ROW = Link["CoverageRow", "LazyWorkload"](
    lambda loaders: loaders.workloads, lambda root: root.workload_digest
)


@answered_by(_WORKLOAD_OF_ROW)
async def resolve_workload_of_row(root: strawberry.Parent[CoverageRow], info: Info) -> LazyWorkload:
    """The workload of a row."""
    return await _WORKLOAD_OF_ROW.follow(root, info)


_WORKLOAD = Link["UnmeasuredCell", "LazyWorkload"](
    lambda loaders: loaders.workloads, lambda root: root.workload_digest
)


@answered_by(_WORKLOAD)
async def resolve_workload_of_challenge(
    root: strawberry.Parent[UnmeasuredCell], info: Info
) -> LazyWorkload:
    """The workload that nobody measured."""
    return await _WORKLOAD.follow(root, info)


_OPERATION = Link["UnmeasuredCell", "LazyOperation"](
    lambda loaders: loaders.operations, lambda root: root.operation_digest
)


@answered_by(_OPERATION)
async def resolve_operation_of_challenge(
    root: strawberry.Parent[UnmeasuredCell], info: Info
) -> LazyOperation:
    """What the workload is an instance of."""
    return await _OPERATION.follow(root, info)


_FAMILY = Link["UnmeasuredCell", "LazyFamily"](
    lambda loaders: loaders.families, lambda root: root.family_slug
)


@answered_by(_FAMILY)
async def resolve_family_of_challenge(
    root: strawberry.Parent[UnmeasuredCell], info: Info
) -> LazyFamily:
    """Family of the operation."""
    return await _FAMILY.follow(root, info)
