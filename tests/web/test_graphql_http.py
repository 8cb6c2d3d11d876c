from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import httpx
    from asgi import Client

JSON = "application/json; charset=utf-8"
RESPONSE = "application/graphql-response+json; charset=utf-8"
QUERY = "{ catalog { snapshot } }"


def post(client: Client, body: object, accept: str | None = None, **headers: str) -> httpx.Response:
    named = headers if accept is None else {**headers, "accept": accept}
    return client.send("POST", "/graphql", json=body, headers=named)


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("application/json", JSON),
        ("application/graphql-response+json", RESPONSE),
        ("*/*", JSON),
        ("application/*", JSON),
        ("application/graphql-response+json, application/json;q=0.9", RESPONSE),
        ("application/graphql-response+json;q=0.1, application/json", JSON),
        ("text/plain, application/graphql-response+json;q=0.5", RESPONSE),
        ("application/json;q=0, */*", RESPONSE),
    ],
)
def test_the_answer_has_the_media_type_that_is_asked_for(
    client: Client, accept: str, content_type: str
) -> None:
    response = post(client, {"query": QUERY}, accept)

    assert response.status_code == 200
    assert response.headers["content-type"] == content_type
    assert response.headers["vary"] == "Accept, Accept-Encoding, Kgraph-Snapshot"


@pytest.mark.parametrize("accept", ["text/plain", "application/json;q=0", "image/*"])
def test_a_media_type_that_is_not_served_is_406(client: Client, accept: str) -> None:
    response = post(client, {"query": QUERY}, accept)

    assert response.status_code == 406
    assert response.json()["errors"][0]["extensions"] == {"code": "NOT_ACCEPTABLE"}


@pytest.mark.parametrize(
    "document", ["{ runs( }", "{ nothing }", "query ($a: Int!) { runs(first: $a) { totalCount } }"]
)
@pytest.mark.parametrize(
    ("accept", "status"), [("application/graphql-response+json", 400), ("application/json", 200)]
)
def test_a_refused_document_has_no_data(
    client: Client, document: str, accept: str, status: int
) -> None:
    response = post(client, {"query": document}, accept)

    assert response.status_code == status
    assert set(response.json()) == {"errors", "extensions"}
    assert response.headers["cache-control"] == "no-store"
    assert "etag" not in response.headers


def test_an_error_in_a_field_is_answered_200_with_data(client: Client) -> None:
    response = post(
        client, {"query": '{ run(ref: "x") { digest } }'}, "application/graphql-response+json"
    )

    assert response.status_code == 200
    assert response.json()["data"] == {"run": None}
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code", "message"),
    [
        (
            b"{}",
            "text/plain",
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "content-type: found text/plain, expected application/json in UTF-8",
        ),
        (
            b"{}",
            "application/json; charset=latin1",
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "content-type: found application/json; charset=latin1, expected application/json"
            " in UTF-8",
        ),
        (
            b"{}",
            None,
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "content-type: found none, expected application/json in UTF-8",
        ),
        (
            b"[]",
            "application/json",
            400,
            "BATCHING_OFF",
            "body: found a list, expected one request; batching is off",
        ),
        (b'"x"', "application/json", 400, "BAD_REQUEST", "body: found text, expected an object"),
        (
            b"{}",
            "application/json",
            400,
            "BAD_REQUEST",
            "query: found nothing, expected a document",
        ),
        (
            b'{"query": "{a}", "variables": []}',
            "application/json",
            400,
            "BAD_REQUEST",
            "variables: found a list, expected an object",
        ),
        (
            b'{"query": "{a}", "extensions": 1}',
            "application/json",
            400,
            "BAD_REQUEST",
            "extensions: found a number, expected an object",
        ),
        (
            b'{"query": "{a}", "operationName": true}',
            "application/json",
            400,
            "BAD_REQUEST",
            "operationName: found a truth value, expected text",
        ),
    ],
)
def test_a_body_that_is_no_request_is_refused_with_what_was_found(
    client: Client,
    *,
    content: bytes,
    content_type: str | None,
    status: int,
    code: str,
    message: str,
) -> None:
    headers = {} if content_type is None else {"content-type": content_type}

    response = client.send("POST", "/graphql", content=content, headers=headers)

    assert response.status_code == status
    assert response.json() == {
        "errors": [{"message": message, "extensions": {"code": code}}],
        "extensions": {"snapshot": response.headers["kgraph-snapshot"]},
    }
    assert response.headers["x-request-id"]


def test_a_body_that_is_no_json_is_refused(client: Client) -> None:
    response = client.send(
        "POST", "/graphql", content=b'{"query":', headers={"content-type": "application/json"}
    )

    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"] == {"code": "BAD_REQUEST"}


def test_a_body_that_is_too_long_is_413(client: Client) -> None:
    response = post(client, {"query": QUERY, "extensions": {"padding": "x" * 140_000}})

    assert response.status_code == 413
    assert response.json()["errors"][0]["extensions"] == {"code": "LIMIT_BODY_BYTES"}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_another_method_is_405_with_what_is_allowed(client: Client, method: str) -> None:
    response = client.send(method, "/graphql")

    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD, POST"


def test_get_and_post_give_the_same_answer(client: Client) -> None:
    document = """query A($first: Int) { runs(first: $first) { nodes { digest } } }
      query B { catalog { snapshot } }"""
    by_post = post(client, {"query": document, "variables": {"first": 2}, "operationName": "A"})

    by_get = client.send(
        "GET",
        "/graphql",
        params={"query": document, "variables": json.dumps({"first": 2}), "operationName": "A"},
    )

    assert by_get.status_code == 200
    assert by_get.json() == by_post.json()


def test_a_mutation_is_refused(client: Client) -> None:
    response = client.send(
        "GET",
        "/graphql",
        params={"query": "mutation { x }"},
        headers={"accept": "application/graphql-response+json"},
    )

    assert response.status_code == 400


def test_a_long_answer_is_zipped_where_the_client_takes_it(client: Client) -> None:
    body = {"query": "{ runs(first: 100) { nodes { digest title } } }"}

    plain = post(client, body, **{"accept-encoding": "identity"})
    zipped = post(client, body, **{"accept-encoding": "gzip"})
    short = post(client, {"query": QUERY}, **{"accept-encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert int(zipped.headers["content-length"]) < len(plain.content)
    assert zipped.content == plain.content
    assert "content-encoding" not in short.headers
    assert zipped.headers["etag"] != plain.headers["etag"]


def test_a_browser_that_opens_the_endpoint_is_led_to_the_playground(client: Client) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

    endpoint = client.send("GET", "/graphql", headers=browser)
    asked = client.send("GET", "/graphql", params={"query": QUERY}, headers=browser)

    assert (endpoint.status_code, endpoint.headers["location"]) == (303, "/playground")
    assert asked.status_code == 200


@pytest.mark.parametrize(
    ("given", "is_kept"), [("abc-1.2:3_4", True), ("", False), ("a b", False), ("x" * 65, False)]
)
def test_a_short_plain_request_id_is_kept(client: Client, given: str, is_kept: bool) -> None:
    response = post(client, {"query": QUERY}, **{"x-request-id": given})

    assert (response.headers["x-request-id"] == given) is is_kept
    assert response.headers["x-request-id"]


def test_each_request_is_logged_with_its_id(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="kgraph.web"):
        post(client, {"query": QUERY}, **{"x-request-id": "request-9"})

    [record] = caplog.records
    assert record.getMessage().startswith("request request-9: POST /graphql, 200, ")
