"""One module per source: source bytes in, manifests out; no store, no clock, no network."""

from kgraph.importers.batch import (
    ImportBatch,
    ParityCount,
    Progress,
    PublishedRecord,
    RefusedRow,
    SkippedRows,
)

__all__ = [
    "ImportBatch",
    "ParityCount",
    "Progress",
    "PublishedRecord",
    "RefusedRow",
    "SkippedRows",
]
