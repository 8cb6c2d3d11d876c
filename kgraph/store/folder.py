"""Blobs as files: created whole and durable or not at all, then read-only.

A file is written under another name in `.tmp/`, flushed to the disk, and linked to its own name.
The link is the only step that readers can see, and it fails where the name exists: no writer can
replace what another wrote, and a killed writer leaves at most a file in `.tmp/`. Renaming would
replace silently.
"""

from __future__ import annotations

import itertools
import os
import secrets
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kgraph.store.blobs import BlobInfo, check_key
from kgraph.store.damage import BlobNotFoundError, StoreAccessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TEMPORARY = ".tmp"
"""Folder of half-written files, at the root of the store and so in its file system."""

# Nobody has a reason to change a stored file, so nobody is given the right.
_FILE_MODE = 0o444

# Files that wait for one another's flush; bounds open descriptors well below the usual limit of
# 1024.
_BATCH_FILES = 256


class FolderBlobs:
    """Blobs under one folder of a local file system."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # Folders whose own names this object has brought to the disk.
        self._flushed: set[str] = set()

    def where(self, key: str) -> str:
        """Path of the file."""
        return str(self._root / key)

    def read(self, key: str, *, limit: int) -> bytes | None:
        """See `Blobs.read`."""
        try:
            return self.read_range(key, 0, limit + 1)
        except BlobNotFoundError:
            return None

    def read_many(self, keys: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """See `Blobs.read_many`."""
        for key in keys:
            yield key, self.read(key, limit=limit)

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """See `Blobs.read_range`."""
        with self._access(key, "read it"):
            # Opened for each read: a store then holds nothing open, so it needs no closing and
            # survives forks, and a file that shrinks gives an error where a memory map would kill
            # us.
            descriptor = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
            try:
                # A claimed length is not trusted with memory: no more than the file has is asked
                # for.
                length = min(length, max(0, os.fstat(descriptor).st_size - start))
                return _read_fully(descriptor, start, length)
            finally:
                os.close(descriptor)

    def size_bytes(self, key: str) -> int | None:
        """See `Blobs.size_bytes`."""
        try:
            with self._access(key, "look at it"):
                return os.stat(self._path(key)).st_size
        except BlobNotFoundError:
            return None

    def create(self, key: str, data: bytes) -> bool:
        """See `Blobs.create`."""
        return self.create_many([(key, data)])[0]

    def create_many(self, items: Iterable[tuple[str, bytes]]) -> list[bool]:
        """See `Blobs.create_many`.

        Data of a batch reaches the disk before the first name of it appears; each folder is flushed
        once.
        """
        created: list[bool] = []
        touched: set[str] = set()
        source = iter(items)
        while batch := list(itertools.islice(source, _BATCH_FILES)):
            created += self._create_batch(batch, touched)
        for folder in sorted(touched):
            with self._access(folder, "flush the folder"):
                _flush_folder(self._join(folder))
        self._flushed |= touched
        return created

    def iter_blobs(self, prefix: str) -> Iterator[BlobInfo]:
        """See `Blobs.iter_blobs`."""
        base, slash, start = prefix.rpartition("/")
        yield from self._walk(base + slash, start)

    def remove(self, key: str) -> None:
        """See `Blobs.remove`."""
        with suppress(BlobNotFoundError), self._access(key, "remove it"):
            os.unlink(self._path(key))

    def stray(self, *, older_than_s: float) -> Iterator[BlobInfo]:
        """See `Blobs.stray`."""
        # Wall clock against modification times: a clock set wrongly keeps leftovers, or sweeps a
        # file that its writer then fails to link and reports; it never harms a stored file.
        latest = time.time() - older_than_s
        for info in self._walk(f"{TEMPORARY}/", ""):
            with suppress(FileNotFoundError):
                if os.stat(self._join(info.key)).st_mtime <= latest:
                    yield info

    def _path(self, key: str) -> str:
        return self._join(check_key(key))

    def _join(self, key: str) -> str:
        # Joined as text: pathlib costs more than the system call it prepares.
        return f"{self._root}/{key}" if key else str(self._root)

    @contextmanager
    def _access(self, key: str, doing: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, NotADirectoryError) as error:
            raise BlobNotFoundError(self.where(key)) from error
        except OSError as error:
            raise StoreAccessError(self.where(key), doing, error.strerror or str(error)) from error

    def _create_batch(self, batch: list[tuple[str, bytes]], touched: set[str]) -> list[bool]:
        created = [False] * len(batch)
        staged: list[tuple[int, str, str, int]] = []
        try:
            for position, (key, data) in enumerate(batch):
                if os.path.lexists(self._path(key)):
                    # Another writer may have named it a moment ago and not yet flushed the folder;
                    # who is told that it is there will rely on it.
                    touched.add(key.rpartition("/")[0])
                    continue
                with self._access(key, "write it"):
                    staged.append((position, key, *self._stage(data)))
            for _, key, _, descriptor in staged:
                with self._access(key, "flush it"):
                    os.fsync(descriptor)
            for position, key, temporary, _ in staged:
                with self._access(key, "give it its name"):
                    self._make_folder(key.rpartition("/")[0], touched)
                    try:
                        os.link(temporary, self._path(key))
                    except FileExistsError:
                        continue
                    created[position] = True
        finally:
            for _, _, temporary, descriptor in staged:
                os.close(descriptor)
                with suppress(FileNotFoundError):
                    os.unlink(temporary)
        return created

    def _stage(self, data: bytes) -> tuple[str, int]:
        folder = f"{self._root}/{TEMPORARY}"
        path = f"{folder}/{os.getpid()}-{secrets.token_hex(8)}"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags, _FILE_MODE)
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)
            descriptor = os.open(path, flags, _FILE_MODE)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except BaseException:
            os.close(descriptor)
            os.unlink(path)
            raise
        return path, descriptor

    def _make_folder(self, folder: str, touched: set[str]) -> None:
        if folder in touched:
            return
        touched.add(folder)
        if folder in self._flushed:
            return
        # A name is as durable as the folder that lists it, and a folder that is there may be the
        # work of a writer killed before it flushed the parent: so the parents are flushed once,
        # whoever made it.
        os.makedirs(self._join(folder), exist_ok=True)
        while folder:
            folder = folder.rpartition("/")[0]
            touched.add(folder)

    def _walk(self, base: str, start: str) -> Iterator[BlobInfo]:
        try:
            with self._access(base, "list it"), os.scandir(self._join(base.rstrip("/"))) as entries:
                found = [
                    (entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name, entry)
                    for entry in entries
                    if entry.name.startswith(start) and (base or entry.name != TEMPORARY)
                ]
        except BlobNotFoundError:
            return
        for name, entry in sorted(found, key=lambda item: item[0]):
            if name.endswith("/"):
                yield from self._walk(base + name, "")
                continue
            # Gone between listing and looking: another process repacked it.
            with suppress(FileNotFoundError):
                yield BlobInfo(base + name, entry.stat(follow_symlinks=False).st_size)


def _read_fully(descriptor: int, start: int, length: int) -> bytes:
    data = os.pread(descriptor, length, start)
    if len(data) == length or not data:
        return data
    # One call moves at most 2 GiB, and network file systems may return less.
    parts = [data]
    done = len(data)
    while done < length and (data := os.pread(descriptor, length - done, start + done)):
        parts.append(data)
        done += len(data)
    return b"".join(parts)


def _flush_folder(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
