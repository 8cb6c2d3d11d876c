"""Making an index from the log: whole, or carried forward from an earlier snapshot's.

An index is one file, named by table version, policy versions and snapshot, written beside its
final name and
renamed: a reader never sees a half-built one, and a server opens the next while requests still
use the last.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import orjson

from kgraph.digest import ObjectId, digest_object
from kgraph.index.extract import (
    Known,
    KnownWorkload,
    Row,
    Stored,
    extract_objects,
    find_constants,
    parse_instant,
    read_stored,
)
from kgraph.index.rows import (
    IMPLEMENTATION_COLUMNS,
    RUN_FACT_COLUMNS,
    make_implementation,
    make_run_fact,
)
from kgraph.index.schema import TABLE_VERSION, load_tables_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgraph.facts import Derivation, RecordEventFact, RunFact, RunVerdict, StandingFact
    from kgraph.log import Log, LogEntry
    from kgraph.store import ReadStore

EMPTY_SNAPSHOT: ObjectId = digest_object(b"")
"""The snapshot of a catalogue without a publication: the object id of no bytes."""

# Enough for one statement over some 100,000 rows; a publication of more is read in several.
_RUNS_A_CHUNK = 20_000
_KEPT_FILES = 4
_RUN_MARK = b'"kind":"BenchmarkRun"'
_MARK_WINDOW = 80


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index file that holds one snapshot."""

    path: Path
    snapshot: ObjectId
    sequence: int
    """Number of the last publication in it; 0 for an empty catalogue."""
    applied: int
    """Publications read to make it; 0 where it was there already."""
    is_incremental: bool
    """Whether an older index was carried forward."""


def name_index(snapshot: ObjectId, derivation: Derivation) -> str:
    """File name of the index of one snapshot under one set of policies and this table version."""
    policies = hashlib.sha256(derivation.version.encode()).hexdigest()[:8]
    return f"kgraph-{TABLE_VERSION}-{policies}-{snapshot.partition(':')[2][:16]}.duckdb"


def build_index(
    log: Log,
    store: ReadStore,
    derivation: Derivation,
    *,
    folder: Path,
    until: LogEntry | None = None,
    is_fresh: bool = False,
) -> BuiltIndex:
    """The index of the head, or of `until`; made where it is not there.

    Args:
        folder: Where index files of this store live; created where absent.
        until: The log entry whose snapshot is wanted; the head where absent.
        is_fresh: Replay the whole log, whatever is there.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: an object that the log cites is missing or damaged.
    """
    head = until or log.head()
    snapshot = head.object_id if head else EMPTY_SNAPSHOT
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name_index(snapshot, derivation)
    if path.exists() and not is_fresh:
        os.utime(path)
        return BuiltIndex(path, snapshot, head.sequence if head else 0, 0, is_incremental=False)
    entries = [entry for entry in log.entries() if head and entry.sequence <= head.sequence]
    base = None if is_fresh else _find_base(entries, folder, derivation)
    handle, name = tempfile.mkstemp(prefix=path.stem, suffix=".building", dir=folder)
    os.close(handle)
    building = Path(name)
    building.unlink()
    try:
        if base is not None:
            shutil.copyfile(base[1], building)
        start = base[0] if base is not None else 0
        with duckdb.connect(str(building)) as connection:
            connection.execute("SET preserve_insertion_order = true")
            if base is None:
                connection.execute(load_tables_sql())
            known = _load_known(connection)
            fresh = entries[start:]
            for entry in fresh:
                _append_publication(connection, entry, log.object_ids(entry), store, known)
            _derive(connection, derivation)
            _write_meta(connection, snapshot, head.sequence if head else 0, derivation)
            connection.execute("CHECKPOINT")
        building.replace(path)
    finally:
        building.unlink(missing_ok=True)
        building.with_name(building.name + ".wal").unlink(missing_ok=True)
    _prune(folder, keep=path)
    return BuiltIndex(path, snapshot, head.sequence if head else 0, len(fresh), base is not None)


