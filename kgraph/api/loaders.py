"""Batch loaders: one for each relation, new for each request, one question for all keys at once.

A loader answers API types, so that resolvers need not know how they are made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import Connection, build_connection, naming_cursor, same, slice_sequence
from kgraph.api.scalars import BigInt
from kgraph.api.types.catalog import Counts
from kgraph.api.types.cohort import Cohort, RankedRun, RankedRunConnection
from kgraph.api.types.coverage import (
    CoverageCell,
    CoverageColumn,
    CoverageConnection,
    CoverageRow,
)
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.family import Family
from kgraph.api.types.hardware import FloorRow, FloorRowConnection, FloorSummary
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.implementation import Implementation, ImplementationConnection
from kgraph.api.types.operation import Fastest, LanguageEntry, Operation, OperationConnection, Sweep
from kgraph.api.types.project import Project, ProjectCounts, ProjectHoldings
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
from kgraph.api.types.standing import ImplementationStanding
from kgraph.api.types.stored import Publication, Reference, StoredObject
from kgraph.api.types.strict import StrictEntry, StrictRankingConnection
from kgraph.api.types.workload import Challenge, Workload, WorkloadConnection
from kgraph.api.worker import Worker
from kgraph.catalog import (
    BracketRun,
    BracketRuns,
    Catalog,
    Coverage,
    CoverageOwner,
    HardwareComparison,
    NearRun,
    ProjectPage,
    ResolveRequest,
)
from kgraph.catalog import Fastest as FastestFact
from kgraph.catalog import Resolution as ResolutionFact
from kgraph.digest import ObjectId, SpecDigest
from kgraph.errors import KgraphError
from kgraph.facts import (
    CohortFact,
    Condition,
    Filter,
    JudgedRun,
    Page,
    PageRequest,
    SourceFact,
)
from kgraph.policy import RANKING_V2_VERSION, is_stale
from kgraph.vocab import CohortKey, HeadroomPolicy, Slug

K = TypeVar("K", bound=Hashable)
F = TypeVar("F")
T = TypeVar("T")
C = TypeVar("C", bound=Connection[Any])

_RUN, _RANKED = "run", "ranked run"
"""Relations in the memory of what is made of facts, of things that also depend on the moment."""


class Loaders:
    """Every relation of one request; a relation that is never asked for costs nothing."""

    def __init__(self, catalog: Catalog, worker: Worker, now: datetime) -> None:
        self._catalog, self._worker, self._now = catalog, worker, now

    # --- by key

    @cached_property
    def operations(self) -> BatchLoader[SpecDigest, Operation | None]:
        """Operations by spec digest."""
        return self._kept("operation", self._catalog.load_operations, Operation.from_fact)

    @cached_property
    def families(self) -> BatchLoader[Slug, Family | None]:
        """Families by slug."""
        return self._kept("family", self._catalog.load_families, Family.from_fact)

    @cached_property
    def workloads(self) -> BatchLoader[SpecDigest, Workload | None]:
        """Workloads by spec digest."""
        return self._kept("workload", self._catalog.load_workloads, Workload.from_fact)

    @cached_property
    def implementations(self) -> BatchLoader[SpecDigest, Implementation | None]:
        """Implementations by spec digest."""
        return self._kept(
            "implementation", self._catalog.load_implementations, Implementation.from_fact
        )

    @cached_property
    def protocols(self) -> BatchLoader[SpecDigest, Protocol | None]:
        """Protocols by spec digest."""
        return self._kept("protocol", self._catalog.load_protocols, Protocol.from_fact)

    @cached_property
    def environments(self) -> BatchLoader[SpecDigest, Environment | None]:
        """Environments by spec digest."""
        return self._kept("environment", self._catalog.load_environments, Environment.from_fact)

    @cached_property
    def sources(self) -> BatchLoader[Slug, Source | None]:
        """Sources by slug."""
        return self._kept("source", self._catalog.load_sources, Source.from_fact)

    @cached_property
    def runs(self) -> BatchLoader[SpecDigest, Run | None]:
        """Runs by spec digest."""

        async def find(digests: list[SpecDigest]) -> list[Run | None]:
            found = await self._worker.run(lambda: self._catalog.load_runs(digests))
            return [self.make_run(found[key]) if key in found else None for key in digests]

        def peek(digests: list[SpecDigest]) -> dict[SpecDigest, Run | None]:
            found, _ = self._catalog.derived.peek(_RUN, digests)
            # One that was made at another moment may have become stale since.
            return {
                digest: run
                for digest, run in found.items()
                if run is None or run.stale == is_stale(run.observed_at, self._now)
            }

        return BatchLoader(find, peek)

    @cached_property
    def cohorts(self) -> BatchLoader[CohortKey, Cohort | None]:
        """Cohorts by key."""
        return self._kept("cohort", self._catalog.load_cohorts, Cohort.from_fact)

    @cached_property
    def serving_runs(self) -> BatchLoader[SpecDigest, ServingRun | None]:
        """Serving runs by spec digest."""
        return self._kept("serving run", self._catalog.load_serving_runs, ServingRun.from_fact)

    @cached_property
    def objects(self) -> BatchLoader[SpecDigest, StoredObject | None]:
        """The object now shown for each spec digest."""
        return self._kept("object", self._catalog.load_objects, StoredObject.from_fact)

    @cached_property
    def publications(self) -> BatchLoader[int, Publication | None]:
        """Publications by number."""
        return self._kept("publication", self._catalog.load_publications, Publication.from_fact)

    @cached_property
    def manifests(self) -> BatchLoader[ObjectId, dict[str, Any] | None]:
        """Manifests by object id, verified against it."""
        return self._by_key(self._catalog.load_manifests, same)

    @cached_property
    def references(self) -> BatchLoader[SpecDigest, list[Reference] | None]:
        """What each manifest cites."""
        return self._by_key(
            self._catalog.load_references,
            lambda digests: [Reference(digest=digest) for digest in digests],
        )

    @cached_property
    def projects(self) -> BatchLoader[Slug, Project | None]:
        """Projects by slug."""
        return self._by_key(
            self._catalog.load_projects, lambda fact: Project.from_fact(fact.project)
        )

    @cached_property
    def project_counts(self) -> BatchLoader[Slug, ProjectCounts | None]:
        """How much of each project the catalogue holds."""
        return self._by_key(self._catalog.load_projects, ProjectCounts.from_fact)

    @cached_property
    def project_holdings(self) -> BatchLoader[Slug, ProjectHoldings | None]:
        """What the catalogue holds of each project; six statements for each, kept once asked."""

        def load(slugs: Iterable[Slug]) -> Mapping[Slug, ProjectPage]:
            pages = {slug: self._catalog.find_project_page(slug) for slug in slugs}
            return {slug: page for slug, page in pages.items() if page is not None}

        return self._kept("project holdings", load, ProjectHoldings.from_fact)

    # --- by owner

    @cached_property
    def standings(self) -> BatchLoader[SpecDigest, ImplementationStanding | None]:
        """How each implementation stands over all its cohorts."""
        return self._by_key(self._catalog.load_standings, ImplementationStanding.from_fact)

    @cached_property
    def cohorts_of_workload(self) -> BatchLoader[SpecDigest, list[Cohort] | None]:
        """Cohorts by the workload they measure."""
        return self._by_key(
            self._catalog.load_cohorts_of_workloads,
            lambda facts: [self.make_cohort(fact) for fact in facts],
        )

    @cached_property
    def challenges(self) -> BatchLoader[SpecDigest, list[Challenge] | None]:
        """Hardware that a workload is not measured on."""
        return self._by_key(
            self._catalog.load_challenges,
            lambda facts: [Challenge.from_fact(fact) for fact in facts],
        )

    @cached_property
    def leaders(self) -> BatchLoader[CohortKey, JudgedRun | None]:
        """The run that holds each cohort's standing record."""
        return self._by_key(self._catalog.load_leaders, same)

    @cached_property
    def fastest(self) -> BatchLoader[SpecDigest, Fastest | None]:
        """Who is fastest, by operation."""
        return self._by_key(self._catalog.load_fastest, self._make_fastest)

    @cached_property
    def sweeps(self) -> BatchLoader[SpecDigest, list[Sweep] | None]:
        """Scaling along an axis, by operation."""
        return self._by_key(
            self._catalog.load_sweeps, lambda facts: [Sweep.from_fact(fact) for fact in facts]
        )

    @cached_property
    def sources_of_operation(self) -> BatchLoader[SpecDigest, list[Source] | None]:
        """Sources by the operation they measured; their last observation is of that operation."""
        return self._by_key(self._catalog.load_sources_of_operations, _make_sources)

    @cached_property
    def headrooms(self) -> BatchLoader[tuple[CohortKey, HeadroomPolicy], Headroom | None]:
        """Floors by cohort and version of the estimate."""
        return self._by_owner(self._catalog.load_headrooms, Headroom.from_fact)

    @cached_property
    def rankings(self) -> BatchLoader[tuple[CohortKey, PageRequest], RankedRunConnection | None]:
        """A page of each cohort's ranking."""
        return self._by_owner(
            self._catalog.load_rankings,
            lambda page: build_connection(RankedRunConnection, page, self.require_ranked),
        )

    @cached_property
    def strict_rankings(
        self,
    ) -> BatchLoader[tuple[CohortKey, PageRequest], StrictRankingConnection | None]:
        """A page of each cohort ranked by its samples and intervals."""

        def load(
            keys: Iterable[CohortKey], page: PageRequest
        ) -> Mapping[CohortKey, tuple[str, Page[Any]]]:
            wanted = list(keys)
            found = self._catalog.load_strict_rankings(wanted)
            # A cohort without an eligible run has an empty ranking.
            entries = {key: found[key].entries if key in found else () for key in wanted}
            return {
                key: (RANKING_V2_VERSION, slice_sequence(ranked, page))
                for key, ranked in entries.items()
            }

        return self._by_owner(
            load,
            lambda ranked: build_connection(
                StrictRankingConnection, ranked[1], StrictEntry.from_fact, {"policy": ranked[0]}
            ),
        )

    @cached_property
    def coverage_of_operation(
        self,
    ) -> BatchLoader[tuple[SpecDigest, PageRequest], CoverageConnection | None]:
        """A page of each operation's coverage; a fixed number of statements for each."""
        return self._coverage("operation")

    @cached_property
    def coverage_of_family(
        self,
    ) -> BatchLoader[tuple[Slug, PageRequest], CoverageConnection | None]:
        """A page of each family's coverage; a fixed number of statements for each."""
        return self._coverage("family")

    def _coverage(self, owner: CoverageOwner) -> BatchLoader[Any, CoverageConnection | None]:
        def load(keys: Iterable[str], page: PageRequest) -> Mapping[str, Coverage]:
            return {key: self._catalog.find_coverage(owner, key, page) for key in keys}

        return self._by_owner(load, self._make_coverage)

    def _make_coverage(self, fact: Coverage) -> CoverageConnection:
        return build_connection(
            CoverageConnection,
            fact.rows,
            lambda row: CoverageRow(
                cells=[
                    CoverageCell.from_fact(
                        cell, None if cell.best is None else self.require_ranked(cell.best)
                    )
                    for cell in row.cells
                ],
                workload_digest=row.workload.digest,
            ),
            {
                "columns": [CoverageColumn.from_fact(column) for column in fact.columns],
                "cell_count": fact.cell_count,
                "measured_count": fact.measured_count,
            },
        )

    @cached_property
    def floors_of_operation(
        self,
    ) -> BatchLoader[
        tuple[SpecDigest, tuple[HeadroomPolicy, PageRequest]], FloorRowConnection | None
    ]:
        """A page of each operation across devices; a fixed number of statements for each."""

        def load(
            keys: Iterable[SpecDigest], part: tuple[HeadroomPolicy, PageRequest]
        ) -> Mapping[SpecDigest, tuple[HardwareComparison, PageRequest]]:
            policy, page = part
            return {key: (self._catalog.compare_hardware(key, policy), page) for key in keys}

        return self._by_owner(
            load,
            lambda found: build_connection(
                FloorRowConnection,
                slice_sequence(found[0].rows, found[1]),
                FloorRow.from_fact,
                {
                    "policy": found[0].policy,
                    "products": [FloorSummary.from_fact(one) for one in found[0].products],
                },
            ),
        )

    @cached_property
    def histories(self) -> BatchLoader[tuple[CohortKey, PageRequest], RecordEventConnection | None]:
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
    ) -> BatchLoader[tuple[SpecDigest, PageRequest], AttestationConnection | None]:
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
    ) -> BatchLoader[tuple[SpecDigest, PageRequest], WorkloadConnection | None]:
        """A page of each operation's workloads."""
        return self._owned_pages(
            self._catalog.load_workload_pages, "operation", WorkloadConnection, Workload.from_fact
        )

    @cached_property
    def implementations_of_operation(
        self,
    ) -> BatchLoader[tuple[SpecDigest, PageRequest], ImplementationConnection | None]:
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
    ) -> BatchLoader[tuple[Slug, PageRequest], OperationConnection | None]:
        """A page of each family's operations."""
        return self._owned_pages(
            self._catalog.load_operation_pages, "family", OperationConnection, Operation.from_fact
        )

    # --- what several relations make

    def make_run(self, fact: JudgedRun) -> Run:
        """The run as the API shows it at this request's moment."""
        memory, digest = self._catalog.derived, fact.run.digest
        stale = is_stale(fact.run.observed_at, self._now)
        made = memory.remember(_RUN, digest, lambda: Run.from_fact(fact, stale=stale))
        if made.stale != stale:
            made = Run.from_fact(fact, stale=stale)
            memory.put(_RUN, digest, made)
        return made

    def make_ranked(self, fact: JudgedRun) -> RankedRun | None:
        """The run where it stands; None where it is not eligible."""
        memory, digest = self._catalog.derived, fact.run.digest
        stale = is_stale(fact.run.observed_at, self._now)
        made = memory.remember(_RANKED, digest, lambda: RankedRun.from_fact(fact, stale=stale))
        if made is not None and made.stale != stale:
            made = RankedRun.from_fact(fact, stale=stale)
            memory.put(_RANKED, digest, made)
        return made

    def make_cohort(self, fact: CohortFact) -> Cohort:
        """The cohort as the API shows it."""
        memory = self._catalog.derived
        return memory.remember("cohort", fact.key, lambda: Cohort.from_fact(fact))

    def require_ranked(self, fact: JudgedRun) -> RankedRun:
        """The run where it stands, of a list that holds eligible runs only."""
        ranked = self.make_ranked(fact)
        if ranked is None:
            message = f"run {fact.run.digest} is ranked and not eligible"
            raise ValueError(message)
        return ranked

    @cached_property
    def resolutions(self) -> BatchLoader[ResolveRequest, Resolution]:
        """Answers to requests for a workload."""

        async def answer(requests: list[ResolveRequest]) -> list[Resolution]:
            found = await self._worker.run(lambda: self._catalog.resolve_many(requests))
            return [self.make_resolution(resolution) for resolution in found]

        return BatchLoader(answer)

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

    def _kept(
        self,
        relation: str,
        load: Callable[[Iterable[K]], Mapping[K, F]],
        build: Callable[[F], T],
    ) -> BatchLoader[K, T | None]:
        """Like `_by_key` for what stays the same while the snapshot stands: made once for all."""
        memory = self._catalog.derived

        def make(keys: list[K]) -> dict[K, T]:
            return {key: build(fact) for key, fact in load(keys).items()}

        async def find(keys: list[K]) -> list[T | None]:
            found = await self._worker.run(lambda: memory.load(relation, keys, make))
            return [found.get(key) for key in keys]

        return BatchLoader(find, lambda keys: memory.peek(relation, keys)[0])

    def _by_key(
        self, load: Callable[[Iterable[K]], Mapping[K, F]], build: Callable[[F], T]
    ) -> BatchLoader[K, T | None]:
        async def answer(keys: list[K]) -> list[T | None]:
            found = await self._worker.run(lambda: load(keys))
            return [build(found[key]) if key in found else None for key in keys]

        return BatchLoader(answer)

    def _by_owner(
        self, load: Callable[[Iterable[K], Any], Mapping[K, F]], build: Callable[[F], T]
    ) -> BatchLoader[Any, T | None]:
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

        return BatchLoader(answer)

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
    ) -> BatchLoader[Any, C | None]:
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


def _make_sources(facts: tuple[tuple[SourceFact, datetime], ...]) -> list[Source]:
    sources = []
    for fact, last_observed_at in facts:
        source = Source.from_fact(fact)
        source.last_observed_at = last_observed_at
        sources.append(source)
    return sources
