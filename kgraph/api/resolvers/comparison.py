"""Linked fields of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from kgraph.api.context import Info
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers.link import Link, answered_by, load_each

if TYPE_CHECKING:
    from kgraph.api.types.comparison import ComparedGroup, Comparison


async def resolve_runs_of_comparison(
    root: strawberry.Parent[Comparison], info: Info
) -> list[LazyRun]:
    """The compared runs."""
    return await load_each(info.context.loaders.runs, root.run_digests)


_WINNER = Link["Comparison", "LazyRun | None"](
    lambda loaders: loaders.runs, lambda root: root.winner_digest
)


@answered_by(_WINNER)
async def resolve_winner_of_comparison(
    root: strawberry.Parent[Comparison], info: Info
) -> LazyRun | None:
    """The best of one cohort's compared runs."""
    return await _WINNER.follow(root, info)


async def resolve_runs_of_group(
    root: strawberry.Parent[ComparedGroup], info: Info
) -> list[LazyRun]:
    """The compared runs of one cohort."""
    return await load_each(info.context.loaders.runs, root.run_digests)


_WINNER_OF_GROUP = Link["ComparedGroup", "LazyRun | None"](
    lambda loaders: loaders.runs, lambda root: root.winner_digest
)


@answered_by(_WINNER_OF_GROUP)
async def resolve_winner_of_group(
    root: strawberry.Parent[ComparedGroup], info: Info
) -> LazyRun | None:
    """The best compared run of one cohort."""
    return await _WINNER_OF_GROUP.follow(root, info)


async def resolve_tied_of_group(
    root: strawberry.Parent[ComparedGroup], info: Info
) -> list[LazyRun]:
    """Compared runs that share the best rank."""
    return await load_each(info.context.loaders.runs, root.tied_digests)


_COHORT = Link["ComparedGroup", "LazyCohort"](
    lambda loaders: loaders.cohorts, lambda root: root.cohort_key
)


@answered_by(_COHORT)
async def resolve_cohort_of_group(root: strawberry.Parent[ComparedGroup], info: Info) -> LazyCohort:
    """The cohort of a group."""
    return await _COHORT.follow(root, info)
