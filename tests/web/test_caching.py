from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client

from kgraph.api import Limits
from kgraph.web import WebOptions, build_app
from kgraph.web.answers import AnswerCache, StoredAnswer

if TYPE_CHECKING:
    import httpx

    from kgraph.catalog import CatalogSource

QUERY = "{ runs(first: 50) { nodes { digest stale } } }"


def get(
    client: Client, query: str = QUERY, headers: dict[str, str] | None = None, /, **params: str
) -> httpx.Response:
    return client.send("GET", "/graphql", params={"query": query, **params}, headers=headers or {})


def test_an_answer_that_the_client_has_is_304_without_a_body(client: Client) -> None:
    first = get(client)

    again = get(client, QUERY, {"if-none-match": first.headers["etag"]})

    assert again.status_code == 304
    assert again.content == b""
    for name in ("etag", "vary", "cache-control", "kgraph-snapshot"):
        assert again.headers[name] == first.headers[name]


@pytest.mark.parametrize(
    "sent", ["W/{}", '"other", {}', "*", "{}"], ids=["weak", "one of several", "any", "exact"]
)
def test_every_way_to_name_an_answer_is_understood(client: Client, sent: str) -> None:
    etag = get(client).headers["etag"]

    assert get(client, QUERY, {"if-none-match": sent.format(etag)}).status_code == 304


def test_the_validator_changes_with_everything_that_the_answer_depends_on(client: Client) -> None:
    document = "query ($n: Int) { runs(first: $n) { nodes { digest } } }"
    etags = [
        get(client, document).headers["etag"],
        get(client, document.replace("nodes", "edges { node") + "}").headers["etag"],
        get(client, document, variables='{"n": 1}').headers["etag"],
        get(client, document, variables='{"n": 2}').headers["etag"],
        get(client, document, {"accept": "application/graphql-response+json"}).headers["etag"],
        get(client, document, {"host": "elsewhere.test"}).headers["etag"],
    ]

    assert len(set(etags)) == len(etags)
    assert get(client, document, variables='{ "n":1 }').headers["etag"] == etags[2]


def test_blanks_and_comments_are_no_part_of_a_document(client: Client) -> None:
    written = "query Some($n: Int) { runs(first: $n) { nodes { digest } } }"
    otherwise = """
      # What is newest.
      query Some ($n: Int,) {
        runs(first: $n) { nodes { digest } },
      }
    """

    first = get(client, written)
    again = get(client, otherwise, {"if-none-match": first.headers["etag"]})
    named = get(client, written, operationName="Some")

    assert again.status_code == 304
    assert named.headers["etag"] == first.headers["etag"]
    assert get(client, otherwise).content == first.content


def test_the_validator_stands_for_an_hour(catalog_source: CatalogSource) -> None:
    def etag_after(minutes: int) -> str:
        options = WebOptions(refresh_seconds=0)
        app = build_app(
            catalog_source, options=options, clock=lambda: NOW + timedelta(minutes=minutes)
        )
        tag: str = get(Client(app)).headers["etag"]
        return tag

    assert etag_after(0) == etag_after(59)
    assert etag_after(0) != etag_after(60)


def test_an_answer_must_be_asked_about_unless_it_is_pinned(client: Client) -> None:
    current = get(client)
    snapshot = current.headers["kgraph-snapshot"]

    by_header = get(client, QUERY, {"kgraph-snapshot": snapshot})
    by_parameter = get(client, snapshot=snapshot)

    assert current.headers["cache-control"] == "no-cache"
    for pinned in (by_header, by_parameter):
        assert pinned.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert pinned.headers["kgraph-snapshot"] == snapshot
        assert pinned.json()["data"] == current.json()["data"]


def test_a_pinned_answer_is_the_same_at_any_time(catalog_source: CatalogSource) -> None:
    snapshot = catalog_source.current().snapshot
    options = WebOptions(refresh_seconds=0)
    later = NOW + timedelta(days=400)

    first = Client(build_app(catalog_source, options=options, clock=lambda: NOW))
    second = Client(build_app(catalog_source, options=options, clock=lambda: later))

    assert get(first, snapshot=snapshot).content == get(second, snapshot=snapshot).content


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"snapshot": "blake3:" + "0" * 64}, "UNKNOWN_SNAPSHOT"),
        ({"asOf": "2001-01-01"}, "UNKNOWN_SNAPSHOT"),
        ({"asOf": "yesterday"}, "BAD_REQUEST"),
        ({"asOf": "2026-01-01T00:00:00"}, "BAD_REQUEST"),
        ({"asOf": "2026-01-01", "snapshot": "blake3:00000000"}, "BAD_REQUEST"),
    ],
)
def test_a_pin_that_names_no_snapshot_is_refused(
    client: Client, params: dict[str, str], code: str
) -> None:
    response = get(client, **params)

    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"] == {"code": code}
    # The newest one, which the next request may pin.
    newest = get(client).headers["kgraph-snapshot"]
    assert response.json()["extensions"] == {"snapshot": newest}
    assert response.headers["kgraph-snapshot"] == newest


