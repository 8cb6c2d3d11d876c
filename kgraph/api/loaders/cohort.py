"""Cohorts: their rankings, their history, their floors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import ListRequest, build_connection
from kgraph.api.loaders.run import RunLoaders
from kgraph.api.types.cohort import Cohort, RankedRunConnection
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.record import RecordEvent, RecordEventConnection
from kgraph.api.types.strict import StrictEntry, StrictRankingConnection
from kgraph.catalog import slice_sequence
from kgraph.digest import SpecDigest
from kgraph.facts import CohortFact, JudgedRun, Page
from kgraph.policy import RANKING_V2_VERSION
from kgraph.vocab import CohortKey, HeadroomPolicy


class CohortLoaders(RunLoaders):
    """Relations to cohorts, and from them."""

    @cached_property
    def cohorts(self) -> BatchLoader[CohortKey, Cohort | None]:
        """Cohorts by key."""
        return self._kept("cohort", self._catalog.load_cohorts, Cohort.from_fact)

    @cached_property
    def cohorts_of_workload(self) -> BatchLoader[SpecDigest, list[Cohort] | None]:
        """Cohorts by the workload they measure."""
        return self._by_key(
            self._catalog.load_cohorts_of_workloads,
            lambda facts: [self.make_cohort(fact) for fact in facts],
        )

    @cached_property
    def leaders(self) -> BatchLoader[CohortKey, JudgedRun | None]:
        """The run that holds each cohort's standing record."""
        return self._by_key(self._catalog.load_leaders, lambda leader: leader)

    @cached_property
    def headrooms(self) -> BatchLoader[tuple[CohortKey, HeadroomPolicy], Headroom | None]:
        """Floors by cohort and version of the estimate."""
        return self._by_owner(self._catalog.load_headrooms, Headroom.from_fact)

    @cached_property
    def rankings(self) -> BatchLoader[tuple[CohortKey, ListRequest], RankedRunConnection | None]:
        """A page of each cohort's ranking."""
        return self._by_owner(
            lambda keys, asked: self._catalog.load_rankings(keys, asked.page),
            lambda page: build_connection(RankedRunConnection, page, self.require_ranked),
        )

    @cached_property
    def strict_rankings(
        self,
    ) -> BatchLoader[tuple[CohortKey, ListRequest], StrictRankingConnection | None]:
        """A page of each cohort ranked by its samples and intervals."""

        def load(keys: Iterable[CohortKey], asked: ListRequest) -> Mapping[CohortKey, Page[Any]]:
            wanted = list(keys)
            found = self._catalog.load_strict_rankings(wanted)
            # A cohort without an eligible run has an empty ranking.
            return {
                key: slice_sequence(
                    found[key].entries if key in found else (),
                    asked.page,
                    (self._catalog.snapshot, RANKING_V2_VERSION, key),
                )
                for key in wanted
            }

        return self._by_owner(
            load,
            lambda page: build_connection(
                StrictRankingConnection,
                page,
                StrictEntry.from_fact,
                {"policy": RANKING_V2_VERSION},
            ),
        )

    @cached_property
    def histories(
        self,
    ) -> BatchLoader[tuple[CohortKey, ListRequest], RecordEventConnection | None]:
        """A page of each cohort's record events."""
        return self._owned_pages(
            self._catalog.load_histories, "cohort", RecordEventConnection, RecordEvent.from_fact
        )

    def make_cohort(self, fact: CohortFact) -> Cohort:
        """The cohort as the API shows it."""
        memory = self._catalog.derived
        return memory.remember("cohort", fact.key, lambda: Cohort.from_fact(fact))
