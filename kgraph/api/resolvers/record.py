"""Linked fields of records and record events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyCohort, LazyRankedRun, LazyRun
from kgraph.api.resolvers.link import AtHand, Link, answered_by

if TYPE_CHECKING:
    from kgraph.api.types.record import Record, RecordEvent


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
