from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client

from kgraph.errors import KgraphError
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette

    from kgraph.catalog import Catalog, CatalogSource


def test_health_is_answered_without_the_catalogue(client: Client) -> None:
    response = client.send("GET", "/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_readiness_names_the_snapshot(client: Client, catalog_source: CatalogSource) -> None:
    catalog = catalog_source.current()

    response = client.send("GET", "/readyz")

    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "snapshot": catalog.snapshot,
        "runs": catalog.counts().runs,
    }


def test_a_catalogue_that_cannot_be_read_is_unready(
    client: Client, catalog_source: CatalogSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Catalog) -> None:
        message = "index: gone"
        raise KgraphError(message)

    monkeypatch.setattr(type(catalog_source.current()), "counts", fail)

    response = client.send("GET", "/readyz")

    assert response.status_code == 503
    assert response.json() == {"status": "unready", "code": "KGRAPH_ERROR"}


def test_a_stored_object_is_sent_by_any_of_its_names(
    client: Client, catalog_source: CatalogSource
) -> None:
    run = client.data("{ runs(first: 1) { nodes { digest objectId } } }")["runs"]["nodes"][0]
    content = catalog_source.current().load_canonical(run["objectId"])

    exact = client.send("GET", f"/objects/{run['objectId']}")
    by_digest = client.send("GET", f"/objects/{run['digest']}")
    by_prefix = client.send("GET", f"/objects/{run['digest'].partition(':')[2][:20]}")

    assert exact.content == by_digest.content == by_prefix.content == content
    assert json.loads(exact.content)["kind"] == "BenchmarkRun"
    assert exact.headers["etag"] == f'"{run["objectId"]}"'
    assert exact.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert by_digest.headers["cache-control"] == "no-cache"


def test_a_permalink_leads_to_the_object_it_cites(client: Client) -> None:
    run = client.data("{ runs(first: 1) { nodes { objectId citation { permalink text } } } }")
    node = run["runs"]["nodes"][0]

    response = client.send("GET", node["citation"]["permalink"])

    assert response.status_code == 200
    assert response.headers["etag"] == f'"{node["objectId"]}"'
    assert node["citation"]["permalink"] in node["citation"]["text"]


def test_an_object_that_the_client_has_is_304(client: Client) -> None:
    run = client.data("{ runs(first: 1) { nodes { objectId } } }")["runs"]["nodes"][0]
    path = f"/objects/{run['objectId']}"

    response = client.send("GET", path, headers={"if-none-match": f'"{run["objectId"]}"'})

    assert (response.status_code, response.content) == (304, b"")


@pytest.mark.parametrize(
    ("ref", "code"), [("sha256:" + "0" * 64, "NOT_FOUND"), ("nonsense", "BAD_DIGEST")]
)
def test_an_object_that_is_not_there_is_404(client: Client, ref: str, code: str) -> None:
    response = client.send("GET", f"/objects/{ref}")

    assert response.status_code == 404
    assert response.json()["errors"][0]["extensions"] == {"code": code}


def test_the_schema_is_sent_as_it_is_printed(client: Client) -> None:
    response = client.send("GET", "/schema.graphql")

    assert response.status_code == 200
    assert "type Query {" in response.text


def test_no_other_origin_may_read_answers_by_default(client: Client) -> None:
    response = client.send("GET", "/readyz", headers={"origin": "https://elsewhere.test"})

    assert "access-control-allow-origin" not in response.headers


def test_an_origin_that_is_let_in_may_read_answers(catalog_source: CatalogSource) -> None:
    options = WebOptions(cors_origins=("https://ours.test",), refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    ours = client.send("GET", "/readyz", headers={"origin": "https://ours.test"})
    other = client.send("GET", "/readyz", headers={"origin": "https://elsewhere.test"})
    preflight = client.send(
        "OPTIONS",
        "/graphql",
        headers={
            "origin": "https://ours.test",
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        },
    )

    assert ours.headers["access-control-allow-origin"] == "https://ours.test"
    assert "access-control-allow-credentials" not in ours.headers
    assert "access-control-allow-origin" not in other.headers
    assert preflight.status_code == 200


def test_a_repeated_answer_lets_in_the_origins_that_the_first_one_would(
    catalog_source: CatalogSource,
) -> None:
    options = WebOptions(cors_origins=("https://ours.test",), refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    def let_in(origin: str | None) -> str | None:
        response = client.send(
            "GET",
            "/graphql",
            params={"query": "{ catalog { counts { runs } } }"},
            headers={} if origin is None else {"origin": origin},
        )
        assert response.status_code == 200
        allowed: str | None = response.headers.get("access-control-allow-origin")
        return allowed

    origins = ["https://ours.test", "https://elsewhere.test", None]
    assert [let_in(origin) for origin in origins * 3] == ["https://ours.test", None, None] * 3


def test_without_a_playground_nothing_leads_to_it(catalog_source: CatalogSource) -> None:
    options = WebOptions(has_playground=False, refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    assert "/playground" not in client.send("GET", "/").text
    assert client.send("GET", "/playground").status_code == 404
    assert client.send("GET", "/graphql", headers={"accept": "text/html"}).status_code == 406


class CountingSource:
    """A source that says how often it was asked for a newer snapshot."""

    def __init__(self, source: CatalogSource, act: Callable[[], bool]) -> None:
        self._source, self._act = source, act
        self.refreshed = asyncio.Event()
        self._loop = asyncio.get_event_loop()

    def current(self) -> Catalog:
        return self._source.current()

    def refresh(self) -> bool:
        self._loop.call_soon_threadsafe(self.refreshed.set)
        return self._act()


def run_until_refreshed(
    app_of: Callable[[CountingSource], Starlette], source: CatalogSource, act: Callable[[], bool]
) -> None:
    async def run() -> None:
        counting = CountingSource(source, act)
        app = app_of(counting)
        async with app.router.lifespan_context(app):
            for _ in range(2):
                await asyncio.wait_for(counting.refreshed.wait(), 10)
                counting.refreshed.clear()

    asyncio.run(run())


def fail_to_refresh() -> bool:
    message = "log: gone"
    raise KgraphError(message)


@pytest.mark.parametrize("act", [lambda: True, fail_to_refresh], ids=["newer", "failing"])
def test_a_running_application_keeps_looking_for_a_newer_snapshot(
    catalog_source: CatalogSource, act: Callable[[], bool]
) -> None:
    def app_of(source: CountingSource) -> Starlette:
        options = WebOptions(refresh_seconds=0.01)
        return build_app(source, options=options, clock=lambda: NOW)  # type: ignore[arg-type] # stands in for a source

    run_until_refreshed(app_of, catalog_source, act)