def test_an_instant_before_the_first_publication_is_told_from_a_name_that_is_none(
    client: Client,
) -> None:
    response = get(client, asOf="2001-01-01T00:00:00Z")

    assert response.json()["errors"][0]["message"] == (
        "asOf: found 2001-01-01T00:00:00+00:00, expected 2026-09-01T00:00:00+00:00 or later, "
        "when the first publication was made"
    )


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"headers": {"accept": "text/plain"}}, 406),
        ({"method": "PUT"}, 405),
        ({"method": "POST", "content": b"x" * 200_000}, 413),
        ({"method": "POST", "content": b"[]"}, 400),
        ({"params": {"query": ""}}, 400),
    ],
    ids=["accept", "method", "length", "batch", "nothing"],
)
def test_a_refusal_names_the_newest_snapshot_unless_another_is_pinned(
    client: Client, options: dict[str, Any], status: int
) -> None:
    newest = get(client).headers["kgraph-snapshot"]
    request = {"method": "GET", **options}
    headers = {"content-type": "application/json", **request.pop("headers", {})}
    method = request.pop("method")

    refused = client.send(method, "/graphql", headers=headers, **request)
    pinned = client.send(
        method, "/graphql", headers={**headers, "kgraph-snapshot": newest}, **request
    )

    assert refused.status_code == pinned.status_code == status
    assert refused.json()["extensions"] == {"snapshot": newest}
    assert "extensions" not in pinned.json()


def test_a_date_pins_what_stood_at_its_end(client: Client) -> None:
    by_day = get(client, asOf=f"{NOW:%Y-%m-%d}")
    by_instant = get(client, asOf=NOW.isoformat())

    assert by_day.headers["kgraph-snapshot"] == get(client).headers["kgraph-snapshot"]
    assert by_instant.json()["data"] == by_day.json()["data"]


def test_answers_are_kept_within_their_memory() -> None:
    cache = AnswerCache(10_000)

    for number in range(100):
        cache.put(f"etag-{number}", StoredAnswer(b"x" * 1_000))
    cache.put("huge", StoredAnswer(b"x" * 9_000))

    kept = [number for number in range(100) if cache.get(f"etag-{number}") is not None]
    assert kept == list(range(100 - len(kept), 100))
    assert 1 <= len(kept) <= 10
    assert cache.get("huge") is None
    assert (cache.hits, cache.misses) == (len(kept), 101 - len(kept))


LONG = "{ runs(first: 100) { nodes { digest objectId observedAt } } }"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_coded_answer_says_the_same_and_has_a_validator_of_its_own(
    client: Client, coding: str
) -> None:
    plain = get(client, LONG, {"accept-encoding": "identity"})

    coded = get(client, LONG, {"accept-encoding": coding})
    again = get(client, LONG, {"accept-encoding": coding, "if-none-match": coded.headers["etag"]})
    of_plain = get(
        client, LONG, {"accept-encoding": coding, "if-none-match": plain.headers["etag"]}
    )

    assert coded.headers["content-encoding"] == coding
    assert "content-encoding" not in plain.headers
    assert coded.content == plain.content
    assert int(coded.headers["content-length"]) * 2 < int(plain.headers["content-length"])
    assert coded.headers["etag"] != plain.headers["etag"]
    assert (again.status_code, of_plain.status_code) == (304, 304)
    # It names what the client has, not what it would get.
    assert of_plain.headers["etag"] == plain.headers["etag"]
    assert "Accept-Encoding" in coded.headers["vary"]


def test_a_short_answer_is_sent_plain(client: Client) -> None:
    answer = get(client, "{ catalog { snapshot } }", {"accept-encoding": "gzip, zstd"})

    assert "content-encoding" not in answer.headers


def test_an_answer_is_compressed_once_for_each_coding() -> None:
    stored = StoredAnswer(b"x" * 10_000)

    first, second = stored.encode("zstd"), stored.encode("zstd")

    assert first[0] is second[0]
    assert stored.encode("gzip")[0] != first[0]
    assert stored.encode(None) == (stored.content, None)


def test_the_same_request_is_answered_the_same_by_every_way(client: Client) -> None:
    body = {"query": QUERY, "variables": None}

    first, second, third = (client.send("POST", "/graphql", json=body) for _ in range(3))

    assert first.content == second.content == third.content
    for name in ("etag", "vary", "cache-control", "kgraph-snapshot", "content-type"):
        assert first.headers[name] == third.headers[name]
    assert first.headers["x-request-id"] != third.headers["x-request-id"]


def test_other_limits_make_other_answers(catalog_source: CatalogSource) -> None:
    document = "{ limits { cost } }"

    def etag_under(limits: Limits) -> str:
        options = WebOptions(limits=limits, refresh_seconds=0)
        app = build_app(catalog_source, options=options, clock=lambda: NOW)
        tag: str = get(Client(app), document).headers["etag"]
        return tag

    assert etag_under(Limits()) == etag_under(Limits())
    assert etag_under(Limits()) != etag_under(Limits(cost=1_000))


def test_the_printed_schema_is_compressed_and_known_again(client: Client) -> None:
    whole = client.send("GET", "/schema.graphql", headers={"accept-encoding": "gzip"})
    again = client.send(
        "GET",
        "/schema.graphql",
        headers={"accept-encoding": "gzip", "if-none-match": whole.headers["etag"]},
    )

    assert whole.headers["content-encoding"] == "gzip"
    assert whole.text.startswith('"""') or "type Query" in whole.text
    assert again.status_code == 304


def test_an_answer_with_errors_is_not_kept(client: Client) -> None:
    document = '{ run(ref: "x") { digest } }'

    first, second = get(client, document), get(client, document)

    assert first.json() == second.json()
    assert "etag" not in second.headers
