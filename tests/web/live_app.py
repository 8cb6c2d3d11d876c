"""An application over a log that grows, behind a real socket, with clients that follow it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from datetime import timedelta
from queue import Queue
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol
from world import NOON, Shelf, World

from kgraph.catalog import CatalogSource
from kgraph.policy import ranking_v1
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

NOW = NOON + timedelta(days=3, minutes=20)
"""The time at which the application is asked; some minutes into an hour."""

PROTOCOL = Subprotocol("graphql-transport-ws")
_WAIT_S = 30


class Growing:
    """A catalogue to which publications are added while it is served."""

    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.shelf = Shelf(folder)
        # Publications come some time into an hour, as they do.
        self.shelf._at += timedelta(minutes=25)
        runs = {item.object_id for item in self.world.runs}
        self.shelf.publish(item for item in self.world.all if item.object_id not in runs)
        self.shelf.publish(self.world.runs[:2])
        self.source = CatalogSource(
            self.shelf.log, self.shelf.store, ranking_v1, folder=folder, clock=lambda: NOW
        )

    def app(self, **options: Any) -> Any:  # noqa: ANN401 - options of the application
        """The application, which looks for newer snapshots twenty times a second."""
        chosen = WebOptions(**{"refresh_seconds": 0.05, **options})
        return build_app(self.source, options=chosen, clock=lambda: NOW)


@contextlib.asynccontextmanager
async def serving(app: Any, **options: Any) -> AsyncIterator[str]:  # noqa: ANN401 - an application
    """The address of a server in this event loop; it stops as `kgraph serve` does."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, log_config=None, ws="websockets-sansio", timeout_graceful_shutdown=5, **options
    )
    server = uvicorn.Server(config)
    with server.capture_signals():
        task = asyncio.create_task(server._serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            app.state.connections.stop()
            server.should_exit = True
            await asyncio.wait_for(task, _WAIT_S)


@contextlib.contextmanager
def serving_beside(app: Any) -> Iterator[str]:  # noqa: ANN401 - an application
    """The address of a server in a thread of its own, for many tests to ask."""
    found: Queue[str] = Queue()
    done = threading.Event()

    async def serve() -> None:
        async with serving(app) as address:
            found.put(address)
            while not done.is_set():
                await asyncio.sleep(0.05)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        yield found.get(timeout=_WAIT_S)
    finally:
        done.set()
        thread.join(_WAIT_S)


class SocketClient:
    """A client of graphql-transport-ws."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **message: Any) -> None:  # noqa: ANN401 - any message
        await self.connection.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        text = await asyncio.wait_for(self.connection.recv(), _WAIT_S)
        message: dict[str, Any] = json.loads(text)
        return message

    async def subscribe(self, document: str, name: str = "1", **payload: Any) -> None:  # noqa: ANN401 - any payload
        await self.send(id=name, type="subscribe", payload={"query": document, **payload})


@contextlib.asynccontextmanager
async def socket_client(address: str, **options: Any) -> AsyncIterator[SocketClient]:  # noqa: ANN401 - the library's
    """A client whose connection is acknowledged."""
    async with connect(
        f"ws://{address}/graphql", subprotocols=[PROTOCOL], proxy=None, **options
    ) as connection:
        client = SocketClient(connection)
        await client.send(type="connection_init")
        assert await client.receive() == {"type": "connection_ack"}
        yield client


class Events:
    """Server-sent events as they come."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def next(self) -> dict[str, str] | None:
        """The next event, comments left out; None where the stream ended."""
        event: dict[str, str] = {}
        while True:
            line = await asyncio.wait_for(anext(self._lines, None), _WAIT_S)
            if line is None:
                return None
            if line == "" and event:
                return event
            name, _, value = line.partition(":")
            if name:
                event[name] = value.removeprefix(" ")


@contextlib.asynccontextmanager
async def event_stream(
    address: str, document: str, headers: dict[str, str] | None = None, /, **params: str
) -> AsyncIterator[Events]:
    """The answers to a document as server-sent events."""
    async with (
        httpx.AsyncClient(trust_env=False, timeout=_WAIT_S) as client,
        client.stream(
            "GET",
            f"http://{address}/graphql",
            params={"query": document, **params},
            headers={"accept": "text/event-stream", **(headers or {})},
        ) as response,
    ):
        yield Events(response)
