"""The read path, whole: one question per method, answered from the index, the store and policy."""

from kgraph.catalog.answers import (
    Challenge,
    Fastest,
    LanguageEntry,
    PolicyVersions,
    Record,
    Sweep,
    SweepPoint,
    SweepSeries,
)
from kgraph.catalog.reader import DEPLOYABILITY_VERSION, Catalog
from kgraph.catalog.resolve import (
    BracketRun,
    BracketRuns,
    NearRun,
    Resolution,
    ResolveRequest,
)
from kgraph.catalog.source import CatalogSource, UnknownSnapshotError

__all__ = [
    "DEPLOYABILITY_VERSION",
    "BracketRun",
    "BracketRuns",
    "Catalog",
    "CatalogSource",
    "Challenge",
    "Fastest",
    "LanguageEntry",
    "NearRun",
    "PolicyVersions",
    "Record",
    "Resolution",
    "ResolveRequest",
    "Sweep",
    "SweepPoint",
    "SweepSeries",
    "UnknownSnapshotError",
]
