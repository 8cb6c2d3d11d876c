"""Objects by their id, over blobs: loose ones, and packs of many."""

from __future__ import annotations

import heapq
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from blake3 import blake3

from kgraph.digest import ObjectId, digest_object
from kgraph.store.damage import (
    ObjectCorruptError,
    ObjectNotFoundError,
    ObjectTooLargeError,
    PackCorruptError,
    Problem,
    Severity,
    StoreAccessError,
)
from kgraph.store.pack import MAX_OBJECT_BYTES, Pack, encode_pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kgraph.store.blobs import Blobs

LOOSE = "loose/"
PACKS = "packs/"
LOG = "log/"

_LOOSE_KEY = re.compile(r"loose/([0-9a-f]{2})/([0-9a-f]{62})\.json")
_PACK_KEY = re.compile(r"packs/([0-9a-f]{64})\.pack")
_SCHEME = "blake3:"

# What no writer needs longer than: leftovers older than this belong to a dead one.
STRAY_AGE_S = 3600.0


@dataclass(frozen=True, slots=True)
class PackResult:
    """A stored pack."""

    pack_id: ObjectId
    """`blake3:` and the digest of the pack file; what a Publication cites."""
    object_ids: tuple[ObjectId, ...]
    """What it holds, ascending, each once."""


