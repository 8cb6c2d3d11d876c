"""`kgraph serve` with parts of it switched off, and with bytes that it sends as they are.

    python kgraph_server.py MODE STATIC serve [OPTIONS OF kgraph serve]

MODE is `cached` (as it is served to the public), `projector` (no answer is kept) or `stock`
(likewise, and graphql-core executes every field). STATIC is a file whose bytes are sent at
`/static` to whoever posts there: what the same process does when nothing is left but HTTP.
"""

from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

import kgraph.web
from kgraph.api import Engine
from kgraph.cli import main
from kgraph.web import app as web_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette
    from starlette.requests import Request

MODES = ("cached", "projector", "stock")


def change_execution(mode: str) -> None:
    """Make this process execute as a mode does."""
    if mode == "cached":
        return
    if "projector" not in inspect.signature(Engine).parameters:
        sys.exit(f"kgraph_server: the engine has no projector to switch; {mode} is not to be had")
    # The name under which the application looks up what it makes.
    engine = functools.partial(Engine, projector=mode == "projector")
    setattr(web_app, "Engine", engine)  # noqa: B010 - types would refuse an assignment


def change_app(
    build: Callable[..., Starlette], mode: str, static: bytes
) -> Callable[..., Starlette]:
    """`build_app`, with what a mode switches off, and with the static bytes."""

    async def send_static(request: Request) -> Response:
        # A server has to take in what it is asked before it can answer.
        await request.body()
        return Response(static, media_type="application/json")

    def build_app(*args: Any, options: kgraph.web.WebOptions, **kwargs: Any) -> Starlette:  # noqa: ANN401 - whatever the command passes
        if mode != "cached":
            options = replace(options, answer_cache_bytes=0)
        app = build(*args, options=options, **kwargs)
        app.router.routes.insert(0, Route("/static", send_static, methods=["POST"]))
        return app

    return build_app


if __name__ == "__main__":
    chosen, file, *arguments = sys.argv[1:]
    if chosen not in MODES:
        sys.exit(f"kgraph_server: found mode {chosen}, expected one of {', '.join(MODES)}")
    change_execution(chosen)
    kgraph.web.build_app = change_app(kgraph.web.build_app, chosen, Path(file).read_bytes())
    main(arguments)
