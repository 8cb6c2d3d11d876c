"""Linked fields of the answer to a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.api.connection import DEFAULT_PAGE, ListRequest, build_connection
from kgraph.api.context import Info
from kgraph.api.inputs.order import RecordOrder
from kgraph.api.resolvers.page import ask_list, load_page, with_arguments
from kgraph.api.types.record import Record, RecordConnection
from kgraph.facts import PageRequest

if TYPE_CHECKING:
    from kgraph.api.types.question import QueryAnswer

FIRST_PAGE = PageRequest(first=DEFAULT_PAGE)
"""The page of records that comes with the answer itself."""


async def _load_records(root: QueryAnswer, info: Info, **given: Any) -> RecordConnection | None:  # noqa: ANN401 - a list's arguments
    fact, asked = root.fact, ask_list(info.context, **given)
    if fact.records is None:
        return None
    page = fact.records
    if asked.page != FIRST_PAGE or asked.order:
        # The line is the filter; only the page and its order are asked for here.
        request = ListRequest(fact.where, asked.order, asked.page)
        page = await load_page(info, info.context.catalog.page_records, request)
    return build_connection(RecordConnection, page, Record.from_fact, {"where": fact.where})


resolve_records_of_answer = with_arguments(
    _load_records, RecordConnection | None, order=RecordOrder
)
