"""Plans at work: breadth first, one question for each link of all objects together."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from graphql.execution.values import get_argument_values
from graphql.pyutils import Path, gather_with_cancel

from kgraph.projector.later import Later
from kgraph.projector.leaf import UnusualValueError
from kgraph.projector.plan import LinkSite

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from graphql.execution import Executor

    from kgraph.projector.plan import Pair, Plan, StockSite

Parts = list[dict[str, Any]]


def run_plan(
    executor: Executor[Any], plan: Plan, objects: Sequence[Any]
) -> Parts | Awaitable[Parts]:
    """What the plan makes of the objects, in order.

    Raises:
        Exception: a value is unusual, or cannot be had; stock execution says what the answer is.
    """
    pairs: list[list[Pair]] = [[] for _ in plan.sites]
    parts = plan.project(objects, [found.append for found in pairs])
    waiting: list[Awaitable[None]] = []
    try:
        for site, found in zip(plan.sites, pairs, strict=True):
            if isinstance(site, LinkSite):
                filled = _fill_links(executor, site, found) if found else None
                if filled is not None:
                    waiting.append(filled)
            else:
                waiting += _fill_by_stock(executor, site, found)
    except Exception:
        executor.settle_in_background(list(waiting))
        raise
    return Later(_finish, parts, waiting) if waiting else parts


async def _finish(parts: Parts, waiting: list[Awaitable[None]]) -> Parts:
    if len(waiting) == 1:
        await waiting[0]
    else:
        await gather_with_cancel(*waiting)
    return parts


def _fill_by_stock(
    executor: Executor[Any], site: StockSite, pairs: list[Pair]
) -> list[Awaitable[None]]:
    """Put a field into each part as stock execution answers it; what is to be waited for."""
    name = site.name
    waiting: list[Awaitable[None]] = []
    # Where in the answer this is shows in errors only, and no error of a projection is ever shown.
    path = Path(None, name, site.parent.name)
    try:
        for source, part in pairs:
            value = executor.execute_field(site.parent, source, site.details, path, None)
            if executor.is_awaitable(value):
                waiting.append(Later(_put, part, name, value))
            else:
                part[name] = value
    except Exception:
        executor.settle_in_background(list(waiting))
        raise
    return waiting


async def _put(part: dict[str, Any], name: str, value: Awaitable[Any]) -> None:
    part[name] = await value


def _fill_links(
    executor: Executor[Any], site: LinkSite, pairs: list[Pair]
) -> Awaitable[None] | None:
    """Put what a link leads to into each part; what is to be waited for, if anything."""
    definition, first = site.definition, site.details[0]
    arguments = (
        get_argument_values(
            definition,
            first.node,
            executor.variable_values,
            first.fragment_variable_values,
            executor.hide_suggestions,
        )
        if definition.args
        else {}
    )
    values = site.link.load(executor.context_value, [source for source, _ in pairs], arguments)
    if isawaitable(values):
        return Later(_await_links, executor, site, pairs, values)
    return _place(executor, site, pairs, values)


async def _await_links(
    executor: Executor[Any], site: LinkSite, pairs: list[Pair], values: Awaitable[Sequence[Any]]
) -> None:
    placed = _place(executor, site, pairs, await values)
    if placed is not None:
        await placed


def _place(
    executor: Executor[Any], site: LinkSite, pairs: list[Pair], values: Sequence[Any]
) -> Awaitable[None] | None:
    if len(values) != len(pairs):
        raise UnusualValueError(values, f"{len(pairs)} values")
    objects = _find_distinct(site, values)
    if site.child is None:
        assert site.coerce is not None  # noqa: S101 - a site has one of the two
        made: Sequence[Any] | Awaitable[Sequence[Any]] = [site.coerce(item) for item in objects]
    else:
        made = run_plan(executor, site.child, objects)
    if isawaitable(made):
        return Later(_await_made, site, pairs, values, objects, made)
    _put_made(site, pairs, values, objects, made)
    return None


def _find_distinct(site: LinkSite, values: Sequence[Any]) -> list[Any]:
    """The objects that a link leads to; one that stands in many places is projected once."""
    distinct: dict[int, Any] = {}
    for value in values:
        if value is None:
            if not site.is_nullable:
                raise UnusualValueError(value, f"a value of {site.name}")
        elif not site.is_list:
            distinct[id(value)] = value
        elif not isinstance(value, list | tuple):
            raise UnusualValueError(value, f"a list of {site.name}")
        else:
            distinct.update({id(item): item for item in value})
            if any(item is None for item in value) and not site.has_nullable_items:
                raise UnusualValueError(None, f"an item of {site.name}")
    distinct.pop(id(None), None)
    return list(distinct.values())


async def _await_made(
    site: LinkSite,
    pairs: list[Pair],
    values: Sequence[Any],
    objects: list[Any],
    made: Awaitable[Sequence[Any]],
) -> None:
    _put_made(site, pairs, values, objects, await made)


def _put_made(
    site: LinkSite,
    pairs: list[Pair],
    values: Sequence[Any],
    objects: list[Any],
    made: Sequence[Any],
) -> None:
    name = site.name
    by_object = {id(item): part for item, part in zip(objects, made, strict=True)}
    # None has no part of its own, and stands for itself.
    find = by_object.get
    if site.is_list:
        for (_, part), value in zip(pairs, values, strict=True):
            part[name] = None if value is None else [find(id(item)) for item in value]
    else:
        for (_, part), value in zip(pairs, values, strict=True):
            part[name] = find(id(value))
