"""Stores of every backend, for the contract suites of store and log."""

from __future__ import annotations

import importlib.util
import secrets
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from kgraph.store import ObjectStore, S3Access, memory_store, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BACKENDS = ("memory", "folder", "s3")

# A server process that speaks S3. It takes one request at a time, since its check of a condition
# and its write are two steps: only so it guarantees what a bucket does.
_SERVER = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
server = make_server(
    "127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False
)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def serve_s3() -> Iterator[str]:
    """Endpoint of an S3 server with an empty bucket `kgraph`; skips the test where none can run."""
    for module in ("moto", "obstore"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: no S3 server to test against")
    with subprocess.Popen(  # noqa: S603 - runs this interpreter
        [sys.executable, "-W", "ignore", "-c", _SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            if not port:
                pytest.skip("the S3 server does not start")
            endpoint = f"http://127.0.0.1:{port}"
            request = urllib.request.Request(f"{endpoint}/kgraph", method="PUT")  # noqa: S310 - http
            with urllib.request.urlopen(request):  # noqa: S310 - http
                pass
            yield endpoint
        finally:
            process.kill()


def s3_access(endpoint: str) -> S3Access:
    """Access to `serve_s3`, which takes any key."""
    return S3Access(
        endpoint=endpoint,
        region="us-east-1",
        access_key_id="test",
        secret_access_key="test",  # noqa: S106 - the server checks none
    )


def make_opener(
    backend: str, tmp_path: Path, endpoint: Callable[[], str]
) -> Callable[[], ObjectStore]:
    """Opens the same store of `backend` anew at each call; in memory the blobs are shared."""
    if backend == "folder":
        return lambda: open_store(tmp_path / "objects", create=True)
    if backend == "s3":
        location = f"s3://kgraph/{secrets.token_hex(8)}/objects"
        access = s3_access(endpoint())
        return lambda: open_store(location, s3=access)
    blobs = memory_store().blobs
    return lambda: ObjectStore(blobs)
