"""Spans reach a collector: a server process sends them, and a receiver decodes what came."""

from __future__ import annotations

import gzip
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx
import pytest
from live_server import serve_starter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from kgraph import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

QUERY = "query Page { runs(first: 3) { nodes { title } } }"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SERVER = 2
"""Kind of a span that answers a request."""


class Collector:
    """What a receiver of OTLP over HTTP was sent."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: list[str] = []

    def resources(self) -> list[dict[str, str]]:
        return [
            _plain(batch.resource.attributes)
            for request in self.requests
            for batch in request.resource_spans
        ]

    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for batch in request.resource_spans
            for scope in batch.scope_spans
            for span in scope.spans
        ]


def _plain(attributes: Iterator[KeyValue]) -> dict[str, str]:
    """Attributes as text; numbers too."""
    return {
        one.key: str(getattr(one.value, one.value.WhichOneof("value") or "string_value"))
        for one in attributes
    }


@contextmanager
def collect(*, status: int = 200) -> Iterator[Collector]:
    """A receiver on a free port of this machine.

    Args:
        status: What it answers; it keeps what it is sent all the same.
    """

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            assert self.headers["content-type"] == "application/x-protobuf"
            collector.paths.append(self.path)
            collector.requests.append(ExportTraceServiceRequest.FromString(content))
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(status)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing: what came is looked at afterwards."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that all servers of this module share."""
    return tmp_path_factory.mktemp("otlp")


def trace_to(address: str) -> dict[str, str]:
    """Settings that send spans there; nothing of this machine's own environment counts."""
    return {
        "KGRAPH_TRACES": "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
        "OTEL_SERVICE_NAME": "",
        "OTEL_RESOURCE_ATTRIBUTES": "",
        "OTEL_TRACES_SAMPLER": "always_on",
    }


def test_a_collector_is_sent_the_spans_of_a_request(cache: Path) -> None:
    with collect() as collector:
        with serve_starter(cache, trace_to(collector.address)) as address:
            response = httpx.post(
                f"{address}/graphql",
                json={"query": QUERY},
                headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "x-request-id": "asked-1"},
            )
        # It has stopped: what it had is sent.
        spans = {span.name: span for span in collector.spans() if span.trace_id.hex() == TRACE}

    assert response.status_code == 200
    assert set(collector.paths) == {"/v1/traces"}
    request = spans["POST /graphql"]
    assert request.kind == SERVER
    assert request.parent_span_id.hex() == PARENT
    told = _plain(iter(request.attributes))
    assert told["kgraph.request_id"] == response.headers["x-request-id"] == "asked-1"
    assert told["http.request.method"] == "POST"
    assert told["kgraph.operation"] == "Page"
    assert told["kgraph.snapshot"] == response.headers["kgraph-snapshot"]
    assert told["kgraph.status"] == "200"
    for name, parent in (
        ("graphql.prepare", "POST /graphql"),
        ("graphql.execute", "POST /graphql"),
        ("sql", "graphql.execute"),
    ):
        assert spans[name].parent_span_id == spans[parent].span_id, name
        assert spans[name].start_time_unix_nano >= spans[parent].start_time_unix_nano
    assert _plain(iter(spans["sql"].attributes))["db.system.name"] == "duckdb"
    for resource in collector.resources():
        assert resource["service.name"] == "kgraph"
        assert resource["service.version"] == __version__


def test_a_service_is_named_by_opentelemetrys_own_variables(cache: Path) -> None:
    with collect() as collector:
        named = {
            **trace_to(collector.address),
            "OTEL_SERVICE_NAME": "kernels",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=tests",
        }
        with serve_starter(cache, named) as address:
            httpx.get(f"{address}/healthz")

    for resource in collector.resources():
        assert resource["service.name"] == "kernels"
        assert resource["deployment.environment.name"] == "tests"
    assert collector.resources()


def test_requests_without_a_trace_begin_one_each(cache: Path) -> None:
    with collect() as collector:
        with serve_starter(cache, trace_to(collector.address)) as address:
            names = [
                httpx.post(f"{address}/graphql", json={"query": QUERY}).headers["x-request-id"]
                for _ in range(3)
            ]
        roots = [span for span in collector.spans() if span.name == "POST /graphql"]

    assert len({span.trace_id for span in roots}) == 3
    assert {span.parent_span_id for span in roots} == {b""}
    assert [_plain(iter(span.attributes))["kgraph.request_id"] for span in roots] == names


@pytest.mark.parametrize("is_there", [True, False], ids=["it refuses", "it is not there"])
def test_a_collector_that_fails_holds_no_answer_up(cache: Path, *, is_there: bool) -> None:
    with collect(status=400) as collector:
        address_of_nothing = "http://127.0.0.1:9"
        endpoint = collector.address if is_there else address_of_nothing
        with serve_starter(cache, trace_to(endpoint)) as address:
            response = httpx.post(f"{address}/graphql", json={"query": QUERY})

    assert response.status_code == 200
    assert response.json()["data"]["runs"]["nodes"]
    assert bool(collector.requests) is is_there
