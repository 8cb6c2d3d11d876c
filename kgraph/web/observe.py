"""Around every request: its name, its line in the log, its counts and its span.

A plain ASGI application, since it stands in the way of every answer: what it adds to one is some
microseconds.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections import deque
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kgraph.web.shortcut import KeptResponse, read_key, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kgraph.web.metrics import Metrics
    from kgraph.web.pins import Pin
    from kgraph.web.shortcut import RequestKey, Shortcuts

_log = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-Id"
"""Names a request in the log; a client's own is kept where it is short and plain."""

_HEADER = REQUEST_ID_HEADER.lower().encode()
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_KEY = "kgraph.exchange"
_NAME_BYTES = 16
# Asking the system costs as much as the rest of a name a dozen times over.
_NAMES = 256
_waiting_names: deque[str] = deque()
# Of a response that is sent whole: its start and its body.
_MESSAGES = 2


@dataclass(slots=True)
class Exchange:
    """A request and what became of it."""

    request_id: str
    facts: dict[str, Any] = field(default_factory=dict)
    """For its line in the log, as `operation` and `outcome`."""
    set_attribute: Callable[[str, Any], object] | None = None
    """Of its span; None where there is none."""
    keeps_for: Pin | None = None
    """While this stands, the same request is answered the same; None where it may not be."""

    def note(self, **facts: Any) -> None:  # noqa: ANN401 - text, numbers or None
        """Add facts to the line in the log, and to the span."""
        self.facts.update(facts)
        if self.set_attribute is not None:
            for name, value in facts.items():
                if value is not None:
                    self.set_attribute(f"kgraph.{name}", value)


current_exchange: ContextVar[Exchange | None] = ContextVar("current_exchange", default=None)
"""The exchange that this code works for."""


def exchange_of(scope: Mapping[str, Any]) -> Exchange:
    """The exchange of an ASGI scope; a new one where nobody observes."""
    found = scope.get(_KEY)
    return found if isinstance(found, Exchange) else Exchange(_name_request(scope))


class Observer:
    """An ASGI application that observes another one."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics | None,
        open_span: Callable[[Scope, Exchange], AbstractContextManager[object]] | None = None,
        shortcuts: Shortcuts | None = None,
    ) -> None:
        """An observer of `app`.

        Args:
            open_span: Opens the span of a request, and gives its `set_attribute` to the exchange.
            shortcuts: Answers that were given before; None where none are kept.
        """
        self._app, self._metrics, self._open_span = app, metrics, open_span
        self._shortcuts = shortcuts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the other one answer, or repeat what it answered before, and note how."""
        shortcuts = self._shortcuts
        if shortcuts is not None and shortcuts.takes(scope):
            started = time.perf_counter()
            key, first = await read_key(scope, receive)
            kept = None if key is None else shortcuts.find(key)
            if kept is not None:
                await self._repeat(kept, scope, send, started)
                return
            if first is not None:
                receive = replay(first, receive)
            await self._observe(scope, receive, send, key)
        elif scope["type"] in {"http", "websocket"}:
            await self._observe(scope, receive, send, None)
        else:
            await self._app(scope, receive, send)

    async def _observe(
        self, scope: Scope, receive: Receive, send: Send, key: RequestKey | None
    ) -> None:
        exchange = scope[_KEY] = Exchange(_name_request(scope))
        token = current_exchange.set(exchange)
        status = 500 if scope["type"] == "http" else 101
        started = time.perf_counter()
        sent: list[Message] = []

        async def send_named(message: Message) -> None:
            nonlocal status
            # A stream has no end to wait for; what may be repeated is two messages.
            if exchange.keeps_for is not None and len(sent) <= _MESSAGES:
                sent.append(message)
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                status = message["status"]
                headers = [*message.get("headers", ()), (_HEADER, exchange.request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        span = nullcontext() if self._open_span is None else self._open_span(scope, exchange)
        try:
            with span:
                try:
                    await self._app(scope, receive, send_named)
                finally:
                    exchange.note(status=status)
        finally:
            current_exchange.reset(token)
            self._close(scope, exchange, status, time.perf_counter() - started)
        if key is not None and exchange.keeps_for is not None and len(sent) == _MESSAGES:
            self._keep(key, scope, exchange, exchange.keeps_for, sent)

    async def _repeat(self, kept: KeptResponse, scope: Scope, send: Send, started: float) -> None:
        """Answer as before, under the request's own name."""
        request_id = _name_request(scope)
        start = kept.start
        start = {**start, "headers": [*start["headers"], (_HEADER, request_id.encode())]}
        if self._open_span is None:
            await send(start)
            await send(kept.body)
        else:
            exchange = Exchange(request_id)
            with self._open_span(scope, exchange):
                exchange.note(**kept.facts)
                await send(start)
                await send(kept.body)
        kept.count()
        if _log.isEnabledFor(logging.INFO):
            seconds = time.perf_counter() - started
            exchange = Exchange(request_id, dict(kept.facts))
            _write_line(scope, exchange, kept.start["status"], seconds)

    def _keep(
        self,
        key: RequestKey,
        scope: Scope,
        exchange: Exchange,
        pin: Pin,
        sent: list[Message],
    ) -> None:
        assert self._shortcuts is not None  # noqa: S101 - there is a key
        facts = dict(exchange.facts)
        if facts.get("outcome") == "miss":
            facts["outcome"] = "hit"
        start, body = sent
        count: Callable[[], None] = _count_nothing
        if self._metrics is not None:
            count = self._metrics.make_hit_counter(
                scope["path"],
                scope["method"],
                start["status"],
                operation=facts.get("operation"),
                outcome=facts.get("outcome"),
            )
        body = {"type": body["type"], "body": bytes(body.get("body", b""))}
        self._shortcuts.keep(key, KeptResponse(pin, start, body, facts, count))

    def _close(self, scope: Scope, exchange: Exchange, status: int, seconds: float) -> None:
        if self._metrics is not None:
            method = scope.get("method", "WEBSOCKET")
            self._metrics.count_request(scope["path"], method, status)
        if _log.isEnabledFor(logging.INFO):
            _write_line(scope, exchange, status, seconds)


def _count_nothing() -> None:
    """Stand in for a count where none are kept."""


def _write_line(scope: Scope, exchange: Exchange, status: int, seconds: float) -> None:
    """The request's line in the log."""
    method = scope.get("method", "WEBSOCKET")
    _log.info(
        "request %s: %s %s, %d, %.1f ms",
        exchange.request_id,
        method,
        scope["path"],
        status,
        seconds * 1e3,
        extra={
            "request_id": exchange.request_id,
            "method": method,
            "path": scope["path"],
            "ms": round(seconds * 1e3, 2),
            **exchange.facts,
        },
    )


def _name_request(scope: Mapping[str, Any]) -> str:
    """The client's own request id where it is short and plain, else a new one."""
    for name, value in scope.get("headers", ()):
        if name == _HEADER and _REQUEST_ID.fullmatch(value):
            return str(value.decode("ascii"))
    while True:
        try:
            return _waiting_names.popleft()
        except IndexError:
            text, width = os.urandom(_NAMES * _NAME_BYTES).hex(), 2 * _NAME_BYTES
            _waiting_names.extend(text[at : at + width] for at in range(0, len(text), width))
