"""Which snapshot a request is answered from: the newest, or an earlier one by name or date."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from cachetools import LRUCache

from kgraph.catalog.catalog import Catalog
from kgraph.digest import ObjectId, parse_ref
from kgraph.errors import KgraphError
from kgraph.index import (
    AmbiguousRefError,
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
_OPENINGS = 2


class UnknownSnapshotError(KgraphError):
    """A request pinned to a snapshot or date that the log does not reach."""

    code = "UNKNOWN_SNAPSHOT"

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(
            f"snapshot: found {found[:90]!r}, expected the id of a publication of this log"
        )


class NothingPublishedError(UnknownSnapshotError):
    """A request for the catalogue as of an instant before which nothing was published."""

    def __init__(self, instant: datetime, first: datetime | None) -> None:
        self.found, self.first = instant.isoformat(), first
        expected = (
            "an instant after the first publication, and there is none yet"
            if first is None
            else f"{first.isoformat()} or later, when the first publication was made"
        )
        KgraphError.__init__(self, f"asOf: found {self.found}, expected {expected}")


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
        threads: int = 1,
    ) -> None:
        """A source that is open at the newest snapshot.

        Args:
            threads: What one question runs on. A server asks several at once, and a page of a list
                costs a third less on one thread than on two; an idle machine that counts millions
                of runs gains by more.
        """
        self._log, self._store, self._derivation = log, store, derivation
        self._folder, self._clock, self._threads = folder, clock, threads
        # One lock to make what may take minutes, and one to look at what is there meanwhile.
        self._making, self._looking = threading.Lock(), threading.Lock()
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
        with self._making:
            head = self._log.head()
            if head is None or head.object_id == self._current.snapshot:
                return False
            newer = self._open(head)
            with self._looking:
                self._earlier[self._current.snapshot] = self._current
                self._current = newer
            return True

    def at(self, snapshot: str) -> Catalog:
        """The catalogue as of one publication, by its id or a unique prefix of it.

        Raises:
            BadDigestError: the text is no object id and no prefix of one.
            AmbiguousRefError: the prefix fits several publications.
            UnknownSnapshotError: the log holds no such publication.
        """
        prefix = parse_ref(snapshot)
        if prefix.algorithm == "sha256":
            raise UnknownSnapshotError(snapshot)
        if prefix.is_full:
            # Known by its whole name, the log need not be read.
            found = self._find_open(ObjectId(f"blake3:{prefix.hex}"))
            if found is not None:
                return found
        entries = self._log.find(prefix.hex)
        if len(entries) > 1:
            raise AmbiguousRefError(snapshot, [entry.object_id for entry in entries])
        if not entries:
            raise UnknownSnapshotError(snapshot)
        return self._open_earlier(entries[0])

    def as_of(self, instant: datetime) -> Catalog:
        """The catalogue as it stood at an instant.

        Raises:
            NothingPublishedError: nothing was published by then.
        """
        entry = self._log.as_of(instant)
        if entry is None:
            first = self._log.get(1)
            raise NothingPublishedError(
                instant, None if first is None else first.publication.instant
            )
        return self._open_earlier(entry)

    def _find_open(self, snapshot: ObjectId) -> Catalog | None:
        with self._looking:
            if snapshot == self._current.snapshot:
                return self._current
            return self._earlier.get(snapshot)

    def _open_earlier(self, entry: LogEntry) -> Catalog:
        found = self._find_open(entry.object_id)
        if found is not None:
            return found
        with self._making:
            # Another request may have asked for the same one.
            found = self._find_open(entry.object_id)
            if found is None:
                found = self._open(entry)
                with self._looking:
                    self._earlier[entry.object_id] = found
            return found

    def _open(self, entry: LogEntry | None) -> Catalog:
        for _ in range(_OPENINGS):
            # Another process may let go of the file before it is open here; then it is made again.
            with contextlib.suppress(IndexVersionError, IndexDamagedError):
                return self._catalog(entry)
        return self._catalog(entry)

    def _catalog(self, entry: LogEntry | None) -> Catalog:
        built = build_index(
            self._log, self._store, self._derivation, folder=self._folder, until=entry
        )
        index = Index(built.path, threads=self._threads)
        return Catalog(index, self._store, clock=self._clock)
