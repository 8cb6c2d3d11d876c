"""Counts and summaries beside a connection: its filter counts, its page does not."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import strawberry

from kgraph.api.context import Info
from kgraph.api.types.measure import Aggregate, FacetCount

MAX_FACETS = 100
"""Most values of one facet."""


def count_by(list_name: str, facets: type[StrEnum]) -> Callable[..., Any]:
    """The resolver of a list's facets: how many of its items have each value of a field.

    Most first, at most 100.

    Args:
        facets: By what can be counted; a member's value is the field of the list.
    """

    async def resolve_facets(
        root: strawberry.Parent[Any],
        info: Info,
        field: Annotated[StrEnum, strawberry.argument(description="By what to count.")],
    ) -> list[FacetCount]:
        context = info.context
        found = await context.worker.run(
            lambda: context.catalog.count_facets(list_name, root.where, field.value)
        )
        return [FacetCount(value=item.value, count=item.count) for item in found[:MAX_FACETS]]

    resolve_facets.__annotations__["field"] = Annotated[
        facets, strawberry.argument(description="By what to count.")
    ]
    return resolve_facets


def summarise(list_name: str) -> Callable[..., Any]:
    """The resolver of a list's aggregates: summaries of the primary values of its runs."""

    async def resolve_aggregates(root: strawberry.Parent[Any], info: Info) -> list[Aggregate]:
        context = info.context
        facts = await context.worker.run(
            lambda: context.catalog.aggregate_runs(root.where, list_name)
        )
        return [Aggregate.from_fact(fact) for fact in facts]

    return resolve_aggregates
