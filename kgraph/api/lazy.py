"""Types named before they are made: resolvers give types that themselves have resolvers.

For a type checker each name is the type itself; at run time it is a promise that the schema keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry

if TYPE_CHECKING:
    from kgraph.api.types.catalog import Counts as LazyCounts
    from kgraph.api.types.cohort import Cohort as LazyCohort
    from kgraph.api.types.cohort import RankedRun as LazyRankedRun
    from kgraph.api.types.cohort import RankedRunConnection as LazyRankedRunConnection
    from kgraph.api.types.coverage import CoverageConnection as LazyCoverageConnection
    from kgraph.api.types.family import Family as LazyFamily
    from kgraph.api.types.hardware import FloorRowConnection as LazyFloorRowConnection
    from kgraph.api.types.implementation import Implementation as LazyImplementation
    from kgraph.api.types.implementation import (
        ImplementationConnection as LazyImplementationConnection,
    )
    from kgraph.api.types.operation import Fastest as LazyFastest
    from kgraph.api.types.operation import Operation as LazyOperation
    from kgraph.api.types.operation import OperationConnection as LazyOperationConnection
    from kgraph.api.types.operation import Sweep as LazySweep
    from kgraph.api.types.project import Project as LazyProject
    from kgraph.api.types.project import ProjectCounts as LazyProjectCounts
    from kgraph.api.types.project import ProjectHoldings as LazyProjectHoldings
    from kgraph.api.types.record import RecordEventConnection as LazyRecordEventConnection
    from kgraph.api.types.regression import RegressionSeriesConnection as LazyRegressionSeries
    from kgraph.api.types.run import Run as LazyRun
    from kgraph.api.types.run import RunConnection as LazyRunConnection
    from kgraph.api.types.standing import CohortPlaceConnection as LazyCohortPlaces
    from kgraph.api.types.stored import Publication as LazyPublication
    from kgraph.api.types.stored import Reference as LazyReference
    from kgraph.api.types.stored import StoredObject as LazyStoredObject
    from kgraph.api.types.strict import StrictRankingConnection as LazyStrictRankingConnection
    from kgraph.api.types.workload import Challenge as LazyChallenge
    from kgraph.api.types.workload import Workload as LazyWorkload
    from kgraph.api.types.workload import WorkloadConnection as LazyWorkloadConnection
else:

    def _promise(module: str, name: str) -> object:
        return Annotated[name, strawberry.lazy(f"kgraph.api.types.{module}")]

    LazyCounts = _promise("catalog", "Counts")
    LazyCohort = _promise("cohort", "Cohort")
    LazyRankedRun = _promise("cohort", "RankedRun")
    LazyRankedRunConnection = _promise("cohort", "RankedRunConnection")
    LazyCoverageConnection = _promise("coverage", "CoverageConnection")
    LazyFamily = _promise("family", "Family")
    LazyFloorRowConnection = _promise("hardware", "FloorRowConnection")
    LazyStrictRankingConnection = _promise("strict", "StrictRankingConnection")
    LazyImplementation = _promise("implementation", "Implementation")
    LazyImplementationConnection = _promise("implementation", "ImplementationConnection")
    LazyOperation = _promise("operation", "Operation")
    LazyOperationConnection = _promise("operation", "OperationConnection")
    LazyCohortPlaces = _promise("standing", "CohortPlaceConnection")
    LazyRegressionSeries = _promise("regression", "RegressionSeriesConnection")
    LazyProject = _promise("project", "Project")
    LazyProjectCounts = _promise("project", "ProjectCounts")
    LazyProjectHoldings = _promise("project", "ProjectHoldings")
    LazyRecordEventConnection = _promise("record", "RecordEventConnection")
    LazyFastest = _promise("operation", "Fastest")
    LazyChallenge = _promise("workload", "Challenge")
    LazyPublication = _promise("stored", "Publication")
    LazyReference = _promise("stored", "Reference")
    LazySweep = _promise("operation", "Sweep")
    LazyRun = _promise("run", "Run")
    LazyRunConnection = _promise("run", "RunConnection")
    LazyStoredObject = _promise("stored", "StoredObject")
    LazyWorkload = _promise("workload", "Workload")
    LazyWorkloadConnection = _promise("workload", "WorkloadConnection")

__all__ = [
    "LazyChallenge",
    "LazyCohort",
    "LazyCohortPlaces",
    "LazyCounts",
    "LazyCoverageConnection",
    "LazyFamily",
    "LazyFastest",
    "LazyFloorRowConnection",
    "LazyImplementation",
    "LazyImplementationConnection",
    "LazyOperation",
    "LazyOperationConnection",
    "LazyProject",
    "LazyProjectCounts",
    "LazyProjectHoldings",
    "LazyPublication",
    "LazyRankedRun",
    "LazyRankedRunConnection",
    "LazyRecordEventConnection",
    "LazyReference",
    "LazyRegressionSeries",
    "LazyRun",
    "LazyRunConnection",
    "LazyStoredObject",
    "LazyStrictRankingConnection",
    "LazySweep",
    "LazyWorkload",
    "LazyWorkloadConnection",
]
