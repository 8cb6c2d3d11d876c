"""The read path, whole: one question per method, answered from the index, the store and policy."""

from kgraph.catalog.answers import (
    Challenge,
    Crossover,
    Fastest,
    HeadroomAudit,
    LanguageEntry,
    PolicyVersions,
    Record,
    Sweep,
    SweepChoice,
    SweepLeader,
    SweepPoint,
    SweepSeries,
)
from kgraph.catalog.catalog import Catalog
from kgraph.catalog.compare import ComparisonError
from kgraph.catalog.coverage import Coverage, CoverageCell, CoverageColumn, CoverageRow
from kgraph.catalog.hardware import (
    FloorEntry,
    FloorRow,
    FloorSummary,
    HardwareComparison,
    HardwarePage,
    HardwareVariant,
)
from kgraph.catalog.news import (
    find_new_publications,
    find_new_record_events,
    select_record_events,
)
from kgraph.catalog.query import QueryAnswer
from kgraph.catalog.query_intent import (
    KnownValues,
    ParsedQuery,
    ProblemCode,
    QueryIntent,
    QueryProblem,
    QueryToken,
    TokenRole,
    write_query,
)
from kgraph.catalog.query_language import parse_query
from kgraph.catalog.reader import DEPLOYABILITY_VERSION
from kgraph.catalog.regression import RegressionView, SettingChange, UnknownLineageError
from kgraph.catalog.resolve import (
    BracketRun,
    BracketRuns,
    NearRun,
    Resolution,
    ResolveRequest,
)
from kgraph.catalog.serving import RankedServingCohort
from kgraph.catalog.source import CatalogSource, NothingPublishedError, UnknownSnapshotError
from kgraph.catalog.standing import ImplementationStanding, MeanRatio, ProjectPage
from kgraph.catalog.strict import StrictEntry, StrictRanking
from kgraph.catalog.walk import Walk
from kgraph.index import (
    AmbiguousNameError,
    AmbiguousRefError,
    CoverageOwner,
    ListedFact,
    own,
    slice_sequence,
)

__all__ = [
    "DEPLOYABILITY_VERSION",
    "AmbiguousNameError",
    "AmbiguousRefError",
    "BracketRun",
    "BracketRuns",
    "Catalog",
    "CatalogSource",
    "Challenge",
    "ComparisonError",
    "Coverage",
    "CoverageCell",
    "CoverageColumn",
    "CoverageOwner",
    "CoverageRow",
    "Crossover",
    "Fastest",
    "FloorEntry",
    "FloorRow",
    "FloorSummary",
    "HardwareComparison",
    "HardwarePage",
    "HardwareVariant",
    "HeadroomAudit",
    "ImplementationStanding",
    "KnownValues",
    "LanguageEntry",
    "ListedFact",
    "MeanRatio",
    "NearRun",
    "NothingPublishedError",
    "ParsedQuery",
    "PolicyVersions",
    "ProblemCode",
    "ProjectPage",
    "QueryAnswer",
    "QueryIntent",
    "QueryProblem",
    "QueryToken",
    "RankedServingCohort",
    "Record",
    "RegressionView",
    "Resolution",
    "ResolveRequest",
    "SettingChange",
    "StrictEntry",
    "StrictRanking",
    "Sweep",
    "SweepChoice",
    "SweepLeader",
    "SweepPoint",
    "SweepSeries",
    "TokenRole",
    "UnknownLineageError",
    "UnknownSnapshotError",
    "Walk",
    "find_new_publications",
    "find_new_record_events",
    "own",
    "parse_query",
    "select_record_events",
    "slice_sequence",
    "write_query",
]
