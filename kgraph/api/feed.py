"""What is new, for those who wait for it: one step from a snapshot that they know to a newer one.

Nobody has a queue. A follower keeps the snapshot that it has told of, and is woken when there is a
newer one; whoever is slow takes several snapshots in one step. A step is compared once, however
many follow it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from kgraph.catalog import (
    Catalog,
    CatalogSource,
    find_new_publications,
    find_new_record_events,
)
from kgraph.digest import ObjectId
from kgraph.facts import PublicationFact, RecordEventFact

T = TypeVar("T")

# Steps whose comparison is kept: nearly all followers take the latest.
_MAX_STEPS = 8


@dataclass(frozen=True, slots=True)
class Step:
    """From one snapshot to a newer one."""

    before: Catalog
    after: Catalog


class Feed:
    """Tells followers of newer snapshots; belongs to one event loop."""

    def __init__(self, source: CatalogSource) -> None:
        self._source = source
        self._moved = asyncio.Event()
        self._found: OrderedDict[object, asyncio.Task[Sequence[object]]] = OrderedDict()

    def announce(self) -> None:
        """Wake every follower: the source answers from a newer snapshot."""
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def follow(self, since: ObjectId | None) -> AsyncIterator[Step]:
        """Every step from now on, or first the one from an earlier snapshot to the newest.

        Raises:
            UnknownSnapshotError, BadDigestError, AmbiguousRefError: `since` names no snapshot.
        """
        position = self._source.current()
        if since is not None:
            position = await asyncio.to_thread(self._source.at, since)
        while True:
            # Taken first: what is announced while we look is not missed.
            moved = self._moved
            newest = self._source.current()
            if newest.snapshot == position.snapshot:
                await moved.wait()
                continue
            yield Step(position, newest)
            position = newest

    async def find_publications(self, step: Step) -> Sequence[PublicationFact]:
        """Publications that a step brought, in order."""
        return await self._find(step, find_new_publications)

    async def find_record_events(self, step: Step) -> Sequence[RecordEventFact]:
        """Record events that a step brought, in the order in which they happened."""
        return await self._find(step, find_new_record_events)

    async def _find(
        self, step: Step, find: Callable[[Catalog, Catalog], Sequence[T]]
    ) -> Sequence[T]:
        key = (find, step.before.snapshot, step.after.snapshot)
        task = self._found.get(key)
        if task is None or task.cancelled() or (task.done() and task.exception() is not None):
            # A task of its own: whoever asked first may leave while others wait.
            task = asyncio.create_task(asyncio.to_thread(find, step.before, step.after))
            self._found[key] = task
            while len(self._found) > _MAX_STEPS:
                self._found.popitem(last=False)
        return cast("Sequence[T]", await asyncio.shield(task))
