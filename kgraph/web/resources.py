"""Resources beside the endpoint: the printed schema, the counts, and what a fault of ours says."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from kgraph.api import print_schema
from kgraph.web.answers import StoredAnswer, tag_coding
from kgraph.web.negotiate import choose_coding
from kgraph.web.observe import REQUEST_ID_HEADER, exchange_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request as HttpRequest
    from strawberry import Schema

    from kgraph.web.metrics import Metrics

_log = logging.getLogger(__name__)


def send_schema(schema: Schema) -> Callable[[HttpRequest], Awaitable[Response]]:
    """The schema in GraphQL's own language, printed when first asked for."""
    printed: list[tuple[StoredAnswer, str]] = []

    async def send(http: HttpRequest) -> Response:
        if not printed:
            content = print_schema(schema).encode()
            printed.append((StoredAnswer(content), f'"{hashlib.sha256(content).hexdigest()[:32]}"'))
        stored, etag = printed[0]
        content, used = stored.encode(choose_coding(http.headers.get("accept-encoding", "")))
        headers = {
            "etag": tag_coding(etag, used),
            "cache-control": "no-cache",
            "vary": "Accept-Encoding",
            "x-content-type-options": "nosniff",
        }
        if headers["etag"] in http.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if used is not None:
            headers["content-encoding"] = used
        return Response(content, media_type="text/plain; charset=utf-8", headers=headers)

    return send


def send_metrics(metrics: Metrics) -> Callable[[HttpRequest], Awaitable[Response]]:
    """What was counted, in the text format that the reader prefers."""

    async def send(http: HttpRequest) -> Response:
        accept = http.headers.get("accept", "")
        text, content_type = await asyncio.to_thread(metrics.render, accept)
        return Response(text, headers={"content-type": content_type, "cache-control": "no-store"})

    return send


async def report_fault(http: HttpRequest, error: Exception) -> Response:
    """What is answered where our own code failed; the log has the rest under the request's id."""
    request_id = exchange_of(http.scope).request_id
    _log.error("request %s: internal error", request_id, exc_info=error)
    shown = {
        "message": "Internal error",
        "extensions": {"code": "INTERNAL", "requestId": request_id},
    }
    return Response(
        orjson.dumps({"errors": [shown]}),
        status_code=500,
        media_type="application/json",
        headers={REQUEST_ID_HEADER: request_id, "cache-control": "no-store"},
    )
