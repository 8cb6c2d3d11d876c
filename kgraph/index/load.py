"""Rows into the raw tables of an index that is being made: in bulk, one publication at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.index.extract import (
    Known,
    KnownWorkload,
    Row,
    Stored,
    extract_objects,
    extract_runs,
    parse_instant,
    read_stored,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from kgraph.digest import ObjectId
    from kgraph.log import LogEntry
    from kgraph.store import ReadStore

# Some 3 kB each: what is held at once stays under 100 MB, and a statement is worth its cost.
RUNS_A_CHUNK = 20_000
"""Most runs that are held in memory as values at once."""

# Runs wait as bytes for what they cite; those that find no room are read from the store again.
HELD_BYTES = 256 << 20
"""Most bytes of waiting runs."""

_RUN_MARK = b'"kind":"BenchmarkRun"'
_MARK_WINDOW = 80


class Loader:
    """Fills the tables of one index; holds what later objects need to know of earlier ones."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, store: ReadStore) -> None:
        self._connection, self._store = connection, store
        self._schemas: dict[str, Any] = {}
        self._known = self._load_known()

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        """Append rows to a table; each has every column of it."""
        if not rows:
            return
        # Only building needs Arrow, and a server that opens an index must not pay for importing it.
        import pyarrow as pa  # noqa: PLC0415

        schema = self._schemas.get(table)
        if schema is None:
            # The table's own types, so tables.sql stays the one place that names them.
            empty = self._connection.table(table).limit(0).to_arrow_table()
            schema = self._schemas[table] = empty.schema
        arrays = [
            pa.array([row[column.name] for row in rows], type=column.type) for column in schema
        ]
        self._connection.register("batch", pa.Table.from_arrays(arrays, schema=schema))
        self._connection.execute(f"INSERT INTO {table} SELECT * FROM batch")
        self._connection.unregister("batch")

    def append_publication(self, entry: LogEntry, ids: Sequence[ObjectId]) -> None:
        """Everything that one publication adds.

        Raises:
            ObjectNotFoundError, ObjectCorruptError: an object that it cites is missing or damaged.
        """
        publication = entry.publication
        self.insert(
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
        for stored in self._read_publication(entry, ids):
            self._insert_all(extract_objects(stored, self._known).rows)
        self._revive_dangling()

    def _insert_all(self, rows: Mapping[str, Sequence[Row]]) -> None:
        for table, added in rows.items():
            self.insert(table, added)

    def _read_publication(
        self, entry: LogEntry, ids: Sequence[ObjectId]
    ) -> Iterator[Sequence[Stored]]:
        """The objects of a publication: everything but runs first, then its runs in chunks."""
        ordinals = {object_id: ordinal for ordinal, object_id in enumerate(ids)}

        def read(object_id: ObjectId, content: bytes) -> Stored:
            return read_stored(object_id, content, entry.sequence, ordinals[object_id])

        others: list[Stored] = []
        held: list[tuple[ObjectId, bytes]] = []
        held_bytes = 0
        later: list[ObjectId] = []
        for object_id, content in self._store.get_many(ids):
            if _RUN_MARK not in content[:_MARK_WINDOW]:
                others.append(read(object_id, content))
            elif held_bytes + len(content) <= HELD_BYTES:
                held.append((object_id, content))
                held_bytes += len(content)
            else:
                later.append(object_id)
        yield others
        held.reverse()
        while held:
            # Let go of as they are read.
            yield [read(*held.pop()) for _ in range(min(RUNS_A_CHUNK, len(held)))]
        for start in range(0, len(later), RUNS_A_CHUNK):
            chunk = self._store.get_many(later[start : start + RUNS_A_CHUNK])
            yield [read(*item) for item in chunk]

    def _revive_dangling(self) -> None:
        """Take in the runs of earlier publications that cite what only now is there."""
        known = self._known
        revived = known.find_revived()
        if not revived:
            return
        found = self._connection.execute(
            "SELECT object_id, sequence, ordinal FROM raw_object WHERE digest IN"
            f" ({', '.join('?' * len(revived))})",
            revived,
        ).fetchall()
        places = {object_id: (sequence, ordinal) for object_id, sequence, ordinal in found}
        stored = [
            read_stored(object_id, content, *places[object_id])
            for object_id, content in self._store.get_many(places)
        ]
        for table, column in (("dangling", "digest"), ("raw_reference", "from_digest")):
            self._connection.execute(
                f"DELETE FROM {table} WHERE {column} IN ({', '.join('?' * len(revived))})", revived
            )
        for digest in revived:
            del known.dangling[digest]
        self._insert_all(extract_runs(stored, known).rows)

    def _load_known(self) -> Known:
        known = Known()
        fetch = self._fetch
        for digest, operation, key in fetch(
            "SELECT digest, operation, correctness_key FROM raw_workload"
        ):
            known.workloads[digest] = KnownWorkload(operation, key)
        known.statistics = dict(fetch("SELECT digest, primary_statistic FROM raw_protocol"))
        known.operations.update(digest for (digest,) in fetch("SELECT digest FROM raw_operation"))
        known.implementations.update(
            digest for (digest,) in fetch("SELECT digest FROM raw_implementation")
        )
        known.environments.update(
            digest for (digest,) in fetch("SELECT digest FROM raw_environment")
        )
        for digest, name, missing in fetch("SELECT digest, field, missing FROM dangling"):
            known.dangling[digest][name] = missing
        return known

    def _fetch(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()
