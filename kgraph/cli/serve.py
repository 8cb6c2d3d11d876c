"""`kgraph serve`: the catalogue over HTTP."""

from __future__ import annotations

import errno
import gc
import logging
import os
import socket
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click
import uvicorn

from kgraph.cli.opening import open_catalog, open_for_reading
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import print_text, talk
from kgraph.errors import KgraphError, UsageError
from kgraph.index import EMPTY_SNAPSHOT, build_index, name_index
from kgraph.policy import ranking_v1
from kgraph.settings import Settings, read_settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

# As many as the system lets wait (Linux cuts it at its own limit) while the server is busy.
_BACKLOG = 2048
# Time for requests at work when the server is told to stop.
_SECONDS_TO_FINISH = 10
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
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    _prepare_index(settings)
    listener = _listen(settings.host, settings.port)
    address = _address(listener)
    if settings.workers == 1:
        _serve_here(settings, listener, address)
    else:
        _serve_in_processes(settings, listener, address)


def build_worker() -> Starlette:
    """The application of one of several server processes, from the environment it was given."""
    return _build_app(read_settings())


def _build_app(settings: Settings) -> Starlette:
    # What starting makes lives as long as the server: looking for garbage among it takes a tenth
    # of the start, and again a part of every later collection.
    gc.disable()
    try:
        # Where the process only starts others, or ends on a fault first, it does without.
        from kgraph.web import WebOptions, build_app  # noqa: PLC0415

        options = replace(
            WebOptions.from_settings(settings),
            cors_origins=settings.cors_origins,
            public_url=settings.public_url,
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
    """A server that prints its address when it listens."""

    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        _announce(self._address)


def _serve_here(settings: Settings, listener: socket.socket, address: str) -> None:
    config = uvicorn.Config(
        _build_app(settings),
        log_config=None,
        log_level=settings.log_level,
        access_log=settings.log_level in {"debug", "info"},
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    server = _AnnouncingServer(config, address)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        talk("kgraph: stopped")
    if not server.started:
        raise ServerStoppedError


def _serve_in_processes(settings: Settings, listener: socket.socket, address: str) -> None:
    # Each worker starts from nothing and reads its settings as this process did.
    os.environ["KGRAPH_STORE"] = settings.store
    # The port is open: until the first worker is ready, requests wait in its queue.
    _announce(address)
    uvicorn.run(
        _WORKER_APP,
        factory=True,
        fd=listener.fileno(),
        workers=settings.workers,
        log_config=None,
        log_level=settings.log_level,
        access_log=settings.log_level in {"debug", "info"},
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
