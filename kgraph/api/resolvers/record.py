"""Linked fields of records and record events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Info
from kgraph.api.inputs.facet import RecordEventFacet, RecordFacet
from kgraph.api.lazy import LazyCohort, LazyRankedRun, LazyRun
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import require
from kgraph.api.types.measure import FacetCount

if TYPE_CHECKING:
    from kgraph.api.types.record import Record, RecordConnection, RecordEvent, RecordEventConnection


async def resolve_cohort_of_event(root: strawberry.Parent[RecordEvent], info: Info) -> LazyCohort:
    """Where a record event happened."""
    return await require(info.context.loaders.cohorts.load(root.cohort_key), root.cohort_key)


async def resolve_run_of_event(root: strawberry.Parent[RecordEvent], info: Info) -> LazyRun | None:
    """The run that holds the record after an event."""
    if root.run_digest is None:
        return None
    return await require(info.context.loaders.runs.load(root.run_digest), root.run_digest)


async def resolve_previous_run_of_event(
    root: strawberry.Parent[RecordEvent], info: Info
) -> LazyRun | None:
    """The run that held the record before an event."""
    if root.previous_run_digest is None:
        return None
    loader = info.context.loaders.runs
    return await require(loader.load(root.previous_run_digest), root.previous_run_digest)


def resolve_run_of_record(root: strawberry.Parent[Record], info: Info) -> LazyRun:
    """The run that holds a record; it is at hand, nothing is asked."""
    return info.context.loaders.make_run(root.fact)


def resolve_standing_of_record(root: strawberry.Parent[Record], info: Info) -> LazyRankedRun | None:
    """The run of a record where it stands; it is at hand, nothing is asked."""
    return info.context.loaders.make_ranked(root.fact)


async def resolve_record_facets(
    root: strawberry.Parent[RecordConnection],
    info: Info,
    field: Annotated[RecordFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Records counted by a field."""
    return await count_facets(info, "records", root.where, field.value)


async def resolve_event_facets(
    root: strawberry.Parent[RecordEventConnection],
    info: Info,
    field: Annotated[RecordEventFacet, strawberry.argument(description="By what to count.")],
) -> list[FacetCount]:
    """Record events counted by a field."""
    return await count_facets(info, "record_events", root.where, field.value)
