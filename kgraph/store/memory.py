"""Blobs in memory, for tests and for catalogues that are never written to disk."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kgraph.store.blobs import BlobInfo, check_key
from kgraph.store.damage import BlobNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class MemoryBlobs:
    """Blobs that live as long as this object."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def where(self, key: str) -> str:
        """`memory:` and the key."""
        return f"memory:{key}"

    def read(self, key: str, *, limit: int) -> bytes | None:
        """See `Blobs.read`."""
        data = self._data.get(key)
        return None if data is None else data[: limit + 1]

    def read_many(self, keys: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """See `Blobs.read_many`."""
        for key in keys:
            yield key, self.read(key, limit=limit)

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """See `Blobs.read_range`."""
        try:
            return self._data[key][start : start + length]
        except KeyError:
            raise BlobNotFoundError(self.where(key)) from None

    def size_bytes(self, key: str) -> int | None:
        """See `Blobs.size_bytes`."""
        data = self._data.get(key)
        return None if data is None else len(data)

    def create(self, key: str, data: bytes) -> bool:
        """See `Blobs.create`."""
        check_key(key)
        with self._lock:
            if key in self._data:
                return False
            self._data[key] = bytes(data)
            return True

    def create_many(self, items: Iterable[tuple[str, bytes]]) -> list[bool]:
        """See `Blobs.create_many`."""
        return [self.create(key, data) for key, data in items]

    def iter_blobs(self, prefix: str) -> Iterator[BlobInfo]:
        """See `Blobs.iter_blobs`."""
        with self._lock:
            found = [
                BlobInfo(key, len(data))
                for key, data in self._data.items()
                if key.startswith(prefix)
            ]
        yield from sorted(found)

    def remove(self, key: str) -> None:
        """See `Blobs.remove`."""
        with self._lock:
            self._data.pop(key, None)

    def stray(self, *, older_than_s: float) -> Iterator[BlobInfo]:  # noqa: ARG002 - the protocol's
        """Nothing: a killed process takes its memory along."""
        yield from ()
