"""The folder that index files lie in: their names, who builds there, what is kept.

An index file is named by table version, policies and snapshot. It is made beside its name and
renamed, so a name never stands for half a file; which files are left from a process that died is
known because only the holder of the folder's lock builds there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.index.read import Index, IndexDamagedError, IndexVersionError
from kgraph.index.schema import TABLE_VERSION

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from kgraph.digest import ObjectId
    from kgraph.facts import Derivation
    from kgraph.log import Log, LogEntry

BUILDING = ".building"
"""How the name of a file ends that is not an index yet."""

_LOCK = "building.lock"
# The newest, and a few earlier ones that readers asked for: each may be as large as the store.
_KEPT_FILES = 4


@dataclass(frozen=True, slots=True)
class Base:
    """An index of an earlier snapshot that a new one can start from."""

    path: Path
    sequence: int


def name_index(snapshot: ObjectId, derivation: Derivation) -> str:
    """File name of the index of one snapshot under one set of policies and this table version."""
    return f"{_stem(derivation)}{snapshot.partition(':')[2][:16]}.duckdb"


def _stem(derivation: Derivation) -> str:
    policies = hashlib.sha256(derivation.version.encode()).hexdigest()[:8]
    return f"kgraph-{TABLE_VERSION}-{policies}-"


@contextlib.contextmanager
def hold_folder(folder: Path) -> Iterator[bool]:
    """Let one process at a time build in a folder; waits for the one that does.

    Returns:
        Whether it is certain that no other builds there: a file system may know no locks, and
        building is safe without them.
    """
    if sys.platform == "win32":
        yield False
        return
    with (folder / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            yield False
            return
        yield True


def remove_leftovers(folder: Path) -> None:
    """Remove what processes left that died while they built; the folder's lock is held."""
    for path in folder.glob(f"kgraph-*{BUILDING}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def is_usable(path: Path, snapshot: ObjectId, derivation: Derivation) -> bool:
    """Whether a file is there and is the index of that snapshot under those policies.

    That it is used is noted in its time, which says what to keep.
    """
    found = _read_head(path, derivation)
    if found is None or found[0] != snapshot:
        return False
    # A folder may be made ahead and be read-only where it is served; its times then do not matter.
    with contextlib.suppress(OSError):
        os.utime(path)
    return True


def find_base(folder: Path, log: Log, head: LogEntry, derivation: Derivation) -> Base | None:
    """The index of the latest snapshot before `head` that is there and whole."""
    bases: list[Base] = []
    for path in folder.glob(f"{_stem(derivation)}*.duckdb"):
        found = _read_head(path, derivation)
        if found is None or found[1] >= head.sequence:
            continue
        snapshot, sequence = found
        entry = log.get(sequence)
        # Two stores may share a folder: the entry tells whether the file is of this log.
        if entry is not None and entry.object_id == snapshot:
            bases.append(Base(path, sequence))
    return max(bases, key=lambda base: base.sequence, default=None)


def _read_head(path: Path, derivation: Derivation) -> tuple[ObjectId, int] | None:
    if not path.exists():
        return None
    try:
        index = Index(path, threads=1)
    except (IndexVersionError, IndexDamagedError):
        return None
    try:
        return (index.snapshot, index.sequence) if index.policies == derivation.version else None
    finally:
        index.close()


def prune(folder: Path, *, keep: Collection[Path]) -> None:
    """Let go of all but the indexes used last and those to keep.

    A process that has one open reads on: the file only loses its name.
    """
    used: list[tuple[float, Path]] = []
    for path in folder.glob("kgraph-*.duckdb"):
        # Another process may let go of it at the same time.
        with contextlib.suppress(FileNotFoundError):
            used.append((path.stat().st_mtime, path))
    others = sorted((item for item in used if item[1] not in keep), reverse=True)
    for _, path in others[max(0, _KEPT_FILES - len(keep)) :]:
        path.unlink(missing_ok=True)
