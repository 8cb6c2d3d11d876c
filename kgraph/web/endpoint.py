"""GraphQL over HTTP: one endpoint for GET and POST.

Source: the GraphQL over HTTP specification, audited with npm `graphql-http`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response

from kgraph.api import Engine, Moment, Position
from kgraph.digest import ObjectId
from kgraph.web.answers import AnswerCache, Question, StoredAnswer, tag_coding
from kgraph.web.incoming import BadHttpError, DocumentRefusedError, find_document, read_given
from kgraph.web.live import EventStreamResponse
from kgraph.web.negotiate import (
    CODINGS,
    EVENT_STREAM,
    GRAPHQL_RESPONSE,
    JSON,
    choose_coding,
    choose_media_type,
    takes_event_stream,
    takes_html,
)
from kgraph.web.observe import exchange_of
from kgraph.web.pins import SNAPSHOT_HEADER, Pinner, PinRefusedError, is_pinned

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import HTTPConnection
    from starlette.types import Receive, Scope, Send

    from kgraph.api import Answer, Feed, Identity, Request
    from kgraph.web.documents import Documents
    from kgraph.web.live import LiveConnections
    from kgraph.web.metrics import Metrics
    from kgraph.web.observe import Exchange
    from kgraph.web.pins import Pin

# A year, the longest that caches are asked to honour.
_FOR_GOOD = "public, max-age=31536000, immutable"
# May be kept, and must be asked about each time: the validator changes with the snapshot.
_REVALIDATE = "no-cache"

_VARY = f"Accept, Accept-Encoding, {SNAPSHOT_HEADER}"


class GraphQLEndpoint:
    """Answers GraphQL requests that come by HTTP, of any method: an ASGI application."""

    def __init__(
        self,
        engine: Engine,
        *,
        pinner: Pinner,
        answers: AnswerCache,
        documents: Documents,
        feed: Feed,
        connections: LiveConnections,
        metrics: Metrics | None,
        edition: str,
        max_body_bytes: int,
        public_url: str | None,
        playground: str | None,
    ) -> None:
        """An endpoint that has answered nothing yet.

        Args:
            edition: Of the program and its limits, as part of every validator.
        """
        self._engine, self._pinner, self._answers = engine, pinner, answers
        self._documents, self._feed, self._connections = documents, feed, connections
        self._metrics, self._edition = metrics, edition
        self._max_body_bytes, self._public_url = max_body_bytes, public_url
        self._playground = playground

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        response = await self._answer_http(HttpRequest(scope, receive))
        await response(scope, receive, send)

    async def _answer_http(self, http: HttpRequest) -> Response:
        exchange = exchange_of(http.scope)
        started = time.perf_counter()
        try:
            response = await self._respond(http, exchange)
        except BadHttpError as error:
            exchange.note(outcome="refused", codes=[error.code])
            media_type = choose_media_type(http.headers.get("accept")) or JSON
            response = _refuse(error, media_type, self._find_snapshot(http, error))
        if self._metrics is not None:
            facts = exchange.facts
            self._metrics.count_errors(facts.get("codes", ()))
            self._metrics.count_operation(
                facts.get("operation"),
                facts.get("outcome", "refused"),
                time.perf_counter() - started,
            )
        return response

    async def stream(self, request: Request, http: HTTPConnection) -> AsyncGenerator[Answer, None]:
        """The answers to a subscription that came by a connection."""
        moment = self._moment(http, self._pinner.current())
        since = http.headers.get("last-event-id")
        live = Position(
            self._feed, self._pinner.now_for, None if since is None else ObjectId(since)
        )
        if self._metrics is not None:
            self._metrics.count_subscription(1)
        try:
            async for answer in self._engine.stream(request, moment, live):
                if self._metrics is not None:
                    self._metrics.count_message()
                    self._metrics.count_errors(_codes_of(answer))
                yield answer
        finally:
            if self._metrics is not None:
                self._metrics.count_subscription(-1)

    async def _respond(self, http: HttpRequest, exchange: Exchange) -> Response:
        accept = http.headers.get("accept")
        if http.method not in {"GET", "HEAD", "POST"}:
            raise BadHttpError(
                405,
                "METHOD_NOT_ALLOWED",
                f"method: found {http.method}, expected GET or POST",
                {"allow": "GET, HEAD, POST"},
            )
        if self._playground and http.method == "GET" and takes_html(accept) and not http.url.query:
            exchange.note(outcome="redirected")
            return RedirectResponse(self._playground, status_code=303)
        media_type = choose_media_type(accept)
        takes_events = takes_event_stream(accept) and http.method != "HEAD"
        if media_type is None and not takes_events:
            raise BadHttpError(
                406,
                "NOT_ACCEPTABLE",
                f"accept: found neither {GRAPHQL_RESPONSE} nor {JSON} nor {EVENT_STREAM}, "
                "expected one of them",
            )
        given = await read_given(http, max_bytes=self._max_body_bytes)
        request = find_document(given, self._documents)
        await self._engine.read(request)
        identity = self._engine.identify(request)
        if identity is not None:
            exchange.note(operation=identity.operation_name)
            if given.registers and given.document is not None and given.document_id is not None:
                self._documents.register(given.document_id, given.document)
        if takes_events and (media_type is None or (identity and identity.is_subscription)):
            return self._open_stream(request, http, exchange)
        pin = await self._pinner.choose(http)
        exchange.note(snapshot=pin.catalog.snapshot)
        if identity is None:
            return self._send_failed(
                await self._engine.answer(request, self._moment(http, pin)),
                media_type or JSON,
                _describe(pin),
                exchange,
            )
        response = await self._answer(
            request, identity, http, pin=pin, media_type=media_type or JSON
        )
        if given.registers:
            # Where the document was let go of meanwhile, the same request has to register it again.
            exchange.keeps_for = None
        return response

    def _open_stream(self, request: Request, http: HttpRequest, exchange: Exchange) -> Response:
        if self._connections.is_full:
            self._connections.drop("full")
            raise BadHttpError(
                503,
                "LIMIT_CONNECTIONS",
                "connections: no more are taken; try again later",
                {"retry-after": "5"},
            )
        exchange.note(outcome="stream")
        headers = {"vary": "Accept", "x-content-type-options": "nosniff"}
        return EventStreamResponse(self.stream(request, http), self._connections, headers)

    async def _answer(
        self,
        request: Request,
        identity: Identity,
        http: HttpRequest,
        *,
        pin: Pin,
        media_type: str,
    ) -> Response:
        exchange = exchange_of(http.scope)
        headers = _describe(pin)
        base_url = self._base_url(http)
        etag = Question(
            edition=self._edition,
            snapshot=pin.catalog.snapshot,
            document=identity.document,
            variables=orjson.dumps(request.variables, option=orjson.OPT_SORT_KEYS),
            operation_name=identity.operation_name,
            now=pin.now.isoformat(),
            base_url=base_url,
            media_type=media_type,
        ).etag
        coding = choose_coding(http.headers.get("accept-encoding", ""))
        headers["cache-control"] = _FOR_GOOD if pin.is_final else _REVALIDATE
        if http.method != "POST" and (told := http.headers.get("if-none-match")):
            known = _find_known(told, etag, coding)
            if known is not None:
                exchange.note(outcome="not_modified")
                headers["etag"] = known
                exchange.keeps_for = pin
                return Response(None, status_code=304, headers=headers)
        stored = self._answers.get(etag)
        exchange.note(outcome="miss" if stored is None else "hit")
        if self._metrics is not None:
            self._metrics.count_answer(is_hit=stored is not None)
        if stored is None:
            answer = await self._engine.answer(request, self._moment(http, pin, base_url))
            if answer.has_errors:
                return self._send_failed(answer, media_type, headers, exchange)
            stored = StoredAnswer(orjson.dumps(answer.body))
            self._answers.put(etag, stored)
        content, used = stored.encode(coding)
        headers["etag"] = tag_coding(etag, used)
        if used is not None:
            headers["content-encoding"] = used
        exchange.keeps_for = pin
        return Response(content, media_type=f"{media_type}; charset=utf-8", headers=headers)

    def _send_failed(
        self, answer: Answer, media_type: str, headers: dict[str, str], exchange: Exchange
    ) -> Response:
        """An answer with errors: never kept, since what failed may be well the next time."""
        exchange.note(outcome="refused" if answer.is_refused else "failed", codes=_codes_of(answer))
        # The older media type has no word for a refused document but the body.
        is_told = answer.is_refused and media_type == GRAPHQL_RESPONSE
        return Response(
            orjson.dumps(answer.body),
            status_code=400 if is_told else 200,
            media_type=f"{media_type}; charset=utf-8",
            headers={**headers, "cache-control": "no-store"},
        )

    def _find_snapshot(self, http: HttpRequest, error: BadHttpError) -> str | None:
        """The newest snapshot; None where a request pins one that was not looked at yet."""
        if is_pinned(http) and not isinstance(error, PinRefusedError):
            return None
        return self._pinner.current().catalog.snapshot

    def _moment(self, http: HTTPConnection, pin: Pin, base_url: str | None = None) -> Moment:
        request_id = exchange_of(http.scope).request_id
        return Moment(pin.catalog, pin.now, base_url or self._base_url(http), request_id)

    def _base_url(self, http: HTTPConnection) -> str:
        return self._public_url or str(http.base_url).rstrip("/")


def _describe(pin: Pin) -> dict[str, str]:
    """Headers of every answer."""
    return {
        "vary": _VARY,
        SNAPSHOT_HEADER: pin.catalog.snapshot,
        "x-content-type-options": "nosniff",
    }


def _codes_of(answer: Answer) -> list[str]:
    """Codes of an answer's errors; ours, so that there are only so many."""
    return [error["extensions"]["code"] for error in answer.body.get("errors", ())]


def _refuse(error: BadHttpError, media_type: str, snapshot: str | None) -> Response:
    body: dict[str, Any] = {
        "errors": [{"message": error.message, "extensions": {"code": error.code}}]
    }
    headers = {"vary": "Accept", "cache-control": "no-store", **error.headers}
    if snapshot is not None:
        body["extensions"] = {"snapshot": snapshot}
        headers |= {"vary": _VARY, SNAPSHOT_HEADER: snapshot}
    # A request for a document that is not here is sound; only the newer media type says otherwise.
    is_untold = isinstance(error, DocumentRefusedError) and media_type == JSON
    return Response(
        orjson.dumps(body),
        status_code=200 if is_untold else error.status,
        media_type=f"{media_type}; charset=utf-8",
        headers=headers,
    )


def _find_known(if_none_match: str, etag: str, coding: str | None) -> str | None:
    """The validator of ours that an If-None-Match value names; None where it names none."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    if "*" in tags:
        return tag_coding(etag, coding)
    ours = (tag_coding(etag, each) for each in (coding, None, *CODINGS))
    return next((tag for tag in ours if tag in tags), None)
