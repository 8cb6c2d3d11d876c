"""The write path: the only way into a store, and the check of everything that is in it."""

from kgraph.ingest.batch import publish_batch
from kgraph.ingest.holding import RUN_KINDS, Citation, Holding, read_holding
from kgraph.ingest.pairing import OperationMismatch, OperationMismatchError
from kgraph.ingest.publish import (
    PACK_FROM_OBJECTS,
    BadCitation,
    BadCitationsError,
    LogWrittenByHandError,
    publish_manifests,
)
from kgraph.ingest.published import Published
from kgraph.ingest.report import KindCount, PublishReport
from kgraph.ingest.starter import begin_own_store
from kgraph.ingest.verify import AffectedObject, VerifyReport, verify_store

__all__ = [
    "PACK_FROM_OBJECTS",
    "RUN_KINDS",
    "AffectedObject",
    "BadCitation",
    "BadCitationsError",
    "Citation",
    "Holding",
    "KindCount",
    "LogWrittenByHandError",
    "OperationMismatch",
    "OperationMismatchError",
    "PublishReport",
    "Published",
    "VerifyReport",
    "begin_own_store",
    "publish_batch",
    "publish_manifests",
    "read_holding",
    "verify_store",
]
