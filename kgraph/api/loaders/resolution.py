"""Answers to requests for a workload."""

from __future__ import annotations

from functools import cached_property

from kgraph.api.batch import BatchLoader
from kgraph.api.loaders.operation import OperationLoaders
from kgraph.api.scalars import BigInt
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.operation import Operation
from kgraph.api.types.resolution import (
    Bracket,
    BracketEnd,
    Difference,
    NearMatch,
    Resolution,
    Unresolved,
)
from kgraph.catalog import BracketRun, BracketRuns, NearRun, ResolveRequest
from kgraph.catalog import Resolution as ResolutionFact


class ResolutionLoaders(OperationLoaders):
    """Relations from requests to their answers."""

    @cached_property
    def resolutions(self) -> BatchLoader[ResolveRequest, Resolution]:
        """Answers to requests for a workload."""

        async def answer(requests: list[ResolveRequest]) -> list[Resolution]:
            found = await self._worker.run(lambda: self._catalog.resolve_many(requests))
            return [self.make_resolution(resolution) for resolution in found]

        return BatchLoader(answer)

    def make_resolution(self, fact: ResolutionFact) -> Resolution:
        """The answer as the API shows it."""
        return Resolution(
            match=fact.match,
            policy=fact.policy,
            operation=None if fact.operation is None else Operation.from_fact(fact.operation),
            cohort=None if fact.cohort is None else Cohort.from_fact(fact.cohort),
            other_cohorts=[Cohort.from_fact(cohort) for cohort in fact.other_cohorts],
            best=None if fact.best is None else self.require_ranked(fact.best),
            best_deployable=None
            if fact.best_deployable is None
            else self.require_ranked(fact.best_deployable),
            alternatives=[self.require_ranked(judged) for judged in fact.alternatives],
            near_matches=[self._make_near(near) for near in fact.near],
            bracket=None if fact.bracket is None else self._make_bracket(fact.bracket),
            unresolved=[
                Unresolved(field=item.field, message=item.message) for item in fact.unresolved
            ],
        )

    def _make_near(self, near: NearRun) -> NearMatch:
        return NearMatch(
            run=self.make_run(near.run),
            compatible=near.is_compatible,
            differences=[
                Difference(field=item.field, requested=item.requested, observed=item.observed)
                for item in near.differences
            ],
        )

    def _make_bracket(self, bracket: BracketRuns) -> Bracket:
        return Bracket(
            axis=bracket.axis,
            requested=BigInt(bracket.requested),
            below=self._make_end(bracket.below),
            above=self._make_end(bracket.above),
        )

    def _make_end(self, end: BracketRun | None) -> BracketEnd | None:
        if end is None:
            return None
        entry = self.require_ranked(end.run)
        return BracketEnd(value=BigInt(end.value), display=entry.display, entry=entry)
