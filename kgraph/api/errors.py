"""What a refused request says: stable codes, the argument at fault, and nothing of our insides.

Anything not raised on purpose is logged with the request's id and shown as "Internal error".
"""

from __future__ import annotations

import logging
from typing import Any

from graphql import GraphQLError

from kgraph.catalog import AmbiguousRefError
from kgraph.errors import DamageError, KgraphError
from kgraph.sheet import SheetError

_log = logging.getLogger(__name__)

PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
OPERATION_FAILED = "OPERATION_RESOLUTION_FAILURE"
BAD_INPUT = "BAD_USER_INPUT"
INTERNAL = "INTERNAL"
INTERNAL_MESSAGE = "Internal error"


class BadArgumentError(KgraphError):
    """An argument holds something that it may not."""

    code = BAD_INPUT

    def __init__(self, argument: str, problem: str) -> None:
        self.argument, self.problem = argument, problem
        super().__init__(f"{argument}: {problem}")


class BadCursorError(KgraphError):
    """A cursor that is none, or is of another list, snapshot, filter or order."""

    code = "BAD_CURSOR"

    def __init__(self, argument: str, cause: KgraphError) -> None:
        self.argument = argument
        super().__init__(str(cause))


class LimitError(KgraphError):
    """A request asks for more than the server gives to one request."""

    code = "LIMIT_EXCEEDED"

    def __init__(self, name: str, limit: float, asked: float, advice: str) -> None:
        self.name, self.limit, self.asked = name, limit, asked
        self.code = f"LIMIT_{name.upper()}"
        super().__init__(f"{name.lower()}: asked {asked:g}, the limit is {limit:g}; {advice}")


class TimeBudgetError(LimitError):
    """A request took longer than one may."""

    def __init__(self, limit: float) -> None:
        KgraphError.__init__(
            self, f"time: the budget of {limit:g} s is spent; ask for fewer or smaller lists"
        )
        self.name, self.limit, self.asked = "TIME", limit, limit
        self.code = "LIMIT_TIME"


def format_error(error: GraphQLError, request_id: str, *, code: str = BAD_INPUT) -> dict[str, Any]:
    """The error as a client sees it.

    Args:
        code: for an error that GraphQL itself found, where the error names none.
    """
    original = error.original_error
    while isinstance(original, GraphQLError) and original.original_error is not None:
        original = original.original_error
    shown: dict[str, Any] = {"message": error.message}
    if error.locations:
        shown["locations"] = [
            {"line": place.line, "column": place.column} for place in error.locations
        ]
    if error.path is not None:
        shown["path"] = list(error.path)
    shown["extensions"] = {**(error.extensions or {})}
    if isinstance(original, KgraphError):
        shown["message"] = original.public_message
        shown["extensions"] |= describe_error(original)
        if original.public_message != str(original) or isinstance(original, DamageError):
            # The message names the file; where in the program it was met says nothing more.
            _log.error("request %s: %s", request_id, original)
    elif original is None or isinstance(original, GraphQLError):
        shown["extensions"].setdefault("code", code)
    else:
        _log.error("request %s: internal error", request_id, exc_info=original)
        shown["message"] = INTERNAL_MESSAGE
        shown["extensions"] = {"code": INTERNAL, "requestId": request_id}
    return shown


def describe_error(error: KgraphError) -> dict[str, Any]:
    """The extensions of an error raised on purpose."""
    extensions: dict[str, Any] = {"code": error.code}
    if isinstance(error, BadArgumentError | BadCursorError | SheetError):
        extensions["argument"] = error.argument
    if isinstance(error, SheetError) and error.candidates:
        extensions["candidates"] = list(error.candidates)
    if isinstance(error, LimitError):
        extensions |= {"limit": error.limit, "asked": error.asked}
    if isinstance(error, AmbiguousRefError):
        extensions["candidates"] = list(error.names)
    return extensions
