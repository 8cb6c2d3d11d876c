"""Facts by key or owner: one statement each, however many keys are asked."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from kgraph.errors import KgraphError
from kgraph.index import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kgraph.digest import DigestPrefix, ObjectId, SpecDigest
    from kgraph.facts import (
        AttestationFact,
        CohortFact,
        CountsFact,
        EnvironmentFact,
        FamilyFact,
        Filter,
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
        ServingRunFact,
        SourceFact,
        WorkloadFact,
    )
    from kgraph.index.read import Index
    from kgraph.vocab import CohortKey, Kind, Slug

T = TypeVar("T")
K = TypeVar("K", bound=str)

# As many as any prefix has, and as fit a number of 32 bits.
_HEAD_DIGITS = 8
_SHOWN_NAMES = 3


class AmbiguousRefError(KgraphError):
    """A prefix that several manifests share."""

    code = "AMBIGUOUS_DIGEST"

    def __init__(self, ref: str, names: Sequence[str]) -> None:
        self.ref, self.names = ref, tuple(names)
        super().__init__(
            f"digest prefix {ref}: found {len(names)} or more manifests"
            f" ({', '.join(n[:23] for n in names[:3])}, …),"
            " expected one; give more digits"
        )


class AmbiguousNameError(AmbiguousRefError):
    """A slug or an alias that several operations share."""

    code = "AMBIGUOUS_SLUG"

    def __init__(self, name: str, digests: Sequence[str]) -> None:
        self.ref, self.names = name, tuple(digests)
        KgraphError.__init__(
            self,
            f"operation {name[:90]!r}: found {len(digests)} of that name"
            f" ({', '.join(digest[:23] for digest in digests[:3])}"
            f"{', …' if len(digests) > _SHOWN_NAMES else ''}), expected one; ask by digest",
        )


def _by_key(
    index: Index,
    relation: str,
    columns: Sequence[str],
    make: Callable[[tuple[Any, ...]], T],
    keys: Iterable[K],
) -> dict[K, T]:
    """Facts by their first column."""
    found = index.fetch_by(relation, columns, columns[0], list(keys))
    return {row[0]: make(row) for row in found}


def query_whole(index: Index, name: str) -> dict[str, Any]:
    """Every fact of a relation by its key, in one statement; for catalogues that fit in memory.

    Args:
        name: run, implementation, workload or operation.
    """
    relation, columns, make = _WHOLE[name]
    found = index.fetch(f"SELECT {', '.join(columns)} FROM {relation}")
    return {row[0]: make(row) for row in found}


def query_counts(index: Index) -> CountsFact:
    """How much the snapshot holds. Source: table `counts`."""
    return rows.make_counts(index.fetch(f"SELECT {', '.join(rows.COUNTS_COLUMNS)} FROM counts")[0])


def query_objects(
    index: Index, ref: DigestPrefix, kinds: Sequence[Kind] = (), *, limit: int = 3
) -> list[ObjectFact]:
    """Objects whose spec digest or object id begins with a prefix, those shown now first.

    Source: table `object`.
    """
    heads: list[str] = []
    tests: list[str] = []
    values: list[Any] = []
    for column, head, algorithm in (
        ("digest", "digest_head", "sha256"),
        ("object_id", "object_head", "blake3"),
    ):
        if ref.algorithm not in (None, algorithm):
            continue
        heads.append(f"{head} = {int(ref.hex[:_HEAD_DIGITS], 16)}")
        tests.append(f"{column} = ?" if ref.is_full else f"starts_with({column}, ?)")
        values.append(f"{algorithm}:{ref.hex}")
    if not ref.is_full:
        # Numbers are compared with all names first; the text of the few that remain follows.
        tests = [
            f"rowid IN (SELECT rowid FROM object WHERE {' OR '.join(heads)})"
            f" AND ({' OR '.join(tests)})"
        ]
    kind_test = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    found = index.fetch(
        f"SELECT {', '.join(rows.OBJECT_COLUMNS)} FROM object WHERE"
        f" ({' OR '.join(tests)}){kind_test}"
        f" ORDER BY is_current DESC, digest, sequence DESC LIMIT {limit * 8}",
        [*values, *(kind.value for kind in kinds)],
    )
    return [rows.make_object(row) for row in found]


def query_current_objects(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, ObjectFact]:
    """The object shown for each spec digest. Source: table `object`."""
    found = index.fetch_by("object", rows.OBJECT_COLUMNS, "digest", list(digests))
    objects = (rows.make_object(row) for row in found)
    return {item.digest: item for item in objects if item.is_current}


def query_operation_names(index: Index, name: str) -> list[SpecDigest]:
    """Operations of that slug, or where there is none, of that alias, by digest.

    More than one where operations share it. Source: `operation_name`.
    """
    return list(query_operations_named(index, [name]).get(name, ()))


def query_near_names(index: Index, text: str, *, limit: int) -> list[str]:
    """Operation slugs nearest to a misspelt one, by edit distance. Source: table `operation`."""
    found = index.fetch(
        "SELECT slug FROM (SELECT slug, damerau_levenshtein(slug, ?) AS distance,"
        " contains(slug, ?) AS has FROM operation) WHERE has OR distance <="
        " greatest(3, length(?) // 3)"
        " ORDER BY NOT has, distance, slug LIMIT ?",
        [text, text, text, limit],
    )
    return [row[0] for row in found]


def query_operations(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, OperationFact]:
    """Operations by spec digest. Source: table `operation`."""
    return _by_key(index, "operation", rows.OPERATION_COLUMNS, rows.make_operation, digests)


def query_operations_named(index: Index, names: Iterable[str]) -> dict[str, tuple[SpecDigest, ...]]:
    """Operations by slug, else by alias; several where they share one.

    Source: table `operation_name`.
    """
    found: defaultdict[str, dict[int, list[SpecDigest]]] = defaultdict(dict)
    for name, digest, preference in index.fetch_by(
        "operation_name",
        ("name", "digest", "preference"),
        "name",
        list(names),
        order="preference, digest",
    ):
        found[name].setdefault(preference, []).append(digest)
    # An alias counts only where nothing has the name for its slug.
    return {name: tuple(next(iter(owners.values()))) for name, owners in found.items()}


def query_operations_of_families(
    index: Index, slugs: Iterable[Slug]
) -> dict[Slug, tuple[OperationFact, ...]]:
    """Every operation of each family, by slug. Source: table `operation`."""
    found: defaultdict[Slug, list[OperationFact]] = defaultdict(list)
    for row in index.fetch_by(
        "operation", rows.OPERATION_COLUMNS, "family", list(slugs), order="slug, digest"
    ):
        operation = rows.make_operation(row)
        found[operation.family].append(operation)
    return {family: tuple(owned) for family, owned in found.items()}


def query_implementations_of(
    index: Index, operations: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[ImplementationFact, ...]]:
    """Every implementation of each operation, by title. Source: table `implementation`."""
    found: defaultdict[SpecDigest, list[ImplementationFact]] = defaultdict(list)
    for row in index.fetch_by(
        "implementation",
        rows.IMPLEMENTATION_COLUMNS,
        "operation",
        list(operations),
        order="title, digest",
    ):
        implementation = rows.make_implementation(row)
        found[implementation.operation_digest].append(implementation)
    return {operation: tuple(owned) for operation, owned in found.items()}


def query_families(index: Index, slugs: Iterable[Slug]) -> dict[Slug, FamilyFact]:
    """Families by slug. Source: table `family`."""
    return _by_key(index, "family", rows.FAMILY_COLUMNS, rows.make_family, slugs)


def query_workloads(index: Index, digests: Iterable[SpecDigest]) -> dict[SpecDigest, WorkloadFact]:
    """Workloads by spec digest. Source: table `workload`."""
    return _by_key(index, "workload", rows.WORKLOAD_COLUMNS, rows.make_workload, digests)


def query_workloads_of_operation(index: Index, operation: SpecDigest) -> tuple[WorkloadFact, ...]:
    """All workloads of one operation, measured ones first. Source: table `workload`."""
    found = index.fetch_by(
        "workload", rows.WORKLOAD_COLUMNS, "operation", [operation], order="position"
    )
    return tuple(map(rows.make_workload, found))


def query_implementations(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, ImplementationFact]:
    """Implementations by spec digest. Source: table `implementation`."""
    return _by_key(
        index, "implementation", rows.IMPLEMENTATION_COLUMNS, rows.make_implementation, digests
    )


def query_protocols(index: Index, digests: Iterable[SpecDigest]) -> dict[SpecDigest, ProtocolFact]:
    """Protocols by spec digest. Source: table `protocol`."""
    return _by_key(index, "protocol", rows.PROTOCOL_COLUMNS, rows.make_protocol, digests)


def query_environments(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, EnvironmentFact]:
    """Environments by spec digest. Source: table `environment`."""
    return _by_key(index, "environment", rows.ENVIRONMENT_COLUMNS, rows.make_environment, digests)


def query_all_environments(index: Index) -> tuple[EnvironmentFact, ...]:
    """Every environment, by digest. Source: table `environment`."""
    found = index.fetch(
        f"SELECT {', '.join(rows.ENVIRONMENT_COLUMNS)} FROM environment ORDER BY digest"
    )
    return tuple(map(rows.make_environment, found))


def query_sources(index: Index, slugs: Iterable[Slug]) -> dict[Slug, SourceFact]:
    """Sources by slug. Source: table `source`."""
    return _by_key(index, "source", rows.SOURCE_COLUMNS, rows.make_source, slugs)


def query_sources_of_operations(
    index: Index, operations: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[tuple[Slug, Any], ...]]:
    """Slugs of the sources that measured each operation, with their last observation there.

    Source: table `operation_source`.
    """
    found: defaultdict[SpecDigest, list[tuple[Slug, Any]]] = defaultdict(list)
    for operation, source, at in index.fetch_by(
        "operation_source",
        ("operation", "source", "last_observed_at"),
        "operation",
        list(operations),
        order="source",
    ):
        found[operation].append((source, rows.make_instant(at)))
    return {operation: tuple(items) for operation, items in found.items()}


def query_runs(index: Index, digests: Iterable[SpecDigest]) -> dict[SpecDigest, JudgedRun]:
    """Runs by spec digest. Source: table `run`."""
    return _by_key(index, "run", rows.JUDGED_RUN_COLUMNS, rows.make_judged_run, digests)


def query_cohorts(
    index: Index, keys: Iterable[CohortKey], *, policy: str
) -> dict[CohortKey, CohortFact]:
    """Cohorts by key. Source: table `cohort`."""
    found = index.fetch_by("cohort", rows.COHORT_COLUMNS, "key", list(keys))
    return {row[0]: rows.make_cohort(row, policy) for row in found}


def query_cohorts_of(
    index: Index, owner: str, digests: Iterable[SpecDigest], *, policy: str
) -> dict[SpecDigest, tuple[CohortFact, ...]]:
    """Cohorts of each workload or operation, most eligible runs first.

    Args:
        owner: `workload` or `operation`.
    Source: table `cohort`.
    """
    found: defaultdict[SpecDigest, list[CohortFact]] = defaultdict(list)
    for row in index.fetch_by(
        "cohort",
        rows.COHORT_COLUMNS,
        owner,
        list(digests),
        # Product, then fastest record: forward passes come before the full ones that contain them.
        order="eligible_run_count = 0, product, form_factor NULLS LAST, metric,"
        " record_value NULLS LAST, key",
    ):
        cohort = rows.make_cohort(row, policy)
        found[getattr(cohort, owner)].append(cohort)
    return {digest: tuple(items) for digest, items in found.items()}


def query_eligible_runs(index: Index, owner: str, digests: Iterable[str]) -> tuple[JudgedRun, ...]:
    """Eligible runs of cohorts, operations or workloads, by cohort and position.

    Args:
        owner: `cohort`, `operation` or `workload`.
    Source: table `run`.
    """
    keys = list(digests)
    if not keys:
        return ()
    found = index.fetch(
        # Which rows, by two columns, and only then all columns of those.
        f"SELECT {', '.join(rows.JUDGED_RUN_COLUMNS)} FROM run WHERE rowid IN"
        f" (SELECT rowid FROM run WHERE {owner} IN ({', '.join('?' * len(keys))}) AND is_eligible)"
        " ORDER BY cohort, position",
        keys,
    )
    return tuple(map(rows.make_judged_run, found))


def query_publications(index: Index, sequences: Iterable[int]) -> dict[int, PublicationFact]:
    """Publications by number. Source: table `publication`."""
    found = index.fetch_by("publication", rows.PUBLICATION_COLUMNS, "sequence", list(sequences))
    return {row[0]: rows.make_publication(row) for row in found}


def query_references(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[SpecDigest, ...]]:
    """Which digests each manifest cites, sorted. Source: tables `reference` and `run`."""
    keys = list(digests)
    if not keys:
        return {}
    marks = ", ".join("?" * len(keys))
    found: defaultdict[SpecDigest, list[SpecDigest]] = defaultdict(list)
    for source, target in index.fetch(
        f"SELECT from_digest, to_digest FROM reference WHERE from_digest IN ({marks}) UNION"
        " SELECT digest, unnest([implementation, workload, protocol, environment]) FROM run"
        f" WHERE digest IN ({marks}) ORDER BY 1, 2",
        [*keys, *keys],
    ):
        found[source].append(target)
    return {digest: tuple(targets) for digest, targets in found.items()}


def query_attestations(
    index: Index, runs: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[AttestationFact, ...]]:
    """Attestations about each run, oldest first. Source: table `attestation`."""
    found: defaultdict[SpecDigest, list[AttestationFact]] = defaultdict(list)
    for row in index.fetch_by(
        "attestation", rows.ATTESTATION_COLUMNS, "run", list(runs), order="run, made_at, object_id"
    ):
        fact = rows.make_attestation(row)
        found[fact.run].append(fact)
    return {run: tuple(items) for run, items in found.items()}


def query_measured_products(
    index: Index, workloads: Iterable[SpecDigest]
) -> dict[SpecDigest, frozenset[str]]:
    """Products on which each workload has an eligible run. Source: table `cohort`."""
    found: defaultdict[SpecDigest, set[str]] = defaultdict(set)
    keys = list(workloads)
    if keys:
        for workload, product in index.fetch(
            "SELECT DISTINCT workload, product FROM cohort WHERE workload IN"
            f" ({', '.join('?' * len(keys))})"
            " AND eligible_run_count > 0",
            keys,
        ):
            found[workload].add(product)
    return {workload: frozenset(products) for workload, products in found.items()}


def query_hardware(index: Index) -> tuple[MeasuredHardwareFact, ...]:
    """Every measured product. Source: table `hardware`."""
    found = index.fetch(f"SELECT {', '.join(rows.HARDWARE_COLUMNS)} FROM hardware ORDER BY product")
    return tuple(map(rows.make_hardware, found))


def query_dangling(index: Index) -> tuple[tuple[SpecDigest, str, SpecDigest], ...]:
    """Runs kept out of every answer, and the field and digest missing. Source: `dangling`."""
    found = index.fetch("SELECT digest, field, missing FROM dangling ORDER BY digest, field")
    return tuple(found)


_MAKERS: Mapping[str, Callable[[tuple[Any, ...]], Any]] = {
    "families": rows.make_family,
    "operations": rows.make_operation,
    "workloads": rows.make_workload,
    "implementations": rows.make_implementation,
    "runs": rows.make_judged_run,
    "record_events": rows.make_event,
    "hardware": rows.make_hardware,
    "sources": rows.make_source,
    "publications": rows.make_publication,
    "serving_runs": rows.make_serving_run,
}


def make_item(list_name: str, row: tuple[Any, ...]) -> Any:  # noqa: ANN401 - as the list has it
    """The fact of one row of a list whose items stand on their own."""
    return _MAKERS[list_name](row)


def query_page(
    index: Index, list_name: str, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[Any]:
    """One page of any list whose items stand on their own; see `LISTS`."""
    return index.fetch_page(list_name, _MAKERS[list_name], where, order, request)


def query_key_page(
    index: Index, list_name: str, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[str]:
    """One page of any list by the keys of its items, which cost a fraction of their rows."""
    return index.fetch_page(
        list_name, lambda values: values[-1], where, order, request, is_by_key=True
    )


def query_record_page(
    index: Index, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[tuple[CohortKey, SpecDigest, Any]]:
    """One page of standing records: cohort, run, since when."""
    return index.fetch_page(
        "records", lambda row: (row[0], row[1], rows.make_instant(row[2])), where, order, request
    )


def query_serving_runs(
    index: Index, digests: Iterable[SpecDigest]
) -> dict[SpecDigest, ServingRunFact]:
    """Serving runs by spec digest. Source: table `serving_run`."""
    return _by_key(index, "serving_run", rows.SERVING_RUN_COLUMNS, rows.make_serving_run, digests)


def query_object_ids(index: Index) -> frozenset[ObjectId]:
    """Every object that the catalogue holds at this snapshot. Source: table `object`."""
    return frozenset(row[0] for row in index.fetch("SELECT object_id FROM object"))


_WHOLE: Mapping[str, tuple[str, tuple[str, ...], Callable[[tuple[Any, ...]], Any]]] = {
    "run": ("run", rows.JUDGED_RUN_COLUMNS, rows.make_judged_run),
    "implementation": (
        "implementation",
        rows.IMPLEMENTATION_COLUMNS,
        rows.make_implementation,
    ),
    "workload": ("workload", rows.WORKLOAD_COLUMNS, rows.make_workload),
    "operation": ("operation", rows.OPERATION_COLUMNS, rows.make_operation),
}
