"""Linked fields of families."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.api.inputs.order import OperationOrder, WorkloadOrder
from kgraph.api.inputs.where import OperationWhere
from kgraph.api.lazy import LazyCoverageConnection, LazyOperationConnection
from kgraph.api.resolvers.link import Link
from kgraph.api.resolvers.page import ask_list, owned_resolver

if TYPE_CHECKING:
    from kgraph.api.types.family import Family  # noqa: F401 - what the links are of


_OPERATIONS = Link["Family", "LazyOperationConnection"](
    lambda loaders: loaders.operations_of_family,
    lambda root: root.slug,
    part=ask_list,
)


resolve_operations_of_family = owned_resolver(
    _OPERATIONS, LazyOperationConnection, where=OperationWhere, order=OperationOrder
)


_COVERAGE = Link["Family", "LazyCoverageConnection"](
    lambda loaders: loaders.coverage_of_family,
    lambda root: root.slug,
    part=ask_list,
)


resolve_coverage_of_family = owned_resolver(_COVERAGE, LazyCoverageConnection, order=WorkloadOrder)
