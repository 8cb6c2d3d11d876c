"""Linked fields of the answer to a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.connection import (
    DEFAULT_PAGE,
    After,
    Before,
    First,
    Last,
    build_connection,
    choose_page,
)
from kgraph.api.context import Info
from kgraph.api.resolvers.page import ListRequest, load_page
from kgraph.api.types.record import Record, RecordConnection
from kgraph.facts import PageRequest

if TYPE_CHECKING:
    from kgraph.api.types.question import QueryAnswer

FIRST_PAGE = PageRequest(first=DEFAULT_PAGE)
"""The page of records that comes with the answer itself."""


async def resolve_records_of_answer(
    root: strawberry.Parent[QueryAnswer],
    info: Info,
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> RecordConnection | None:
    """A page of the records that a query asks for; the first is at hand."""
    fact, asked = root.fact, choose_page(first, after, last, before)
    if fact.records is None:
        return None
    page = fact.records
    if asked != FIRST_PAGE:
        request = ListRequest(fact.where, (), asked)
        page = await load_page(info, info.context.catalog.page_records, request)
    return build_connection(RecordConnection, page, Record.from_fact, {"where": fact.where})
