"""Answers to requests that come again byte for byte, without looking at them again.

A request that was answered from a snapshot is answered the same while that snapshot, and the hour,
stand. What it consists of is its key: everything that the endpoint looks at. Whoever asks the same
question in other bytes takes the way through the endpoint, whose memory of answers is shared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kgraph.web.observe import exchange_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Message, Receive, Scope, Send

    from kgraph.web.endpoint import GraphQLEndpoint
    from kgraph.web.pins import Pin

# What the endpoint looks at, among a request's headers.
_HEADERS = frozenset(
    {b"accept", b"accept-encoding", b"content-type", b"host", b"if-none-match", b"kgraph-snapshot"}
)

# Longer requests are rare, and as keys would push out many short ones.
_MAX_BODY = 16_384

_Key = tuple[object, ...]


class KeptResponse(Response):
    """A response that the same request gets as long as its pin stands."""

    def __init__(self, content: bytes | None, *, pin: Pin, **rest: Any) -> None:  # noqa: ANN401 - as any response takes them
        super().__init__(content, **rest)
        self.pin = pin


@dataclass(frozen=True, slots=True)
class _Shortcut:
    pin: Pin
    start: Message
    body: Message
    facts: Mapping[str, Any]

    def stands(self, current: Pin) -> bool:
        """Whether the request would be answered the same now."""
        return self.pin.is_final or (
            self.pin.now == current.now and self.pin.catalog.snapshot == current.catalog.snapshot
        )


class GraphQLApp:
    """The endpoint as an ASGI application of its own, so that it sees every method."""

    def __init__(self, endpoint: GraphQLEndpoint, max_bytes: int) -> None:
        """The application around an endpoint.

        Args:
            max_bytes: Memory for shortcuts; 0 for none.
        """
        self._endpoint = endpoint
        self._shortcuts: LRUCache[_Key, _Shortcut] = LRUCache(
            max(max_bytes, 1), getsizeof=lambda kept: len(kept.body["body"]) + 2_000
        )
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by a shortcut where there is one."""
        started = time.perf_counter()
        key, receive = await _read_key(scope, receive) if self._max_bytes else (None, receive)
        if key is not None:
            kept = self._shortcuts.get(key)
            if kept is not None and kept.stands(self._endpoint.current_pin()):
                seconds = time.perf_counter() - started
                self._endpoint.count_hit(exchange_of(scope), kept.facts, seconds)
                await send(kept.start)
                await send(kept.body)
                return
        response = await self._endpoint(HttpRequest(scope, receive))
        if key is not None and isinstance(response, KeptResponse):
            self._keep(key, response, scope)
        await response(scope, receive, send)

    def _keep(self, key: _Key, response: KeptResponse, scope: Scope) -> None:
        if len(response.body) * 8 > self._max_bytes or scope["method"] == "HEAD":
            return
        facts = dict(exchange_of(scope).facts)
        if facts.get("outcome") == "miss":
            facts["outcome"] = "hit"
        start = {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
        body = {"type": "http.response.body", "body": bytes(response.body)}
        self._shortcuts[key] = _Shortcut(response.pin, start, body, facts)


async def _read_key(scope: Scope, receive: Receive) -> tuple[_Key | None, Receive]:
    """What a request consists of; None where it is too long, and how to receive it all the same."""
    body = b""
    if scope["method"] == "POST":
        first = await receive()
        taken = False

        async def receive_again() -> Message:
            nonlocal taken
            if taken:
                return await receive()
            taken = True
            return first

        body = first.get("body", b"")
        if first["type"] != "http.request" or first.get("more_body") or len(body) > _MAX_BODY:
            return None, receive_again
        key = _make_key(scope, body)
        return key, receive_again
    return _make_key(scope, body), receive


def _make_key(scope: Scope, body: bytes) -> _Key | None:
    if len(scope["query_string"]) > _MAX_BODY:
        return None
    told = tuple(pair for pair in scope["headers"] if pair[0] in _HEADERS)
    return (
        scope["method"],
        scope["scheme"],
        scope.get("root_path", ""),
        scope["query_string"],
        body,
        told,
    )
