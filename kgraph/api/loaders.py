"""Batch loaders: one for each relation, new for each request, one question for all keys at once.

A loader answers API types, so that resolvers need not know how they are made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from strawberry.dataloader import DataLoader

from kgraph.api.connection import Connection, build_connection, naming_cursor, slice_sequence
from kgraph.api.scalars import BigInt
from kgraph.api.types.catalog import Counts
from kgraph.api.types.cohort import Cohort, RankedRun, RankedRunConnection
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.family import Family
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.implementation import Implementation, ImplementationConnection
from kgraph.api.types.operation import Fastest, LanguageEntry, Operation, OperationConnection, Sweep
from kgraph.api.types.record import RecordEvent, RecordEventConnection
from kgraph.api.types.resolution import (
    Bracket,
    BracketEnd,
    Difference,
    NearMatch,
    Resolution,
    Unresolved,
)
from kgraph.api.types.run import Run
from kgraph.api.types.run_part import Attestation, AttestationConnection
from kgraph.api.types.serving import ServingRun
from kgraph.api.types.source import Source
from kgraph.api.types.stored import Publication, Reference, StoredObject
from kgraph.api.types.workload import Challenge, Workload, WorkloadConnection
from kgraph.api.worker import Worker
from kgraph.catalog import BracketRun, BracketRuns, Catalog, NearRun, ResolveRequest
from kgraph.catalog import Fastest as FastestFact
from kgraph.catalog import Resolution as ResolutionFact
from kgraph.digest import ObjectId, SpecDigest
from kgraph.errors import KgraphError
from kgraph.facts import Condition, Filter, JudgedRun, Page, PageRequest, SourceFact
from kgraph.policy import is_stale
from kgraph.vocab import CohortKey, HeadroomPolicy, Slug

K = TypeVar("K", bound=Hashable)
F = TypeVar("F")
T = TypeVar("T")
C = TypeVar("C", bound=Connection[Any])


class Loaders:
    """Every relation of one request; a relation that is never asked for costs nothing."""

    def __init__(self, catalog: Catalog, worker: Worker, now: datetime) -> None:
        self._catalog, self._worker, self._now = catalog, worker, now

    # --- by key

    @cached_property
    def operations(self) -> DataLoader[SpecDigest, Operation | None]:
        """Operations by spec digest."""
        return self._by_key(self._catalog.load_operations, Operation.from_fact)

    @cached_property
    def families(self) -> DataLoader[Slug, Family | None]:
        """Families by slug."""
        return self._by_key(self._catalog.load_families, Family.from_fact)

    @cached_property
    def workloads(self) -> DataLoader[SpecDigest, Workload | None]:
        """Workloads by spec digest."""
        return self._by_key(self._catalog.load_workloads, Workload.from_fact)

    @cached_property
    def implementations(self) -> DataLoader[SpecDigest, Implementation | None]:
        """Implementations by spec digest."""
        return self._by_key(self._catalog.load_implementations, Implementation.from_fact)

    @cached_property
    def protocols(self) -> DataLoader[SpecDigest, Protocol | None]:
        """Protocols by spec digest."""
        return self._by_key(self._catalog.load_protocols, Protocol.from_fact)

    @cached_property
    def environments(self) -> DataLoader[SpecDigest, Environment | None]:
        """Environments by spec digest."""
        return self._by_key(self._catalog.load_environments, Environment.from_fact)

    @cached_property
    def sources(self) -> DataLoader[Slug, Source | None]:
        """Sources by slug."""
        return self._by_key(self._catalog.load_sources, Source.from_fact)

    @cached_property
    def runs(self) -> DataLoader[SpecDigest, Run | None]:
        """Runs by spec digest."""
        return self._by_key(self._catalog.load_runs, self.make_run)

    @cached_property
    def cohorts(self) -> DataLoader[CohortKey, Cohort | None]:
        """Cohorts by key."""
        return self._by_key(self._catalog.load_cohorts, Cohort.from_fact)

    @cached_property
    def serving_runs(self) -> DataLoader[SpecDigest, ServingRun | None]:
        """Serving runs by spec digest."""
        return self._by_key(self._catalog.load_serving_runs, ServingRun.from_fact)

    @cached_property
    def objects(self) -> DataLoader[SpecDigest, StoredObject | None]:
        """The object now shown for each spec digest."""
        return self._by_key(self._catalog.load_objects, StoredObject.from_fact)

    @cached_property
    def publications(self) -> DataLoader[int, Publication | None]:
        """Publications by number."""
        return self._by_key(self._catalog.load_publications, Publication.from_fact)

    @cached_property
    def manifests(self) -> DataLoader[ObjectId, dict[str, Any] | None]:
        """Manifests by object id, verified against it."""
        return self._by_key(self._catalog.load_manifests, _same)

    @cached_property
    def references(self) -> DataLoader[SpecDigest, list[Reference] | None]:
        """What each manifest cites."""
        return self._by_key(
            self._catalog.load_references,
            lambda digests: [Reference(digest=digest) for digest in digests],
        )

    # --- by owner

    @cached_property
    def cohorts_of_workload(self) -> DataLoader[SpecDigest, list[Cohort] | None]:
        """Cohorts by the workload they measure."""
        return self._by_key(
            self._catalog.load_cohorts_of_workloads,
            lambda facts: [Cohort.from_fact(fact) for fact in facts],
        )

    @cached_property
    def challenges(self) -> DataLoader[SpecDigest, list[Challenge] | None]:
        """Hardware that a workload is not measured on."""
        return self._by_key(
            self._catalog.load_challenges,
            lambda facts: [Challenge.from_fact(fact) for fact in facts],
        )

    @cached_property
    def leaders(self) -> DataLoader[CohortKey, JudgedRun | None]:
        """The run that holds each cohort's standing record."""
        return self._by_key(self._catalog.load_leaders, _same)

    @cached_property
    def fastest(self) -> DataLoader[SpecDigest, Fastest | None]:
        """Who is fastest, by operation."""
        return self._by_key(self._catalog.load_fastest, self._make_fastest)

    @cached_property
    def sweeps(self) -> DataLoader[SpecDigest, list[Sweep] | None]:
        """Scaling along an axis, by operation."""
        return self._by_key(
            self._catalog.load_sweeps, lambda facts: [Sweep.from_fact(fact) for fact in facts]
        )

    @cached_property
    def sources_of_operation(self) -> DataLoader[SpecDigest, list[Source] | None]:
        """Sources by the operation they measured; their last observation is of that operation."""
        return self._by_key(self._catalog.load_sources_of_operations, _make_sources)

    @cached_property
    def headrooms(self) -> DataLoader[tuple[CohortKey, HeadroomPolicy], Headroom | None]:
        """Floors by cohort and version of the estimate."""
        return self._by_owner(self._catalog.load_headrooms, Headroom.from_fact)

    @cached_property
    def rankings(self) -> DataLoader[tuple[CohortKey, PageRequest], RankedRunConnection | None]:
        """A page of each cohort's ranking."""
        return self._by_owner(
            self._catalog.load_rankings,
            lambda page: build_connection(RankedRunConnection, page, self.require_ranked),
        )

    @cached_property
    def histories(self) -> DataLoader[tuple[CohortKey, PageRequest], RecordEventConnection | None]:
        """A page of each cohort's record events."""

        def load(
            keys: Iterable[CohortKey], page: PageRequest
        ) -> Mapping[CohortKey, tuple[CohortKey, Page[Any]]]:
            found = self._catalog.load_histories(keys, page)
            return {key: (key, events) for key, events in found.items()}

        return self._by_owner(
            load,
            lambda owned: build_connection(
                RecordEventConnection,
                owned[1],
                RecordEvent.from_fact,
                {"where": Condition("cohort", "eq", owned[0])},
            ),
        )

    @cached_property
    def attestations(
        self,
    ) -> DataLoader[tuple[SpecDigest, PageRequest], AttestationConnection | None]:
        """A page of what third parties state about each run."""

        def load(keys: Iterable[SpecDigest], page: PageRequest) -> Mapping[SpecDigest, Page[Any]]:
            wanted = list(keys)
            found = self._catalog.load_attestations(wanted)
            return {key: slice_sequence(found.get(key, ()), page) for key in wanted}

        return self._by_owner(
            load, lambda page: build_connection(AttestationConnection, page, Attestation.from_fact)
        )

    @cached_property
    def workloads_of_operation(
        self,
    ) -> DataLoader[tuple[SpecDigest, PageRequest], WorkloadConnection | None]:
        """A page of each operation's workloads."""
        return self._owned_pages(
            self._catalog.load_workload_pages, "operation", WorkloadConnection, Workload.from_fact
        )

    @cached_property
    def implementations_of_operation(
        self,
    ) -> DataLoader[tuple[SpecDigest, PageRequest], ImplementationConnection | None]:
        """A page of each operation's implementations."""
        return self._owned_pages(
            self._catalog.load_implementation_pages,
            "operation",
            ImplementationConnection,
            Implementation.from_fact,
        )

    @cached_property
    def operations_of_family(
        self,
    ) -> DataLoader[tuple[Slug, PageRequest], OperationConnection | None]:
        """A page of each family's operations."""
        return self._owned_pages(
            self._catalog.load_operation_pages, "family", OperationConnection, Operation.from_fact
        )

    # --- what several relations make

    def make_run(self, fact: JudgedRun) -> Run:
        """The run as the API shows it at this request's moment."""
        return Run.from_fact(fact, stale=is_stale(fact.run.observed_at, self._now))

    def make_ranked(self, fact: JudgedRun) -> RankedRun | None:
        """The run where it stands; None where it is not eligible."""
        return RankedRun.from_fact(fact, stale=is_stale(fact.run.observed_at, self._now))

    def require_ranked(self, fact: JudgedRun) -> RankedRun:
        """The run where it stands, of a list that holds eligible runs only."""
        ranked = self.make_ranked(fact)
        if ranked is None:
            message = f"run {fact.run.digest} is ranked and not eligible"
            raise ValueError(message)
        return ranked

    @cached_property
    def resolutions(self) -> DataLoader[ResolveRequest, Resolution]:
        """Answers to requests for a workload."""

        async def answer(requests: list[ResolveRequest]) -> list[Resolution]:
            found = await self._worker.run(lambda: self._catalog.resolve_many(requests))
            return [self._make_resolution(resolution) for resolution in found]

        return DataLoader(load_fn=answer)

    async def load_counts(self) -> Counts:
        """How much the snapshot holds."""
        return Counts.from_fact(await self._worker.run(self._catalog.counts))

    def _make_fastest(self, fact: FastestFact) -> Fastest:
        return Fastest(
            cohort=Cohort.from_fact(fact.cohort),
            reported=self.require_ranked(fact.reported),
            deployable=None if fact.deployable is None else self.require_ranked(fact.deployable),
            by_language=[
                LanguageEntry(
                    language=entry.language,
                    entry=self.require_ranked(entry.entry),
                    ratio_to_fastest=entry.ratio_to_fastest,
                )
                for entry in fact.by_language
            ],
        )

    def _make_resolution(self, fact: ResolutionFact) -> Resolution:
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

    def _by_key(
        self, load: Callable[[Iterable[K]], Mapping[K, F]], build: Callable[[F], T]
    ) -> DataLoader[K, T | None]:
        async def answer(keys: list[K]) -> list[T | None]:
            found = await self._worker.run(lambda: load(keys))
            return [build(found[key]) if key in found else None for key in keys]

        return DataLoader(load_fn=answer)

    def _by_owner(
        self, load: Callable[[Iterable[K], Any], Mapping[K, F]], build: Callable[[F], T]
    ) -> DataLoader[Any, T | None]:
        """Like `_by_key` for keys with one more part: one question for each value of that part."""

        async def answer(keys: list[tuple[K, Hashable]]) -> list[T | KgraphError | None]:
            groups: defaultdict[Hashable, list[K]] = defaultdict(list)
            for owner, part in keys:
                groups[part].append(owner)
            found: dict[Hashable, Mapping[K, F] | KgraphError] = {}
            for part, owners in groups.items():
                found[part] = await self._ask_part(load, owners, part)
            answers: list[T | KgraphError | None] = []
            for owner, part in keys:
                held = found[part]
                if isinstance(held, KgraphError):
                    answers.append(held)
                else:
                    answers.append(build(held[owner]) if owner in held else None)
            return answers

        return DataLoader(load_fn=answer)

    async def _ask_part(
        self, load: Callable[[Iterable[K], Any], Mapping[K, F]], owners: list[K], part: Hashable
    ) -> Mapping[K, F] | KgraphError:
        """What is found for one part; a refusal of it leaves the other parts alone."""
        try:
            if not isinstance(part, PageRequest):
                return await self._worker.run(lambda: load(owners, part))
            with naming_cursor(part):
                return await self._worker.run(lambda: load(owners, part))
        except KgraphError as error:
            return error

    def _owned_pages(
        self,
        load: Callable[[Iterable[Any], PageRequest], Mapping[Any, Page[F]]],
        field: str,
        kind: type[C],
        build: Callable[[F], object],
    ) -> DataLoader[Any, C | None]:
        """A page of a list for each owner, whose name stands in `field` of the list."""

        def load_named(
            keys: Iterable[str], page: PageRequest
        ) -> Mapping[str, tuple[Filter, Page[F]]]:
            found = load(keys, page)
            return {key: (Condition(field, "eq", key), items) for key, items in found.items()}

        return self._by_owner(
            load_named,
            lambda owned: build_connection(kind, owned[1], build, {"where": owned[0]}),
        )


def _same(value: T) -> T:
    return value


def _make_sources(facts: tuple[tuple[SourceFact, datetime], ...]) -> list[Source]:
    sources = []
    for fact, last_observed_at in facts:
        source = Source.from_fact(fact)
        source.last_observed_at = last_observed_at
        sources.append(source)
    return sources
