"""What the catalogue holds: the objects that its log cites, whatever else lies in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.ingest.holding import read_holding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.ingest.holding import Holding
    from kgraph.log import Log, LogEntry
    from kgraph.store import ReadStore


class Published:
    """The ids that a log cites, kept up as it grows; bytes that no entry cites are not in it."""

    def __init__(self, store: ReadStore, log: Log) -> None:
        self._store, self._log = store, log
        self._ids: set[ObjectId] = set()
        self._head: LogEntry | None = None

    @property
    def head(self) -> LogEntry | None:
        """The newest entry that was looked at; None for an empty log."""
        return self._head

    def catch_up(self) -> None:
        """Look at the entries that came since the last call.

        Raises:
            ChainBrokenError, ObjectNotFoundError, PackCorruptError: the log or a pack that it
                cites is damaged.
        """
        for entry in self._log.entries(after=self._head.sequence if self._head else 0):
            self._ids.update(self._log.object_ids(entry))
            self._head = entry

    def __contains__(self, object_id: ObjectId) -> bool:
        """Whether an entry cites the object."""
        return object_id in self._ids

    def iter_holdings(self) -> Iterator[Holding]:
        """Everything that the catalogue holds, in the order of its publication.

        Raises:
            ObjectNotFoundError, ObjectCorruptError, PackCorruptError: an object is missing or
                damaged.
        """
        for entry in self._log.entries():
            for object_id, content in self._store.get_many(self._log.object_ids(entry)):
                yield read_holding(object_id, content)

    def find_holdings(
        self, wanted: Iterable[SpecDigest], *, but_not: Iterable[ObjectId] = ()
    ) -> dict[SpecDigest, Holding]:
        """Those of `wanted` that the catalogue holds.

        An object id does not tell the spec digest, so objects are read until all are found.

        Args:
            wanted: digests that manifests cite.
            but_not: objects whose digests the caller knows already.

        Raises:
            ObjectNotFoundError, ObjectCorruptError, PackCorruptError: an object that is read is
                missing or damaged.
        """
        missing = set(wanted)
        found: dict[SpecDigest, Holding] = {}
        if not missing:
            return found
        for object_id, content in self._store.get_many(sorted(self._ids.difference(but_not))):
            holding = read_holding(object_id, content)
            if holding.digest in missing:
                missing.remove(holding.digest)
                found[holding.digest] = holding
                if not missing:
                    break
        return found
