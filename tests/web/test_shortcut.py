"""Requests that come again are answered from memory, which is bounded whatever they hold."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW

from kgraph.web.pins import Pinner
from kgraph.web.shortcut import KeptResponse, RequestKey, Shortcuts, read_key

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource

MAX_BYTES = 2**20
BODY = b'{"data":{"__typename":"Query"}}'


def make_scope(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as the server gives them
    return {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "root_path": "",
        "path": "/graphql",
        "query_string": b"query=%7B__typename%7D",
        "headers": [(b"host", b"kgraph.test"), (b"user-agent", b"anything")],
        **changes,
    }


def make_key(**changes: Any) -> RequestKey | None:  # noqa: ANN401 - as the server gives them
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    key, _ = asyncio.run(read_key(make_scope(**changes), receive))
    return key


def keep(shortcuts: Shortcuts, pinner: Pinner, key: RequestKey) -> None:
    start = {"type": "http.response.start", "status": 200, "headers": []}
    body = {"type": "http.response.body", "body": BODY}
    shortcuts.keep(key, KeptResponse(pinner.current(), start, body, {}, lambda: None))


@pytest.mark.parametrize(
    "changes",
    [
        {"headers": [(b"if-none-match", b"x" * 20_000)]},
        {"headers": [(b"accept", b"x" * 100)] * 200},
        {"path": "/" + "x" * 20_000},
        {"query_string": b"x" * 20_000},
    ],
    ids=["a long header", "many headers", "a long path", "a long query"],
)
def test_a_long_request_is_not_kept(catalog_source: CatalogSource, changes: dict[str, Any]) -> None:
    pinner = Pinner(catalog_source, lambda: NOW)
    shortcuts = Shortcuts("/graphql", pinner, MAX_BYTES)
    short, long = make_key(), make_key(**changes)
    assert short is not None
    assert long is not None

    for key in (short, long):
        keep(shortcuts, pinner, key)

    assert shortcuts.find(short) is not None
    assert shortcuts.find(long) is None


def test_a_header_that_nothing_looks_at_is_no_part_of_a_key() -> None:
    headers = [(b"host", b"kgraph.test"), (b"user-agent", b"x" * 20_000), (b"cookie", b"y")]

    assert make_key(headers=headers) == make_key()


@pytest.mark.parametrize("length", [0, 500, 10_000])
def test_what_is_kept_is_bounded_requests_included(
    catalog_source: CatalogSource, length: int
) -> None:
    pinner = Pinner(catalog_source, lambda: NOW)
    shortcuts = Shortcuts("/graphql", pinner, MAX_BYTES)
    keys = []
    for number in range(2_000):
        key = make_key(headers=[(b"if-none-match", b'"%d"' % number + b"x" * length)])
        assert key is not None
        keys.append(key)
        keep(shortcuts, pinner, key)

    found = [key for key in keys if shortcuts.find(key) is not None]

    assert found == keys[-len(found) :]
    assert 0 < len(found) * (length + len(BODY)) <= MAX_BYTES
