"""The application, built from explicit parts."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from kgraph import __version__
from kgraph.api import Engine, Feed, Limits, RequestError, build_schema
from kgraph.digest import BadDigestError
from kgraph.errors import KgraphError
from kgraph.web.answers import AnswerCache
from kgraph.web.documents import BadDocumentError, Documents, load_documents
from kgraph.web.endpoint import GraphQLEndpoint
from kgraph.web.exports import export_routes
from kgraph.web.images import Painter, image_routes
from kgraph.web.live import LiveConnections, SocketApp
from kgraph.web.metrics import Metrics
from kgraph.web.observe import REQUEST_ID_HEADER, Observer, exchange_of
from kgraph.web.pages import page_routes
from kgraph.web.pins import SNAPSHOT_HEADER, Pinner
from kgraph.web.playground import playground_routes
from kgraph.web.resources import report_fault, send_metrics, send_schema
from kgraph.web.sheets import sheet_route
from kgraph.web.shortcut import Shortcuts
from kgraph.web.widgets import widget_documents, widget_operations, widget_routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from starlette.requests import Request as HttpRequest
    from starlette.types import Scope

    from kgraph.catalog import CatalogSource
    from kgraph.settings import Settings
    from kgraph.web.observe import Exchange

_log = logging.getLogger(__name__)

GRAPHQL_PATH = "/graphql"
PLAYGROUND_PATH = "/playground"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebOptions:
    """How the application behaves; every default is safe on a public address."""

    limits: Limits = field(default_factory=Limits)
    """What one request may ask for."""
    max_body_bytes: int = 131_072
    """Longest request body that is read."""
    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may read answers; `*` for all. None by default: a server on a private
    address would otherwise be readable by every page that its user opens."""
    public_url: str | None = None
    """Where the API is reached, without a slash at the end; what each request says where None."""
    answer_cache_bytes: int = 64 * 2**20
    """Memory for whole answers; 0 keeps none."""
    refresh_seconds: float = 5.0
    """How often the log is looked at for a newer snapshot; 0 for never."""
    has_playground: bool = True
    """Whether the playground is served."""
    has_metrics: bool = True
    """Whether counts are kept and served."""
    metrics_folder: Path | None = None
    """Where the processes of one server keep their counts together; None for a server of one."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Trusted documents by id, as `load_documents` gives them."""
    only_documents: bool = False
    """Whether no other documents are answered."""
    max_live_connections: int = 1_000
    """Most connections that subscriptions come over, in one process."""
    open_span: Callable[[Scope, Exchange], AbstractContextManager[object]] | None = None
    """Opens the span of a request; None for no spans."""
    close_spans: Callable[[], object] | None = None
    """Sends the spans that wait to be sent; called in a thread once no request is at work."""
    export_folder: Path | None = None
    """Where exports are made and kept; none are served where None."""
    freezes_memory: bool = False
    """Whether what is in memory once the server is ready is left alone by the garbage collector,
    which would otherwise look through all facts again and again; for a process that does nothing
    else."""

    @classmethod
    def from_settings(cls, settings: Settings) -> WebOptions:
        """The options that the environment asks for.

        Raises:
            BadDocumentError: a trusted document cannot be read, or there are none and no others
                are taken.
        """
        if settings.only_documents and settings.documents is None:
            raise BadDocumentError(
                "KGRAPH_DOCUMENTS_ONLY", "found true without KGRAPH_DOCUMENTS, which names them"
            )
        asked = settings.limits
        limits = Limits(depth=asked.max_depth, cost=asked.max_cost, seconds=asked.request_seconds)
        return cls(
            limits=limits,
            max_body_bytes=asked.max_request_bytes,
            max_live_connections=asked.max_live_connections,
            cors_origins=settings.cors_origins,
            public_url=settings.public_url,
            refresh_seconds=settings.refresh_seconds,
            # The playground sends what its user writes, which is never a trusted document.
            has_playground=not settings.only_documents,
            has_metrics=settings.has_metrics,
            metrics_folder=settings.metrics_folder,
            only_documents=settings.only_documents,
            documents={} if settings.documents is None else load_documents(settings.documents),
            export_folder=settings.cache / "exports",
        )


