"""GraphQL over HTTP, as npm `graphql-http` audits it, against the real server on loopback."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import uvicorn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.applications import Starlette

AUDITS = Path(__file__).parent / "audits"
NODE = shutil.which("node")


@pytest.fixture
def server(app: Starlette) -> Iterator[str]:
    """Address of the application behind a real server."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.skipif(
    not (AUDITS / "node_modules" / "graphql-http").is_dir(),
    reason="the audits are not installed; run `npm ci` in tests/web/audits",
)
def test_every_audit_of_graphql_over_http_passes(server: str) -> None:
    ran = subprocess.run(  # noqa: S603 - our own script
        [str(NODE), "run.mjs", f"{server}/graphql"],
        cwd=AUDITS,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )

    audits = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [audit for audit in audits if audit["status"] != "ok"] == []
    assert len(audits) == 61


def test_a_real_server_starts_answers_and_stops(server: str) -> None:
    # The start includes the tasks of the application's lifespan, which the ASGI client leaves out.

    answer = httpx.post(f"{server}/graphql", json={"query": "{ catalog { snapshot } }"})

    assert answer.status_code == 200
    assert answer.json()["data"]["catalog"]["snapshot"] == answer.headers["kgraph-snapshot"]
