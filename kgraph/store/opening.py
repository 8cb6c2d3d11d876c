"""From a location to a store."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kgraph.store.damage import StoreAccessError, StoreNotFoundError
from kgraph.store.folder import FolderBlobs
from kgraph.store.memory import MemoryBlobs
from kgraph.store.object import LOG, LOOSE, PACKS, ObjectStore

_S3_SCHEME = "s3://"


@dataclass(frozen=True, slots=True)
class S3Access:
    """How to reach an S3 service; absent parts are left to the client's own defaults."""

    endpoint: str | None = None
    """Address of a service other than AWS, `https://...`; plain `http://` is taken as meant."""
    region: str | None = None
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool = False
    """Send no signature: for public buckets."""


def open_store(
    location: str | Path, *, create: bool = False, s3: S3Access | None = None
) -> ObjectStore:
    """The store at `location`: a folder, or `s3://bucket/prefix`.

    With `create` the folder and its parts are made where they are missing. A bucket is never made,
    and a prefix needs no making: an empty one is an empty store. `s3` says how to reach the
    service.

    Raises:
        StoreNotFoundError: there is no store and `create` is off, or the bucket has no name.
        StoreAccessError: it cannot be made, or the S3 client is not installed.
    """
    text = str(location)
    if text.startswith(_S3_SCHEME):
        bucket, _, prefix = text.removeprefix(_S3_SCHEME).partition("/")
        if not bucket:
            raise StoreNotFoundError(text, "no bucket name")
        # Imported here: the client is an optional extra, and most stores are folders.
        from kgraph.store.s3 import open_bucket  # noqa: PLC0415 - see above

        return ObjectStore(open_bucket(bucket, prefix.strip("/"), s3 or S3Access()))
    return _open_folder(Path(location), create=create)


def memory_store() -> ObjectStore:
    """An empty store that lives as long as the object."""
    return ObjectStore(MemoryBlobs())


def _open_folder(root: Path, *, create: bool) -> ObjectStore:
    # Absolute at once, so that a later change of the working folder does not move the store.
    root = root.absolute()
    parts = [root / part.rstrip("/") for part in (LOG, LOOSE, PACKS)]
    if create:
        try:
            for part in parts:
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreAccessError(
                str(root), "make a store", error.strerror or str(error)
            ) from error
    elif not any(part.is_dir() for part in parts):
        if not root.exists():
            raise StoreNotFoundError(str(root), "nothing")
        raise StoreNotFoundError(str(root), "a folder without them" if root.is_dir() else "a file")
    return ObjectStore(FolderBlobs(root))
