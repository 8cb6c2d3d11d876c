"""Everything that can be wrong with a log, told entry by entry."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kgraph.canonical import MAX_BYTES
from kgraph.errors import DamageError
from kgraph.log.entry import ChainBrokenError, decode_entry, entry_key, entry_sequence
from kgraph.store import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.digest import ObjectId
    from kgraph.log.chain import Log
    from kgraph.log.entry import LogEntry
    from kgraph.store import ObjectStore


def check_log(log: Log, store: ObjectStore) -> Iterator[Problem]:
    """Every gap, break and dangling citation of the log; it goes on behind a broken entry.

    Objects are looked for, not read: that is `ObjectStore.check`.
    """
    numbers: list[int] = []
    for info in store.blobs.iter_blobs("log/"):
        number = entry_sequence(info.key)
        if number is None:
            what = "has a name that no entry has; nothing reads it"
            yield Problem(store.blobs.where(info.key), what, None, Severity.WARNING)
        else:
            numbers.append(number)
    for before, number in pairwise([0, *numbers]):
        if number > before + 1:
            # One finding however wide the gap: a stray name may claim any number.
            missing = f"entry {number - 1}"
            if number > before + 2:
                missing = f"entries {before + 1} to {number - 1}"
            what = f"found nothing, expected {missing} of {numbers[-1]}"
            where = store.blobs.where(entry_key(before + 1))
            yield Problem(where, what, None, Severity.DAMAGE)

    # A pack that cannot be opened is `ObjectStore.check`'s to report; what it held is missing here.
    stored = set(store.iter_ids(skip_damaged=True))
    published: set[ObjectId] = set()
    last: LogEntry | None = None
    keys = map(entry_key, numbers)
    for number, (key, content) in zip(
        numbers, store.blobs.read_many(keys, limit=MAX_BYTES), strict=True
    ):
        where = store.blobs.where(key)
        if content is None:
            yield Problem(where, "was there and is gone", None, Severity.DAMAGE)
            continue
        try:
            entry = decode_entry(content, number, where)
        except ChainBrokenError as error:
            what = f"found {error.found}, expected {error.expected}"
            yield Problem(where, what, None, Severity.DAMAGE)
            last = None
            continue
        # Behind a missing or unreadable entry there is nothing to compare the parent with.
        is_linked = number == 1 or (last is not None and last.sequence == number - 1)
        parent = None if number == 1 or last is None else last.object_id
        if is_linked and entry.publication.parent != parent:
            what = f"found parent {entry.publication.parent}, expected {parent}, the entry before"
            yield Problem(where, what, None, Severity.DAMAGE)
        last = entry
        yield from _check_objects(log, entry, where, stored, published)

    unpublished = len(stored) - len(published & stored)
    if unpublished:
        what = f"holds {unpublished} objects that no publication cites; nobody sees them"
        yield Problem(store.where, what, None, Severity.WARNING)


def _check_objects(
    log: Log, entry: LogEntry, where: str, stored: set[ObjectId], published: set[ObjectId]
) -> Iterator[Problem]:
    try:
        ids = log.object_ids(entry)
    except DamageError as error:
        yield Problem(where, f"cites a pack that cannot be read: {error}", None, Severity.DAMAGE)
        return
    if len(ids) != entry.publication.object_count:
        what = f"counts {entry.publication.object_count} objects and adds {len(ids)}"
        yield Problem(where, what, None, Severity.DAMAGE)
    for object_id in ids:
        if object_id not in stored:
            what = f"cites {object_id}, which is not stored"
            yield Problem(where, what, object_id, Severity.DAMAGE)
        elif object_id in published:
            what = f"adds {object_id}, which an entry before has added"
            yield Problem(where, what, object_id, Severity.WARNING)
        published.add(object_id)
