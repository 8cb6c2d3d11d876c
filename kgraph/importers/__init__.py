"""One module per source: source bytes in, manifests out; no store, no clock, no network."""

from kgraph.importers.batch import ImportBatch, Progress, RefusedRow, SkippedRows

__all__ = ["ImportBatch", "Progress", "RefusedRow", "SkippedRows"]
