"""An application called as a server calls it, so that a test sees each part that it sends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping


@dataclass
class Sent:
    """What an application sent."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    parts: list[bytes] = field(default_factory=list)
    is_complete: bool = False
    """Whether it said that nothing follows; a server cuts the connection otherwise."""

    @property
    def body(self) -> bytes:
        """All parts."""
        return b"".join(self.parts)


class Exchange:
    """One GET request, from which the client may go away at any time."""

    def __init__(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> None:
        self.sent = Sent()
        self.has_left = asyncio.Event()
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(query).encode(),
            "root_path": "",
            "headers": [(b"host", b"kgraph.test")]
            + [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("kgraph.test", 80),
        }
        self._is_asked = False

    async def receive(self) -> MutableMapping[str, Any]:
        """The request, then word that the client has left."""
        if not self._is_asked:
            self._is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.has_left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Take one part."""
        if message["type"] == "http.response.start":
            self.sent.status = message["status"]
            self.sent.headers = {name.decode(): v.decode() for name, v in message["headers"]}
            return
        self.sent.parts.append(message.get("body", b""))
        self.sent.is_complete = not message.get("more_body", False)


def get(
    app: Callable[..., Awaitable[None]],
    path: str,
    query: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
) -> Sent:
    """What an application sends to a client that reads all of it."""

    async def once() -> Sent:
        exchange = Exchange(path, query, headers or {})
        await app(exchange.scope, exchange.receive, exchange.send)
        return exchange.sent

    return asyncio.run(once())
