"""What one snapshot holds that an earlier one did not: publications, and changes of records."""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING

from kgraph.facts import AllOf, Condition, Order, PageRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from kgraph.catalog.catalog import Catalog
    from kgraph.digest import SpecDigest
    from kgraph.facts import Filter, PublicationFact, RecordEventFact
    from kgraph.vocab import CohortKey, RecordCause

_PAGE = 200
# Cohorts that are named in one question; with some hundred it is still planned at once.
_COHORTS = 100

_Change = tuple["datetime", "RecordCause", "SpecDigest | None"]


def find_new_publications(before: Catalog, after: Catalog) -> tuple[PublicationFact, ...]:
    """Publications of `after` behind the last one of `before`, in order."""
    head = before.head
    where = Condition("sequence", "gt", 0 if head is None else head.sequence)
    found: list[PublicationFact] = []
    cursor: str | None = None
    while True:
        page = after.page_publications(
            where, (Order("sequence"),), PageRequest(first=_PAGE, after=cursor)
        )
        found += page.items
        if not page.has_next:
            return tuple(found)
        cursor = page.cursors[-1]


def find_new_record_events(before: Catalog, after: Catalog) -> tuple[RecordEventFact, ...]:
    """Record events of `after` that `before` does not have, in the order in which they happened.

    An event is the same where cohort, instant, cause and the run that then holds the record are.
    Its number and the record before it may differ: a run that was observed earlier and published
    later comes in between.
    """
    earlier = _Histories(before)
    found = [
        event
        for key, events in groupby(_iter_events(after), key=lambda event: event.cohort)
        for known in [earlier.changes_of(key)]
        for event in events
        if _name(event) not in known
    ]
    return tuple(sorted(found, key=lambda event: (event.at, event.cohort, event.ordinal)))


def select_record_events(
    catalog: Catalog, events: Sequence[RecordEventFact], where: Filter | None
) -> tuple[RecordEventFact, ...]:
    """Those of a snapshot's record events that meet `where`, in the order given."""
    if where is None or not events:
        return tuple(events)
    keys = sorted({event.cohort for event in events})
    met: set[tuple[CohortKey, int]] = set()
    for start in range(0, len(keys), _COHORTS):
        asked = AllOf((Condition("cohort", "in", tuple(keys[start : start + _COHORTS])), where))
        cursor: str | None = None
        while True:
            page = catalog.page_record_events(asked, (), PageRequest(first=_PAGE, after=cursor))
            met.update((event.cohort, event.ordinal) for event in page.items)
            if not page.has_next:
                break
            cursor = page.cursors[-1]
    return tuple(event for event in events if (event.cohort, event.ordinal) in met)


def _iter_events(catalog: Catalog) -> Iterator[RecordEventFact]:
    return chain.from_iterable(catalog.walk().iter_record_events())


def _name(event: RecordEventFact) -> _Change:
    return event.at, event.cause, event.run


class _Histories:
    """The histories of a snapshot's cohorts, read alongside another's, which is in the same order.

    Only one history is held at a time, whatever the length of both.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._groups = groupby(_iter_events(catalog), key=lambda event: event.cohort)
        self._key: CohortKey | None = None
        self._changes: frozenset[_Change] = frozenset()
        self._advance()

    def changes_of(self, key: CohortKey) -> frozenset[_Change]:
        """The events of a cohort; keys are asked for in ascending order."""
        while self._key is not None and self._key < key:
            self._advance()
        return self._changes if self._key == key else frozenset()

    def _advance(self) -> None:
        self._key, self._changes = None, frozenset()
        for key, events in self._groups:
            self._key, self._changes = key, frozenset(map(_name, events))
            return
