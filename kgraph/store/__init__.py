"""Bytes by object id: loose files and sealed packs, in a folder, in S3 or in memory."""

from kgraph.store.blobs import BlobInfo, Blobs
from kgraph.store.damage import (
    BlobNotFoundError,
    EmptyPackError,
    ObjectCorruptError,
    ObjectNotFoundError,
    ObjectStrangeError,
    ObjectTooLargeError,
    PackCorruptError,
    Problem,
    Severity,
    StoreAccessError,
    StoreNotFoundError,
)
from kgraph.store.object import STRAY_AGE_S, ObjectStore, PackResult, ReadStore, WriteStore
from kgraph.store.opening import S3Access, memory_store, open_store
from kgraph.store.pack import MAX_OBJECT_BYTES, Pack, SealedPack, encode_pack
from kgraph.store.repack import RepackResult, repack

__all__ = [
    "MAX_OBJECT_BYTES",
    "STRAY_AGE_S",
    "BlobInfo",
    "BlobNotFoundError",
    "Blobs",
    "EmptyPackError",
    "ObjectCorruptError",
    "ObjectNotFoundError",
    "ObjectStore",
    "ObjectStrangeError",
    "ObjectTooLargeError",
    "Pack",
    "PackCorruptError",
    "PackResult",
    "Problem",
    "ReadStore",
    "RepackResult",
    "S3Access",
    "SealedPack",
    "Severity",
    "StoreAccessError",
    "StoreNotFoundError",
    "WriteStore",
    "encode_pack",
    "memory_store",
    "open_store",
    "repack",
]
