"""Facts and verdicts of one snapshot: by key, by owner, in lists."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from kgraph.catalog.answers import (
    Challenge,
    Fastest,
    LanguageEntry,
    PolicyVersions,
    Sweep,
    SweepChoice,
)
from kgraph.catalog.memory import FactMemory
from kgraph.catalog.resolve import Resolution, ResolveRequest, resolve_requests
from kgraph.catalog.sweep import find_sweeps
from kgraph.digest import BadDigestError, ObjectId, SpecDigest, parse_ref
from kgraph.facts import (
    AttestationFact,
    CohortFact,
    CountsFact,
    EnvironmentFact,
    FamilyFact,
    HardwareFact,
    ImplementationFact,
    JudgedRun,
    ObjectFact,
    OperationFact,
    ProtocolFact,
    PublicationFact,
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
    query_implementations,
    query_implementations_of,
    query_measured_products,
    query_near_names,
    query_objects,
    query_operation_names,
    query_operations,
    query_operations_named,
    query_operations_of_families,
    query_protocols,
    query_publications,
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
