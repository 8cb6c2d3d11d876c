"""GraphQL over HTTP: one endpoint for GET and POST.

Source: the GraphQL over HTTP specification, audited with npm `graphql-http`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson
from starlette.responses import RedirectResponse, Response

from kgraph.api import Engine, Moment
from kgraph.errors import KgraphError
from kgraph.web.answers import AnswerCache, Question, StoredAnswer
from kgraph.web.incoming import BadHttpError, read_request
from kgraph.web.negotiate import GRAPHQL_RESPONSE, JSON, choose_media_type, takes_html
from kgraph.web.playground import accepts_gzip

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request as HttpRequest

    from kgraph.catalog import Catalog, CatalogSource

_log = logging.getLogger(__name__)

SNAPSHOT_HEADER = "Kgraph-Snapshot"
"""Says which snapshot an answer is of; in a request, which one it is wanted of."""

REQUEST_ID_HEADER = "X-Request-Id"
"""Names a request in the log; a client's own is kept where it is short and plain."""

# A year, the longest that caches are asked to honour.
_FOR_GOOD = "public, max-age=31536000, immutable"
# May be kept, and must be asked about each time: the validator changes with the snapshot.
_REVALIDATE = "no-cache"

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class GraphQLEndpoint:
    """Answers GraphQL requests that come by HTTP."""

    def __init__(
        self,
        source: CatalogSource,
        engine: Engine,
        *,
        answers: AnswerCache,
        clock: Callable[[], datetime],
        max_body_bytes: int,
        public_url: str | None,
        playground: str | None,
    ) -> None:
        self._source, self._engine, self._answers, self._clock = source, engine, answers, clock
        self._max_body_bytes, self._public_url = max_body_bytes, public_url
        self._playground = playground

    async def __call__(self, http: HttpRequest) -> Response:
        """The response to one HTTP request."""
        started = time.perf_counter()
        request_id = name_request(http)
        try:
            response = await self._respond(http, request_id)
        except BadHttpError as error:
            response = _refuse(error, choose_media_type(http.headers.get("accept")) or JSON)
        response.headers[REQUEST_ID_HEADER] = request_id
        _log.info(
            "request %s: %s %s, %d, %.1f ms",
            request_id,
            http.method,
            http.url.path,
            response.status_code,
            (time.perf_counter() - started) * 1e3,
        )
        return response

    async def _respond(self, http: HttpRequest, request_id: str) -> Response:
        accept = http.headers.get("accept")
        if http.method not in {"GET", "HEAD", "POST"}:
            raise BadHttpError(
                405,
                "METHOD_NOT_ALLOWED",
                f"method: found {http.method}, expected GET or POST",
                {"allow": "GET, HEAD, POST"},
            )
        if self._playground and http.method == "GET" and takes_html(accept) and not http.url.query:
            return RedirectResponse(self._playground, status_code=303)
        media_type = choose_media_type(accept)
        if media_type is None:
            raise BadHttpError(
                406,
                "NOT_ACCEPTABLE",
                f"accept: found neither {GRAPHQL_RESPONSE} nor {JSON}, expected one of them",
            )
        request = await read_request(http, max_bytes=self._max_body_bytes)
        catalog, now, is_pinned = await self._choose_snapshot(http)
        base_url = self._public_url or str(http.base_url).rstrip("/")
        question = Question(
            snapshot=catalog.snapshot,
            document=request.document,
            variables=orjson.dumps(request.variables, option=orjson.OPT_SORT_KEYS),
            operation_name=request.operation_name,
            now=now.isoformat(),
            base_url=base_url,
            media_type=media_type,
        )
        headers = {
            "vary": f"Accept, Accept-Encoding, {SNAPSHOT_HEADER}",
            SNAPSHOT_HEADER: catalog.snapshot,
            "x-content-type-options": "nosniff",
        }
        etag = question.etag
        is_zipped = accepts_gzip(http.headers.get("accept-encoding", ""))
        cache_control = _FOR_GOOD if is_pinned else _REVALIDATE
        if http.method != "POST" and _names(http.headers.get("if-none-match", ""), etag):
            tag = _zipped_tag(etag) if is_zipped else etag
            return Response(
                status_code=304, headers={**headers, "etag": tag, "cache-control": cache_control}
            )
        stored = self._answers.get(etag)
        if stored is None:
            moment = Moment(catalog, now, base_url, request_id)
            answer = await self._engine.answer(request, moment)
            stored = StoredAnswer(orjson.dumps(answer.body))
            if answer.has_errors:
                # The older media type has no word for a refused document but the body.
                refused = answer.is_refused and media_type == GRAPHQL_RESPONSE
                return Response(
                    stored.content,
                    status_code=400 if refused else 200,
                    media_type=f"{media_type}; charset=utf-8",
                    headers={**headers, "cache-control": "no-store"},
                )
            self._answers.put(etag, stored)
        content = stored.content
        if is_zipped and stored.is_zippable:
            content, etag = stored.zipped, _zipped_tag(etag)
            headers["content-encoding"] = "gzip"
        return Response(
            content,
            media_type=f"{media_type}; charset=utf-8",
            headers={**headers, "etag": etag, "cache-control": cache_control},
        )

    async def _choose_snapshot(self, http: HttpRequest) -> tuple[Catalog, datetime, bool]:
        """The catalogue to ask, what "now" means to it, and whether the request pinned it.

        Now is the current hour, so that answers within it are equal byte for byte. For a pinned
        snapshot it is when that was published, or the date asked for: the answer stays what it was.

        Raises:
            BadHttpError: the pin names no snapshot of the log.
        """
        pin = http.query_params.get("snapshot") or http.headers.get(SNAPSHOT_HEADER)
        as_of = http.query_params.get("asOf")
        if pin and as_of:
            raise BadHttpError(
                400, "BAD_REQUEST", "asOf: found beside snapshot, expected one of them"
            )
        if not pin and not as_of:
            now = self._clock().replace(minute=0, second=0, microsecond=0)
            return self._source.current(), now, False
        try:
            if as_of:
                instant = _parse_instant(as_of)
                return await asyncio.to_thread(self._source.as_of, instant), instant, True
            catalog = await asyncio.to_thread(self._source.at, pin or "")
            head = await asyncio.to_thread(lambda: catalog.head)
        except KgraphError as error:
            raise BadHttpError(400, error.code, str(error)) from error
        return catalog, head.published_at if head else self._clock(), True