def _find_base(
    entries: Sequence[LogEntry], folder: Path, derivation: Derivation
) -> tuple[int, Path] | None:
    for entry in reversed(entries):
        path = folder / name_index(entry.object_id, derivation)
        if path.exists():
            return entry.sequence, path
    return None


def _prune(folder: Path, *, keep: Path) -> None:
    # A file that another process still reads stays readable to it after it loses its name.
    files = sorted(folder.glob("kgraph-*.duckdb"), key=lambda file: file.stat().st_mtime)
    for file in [file for file in files if file != keep][: -(_KEPT_FILES - 1)]:
        file.unlink(missing_ok=True)


def _load_known(connection: duckdb.DuckDBPyConnection) -> Known:
    known = Known()
    for digest, axes in connection.execute(
        "SELECT digest, axes_json FROM raw_operation"
    ).fetchall():
        known.constants[digest] = find_constants(orjson.loads(axes))
    for digest, operation, key in connection.execute(
        "SELECT digest, operation, correctness_key FROM raw_workload"
    ).fetchall():
        known.workloads[digest] = KnownWorkload(operation, key)
    known.statistics = dict(
        connection.execute("SELECT digest, primary_statistic FROM raw_protocol").fetchall()
    )
    for name, into in (
        ("raw_implementation", known.implementations),
        ("raw_environment", known.environments),
    ):
        into.update(row[0] for row in connection.execute(f"SELECT digest FROM {name}").fetchall())
    return known


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    # Only building needs Arrow, and a server that opens an index must not pay for importing it.
    import pyarrow as pa  # noqa: PLC0415

    # The table's own types make the Arrow batch, so tables.sql stays the one place that names them.
    empty = connection.table(table).limit(0).to_arrow_table()
    batch = pa.Table.from_pylist(list(rows), schema=empty.schema)
    connection.register("batch", batch)
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")
    connection.unregister("batch")


def _read_publication(
    entry: LogEntry, ids: Sequence[ObjectId], store: ReadStore
) -> Iterator[list[Stored]]:
    """The objects of a publication: everything but runs first, then its runs in chunks."""
    ordinals = {object_id: ordinal for ordinal, object_id in enumerate(ids)}
    others: list[Stored] = []
    runs: list[ObjectId] = []
    for object_id, content in store.get_many(ids):
        if _RUN_MARK in content[:_MARK_WINDOW]:
            runs.append(object_id)
        else:
            others.append(read_stored(object_id, content, entry.sequence, ordinals[object_id]))
    yield others
    for start in range(0, len(runs), _RUNS_A_CHUNK):
        yield [
            read_stored(object_id, content, entry.sequence, ordinals[object_id])
            for object_id, content in store.get_many(runs[start : start + _RUNS_A_CHUNK])
        ]


def _append_publication(
    connection: duckdb.DuckDBPyConnection,
    entry: LogEntry,
    ids: Sequence[ObjectId],
    store: ReadStore,
    known: Known,
) -> None:
    publication = entry.publication
    _insert(
        connection,
        "publication",
        [
            {
                "sequence": entry.sequence,
                "object_id": entry.object_id,
                "parent": publication.parent,
                "source": publication.source,
                "published_at": parse_instant(publication.published_at),
                "published_by": publication.published_by,
                "message": publication.message,
                "object_count": publication.object_count,
            }
        ],
    )
    for stored in _read_publication(entry, ids, store):
        for table, rows in extract_objects(stored, known).rows.items():
            _insert(connection, table, rows)


