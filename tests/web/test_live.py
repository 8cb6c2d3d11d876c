"""Subscriptions as their clients see them: real sockets, a log that grows."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from asgi import Client
from live_app import (
    NOW,
    PROTOCOL,
    Events,
    Growing,
    SocketClient,
    event_stream,
    serving,
    serving_beside,
    socket_client,
)
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from kgraph.api import Answer, Engine, Feed, Limits, Moment, Position, Request, build_schema
from kgraph.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from kgraph.manifest import Identified

    Run = Callable[[Callable[[str], Awaitable[None]]], None]

RECORDS = """
subscription Records($where: RecordEventWhere, $since: Digest) {
  recordBroken(where: $where, since: $since) {
    at value previousValue cause cohort { key record { run { digest } } } run { digest }
  }
}
"""
PUBLICATIONS = "subscription { published { sequence snapshot by source { slug } } }"


class Feeding(Growing):
    """A catalogue whose records can be broken again and again."""

    _median = 600
    _minute = 200

    def break_record(self, workload: int = 0) -> Identified:
        """Publish a run that is faster than every one before."""
        self._median -= 1
        self._minute += 1
        run = self.world.add_run("fast", workload, 0, self._median, self._minute)
        self.shelf.publish([run])
        return run


@pytest.fixture(scope="module")
def feeding(tmp_path_factory: pytest.TempPathFactory) -> Feeding:
    return Feeding(tmp_path_factory.mktemp("live"))


@pytest.fixture(scope="module")
def address(feeding: Feeding) -> Iterator[str]:
    with serving_beside(feeding.app(cors_origins=("https://ours.test",))) as address:
        yield address


@pytest.fixture
def run(feeding: Feeding, address: str) -> Run:
    """Runs what a client does, once the server has told of all that was published before."""

    def run_now(act: Callable[[str], Awaitable[None]]) -> None:
        head = feeding.shelf.log.head()
        assert head is not None

        async def act_when_ready() -> None:
            while feeding.source.current().snapshot != head.object_id:
                await asyncio.sleep(0.02)
            await act(address)

        asyncio.run(act_when_ready())

    return run_now


def test_a_broken_record_is_pushed_with_the_snapshot_that_it_is_of(
    run: Run, feeding: Feeding
) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(RECORDS)
            await settle(client)
            new = feeding.break_record()

            message = await client.receive()

        assert (message["id"], message["type"]) == ("1", "next")
        payload = message["payload"]
        told = payload["data"]["recordBroken"]
        assert told["run"] == {"digest": new.digest}
        assert told["cohort"]["record"]["run"] == {"digest": new.digest}
        assert told["cause"] == "NEW_RUN"
        assert told["value"] < told["previousValue"]
        newest = feeding.source.current().snapshot
        assert payload["extensions"]["snapshot"] == newest
        assert payload["extensions"]["resumeFrom"] == newest
        assert payload["extensions"]["cost"]["requested"] > 0

    run(act)


async def settle(client: SocketClient) -> None:
    """Wait until what was sent before is at work: an answer has come back."""
    await client.subscribe("{ catalog { snapshot } }", "settled")
    while (await client.receive())["type"] != "complete":
        pass


def test_only_records_that_meet_the_filter_are_pushed(run: Run, feeding: Feeding) -> None:
    async def act(address: str) -> None:
        wanted = feeding.world.workloads[2].digest
        async with socket_client(address) as client:
            await client.subscribe(RECORDS, variables={"where": {"workload": {"eq": wanted}}})
            await settle(client)
            feeding.break_record(workload=0)
            await asyncio.sleep(0.2)
            new = feeding.break_record(workload=2)

            message = await client.receive()

        assert message["payload"]["data"]["recordBroken"]["run"] == {"digest": new.digest}

    run(act)


def test_publications_are_pushed_in_the_order_of_the_log(run: Run, feeding: Feeding) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(PUBLICATIONS)
            other = 'subscription { published(source: "elsewhere") { sequence } }'
            await client.subscribe(other, "other")
            await settle(client)
            for _ in range(3):
                feeding.break_record()

            told = [await client.receive() for _ in range(3)]

        numbers = [each["payload"]["data"]["published"]["sequence"] for each in told]
        head = feeding.source.current().head
        assert head is not None
        assert numbers == [head.sequence - 2, head.sequence - 1, head.sequence]
        assert {each["id"] for each in told} == {"1"}

    run(act)


def test_a_client_that_comes_back_is_told_what_it_missed(run: Run, feeding: Feeding) -> None:
    before = feeding.source.current().snapshot
    missed = [feeding.break_record() for _ in range(2)]

    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(RECORDS, variables={"since": before})
            told = [(await client.receive())["payload"] for _ in missed]

        runs = [each["data"]["recordBroken"]["run"]["digest"] for each in told]
        assert runs == [each.digest for each in missed]
        # Whoever breaks off after the first must be told the second again.
        assert told[0]["extensions"]["resumeFrom"] == before
        assert told[1]["extensions"]["resumeFrom"] == feeding.source.current().snapshot

    run(act)


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"since": "blake3:" + "0" * 64}, "UNKNOWN_SNAPSHOT"),
        ({"since": "yesterday"}, "BAD_DIGEST"),
        ({"since": "x" * 2000}, "BAD_USER_INPUT"),
        ({"where": {"at": {"eq": None}}}, "BAD_USER_INPUT"),
        ({"where": {"at": {"eq": "yesterday"}}}, "BAD_USER_INPUT"),
        ({"where": 7}, "BAD_USER_INPUT"),
    ],
)
def test_a_subscription_that_cannot_be_met_is_refused(
    run: Run, variables: dict[str, Any], code: str
) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(RECORDS, variables=variables)
            message = await client.receive()

        assert message["type"] == "error"
        assert [error["extensions"]["code"] for error in message["payload"]] == [code]

    run(act)


def test_limits_hold_for_subscriptions(run: Run) -> None:
    deep = "subscription { recordBroken { " + "cohort { record { " * 9 + "value" + " }" * 19 + " }"
    wide = (
        "subscription { recordBroken { cohort { operation { workloads(first: 200) { nodes {"
        " operation { workloads(first: 200) { nodes { digest } } } } } } } } }"
    )

    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(deep, "deep")
            first = await client.receive()
            await client.subscribe(wide, "wide")
            second = await client.receive()

        assert first["payload"][0]["extensions"]["code"] == "LIMIT_DEPTH"
        assert second["payload"][0]["extensions"]["code"] == "LIMIT_COST"

    run(act)


def test_a_subscription_that_the_client_completes_is_over(run: Run, feeding: Feeding) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.subscribe(PUBLICATIONS, "a")
            await client.subscribe(PUBLICATIONS, "b")
            await client.send(id="a", type="complete")
            await settle(client)
            feeding.break_record()

            message = await client.receive()
            await client.send(type="ping")
            pong = await client.receive()

        assert message["id"] == "b"
        assert pong == {"type": "pong"}

    run(act)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("nonsense", 4400),
        ("7", 4400),
        ('{"type": "other"}', 4400),
        ('{"type": "subscribe", "payload": {}}', 4400),
        ('{"type": "subscribe", "id": "1", "payload": []}', 4400),
        ('{"type": "complete", "id": []}', 4400),
        ('{"type": "connection_init"}', 4429),
        (json.dumps({"type": "x" * 500}), 4400),
    ],
)
def test_what_is_no_message_closes_the_socket(run: Run, message: str, code: int) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            await client.connection.send(message)
            with pytest.raises(ConnectionClosed) as caught:
                await client.receive()

        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == code

    run(act)


def test_nothing_is_answered_before_the_client_says_who_it_is(run: Run) -> None:
    async def act(address: str) -> None:
        url = f"ws://{address}/graphql"
        async with connect(url, subprotocols=[PROTOCOL], proxy=None) as connection:
            payload = {"query": PUBLICATIONS}
            await connection.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            with pytest.raises(ConnectionClosed) as caught:
                await connection.recv()

        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 4401

    run(act)


@pytest.mark.parametrize("protocols", [[Subprotocol("graphql-ws")], None], ids=["older", "none"])
def test_the_older_protocol_is_off(run: Run, protocols: list[Subprotocol] | None) -> None:
    async def act(address: str) -> None:
        url = f"ws://{address}/graphql"
        async with connect(url, subprotocols=protocols, proxy=None) as connection:
            assert connection.subprotocol is None
            with pytest.raises(ConnectionClosed) as caught:
                await connection.recv()

        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 4406

    run(act)


def test_a_page_of_another_origin_may_not_connect(run: Run) -> None:
    async def knock(address: str, origin: str) -> int:
        try:
            async with connect(
                f"ws://{address}/graphql",
                subprotocols=[PROTOCOL],
                origin=Origin(origin),
                proxy=None,
            ):
                return 101
        except InvalidStatus as error:
            return error.response.status_code

    async def act(address: str) -> None:
        assert await knock(address, f"http://{address}") == 101
        assert await knock(address, "https://ours.test") == 101
        assert await knock(address, "https://elsewhere.test") == 403
        assert await knock(address, "null") == 403

    run(act)


def test_connections_beyond_the_limit_are_told_to_come_back(feeding: Feeding) -> None:
    async def act(address: str) -> None:
        async with event_stream(address, PUBLICATIONS) as events:
            assert events.response.status_code == 200
            async with event_stream(address, PUBLICATIONS) as refused:
                assert refused.response.status_code == 503
                assert refused.response.headers["retry-after"] == "5"
            with pytest.raises(InvalidStatus) as caught:
                async with socket_client(address):
                    pass
            assert caught.value.response.status_code == 503

    async def all_of_it() -> None:
        async with serving(feeding.app(max_live_connections=1)) as address:
            await act(address)

    asyncio.run(all_of_it())


def test_one_socket_has_only_so_many_operations(run: Run) -> None:
    async def act(address: str) -> None:
        async with socket_client(address) as client:
            for number in range(21):
                await client.subscribe(PUBLICATIONS, str(number))
            message = await client.receive()

        assert (message["id"], message["type"]) == ("20", "error")
        assert message["payload"][0]["extensions"]["code"] == "LIMIT_OPERATIONS"

    run(act)


def test_events_are_streamed_over_http(run: Run, feeding: Feeding) -> None:
    async def act(address: str) -> None:
        async with event_stream(address, RECORDS) as events:
            assert events.response.headers["content-type"].startswith("text/event-stream")
            assert "no-store" in events.response.headers["cache-control"]
            new = feeding.break_record()
            event = await events.next()

        assert event is not None
        assert event["event"] == "next"
        body = json.loads(event["data"])
        assert body["data"]["recordBroken"]["run"] == {"digest": new.digest}
        assert event["id"] == body["extensions"]["snapshot"]

    run(act)


def test_a_browser_that_reconnects_is_told_what_it_missed(run: Run, feeding: Feeding) -> None:
    before = feeding.source.current().snapshot
    missed = feeding.break_record()

    async def act(address: str) -> None:
        async with event_stream(address, RECORDS, {"last-event-id": before}) as events:
            event = await events.next()

        assert event is not None
        assert json.loads(event["data"])["data"]["recordBroken"]["run"]["digest"] == missed.digest

    run(act)


@pytest.mark.parametrize(
    ("document", "has_data"),
    [("{ catalog { snapshot } }", True), ("{ nothing }", False), ("{", False)],
    ids=["query", "invalid", "no document"],
)
def test_what_is_no_subscription_is_one_event(run: Run, document: str, has_data: bool) -> None:
    async def act(address: str) -> None:
        async with event_stream(address, document) as events:
            assert events.response.status_code == 200
            first, second, end = [await events.next() for _ in range(3)]

        assert first is not None
        assert ("data" in json.loads(first["data"])) is has_data
        assert second == {"event": "complete", "data": ""}
        assert end is None

    run(act)


def test_a_stopping_server_lets_clients_come_back(feeding: Feeding) -> None:
    async def all_of_it() -> None:
        async with serving(feeding.app(refresh_seconds=0)) as address:
            streaming = asyncio.create_task(read_to_the_end(address))
            socket = await asyncio.create_task(open_socket(address))
            while not streaming.done() and not stream_is_open.is_set():
                await asyncio.sleep(0.01)
        # No `complete`, which would say that nothing is to come any more.
        assert await streaming == []
        with pytest.raises(ConnectionClosed) as caught:
            await socket.recv()
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1012

    stream_is_open = asyncio.Event()

    async def read_to_the_end(address: str) -> list[Any]:
        async with event_stream(address, PUBLICATIONS) as events:
            stream_is_open.set()
            return [event async for event in iter_events(events)]

    async def open_socket(address: str) -> Any:  # noqa: ANN401 - a connection
        return await connect(f"ws://{address}/graphql", subprotocols=[PROTOCOL], proxy=None)

    asyncio.run(all_of_it())


async def iter_events(events: Events) -> AsyncIterator[dict[str, str]]:
    while (event := await events.next()) is not None:
        yield event


def test_the_time_budget_holds_for_each_message(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []

    def ask_slowly(*_: object) -> None:
        while not stopped:
            time.sleep(0.005)

    before = feeding.source.current()
    feeding.break_record()
    monkeypatch.setattr(Catalog, "load_runs", ask_slowly)
    monkeypatch.setattr(Catalog, "interrupter", lambda _: lambda: stopped.append("runs"))
    engine = Engine(build_schema(), Limits(seconds=0.1))

    async def follow() -> Answer:
        feeding.source.refresh()
        live = Position(Feed(feeding.source), lambda _: NOW, before.snapshot)
        moment = Moment(before, NOW, base_url="", request_id="one")
        document = "subscription { recordBroken { run { digest } } }"
        answers = engine.stream(Request(document), moment, live)
        async with contextlib.aclosing(answers):
            return await asyncio.wait_for(anext(answers), 30)

    answer = asyncio.run(follow())

    engine.close()
    assert stopped == ["runs"]
    assert answer.is_refused
    assert [error["extensions"]["code"] for error in answer.body["errors"]] == ["LIMIT_TIME"]


def test_one_answer_cannot_be_given_to_a_subscription(feeding: Feeding) -> None:
    client = Client(feeding.app(refresh_seconds=0))

    error = client.error(PUBLICATIONS)

    assert error["extensions"]["code"] == "OPERATION_RESOLUTION_FAILURE"
    assert "text/event-stream" in error["message"]
