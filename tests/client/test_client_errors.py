from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import httpx
import pytest

from kgraph.client import AsyncClient, Client, KgraphClientError
from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Callable

ADDRESS = "http://kgraph.test"


def answering(handler: Callable[[httpx.Request], httpx.Response]) -> Client:
    return Client(ADDRESS, http=httpx.Client(transport=httpx.MockTransport(handler)))


def refusal(ask: Callable[[], object]) -> KgraphClientError:
    with pytest.raises(KgraphClientError) as caught:
        ask()
    return caught.value


def test_a_refused_argument_is_named(client: Client) -> None:
    error = refusal(lambda: client.runs(page_size=500).table())

    assert isinstance(error, KgraphError)
    assert (error.code, error.argument, error.path) == ("BAD_USER_INPUT", "first", ("runs",))
    assert error.request_id
    assert str(error) == f"BAD_USER_INPUT: {error.message}"


def test_a_limit_comes_with_its_figures(client: Client) -> None:
    nested = (
        "workloads(first: 200) { nodes { cohorts { ranking(first: 200) { nodes { rank } } } } }"
    )

    error = refusal(
        lambda: client.execute(f"{{ operations(first: 200) {{ nodes {{ {nested} }} }} }}")
    )

    assert error.code == "LIMIT_COST"
    assert error.extensions["asked"] > error.extensions["limit"]
    assert error.argument is None


def test_names_that_lists_hang_on_are_not_found(client: Client) -> None:
    absent = "sha256:" + "0" * 64

    assert refusal(lambda: client.ranking(absent).table()).code == "NOT_FOUND"
    assert refusal(lambda: client.sweep("no-such-operation")).code == "NOT_FOUND"


def test_further_errors_are_attached() -> None:
    errors = [{"message": f"m{i}", "extensions": {"code": f"C{i}"}} for i in range(3)]

    with answering(lambda _: httpx.Response(200, json={"data": None, "errors": errors})) as client:
        error = refusal(client.catalog)

    assert (error.code, error.message) == ("C0", "m0")
    assert [other.code for other in error.others] == ["C1", "C2"]


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (502, b"<html>Bad gateway</html>"),
        (200, b"[]"),
        (200, b'{"data": null}'),
        (200, b'{"errors": []}'),
        (200, b'{"errors": [1]}'),
        (200, b'{"errors": [{"message": "no code", "extensions": []}]}'),
        (200, b"\xff"),
    ],
)
def test_what_no_kgraph_server_sends_is_a_bad_answer(status: int, content: bytes) -> None:
    with answering(lambda _: httpx.Response(status, content=content)) as client:
        error = refusal(client.catalog)

    assert error.code == "BAD_ANSWER"
    assert error.status == status


def test_an_answer_of_another_schema_is_a_bad_answer_that_names_the_field(client: Client) -> None:
    state = client.catalog().model_dump(mode="json", by_alias=True)
    state["counts"]["runs"] = "many"

    with answering(lambda _: httpx.Response(200, json={"data": {"catalog": state}})) as other:
        error = refusal(other.catalog)

    assert error.code == "BAD_ANSWER"
    assert "catalog.counts.runs" in error.message


def test_silence_is_told_from_absence() -> None:
    def fall_silent(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("", request=request)

    with answering(fall_silent) as client:
        assert refusal(client.catalog).code == "TIMEOUT"
    with Client("http://127.0.0.1:1", timeout=5) as client:
        assert refusal(client.catalog).code == "UNREACHABLE"
    with Client("nonsense://") as client:
        assert refusal(client.catalog).code == "UNREACHABLE"


def test_the_async_client_raises_the_same_errors() -> None:
    async def ask() -> None:
        async with AsyncClient("http://127.0.0.1:1") as client:
            await client.catalog()

    assert refusal(lambda: asyncio.run(ask())).code == "UNREACHABLE"


@pytest.mark.parametrize(
    "url", [ADDRESS, f"{ADDRESS}/", f"{ADDRESS}/graphql", f"{ADDRESS}/graphql/"]
)
def test_requests_go_to_the_endpoint_and_say_who_asks(url: str) -> None:
    seen: list[httpx.Request] = []

    def record(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": {}})

    http = httpx.Client(
        transport=httpx.MockTransport(record), headers={"authorization": "Bearer x"}
    )
    Client(url, snapshot="blake3:1", http=http).execute("{ __typename }", {"a": None})

    assert str(seen[0].url) == f"{ADDRESS}/graphql"
    assert seen[0].headers["authorization"] == "Bearer x"
    assert seen[0].headers["kgraph-snapshot"] == "blake3:1"
    assert seen[0].headers["user-agent"].startswith("kgraph-client/")
    assert json.loads(seen[0].content)["variables"] == {"a": None}
    assert not http.is_closed
    http.close()
