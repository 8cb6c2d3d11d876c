"""What can be wrong with a store: the errors that reads raise, and the findings of a check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kgraph.errors import DamageError, KgraphError, UsageError

if TYPE_CHECKING:
    from kgraph.digest import ObjectId


class Severity(StrEnum):
    """How much a finding matters."""

    DAMAGE = "damage"
    """Stored bytes are lost or not what their name promises."""
    WARNING = "warning"
    """Nothing published is affected: leftovers of a killed writer, files of someone else."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of a check."""

    where: str
    """File or address, with the place inside it where that is known."""
    what: str
    """What was found and what was expected."""
    affects: ObjectId | None
    """The object that cannot be read because of it; None where it is no single object."""
    severity: Severity


class ObjectNotFoundError(DamageError):
    """No object of that name is stored, though something cites it."""

    code = "OBJECT_NOT_FOUND"

    def __init__(self, where: str, object_id: ObjectId) -> None:
        self.where, self.object_id = where, object_id
        super().__init__(
            f"{where}: holds no object {object_id}; copy it from another store or "
            "re-import its source"
        )

    @property
    def public_message(self) -> str:
        """Which object is missing."""
        return f"object {self.object_id}: is cited and lost on this server; its log says more"


class ObjectTooLargeError(KgraphError):
    """Content is larger than a store takes."""

    code = "OBJECT_TOO_LARGE"

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        self.size_bytes, self.limit_bytes = size_bytes, limit_bytes
        super().__init__(f"object: is {size_bytes} bytes, expected at most {limit_bytes}")


class EmptyPackError(UsageError):
    """A pack of no objects was asked for."""

    code = "EMPTY_PACK"

    def __init__(self) -> None:
        super().__init__("pack: found no objects, expected at least one")


class ObjectCorruptError(DamageError):
    """Stored bytes do not hash to the name they are stored under."""

    code = "OBJECT_CORRUPT"

    def __init__(self, where: str, named: ObjectId, actual: ObjectId) -> None:
        self.where, self.named, self.actual = where, named, actual
        super().__init__(f"{where}: named {named} but holds {actual}; re-import its source")

    @property
    def public_message(self) -> str:
        """Which object is damaged, and what is in its place."""
        return f"object {self.named}: holds {self.actual} on this server; its log says more"


class ObjectStrangeError(DamageError):
    """Published bytes have their right name and are no manifest of a kind that is known here."""

    code = "OBJECT_STRANGE"

    def __init__(self, object_id: ObjectId, why: str) -> None:
        self.object_id, self.why = object_id, why
        super().__init__(
            f"{object_id}: found {why}, expected a manifest; `kgraph verify` lists all such objects"
        )

    @property
    def public_message(self) -> str:
        """Which object is no manifest, and why; that names no file."""
        return str(self)


class PackCorruptError(DamageError):
    """A pack file is not what its format promises."""

    code = "PACK_CORRUPT"

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(
            f"{where}: found {found}, expected {expected}; "
            "copy the pack again or re-import its source"
        )


class BlobNotFoundError(DamageError):
    """A file that was listed or cited is not there."""

    code = "BLOB_NOT_FOUND"

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(
            f"{where}: found nothing, expected a file; copy it again from another store"
        )


class StoreNotFoundError(UsageError):
    """The location holds no store."""

    code = "STORE_NOT_FOUND"

    def __init__(self, where: str, found: str) -> None:
        self.where, self.found = where, found
        super().__init__(
            f"{where}: found {found}, expected a store (a folder with log/, loose/ or packs/)"
        )


class StoreAccessError(KgraphError):
    """The operating system or the storage service refused."""

    code = "STORE_ACCESS"

    def __init__(self, where: str, doing: str, reason: str) -> None:
        self.where, self.doing, self.reason = where, doing, reason
        super().__init__(f"{where}: cannot {doing}: {reason}")

    @property
    def public_message(self) -> str:
        """What could not be done, and not where."""
        return f"store: cannot {self.doing} on this server; its log says why"
