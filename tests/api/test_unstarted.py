"""What a failing field leaves unbegun is closed, and complains nowhere."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import TYPE_CHECKING, Any

from graphql import (
    ExecutionResult,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    execute,
    parse,
)
from strawberry.execution import optimized_is_awaitable

from kgraph.api.unstarted import Unstarted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DOCUMENT = parse("{ deep { deep { deep { leaf other: leaf } } } fails }")


def make_schema(turns: int) -> GraphQLSchema:
    """Nested fields that all are waited for, and one that fails after some turns of the loop."""

    async def give(*_: object) -> list[dict[str, int]]:
        return [{}, {}]

    async def count(*_: object) -> int:
        return 1

    async def fail(*_: object) -> int:
        for _turn in range(turns):
            await asyncio.sleep(0)
        raise ValueError("refused")

    thing = GraphQLObjectType(
        "Thing",
        lambda: {
            "deep": GraphQLField(GraphQLList(thing), resolve=give),
            "leaf": GraphQLField(GraphQLInt, resolve=count),
        },
    )
    fields = {
        "deep": GraphQLField(GraphQLList(thing), resolve=give),
        "fails": GraphQLField(GraphQLNonNull(GraphQLInt), resolve=fail),
    }
    return GraphQLSchema(GraphQLObjectType("Query", fields))


def run(turns: Iterable[int], watch: Callable[[], Any]) -> list[str]:
    """What is complained of, over executions in which the failure comes sooner or later."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for count in turns:
            asyncio.run(execute_once(make_schema(count), watch()))
            gc.collect()
    return [str(one.message) for one in caught]


async def execute_once(schema: GraphQLSchema, unstarted: Unstarted | None) -> None:
    is_awaitable = optimized_is_awaitable if unstarted is None else unstarted.is_awaitable
    try:
        result: Any = execute(schema, DOCUMENT, is_awaitable=is_awaitable)  # type: ignore[arg-type] # a guard's type
        result = await result
    finally:
        if unstarted is not None:
            unstarted.close()
    assert isinstance(result, ExecutionResult)
    assert result.data is None
    assert [error.message for error in result.errors or ()] == ["refused"]


def test_coroutines_that_never_began_are_closed() -> None:
    turns = range(25)

    dropped = run(turns, lambda: None)

    assert any("was never awaited" in each for each in dropped)
    assert run(turns, Unstarted) == []
