"""Subscriptions: over WebSockets by graphql-transport-ws, over HTTP by server-sent events.

Source: npm `graphql-ws` for the first protocol; npm `graphql-sse`, mode of distinct connections,
for the second.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from kgraph.api import PROTOCOL_NAME, RefusalError, serve_socket
from kgraph.web.incoming import BadHttpError, find_document, make_given
from kgraph.web.negotiate import EVENT_STREAM

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping

    from starlette.types import Message, Receive, Scope, Send

    from kgraph.api import Answer, Request
    from kgraph.web.documents import Documents
    from kgraph.web.metrics import Metrics

HEARTBEAT_SECONDS = 15.0
"""How often a silent event stream says that it is alive; proxies cut at 30 s or more."""

SEND_SECONDS = 20.0
"""How long a client may leave a message unread before it is cut."""

INIT_SECONDS = 10.0
"""How long a socket may be open before its client says `connection_init`."""

MAX_OPERATIONS = 20
"""Most operations at work on one socket."""

# Closing codes; those above 4000 are the protocol's.
_NOT_ALLOWED, _BAD_PROTOCOL, _TOO_SLOW = 1008, 4406, 4508


class LiveConnections:
    """The live connections of one server: how many there may be, and when they must end."""

    def __init__(self, max_connections: int, metrics: Metrics | None) -> None:
        self.max_connections, self._metrics = max_connections, metrics
        self._count = 0
        self.stopping = asyncio.Event()
        """Set when the server stops: streams end, so that clients go elsewhere or come back."""

    @property
    def is_full(self) -> bool:
        """Whether no other connection is taken."""
        return self._count >= self.max_connections or self.stopping.is_set()

    @contextlib.contextmanager
    def hold(self, transport: str) -> Iterator[None]:
        """Count a connection while it is open."""
        self._count += 1
        if self._metrics is not None:
            self._metrics.count_connection(transport, 1)
        try:
            yield
        finally:
            self._count -= 1
            if self._metrics is not None:
                self._metrics.count_connection(transport, -1)

    def drop(self, reason: str) -> None:
        """Count a connection that was refused or cut."""
        if self._metrics is not None:
            self._metrics.count_dropped(reason)

    def stop(self) -> None:
        """End every event stream; sockets are closed by the server itself."""
        self.stopping.set()


class EventStreamResponse(Response):
    """Answers as server-sent events, until they end or the client leaves."""

    def __init__(
        self,
        answers: AsyncGenerator[Answer, None],
        connections: LiveConnections,
        headers: Mapping[str, str],
        *,
        send_seconds: float = SEND_SECONDS,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        super().__init__(
            headers={
                **headers,
                # What passes on events must neither keep nor gather them.
                "cache-control": "no-store, no-transform",
                "x-accel-buffering": "no",
            },
            media_type=EVENT_STREAM,
        )
        del self.headers["content-length"]
        self._answers, self._connections = answers, connections
        self._send_seconds, self._heartbeat_seconds = send_seconds, heartbeat_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        del scope
        with self._connections.hold("sse"):
            leaving = asyncio.ensure_future(wait_for_leave(receive))
            stopping = asyncio.ensure_future(self._connections.stopping.wait())
            try:
                await self._send_all(send, {leaving, stopping})
            except _SlowClientError:
                # Returning without an end makes the server cut the connection.
                self._connections.drop("slow")
            finally:
                leaving.cancel()
                stopping.cancel()
                await asyncio.gather(leaving, stopping, return_exceptions=True)
                await self._answers.aclose()

    async def _send_all(self, send: Send, ends: set[asyncio.Future[Any]]) -> None:
        await self._send(
            send,
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            },
        )
        # Says at once that the stream is open, before anything happened.
        await self._send_text(send, b":\n\n")
        is_complete = False
        while not is_complete:
            coming = asyncio.ensure_future(anext(self._answers, None))
            try:
                while not coming.done():
                    await asyncio.wait(
                        {coming, *ends},
                        timeout=self._heartbeat_seconds,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                    if any(end.done() for end in ends):
                        break
                    if not coming.done():
                        await self._send_text(send, b":\n\n")
            finally:
                if not coming.done():
                    coming.cancel()
                    await asyncio.gather(coming, return_exceptions=True)
            if coming.cancelled():
                # No `complete`: the client is to come back.
                break
            answer = coming.result()
            is_complete = answer is None
            await self._send_text(send, _encode_event(answer))
        await self._send(send, {"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_text(self, send: Send, text: bytes) -> None:
        await self._send(send, {"type": "http.response.body", "body": text, "more_body": True})

    async def _send(self, send: Send, message: Message) -> None:
        try:
            async with asyncio.timeout(self._send_seconds):
                await send(message)
        except TimeoutError as error:
            raise _SlowClientError from error


class _SlowClientError(Exception):
    """A client does not read what it is sent."""


async def wait_for_leave(receive: Receive) -> None:
    """Return once the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _encode_event(answer: Answer | None) -> bytes:
    if answer is None:
        # Browsers tell of an event only where it has data.
        return b"event: complete\ndata:\n\n"
    resume = answer.body["extensions"].get("resumeFrom")
    name = b"" if resume is None else b"id: " + str(resume).encode() + b"\n"
    return name + b"event: next\ndata: " + orjson.dumps(answer.body) + b"\n\n"


