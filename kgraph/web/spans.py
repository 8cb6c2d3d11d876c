"""Spans of requests by OpenTelemetry, an optional extra.

Where spans go is for OpenTelemetry's own variables to say (`OTEL_EXPORTER_OTLP_ENDPOINT` and the
like). Loaded only where spans are asked for.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kgraph import __version__
from kgraph.errors import UsageError
from kgraph.tracing import install_tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from starlette.types import Scope

    from kgraph.web.observe import Exchange


class TracingMissingError(UsageError):
    """Spans are asked for, and what makes them is not installed."""

    code = "TRACING_MISSING"

    def __init__(self, missing: str) -> None:
        self.missing = missing
        super().__init__(f"traces: {missing} is not installed; run `pip install 'kgraph[otel]'`")


def start_tracing(target: str) -> TracerProvider:
    """Make spans from now on in the whole process, and send them.

    Args:
        target: `otlp` for a collector, `console` for the error output.

    Raises:
        TracingMissingError: OpenTelemetry or its exporter is not installed.
    """
    try:
        from opentelemetry.sdk.trace.export import (  # noqa: PLC0415
            BatchSpanProcessor,
            ConsoleSpanExporter,
            SimpleSpanProcessor,
        )

        if target == "console":
            return trace_with(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
    except ImportError as error:
        raise TracingMissingError(error.name or "OpenTelemetry") from error
    return trace_with(BatchSpanProcessor(OTLPSpanExporter()))


def trace_with(processor: SpanProcessor) -> TracerProvider:
    """Make spans from now on in the whole process, and give them to `processor`."""
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415

    resource = Resource.create({"service.name": "kgraph", "service.version": __version__})
    # What is created with attributes takes none of OpenTelemetry's own variables in their place.
    provider = TracerProvider(resource=resource.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(processor)
    install_tracer(provider.get_tracer("kgraph", __version__))
    return provider


def spans_of_requests(
    provider: TracerProvider,
) -> Callable[[Scope, Exchange], AbstractContextManager[None]]:
    """What opens the span of a request, below the one that its `traceparent` names."""
    from opentelemetry import propagate, trace  # noqa: PLC0415

    tracer = provider.get_tracer("kgraph", __version__)

    @contextmanager
    def open_span(scope: Scope, exchange: Exchange) -> Iterator[None]:
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        method = scope.get("method", "WEBSOCKET")
        attributes: dict[str, Any] = {
            "http.request.method": method,
            "url.path": scope["path"],
            "kgraph.request_id": exchange.request_id,
        }
        with tracer.start_as_current_span(
            f"{method} {scope['path']}",
            context=propagate.extract(headers),
            kind=trace.SpanKind.SERVER,
            attributes=attributes,
        ) as span:
            exchange.set_attribute = span.set_attribute
            yield

    return open_span