def _read_sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _derive(connection: duckdb.DuckDBPyConnection, derivation: Derivation) -> None:
    connection.execute(_read_sql("current.sql"))
    _judge_implementations(connection, derivation)
    columns = ", ".join(RUN_FACT_COLUMNS)
    has_old = connection.execute(
        "SELECT count(*) FROM information_schema.tables WHERE table_name = 'run'"
    ).fetchone() != (0,)
    if has_old:
        # Policy sees a run only through these columns, so a cohort none of whose rows changed
        # keeps its verdicts.
        connection.execute(
            f"CREATE TEMP TABLE affected AS SELECT DISTINCT cohort FROM ("
            f"(SELECT {columns} FROM run_fact EXCEPT SELECT {columns} FROM run) UNION ALL "
            f"(SELECT {columns} FROM run EXCEPT SELECT {columns} FROM run_fact))"
        )
        for table in ("verdict", "record_event", "cohort_profile"):
            connection.execute(f"DELETE FROM {table} WHERE cohort IN (SELECT cohort FROM affected)")
    else:
        connection.execute("CREATE TEMP TABLE affected AS SELECT DISTINCT cohort FROM run_fact")
    facts = connection.execute(
        f"SELECT {columns} FROM run_fact WHERE cohort IN (SELECT cohort FROM affected)"
        " ORDER BY cohort, observed_at, digest"
    )
    verdicts: list[Row] = []
    events: list[Row] = []
    profiles: list[Row] = []
    for cohort, group in groupby(map(make_run_fact, _fetch_all(facts)), lambda run: run.cohort):
        runs = tuple(group)
        profiles.append({"cohort": cohort, "profile": derivation.judge_profile(runs).value})
        judged = {run.digest: derivation.judge_run(run) for run in runs}
        standings = {item.run: item for item in derivation.rank_cohort(runs, judged)}
        verdicts.extend(
            _verdict_row(run, judged[run.digest], standings.get(run.digest)) for run in runs
        )
        events.extend(map(_event_row, derivation.derive_records(runs, judged)))
    for table, rows in (
        ("verdict", verdicts),
        ("record_event", events),
        ("cohort_profile", profiles),
    ):
        _insert(connection, table, rows)
    connection.execute("DROP TABLE affected")
    connection.execute(_read_sql("final.sql"))


def _judge_implementations(connection: duckdb.DuckDBPyConnection, derivation: Derivation) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE implementation_verdict"
        " (digest VARCHAR, license VARCHAR, is_permissive BOOLEAN, is_deployable BOOLEAN)"
    )
    found = connection.execute(
        f"SELECT {', '.join(IMPLEMENTATION_COLUMNS)} FROM current_implementation"
    )
    verdicts = (
        derivation.judge_implementation(make_implementation(row)) for row in _fetch_all(found)
    )
    _insert(
        connection,
        "implementation_verdict",
        [
            {
                "digest": verdict.digest,
                "license": verdict.license,
                "is_permissive": verdict.is_permissive,
                "is_deployable": verdict.is_deployable,
            }
            for verdict in verdicts
        ],
    )


def _fetch_all(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(10_000):
        yield from rows


def _verdict_row(run: RunFact, verdict: RunVerdict, standing: StandingFact | None) -> Row:
    return {
        "digest": run.digest,
        "cohort": run.cohort,
        "is_eligible": verdict.is_eligible,
        "reasons": list(verdict.reasons),
        "evidence": verdict.evidence.value,
        "evidence_order": verdict.evidence.order,
        "evidence_reasons": list(verdict.evidence_reasons),
        "rank": standing and standing.rank,
        "is_tied": standing and standing.is_tied,
        "position": standing and standing.position,
        "ratio_to_leader": standing and standing.ratio_to_leader,
        "speedup_over_baseline": standing and standing.speedup_over_baseline,
    }


def _event_row(event: RecordEventFact) -> Row:
    return {
        "cohort": event.cohort,
        "ordinal": event.ordinal,
        "changed_at": event.at.replace(tzinfo=None),
        "cause": event.cause.value,
        "policy": event.policy,
        "run": event.run,
        "previous_run": event.previous_run,
        "value": event.value,
        "previous_value": event.previous_value,
        "improvement_percent": event.improvement_percent,
    }


def _write_meta(
    connection: duckdb.DuckDBPyConnection, snapshot: ObjectId, sequence: int, derivation: Derivation
) -> None:
    connection.execute("DELETE FROM meta")
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [
            ("table_version", TABLE_VERSION),
            ("snapshot", snapshot),
            ("sequence", str(sequence)),
            ("policies", derivation.version),
        ],
    )
