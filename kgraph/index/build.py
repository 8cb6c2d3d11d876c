"""Making an index from the log: whole, or carried forward from an earlier snapshot's."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kgraph.digest import ObjectId, digest_object
from kgraph.errors import KgraphError
from kgraph.index.derive import derive_tables
from kgraph.index.folder import (
    BUILDING,
    Base,
    find_base,
    hold_folder,
    is_usable,
    name_index,
    prune,
    remove_leftovers,
)
from kgraph.index.load import Loader
from kgraph.index.read import CATALOG, is_damage, quote_text
from kgraph.index.schema import TABLE_VERSION, load_tables_sql

if TYPE_CHECKING:
    from kgraph.facts import Derivation
    from kgraph.log import Log, LogEntry
    from kgraph.store import ReadStore

EMPTY_SNAPSHOT: ObjectId = digest_object(b"")
"""The snapshot of a catalogue without a publication: the object id of no bytes."""


class IndexFolderError(KgraphError):
    """An index cannot be made where it should lie."""

    code = "INDEX_FOLDER"
    exit_code = 2

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder, self.problem = folder, problem
        super().__init__(
            f"{folder}: {problem}, expected a folder to write the index to; name another one"
        )


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


def build_index(
    log: Log,
    store: ReadStore,
    derivation: Derivation,
    *,
    folder: Path,
    until: LogEntry | None = None,
    is_fresh: bool = False,
) -> BuiltIndex:
    """The index of the head, or of `until`; made where it is not there, or is not readable.

    Processes that build in one folder take turns, and each sees what the one before it made. One
    that is killed leaves no name that a reader would take for an index.

    Args:
        folder: Where index files of this store live; created where absent.
        until: The log entry whose snapshot is wanted; the head where absent.
        is_fresh: Replay the whole log, whatever is there.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: an object that the log cites is missing or damaged.
        IndexFolderError: the folder cannot be written to.
    """
    newest = log.head()
    head = until or newest
    snapshot = head.object_id if head else EMPTY_SNAPSHOT
    path = folder / name_index(snapshot, derivation)
    present = BuiltIndex(path, snapshot, head.sequence if head else 0, 0, is_incremental=False)
    if not is_fresh and is_usable(path, snapshot, derivation):
        return present
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold_folder(folder) as is_alone:
            if not is_fresh and is_usable(path, snapshot, derivation):
                return present
            if is_alone:
                remove_leftovers(folder)
            built = _make(log, store, derivation, path=path, head=head, is_fresh=is_fresh)
            # The newest is what the next process asks for first, however old its last use.
            kept = {path, folder / name_index(newest.object_id, derivation)} if newest else {path}
            prune(folder, keep=kept)
    except (OSError, duckdb.IOException) as error:
        raise IndexFolderError(folder, str(error).partition("\n")[0][:200]) from error
    return built


def _make(
    log: Log,
    store: ReadStore,
    derivation: Derivation,
    *,
    path: Path,
    head: LogEntry | None,
    is_fresh: bool,
) -> BuiltIndex:
    base = None if is_fresh or head is None else find_base(path.parent, log, head, derivation)
    if base is not None:
        try:
            return _write(log, store, derivation, path=path, head=head, base=base)
        except duckdb.Error as error:
            if not is_damage(error):
                raise
            # A block of the earlier file is damaged; replaying the log loses nothing but time.
            base.path.unlink(missing_ok=True)
    return _write(log, store, derivation, path=path, head=head, base=None)


def _write(
    log: Log,
    store: ReadStore,
    derivation: Derivation,
    *,
    path: Path,
    head: LogEntry | None,
    base: Base | None,
) -> BuiltIndex:
    after, last = (base.sequence if base else 0), (head.sequence if head else 0)
    entries = [entry for entry in log.entries(after=after) if entry.sequence <= last]
    snapshot = head.object_id if head else EMPTY_SNAPSHOT
    with tempfile.TemporaryDirectory(
        prefix=path.stem, suffix=BUILDING, dir=path.parent, ignore_cleanup_errors=True
    ) as name:
        building = Path(name) / path.name
        if base is not None:
            shutil.copyfile(base.path, building)
        # The spill folder dies with the rest; nothing is gained by logging ahead what is thrown
        # away unless it is finished.
        with duckdb.connect(":memory:", config={"temp_directory": f"{name}/spill"}) as connection:
            connection.execute(
                f"ATTACH {quote_text(str(building))} AS {CATALOG} (RECOVERY_MODE NO_WAL_WRITES)"
            )
            connection.execute(f"USE {CATALOG}")
            if base is None:
                connection.execute(load_tables_sql())
            loader = Loader(connection, store)
            for entry in entries:
                loader.append_publication(entry, log.object_ids(entry))
            derive_tables(connection, loader, derivation)
            _write_meta(connection, snapshot, last, derivation)
            _seal(connection, building)
        building.replace(path)
    return BuiltIndex(path, snapshot, last, len(entries), base is not None)


def _write_meta(
    connection: duckdb.DuckDBPyConnection, snapshot: ObjectId, sequence: int, derivation: Derivation
) -> None:
    rows = (
        ("table_version", TABLE_VERSION),
        ("snapshot", snapshot),
        ("sequence", str(sequence)),
        ("policies", derivation.version),
    )
    connection.execute("DELETE FROM meta")
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)


def _seal(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write everything out, and into the file how long it is at least."""
    connection.execute(f"CHECKPOINT {CATALOG}")
    while True:
        size_bytes = path.stat().st_size
        connection.execute("DELETE FROM meta WHERE key = 'size_bytes'")
        connection.execute("INSERT INTO meta VALUES ('size_bytes', ?)", [str(size_bytes)])
        connection.execute(f"CHECKPOINT {CATALOG}")
        # Noting the length may free the last block; then the shorter length is the one to note.
        if path.stat().st_size >= size_bytes:
            return
