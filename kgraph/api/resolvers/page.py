"""A page of a list: its arguments, compiled, and the resolvers that take them.

All lists have one shape: `where`, `orderBy`, and a page from either end. A resolver is made for
each from the types that make it differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import strawberry

from kgraph.api.connection import (
    After,
    Before,
    Connection,
    First,
    Last,
    ListRequest,
    build_connection,
    choose_page,
    naming_cursor,
    same,
)
from kgraph.api.context import Context, Info
from kgraph.api.inputs.compile import FilterCompiler
from kgraph.api.inputs.order import ListOrder, compile_order
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.facts import Filter, Order, Page, PageRequest

if TYPE_CHECKING:
    from kgraph.api.batch import BatchLoader
    from kgraph.api.loaders import Loaders
    from kgraph.catalog import Catalog

F = TypeVar("F")
C = TypeVar("C", bound=Connection[Any])
Resolver = Callable[..., Any]

WHERE = strawberry.argument(description="Which of them; all where left out.")
ORDER_BY = strawberry.argument(
    name="orderBy",
    description="How to sort them, first field first, at most 3; ties go by digest.",
)
ORDER_WHOLE_BY = strawberry.argument(
    name="orderBy",
    description="How to sort them, first field first, at most 3; ties keep the list's own order.",
)
SlugArgument = Annotated[str, strawberry.argument(description="The slug.")]

_PAGE: dict[str, Any] = {"first": First, "after": After, "last": Last, "before": Before}
# Where a resolver is given them, and what the schema never shows.
_ROOT: Any = strawberry.Parent[Any]  # type: ignore[misc] # an alias of Annotated, not a class
_GIVEN: dict[str, Any] = {"root": _ROOT, "info": Info}


def ask_list(
    context: Context,
    *,
    where: object | None = None,
    order_by: Sequence[ListOrder[Any]] | None = None,
    first: int | None = None,
    after: str | None = None,
    last: int | None = None,
    before: str | None = None,
) -> ListRequest:
    """What the arguments of a list ask for.

    Raises:
        BadArgumentError: one of them holds something that it may not.
    """
    return ListRequest(
        FilterCompiler(context.now).compile(where),
        compile_order(order_by),
        choose_page(first, after, last, before),
    )


async def load_page(
    info: Info,
    load: Callable[[Filter | None, tuple[Order, ...], PageRequest], Page[F]],
    asked: ListRequest,
) -> Page[F]:
    """The page that `load` finds.

    Raises:
        BadCursorError: the cursor is none of this list's.
    """
    with naming_cursor(asked.page):
        return await info.context.worker.run(lambda: load(asked.where, asked.order, asked.page))


def with_arguments(
    resolver: Resolver,
    returns: object,
    *,
    where: type | None = None,
    order: type | None = None,
    order_argument: object = ORDER_BY,
    **others: tuple[object, object],
) -> Resolver:
    """The resolver as the schema reads it: a list's arguments, each with its type.

    Args:
        resolver: Takes `info`, `root` too where it belongs to an object, and the arguments by name.
        others: Type and default of the arguments that only this list has.
    """
    fixed = [name for name in inspect.signature(resolver).parameters if name in _GIVEN]
    taken: dict[str, tuple[object, object]] = {**others}
    if where is not None:
        taken["where"] = (Annotated[where | None, WHERE], None)
    if order is not None:
        # The type is a value here, which a checker of types does not take for one.
        orders: Any = list[order]  # type: ignore[valid-type]
        taken["order_by"] = (Annotated[orders | None, order_argument], None)
    taken |= {name: (annotation, None) for name, annotation in _PAGE.items()}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_GIVEN[name])
        for name in fixed
    ]
    parameters += [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
        )
        for name, (annotation, default) in taken.items()
    ]
    resolver.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # read by inspect
        parameters, return_annotation=returns
    )
    resolver.__annotations__ = {
        **{one.name: one.annotation for one in parameters},
        "return": returns,
    }
    return resolver


def list_resolver(
    load: Callable[[Info, ListRequest], Awaitable[C]],
    connection: type[C],
    where: type,
    order: type,
) -> Resolver:
    """The resolver of a list of the root."""

    async def resolve_list(info: Info, **given: Any) -> C:  # noqa: ANN401 - a list's arguments
        return await load(info, ask_list(info.context, **given))

    return with_arguments(resolve_list, connection, where=where, order=order)


def load_kept(
    list_name: str, loader: Callable[[Loaders], BatchLoader[Any, Any]], connection: type[C]
) -> Callable[[Info, ListRequest], Awaitable[C]]:
    """How a list is answered whose items are kept: the catalogue is asked for their keys."""

    async def load(info: Info, asked: ListRequest) -> C:
        catalog = info.context.catalog
        keys = await load_page(info, partial(catalog.page_keys, list_name), asked)
        found = loader(info.context.loaders).load_many(keys.items)
        items = tuple(found if isinstance(found, list) else await found)
        page = Page(items, keys.cursors, keys.total_count, keys.has_next, keys.has_previous)
        return build_connection(connection, page, same, asked.extra)

    return load


def load_facts(
    page: Callable[[Catalog], Callable[[Filter | None, tuple[Order, ...], PageRequest], Page[F]]],
    build: Callable[[F], object],
    connection: type[C],
) -> Callable[[Info, ListRequest], Awaitable[C]]:
    """How a list is answered whose items are made anew of what the catalogue finds."""

    async def load(info: Info, asked: ListRequest) -> C:
        found = await load_page(info, page(info.context.catalog), asked)
        return build_connection(connection, found, build, asked.extra)

    return load


def owned_resolver(
    link: Link[Any, Any],
    returns: object,
    *,
    where: type | None = None,
    order: type | None = None,
    order_argument: object = ORDER_BY,
    **others: tuple[object, object],
) -> Resolver:
    """The resolver of a list that belongs to an object and that `link` answers.

    Args:
        link: With `ask_list`, or something that it is part of, as the second part of its key.
    """

    @answered_by(link)
    async def resolve_owned(root: Any, info: Info, **given: Any) -> object:  # noqa: ANN401 - as above
        return await link.follow(root, info, **given)

    return with_arguments(
        resolve_owned, returns, where=where, order=order, order_argument=order_argument, **others
    )
