"""Around every request: its name, its line in the log, its counts and its span.

A plain ASGI application, since it stands in the way of every answer: what it adds to one is some
microseconds.
"""

from __future__ import annotations

import logging
import os
import re
import time
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kgraph.web.metrics import Metrics

_log = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-Id"
"""Names a request in the log; a client's own is kept where it is short and plain."""

_HEADER = REQUEST_ID_HEADER.lower().encode()
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_KEY = "kgraph.exchange"


@dataclass(slots=True)
class Exchange:
    """A request and what became of it."""

    request_id: str
    facts: dict[str, Any] = field(default_factory=dict)
    """For its line in the log, as `operation` and `outcome`."""
    set_attribute: Callable[[str, Any], object] | None = None
    """Of its span; None where there is none."""

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
    ) -> None:
        """An observer of `app`.

        Args:
            open_span: Opens the span of a request, and gives its `set_attribute` to the exchange.
        """
        self._app, self._metrics, self._open_span = app, metrics, open_span

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the other one answer, and note how."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        exchange = scope[_KEY] = Exchange(_name_request(scope))
        token = current_exchange.set(exchange)
        status = 500 if scope["type"] == "http" else 101
        started = time.perf_counter()

        async def send_named(message: Message) -> None:
            nonlocal status
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

    def _close(self, scope: Scope, exchange: Exchange, status: int, seconds: float) -> None:
        method = scope.get("method", "WEBSOCKET")
        if self._metrics is not None:
            self._metrics.count_request(scope["path"], method, status)
        if _log.isEnabledFor(logging.INFO):
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
    return os.urandom(16).hex()