def name_request(http: HttpRequest) -> str:
    """The client's own request id where it is short and plain, else a new one."""
    given = http.headers.get(REQUEST_ID_HEADER, "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _refuse(error: BadHttpError, media_type: str) -> Response:
    body = {"errors": [{"message": error.message, "extensions": {"code": error.code}}]}
    return Response(
        orjson.dumps(body),
        status_code=error.status,
        media_type=f"{media_type}; charset=utf-8",
        headers={"vary": "Accept", "cache-control": "no-store", **error.headers},
    )


def _names(if_none_match: str, etag: str) -> bool:
    """Whether an If-None-Match value names the answer, in either encoding."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return bool(tags & {etag, _zipped_tag(etag), "*"})


def _zipped_tag(etag: str) -> str:
    return f'{etag[:-1]}-gzip"'


def _parse_instant(text: str) -> datetime:
    """The instant of an `asOf`: RFC 3339 with a zone, or a day, which counts to its end.

    Raises:
        BadHttpError: it is neither.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise _bad_instant(text) from error
    if len(text) == len("2026-01-02"):
        return instant.replace(hour=23, minute=59, second=59, microsecond=999_999, tzinfo=UTC)
    if instant.tzinfo is None:
        raise _bad_instant(text)
    return instant.astimezone(UTC)


def _bad_instant(text: str) -> BadHttpError:
    return BadHttpError(
        400,
        "BAD_REQUEST",
        f"asOf: found {text[:40]!r}, expected 2026-01-02 or 2026-01-02T03:04:05Z",
    )
