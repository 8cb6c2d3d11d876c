"""Linked fields of an implementation's standing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.connection import (
    After,
    Before,
    First,
    Last,
    build_connection,
    choose_page,
    slice_sequence,
)
from kgraph.api.context import Info
from kgraph.api.lazy import LazyCohort, LazyCohortPlaces, LazyRun
from kgraph.api.resolvers.link import Link, answered_by

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


def resolve_places(
    root: strawberry.Parent[ImplementationStanding],
    *,
    first: First = None,
    after: After = None,
    last: Last = None,
    before: Before = None,
) -> LazyCohortPlaces:
    """A page of an implementation's places; they are at hand, nothing is asked."""
    # The type has this resolver, and so is made after it.
    from kgraph.api.types.standing import CohortPlace, CohortPlaceConnection  # noqa: PLC0415

    page = slice_sequence(root.fact.places, choose_page(first, after, last, before))
    return build_connection(CohortPlaceConnection, page, CohortPlace.from_fact)
