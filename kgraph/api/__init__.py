"""The GraphQL API: a typed schema over the catalogue, and the engine that answers requests."""

from kgraph.api.engine import Answer, Engine, Moment, Request
from kgraph.api.limits import Limits
from kgraph.api.schema import build_schema, print_schema

__all__ = ["Answer", "Engine", "Limits", "Moment", "Request", "build_schema", "print_schema"]
