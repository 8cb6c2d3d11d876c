"""The root of the schema: where every question starts."""

from __future__ import annotations

from kgraph.api.describe import linked, object_type
from kgraph.api.node import Node
from kgraph.api.resolvers import answer, worklist
from kgraph.api.resolvers import root as resolve
from kgraph.api.resolvers.limits import resolve_limits
from kgraph.api.types.catalog import Catalog
from kgraph.api.types.cohort import Cohort, CohortConnection
from kgraph.api.types.comparison import Comparison
from kgraph.api.types.coverage import UnmeasuredCellConnection
from kgraph.api.types.environment import MeasuredHardwareConnection
from kgraph.api.types.family import Family, FamilyConnection
from kgraph.api.types.hardware import HardwareProduct
from kgraph.api.types.implementation import Implementation, ImplementationConnection
from kgraph.api.types.limits import Limits
from kgraph.api.types.operation import Operation, OperationConnection
from kgraph.api.types.opportunity import HeadroomAuditConnection, OpportunityConnection
from kgraph.api.types.project import Project, ProjectConnection
from kgraph.api.types.question import QueryAnswer
from kgraph.api.types.record import RecordConnection, RecordEventConnection
from kgraph.api.types.regression import Regression
from kgraph.api.types.resolution import Resolution
from kgraph.api.types.run import Run, RunConnection
from kgraph.api.types.search import SearchHitConnection
from kgraph.api.types.serving import (
    ServingRankingConnection,
    ServingRun,
    ServingRunConnection,
)
from kgraph.api.types.source import Source, SourceConnection
from kgraph.api.types.stored import PublicationConnection, StoredObject
from kgraph.api.types.workload import Workload, WorkloadConnection


@object_type
class Query:
    """Everything that can be asked. Unknown names give null; bad arguments give an error."""

    catalog: Catalog = linked(resolve.resolve_catalog, "The catalogue as a whole.")
    limits: Limits = linked(
        resolve_limits, "What one request may ask for, and what this one asks for."
    )
    node: Node | None = linked(
        resolve.resolve_node, "Anything by its global id; null where nothing has it."
    )
    nodes: list[Node | None] = linked(
        resolve.resolve_nodes, "Things by their global ids, in order, at most 200.", size=200
    )
    object: StoredObject | None = linked(
        resolve.resolve_object, "A stored manifest of any kind; null where none has the name."
    )
    operation: Operation | None = linked(
        resolve.resolve_operation, "An operation; null where none has the name."
    )
    operations: OperationConnection = linked(
        resolve.resolve_operations, "Operations, by slug unless ordered otherwise."
    )
    family: Family | None = linked(
        resolve.resolve_family, "A family of operations; null where none has the slug."
    )
    families: FamilyConnection = linked(
        resolve.resolve_families, "Families, by slug unless ordered otherwise."
    )
    workload: Workload | None = linked(
        resolve.resolve_workload, "A workload; null where none has the name."
    )
    workloads: WorkloadConnection = linked(
        resolve.resolve_workloads,
        "Workloads, by operation, measured ones first, unless ordered otherwise.",
    )
    implementation: Implementation | None = linked(
        resolve.resolve_implementation, "An implementation; null where none has the name."
    )
    implementations: ImplementationConnection = linked(
        resolve.resolve_implementations,
        "Implementations, by operation and title unless ordered otherwise.",
    )
    run: Run | None = linked(resolve.resolve_run, "A run; null where none has the name.")
    runs: RunConnection = linked(
        resolve.resolve_runs, "Runs, newest observation first unless ordered otherwise."
    )
    cohort: Cohort | None = linked(
        resolve.resolve_cohort, "A cohort by its key; null where none has it."
    )
    cohorts: CohortConnection = linked(
        resolve.resolve_cohorts, "Cohorts, by operation and workload unless ordered otherwise."
    )
    records: RecordConnection = linked(
        resolve.resolve_records, "Standing records, latest first unless ordered otherwise."
    )
    record_history: RecordEventConnection = linked(
        resolve.resolve_record_history, "Record events, latest first unless ordered otherwise."
    )
    hardware: MeasuredHardwareConnection = linked(
        resolve.resolve_hardware, "Products that are measured, by name unless ordered otherwise."
    )
    source: Source | None = linked(
        resolve.resolve_source, "A source of runs; null where none has the slug."
    )
    sources: SourceConnection = linked(
        resolve.resolve_sources, "Sources, by slug unless ordered otherwise."
    )
    publications: PublicationConnection = linked(
        resolve.resolve_publications, "The log, latest first unless ordered otherwise."
    )
    serving_run: ServingRun | None = linked(
        resolve.resolve_serving_run, "A serving run; null where none has the name."
    )
    serving_runs: ServingRunConnection = linked(
        resolve.resolve_serving_runs,
        "Serving runs, newest observation first unless ordered otherwise.",
    )
    resolve: Resolution = linked(
        resolve.resolve_request,
        "The fastest implementation for a workload on a device, or the honest nearest.",
    )
    resolve_many: list[Resolution] = linked(
        answer.resolve_requests,
        "The same for up to 100 workloads, in order, at the price of one.",
        size=100,
    )
    ask: QueryAnswer = linked(
        answer.resolve_ask,
        "One line in the query language: what it is understood as, and the answer to that.",
    )
    search: SearchHitConnection = linked(
        answer.resolve_search,
        "What a text leads to: exact names, then prefixes, words and typos.",
    )
    compare: Comparison = linked(
        answer.resolve_compare,
        "2 to 8 runs field by field, and a winner where one cohort's ranking has one.",
    )
    regression: Regression = linked(
        answer.resolve_regression, "Whether later revisions of an implementation got slower."
    )
    hardware_product: HardwareProduct | None = linked(
        answer.resolve_hardware_product,
        "What is measured on a product, and its datasheet rows; null where the text means none "
        "that is known, or several.",
    )
    project: Project | None = linked(
        answer.resolve_project, "A project; null where none has the slug."
    )
    projects: ProjectConnection = linked(
        worklist.resolve_projects, "Projects, by slug unless ordered otherwise."
    )
    challenges: UnmeasuredCellConnection = linked(
        worklist.resolve_open_challenges,
        "Workloads that nobody measured on a device, those with most measured neighbours first "
        "unless ordered otherwise.",
    )
    stale_records: RecordConnection = linked(
        worklist.resolve_stale_records,
        "Standing records observed more than 180 days before now, oldest first unless ordered "
        "otherwise.",
    )
    opportunities: OpportunityConnection = linked(
        worklist.resolve_opportunities,
        "Records beside their floors, the one farthest above its floor first unless ordered "
        "otherwise.",
    )
    headroom_audit: HeadroomAuditConnection = linked(
        worklist.resolve_headroom_audit,
        "Records below their floor, the farthest below first, and how many cohorts have a floor.",
    )
    serving_ranking: ServingRankingConnection | None = linked(
        answer.resolve_serving_ranking,
        "The runs of one serving cohort under a named objective, best first; null where no run is "
        "in it.",
    )
