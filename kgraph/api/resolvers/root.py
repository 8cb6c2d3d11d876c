"""Root fields: one named thing, or a page of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import strawberry

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import MAX_PAGE
from kgraph.api.context import Context, Info
from kgraph.api.errors import BadArgumentError
from kgraph.api.inputs.order import (
    CohortOrder,
    FamilyOrder,
    HardwareOrder,
    ImplementationOrder,
    OperationOrder,
    PublicationOrder,
    RecordEventOrder,
    RecordOrder,
    RunOrder,
    ServingRunOrder,
    SourceOrder,
    WorkloadOrder,
)
from kgraph.api.inputs.request import ResolveInput, compile_request
from kgraph.api.inputs.where import (
    CohortWhere,
    FamilyWhere,
    HardwareWhere,
    ImplementationWhere,
    OperationWhere,
    PublicationWhere,
    RecordEventWhere,
    RecordWhere,
    RunWhere,
    ServingRunWhere,
    SourceWhere,
    WorkloadWhere,
)
from kgraph.api.loaders import Loaders
from kgraph.api.node import Node, NodeType, parse_node_id
from kgraph.api.resolvers.page import SlugArgument, list_resolver, load_facts, load_kept
from kgraph.api.types.catalog import Catalog, PolicyVersions
from kgraph.api.types.cohort import Cohort, CohortConnection
from kgraph.api.types.environment import MeasuredHardware, MeasuredHardwareConnection
from kgraph.api.types.family import Family, FamilyConnection
from kgraph.api.types.implementation import Implementation, ImplementationConnection
from kgraph.api.types.operation import Operation, OperationConnection
from kgraph.api.types.record import Record, RecordConnection, RecordEvent, RecordEventConnection
from kgraph.api.types.resolution import Resolution
from kgraph.api.types.run import Run, RunConnection
from kgraph.api.types.serving import ServingRun, ServingRunConnection
from kgraph.api.types.source import Source, SourceConnection
from kgraph.api.types.stored import Publication, PublicationConnection, StoredObject
from kgraph.api.types.workload import Workload, WorkloadConnection
from kgraph.digest import BadDigestError, ObjectId, parse_spec_digest
from kgraph.facts import Condition, ObjectFact, PageRequest
from kgraph.vocab import CohortKey, Kind, Slug

MAX_NAME = 512
"""Longest slug, name or id that is looked up."""

Ref = Annotated[
    str,
    strawberry.argument(
        description=(
            "A spec digest, an object id, or a prefix of either of at least 8 hex digits that fits "
            "one manifest only."
        )
    ),
]


def resolve_catalog(info: Info) -> Catalog:
    """The catalogue as a whole."""
    catalog = info.context.catalog
    return Catalog(snapshot=catalog.snapshot, policies=PolicyVersions.from_fact(catalog.policies))


async def resolve_object(info: Info, ref: Ref) -> StoredObject | None:
    """A stored manifest of any kind."""
    found = await _find_object(info.context, ref, ())
    return None if found is None else StoredObject.from_fact(found)


async def resolve_operation(
    info: Info,
    slug: Annotated[
        str, strawberry.argument(description="Slug, alias, spec digest or a unique prefix of one.")
    ],
) -> Operation | None:
    """An operation by any of its names."""
    if len(slug) > MAX_NAME:
        return None
    context = info.context
    found = await context.worker.run(lambda: context.catalog.find_operation(slug))
    return None if found is None else Operation.from_fact(found)


async def resolve_family(info: Info, slug: SlugArgument) -> Family | None:
    """A family by slug."""
    return await info.context.loaders.families.load(Slug(slug))


async def resolve_workload(info: Info, ref: Ref) -> Workload | None:
    """A workload by any of its names."""
    found = await _find_object(info.context, ref, (Kind.WORKLOAD_CASE, Kind.WORKLOAD_SUITE))
    return None if found is None else await info.context.loaders.workloads.load(found.digest)


async def resolve_implementation(info: Info, ref: Ref) -> Implementation | None:
    """An implementation by any of its names."""
    found = await _find_object(info.context, ref, (Kind.IMPLEMENTATION_REVISION,))
    return None if found is None else await info.context.loaders.implementations.load(found.digest)


async def resolve_run(info: Info, ref: Ref) -> Run | None:
    """A run by any of its names."""
    found = await _find_object(info.context, ref, (Kind.BENCHMARK_RUN,))
    return None if found is None else await info.context.loaders.runs.load(found.digest)


async def resolve_serving_run(info: Info, ref: Ref) -> ServingRun | None:
    """A serving run by any of its names."""
    found = await _find_object(info.context, ref, (Kind.SERVING_RUN,))
    return None if found is None else await info.context.loaders.serving_runs.load(found.digest)


async def resolve_cohort(
    info: Info,
    key: Annotated[str, strawberry.argument(description="The cohort key, written out in full.")],
) -> Cohort | None:
    """A cohort by its key."""
    try:
        name = parse_spec_digest(key)
    except BadDigestError as error:
        raise BadArgumentError("key", f"found {key[:90]!r}, expected {error.expected}") from error
    return await info.context.loaders.cohorts.load(CohortKey(name))


async def resolve_source(info: Info, slug: SlugArgument) -> Source | None:
    """A source by slug."""
    return await info.context.loaders.sources.load(Slug(slug))


async def resolve_request(
    info: Info,
    input: Annotated[ResolveInput, strawberry.argument(description="What is asked for.")],  # noqa: A002 - the argument's name in the API
) -> Resolution:
    """How a request for a workload is answered."""
    return await info.context.loaders.resolutions.load(compile_request(input))


async def resolve_node(
    info: Info,
    id: Annotated[strawberry.ID, strawberry.argument(description="The global id.")],  # noqa: A002 - Relay's name
) -> Node | None:
    """Anything by its global id."""
    return await _load_node(info.context, "id", id)


async def resolve_nodes(
    info: Info,
    ids: Annotated[
        list[strawberry.ID], strawberry.argument(description="Global ids, at most 200.")
    ],
) -> list[Node | None]:
    """Things by their global ids, in order."""
    if len(ids) > MAX_PAGE:
        raise BadArgumentError("ids", f"found {len(ids)}, expected at most {MAX_PAGE}")
    return list(
        await asyncio.gather(
            *(_load_node(info.context, f"ids[{number}]", text) for number, text in enumerate(ids))
        )
    )


resolve_operations = list_resolver(
    load_kept("operations", lambda loaders: loaders.operations, OperationConnection),
    OperationConnection,
    OperationWhere,
    OperationOrder,
)
resolve_families = list_resolver(
    load_kept("families", lambda loaders: loaders.families, FamilyConnection),
    FamilyConnection,
    FamilyWhere,
    FamilyOrder,
)
resolve_workloads = list_resolver(
    load_kept("workloads", lambda loaders: loaders.workloads, WorkloadConnection),
    WorkloadConnection,
    WorkloadWhere,
    WorkloadOrder,
)
resolve_implementations = list_resolver(
    load_kept("implementations", lambda loaders: loaders.implementations, ImplementationConnection),
    ImplementationConnection,
    ImplementationWhere,
    ImplementationOrder,
)
resolve_runs = list_resolver(
    load_kept("runs", lambda loaders: loaders.runs, RunConnection),
    RunConnection,
    RunWhere,
    RunOrder,
)
resolve_cohorts = list_resolver(
    load_kept("cohorts", lambda loaders: loaders.cohorts, CohortConnection),
    CohortConnection,
    CohortWhere,
    CohortOrder,
)
resolve_records = list_resolver(
    load_facts(lambda catalog: catalog.page_records, Record.from_fact, RecordConnection),
    RecordConnection,
    RecordWhere,
    RecordOrder,
)
resolve_record_history = list_resolver(
    load_facts(
        lambda catalog: catalog.page_record_events, RecordEvent.from_fact, RecordEventConnection
    ),
    RecordEventConnection,
    RecordEventWhere,
    RecordEventOrder,
)
resolve_hardware = list_resolver(
    load_facts(
        lambda catalog: catalog.page_hardware,
        MeasuredHardware.from_fact,
        MeasuredHardwareConnection,
    ),
    MeasuredHardwareConnection,
    HardwareWhere,
    HardwareOrder,
)
resolve_sources = list_resolver(
    load_facts(lambda catalog: catalog.page_sources, Source.from_fact, SourceConnection),
    SourceConnection,
    SourceWhere,
    SourceOrder,
)
resolve_publications = list_resolver(
    load_facts(
        lambda catalog: catalog.page_publications, Publication.from_fact, PublicationConnection
    ),
    PublicationConnection,
    PublicationWhere,
    PublicationOrder,
)
resolve_serving_runs = list_resolver(
    load_facts(
        lambda catalog: catalog.page_serving_runs, ServingRun.from_fact, ServingRunConnection
    ),
    ServingRunConnection,
    ServingRunWhere,
    ServingRunOrder,
)


# How each kind of node is found by the key that stands in its global id.
_NODE_LOADERS: dict[NodeType, Callable[[Loaders], BatchLoader[Any, Any]]] = {
    NodeType.SOURCE: lambda loaders: loaders.sources,
    NodeType.FAMILY: lambda loaders: loaders.families,
    NodeType.COHORT: lambda loaders: loaders.cohorts,
    NodeType.OPERATION: lambda loaders: loaders.operations,
    NodeType.WORKLOAD: lambda loaders: loaders.workloads,
    NodeType.IMPLEMENTATION: lambda loaders: loaders.implementations,
    NodeType.PROJECT: lambda loaders: loaders.projects,
    NodeType.PROTOCOL: lambda loaders: loaders.protocols,
    NodeType.ENVIRONMENT: lambda loaders: loaders.environments,
    NodeType.RUN: lambda loaders: loaders.runs,
    NodeType.SERVING_RUN: lambda loaders: loaders.serving_runs,
}


async def _find_object(context: Context, ref: str, kinds: tuple[Kind, ...]) -> ObjectFact | None:
    try:
        return await context.worker.run(lambda: context.catalog.find_object(ref, kinds))
    except BadDigestError as error:
        raise BadArgumentError(
            "ref", f"found {error.text[:90]!r}, expected {error.expected}"
        ) from error


async def _load_node(context: Context, argument: str, text: str) -> Node | None:
    if len(text) > MAX_NAME:
        raise BadArgumentError(argument, f"found {len(text)} characters, expected a global id")
    kind, key = parse_node_id(argument, text)
    if kind is None:
        return await _load_publication(context, ObjectId(key))
    if kind is NodeType.STORED_OBJECT:
        return await _load_stored(context, argument, key)
    found: Node | None = await _NODE_LOADERS[kind](context.loaders).load(key)
    return found


async def _load_stored(context: Context, argument: str, key: str) -> StoredObject | None:
    try:
        found = await context.worker.run(lambda: context.catalog.find_object(key, ()))
    except BadDigestError as error:
        raise BadArgumentError(argument, f"found {key[:90]!r}, expected a global id") from error
    return None if found is None else StoredObject.from_fact(found)


async def _load_publication(context: Context, snapshot: ObjectId) -> Publication | None:
    where = Condition("snapshot", "eq", snapshot)
    page = await context.worker.run(
        lambda: context.catalog.page_publications(where, (), PageRequest(first=1))
    )
    return Publication.from_fact(page.items[0]) if page.items else None
