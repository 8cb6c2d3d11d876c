"""The GraphQL API: a typed schema over the catalogue, and the engine that answers requests."""

from kgraph.api.context import Position
from kgraph.api.document import RequestError
from kgraph.api.engine import Answer, Engine, Identity, Moment, Request
from kgraph.api.errors import describe_error
from kgraph.api.feed import Feed
from kgraph.api.limits import Limits
from kgraph.api.schema import build_schema, print_schema
from kgraph.api.socket import PROTOCOL_NAME, RefusalError, Socket, serve_socket

__all__ = [
    "PROTOCOL_NAME",
    "Answer",
    "Engine",
    "Feed",
    "Identity",
    "Limits",
    "Moment",
    "Position",
    "RefusalError",
    "Request",
    "RequestError",
    "Socket",
    "build_schema",
    "describe_error",
    "print_schema",
    "serve_socket",
]
