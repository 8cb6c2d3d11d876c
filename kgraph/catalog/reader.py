"""Facts and verdicts of one snapshot: by key, by owner, in lists."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import orjson

from kgraph.catalog.answers import (
    Challenge,
    Fastest,
    LanguageEntry,
    PolicyVersions,
    Record,
    Sweep,
    SweepChoice,
)
from kgraph.catalog.memory import FactMemory
from kgraph.catalog.resolve import Resolution, ResolveRequest, resolve_requests
from kgraph.catalog.sweep import find_sweeps
from kgraph.digest import BadDigestError, ObjectId, SpecDigest, parse_ref
from kgraph.facts import (
    AggregateFact,
    AttestationFact,
    CohortFact,
    CountsFact,
    EnvironmentFact,
    FacetCount,
    FamilyFact,
    Filter,
    HardwareFact,
    ImplementationFact,
    JudgedRun,
    MeasuredHardwareFact,
    ObjectFact,
    OperationFact,
    Order,
    Page,
    PageRequest,
    ProtocolFact,
    PublicationFact,
    RecordEventFact,
    ServingRunFact,
    SourceFact,
    WorkloadFact,
)
from kgraph.index import (
    AmbiguousNameError,
    AmbiguousRefError,
    Index,
    query_attestations,
    query_cohorts,
    query_cohorts_of,
    query_counts,
    query_current_objects,
    query_eligible_runs,
    query_environments,
    query_families,
    query_hardware,
    query_histories,
    query_implementations,
    query_implementations_of,
    query_key_page,
    query_measured_products,
    query_near_names,
    query_objects,
    query_operation_names,
    query_operations,
    query_operations_named,
    query_operations_of_families,
    query_owned_pages,
    query_page,
    query_protocols,
    query_publications,
    query_rankings,
    query_record_page,
    query_references,
    query_runs,
    query_serving_runs,
    query_sources,
    query_sources_of_operations,
    query_whole,
    query_workloads,
)
from kgraph.policy import (
    RANKING_VERSION,
    Deployability,
    Direction,
    Headroom,
    LicenseConclusion,
    conclude_license,
    estimate_headroom,
    find_direction,
    find_hardware,
    is_stale,
    judge_deployability,
)
from kgraph.vocab import CohortKey, HeadroomPolicy, Kind, Slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from kgraph.store import ReadStore

K = TypeVar("K", bound=str)
T = TypeVar("T")

DEPLOYABILITY_VERSION = "deployability-v1"
"""Name of the rules by which an implementation counts as usable today."""

# About 2 kB each.
_MAX_DERIVED = 20_000

_RUN_KINDS = (Kind.BENCHMARK_RUN,)


MAX_PRELOADED = 25_000
"""Facts read ahead at most: the younger half of the memory, with room for what is derived."""


class FactReader:
    """The facts of one snapshot and what policy says of them; safe to ask from any thread.

    Batch methods take many keys and answer a mapping, with at most a fixed number of SQL
    statements; a key
    that names nothing is absent from the mapping.
    """

    def __init__(self, index: Index, store: ReadStore, *, clock: Callable[[], datetime]) -> None:
        self._index, self._store, self._clock = index, store, clock
        self._memory = FactMemory()
        self.derived = FactMemory(_MAX_DERIVED)
        """What callers make of facts, kept as long as the snapshot is open."""
        self.snapshot: ObjectId = index.snapshot
        self.policies = PolicyVersions(
            RANKING_VERSION, tuple(policy.value for policy in HeadroomPolicy), DEPLOYABILITY_VERSION
        )

    # --- the catalogue as a whole

    @property
    def statement_count(self) -> int:
        """SQL statements run on this snapshot so far."""
        return self._index.statement_count

    def interrupter(self) -> Callable[[], None]:
        """A function, callable from any thread, that stops the calling thread's statement."""
        return self._index.interrupter()

    @property
    def head(self) -> PublicationFact | None:
        """The last publication of the snapshot; None where nothing was published yet."""
        sequence = self._index.sequence
        return self.load_publications([sequence]).get(sequence)

    def counts(self) -> CountsFact:
        """How much the snapshot holds."""
        return self._memory.load("counts", [0], lambda _: {0: query_counts(self._index)})[0]

    def preload(self) -> bool:
        """Read all facts that pages are made of, where they fit in memory together.

        Returns:
            Whether they do; a larger catalogue is read as it is asked.
        """
        counts = self.counts()
        facts = counts.runs + counts.implementations + counts.workloads + counts.operations
        if facts > MAX_PRELOADED:
            return False
        for relation in ("operation", "workload", "implementation", "run"):
            found = query_whole(self._index, relation)
            for key, fact in found.items():
                self._memory.put(relation, key, fact)
        return True

    def find_object(self, ref: str, kinds: tuple[Kind, ...] = ()) -> ObjectFact | None:
        """The object that a spec digest, an object id or a unique prefix of either names.

        Raises:
            BadDigestError: the text is no digest and no prefix of one.
            AmbiguousRefError: the prefix fits several manifests.
        """
        prefix = parse_ref(ref)
        found = query_objects(self._index, prefix, kinds)
        by_id = [item for item in found if item.object_id.partition(":")[2].startswith(prefix.hex)]
        digests = {item.digest for item in found}
        if len(digests) > 1:
            raise AmbiguousRefError(ref, sorted(digests))
        # An object id names exactly that object, even where a later one is shown in its place.
        return next(iter(by_id or found), None)

    def find_run(self, ref: str) -> JudgedRun | None:
        """The run that a digest, object id or unique prefix names; errors as `find_object`."""
        found = self.find_object(ref, _RUN_KINDS)
        return self.load_runs([found.digest]).get(found.digest) if found else None

    def find_operation(self, ref: str) -> OperationFact | None:
        """The operation of a slug, an alias, a digest or a unique prefix of one.

        A slug comes before the same text as an alias.

        Raises:
            AmbiguousNameError: several operations share the slug, or the alias.
            AmbiguousRefError: the prefix fits several operations.
        """
        names = query_operation_names(self._index, ref)
        if len(names) > 1:
            raise AmbiguousNameError(ref, names)
        if not names:
            try:
                found = self.find_object(ref, (Kind.OPERATION_SPEC,))
            except BadDigestError:
                return None
            names = [found.digest] if found else []
        return self.load_operations(names).get(names[0]) if names else None

    def suggest_slugs(self, text: str, *, limit: int = 3) -> tuple[str, ...]:
        """The operation slugs nearest to a misspelt one, nearest first."""
        return tuple(query_near_names(self._index, text[:200], limit=limit))

    # --- by key

    def load_operations(self, digests: Iterable[SpecDigest]) -> Mapping[SpecDigest, OperationFact]:
        """Operations by spec digest."""
        return self._memory.load("operation", digests, partial(query_operations, self._index))

    def load_families(self, slugs: Iterable[Slug]) -> Mapping[Slug, FamilyFact]:
        """Families by slug."""
        return self._memory.load("family", slugs, partial(query_families, self._index))

    def load_workloads(self, digests: Iterable[SpecDigest]) -> Mapping[SpecDigest, WorkloadFact]:
        """Workloads by spec digest."""
        return self._memory.load("workload", digests, partial(query_workloads, self._index))

    def load_implementations(
        self, digests: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, ImplementationFact]:
        """Implementations by spec digest."""
        return self._memory.load(
            "implementation", digests, partial(query_implementations, self._index)
        )

    def load_protocols(self, digests: Iterable[SpecDigest]) -> Mapping[SpecDigest, ProtocolFact]:
        """Protocols by spec digest."""
        return self._memory.load("protocol", digests, partial(query_protocols, self._index))

    def load_environments(
        self, digests: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, EnvironmentFact]:
        """Environments by spec digest."""
        return self._memory.load("environment", digests, partial(query_environments, self._index))

    def load_sources(self, slugs: Iterable[Slug]) -> Mapping[Slug, SourceFact]:
        """Sources by slug."""
        return self._memory.load("source", slugs, partial(query_sources, self._index))

    def load_runs(self, digests: Iterable[SpecDigest]) -> Mapping[SpecDigest, JudgedRun]:
        """Runs with verdict and standing, by spec digest."""
        return self._memory.load("run", digests, partial(query_runs, self._index))

    def load_cohorts(self, keys: Iterable[CohortKey]) -> Mapping[CohortKey, CohortFact]:
        """Cohorts by key."""
        return self._memory.load(
            "cohort", keys, partial(query_cohorts, self._index, policy=RANKING_VERSION)
        )

    def load_serving_runs(
        self, digests: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, ServingRunFact]:
        """Serving runs by spec digest."""
        return self._memory.load("serving_run", digests, partial(query_serving_runs, self._index))

    def load_objects(self, digests: Iterable[SpecDigest]) -> Mapping[SpecDigest, ObjectFact]:
        """The object now shown for each spec digest."""
        return self._memory.load("object", digests, partial(query_current_objects, self._index))

    def load_publications(self, sequences: Iterable[int]) -> Mapping[int, PublicationFact]:
        """Publications by number."""
        return self._memory.load("publication", sequences, partial(query_publications, self._index))

    def load_canonical(self, object_id: ObjectId) -> bytes:
        """An object's bytes, hashed against its name before they are returned.

        Raises:
            ObjectNotFoundError, ObjectCorruptError: the store lost or changed it.
        """
        return self._store.get(object_id)

    def load_manifests(self, ids: Iterable[ObjectId]) -> Mapping[ObjectId, dict[str, Any]]:
        """Manifests from the store, each verified against its name; errors as `load_canonical`."""
        return self._memory.load("manifest", ids, self._read_manifests)

    def _read_manifests(self, ids: list[ObjectId]) -> dict[ObjectId, dict[str, Any]]:
        return {
            object_id: orjson.loads(content) for object_id, content in self._store.get_many(ids)
        }

    def load_references(
        self, digests: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[SpecDigest, ...]]:
        """The digests that each manifest cites, sorted."""
        return query_references(self._index, digests)

    def load_attestations(
        self, runs: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[AttestationFact, ...]]:
        """What third parties state about each run, oldest first."""
        return query_attestations(self._index, runs)

    # --- by owner

    def load_operations_named(self, names: Iterable[str]) -> Mapping[str, OperationFact]:
        """Operations by slug, else by alias.

        Raises:
            AmbiguousNameError: several operations share one of the names.
        """
        found = query_operations_named(self._index, names)
        for name, digests in found.items():
            if len(digests) > 1:
                raise AmbiguousNameError(name, digests)
        operations = self.load_operations(digests[0] for digests in found.values())
        return {name: operations[digests[0]] for name, digests in found.items()}

    def load_operations_of_families(
        self, slugs: Iterable[Slug]
    ) -> Mapping[Slug, tuple[OperationFact, ...]]:
        """Every operation of each family, by slug."""
        return query_operations_of_families(self._index, slugs)

    def load_implementations_of_operations(
        self, operations: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[ImplementationFact, ...]]:
        """Every implementation of each operation, by title."""
        return query_implementations_of(self._index, operations)

    def load_cohorts_of_operations(
        self, operations: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[CohortFact, ...]]:
        """Cohorts of each operation: ranked ones first, by hardware, then fastest record."""
        return query_cohorts_of(self._index, "operation", operations, policy=RANKING_VERSION)

    def load_whole_rankings(
        self, keys: Iterable[CohortKey]
    ) -> Mapping[CohortKey, tuple[JudgedRun, ...]]:
        """Every eligible run of each cohort, in display order."""
        ranked: defaultdict[CohortKey, list[JudgedRun]] = defaultdict(list)
        for judged in query_eligible_runs(self._index, "cohort", keys):
            ranked[judged.run.cohort].append(judged)
        return {key: tuple(runs) for key, runs in ranked.items()}

    def headline_order(self, cohort: CohortFact) -> tuple[object, ...]:
        """What sorts an operation's cohorts: most eligible runs, then fastest record, then key."""
        return headline_order(cohort)

    def resolve_many(self, requests: Sequence[ResolveRequest]) -> tuple[Resolution, ...]:
        """An answer to each request, in order: exact, or the honest nearest."""
        return resolve_requests(self, requests)

    def load_cohorts_of_workloads(
        self, digests: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[CohortFact, ...]]:
        """Cohorts of each workload: ranked ones first, by hardware, then fastest record."""
        return query_cohorts_of(self._index, "workload", digests, policy=RANKING_VERSION)

    def load_rankings(
        self, keys: Iterable[CohortKey], page: PageRequest
    ) -> Mapping[CohortKey, Page[JudgedRun]]:
        """A page of each cohort's ranking, in display order.

        Raises:
            PageSizeError, CursorError: the page cannot be met.
        """
        found = query_rankings(self._index, list(keys), page)
        runs = self.load_runs(digest for ranked in found.values() for digest in ranked.items)
        return {key: _replace_items(ranked, runs) for key, ranked in found.items()}

    def load_histories(
        self,
        keys: Iterable[CohortKey],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[CohortKey, Page[RecordEventFact]]:
        """A page of each cohort's record events, oldest first unless ordered otherwise.

        Args:
            where: Which of the events.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        if where is None and not order:
            return query_histories(self._index, list(keys), page)
        held = self.load_cohorts(keys)
        oldest_first = order or (Order("ordinal"),)
        return self._load_owned(
            "record_events", "cohort", held, page, where=where, order=oldest_first
        )

    def load_leaders(self, keys: Iterable[CohortKey]) -> Mapping[CohortKey, JudgedRun]:
        """The run that holds each cohort's standing record."""
        held = {
            key: cohort.record for key, cohort in self.load_cohorts(keys).items() if cohort.record
        }
        runs = self.load_runs(held.values())
        return {key: runs[digest] for key, digest in held.items() if digest in runs}

    def load_headrooms(
        self, keys: Iterable[CohortKey], policy: HeadroomPolicy
    ) -> Mapping[CohortKey, Headroom]:
        """The floor that the hardware sets for each cohort, under one version of the estimate."""
        return self._memory.load(
            f"headroom {policy.value}", keys, partial(self._estimate_headrooms, policy)
        )

    def _estimate_headrooms(
        self, policy: HeadroomPolicy, keys: list[CohortKey]
    ) -> dict[CohortKey, Headroom]:
        cohorts = self.load_cohorts(keys)
        operations = self.load_operations(cohort.operation for cohort in cohorts.values())
        workloads = self.load_workloads(cohort.workload for cohort in cohorts.values())
        protocols = self.load_protocols(cohort.protocol for cohort in cohorts.values())
        environments = self.load_environments(cohort.environment for cohort in cohorts.values())
        return {
            key: estimate_headroom(
                policy,
                operation=operations[cohort.operation],
                workload=workloads[cohort.workload],
                protocol=protocols[cohort.protocol],
                hardware=environments[cohort.environment].hardware,
                record_value=cohort.record_value,
                metric=cohort.metric,
                statistic=cohort.statistic,
                unit=cohort.unit,
            )
            for key, cohort in cohorts.items()
        }

    def load_challenges(
        self, workloads: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[Challenge, ...]]:
        """Flagship hardware of this catalogue on which each workload has no eligible run."""
        keys = list(self.load_workloads(workloads))
        measured = query_measured_products(self._index, keys)
        flagships = self._flagships()
        return {
            key: tuple(
                Challenge(hardware, f"no eligible run of this workload on {hardware.product}")
                for hardware in flagships
                if hardware.product not in measured.get(key, frozenset())
            )
            for key in keys
        }

    def _flagships(self) -> tuple[HardwareFact, ...]:
        return self._memory.load("flagships", [0], lambda _: {0: self._find_flagships()})[0]

    def _find_flagships(self) -> tuple[HardwareFact, ...]:
        named = (
            HardwareFact(item.vendor, item.product, None, item.architectures[0], None, None, None)
            for item in query_hardware(self._index)
            if item.eligible_run_count
        )
        rows = ((hardware, find_hardware(hardware)) for hardware in named)
        return tuple(hardware for hardware, row in rows if row is not None and row.is_flagship)

    def load_fastest(self, operations: Iterable[SpecDigest]) -> Mapping[SpecDigest, Fastest]:
        """The best of each operation's headline cohort; absent without eligible runs."""
        return self._memory.load("fastest", operations, self._find_fastest)

    def _find_fastest(self, operations: list[SpecDigest]) -> dict[SpecDigest, Fastest]:
        cohorts = query_cohorts_of(self._index, "operation", operations, policy=RANKING_VERSION)
        headlines = {
            operation: min(
                (cohort for cohort in owned if cohort.record), key=headline_order, default=None
            )
            for operation, owned in cohorts.items()
        }
        keys = [cohort.key for cohort in headlines.values() if cohort is not None]
        ranked = self.load_whole_rankings(keys)
        implementations = self.load_implementations(
            judged.run.implementation for runs in ranked.values() for judged in runs
        )
        return {
            operation: _make_fastest(cohort, ranked[cohort.key], implementations)
            for operation, cohort in headlines.items()
            if cohort is not None
        }

    def load_sweeps(
        self, operations: Iterable[SpecDigest], choice: SweepChoice | None = None
    ) -> Mapping[SpecDigest, tuple[Sweep, ...]]:
        """Sweeps along one axis among the eligible runs of each operation; all, or those chosen."""
        found = self._memory.load("sweep", operations, self._find_sweeps)
        if choice is None or choice == SweepChoice():
            return found
        environments = self.load_environments(
            sweep.environment for sweeps in found.values() for sweep in sweeps
        )
        return {
            operation: tuple(
                sweep
                for sweep in sweeps
                if choice.takes(sweep, environments[sweep.environment].hardware.product)
            )
            for operation, sweeps in found.items()
        }

    def _find_sweeps(self, operations: list[SpecDigest]) -> dict[SpecDigest, tuple[Sweep, ...]]:
        known = list(self.load_operations(operations))
        grouped: dict[SpecDigest, list[JudgedRun]] = {operation: [] for operation in known}
        for judged in query_eligible_runs(self._index, "operation", known):
            grouped[judged.run.operation].append(judged)
        workloads = self.load_workloads(
            judged.run.workload for runs in grouped.values() for judged in runs
        )
        return {operation: find_sweeps(runs, workloads) for operation, runs in grouped.items()}

    def load_sources_of_operations(
        self, operations: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, tuple[tuple[SourceFact, datetime], ...]]:
        """The sources that measured each operation, with their last observation of it, by slug."""
        found = query_sources_of_operations(self._index, operations)
        sources = self.load_sources(slug for items in found.values() for slug, _ in items)
        return {
            operation: tuple((sources[slug], at) for slug, at in items if slug in sources)
            for operation, items in found.items()
        }

    # --- verdicts of policy on facts

    def is_stale(self, observed_at: datetime) -> bool:
        """Whether an observation is too old to rely on, as of now."""
        return is_stale(observed_at, self._clock())

    def conclude_license(self, implementation: ImplementationFact) -> LicenseConclusion:
        """Under which licence an implementation can be used."""
        return conclude_license(implementation.license_declared, implementation.license_concluded)

    def judge_deployability(self, implementation: ImplementationFact) -> Deployability:
        """Whether an implementation can be used today."""
        return judge_deployability(implementation)

    # --- pages by owner: one statement however many owners

    def load_workload_pages(
        self,
        operations: Iterable[SpecDigest],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[SpecDigest, Page[WorkloadFact]]:
        """A page of each operation's workloads, with the cursors of the list of workloads.

        Args:
            where: Which of the workloads.
            order: How they are sorted; as the list of workloads where empty.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        return self._load_owned(
            "workloads", "operation", operations, page, where=where, order=order
        )

    def load_implementation_pages(
        self,
        operations: Iterable[SpecDigest],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[SpecDigest, Page[ImplementationFact]]:
        """A page of each operation's implementations; as `load_workload_pages`."""
        return self._load_owned(
            "implementations", "operation", operations, page, where=where, order=order
        )

    def load_operation_pages(
        self,
        families: Iterable[Slug],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[Slug, Page[OperationFact]]:
        """A page of each family's operations; as `load_workload_pages`."""
        return self._load_owned("operations", "family", families, page, where=where, order=order)

    def _load_owned(
        self,
        list_name: str,
        field: str,
        owners: Iterable[K],
        page: PageRequest,
        *,
        where: Filter | None,
        order: tuple[Order, ...],
    ) -> dict[K, Page[Any]]:
        found = query_owned_pages(
            self._index, list_name, field, owners, page, where=where, order=order
        )
        return cast("dict[K, Page[Any]]", found)

    # --- lists; fields to filter and order by are those of `kgraph.index.LISTS`

    def page_families(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[FamilyFact]:
        """A page of families, by slug unless ordered otherwise."""
        return self._page("families", self.load_families, where, order, page)

    def page_operations(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[OperationFact]:
        """A page of operations, by slug unless ordered otherwise."""
        return self._page("operations", self.load_operations, where, order, page)

    def page_workloads(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[WorkloadFact]:
        """A page of workloads: by operation, measured ones first, then by axis values."""
        return self._page("workloads", self.load_workloads, where, order, page)

    def page_implementations(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ImplementationFact]:
        """A page of implementations, by operation and title unless ordered otherwise."""
        return self._page("implementations", self.load_implementations, where, order, page)

    def page_runs(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[JudgedRun]:
        """A page of runs, newest observation first unless ordered otherwise."""
        return self._page("runs", self.load_runs, where, order, page)

    def page_cohorts(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[CohortFact]:
        """A page of cohorts, by operation and workload unless ordered otherwise."""
        return self._page("cohorts", self.load_cohorts, where, order, page)

    def page_records(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[Record]:
        """A page of standing records, latest first unless ordered otherwise."""
        found = query_record_page(self._index, where, order, page)
        cohorts = self.load_cohorts(key for key, _, _ in found.items)
        runs = self.load_runs(run for _, run, _ in found.items)
        records = tuple(Record(cohorts[key], runs[run], since) for key, run, since in found.items)
        return Page(records, found.cursors, found.total_count, found.has_next, found.has_previous)

    def page_record_events(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[RecordEventFact]:
        """A page of record events, latest first unless ordered otherwise."""
        return query_page(self._index, "record_events", where, order, page)

    def page_hardware(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[MeasuredHardwareFact]:
        """A page of measured products, by name unless ordered otherwise."""
        return query_page(self._index, "hardware", where, order, page)

    def page_sources(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[SourceFact]:
        """A page of sources, by slug unless ordered otherwise."""
        return self._page("sources", self.load_sources, where, order, page)

    def page_publications(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[PublicationFact]:
        """A page of the log, latest first unless ordered otherwise."""
        return query_page(self._index, "publications", where, order, page)

    def page_serving_runs(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ServingRunFact]:
        """A page of serving runs, newest observation first unless ordered otherwise."""
        return self._page("serving_runs", self.load_serving_runs, where, order, page)

    def page_keys(
        self, list_name: str, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[Any]:
        """A page of a list by the keys of its items, for who holds the items already.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        return query_key_page(self._index, list_name, where, order, page)

    def _page(
        self,
        list_name: str,
        load: Callable[[Iterable[Any]], Mapping[Any, T]],
        where: Filter | None,
        order: tuple[Order, ...],
        page: PageRequest,
    ) -> Page[T]:
        """A page of a list whose items are kept in memory by key: only the keys are asked for."""
        found = self.page_keys(list_name, where, order, page)
        return _replace_items(found, load(found.items))

    def aggregate_runs(
        self, where: Filter | None, list_name: str = "runs"
    ) -> tuple[AggregateFact, ...]:
        """Summaries of the primary values of a list's runs, by metric, statistic and unit.

        Args:
            where: Which items of the list.
        """
        return self._index.aggregate_runs(where, list_name)

    def count_facets(
        self, list_name: str, where: Filter | None, name: str
    ) -> tuple[FacetCount, ...]:
        """How many items of a filtered list have each value of a field, most first."""
        return self._index.count_facets(list_name, where, name)


def headline_order(cohort: CohortFact) -> tuple[object, ...]:
    """What sorts an operation's cohorts: most eligible runs, then fastest record, then key."""
    value = cohort.record_value or 0.0
    is_higher_better = find_direction(cohort.metric, cohort.unit) is Direction.HIGHER
    return (
        -cohort.eligible_run_count,
        cohort.metric,
        -value if is_higher_better else value,
        cohort.key,
    )


def _make_fastest(
    cohort: CohortFact,
    ranked: tuple[JudgedRun, ...],
    implementations: Mapping[SpecDigest, ImplementationFact],
) -> Fastest:
    best: dict[str, JudgedRun] = {}
    deployable: JudgedRun | None = None
    for judged in ranked:
        implementation = implementations[judged.run.implementation]
        best.setdefault(implementation.language, judged)
        if deployable is None and judge_deployability(implementation).is_deployable:
            deployable = judged
    entries = tuple(
        LanguageEntry(language, judged, judged.standing.ratio_to_leader)
        for language, judged in best.items()
        if judged.standing is not None
    )
    return Fastest(cohort, ranked[0], deployable, entries)


def _replace_items(page: Page[K], facts: Mapping[K, T]) -> Page[T]:
    """The page with the fact of each key in its place."""
    items = tuple([facts[key] for key in page.items])
    return Page(items, page.cursors, page.total_count, page.has_next, page.has_previous)
