"""graphql-transport-ws: the library's protocol handler over our engine.

The handler speaks the protocol; what it executes and sends comes from here. Imported when the first
socket opens, since most servers never see one.

Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from datetime import timedelta
from typing import Any, Protocol, cast

from graphql import GraphQLError, GraphQLFormattedError
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)
from strawberry.types.execution import ExecutionResult, PreExecutionError
from strawberry.types.unset import UNSET

from kgraph.api.engine import Answer, Request

PROTOCOL_NAME = "graphql-transport-ws"
"""The one subprotocol that is spoken."""


class Socket(Protocol):
    """An open WebSocket, as the handler needs it."""

    def iter_json(self) -> AsyncIterator[object]:
        """Messages of the client, until it leaves."""

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Send a message; waits while the client does not read."""

    async def close(self, code: int, reason: str) -> None:
        """Close the connection."""


class RefusalError(Exception):
    """A request that a socket does not take, as its client is told."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(message)


async def serve_socket(
    socket: Socket,
    *,
    read: Callable[[Mapping[str, Any]], Request],
    stream: Callable[[Request], AsyncGenerator[Answer, None]],
    max_operations: int,
    init_seconds: float,
) -> None:
    """Speak graphql-transport-ws until the client leaves or is sent away.

    Args:
        read: The request of a `subscribe` message's payload; raises `RefusalError` for none.
        stream: The answers to a request.
        max_operations: Most operations that are at work at once.
        init_seconds: Time until the client must have said who it is.
    """
    handler = _Handler(
        view=cast("Any", _View()),
        websocket=cast("Any", socket),
        context=None,
        root_value=None,
        schema=cast("Any", _Schema(read, stream)),
        connection_init_wait_timeout=timedelta(seconds=init_seconds),
        max_subscriptions_per_connection=max_operations,
    )
    await handler.handle()


class _View:
    """What the handler asks of the library's own view."""

    async def on_ws_connect(self, _: object) -> object:
        return UNSET


class _Handler(BaseGraphQLTransportWSHandler[None, None]):
    async def handle_message(self, message: Any) -> None:  # noqa: ANN401 - whatever a client sent
        if not isinstance(message, dict):
            await self.handle_invalid_message("Message must be an object")
            return
        kind, payload = message.get("type"), message.get("payload")
        if kind in {"subscribe", "complete"} and not isinstance(message.get("id"), str):
            await self.handle_invalid_message("Message must have an id, which is text")
            return
        if kind == "subscribe":
            if not isinstance(payload, dict):
                await self.handle_invalid_message("Payload must be an object")
                return
            most = self.max_subscriptions_per_connection
            is_known = message["id"] in self.operations
            if most is not None and len(self.operations) >= most and not is_known:
                # The handler would refuse it as well, without a code.
                await self._refuse(message["id"], most)
                return
            # The handler passes on text alone, and a document may be named instead of written.
            message = {**message, "payload": {"query": payload, "variables": None}}
        await super().handle_message(cast("Any", message))

    async def _refuse(self, name: str, most: int) -> None:
        shown = {
            "message": f"operations: found {most} at work, the limit; complete one first",
            "extensions": {"code": "LIMIT_OPERATIONS", "limit": most, "asked": most + 1},
        }
        await self.send_message(cast("Any", {"id": name, "type": "error", "payload": [shown]}))


class _Schema:
    """What the handler executes by."""

    def __init__(
        self,
        read: Callable[[Mapping[str, Any]], Request],
        stream: Callable[[Request], AsyncGenerator[Answer, None]],
    ) -> None:
        self._read, self._stream = read, stream

    async def stream(self, payload: Mapping[str, Any], **_: object) -> AsyncIterator[object]:
        """Results of one operation, as the handler sends them."""
        return self._iter_results(payload)

    async def _iter_results(
        self, payload: Mapping[str, Any]
    ) -> AsyncGenerator[ExecutionResult | PreExecutionError, None]:
        try:
            request = self._read(payload)
        except RefusalError as refusal:
            shown = {"message": refusal.message, "extensions": {"code": refusal.code}}
            yield PreExecutionError(data=None, errors=[_FormattedError(shown)])
            return
        answers = self._stream(request)
        try:
            async for answer in answers:
                yield _make_result(answer)
        finally:
            await answers.aclose()


def _make_result(answer: Answer) -> ExecutionResult | PreExecutionError:
    errors = [_FormattedError(shown) for shown in answer.body.get("errors", ())] or None
    extensions = answer.body["extensions"]
    kind = PreExecutionError if answer.is_refused else ExecutionResult
    return kind(data=answer.body.get("data"), errors=cast("Any", errors), extensions=extensions)


class _FormattedError(GraphQLError):
    """An error that was formatted already."""

    def __init__(self, shown: Mapping[str, Any]) -> None:
        super().__init__(shown["message"])
        self._shown = shown

    @property
    def formatted(self) -> GraphQLFormattedError:
        """The error as it is sent."""
        return cast("GraphQLFormattedError", self._shown)
