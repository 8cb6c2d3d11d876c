"""The GraphQL API: a typed schema over the catalogue, and the engine that answers requests."""

from kgraph.api.context import Position
from kgraph.api.document import RequestError
from kgraph.api.engine import Answer, Engine, Identity, Moment, Request
from kgraph.api.errors import describe_error
from kgraph.api.export import (
    MAX_ROWS,
    ConnectionExport,
    ExportPage,
    ExportRefusedError,
    plan_export,
    write_pages,
)
from kgraph.api.feed import Feed
from kgraph.api.limits import Limits
from kgraph.api.schema import build_schema, print_schema
from kgraph.api.socket import PROTOCOL_NAME, RefusalError, Socket, serve_socket

__all__ = [
    "MAX_ROWS",
    "PROTOCOL_NAME",
    "Answer",
    "ConnectionExport",
    "Engine",
    "ExportPage",
    "ExportRefusedError",
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
    "plan_export",
    "print_schema",
    "serve_socket",
    "write_pages",
]
