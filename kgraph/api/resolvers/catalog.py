"""Linked fields of the catalogue."""

from __future__ import annotations

from datetime import datetime

from kgraph.api.connection import MAX_PAGE
from kgraph.api.context import Info
from kgraph.api.lazy import LazyCounts
from kgraph.api.types.source import Source
from kgraph.facts import PageRequest


async def resolve_published_at(info: Info) -> datetime | None:
    """When the last publication of the snapshot was made."""
    context = info.context
    head = await context.worker.run(lambda: context.catalog.head)
    return None if head is None else head.published_at


async def resolve_counts(info: Info) -> LazyCounts:
    """How much the snapshot holds."""
    return await info.context.loaders.load_counts()


async def resolve_sources(info: Info) -> list[Source]:
    """Where the runs of the snapshot come from."""
    context = info.context
    page = await context.worker.run(
        lambda: context.catalog.page_sources(None, (), PageRequest(first=MAX_PAGE))
    )
    return [Source.from_fact(fact) for fact in page.items]