class SocketApp:
    """Takes WebSockets and speaks graphql-transport-ws on them."""

    def __init__(
        self,
        stream: Callable[[Request, Any], AsyncGenerator[Answer, None]],
        *,
        documents: Documents,
        connections: LiveConnections,
        origins: tuple[str, ...],
        send_seconds: float = SEND_SECONDS,
        init_seconds: float = INIT_SECONDS,
    ) -> None:
        """Takes sockets whose requests `stream` answers.

        Args:
            stream: The answers to a request that came by a connection.
            origins: Origins other than the server's own whose pages may connect; `*` for all.
        """
        self._stream, self._documents, self._connections = stream, documents, connections
        self._origins = origins
        self._send_seconds, self._init_seconds = send_seconds, init_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speak on one socket."""
        socket = WebSocket(scope, receive, send)
        if not self._is_welcome(socket):
            # A page may connect anywhere its user can, unasked; nothing but this stops it.
            self._connections.drop("origin")
            await self._deny(socket, 403, "ORIGIN_NOT_ALLOWED", "origin: not allowed to connect")
            return
        if self._connections.is_full:
            self._connections.drop("full")
            await self._deny(
                socket, 503, "LIMIT_CONNECTIONS", "connections: no more are taken; try again later"
            )
            return
        is_understood = PROTOCOL_NAME in scope.get("subprotocols", ())
        await socket.accept(subprotocol=PROTOCOL_NAME if is_understood else None)
        if not is_understood:
            await socket.close(_BAD_PROTOCOL, "Subprotocol not acceptable")
            return
        with self._connections.hold("websocket"):
            await serve_socket(
                _Socket(socket, self._connections, self._send_seconds),
                read=self._read,
                stream=lambda request: self._stream(request, socket),
                max_operations=MAX_OPERATIONS,
                init_seconds=self._init_seconds,
            )

    def _read(self, payload: Mapping[str, Any]) -> Request:
        try:
            return find_document(make_given(payload), self._documents)
        except BadHttpError as error:
            raise RefusalError(error.code, error.message) from error

    def _is_welcome(self, socket: WebSocket) -> bool:
        origin = socket.headers.get("origin")
        if origin is None or "*" in self._origins or origin in self._origins:
            return True
        host = origin.partition("://")[2]
        return host != "" and host.lower() == socket.headers.get("host", "").lower()

    async def _deny(self, socket: WebSocket, status: int, code: str, message: str) -> None:
        body = {"errors": [{"message": message, "extensions": {"code": code}}]}
        response = Response(orjson.dumps(body), status_code=status, media_type="application/json")
        if "websocket.http.response" in socket.scope.get("extensions", {}):
            await socket.send_denial_response(response)
        else:
            await socket.close(_NOT_ALLOWED)


class _Socket:
    """A WebSocket as the protocol's handler needs it."""

    def __init__(self, socket: WebSocket, connections: LiveConnections, seconds: float) -> None:
        self._socket, self._connections, self._seconds = socket, connections, seconds

    async def iter_json(self) -> AsyncIterator[object]:
        """Messages of the client, until it leaves or sends what is none."""
        while self._socket.application_state is not WebSocketState.DISCONNECTED:
            try:
                text = await self._socket.receive_text()
            except WebSocketDisconnect:
                return
            except KeyError:
                await self.close(4400, "WebSocket message type must be text")
                return
            try:
                message = orjson.loads(text)
            except orjson.JSONDecodeError:
                await self.close(4400, "WebSocket message must be valid JSON")
                return
            yield message

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Send a message, unless the client has left; cut a client that does not read."""
        if self._socket.application_state is not WebSocketState.CONNECTED:
            return
        text = orjson.dumps(message).decode()
        try:
            async with asyncio.timeout(self._seconds):
                await self._socket.send_text(text)
        except TimeoutError:
            self._connections.drop("slow")
            await self.close(_TOO_SLOW, "Messages are not read")
        except WebSocketDisconnect:
            return

    async def close(self, code: int, reason: str) -> None:
        """Close the connection, unless it is."""
        # A close frame holds 123 bytes, and a reason may repeat what a client sent.
        shown = reason.encode()[:120].decode(errors="ignore")
        if self._socket.application_state is WebSocketState.CONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await self._socket.close(code, shown)
