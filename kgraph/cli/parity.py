"""Whether the record history that our policy derives is the one that a source publishes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kgraph.facts import PageRequest
from kgraph.importers import ParityCount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.catalog import Catalog
    from kgraph.importers import PublishedRecord
    from kgraph.vocab import CohortKey

RECORD_HISTORY = "record_events.history"
"""Name of the comparison in a report."""

_COHORTS_A_QUESTION = 500
_LONGEST_HISTORY = 200


@dataclass(frozen=True, slots=True)
class HistoryDifference:
    """A cohort whose derived history is another than the published one."""

    cohort: CohortKey
    published: int
    """Number of published events."""
    derived: int


def compare_histories(
    published: Sequence[PublishedRecord], catalog: Catalog
) -> tuple[ParityCount, tuple[HistoryDifference, ...]]:
    """Published events that our history has at the same place, and the cohorts that differ.

    An event matches where cohort, place in the history, run and previous run are the same.
    """
    by_cohort = {
        key: [(event.run, event.previous_run) for event in sorted(events, key=lambda one: one.at)]
        for key, events in groupby(
            sorted(published, key=lambda one: one.cohort), key=lambda one: one.cohort
        )
    }
    keys = list(by_cohort)
    matched, differences = 0, []
    for start in range(0, len(keys), _COHORTS_A_QUESTION):
        some = keys[start : start + _COHORTS_A_QUESTION]
        found = catalog.load_histories(some, PageRequest(first=_LONGEST_HISTORY))
        for key in some:
            page = found.get(key)
            ours = [(event.run, event.previous_run) for event in page.items] if page else []
            theirs = by_cohort[key]
            matched += sum(a == b for a, b in zip(ours, theirs, strict=False))
            if ours != theirs:
                differences.append(HistoryDifference(key, len(theirs), len(ours)))
    return ParityCount(RECORD_HISTORY, matched, len(published) - matched), tuple(differences)
