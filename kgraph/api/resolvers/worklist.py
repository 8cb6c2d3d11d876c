"""Root fields that list what is worth doing: gaps, stale records, room to the floor; projects."""

from __future__ import annotations

from typing import Annotated

import strawberry

from kgraph.api.connection import (
    After,
    Before,
    First,
    Last,
    build_connection,
    choose_page,
    naming_cursor,
)
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
from kgraph.api.resolvers.page import ORDER_BY, WHERE, ListRequest, ask_list, load_page
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

POLICY = strawberry.argument(description="Version of the floor's estimate.")


async def resolve_projects(
    info: Info,
    *,
    where: Annotated[ProjectWhere | None, WHERE] = None,
    order_by: Annotated[list[ProjectOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> ProjectConnection:
    """A page of projects."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_projects, asked)
    return build_connection(ProjectConnection, page, lambda fact: Project.from_fact(fact.project))


async def resolve_open_challenges(
    info: Info,
    *,
    where: Annotated[UnmeasuredCellWhere | None, WHERE] = None,
    order_by: Annotated[list[UnmeasuredCellOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> UnmeasuredCellConnection:
    """A page of what nobody measured."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(info, info.context.catalog.page_challenges, asked)
    return build_connection(UnmeasuredCellConnection, page, UnmeasuredCell.from_fact, asked.extra)


async def resolve_stale_records(
    info: Info,
    *,
    where: Annotated[RecordWhere | None, WHERE] = None,
    order_by: Annotated[list[RecordOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> RecordConnection:
    """A page of records too old to rely on."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    limit = Condition("observed_at", "lt", info.context.now - STALE_AFTER)
    stale = ListRequest(
        limit if asked.where is None else AllOf((limit, asked.where)),
        asked.order or (Order("observed_at"),),
        asked.page,
    )
    page = await load_page(info, info.context.catalog.page_records, stale)
    return build_connection(RecordConnection, page, Record.from_fact, stale.extra)


async def resolve_opportunities(
    info: Info,
    *,
    policy: Annotated[HeadroomPolicy, POLICY] = HeadroomPolicy.HEADROOM_V2,
    where: Annotated[OpportunityWhere | None, WHERE] = None,
    order_by: Annotated[list[OpportunityOrder] | None, ORDER_BY] = None,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> OpportunityConnection:
    """A page of records beside their floors."""
    asked = ask_list(
        info, where=where, order_by=order_by, first=first, after=after, last=last, before=before
    )
    page = await load_page(
        info,
        lambda where, order, page: info.context.catalog.page_opportunities(
            policy, where, order, page
        ),
        asked,
    )
    version: Filter = Condition("policy", "eq", policy.value)
    held = version if asked.where is None else AllOf((version, asked.where))
    return build_connection(OpportunityConnection, page, Opportunity.from_fact, {"where": held})


async def resolve_headroom_audit(
    info: Info,
    *,
    policy: Annotated[HeadroomPolicy, POLICY] = HeadroomPolicy.HEADROOM_V2,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> HeadroomAuditConnection:
    """A page of records below their floor, with counts over all."""
    page, context = choose_page(first, after, last, before), info.context
    with naming_cursor(page):
        audit = await context.worker.run(lambda: context.catalog.audit_headroom(policy, page))
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
