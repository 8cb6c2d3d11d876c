"""Counts beside a connection: its filter counts, its page does not."""

from __future__ import annotations

from kgraph.api.context import Info
from kgraph.api.types.measure import FacetCount
from kgraph.facts import Filter

MAX_FACETS = 100
"""Most values of one facet."""


async def count_facets(
    info: Info, list_name: str, where: Filter | None, field: str
) -> list[FacetCount]:
    """How many items of the filtered list have each value of a field, most first, at most 100."""
    context = info.context
    counts = await context.worker.run(lambda: context.catalog.count_facets(list_name, where, field))
    return [FacetCount(value=item.value, count=item.count) for item in counts[:MAX_FACETS]]
