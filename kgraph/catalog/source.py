"""Which snapshot a request is answered from: the newest, or an earlier one by name or date."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cachetools import LRUCache

from kgraph.catalog.catalog import Catalog
from kgraph.digest import ObjectId, parse_ref
from kgraph.errors import KgraphError
from kgraph.index import (
    AmbiguousRefError,
    BuiltIndex,
    Index,
    IndexDamagedError,
    IndexVersionError,
    build_index,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from kgraph.facts import Derivation
    from kgraph.log import Log, LogEntry
    from kgraph.store import ReadStore

# An open index costs little memory until it is asked; more earlier snapshots than this are
# reopened.
_MAX_EARLIER = 8


class UnknownSnapshotError(KgraphError):
    """A request pinned to a snapshot or date that the log does not reach."""

    code = "UNKNOWN_SNAPSHOT"

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(
            f"snapshot: found {found[:90]!r}, expected the id of a publication of this log"
        )


class CatalogSource:
    """The catalogue behind a server: its newest snapshot, kept open, and earlier ones on demand."""

    def __init__(
        self,
        log: Log,
        store: ReadStore,
        derivation: Derivation,
        *,
        folder: Path,
        clock: Callable[[], datetime],
        threads: int = 2,
    ) -> None:
        self._log, self._store, self._derivation = log, store, derivation
        self._folder, self._clock, self._threads = folder, clock, threads
        self._lock = threading.Lock()
        self._earlier: LRUCache[ObjectId, Catalog] = LRUCache(_MAX_EARLIER)
        self._current = self._open(None)

    def current(self) -> Catalog:
        """The newest snapshot that is ready; a request keeps the one it got."""
        return self._current

    def refresh(self) -> bool:
        """Carry the index forward where the log has grown, and answer from it from now on.

        Requests that hold the earlier catalogue finish on it; its file closes with the last of
        them.

        Returns:
            Whether there was anything new.
        """
        with self._lock:
            head = self._log.head()
            if head is None or head.object_id == self._current.snapshot:
                return False
            self._earlier[self._current.snapshot] = self._current
            self._current = self._open(head)
            return True

    def at(self, snapshot: str) -> Catalog:
        """The catalogue as of one publication, by its id or a unique prefix of it.

        Raises:
            BadDigestError: the text is no object id and no prefix of one.
            AmbiguousRefError: the prefix fits several publications.
            UnknownSnapshotError: the log holds no such publication.
        """
        if snapshot == self._current.snapshot:
            return self._current
        prefix = parse_ref(snapshot)
        if prefix.algorithm == "sha256":
            raise UnknownSnapshotError(snapshot)
        with self._lock:
            entries = self._log.find(prefix.hex)
            if len(entries) > 1:
                raise AmbiguousRefError(snapshot, [entry.object_id for entry in entries])
            if not entries:
                raise UnknownSnapshotError(snapshot)
            return self._open_earlier(entries[0])

    def as_of(self, instant: datetime) -> Catalog:
        """The catalogue as it stood at an instant.

        Raises:
            UnknownSnapshotError: nothing was published by then.
        """
        with self._lock:
            entry = self._log.as_of(instant)
            if entry is None:
                raise UnknownSnapshotError(instant.isoformat())
            return self._open_earlier(entry)

    def _open_earlier(self, entry: LogEntry) -> Catalog:
        if entry.object_id == self._current.snapshot:
            return self._current
        found = self._earlier.get(entry.object_id)
        if found is None:
            found = self._earlier[entry.object_id] = self._open(entry)
        return found

    def _open(self, entry: LogEntry | None) -> Catalog:
        built = self._build(entry, is_fresh=False)
        try:
            index = Index(built.path, threads=self._threads)
        except (IndexVersionError, IndexDamagedError):
            # Derived, so nothing is lost: replay the log into a new file.
            index = Index(self._build(entry, is_fresh=True).path, threads=self._threads)
        return Catalog(index, self._store, clock=self._clock)

    def _build(self, entry: LogEntry | None, *, is_fresh: bool) -> BuiltIndex:
        return build_index(
            self._log,
            self._store,
            self._derivation,
            folder=self._folder,
            until=entry,
            is_fresh=is_fresh,
        )
