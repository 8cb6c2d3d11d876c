"""`kgraph serve` with parts of it switched off, and with bytes that it sends as they are.

    python kgraph_server.py MODE STATIC serve [OPTIONS OF kgraph serve]

MODE is `cached` (as it is served to the public), `projector` (no answer is kept) or `stock`
(likewise, and graphql-core executes every field). STATIC is a file whose bytes are sent at
`/static` to whoever posts there: what the same process does when nothing is left but HTTP. At
`/static-headers` they are sent with as many headers as an answer has.
"""

from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

import kgraph.web
from kgraph.api import Engine
from kgraph.cli import main
from kgraph.web import app as web_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

MODES = ("cached", "projector", "stock")
STATIC_PATH = "/static"
HEADERS_PATH = "/static-headers"

# As long as those of an answer; the server checks and writes each of them.
_HEADERS = {
    "vary": "Accept, Accept-Encoding, Kgraph-Snapshot",
    "kgraph-snapshot": f"blake3:{'0' * 64}",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
    "etag": f'"{"0" * 40}"',
    "x-request-id": "0" * 32,
}


def change_execution(mode: str) -> None:
    """Make this process execute as a mode does."""
    if mode == "cached":
        return
    if "projector" not in inspect.signature(Engine).parameters:
        sys.exit(f"kgraph_server: the engine has no projector to switch; {mode} is not to be had")
    # The name under which the application looks up what it makes.
    engine = functools.partial(Engine, projector=mode == "projector")
    setattr(web_app, "Engine", engine)  # noqa: B010 - types would refuse an assignment


class StaticBytes:
    """Sends the same bytes to whoever posts to one path; outside all that the application does."""

    def __init__(
        self, app: ASGIApp, *, content: bytes, path: str, headers: dict[str, str] | None = None
    ) -> None:
        self._app, self._content, self._path, self._headers = app, content, path, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        # A server has to take in what it is asked before it can answer.
        while (await receive()).get("more_body"):
            pass
        response = Response(self._content, media_type="application/json", headers=self._headers)
        await response(scope, receive, send)


def change_app(
    build: Callable[..., Starlette], mode: str, static: bytes
) -> Callable[..., Starlette]:
    """`build_app`, with what a mode switches off, and with the static bytes."""

    def build_app(*args: Any, options: kgraph.web.WebOptions, **kwargs: Any) -> Starlette:  # noqa: ANN401 - whatever the command passes
        if mode != "cached":
            options = replace(options, answer_cache_bytes=0)
        app = build(*args, options=options, **kwargs)
        app.add_middleware(StaticBytes, content=static, path=HEADERS_PATH, headers=_HEADERS)
        app.add_middleware(StaticBytes, content=static, path=STATIC_PATH)
        return app

    return build_app


if __name__ == "__main__":
    chosen, file, *arguments = sys.argv[1:]
    if chosen not in MODES:
        sys.exit(f"kgraph_server: found mode {chosen}, expected one of {', '.join(MODES)}")
    change_execution(chosen)
    kgraph.web.build_app = change_app(kgraph.web.build_app, chosen, Path(file).read_bytes())
    main(arguments)
