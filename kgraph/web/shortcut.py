"""Answers to requests that come again byte for byte, without looking at them again.

A request that was answered from a snapshot is answered the same while that snapshot, and the hour,
stand. What it consists of is its key: everything that anything on its way looks at. Whoever asks
the same question in other bytes takes the way through the endpoint, whose memory of answers is
shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cachetools import LRUCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from starlette.types import Message, Receive, Scope

    from kgraph.web.pins import Pin, Pinner

# What is looked at among a request's headers, on the way in and on the way out.
_HEADERS = frozenset(
    {
        b"accept",
        b"accept-encoding",
        b"content-type",
        b"host",
        b"if-none-match",
        b"kgraph-snapshot",
        b"origin",
    }
)

# Longer requests are rare, and as keys would push out many short ones. Headers count: nothing else
# says how long they may be.
_MAX_REQUEST = 16_384

# About what the rest takes beside the request and the answer.
_OVERHEAD = 2_000

RequestKey = tuple[str, str, str, str, bytes, bytes, tuple[tuple[bytes, bytes], ...]]
"""What a request consists of: method, scheme, root, path, query, body and headers."""


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """What the same request is answered as long as its pin stands."""

    pin: Pin
    start: Message
    """Without the request's own name among its headers."""
    body: Message
    facts: Mapping[str, Any]
    """For the request's line in the log."""
    count: Callable[[], None]
    """Counts one more request that is answered so."""


class Shortcuts:
    """Responses by request in bounded memory, least recently used out first.

    Used on the event loop alone. Kept is what whoever answered says may be, by
    `Exchange.keeps_for`.
    """

    def __init__(self, posted_path: str, pinner: Pinner, max_bytes: int) -> None:
        """Shortcuts to nothing yet.

        Args:
            posted_path: Where questions are posted to; all else is asked by GET.
            max_bytes: Memory for them; 0 for none.
        """
        self._posted_path, self._pinner, self._max_bytes = posted_path, pinner, max_bytes
        self._kept: LRUCache[RequestKey, tuple[KeptResponse, int]] = LRUCache(
            max(max_bytes, 1), getsizeof=lambda entry: entry[1]
        )

    def takes(self, scope: Scope) -> bool:
        """Whether a request may have a shortcut."""
        return (
            self._max_bytes > 0
            and scope["type"] == "http"
            and (
                scope["method"] == "GET"
                or (scope["method"] == "POST" and scope["path"] == self._posted_path)
            )
            and len(scope["query_string"]) <= _MAX_REQUEST
        )

    def find(self, key: RequestKey) -> KeptResponse | None:
        """What the request is answered; None where that is not known or stands no more."""
        entry = self._kept.get(key)
        return None if entry is None or not self._pinner.stands(entry[0].pin) else entry[0]

    def keep(self, key: RequestKey, response: KeptResponse) -> None:
        """Answer the same request so from now on, unless it alone would push out most others."""
        size, asked = len(response.body["body"]), _measure(key)
        if size * 8 <= self._max_bytes and asked <= _MAX_REQUEST:
            self._kept[key] = (response, size + asked + _OVERHEAD)


async def read_key(scope: Scope, receive: Receive) -> tuple[RequestKey | None, Message | None]:
    """What a request consists of, None where it is not read whole; and what was read of it."""
    body, first = b"", None
    if scope["method"] == "POST":
        first = await receive()
        body = first.get("body", b"")
        if first["type"] != "http.request" or first.get("more_body") or len(body) > _MAX_REQUEST:
            return None, first
    headers = tuple([pair for pair in scope["headers"] if pair[0] in _HEADERS])
    key = (
        scope["method"],
        scope["scheme"],
        scope.get("root_path", ""),
        scope["path"],
        scope["query_string"],
        body,
        headers,
    )
    return key, first


def _measure(key: RequestKey) -> int:
    """How long the request is, headers that nothing looks at left out."""
    *parts, headers = key
    return sum(map(len, parts)) + sum([len(name) + len(value) for name, value in headers])


def replay(first: Message, receive: Receive) -> Receive:
    """What receives a message that was read already, then the rest."""
    is_taken = False

    async def receive_again() -> Message:
        nonlocal is_taken
        if is_taken:
            return await receive()
        is_taken = True
        return first

    return receive_again
