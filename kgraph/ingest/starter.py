"""A user's own store, begun as a copy of the starter catalogue."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kgraph.store import StoreAccessError, open_store

if TYPE_CHECKING:
    from kgraph.store import ObjectStore


def begin_own_store(starter: Path, own: Path) -> ObjectStore:
    """The store at `own`; where there is none yet, a whole copy of `starter` becomes it.

    Raises:
        StoreAccessError: the folder cannot be written.
    """
    if not (own / "log").is_dir():
        try:
            own.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=own.parent, prefix=".beginning-") as made:
                copy = Path(made) / "objects"
                shutil.copytree(starter, copy, copy_function=shutil.copyfile)
                _rename_unless_there(copy, own)
        except OSError as error:
            raise StoreAccessError(
                str(own), "begin a store", error.strerror or str(error)
            ) from error
    return open_store(own, create=True)


def _rename_unless_there(copy: Path, own: Path) -> None:
    try:
        copy.rename(own)
    except OSError:
        # Another process began it first; its copy is as good as ours.
        if not (own / "log").is_dir():
            raise
