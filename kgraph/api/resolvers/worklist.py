"""Root fields that list what is worth doing: gaps, stale records, room to the floor; projects."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import strawberry

from kgraph.api.connection import ListRequest, build_connection, naming_cursor
from kgraph.api.context import Info
from kgraph.api.enums import HeadroomPolicy
from kgraph.api.inputs.order import (
    OpportunityOrder,
    ProjectOrder,
    RecordOrder,
    UnmeasuredCellOrder,
)
from kgraph.api.inputs.where import (
    OpportunityWhere,
    ProjectWhere,
    RecordWhere,
    UnmeasuredCellWhere,
)
from kgraph.api.resolvers.page import (
    ask_list,
    list_resolver,
    load_facts,
    load_page,
    with_arguments,
)
from kgraph.api.types.coverage import UnmeasuredCell, UnmeasuredCellConnection
from kgraph.api.types.opportunity import (
    BelowFloorCount,
    HeadroomAuditConnection,
    Opportunity,
    OpportunityConnection,
)
from kgraph.api.types.project import Project, ProjectConnection
from kgraph.api.types.record import Record, RecordConnection
from kgraph.api.types.standing import ReasonCount
from kgraph.facts import AllOf, Condition, Filter, Order
from kgraph.policy import STALE_AFTER

POLICY: tuple[object, object] = (
    Annotated[HeadroomPolicy, strawberry.argument(description="Version of the floor's estimate.")],
    HeadroomPolicy.HEADROOM_V2,
)
"""Type and default of the argument that chooses an estimate."""


resolve_projects = list_resolver(
    load_facts(
        lambda catalog: catalog.page_projects,
        lambda fact: Project.from_fact(fact.project),
        ProjectConnection,
    ),
    ProjectConnection,
    ProjectWhere,
    ProjectOrder,
)
resolve_open_challenges = list_resolver(
    load_facts(
        lambda catalog: catalog.page_challenges, UnmeasuredCell.from_fact, UnmeasuredCellConnection
    ),
    UnmeasuredCellConnection,
    UnmeasuredCellWhere,
    UnmeasuredCellOrder,
)


async def _load_stale_records(info: Info, asked: ListRequest) -> RecordConnection:
    limit = Condition("observed_at", "lt", info.context.now - STALE_AFTER)
    stale = ListRequest(
        limit if asked.where is None else AllOf((limit, asked.where)),
        asked.order or (Order("observed_at"),),
        asked.page,
    )
    return await _LOAD_RECORDS(info, stale)


_LOAD_RECORDS = load_facts(lambda catalog: catalog.page_records, Record.from_fact, RecordConnection)
resolve_stale_records = list_resolver(
    _load_stale_records, RecordConnection, RecordWhere, RecordOrder
)


async def _load_opportunities(
    info: Info,
    policy: HeadroomPolicy,
    **given: Any,  # noqa: ANN401 - a list's arguments
) -> OpportunityConnection:
    asked = ask_list(info.context, **given)
    page = await load_page(info, partial(info.context.catalog.page_opportunities, policy), asked)
    version: Filter = Condition("policy", "eq", policy.value)
    held = version if asked.where is None else AllOf((version, asked.where))
    return build_connection(OpportunityConnection, page, Opportunity.from_fact, {"where": held})


resolve_opportunities = with_arguments(
    _load_opportunities,
    OpportunityConnection,
    where=OpportunityWhere,
    order=OpportunityOrder,
    policy=POLICY,
)


async def _load_headroom_audit(
    info: Info,
    policy: HeadroomPolicy,
    **given: Any,  # noqa: ANN401 - likewise
) -> HeadroomAuditConnection:
    asked, context = ask_list(info.context, **given), info.context
    with naming_cursor(asked.page):
        audit = await context.worker.run(
            lambda: context.catalog.audit_headroom(policy, asked.page, asked.order)
        )
    counts = audit.counts
    extra = {
        "policy": counts.policy,
        "cohort_count": counts.cohort_count,
        "floor_count": counts.floor_count,
        "ratio_count": counts.ratio_count,
        "below_counts": [
            BelowFloorCount(explanation=explanation, count=count)
            for explanation, count in counts.below_counts
        ],
        "reason_counts": [
            ReasonCount(reason=reason, count=count) for reason, count in counts.reason_counts
        ],
    }
    return build_connection(HeadroomAuditConnection, audit.below, Opportunity.from_fact, extra)


resolve_headroom_audit = with_arguments(
    _load_headroom_audit, HeadroomAuditConnection, order=OpportunityOrder, policy=POLICY
)
