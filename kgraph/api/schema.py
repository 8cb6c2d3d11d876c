"""The schema, made on demand: nothing is built on import."""

from __future__ import annotations

import strawberry
from graphql import GraphQLSchema
from strawberry.schema.config import StrawberryConfig

from kgraph.api.query import Query
from kgraph.api.scalars import build_scalar_map
from kgraph.api.subscription import Subscription


def build_schema() -> strawberry.Schema:
    """The whole schema, ready to be asked or printed."""
    return strawberry.Schema(
        query=Query,
        subscription=Subscription,
        config=StrawberryConfig(scalar_map=build_scalar_map()),
    )


def print_schema(schema: strawberry.Schema) -> str:
    """The schema in GraphQL's own language, as `schema.graphql` holds it; ends with a newline."""
    return schema.as_str().rstrip() + "\n"


def core_of(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema as graphql-core executes it."""
    return schema._schema
