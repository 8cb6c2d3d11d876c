from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
)

from kgraph.api import build_schema
from kgraph.api.connection import MAX_PAGE
from kgraph.api.schema import core_of

if TYPE_CHECKING:
    from collections.abc import Iterator

BUILT_IN = {"String", "Int", "Float", "Boolean", "ID"}


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return core_of(build_schema())


def walk_descriptions(schema: GraphQLSchema) -> Iterator[tuple[str, str | None]]:
    for name, kind in schema.type_map.items():
        if name.startswith("__") or name in BUILT_IN:
            continue
        yield name, kind.description
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for field_name, field in kind.fields.items():
                yield f"{name}.{field_name}", field.description
                for argument_name, argument in field.args.items():
                    yield f"{name}.{field_name}({argument_name})", argument.description
        if isinstance(kind, GraphQLInputObjectType):
            for field_name, input_field in kind.fields.items():
                yield f"{name}.{field_name}", input_field.description
        if isinstance(kind, GraphQLEnumType):
            for value_name, value in kind.values.items():
                yield f"{name}.{value_name}", value.description


def test_everything_in_the_schema_is_described(schema: GraphQLSchema) -> None:
    silent = [name for name, text in walk_descriptions(schema) if not (text or "").strip()]

    assert silent == []


def test_every_scalar_says_where_it_is_specified(schema: GraphQLSchema) -> None:
    silent = [
        name
        for name, kind in schema.type_map.items()
        if isinstance(kind, GraphQLScalarType)
        and name not in BUILT_IN
        and not kind.specified_by_url
    ]

    assert silent == []


def test_every_connection_takes_both_directions_and_says_its_limit(schema: GraphQLSchema) -> None:
    lacking = []
    for name, kind in schema.type_map.items():
        if not isinstance(kind, GraphQLObjectType):
            continue
        for field_name, field in kind.fields.items():
            if str(field.type).rstrip("!").endswith("Connection"):
                sizes = [
                    field.args[each].description or ""
                    for each in ("first", "last")
                    if each in field.args
                ]
                cursors = {"after", "before"} <= set(field.args)
                if (
                    len(sizes) != 2
                    or not cursors
                    or not all(str(MAX_PAGE) in text for text in sizes)
                ):
                    lacking.append(f"{name}.{field_name}")

    assert lacking == []


def test_every_connection_has_what_relay_expects(schema: GraphQLSchema) -> None:
    connections = [
        kind
        for name, kind in schema.type_map.items()
        if name.endswith("Connection") and isinstance(kind, GraphQLObjectType)
    ]

    assert len(connections) >= 14
    for kind in connections:
        assert {"totalCount", "nodes", "edges", "pageInfo"} <= set(kind.fields), kind.name


def test_building_the_schema_twice_gives_the_same_schema() -> None:
    assert build_schema().as_str() == build_schema().as_str()
