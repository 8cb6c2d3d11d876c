"""What the server counts, read as Prometheus reads it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_open_metrics,
)
from prometheus_client.parser import text_string_to_metric_families

from kgraph.web import WebOptions, build_app
from kgraph.web.metrics import MAX_OPERATIONS

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource

QUERY = "query Page { catalog { counts { runs } } }"


def read(client: Client) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample: its name and the values of its labels, these by name, and its value."""
    response = client.send("GET", "/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_requests_are_counted_by_operation_and_outcome(client: Client) -> None:
    etag = client.send("GET", "/graphql", params={"query": QUERY}).headers["etag"]
    for _ in range(3):
        client.ask(QUERY)
    for _ in range(2):
        client.send("GET", "/graphql", params={"query": QUERY})
    client.send("GET", "/graphql", params={"query": QUERY}, headers={"if-none-match": etag})
    client.ask("{ catalog { snapshot } }")
    client.ask("query Wrong { nothing }")
    client.ask('query Bad { run(ref: "x") { digest } }')

    found = read(client)

    counted = {
        labels: value for (name, labels), value in found.items() if name.endswith("requests_total")
    }
    assert counted["Page", "miss"] == 1
    assert counted["Page", "hit"] == 5
    assert counted["Page", "not_modified"] == 1
    assert counted["anonymous", "miss"] == 1
    assert counted["other", "refused"] == 1
    assert counted["Bad", "failed"] == 1
    assert counted["POST", "/graphql", "200"] == 6
    assert counted["GET", "/graphql", "304"] == 1
    assert found["kgraph_graphql_errors_total", ("GRAPHQL_VALIDATION_FAILED",)] == 1
    # Those that were repeated byte for byte are counted and not timed: two of the five hits.
    assert found["kgraph_graphql_request_seconds_count", ("Page",)] == 5


def test_the_hit_rate_of_answers_is_there_to_be_read(client: Client) -> None:
    for _ in range(4):
        client.ask(QUERY)

    found = read(client)

    assert found["kgraph_answer_cache_lookups_total", ("hit",)] == 3
    assert found["kgraph_answer_cache_lookups_total", ("miss",)] == 1


def test_names_that_clients_choose_make_only_so_many_series(client: Client) -> None:
    for number in range(MAX_OPERATIONS + 10):
        client.ask(f"query Name{number} {{ catalog {{ snapshot }} }}")

    operations = {
        labels[0] for name, labels in read(client) if name == "kgraph_graphql_requests_total"
    }

    assert len(operations) == MAX_OPERATIONS + 1
    assert "other" in operations


def test_operations_of_trusted_documents_are_always_told_apart(
    catalog_source: CatalogSource,
) -> None:
    options = WebOptions(documents={"page": QUERY}, refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))
    for number in range(MAX_OPERATIONS):
        client.ask(f"query Name{number} {{ catalog {{ snapshot }} }}")

    client.ask(QUERY)

    assert read(client)["kgraph_graphql_requests_total", ("Page", "miss")] == 1


def test_the_snapshot_and_its_age_are_told(client: Client, catalog_source: CatalogSource) -> None:
    catalog = catalog_source.current()

    found = read(client)

    assert found["kgraph_snapshot_info", (catalog.snapshot,)] == 1
    assert found["kgraph_snapshot_sequence", ()] == 1
    assert found["kgraph_catalog_runs", ()] == catalog.counts().runs
    # The fixture was published at the time at which tests ask.
    assert found["kgraph_index_age_seconds", ()] == 0
    assert found["kgraph_live_connections", ("websocket",)] == 0


def test_any_path_and_method_is_one_of_a_few_series(client: Client) -> None:
    for number in range(5):
        client.send("GET", f"/nothing/{number}")
        client.send("PROPFIND", f"/{number}")

    routes = {labels for name, labels in read(client) if name == "kgraph_http_requests_total"}

    assert routes == {("GET", "other", "404"), ("other", "other", "404")}


def test_a_reader_of_open_metrics_gets_it(client: Client) -> None:
    client.ask(QUERY)
    accept = "application/openmetrics-text; version=1.0.0"

    response = client.send("GET", "/metrics", headers={"accept": accept})

    assert response.headers["content-type"].startswith("application/openmetrics-text")
    families = parse_open_metrics(response.text)  # type: ignore[no-untyped-call] # ships no types
    assert {family.name for family in families} >= {
        "kgraph_graphql_requests",
        "kgraph_snapshot_info",
    }


def test_without_metrics_there_is_nothing_to_read(catalog_source: CatalogSource) -> None:
    options = WebOptions(has_metrics=False, refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    assert client.data(QUERY)
    assert client.send("GET", "/metrics").status_code == 404


def test_what_most_servers_never_need_is_not_loaded_when_they_start() -> None:
    lazy = "prometheus_client websockets opentelemetry"
    script = (
        "import sys, kgraph.web, kgraph.cli.serve;"
        f"print(*[name for name in {lazy.split()} if name in sys.modules])"
    )

    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )

    assert done.stdout.strip() == ""


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/readyz"])
def test_every_answer_names_its_request(client: Client, path: str) -> None:
    response = client.send("GET", path, headers={"x-request-id": "from-a-client:1"})

    assert response.headers["x-request-id"] == "from-a-client:1"
