"""Fields of the subscription root: each is a stream of what newer snapshots bring."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated

import strawberry

from kgraph.api.connection import MAX_CURSOR
from kgraph.api.context import Info, Position
from kgraph.api.errors import BadArgumentError
from kgraph.api.inputs.compile import FilterCompiler
from kgraph.api.inputs.where import RecordEventWhere
from kgraph.api.resolvers.page import WHERE
from kgraph.api.types.record import RecordEvent
from kgraph.api.types.stored import Publication
from kgraph.catalog import select_record_events
from kgraph.digest import ObjectId

Since = Annotated[
    ObjectId | None,
    strawberry.argument(
        description="A snapshot seen before: what came after it is told first. From now on "
        "where left out."
    ),
]


async def follow_record_events(
    info: Info,
    *,
    where: Annotated[RecordEventWhere | None, WHERE] = None,
    since: Since = None,
) -> AsyncGenerator[RecordEvent, None]:
    """Record events of newer snapshots that meet `where`."""
    live = _find_position(info, since)
    # Compiled once, so that a bad filter is refused before anything is waited for.
    FilterCompiler(info.context.now).compile(where)
    async for step in live.feed.follow(since or live.since):
        events = await live.feed.find_record_events(step)
        asked = FilterCompiler(live.clock(step.after)).compile(where)
        met = await info.context.worker.run(
            partial(select_record_events, step.after, events, asked)
        )
        for number, event in enumerate(met, start=1):
            live.move(step, is_last=number == len(met))
            yield RecordEvent.from_fact(event)


async def follow_publications(
    info: Info,
    *,
    source: Annotated[
        str | None,
        strawberry.argument(description="Slug of a source; every source where left out."),
    ] = None,
    since: Since = None,
) -> AsyncGenerator[Publication, None]:
    """Publications of newer snapshots, of one source or all."""
    live = _find_position(info, since)
    async for step in live.feed.follow(since or live.since):
        found = await live.feed.find_publications(step)
        met = [each for each in found if source is None or each.source == source]
        for number, publication in enumerate(met, start=1):
            live.move(step, is_last=number == len(met))
            yield Publication.from_fact(publication)


def _find_position(info: Info, since: str | None) -> Position:
    if since is not None and len(since) > MAX_CURSOR:
        raise BadArgumentError("since", f"found {len(since)} characters, expected a snapshot")
    live = info.context.live
    if live is None:
        message = "subscription: executed as a query"
        raise TypeError(message)
    return live
