"""The projecting executor answers what the stock executor answers, over generated documents."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import strawberry
from asgi import NOW
from graphql import (
    GraphQLInterfaceType,
    GraphQLNonNull,
    GraphQLObjectType,
    execute,
    get_named_type,
    is_leaf_type,
    parse,
    validate,
)
from hypothesis import given
from hypothesis import strategies as st
from strawberry.execution import optimized_is_awaitable
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from kgraph.api import build_schema
from kgraph.api.context import Context
from kgraph.api.loaders import Loaders
from kgraph.api.projector import ProjectingExecutor
from kgraph.api.schema import core_of
from kgraph.api.worker import Worker

if TYPE_CHECKING:
    from graphql import ExecutionResult, GraphQLField, GraphQLSchema

    from kgraph.catalog import Catalog

SCHEMA = core_of(build_schema())
MAX_DEPTH = 4

# A list that is asked for by page is asked for two items, so that examples stay quick.
ROOTS = (
    "catalog", "families(first: 2)", "operations(first: 2)", "workloads(first: 2)",
    "implementations(first: 2)", "runs(first: 2)", "cohorts(first: 2)", "records(first: 2)",
    "recordHistory(first: 2)", "hardware(first: 2)", "sources(first: 2)", "publications(first: 2)",
    'operation(slug: "liger-distill-cosine-loss")', 'operation(slug: "unknown")', 'run(ref: "bad")',
)  # fmt: skip
DIRECTIVES = ("", "", "", " @include(if: $yes)", " @skip(if: $yes)", " @include(if: $no)")


def needs_arguments(field: GraphQLField) -> bool:
    return any(isinstance(argument.type, GraphQLNonNull) for argument in field.args.values())


@st.composite
def selections(draw: st.DrawFn, kind: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
    fields = [
        (name, field)
        for name, field in kind.fields.items()
        if not needs_arguments(field) and (depth > 0 or is_leaf_type(get_named_type(field.type)))
    ]
    parts = ["__typename"] if not fields or draw(st.booleans()) else []
    for name, field in draw(st.lists(st.sampled_from(fields), max_size=4)) if fields else []:
        text = name + ("(first: 2)" if "first" in field.args else "")
        if draw(st.booleans()):
            # Named for the field and its arguments, so that equal names never clash.
            text = f"{kind.name}_{name}: {text}"
        text += draw(st.sampled_from(DIRECTIVES))
        inner = get_named_type(field.type)
        if isinstance(inner, GraphQLObjectType | GraphQLInterfaceType):
            text += " " + draw(selections(inner, depth - 1))
        wrapped = f"... on {kind.name}{draw(st.sampled_from(DIRECTIVES))} {{ {text} }}"
        parts.append(draw(st.sampled_from((text, wrapped))))
    return f"{{ {' '.join(parts) or '__typename'} }}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    parts = []
    fragments = []
    for number, root in enumerate(draw(st.lists(st.sampled_from(ROOTS), min_size=1, max_size=3))):
        assert SCHEMA.query_type is not None
        kind = get_named_type(SCHEMA.query_type.fields[root.partition("(")[0]].type)
        assert isinstance(kind, GraphQLObjectType)
        selection = draw(selections(kind, MAX_DEPTH))
        if draw(st.booleans()):
            fragments.append(f"fragment F{number} on {kind.name} {selection}")
            selection = f"{{ ...F{number} ...F{number} }}"
        parts.append(f"r{number}: {root} {selection}")
    head = "query ($yes: Boolean = true, $no: Boolean = false)"
    used = "a: __typename @include(if: $yes) b: __typename @skip(if: $no)"
    return f"{head} {{ {used} {' '.join(parts)} }} {' '.join(fragments)}"


def run(
    schema: GraphQLSchema, document: str, executor: type[Any], context: object
) -> ExecutionResult:
    async def once() -> ExecutionResult:
        result = execute(
            schema,
            parse(document),
            context_value=context,
            executor_class=executor,
            is_awaitable=optimized_is_awaitable,  # type: ignore[arg-type] # a plain predicate
        )
        return await result if inspect.isawaitable(result) else result

    return asyncio.run(once())


def same(first: ExecutionResult, second: ExecutionResult) -> None:
    assert first.data == second.data
    # Equal dictionaries may differ in order, and the order of the selection is part of the answer.
    assert repr(first.data) == repr(second.data)
    assert sorted(map(str, first.errors or ())) == sorted(map(str, second.errors or ()))
    shown = [[error.path for error in result.errors or ()] for result in (first, second)]
    assert sorted(map(str, shown[0])) == sorted(map(str, shown[1]))


@given(document=documents())
def test_both_executors_answer_alike(built_catalog: Catalog, document: str) -> None:
    if validate(SCHEMA, parse(document)):
        # Two selections under one name that cannot be merged; no executor ever sees it.
        return

    def ask(executor: type[Any]) -> ExecutionResult:
        with ThreadPoolExecutor(1) as pool:
            worker = Worker(built_catalog, pool)
            loaders = Loaders(built_catalog, worker, NOW)
            context = Context(built_catalog, loaders, worker, NOW, "http://kgraph.test")
            return run(SCHEMA, document, executor, context)

    same(ask(StrawberryGraphQLCoreExecutionContext), ask(ProjectingExecutor))


class Broken:
    """Stands in for an object of the wrong type."""


def fail() -> int:
    message = "no luck"
    raise ValueError(message)


@strawberry.type
class Leaf:
    number: int
    maybe: int | None
    numbers: list[int]
    failing: int = strawberry.field(resolver=fail)


@strawberry.type
class Branch:
    leaf: Leaf
    leaves: list[Leaf | None]
    maybe_leaf: Leaf | None
    text: str


@strawberry.type
class UnusualQuery:
    @strawberry.field
    def branch(self) -> Branch | None:
        good = Leaf(number=1, maybe=None, numbers=[1, 2])
        bad = Leaf(number=None, maybe=2, numbers=[1, None])  # type: ignore[arg-type,list-item] # on purpose
        return Branch(leaf=good, leaves=[good, None, bad], maybe_leaf=bad, text="t")

    @strawberry.field
    def broken(self) -> Branch | None:
        return Branch(leaf=Broken(), leaves=3, maybe_leaf=None, text=["no text"])  # type: ignore[arg-type] # on purpose


UNUSUAL = core_of(strawberry.Schema(UnusualQuery))


@pytest.mark.parametrize(
    "document",
    [
        "{ branch { leaf { number maybe numbers } text } }",
        "{ branch { text leaf { failing number } text2: text } }",
        "{ branch { maybeLeaf { number } text } }",
        "{ branch { maybeLeaf { maybe numbers } text } }",
        "{ branch { leaves { number maybe } text } }",
        "{ branch { leaves { maybe __typename } } }",
        "{ broken { leaf { number } } }",
        "{ broken { leaf { __typename } text } }",
        "{ broken { leaves { number } } }",
        "{ broken { maybeLeaf { number } } }",
    ],
)
def test_unusual_values_are_reported_alike(document: str) -> None:
    stock = run(UNUSUAL, document, StrawberryGraphQLCoreExecutionContext, None)

    same(stock, run(UNUSUAL, document, ProjectingExecutor, None))
