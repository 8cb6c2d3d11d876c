"""Files that a command writes whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from kgraph.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class BadDestinationError(UsageError):
    """A place that an export cannot be written to."""

    code = "BAD_DESTINATION"

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(f"{where}: found {found}, expected {expected}")


def write_file(path: Path, write: Callable[[BinaryIO], T]) -> T:
    """Write beside the name and rename, so that the name never stands for half a file.

    Returns:
        What `write` returns.

    Raises:
        BadDestinationError: the folder is none, or cannot be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        found = error.strerror or str(error)
        raise BadDestinationError(str(path), found, "a folder to write to") from error
    try:
        with os.fdopen(handle, "wb") as file:
            outcome = write(file)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is for its owner alone; an export is as readable as any other file.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return outcome
