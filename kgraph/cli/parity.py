"""Whether the record history that our policy derives is the one that a source publishes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kgraph.facts import PageRequest
from kgraph.index import MAX_PAGE
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgraph.catalog import Catalog
    from kgraph.digest import SpecDigest
    from kgraph.importers import ImportBatch
    from kgraph.vocab import CohortKey

_KEYS_A_QUESTION = 500

_Event = tuple["SpecDigest | None", "SpecDigest | None"]
"""Run and previous run of one event; its cohort and its place are where it stands."""


@dataclass(frozen=True, slots=True)
class HistoryDifference:
    """A cohort whose derived history is another than the published one."""

    cohort: CohortKey
    published: int
    """Number of published events."""
    derived: int


@dataclass(frozen=True, slots=True)
class HistoryComparison:
    """How the derived record history relates to the published one."""

    published: int
    """Events that the source publishes."""
    derived: int
    """Events of ours in the cohorts of its runs."""
    matched: int
    """Events that are the same in cohort, place, run and previous run."""
    differences: tuple[HistoryDifference, ...]
    """By cohort key."""


def compare_histories(batch: ImportBatch, catalog: Catalog) -> HistoryComparison:
    """The published record history beside ours, over the cohorts of everything in the batch.

    A cohort for which the source publishes no event and we derive one is a difference too.
    """
    theirs = {
        key: [(event.run, event.previous_run) for event in sorted(events, key=lambda one: one.at)]
        for key, events in groupby(
            sorted(batch.published_records, key=lambda one: one.cohort), key=lambda one: one.cohort
        )
    }
    runs = [one.digest for one in batch.manifests if one.kind is Kind.BENCHMARK_RUN]
    cohorts = sorted({*theirs, *_find_cohorts(catalog, runs)})
    published = derived = matched = 0
    differences: list[HistoryDifference] = []
    for cohort, ours in _load_events(catalog, cohorts):
        expected = theirs.get(cohort, [])
        published += len(expected)
        derived += len(ours)
        matched += sum(a == b for a, b in zip(ours, expected, strict=False))
        if ours != expected:
            differences.append(HistoryDifference(cohort, len(expected), len(ours)))
    return HistoryComparison(published, derived, matched, tuple(differences))


def _find_cohorts(catalog: Catalog, runs: Sequence[SpecDigest]) -> Iterator[CohortKey]:
    for start in range(0, len(runs), _KEYS_A_QUESTION):
        for judged in catalog.load_runs(runs[start : start + _KEYS_A_QUESTION]).values():
            yield judged.run.cohort


def _load_events(
    catalog: Catalog, cohorts: Sequence[CohortKey]
) -> Iterator[tuple[CohortKey, list[_Event]]]:
    """The whole history of each cohort, in the order of the cohorts."""
    for start in range(0, len(cohorts), _KEYS_A_QUESTION):
        some = cohorts[start : start + _KEYS_A_QUESTION]
        pages = catalog.load_histories(some, PageRequest(first=MAX_PAGE))
        for cohort in some:
            page = pages[cohort]
            events: list[_Event] = [(event.run, event.previous_run) for event in page.items]
            while page.has_next:
                request = PageRequest(first=MAX_PAGE, after=page.cursors[-1])
                page = catalog.load_histories([cohort], request)[cohort]
                events += [(event.run, event.previous_run) for event in page.items]
            yield cohort, events
