"""What the bytes of an export depend on, as a name for caches and entity tags."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from typing import TYPE_CHECKING

import zstandard

from kgraph.exporters.catalogue import CATALOGUE_FORMAT
from kgraph.index import TABLE_VERSION

if TYPE_CHECKING:
    from kgraph.catalog import Catalog


def stamp_export(catalog: Catalog) -> str:
    """32 hex digits that change with anything that an export's bytes depend on.

    That is the snapshot first of all, then the rules and tables that derive columns, the form of
    the files, and the versions of the libraries that write them.
    """
    zstd = ".".join(map(str, zstandard.ZSTD_VERSION))
    parts = (
        catalog.snapshot,
        repr(catalog.policies),
        TABLE_VERSION,
        CATALOGUE_FORMAT,
        version("kgraph"),
        f"zstd {zstd}",
        f"pyarrow {version('pyarrow')}",
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
