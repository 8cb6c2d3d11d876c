"""The pages over HTTP: addresses, validators, headers, and what is said where a page is not."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING

import orjson
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from kgraph.api import Moment
from kgraph.web.answers import AnswerCache, StoredAnswer, tag_coding
from kgraph.web.incoming import BadHttpError
from kgraph.web.negotiate import CODINGS, choose_coding
from kgraph.web.observe import exchange_of
from kgraph.web.pages import views
from kgraph.web.pages.ask import (
    Asked,
    PageAmbiguousError,
    PageError,
    PageMissingError,
    PageMovedError,
    PageRefusedError,
)
from kgraph.web.pages.links import Links
from kgraph.web.pages.render import (
    CONTENT_SECURITY_POLICY,
    CONTENT_TYPES,
    files_version,
    load_files,
    pages_edition,
    write_card_html,
    write_page,
)
from kgraph.web.pins import SNAPSHOT_HEADER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request as HttpRequest

    from kgraph.api import Engine
    from kgraph.web.pages.ask import Data
    from kgraph.web.pages.views import Shown
    from kgraph.web.pins import Pin, Pinner

    _View = Callable[[Asked], Awaitable[Shown]]


_HTML = "text/html; charset=utf-8"
_CACHE_BYTES = 32 * 2**20

# What pages read of a query; anything else makes no other page.
_PARAMETERS = (
    "after",
    "cohort",
    "family",
    "format",
    "hardware",
    "language",
    "operation",
    "project",
    "q",
    "source",
    "workloads",
)

_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "strict-origin-when-cross-origin",
    "vary": "Accept-Encoding",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

# Previews are made by other sites' pages too, and hold nothing that is not public.
_CARD_HEADERS = {"access-control-allow-origin": "*", "x-content-type-options": "nosniff"}


def page_routes(
    engine: Engine, pinner: Pinner, *, public_url: str | None, playground: str | None
) -> list[BaseRoute]:
    """Every page, the files that pages load, and `/oembed`.

    Args:
        pinner: chooses the snapshot that a page is made from.
        public_url: where the application is reached, without a slash at the end; what each
            request says where None.
        playground: path of the playground; None where it is not served.
    """
    pages = _Pages(engine, pinner, public_url, playground)

    def route(path: str, view: _View) -> Route:
        async def send(http: HttpRequest) -> Response:
            return await pages.send(http, view)

        return Route(path, send, methods=["GET"])

    return [
        route("/", views.show_start),
        route("/o/{name:path}", views.show_operation),
        route("/r/{name}", views.show_run),
        route("/w/{name}", views.show_workload),
        route("/hardware/{name:path}", views.show_hardware),
        route("/records", views.show_records),
        route("/search", views.show_search),
        Route("/oembed", pages.send_card, methods=["GET"]),
        Route("/pages/{version}/{name}", _send_file, methods=["GET"]),
    ]


class _Pages:
    """Answers requests for pages, each made once for a snapshot and then kept."""

    def __init__(
        self, engine: Engine, pinner: Pinner, public_url: str | None, playground: str | None
    ) -> None:
        self._engine, self._pinner = engine, pinner
        self._public_url, self._playground = public_url, playground
        self._kept = AnswerCache(_CACHE_BYTES)

    async def send(self, http: HttpRequest, view: _View) -> Response:
        """The page, or what is said in its place."""
        try:
            asked, pin = await self._receive(http)
        except BadHttpError as error:
            return _say(error.status, error.message)
        try:
            response = await self._send_page(http, asked, view)
        except PageError as error:
            return await _explain(asked, error, http.url.path)
        exchange_of(http.scope).keeps_for = pin
        return response

    async def _send_page(self, http: HttpRequest, asked: Asked, view: _View) -> Response:
        etag = _name_page(http, asked)
        coding = choose_coding(http.headers.get("accept-encoding", ""))
        headers = {**_HEADERS, "cache-control": "no-cache", SNAPSHOT_HEADER: _snapshot(asked)}
        known = _known_tags(http)
        same = known & {tag_coding(etag, one) for one in (None, *CODINGS)}
        if same:
            return Response(status_code=304, headers={**headers, "etag": same.pop()})
        is_json = asked.given("format") == "json"
        stored = self._kept.get(etag)
        if stored is None:
            shown = await view(asked)
            if is_json:
                body = {"data": shown.data, "extensions": {"snapshot": _snapshot(asked)}}
                stored = StoredAnswer(orjson.dumps(body))
            else:
                # Tables of hundreds of rows take long enough for others to notice.
                stored = StoredAnswer(await asyncio.to_thread(write_page, shown, asked))
            self._kept.put(etag, stored)
        content, coded = stored.encode(coding)
        if coded is not None:
            headers["content-encoding"] = coded
        return Response(
            content,
            media_type="application/json" if is_json else _HTML,
            headers={**headers, "etag": tag_coding(etag, coded)},
        )

    async def send_card(self, http: HttpRequest) -> Response:
        """What oEmbed's consumers show of a page.

        Source: https://oembed.com, version 1.0.
        """
        if http.query_params.get("format", "json") != "json":
            return _refuse_card(501, "format: only json is served")
        address = http.query_params.get("url", "")
        widest = http.query_params.get("maxwidth", "")
        try:
            asked, pin = await self._receive(http)
            # More digits than any width has are no narrower.
            max_width = int(widest[:9]) if widest.isascii() and widest.isdecimal() else None
            card: Data = await views.show_card(asked, address, max_width=max_width)
        except BadHttpError as error:
            return _refuse_card(error.status, error.message)
        except PageError as error:
            is_fault = isinstance(error, PageRefusedError) and error.is_ours
            return _refuse_card(500 if is_fault else 404, str(error))
        html = write_card_html(card["found"], card["url"], is_run=card["is_run"])
        content = orjson.dumps(card["card"] | {"html": html})
        etag = f'"{hashlib.sha256(content).hexdigest()[:40]}"'
        headers = {"etag": etag, "cache-control": "no-cache", **_CARD_HEADERS}
        exchange_of(http.scope).keeps_for = pin
        if etag in _known_tags(http):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type="application/json", headers=headers)

    async def _receive(self, http: HttpRequest) -> tuple[Asked, Pin]:
        """The request, with the catalogue that it is answered from.

        Raises:
            BadHttpError: it is pinned to a snapshot that the log does not hold.
        """
        pin = await self._pinner.choose(http)
        given = [(name, http.query_params.get(name)) for name in ("snapshot", "asOf")]
        pinned = next(((name, value) for name, value in given if value), None)
        base_url = self._public_url or str(http.base_url).rstrip("/")
        request_id = exchange_of(http.scope).request_id
        asked = Asked(
            name=http.path_params.get("name", ""),
            query=http.query_params,
            links=Links(base_url, pinned, self._playground),
            moment=Moment(pin.catalog, pin.now, base_url, request_id),
            engine=self._engine,
        )
        return asked, pin


async def _explain(asked: Asked, error: PageError, path: str) -> Response:
    """What is said where a page is not shown as asked for."""
    if isinstance(error, PageMovedError):
        return RedirectResponse(error.location, status_code=302, headers=_HEADERS)
    if isinstance(error, PageMissingError):
        status, shown = 404, await views.show_missing(asked, error)
    elif isinstance(error, PageAmbiguousError):
        status, shown = 300, await views.show_ambiguous(asked, error)
    elif isinstance(error, PageRefusedError):
        status, shown = (500 if error.is_ours else 400), views.show_refused(asked, error, path)
    else:
        raise error
    content = await asyncio.to_thread(write_page, shown, asked)
    headers = {**_HEADERS, "cache-control": "no-store"}
    return Response(content, status_code=status, media_type=_HTML, headers=headers)


def _known_tags(http: HttpRequest) -> set[str]:
    """Validators of what the client holds."""
    given = http.headers.get("if-none-match", "").split(",")
    return {tag.strip().removeprefix("W/") for tag in given}


def _snapshot(asked: Asked) -> str:
    return asked.moment.catalog.snapshot


def _name_page(http: HttpRequest, asked: Asked) -> str:
    """Strong validator of the plain page: everything that it depends on."""
    told = (
        pages_edition(),
        _snapshot(asked),
        asked.moment.now.isoformat(),
        asked.links.base_url,
        asked.links.pin,
        # As it was routed by: an address made of it and the Host header may read otherwise.
        http.scope["path"],
        [(name, http.query_params.get(name)) for name in _PARAMETERS],
    )
    return f'"{hashlib.sha256(orjson.dumps(told)).hexdigest()[:40]}"'


def _say(status: int, message: str) -> Response:
    """A plain word where there is no page to put it in."""
    headers = {**_HEADERS, "cache-control": "no-store"}
    return Response(
        f"{message}\n", status_code=status, media_type="text/plain; charset=utf-8", headers=headers
    )


def _refuse_card(status: int, message: str) -> Response:
    body = {"errors": [{"message": message}]}
    headers = {"cache-control": "no-store", **_CARD_HEADERS}
    return Response(
        orjson.dumps(body), status_code=status, media_type="application/json", headers=headers
    )


async def _send_file(http: HttpRequest) -> Response:
    name = http.path_params["name"]
    content = load_files().get(name)
    # Another version is another edition's address; our bytes would stay in a cache for good.
    if content is None or http.path_params["version"] != files_version():
        return _say(404, "No such file in this version of the pages.")
    headers = {
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "vary": "Accept-Encoding",
    }
    stored = StoredAnswer(content)
    coded_bytes, coded = stored.encode(choose_coding(http.headers.get("accept-encoding", "")))
    if coded is not None:
        headers["content-encoding"] = coded
    suffix = name[name.rindex(".") :]
    return Response(coded_bytes, media_type=CONTENT_TYPES[suffix], headers=headers)
