"""A page of a list: its arguments compiled, and the catalogue asked for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import strawberry

from kgraph.api.connection import choose_page, naming_cursor
from kgraph.api.context import Info
from kgraph.api.inputs.compile import FilterCompiler
from kgraph.api.inputs.order import ListOrder, compile_order
from kgraph.facts import Filter, Order, Page, PageRequest

F = TypeVar("F")

WHERE = strawberry.argument(description="Which of them; all where left out.")
ORDER_BY = strawberry.argument(
    name="orderBy",
    description="How to sort them, first field first, at most 3; ties go by digest.",
)
SlugArgument = Annotated[str, strawberry.argument(description="The slug.")]


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The arguments of a list, compiled."""

    where: Filter | None
    order: tuple[Order, ...]
    page: PageRequest

    @property
    def extra(self) -> dict[str, object]:
        """What a connection with facets keeps of the question."""
        return {"where": self.where}


def ask_list(
    info: Info,
    *,
    where: object | None,
    order_by: Sequence[ListOrder[Any]] | None,
    first: int | None,
    after: str | None,
    last: int | None,
    before: str | None,
) -> ListRequest:
    """What the arguments of a list ask for.

    Raises:
        BadArgumentError: one of them holds something that it may not.
    """
    return ListRequest(
        FilterCompiler(info.context.now).compile(where),
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
