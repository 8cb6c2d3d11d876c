"""`kgraph serve`: the catalogue over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import uvicorn

from kgraph.cli.logs import start_logging
from kgraph.cli.opening import open_catalog, open_for_reading
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import print_text, talk
from kgraph.errors import KgraphError, UsageError
from kgraph.index import EMPTY_SNAPSHOT, build_index, name_index
from kgraph.policy import ranking_v1
from kgraph.settings import Settings, read_settings

if TYPE_CHECKING:
    from types import FrameType

    from starlette.applications import Starlette

# As many as the system lets wait (Linux cuts it at its own limit) while the server is busy.
_BACKLOG = 2048
# Time for requests at work when the server is told to stop.
_SECONDS_TO_FINISH = 10
# A client that is gone is noticed after two.
_SECONDS_BETWEEN_PINGS = 20.0
_WORKER_APP = f"{__name__}:build_worker"


class AddressTakenError(UsageError):
    """The server cannot listen where it was told to."""

    code = "ADDRESS_TAKEN"

    def __init__(self, host: str, port: int, problem: str) -> None:
        self.host, self.port, self.problem = host, port, problem
        super().__init__(f"{host}:{port}: {problem}; choose another with --port or --host")


class ServerStoppedError(KgraphError):
    """The server ended before it answered anything; the reason was logged."""

    code = "SERVER_STOPPED"

    def __init__(self) -> None:
        super().__init__("serve: the server did not start; the reason stands above")


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="0 picks a free one.  [default: 8000]")
@click.option("--workers", type=click.IntRange(1, 256), help="Server processes.  [default: 1]")
@store_option
def command(host: str | None, port: int | None, workers: int | None, store: str | None) -> None:
    """Serve the catalogue: GraphQL at /graphql, a playground to ask it from at /playground.

    A missing index is built first. The address is printed once the server listens.
    """
    settings = settings_for(store)
    settings = replace(
        settings,
        host=host or settings.host,
        port=settings.port if port is None else port,
        workers=workers or settings.workers,
    )
    start_logging(settings.log_level, settings.log_format)
    _prepare_index(settings)
    listener = _listen(settings.host, settings.port)
    address = _address(listener)
    if settings.workers == 1:
        _serve_here(settings, listener, address)
    else:
        _serve_in_processes(settings, listener, address)


def build_worker() -> Starlette:
    """The application of one of several server processes, from the environment it was given."""
    _stop_after_parent()
    settings = read_settings()
    start_logging(settings.log_level, settings.log_format)
    app = _build_app(settings)
    _end_streams_on_signal(app)
    return app


def open_websocket(**parts: Any) -> asyncio.Protocol:  # noqa: ANN401 - as the server gives them
    """The server's protocol of WebSockets, loaded when the first one opens."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import (  # noqa: PLC0415
        WebSocketsSansIOProtocol,
    )

    return WebSocketsSansIOProtocol(**parts)


def _build_app(settings: Settings) -> Starlette:
    # What starting makes lives as long as the server: looking for garbage among it takes a tenth
    # of the start, and again a part of every later collection.
    gc.disable()
    try:
        # Where the process only starts others, or ends on a fault first, it does without.
        from kgraph.web import WebOptions, build_app  # noqa: PLC0415

        options = replace(WebOptions.from_settings(settings), freezes_memory=True)
        if settings.traces != "none":
            from kgraph.web.spans import spans_of_requests, start_tracing  # noqa: PLC0415

            provider = start_tracing(settings.traces)
            options = replace(
                options, open_span=spans_of_requests(provider), close_spans=provider.shutdown
            )
        return build_app(open_catalog(settings), options=options)
    finally:
        gc.freeze()
        gc.enable()


def _prepare_index(settings: Settings) -> None:
    """Build or carry forward the index where that is needed, and say so, since it may take long."""
    store, log = open_for_reading(settings)
    head = log.head()
    wanted = name_index(head.object_id if head else EMPTY_SNAPSHOT, ranking_v1)
    if not (settings.index_folder / wanted).exists():
        talk(f"kgraph: building the index of {settings.store} in {settings.index_folder}")
        build_index(log, store, ranking_v1, folder=settings.index_folder)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    # Without it, a restarted server would wait for the connections of the last one to time out.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        problem = "is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise AddressTakenError(host, port, problem) from error
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _announce(address: str) -> None:
    print_text(f"{address}/playground")
    # Programs that wait for the address read it through a pipe, which would hold it back.
    sys.stdout.flush()


class _AnnouncingServer(uvicorn.Server):
    """A server that prints its address when it listens, and ends event streams when it stops."""

    def __init__(self, config: uvicorn.Config, app: Starlette, address: str) -> None:
        super().__init__(config)
        self._app, self._address = app, address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        _announce(self._address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.connections.stop()
        await super().shutdown(sockets)


def _stop_after_parent() -> None:
    """Stop this worker when the process that started it is gone, however it ended.

    One that is killed tells nobody; its workers would keep the port, and nothing would replace or
    stop them.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def _end_streams_on_signal(app: Starlette) -> None:
    """End event streams when a worker is told to stop, before the server waits for them.

    A worker's server is made by the library; it has set its handlers of signals by now.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        stop_server = signal.getsignal(number)

        def stop(caught: int, frame: FrameType | None, stop_server: Any = stop_server) -> None:  # noqa: ANN401 - a handler or a number
            loop.call_soon_threadsafe(app.state.connections.stop)
            if callable(stop_server):
                stop_server(caught, frame)

        signal.signal(number, stop)


def _options(settings: Settings) -> dict[str, Any]:
    """How a server process behaves, whether it is the only one or not."""
    return {
        "log_config": None,
        "log_level": settings.log_level,
        # The application writes a line of its own.
        "access_log": False,
        "server_header": False,
        "backlog": _BACKLOG,
        "timeout_graceful_shutdown": _SECONDS_TO_FINISH,
        "ws": f"{__name__}:open_websocket",
        "ws_max_size": settings.limits.max_request_bytes,
        "ws_ping_interval": _SECONDS_BETWEEN_PINGS,
        "ws_ping_timeout": _SECONDS_BETWEEN_PINGS,
    }


def _serve_here(settings: Settings, listener: socket.socket, address: str) -> None:
    app = _build_app(settings)
    server = _AnnouncingServer(uvicorn.Config(app, **_options(settings)), app, address)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        talk("kgraph: stopped")
    if not server.started:
        raise ServerStoppedError


def _serve_in_processes(settings: Settings, listener: socket.socket, address: str) -> None:
    with contextlib.ExitStack() as stack:
        # Each worker starts from nothing and reads its settings as this process did.
        os.environ["KGRAPH_STORE"] = settings.store
        if settings.has_metrics and settings.metrics_folder is None:
            # Whichever worker is asked adds up what all of them have counted.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="kgraph-metrics-")
            )
        # The port is open: until the first worker is ready, requests wait in its queue.
        _announce(address)
        uvicorn.run(
            _WORKER_APP,
            factory=True,
            fd=listener.fileno(),
            workers=settings.workers,
            **_options(settings),
        )
