"""The application that the browser tests look at, served on a port of its own.

`build_tested_app` is the one place that says which application that is.
"""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from strawberry.asgi import GraphQL

from kgraph.web.playground import playground_routes

if TYPE_CHECKING:
    from collections.abc import Iterator


@strawberry.type
class Counts:
    """How many of each kind the snapshot holds."""

    families: int = 1
    operations: int = 1
    workloads: int = 4
    implementations: int = 2
    runs: int = 16
    eligible_runs: int = 16
    cohorts: int = 8
    record_events: int = 8
    hardware: int = 1


@strawberry.type
class Policies:
    """The rule sets that the answers follow."""

    ranking: str = "ranking-v1"
    headroom: str = "headroom-v1"
    deployability: str = "deployability-v1"


@strawberry.type
class Source:
    """Where runs come from."""

    slug: str = "liger-kernel-bench"
    name: str = "Liger-Kernel benchmarks"
    license: str = "BSD-2-Clause"
    run_count: int = 16
    last_observed_at: str | None = None


@strawberry.type
class Catalog:
    """The whole catalogue."""

    snapshot: str = "blake3:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
    published_at: str = "2025-06-27T09:20:34Z"
    counts: Counts = strawberry.field(default_factory=Counts)
    policies: Policies = strawberry.field(default_factory=Policies)
    sources: list[Source] = strawberry.field(default_factory=lambda: [Source()])


@strawberry.type
class Query:
    """What can be asked."""

    @strawberry.field
    def catalog(self) -> Catalog:
        return Catalog()


def build_tested_app() -> Starlette:
    """The playground beside a schema that answers the catalogue example."""
    graphql: GraphQL[None, None] = GraphQL(strawberry.Schema(Query), graphql_ide=None)
    return Starlette(routes=[*playground_routes(), Route("/graphql", graphql)])


@contextmanager
def serve(app: Starlette) -> Iterator[str]:
    """Serve `app` from a thread on a free port of this machine; the origin, without a slash."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", ws="none", lifespan="auto")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            # The socket listens already: a request waits for the server, nothing has to poll.
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)