def build_app(
    source: CatalogSource,
    *,
    options: WebOptions | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Starlette:
    """The application that answers from `source`.

    Args:
        clock: what time it is, in UTC; the system's clock where None.
    """
    chosen = options or WebOptions()
    schema = build_schema()
    engine = Engine(schema, chosen.limits)
    operations = _check_documents(engine, chosen.documents) | widget_operations()
    now = clock or _read_clock
    metrics = (
        Metrics(source, clock=now, known_operations=operations, folder=chosen.metrics_folder)
        if chosen.has_metrics
        else None
    )
    known = {**widget_documents(), **chosen.documents}
    documents = Documents(known, is_closed=chosen.only_documents)
    connections = LiveConnections(chosen.max_live_connections, metrics)
    feed = Feed(source)
    pinner = Pinner(source, now)
    endpoint = GraphQLEndpoint(
        engine,
        pinner=pinner,
        answers=AnswerCache(chosen.answer_cache_bytes),
        documents=documents,
        feed=feed,
        connections=connections,
        metrics=metrics,
        edition=_name_edition(chosen.limits),
        max_body_bytes=chosen.max_body_bytes,
        public_url=chosen.public_url,
        playground=PLAYGROUND_PATH if chosen.has_playground else None,
    )
    sockets = SocketApp(
        endpoint.stream,
        documents=documents,
        connections=connections,
        origins=chosen.cors_origins,
    )

    painter = Painter()

    @contextlib.asynccontextmanager
    async def run(_: Starlette) -> AsyncIterator[None]:
        warm_up = partial(_warm_up, engine, source, metrics, freezes_memory=chosen.freezes_memory)
        tasks = [asyncio.create_task(asyncio.to_thread(warm_up))]
        if chosen.refresh_seconds > 0:
            tasks.append(asyncio.create_task(_refresh(source, feed, chosen.refresh_seconds)))
        try:
            yield
        finally:
            connections.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            engine.close()
            painter.close()
            if chosen.close_spans is not None:
                # A server that ends by a signal runs nothing that waits for the end of its process.
                await asyncio.to_thread(chosen.close_spans)
            if metrics is not None:
                metrics.close()

    routes: list[BaseRoute] = [
        Route(GRAPHQL_PATH, endpoint),
        WebSocketRoute(GRAPHQL_PATH, sockets),
        sheet_route(
            engine,
            pinner=pinner,
            documents=documents,
            metrics=metrics,
            edition=_name_edition(chosen.limits),
            public_url=chosen.public_url,
        ),
        Route("/objects/{ref}", _send_object(pinner), methods=["GET"]),
        Route("/schema.graphql", send_schema(schema), methods=["GET"]),
        Route("/healthz", _send_health, methods=["GET"]),
        Route("/readyz", _send_readiness(source), methods=["GET"]),
    ]
    if chosen.export_folder is not None:
        routes += export_routes(source, chosen.export_folder)
    if metrics is not None:
        routes.append(Route("/metrics", send_metrics(metrics), methods=["GET"]))
    playground = PLAYGROUND_PATH if chosen.has_playground else None
    routes += [
        *page_routes(engine, pinner, public_url=chosen.public_url, playground=playground),
        *image_routes(engine, pinner, painter, public_url=chosen.public_url),
        *widget_routes(),
    ]
    if chosen.has_playground:
        routes += playground_routes(endpoint=GRAPHQL_PATH, prefix=PLAYGROUND_PATH)
    shortcuts = Shortcuts(GRAPHQL_PATH, pinner, chosen.answer_cache_bytes // 4)
    app = Starlette(
        routes=routes,
        middleware=_list_middleware(chosen, metrics, shortcuts),
        lifespan=run,
        exception_handlers={Exception: report_fault},
    )
    app.state.engine = engine
    app.state.painter = painter
    app.state.connections = connections
    return app


def _list_middleware(
    chosen: WebOptions, metrics: Metrics | None, shortcuts: Shortcuts
) -> list[Middleware]:
    """What stands around all routes, outermost first."""
    middleware = [
        Middleware(Observer, metrics=metrics, open_span=chosen.open_span, shortcuts=shortcuts)
    ]
    if chosen.cors_origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(chosen.cors_origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Content-Type", SNAPSHOT_HEADER, REQUEST_ID_HEADER],
                expose_headers=["ETag", SNAPSHOT_HEADER, REQUEST_ID_HEADER],
                max_age=86_400,
            )
        )
    return middleware


def _check_documents(engine: Engine, documents: Mapping[str, str]) -> set[str]:
    """Names of the operations in trusted documents.

    Raises:
        BadDocumentError: one does not fit the schema or the limits.
    """
    names: set[str] = set()
    for name, text in documents.items():
        try:
            prepared = engine.documents.prepare(text)
        except (RequestError, KgraphError) as error:
            raise BadDocumentError(f"trusted document {name}", str(error)) from error
        names.update(filter(None, prepared.operations))
    return names


def _name_edition(limits: Limits) -> str:
    """What changes with the program and its limits, which answers tell of."""
    return f"{__version__} {orjson.dumps(asdict(limits)).decode()}"


def _read_clock() -> datetime:
    return datetime.now(UTC)


def _warm_up(
    engine: Engine, source: CatalogSource, metrics: Metrics | None, *, freezes_memory: bool
) -> None:
    """Ask what the first requests would otherwise wait for."""
    if metrics is not None:
        metrics.load()
    try:
        engine.warm_up(source.current())
    except KgraphError:
        # The first request meets the same fault and reports it.
        _log.warning("warm-up: not done", exc_info=True)
    if freezes_memory:
        gc.freeze()


async def _refresh(source: CatalogSource, feed: Feed, seconds: float) -> None:
    """Swap in newer snapshots as the log grows; a fault is logged and the old one stays."""
    while True:
        await asyncio.sleep(seconds)
        try:
            if await asyncio.to_thread(source.refresh):
                feed.announce()
                await asyncio.to_thread(source.current().preload)
                _log.info("snapshot: now %s", source.current().snapshot)
        except KgraphError:
            _log.exception("snapshot: the newer one cannot be read, still answering from the last")


async def _send_health(_: HttpRequest) -> Response:
    return Response(b'{"status":"ok"}', media_type="application/json")


def _send_readiness(source: CatalogSource) -> Callable[[HttpRequest], Any]:
    async def send(_: HttpRequest) -> Response:
        catalog = source.current()
        try:
            counts = await asyncio.to_thread(catalog.counts)
        except KgraphError as error:
            body = {"status": "unready", "code": error.code}
            return Response(orjson.dumps(body), status_code=503, media_type="application/json")
        ready = {"status": "ready", "snapshot": catalog.snapshot, "runs": counts.runs}
        return Response(orjson.dumps(ready), media_type="application/json")

    return send


def _send_object(pinner: Pinner) -> Callable[[HttpRequest], Any]:
    """Stored objects by any of their names: what permalinks lead to."""

    async def send(http: HttpRequest) -> Response:
        pin, ref = pinner.current(), http.path_params["ref"]
        catalog = pin.catalog
        try:
            found = await asyncio.to_thread(catalog.find_object, ref)
            if found is None:
                return _send_error(
                    404, "NOT_FOUND", f"object: found no {ref[:90]!r} in this catalogue"
                )
            content = await asyncio.to_thread(catalog.load_canonical, found.object_id)
        except BadDigestError as error:
            return _send_error(404, error.code, str(error))
        except KgraphError as error:
            _log.exception("request %s: object %s", exchange_of(http.scope).request_id, ref[:90])
            return _send_error(
                400 if error.code == "AMBIGUOUS_DIGEST" else 500, error.code, error.public_message
            )
        etag = f'"{found.object_id}"'
        # Bytes under an object id never change; under another name a later object may be shown.
        is_exact = ref == found.object_id
        headers = {
            "etag": etag,
            "cache-control": "public, max-age=31536000, immutable" if is_exact else "no-cache",
            "x-content-type-options": "nosniff",
        }
        known = {
            tag.strip().removeprefix("W/")
            for tag in http.headers.get("if-none-match", "").split(",")
        }
        exchange_of(http.scope).keeps_for = pin
        if known & {etag, "*"}:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type="application/json", headers=headers)

    return send


def _send_error(status: int, code: str, message: str) -> Response:
    body = {"errors": [{"message": message, "extensions": {"code": code}}]}
    return Response(orjson.dumps(body), status_code=status, media_type="application/json")
