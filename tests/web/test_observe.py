"""Names, lines in the log and spans of requests."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kgraph.cli.logs import JsonFormatter
from kgraph.tracing import install_tracer
from kgraph.web import WebOptions, build_app
from kgraph.web.pins import Pinner
from kgraph.web.spans import spans_of_requests, trace_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.sdk.trace import ReadableSpan

    from kgraph.catalog import CatalogSource

QUERY = "query Page { runs(first: 1) { nodes { digest } } }"


@pytest.mark.parametrize("given", ["a b", "x" * 65, "<script>", ""])
def test_a_name_that_could_spoil_the_log_is_replaced(client: Client, given: str) -> None:
    response = client.send("GET", "/healthz", headers={"x-request-id": given})

    assert response.headers["x-request-id"] != given
    assert len(response.headers["x-request-id"]) == 32


def test_each_request_is_one_line_of_json(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="kgraph.web.observe"):
        client.send("POST", "/graphql", json={"query": QUERY}, headers={"x-request-id": "one"})

    (record,) = [each for each in caplog.records if each.name == "kgraph.web.observe"]
    line = json.loads(JsonFormatter().format(record))
    assert line["level"] == "info"
    assert line["request_id"] == "one"
    assert (line["method"], line["path"], line["status"]) == ("POST", "/graphql", 200)
    assert (line["operation"], line["outcome"]) == ("Page", "miss")
    assert line["ms"] >= 0
    assert line["at"].endswith("+00:00")
    assert line["snapshot"].startswith("blake3:")


def test_a_record_with_an_exception_is_one_line_as_well() -> None:
    try:
        message = "two\nlines"
        raise ValueError(message)
    except ValueError:
        record = logging.LogRecord("a", 40, "f", 1, "it %s", ("broke",), sys.exc_info())

    text = JsonFormatter().format(record)

    assert "\n" not in text
    assert json.loads(text)["message"] == "it broke"
    assert "ValueError: two" in json.loads(text)["exception"]


def test_a_fault_of_ours_is_masked_and_logged_under_the_name_of_the_request(
    catalog_source: CatalogSource,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Pinner) -> None:
        message = "our insides"
        raise RuntimeError(message)

    app = build_app(catalog_source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
    monkeypatch.setattr(Pinner, "current", fail)
    client = Client(app, raises=False)

    response = client.send(
        "POST", "/graphql", json={"query": QUERY}, headers={"x-request-id": "one"}
    )

    assert response.status_code == 500
    assert response.headers["x-request-id"] == "one"
    assert response.json() == {
        "errors": [
            {"message": "Internal error", "extensions": {"code": "INTERNAL", "requestId": "one"}}
        ]
    }
    assert any("request one" in line and "our insides" in caplog.text for line in caplog.messages)


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    yield exporter
    install_tracer(None)


@pytest.fixture
def traced(catalog_source: CatalogSource, exporter: InMemorySpanExporter) -> Client:
    provider = trace_with(SimpleSpanProcessor(exporter))
    options = WebOptions(refresh_seconds=0, open_span=spans_of_requests(provider))
    return Client(build_app(catalog_source, options=options, clock=lambda: NOW))


def test_a_request_has_spans_down_to_its_statements(
    traced: Client, exporter: InMemorySpanExporter
) -> None:
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    traced.send("POST", "/graphql", json={"query": QUERY}, headers={"traceparent": traceparent})

    spans: dict[str, ReadableSpan] = {span.name: span for span in exporter.get_finished_spans()}
    request, prepare = spans["POST /graphql"], spans["graphql.prepare"]
    execute, statement = spans["graphql.execute"], spans["sql"]
    assert request.parent is not None
    assert f"{request.parent.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    for child, parent in ((prepare, request), (execute, request), (statement, execute)):
        assert child.parent is not None
        assert parent.context is not None
        assert child.parent.span_id == parent.context.span_id
    assert request.attributes is not None
    assert statement.attributes is not None
    assert request.attributes["kgraph.operation"] == "Page"
    assert request.attributes["kgraph.status"] == 200
    assert str(statement.attributes["db.query.text"]).startswith("SELECT")


def test_a_cached_answer_asks_for_no_spans_below(
    traced: Client, exporter: InMemorySpanExporter
) -> None:
    traced.ask(QUERY)
    exporter.clear()

    traced.ask(QUERY)

    (span,) = exporter.get_finished_spans()
    assert span.attributes is not None
    assert span.attributes["kgraph.outcome"] == "hit"