class ReadStore(Protocol):
    """Objects by id; whatever is returned has been verified against its name."""

    def get(self, object_id: ObjectId) -> bytes:
        """Content of one object.

        Raises:
            ObjectNotFoundError: it is not stored.
            ObjectCorruptError: what is stored under its name hashes to another.
            PackCorruptError: it lies in a damaged pack, or may lie in one that cannot be opened.
        """
        ...

    def get_many(self, ids: Iterable[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        """Content of each distinct object, in the order that is cheapest to read.

        Raises:
            ObjectNotFoundError, ObjectCorruptError, PackCorruptError: as for `get`.
        """
        ...

    def has(self, object_id: ObjectId) -> bool:
        """Whether it is stored; its bytes are not looked at."""
        ...

    def absent(self, ids: Iterable[ObjectId]) -> tuple[ObjectId, ...]:
        """Those of `ids` that are not stored, ascending; one listing where many are asked for."""
        ...

    def find(self, hex_prefix: str, *, limit: int) -> tuple[ObjectId, ...]:
        """At most `limit` ids whose digits start with `hex_prefix` (8 to 64), ascending."""
        ...

    def iter_ids(self) -> Iterator[ObjectId]:
        """Every stored id once, ascending."""
        ...

    def pack_ids(self, pack_id: ObjectId) -> tuple[ObjectId, ...]:
        """Ids of what a pack holds, ascending.

        Raises:
            ObjectNotFoundError: there is no such pack.
            PackCorruptError: its index is damaged.
        """
        ...


class WriteStore(ReadStore, Protocol):
    """A store that takes objects. Nobody chooses a name: content has one."""

    def put(self, content: bytes) -> ObjectId:
        """Id of `content`, stored loose unless it is stored already.

        Raises:
            ObjectTooLargeError: it is above 16 MiB.
            ObjectCorruptError: a damaged file has its name; it is left as it is.
            StoreAccessError: it cannot be written.
        """
        ...

    def put_many(self, contents: Iterable[bytes]) -> tuple[ObjectId, ...]:
        """Ids of `contents`, in their order, each stored loose as by `put`; durable on return."""
        ...

    def put_pack(self, contents: Iterable[bytes]) -> PackResult:
        """One sealed pack of the distinct `contents`, at least one; durable on return.

        What is stored elsewhere already is packed all the same, so that equal contents give an
        equal pack. All contents are in memory at once: a large import writes several packs.
        """
        ...


class ObjectStore:
    """The one store, over any blobs. Threads may share it; it holds no file open."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs
        self._lock = threading.Lock()
        self._packs: dict[str, Pack] | None = None
        self._broken: dict[str, PackCorruptError] = {}

    @property
    def where(self) -> str:
        """What a person calls this store: a path or an address."""
        return self.blobs.where("").rstrip("/")

    def get(self, object_id: ObjectId) -> bytes:
        """See `ReadStore.get`."""
        raw_id = _raw(object_id)
        if (found := self._find_packed(raw_id)) is not None:
            return found[0].read(found[1])
        content = self.blobs.read(loose_key(object_id), limit=MAX_OBJECT_BYTES)
        if content is not None:
            return self._verified(object_id, content)
        # Another process may have packed it since the packs were listed.
        self._refresh()
        if (found := self._find_packed(raw_id)) is not None:
            return found[0].read(found[1])
        raise self._not_found(object_id)

    def get_many(self, ids: Iterable[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        """See `ReadStore.get_many`."""
        packed: dict[Pack, list[int]] = {}
        loose: list[ObjectId] = []
        for object_id in dict.fromkeys(ids):
            if (found := self._find_packed(_raw(object_id))) is not None:
                packed.setdefault(found[0], []).append(found[1])
            else:
                loose.append(object_id)
        for pack, positions in packed.items():
            for raw_id, content in pack.read_many(positions):
                yield ObjectId(_SCHEME + raw_id.hex()), content
        yield from self._get_loose(loose)

    def has(self, object_id: ObjectId) -> bool:
        """See `ReadStore.has`."""
        raw_id = _raw(object_id)
        if self._find_packed(raw_id) is not None:
            return True
        if self.blobs.size_bytes(loose_key(object_id)) is not None:
            return True
        self._refresh()
        if self._find_packed(raw_id) is not None:
            return True
        self._raise_broken()
        return False

    def absent(self, ids: Iterable[ObjectId]) -> tuple[ObjectId, ...]:
        """See `ReadStore.absent`."""
        self._refresh()
        unpacked = sorted({one for one in ids if self._find_packed(_raw(one)) is None})
        if not unpacked:
            return ()
        loose = {ObjectId(_SCHEME + digits) for digits in self._iter_loose()}
        missing = tuple(one for one in unpacked if one not in loose)
        if missing:
            self._raise_broken()
        return missing

    def find(self, hex_prefix: str, *, limit: int) -> tuple[ObjectId, ...]:
        """See `ReadStore.find`."""
        self._refresh()
        self._raise_broken()
        low = bytes.fromhex(hex_prefix.ljust(64, "0"))
        high = bytes.fromhex(hex_prefix.ljust(64, "f"))
        found = {
            raw_id.hex()
            for pack in self._open_packs().values()
            for raw_id, _ in zip(pack.find_prefix(low, high), range(limit), strict=False)
        }
        listed = self.blobs.iter_blobs(f"{LOOSE}{hex_prefix[:2]}/{hex_prefix[2:]}")
        found.update(digits for info in listed if (digits := loose_digits(info.key)) is not None)
        return tuple(ObjectId(_SCHEME + digits) for digits in sorted(found)[:limit])

    def iter_ids(self, *, skip_damaged: bool = False) -> Iterator[ObjectId]:
        """See `ReadStore.iter_ids`; `skip_damaged` leaves out packs that cannot be opened."""
        self._refresh()
        if not skip_damaged:
            self._raise_broken()
        packed = (map(bytes.hex, pack.iter_raw_ids()) for pack in self._open_packs().values())
        last = ""
        for digits in heapq.merge(self._iter_loose(), *packed):
            if digits != last:
                yield ObjectId(_SCHEME + digits)
            last = digits

    def pack_ids(self, pack_id: ObjectId) -> tuple[ObjectId, ...]:
        """See `ReadStore.pack_ids`."""
        pack = self._pack(pack_id)
        return tuple(ObjectId(_SCHEME + raw_id.hex()) for raw_id in pack.iter_raw_ids())

    def put(self, content: bytes) -> ObjectId:
        """See `WriteStore.put`."""
        return self.put_many((content,))[0]

    def put_many(self, contents: Iterable[bytes]) -> tuple[ObjectId, ...]:
        """See `WriteStore.put_many`."""
        ids: list[ObjectId] = []
        unpacked: dict[ObjectId, bytes] = {}
        for content in contents:
            object_id = digest_object(_bounded(content))
            ids.append(object_id)
            if self._find_packed(_raw(object_id)) is None:
                unpacked[object_id] = content
        created = self.blobs.create_many(
            (loose_key(object_id), content) for object_id, content in unpacked.items()
        )
        present = {
            loose_key(object_id): object_id
            for object_id, is_new in zip(unpacked, created, strict=True)
            if not is_new
        }
        # "Stored already" is only true if the bytes are there: a damaged file must not pass for
        # them.
        for key, stored in self.blobs.read_many(present, limit=MAX_OBJECT_BYTES):
            # Gone again: a repack moved it into a pack, which has verified it.
            if stored is not None:
                self._verified(present[key], stored)
        return tuple(ids)

    def put_pack(self, contents: Iterable[bytes]) -> PackResult:
        """See `WriteStore.put_pack`."""
        sealed = encode_pack(_bounded(content) for content in contents)
        key = pack_key(sealed.name)
        if not self.blobs.create(key, sealed.data) and (
            self.blobs.read(key, limit=len(sealed.data)) != sealed.data
        ):
            raise PackCorruptError(
                self.blobs.where(key), "bytes of another digest", "the digest in its name"
            )
        self._refresh()
        return PackResult(ObjectId(_SCHEME + sealed.name), sealed.object_ids)

    def check(self, visit: Callable[[ObjectId, bytes], None] | None = None) -> Iterator[Problem]:
        """Everything wrong with the stored bytes: every file read, every object hashed.

        The log is not looked at beyond the names of its files: that is `kgraph.log.check_log`.

        Args:
            visit: called with each intact object, once for each place that holds it.
        """
        for info in self.blobs.iter_blobs(""):
            where = self.blobs.where(info.key)
            if (digits := loose_digits(info.key)) is not None:
                yield from self._check_loose(info.key, ObjectId(_SCHEME + digits), visit)
            elif (pack_match := _PACK_KEY.fullmatch(info.key)) is not None:
                try:
                    pack = self._open_pack(info.key, info.size_bytes)
                    yield from pack.check(pack_match.group(1), visit)
                except PackCorruptError as error:
                    what = f"found {error.found}, expected {error.expected}"
                    yield Problem(where, what, None, Severity.DAMAGE)
                except StoreAccessError as error:
                    what = f"cannot be read: {error.reason}"
                    yield Problem(where, what, None, Severity.DAMAGE)
            elif info.key.startswith((LOOSE, PACKS)):
                what = "has a name that no object or pack has; nothing reads it"
                yield Problem(where, what, None, Severity.WARNING)
            elif not info.key.startswith(LOG):
                yield Problem(
                    where, "is no part of a store; nothing reads it", None, Severity.WARNING
                )
        for info in self.blobs.stray(older_than_s=STRAY_AGE_S):
            what = "was left by a writer that was killed; `kgraph repack` sweeps it"
            yield Problem(self.blobs.where(info.key), what, None, Severity.WARNING)

    def iter_loose(self) -> Iterator[ObjectId]:
        """Ids of the loose objects, ascending."""
        return (ObjectId(_SCHEME + digits) for digits in self._iter_loose())

    def get_packed(self, object_id: ObjectId) -> bytes | None:
        """Content of an object that a pack holds, verified; None where none does.

        Raises:
            ObjectCorruptError, PackCorruptError: as for `get`.
        """
        found = self._find_packed(_raw(object_id))
        return None if found is None else found[0].read(found[1])

    def check_pack(self, pack_id: ObjectId) -> Iterator[Problem]:
        """Everything wrong with one pack, read anew.

        Raises:
            ObjectNotFoundError: there is no such pack.
        """
        key = pack_key(_digits(pack_id))
        size_bytes = self.blobs.size_bytes(key)
        if size_bytes is None:
            raise ObjectNotFoundError(self.where, pack_id)
        try:
            yield from self._open_pack(key, size_bytes).check(_digits(pack_id))
        except PackCorruptError as error:
            what = f"found {error.found}, expected {error.expected}"
            yield Problem(error.where, what, None, Severity.DAMAGE)

    def _pack(self, pack_id: ObjectId) -> Pack:
        name = _digits(pack_id)
        if name not in self._open_packs():
            self._refresh()
        if name in self._broken:
            raise self._broken[name]
        pack = self._open_packs().get(name)
        if pack is None:
            raise ObjectNotFoundError(self.where, pack_id)
        return pack

    def _check_loose(
        self,
        key: str,
        object_id: ObjectId,
        visit: Callable[[ObjectId, bytes], None] | None,
    ) -> Iterator[Problem]:
        where = self.blobs.where(key)
        try:
            content = self.blobs.read(key, limit=MAX_OBJECT_BYTES)
        except StoreAccessError as error:
            yield Problem(where, f"cannot be read: {error.reason}", object_id, Severity.DAMAGE)
            return
        if content is None:
            # Gone since it was listed: a repack moved it.
            return
        actual = digest_object(content)
        if actual != object_id:
            what = f"named {object_id} but holds {actual}"
            yield Problem(where, what, object_id, Severity.DAMAGE)
        elif visit is not None:
            visit(object_id, content)

    def _get_loose(self, ids: list[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        keys = {loose_key(object_id): object_id for object_id in ids}
        for key, content in self.blobs.read_many(keys, limit=MAX_OBJECT_BYTES):
            # Packed by another process since the packs were listed, or missing: `get` tells.
            found = self.get(keys[key]) if content is None else content
            yield keys[key], self._verified(keys[key], found)

    def _iter_loose(self) -> Iterator[str]:
        for info in self.blobs.iter_blobs(LOOSE):
            if (digits := loose_digits(info.key)) is not None:
                yield digits

    def _verified(self, object_id: ObjectId, content: bytes) -> bytes:
        actual = blake3(content).digest()
        if actual != _raw(object_id):
            where = self.blobs.where(loose_key(object_id))
            raise ObjectCorruptError(where, object_id, ObjectId(_SCHEME + actual.hex()))
        return content

    def _find_packed(self, raw_id: bytes) -> tuple[Pack, int] | None:
        for pack in self._open_packs().values():
            if (position := pack.find(raw_id)) is not None:
                return pack, position
        return None

    def _open_packs(self) -> dict[str, Pack]:
        if self._packs is None:
            self._refresh()
        assert self._packs is not None  # noqa: S101 - _refresh has just set it
        return self._packs

    def _refresh(self) -> None:
        """Open the packs that are new since the last look; packs are never removed or changed."""
        with self._lock:
            packs = dict(self._packs or {})
            # Looked at again each time: a good copy may have taken the place of a damaged one.
            broken: dict[str, PackCorruptError] = {}
            for info in self.blobs.iter_blobs(PACKS):
                match = _PACK_KEY.fullmatch(info.key)
                if match is None or match.group(1) in packs:
                    continue
                try:
                    packs[match.group(1)] = self._open_pack(info.key, info.size_bytes)
                except PackCorruptError as error:
                    broken[match.group(1)] = error
            # Replaced whole, never changed: other threads may be walking the old one.
            self._packs, self._broken = packs, broken

    def _open_pack(self, key: str, size_bytes: int) -> Pack:
        return Pack(
            self.blobs.where(key),
            size_bytes,
            lambda start, length: self.blobs.read_range(key, start, length),
        )

    def _not_found(self, object_id: ObjectId) -> Exception:
        # A pack whose index cannot be read may hold it: "not found" would be a guess.
        for error in self._broken.values():
            return error
        return ObjectNotFoundError(self.where, object_id)

    def _raise_broken(self) -> None:
        for error in self._broken.values():
            raise error


def loose_key(object_id: ObjectId) -> str:
    """Key of the loose file of an object."""
    digits = _digits(object_id)
    return f"{LOOSE}{digits[:2]}/{digits[2:]}.json"


def loose_digits(key: str) -> str | None:
    """The 64 hex digits that a loose file is named by; None where `key` is no loose file."""
    match = _LOOSE_KEY.fullmatch(key)
    return None if match is None else match.group(1) + match.group(2)


def pack_key(name: str) -> str:
    """Key of a pack of that name, 64 hex digits."""
    return f"{PACKS}{name}.pack"


def _digits(object_id: ObjectId) -> str:
    return object_id[len(_SCHEME) :]


def _raw(object_id: ObjectId) -> bytes:
    return bytes.fromhex(_digits(object_id))


def _bounded(content: bytes) -> bytes:
    if len(content) > MAX_OBJECT_BYTES:
        raise ObjectTooLargeError(len(content), MAX_OBJECT_BYTES)
    return content
