"""One module per source: source bytes in, manifests out; no store, no clock, no network."""

from kgraph.importers.batch import (
    EarlierPublication,
    ImportBatch,
    ParityCount,
    Progress,
    PublishedRecord,
    RefusalCause,
    RefusedRow,
    SkippedRows,
)
from kgraph.importers.kernelindex import import_kernelindex
from kgraph.importers.liger import import_liger

__all__ = [
    "EarlierPublication",
    "ImportBatch",
    "ParityCount",
    "Progress",
    "PublishedRecord",
    "RefusalCause",
    "RefusedRow",
    "SkippedRows",
    "import_kernelindex",
    "import_liger",
]
