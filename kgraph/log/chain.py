"""The chain of publications: create-only, numbered, each naming the one before."""

from __future__ import annotations

import random
import threading
import time
from datetime import UTC
from typing import TYPE_CHECKING

from kgraph.canonical import MAX_BYTES
from kgraph.errors import KgraphError
from kgraph.log.entry import (
    MAX_LISTED_IDS,
    MAX_SEQUENCE,
    ChainBrokenError,
    Draft,
    LogEntry,
    PublicationTooLargeError,
    decode_entry,
    encode_entry,
    entry_key,
    entry_sequence,
)
from kgraph.store import ObjectNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from kgraph.digest import ObjectId
    from kgraph.store import ObjectStore

# A lost race costs one file; losing so many in a row means that something else is wrong.
_MAX_RACES = 64
# A pause grows from some milliseconds, the time of one append, to this.
_LONGEST_PAUSE_S = 0.5


class LogContentionError(KgraphError):
    """Other writers were faster each time; nothing was appended."""

    code = "LOG_CONTENTION"

    def __init__(self, where: str, races: int) -> None:
        self.where, self.races = where, races
        super().__init__(f"{where}: lost {races} races for the next number; try again later")


class Log:
    """The log of one store. Threads may share it.

    It remembers the last entry it has seen, so that asking for the head costs one look for a newer
    one.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._blobs = store.blobs
        self._lock = threading.Lock()
        self._head: LogEntry | None = None

    @property
    def where(self) -> str:
        """What a person calls this log: a path or an address."""
        return self._blobs.where("log")

    def head(self) -> LogEntry | None:
        """The last entry; None for an empty log.

        Raises:
            ChainBrokenError: an entry is missing before it, or it does not follow the one before.
        """
        with self._lock:
            head = self._head or self._find_head()
            while head is not None and (newer := self._load(head.sequence + 1)) is not None:
                self._check_link(newer, head)
                head = newer
            self._head = head
            return head

    def entries(self, after: int = 0) -> Iterator[LogEntry]:
        """Entries behind number `after`, in order, each verified: number, form, and parent.

        Raises:
            ChainBrokenError: one of them is not what the chain promises; those before it have been
            given.
        """
        head = self.head()
        if head is None or after >= head.sequence:
            return
        before = self._load_present(after) if after > 0 else None
        keys = (entry_key(number) for number in range(after + 1, head.sequence + 1))
        for key, content in self._blobs.read_many(keys, limit=MAX_BYTES):
            sequence = 1 if before is None else before.sequence + 1
            if content is None:
                raise ChainBrokenError(self._blobs.where(key), "nothing", f"entry {sequence}")
            entry = decode_entry(content, sequence, self._blobs.where(key))
            self._check_link(entry, before)
            yield entry
            before = entry

    def append(self, make: Callable[[LogEntry | None], Draft | None]) -> LogEntry | None:
        """The entry that was appended; None where `make` decided against one.

        The objects are in the store before: an entry that cites what is missing is refused. Where
        another writer takes the number first, `make` is called again with the new head, so that it
        can leave out what that writer has published.

        Args:
            make: gives the draft of the entry behind the head it is handed (None for an empty log),
            or
                None to append nothing.

        Raises:
            ObjectNotFoundError: the draft cites an object or a pack that is not stored.
            PublicationTooLargeError: it lists too many ids.
            LogContentionError: other writers were faster, too often in a row.
            ChainBrokenError: the log is damaged.
        """
        for race in range(_MAX_RACES):
            head = self.head()
            draft = make(head)
            if draft is None:
                return None
            entry = encode_entry(draft, head, self._count(draft))
            if entry.sequence > MAX_SEQUENCE:
                raise ChainBrokenError(self.where, "a full log", f"at most {MAX_SEQUENCE} entries")
            key = entry_key(entry.sequence)
            # Where the answer to our own request was lost and it was sent again, the entry is found
            # to be there already; equal bytes say that it is ours.
            if (
                self._blobs.create(key, entry.content)
                or self._blobs.read(key, limit=MAX_BYTES) == entry.content
            ):
                with self._lock:
                    self._head = entry
                return entry
            pause_s = min(_LONGEST_PAUSE_S, 0.002 * 2**race)
            time.sleep(random.uniform(0, pause_s))  # noqa: S311 - spreads writers, hides nothing
        raise LogContentionError(self.where, _MAX_RACES)

    def get(self, sequence: int) -> LogEntry | None:
        """Entry `sequence`, its parent not looked at; None where the log has none.

        Raises:
            ChainBrokenError: what is stored there is no entry.
        """
        return self._load(sequence) if 1 <= sequence <= MAX_SEQUENCE else None

    def find(self, hex_prefix: str) -> tuple[LogEntry, ...]:
        """Entries whose snapshot's digits start with `hex_prefix`, in order; the whole log is read.

        Raises:
            ChainBrokenError: the chain is broken.
        """
        return tuple(
            entry
            for entry in self.entries()
            if entry.object_id.partition(":")[2].startswith(hex_prefix)
        )

    def as_of(self, instant: datetime) -> LogEntry | None:
        """The last entry published at `instant` or before; None where the log starts later.

        Read from the head backwards, which is where people look.

        Raises:
            ChainBrokenError: the chain is broken between the head and that entry.
        """
        moment = instant.astimezone(UTC)
        entry = self.head()
        while entry is not None and entry.publication.instant > moment:
            before = self._load_present(entry.sequence - 1) if entry.sequence > 1 else None
            self._check_link(entry, before)
            entry = before
        return entry

    def object_ids(self, entry: LogEntry) -> tuple[ObjectId, ...]:
        """Ids of the objects that `entry` adds, ascending, each once.

        Raises:
            ObjectNotFoundError: a pack it cites is missing.
            PackCorruptError: a pack's index is damaged.
        """
        publication = entry.publication
        if not publication.packs:
            return publication.objects
        ids = {one for pack_id in publication.packs for one in self._store.pack_ids(pack_id)}
        return tuple(sorted(ids))

    def _count(self, draft: Draft) -> int:
        """Number of objects that a draft adds; all of them are stored."""
        listed = max(len(draft.objects), len(draft.packs))
        if listed > MAX_LISTED_IDS:
            raise PublicationTooLargeError(listed)
        if draft.packs:
            return len({one for pack_id in draft.packs for one in self._store.pack_ids(pack_id)})
        for missing in self._store.absent(draft.objects):
            raise ObjectNotFoundError(self._store.where, missing)
        return len(set(draft.objects))

    def _find_head(self) -> LogEntry | None:
        """The last entry by a listing: the one time that the log is listed."""
        numbers = {
            number
            for info in self._blobs.iter_blobs("log/")
            if (number := entry_sequence(info.key)) is not None
        }
        if not numbers:
            return None
        last = max(numbers)
        for number in range(1, last):
            # A listing taken while entries are added may show a later one and miss one before it.
            if number not in numbers and self._blobs.size_bytes(entry_key(number)) is None:
                where = self._blobs.where(entry_key(number))
                raise ChainBrokenError(where, "nothing", f"entry {number} of {last}")
        head = self._load_present(last)
        self._check_link(head, self._load_present(last - 1) if last > 1 else None)
        return head

    def _load(self, sequence: int) -> LogEntry | None:
        key = entry_key(sequence)
        content = self._blobs.read(key, limit=MAX_BYTES)
        return None if content is None else decode_entry(content, sequence, self._blobs.where(key))

    def _load_present(self, sequence: int) -> LogEntry:
        entry = self._load(sequence)
        if entry is None:
            where = self._blobs.where(entry_key(sequence))
            raise ChainBrokenError(where, "nothing", f"entry {sequence}")
        return entry

    def _check_link(self, entry: LogEntry, before: LogEntry | None) -> None:
        named = None if before is None else before.object_id
        if entry.publication.parent != named:
            raise ChainBrokenError(
                self._blobs.where(entry_key(entry.sequence)),
                f"parent {entry.publication.parent}",
                f"{named}, the entry before",
            )
