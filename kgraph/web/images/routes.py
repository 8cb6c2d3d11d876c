"""The images over HTTP: addresses, validators, headers, and what is said in place of an image."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kgraph.api import Moment
from kgraph.web.answers import AnswerCache, StoredAnswer, tag_coding
from kgraph.web.images.badge import show_fault
from kgraph.web.images.painter import VEGA_LITE_VERSION, BusyError, DrawingError
from kgraph.web.images.parameters import read_name, read_wanted
from kgraph.web.images.specs import Look
from kgraph.web.images.svg import name_drawing, place_emoji
from kgraph.web.images.views import (
    show_badge,
    show_history,
    show_operation_badge,
    show_ranking,
    show_scaling,
)
from kgraph.web.incoming import BadHttpError
from kgraph.web.negotiate import CODINGS, choose_coding
from kgraph.web.observe import exchange_of
from kgraph.web.pages.ask import (
    Asked,
    PageAmbiguousError,
    PageError,
    PageMissingError,
    PageRefusedError,
)
from kgraph.web.pages.links import Links
from kgraph.web.pages.render import pages_edition
from kgraph.web.pages.views.missing import EXPECTED
from kgraph.web.pages.views.names import suggest_operations, suggest_products
from kgraph.web.pins import SNAPSHOT_HEADER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request as HttpRequest

    from kgraph.api import Engine
    from kgraph.web.images.badge import Badge
    from kgraph.web.images.painter import Painter
    from kgraph.web.images.parameters import Wanted
    from kgraph.web.images.specs import Figure
    from kgraph.web.pins import Pin, Pinner

    _BadgeView = Callable[[Asked, str], Awaitable[Badge]]
    _ChartView = Callable[[Asked, Look], Awaitable[Figure]]

_log = logging.getLogger(__name__)

_CACHE_BYTES = 32 * 2**20
_ROOM = Path(__file__).parent
_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".vl.json": "application/json"}
_NAMES = ("axis", "cohort", "hardware", "run")
_FOR_GOOD, _REVALIDATE = "public, max-age=31536000, immutable", "no-cache"

_HEADERS = {
    # An SVG that is opened by itself loads nothing and runs nothing.
    "content-security-policy": "default-src 'none'; frame-ancestors *; sandbox",
    # Made to be put into other sites' pages.
    "cross-origin-resource-policy": "cross-origin",
    "vary": "Accept-Encoding",
    "x-content-type-options": "nosniff",
}


def image_routes(
    engine: Engine, pinner: Pinner, painter: Painter, *, public_url: str | None
) -> list[BaseRoute]:
    """Badges and charts.

    Args:
        pinner: chooses the snapshot that an image is made from.
        painter: draws; the caller closes it.
        public_url: where the application is reached, without a slash at the end; what each
            request says where None.
    """
    images = _Images(engine, pinner, painter, public_url)

    def badge(path: str, view: _BadgeView) -> Route:
        async def send(http: HttpRequest) -> Response:
            return await images.send_badge(http, view)

        return Route(path, send, methods=["GET"])

    def chart(kind: str, view: _ChartView) -> list[Route]:
        def one(suffix: str) -> Route:
            async def send(http: HttpRequest) -> Response:
                return await images.send_chart(http, view, suffix)

            path = f"/chart/{kind}/{{name:path}}{suffix}"
            return Route(path, send, methods=["GET"], name=suffix)

        return [one(suffix) for suffix in (".vl.json", ".svg", ".png")]

    return [
        badge("/badge/o/{name:path}.svg", show_operation_badge),
        badge("/badge/{name}.svg", show_badge),
        *chart("history", show_history),
        *chart("ranking", show_ranking),
        *chart("scaling", show_scaling),
    ]


class _Images:
    """Answers requests for images, each made once for a snapshot and then kept."""

    def __init__(
        self, engine: Engine, pinner: Pinner, painter: Painter, public_url: str | None
    ) -> None:
        self._engine, self._pinner, self._painter = engine, pinner, painter
        self._public_url = public_url
        self._kept = AnswerCache(_CACHE_BYTES)

    async def send_badge(self, http: HttpRequest, view: _BadgeView) -> Response:
        """The badge; where it cannot be given, a badge that says so."""
        try:
            asked, pin = await self._receive(http)
            hardware = read_name(asked.query, "hardware")
            etag = _name_image(http, asked, [hardware])

            async def make() -> bytes:
                return (await view(asked, _snapshot(asked))).write().encode()

            return await self._send(http, pin, make, etag=etag, suffix=".svg")
        except BadHttpError as error:
            return _say_by_badge(error.status, "bad request", error.message)
        except PageError as error:
            status, message = await _explain(asked, error)
            said = {400: "refused", 404: f"no such {getattr(error, 'kind', 'name')}"}
            return _say_by_badge(status, said.get(status, "not available"), message)

    async def send_chart(self, http: HttpRequest, view: _ChartView, suffix: str) -> Response:
        """The chart, or why there is none, in words."""
        try:
            asked, pin = await self._receive(http)
            wanted = read_wanted(asked.query, is_png=suffix == ".png")
            names = [read_name(asked.query, name) for name in _NAMES]
            etag = _name_image(http, asked, [wanted, *names])

            async def make() -> bytes:
                return await self._draw(await self._specify(asked, wanted, view), wanted, suffix)

            return await self._send(http, pin, make, etag=etag, suffix=suffix)
        except BadHttpError as error:
            return _say(error.status, error.code, error.message, suffix)
        except PageError as error:
            status, message = await _explain(asked, error)
            code = {400: "BAD_REQUEST", 404: "NOT_FOUND"}.get(status, "INTERNAL")
            return _say(status, code, message, suffix)
        except BusyError as error:
            return _say(503, error.code, str(error), suffix, {"retry-after": "5"})
        except DrawingError as error:
            _log.exception("request %s: %s", exchange_of(http.scope).request_id, http.url.path)
            return _say(500, error.code, str(error), suffix)

    async def _specify(self, asked: Asked, wanted: Wanted, view: _ChartView) -> Figure:
        return await view(asked, Look(wanted.theme, wanted.width, wanted.height, _snapshot(asked)))

    async def _draw(self, figure: Figure, wanted: Wanted, suffix: str) -> bytes:
        if suffix == ".vl.json":
            return orjson.dumps(figure.spec, option=orjson.OPT_INDENT_2)
        name = hashlib.sha256(orjson.dumps(figure.spec)).hexdigest()
        drawn = await self._painter.draw_svg(name, figure.spec)
        if suffix == ".svg":
            return name_drawing(drawn, figure.title, figure.description).encode()
        placed = await asyncio.to_thread(place_emoji, drawn)
        return await self._painter.draw_png(f"{name} {wanted.scale}", placed, wanted.scale)

    async def _send(
        self,
        http: HttpRequest,
        pin: Pin,
        make: Callable[[], Awaitable[bytes]],
        *,
        etag: str,
        suffix: str,
    ) -> Response:
        """The image, or 304 where the client has it.

        Args:
            make: gives the bytes; called where they are not kept.
        """
        headers = {
            **_HEADERS,
            "cache-control": _FOR_GOOD if pin.is_final else _REVALIDATE,
            SNAPSHOT_HEADER: pin.catalog.snapshot,
        }
        given = http.headers.get("if-none-match", "").split(",")
        known = {tag.strip().removeprefix("W/") for tag in given}
        same = known & {tag_coding(etag, one) for one in (None, *CODINGS)}
        if same:
            exchange_of(http.scope).keeps_for = pin
            return Response(status_code=304, headers={**headers, "etag": same.pop()})
        stored = self._kept.get(etag)
        if stored is None:
            stored = StoredAnswer(await make())
            self._kept.put(etag, stored)
        # Pixels are compressed already.
        coding = (
            None if suffix == ".png" else choose_coding(http.headers.get("accept-encoding", ""))
        )
        content, coded = stored.encode(coding)
        if coded is not None:
            headers["content-encoding"] = coded
        headers["etag"] = tag_coding(etag, coded)
        exchange_of(http.scope).keeps_for = pin
        return Response(content, media_type=_TYPES[suffix], headers=headers)

    async def _receive(self, http: HttpRequest) -> tuple[Asked, Pin]:
        """The request, with the catalogue that it is answered from.

        Raises:
            BadHttpError: it is pinned to a snapshot that the log does not hold.
        """
        pin = await self._pinner.choose(http)
        base_url = self._public_url or str(http.base_url).rstrip("/")
        request_id = exchange_of(http.scope).request_id
        asked = Asked(
            name=http.path_params["name"],
            query=http.query_params,
            links=Links(base_url, None, None),
            moment=Moment(pin.catalog, pin.now, base_url, request_id),
            engine=self._engine,
        )
        return asked, pin


async def _explain(asked: Asked, error: PageError) -> tuple[int, str]:
    """Status, and in one line what was found, what was expected, and names like it."""
    if isinstance(error, PageAmbiguousError):
        return 404, error.message
    if isinstance(error, PageRefusedError):
        return (500 if error.is_ours else 400), error.message
    if not isinstance(error, PageMissingError):
        raise error
    near: list[str] = []
    if error.kind == "operation":
        near = [one["slug"] for one in await suggest_operations(asked, error.name)]
    elif error.kind == "hardware":
        near = list(await suggest_products(asked, error.name))
    told = f"{error.kind}: found no {error.name[:90]!r}, expected {_EXPECTED[error.kind]}"
    return 404, f"{told}; did you mean {', '.join(near)}?" if near else told


_EXPECTED = {
    **EXPECTED,
    "axis": "an axis that a sweep of this operation goes along",
    "comparison": "sha256: and the 64 hex digits of a comparison's key",
    "ranked run": "an operation that some run is ranked for",
    "run": "a digest of a run of this comparison, or 8 or more of its hex digits",
}


def _snapshot(asked: Asked) -> str:
    return asked.moment.catalog.snapshot


@cache
def _images_edition() -> str:
    """Names the program that makes images, and what it draws with."""
    told = hashlib.sha256(pages_edition().encode())
    engines = ("vl-convert-python", "resvg_py")
    told.update(repr([VEGA_LITE_VERSION, *map(version, engines)]).encode())
    for path in sorted(_ROOM.rglob("*")):
        if path.suffix in {".py", ".graphql", ".ttf"}:
            told.update(path.relative_to(_ROOM).as_posix().encode() + path.read_bytes())
    return told.hexdigest()[:16]


def _name_image(http: HttpRequest, asked: Asked, parameters: list[object]) -> str:
    """Strong validator of the plain image: everything that it depends on."""
    told = (
        _images_edition(),
        _snapshot(asked),
        asked.moment.now.isoformat(),
        # As it was routed by: an address made of it and the Host header may read otherwise.
        http.scope["path"],
        repr(parameters),
    )
    return f'"{hashlib.sha256(orjson.dumps(told)).hexdigest()[:40]}"'


def _say_by_badge(status: int, message: str, title: str) -> Response:
    headers = {**_HEADERS, "cache-control": "no-store"}
    content = show_fault(message, title).write()
    return Response(content, status_code=status, media_type=_TYPES[".svg"], headers=headers)


def _say(
    status: int, code: str, message: str, suffix: str, more: dict[str, str] | None = None
) -> Response:
    headers = {**_HEADERS, "cache-control": "no-store", **(more or {})}
    if suffix == ".vl.json":
        body = {"errors": [{"message": message, "extensions": {"code": code}}]}
        return Response(
            orjson.dumps(body), status_code=status, media_type="application/json", headers=headers
        )
    return Response(
        f"{message}\n", status_code=status, media_type="text/plain; charset=utf-8", headers=headers
    )
