"""Linked fields of an implementation's standing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import strawberry

from kgraph.api.connection import build_connection, naming_cursor
from kgraph.api.context import Info
from kgraph.api.inputs.order import CohortPlaceOrder
from kgraph.api.lazy import LazyCohort, LazyCohortPlaces, LazyRun
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.api.resolvers.page import ORDER_WHOLE_BY, ask_list, with_arguments
from kgraph.catalog import slice_sequence
from kgraph.facts import CohortPlaceFact

if TYPE_CHECKING:
    from kgraph.api.types.standing import CohortPlace, ImplementationStanding

_COHORT = Link["CohortPlace", "LazyCohort"](
    lambda loaders: loaders.cohorts, lambda root: root.cohort_key
)


@answered_by(_COHORT)
async def resolve_cohort_of_place(root: strawberry.Parent[CohortPlace], info: Info) -> LazyCohort:
    """The cohort of a place."""
    return await _COHORT.follow(root, info)


_RUN = Link["CohortPlace", "LazyRun"](lambda loaders: loaders.runs, lambda root: root.run_digest)


@answered_by(_RUN)
async def resolve_run_of_place(root: strawberry.Parent[CohortPlace], info: Info) -> LazyRun:
    """The run of a place."""
    return await _RUN.follow(root, info)


# By what places are sorted; see `CohortPlaceOrderField`.
_PLACE_FIELDS: dict[str, Callable[[CohortPlaceFact], Any]] = {
    "cohort": lambda place: place.cohort,
    "rank": lambda place: place.rank,
    "ratio_to_leader": lambda place: place.ratio_to_leader,
    "implementation_count": lambda place: place.implementation_count,
}


def _find_places(root: ImplementationStanding, info: Info, **given: Any) -> LazyCohortPlaces:  # noqa: ANN401 - a list's arguments
    # The type has this resolver, and so is made after it.
    from kgraph.api.types.standing import CohortPlace, CohortPlaceConnection  # noqa: PLC0415

    asked = ask_list(info.context, **given)
    question = (info.context.catalog.snapshot, "places", root.fact.implementation)
    with naming_cursor(asked.page):
        page = slice_sequence(root.fact.places, asked.page, question, asked.order, _PLACE_FIELDS)
    return build_connection(CohortPlaceConnection, page, CohortPlace.from_fact)


resolve_places = with_arguments(
    _find_places, LazyCohortPlaces, order=CohortPlaceOrder, order_argument=ORDER_WHOLE_BY
)
