"""Bytes under keys: the small ground that objects, packs and the log stand on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEY = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")


class BlobInfo(NamedTuple):
    """One listed blob."""

    key: str
    size_bytes: int


class Blobs(Protocol):
    """Bytes under keys, created once and never changed.

    Keys are relative, `/` between parts. Nothing here knows what the bytes mean.
    """

    def where(self, key: str) -> str:
        """What a person calls `key`: a path or an address."""
        ...

    def read(self, key: str, *, limit: int) -> bytes | None:
        """The bytes under `key`; None where there is nothing.

        A blob longer than `limit` is cut after one byte more, so that a huge file cannot fill
        memory.

        Raises:
            StoreAccessError: it is there and cannot be read.
        """
        ...

    def read_many(self, keys: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """Like `read` for each key, in the order asked; overlaps requests where that helps."""
        ...

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """Bytes `start` to `start + length`; fewer where the blob ends before.

        Raises:
            BlobNotFoundError: there is nothing under `key`.
            StoreAccessError: it is there and cannot be read.
        """
        ...

    def size_bytes(self, key: str) -> int | None:
        """Length of the blob; None where there is nothing under `key`."""
        ...

    def create(self, key: str, data: bytes) -> bool:
        """Store `data` under `key`, durably and whole, unless the key exists.

        Returns:
            False where the key existed: then nothing is written, whatever it holds.

        Raises:
            StoreAccessError: it cannot be written.
        """
        ...

    def create_many(self, items: Iterable[tuple[str, bytes]]) -> list[bool]:
        """Like `create` for each item; durable when it returns, in fewer waits than one by one."""
        ...

    def iter_blobs(self, prefix: str) -> Iterator[BlobInfo]:
        """Blobs whose key starts with `prefix`, in the order of their keys."""
        ...

    def remove(self, key: str) -> None:
        """Take `key` away; of use for loose objects that a pack holds, and for leftovers only."""
        ...

    def stray(self, *, older_than_s: float) -> Iterator[BlobInfo]:
        """Leftovers of killed writers, not written to for `older_than_s` seconds."""
        ...


def check_key(key: str) -> str:
    """`key`, known to stay inside the store.

    Raises:
        ValueError: it has empty parts, `..`, or characters that no key has. Keys are built from
            parsed names, so this is a mistake of ours and not of a user.
    """
    if _KEY.fullmatch(key) is None or ".." in key.split("/"):
        msg = f"{key!r} is no key of a store"
        raise ValueError(msg)
    return key
