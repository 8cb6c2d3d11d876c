"""Linked fields of records and record events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

from kgraph.api.context import Info
from kgraph.api.inputs.facet import RecordEventFacet, RecordFacet
from kgraph.api.lazy import LazyCohort, LazyRankedRun, LazyRun
from kgraph.api.resolvers.facets import count_facets
from kgraph.api.resolvers.link import AtHand, Link, answered_by
from kgraph.api.types.measure import FacetCount

if TYPE_CHECKING:
    from kgraph.api.types.record import Record, RecordConnection, RecordEvent, RecordEventConnection


_COHORT_OF_EVENT = Link["RecordEvent", "LazyCohort"](
    lambda loaders: loaders.cohorts,
    lambda root: root.cohort_key,
)


@answered_by(_COHORT_OF_EVENT)
async def resolve_cohort_of_event(root: strawberry.Parent[RecordEvent], info: Info) -> LazyCohort:
    """Where a record event happened."""
    return await _COHORT_OF_EVENT.follow(root, info)


_RUN_OF_EVENT = Link["RecordEvent", "LazyRun | None"](
    lambda loaders: loaders.runs,
    lambda root: root.run_digest,
)


@answered_by(_RUN_OF_EVENT)
async def resolve_run_of_event(root: strawberry.Parent[RecordEvent], info: Info) -> LazyRun | None:
    """The run that holds the record after an event."""
    return await _RUN_OF_EVENT.follow(root, info)


_PREVIOUS_RUN_OF_EVENT = Link["RecordEvent", "LazyRun | None"](
    lambda loaders: loaders.runs,
    lambda root: root.previous_run_digest,
)


@answered_by(_PREVIOUS_RUN_OF_EVENT)
async def resolve_previous_run_of_event(
    root: strawberry.Parent[RecordEvent], info: Info
) -> LazyRun | None:
    """The run that held the record before an event."""
    return await _PREVIOUS_RUN_OF_EVENT.follow(root, info)


_RUN_OF_RECORD = AtHand["Record", "LazyRun"](lambda loaders, root: loaders.make_run(root.fact))


@answered_by(_RUN_OF_RECORD)
def resolve_run_of_record(root: strawberry.Parent[Record], info: Info) -> LazyRun:
    """The run that holds a record; it is at hand, nothing is asked."""
    return _RUN_OF_RECORD.follow(root, info)


_STANDING_OF_RECORD = AtHand["Record", "LazyRankedRun | None"](
    lambda loaders, root: loaders.make_ranked(root.fact)
)


@answered_by(_STANDING_OF_RECORD)
def resolve_standing_of_record(root: strawberry.Parent[Record], info: Info) -> LazyRankedRun | None:
    """The run of a record where it stands; it is at hand, nothing is asked."""
    return _STANDING_OF_RECORD.follow(root, info)


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
