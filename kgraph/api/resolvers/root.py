"""Root fields: one named thing, or a page of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

import strawberry

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import (
    MAX_PAGE,
    After,
    Before,
    Connection,
    First,
    Last,
    build_connection,
    same,
)
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
from kgraph.api.resolvers.page import (
    ORDER_BY,
    WHERE,
    ListRequest,
    SlugArgument,
    ask_list,
    load_page,
)
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
from kgraph.facts import Condition, ObjectFact, Page, PageRequest
from kgraph.vocab import CohortKey, Kind, Slug

T = TypeVar("T")
C = TypeVar("C", bound=Connection[Any])

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


async def resolve_operations(
    info: Info,
    *,
    where: Annotated[OperationWhere | None, WHERE] = None,
    order_by: Annotated[list[OperationOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> OperationConnection:
    """A page of operations."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "operations", info.context.loaders.operations, asked)
    return build_connection(OperationConnection, page, same, asked.extra)


async def resolve_families(
    info: Info,
    *,
    where: Annotated[FamilyWhere | None, WHERE] = None,
    order_by: Annotated[list[FamilyOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> FamilyConnection:
    """A page of families."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "families", info.context.loaders.families, asked)
    return build_connection(FamilyConnection, page, same)


async def resolve_workloads(
    info: Info,
    *,
    where: Annotated[WorkloadWhere | None, WHERE] = None,
    order_by: Annotated[list[WorkloadOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> WorkloadConnection:
    """A page of workloads."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "workloads", info.context.loaders.workloads, asked)
    return build_connection(WorkloadConnection, page, same, asked.extra)


async def resolve_implementations(
    info: Info,
    *,
    where: Annotated[ImplementationWhere | None, WHERE] = None,
    order_by: Annotated[list[ImplementationOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> ImplementationConnection:
    """A page of implementations."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "implementations", info.context.loaders.implementations, asked)
    return build_connection(ImplementationConnection, page, same, asked.extra)


async def resolve_runs(
    info: Info,
    *,
    where: Annotated[RunWhere | None, WHERE] = None,
    order_by: Annotated[list[RunOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> RunConnection:
    """A page of runs."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "runs", info.context.loaders.runs, asked)
    return build_connection(RunConnection, page, same, asked.extra)


async def resolve_cohorts(
    info: Info,
    *,
    where: Annotated[CohortWhere | None, WHERE] = None,
    order_by: Annotated[list[CohortOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> CohortConnection:
    """A page of cohorts."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await _load_kept(info, "cohorts", info.context.loaders.cohorts, asked)
    return build_connection(CohortConnection, page, same, asked.extra)


async def resolve_records(
    info: Info,
    *,
    where: Annotated[RecordWhere | None, WHERE] = None,
    order_by: Annotated[list[RecordOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> RecordConnection:
    """A page of records."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_records, asked)
    return build_connection(RecordConnection, page, Record.from_fact, asked.extra)


async def resolve_record_history(
    info: Info,
    *,
    where: Annotated[RecordEventWhere | None, WHERE] = None,
    order_by: Annotated[list[RecordEventOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> RecordEventConnection:
    """A page of record history."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_record_events, asked)
    return build_connection(RecordEventConnection, page, RecordEvent.from_fact, asked.extra)


async def resolve_hardware(
    info: Info,
    *,
    where: Annotated[HardwareWhere | None, WHERE] = None,
    order_by: Annotated[list[HardwareOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> MeasuredHardwareConnection:
    """A page of hardware."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_hardware, asked)
    return build_connection(MeasuredHardwareConnection, page, MeasuredHardware.from_fact)


async def resolve_sources(
    info: Info,
    *,
    where: Annotated[SourceWhere | None, WHERE] = None,
    order_by: Annotated[list[SourceOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> SourceConnection:
    """A page of sources."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_sources, asked)
    return build_connection(SourceConnection, page, Source.from_fact)


async def resolve_publications(
    info: Info,
    *,
    where: Annotated[PublicationWhere | None, WHERE] = None,
    order_by: Annotated[list[PublicationOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> PublicationConnection:
    """A page of publications."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_publications, asked)
    return build_connection(PublicationConnection, page, Publication.from_fact)


async def resolve_serving_runs(
    info: Info,
    *,
    where: Annotated[ServingRunWhere | None, WHERE] = None,
    order_by: Annotated[list[ServingRunOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> ServingRunConnection:
    """A page of serving runs."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_serving_runs, asked)
    return build_connection(ServingRunConnection, page, ServingRun.from_fact, asked.extra)


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


async def _load_kept(
    info: Info, list_name: str, loader: BatchLoader[Any, T], asked: ListRequest
) -> Page[T]:
    """A page of a list whose items are kept: the catalogue is asked for their keys."""
    catalog = info.context.catalog
    keys = await load_page(info, partial(catalog.page_keys, list_name), asked)
    found = loader.load_many(keys.items)
    items = tuple(found if isinstance(found, list) else await found)
    return Page(items, keys.cursors, keys.total_count, keys.has_next, keys.has_previous)


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
