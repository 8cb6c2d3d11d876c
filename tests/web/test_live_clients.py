"""Clients that do not read, do not speak, or leave: each is let go, and counted."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from kgraph.api import Answer, Request
from kgraph.web.documents import Documents
from kgraph.web.live import EventStreamResponse, LiveConnections, SocketApp

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

WAIT_S = 20


class Counts:
    """What is counted of live connections."""

    def __init__(self) -> None:
        self.open = 0
        self.dropped: list[str] = []

    def count_connection(self, _: str, change: int) -> None:
        self.open += change

    def count_dropped(self, reason: str) -> None:
        self.dropped.append(reason)


class Script:
    """A client as the server sees it: messages that it sends, and whether it reads."""

    def __init__(self, *messages: dict[str, Any], reads: int = 1_000_000) -> None:
        self.messages, self.reads = list(messages), reads
        self.sent: list[dict[str, Any]] = []
        self.left = asyncio.Event()
        self.last = "http.disconnect"

    async def receive(self) -> dict[str, Any]:
        if self.messages:
            return self.messages.pop(0)
        await self.left.wait()
        return {"type": self.last}

    async def send(self, message: dict[str, Any]) -> None:
        if len(self.sent) >= self.reads:
            await asyncio.Event().wait()
        self.sent.append(message)


def answer(number: int) -> Answer:
    return Answer({"data": number, "extensions": {"snapshot": "s"}}, is_refused=False)


async def endless() -> AsyncGenerator[Answer, None]:
    number = 0
    while True:
        number += 1
        yield answer(number)
        await asyncio.sleep(0)


async def silent() -> AsyncGenerator[Answer, None]:
    await asyncio.Event().wait()
    yield answer(0)


def stream(
    answers: AsyncGenerator[Answer, None],
    act: Callable[[Script], Awaitable[None]],
    **options: Any,  # noqa: ANN401 - as the response takes them
) -> tuple[Script, Counts]:
    async def run() -> tuple[Script, Counts]:
        counts = Counts()
        connections = LiveConnections(10, counts)  # type: ignore[arg-type] # stands in for metrics
        script = Script(reads=options.pop("reads", 1_000_000))
        response = EventStreamResponse(answers, connections, {}, **options)
        task = asyncio.create_task(response({}, script.receive, script.send))  # type: ignore[arg-type] # as a server calls it
        await act(script)
        await asyncio.wait_for(task, WAIT_S)
        return script, counts

    return asyncio.run(run())


async def wait(_: Script) -> None:
    """Leave the stream alone."""


def test_a_stream_that_is_not_read_is_cut() -> None:
    _, counts = stream(endless(), wait, reads=5, send_seconds=0.05)

    assert counts.dropped == ["slow"]
    assert counts.open == 0


def test_a_silent_stream_says_that_it_is_alive_until_the_client_leaves() -> None:
    async def leave_after_some(script: Script) -> None:
        while len(script.sent) < 5:
            await asyncio.sleep(0.01)
        script.left.set()

    script, counts = stream(silent(), leave_after_some, heartbeat_seconds=0.01)

    bodies = [message["body"] for message in script.sent if "body" in message]
    assert bodies[:4] == [b":\n\n"] * 4
    assert (counts.open, counts.dropped) == (0, [])


def talk(script_of: Callable[[], Script], **options: Any) -> tuple[Script, Counts]:  # noqa: ANN401 - as the application takes them
    async def run() -> tuple[Script, Counts]:
        counts = Counts()
        connections = LiveConnections(10, counts)  # type: ignore[arg-type] # stands in for metrics

        def answer_endlessly(_: Request, __: object) -> AsyncGenerator[Answer, None]:
            return endless()

        app = SocketApp(
            answer_endlessly,
            documents=Documents(),
            connections=connections,
            origins=(),
            **options,
        )
        script = script_of()
        script.last = "websocket.disconnect"
        scope = {
            "type": "websocket",
            "path": "/graphql",
            "headers": [],
            "subprotocols": ["graphql-transport-ws"],
        }
        await asyncio.wait_for(app(scope, script.receive, script.send), WAIT_S)  # type: ignore[arg-type] # as a server calls it
        return script, counts

    return asyncio.run(run())


def said(**message: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return {"type": "websocket.receive", "text": json.dumps(message)}


CONNECT = {"type": "websocket.connect"}
SUBSCRIBE = said(id="1", type="subscribe", payload={"query": "subscription { x }"})


def test_a_socket_that_is_not_read_is_closed() -> None:
    def one_that_stops_reading() -> Script:
        script = Script(CONNECT, said(type="connection_init"), SUBSCRIBE, reads=6)
        asyncio.get_running_loop().call_later(0.5, script.left.set)
        return script

    script, counts = talk(one_that_stops_reading, send_seconds=0.05)

    assert counts.dropped == ["slow"]
    assert counts.open == 0
    assert len(script.sent) == 6


def test_a_socket_whose_client_says_nothing_is_closed() -> None:
    script, counts = talk(lambda: leaving_when_closed(Script(CONNECT)), init_seconds=0.02)

    assert script.sent[-1] == {
        "type": "websocket.close",
        "code": 4408,
        "reason": "Connection initialisation timeout",
    }
    assert counts.open == 0


def leaving_when_closed(script: Script) -> Script:
    send = script.send

    async def send_and_look(message: dict[str, Any]) -> None:
        await send(message)
        if message["type"] == "websocket.close":
            script.left.set()

    script.send = send_and_look  # type: ignore[method-assign] # a client that answers a close
    return script


def test_messages_that_are_no_text_close_the_socket() -> None:
    binary = {"type": "websocket.receive", "bytes": b"{}"}

    script, _ = talk(lambda: leaving_when_closed(Script(CONNECT, binary)))

    assert script.sent[-1]["code"] == 4400
