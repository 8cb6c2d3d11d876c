"""The commands of the README that serve pages, run as people run them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from page_catalogs import NOW, hostile
from playground_app import serve

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Served:
    """A page and the server that it reads from."""

    address: str
    """Of the page, with the server in it."""
    server: str
    """Without a slash at the end."""

    def reading(self, server: str) -> str:
        """Address of the same page that reads from another server."""
        return f"{self.address.split('?')[0]}?server={server}"


@contextmanager
def serve_page(folder: str, cache: Path, *options: str) -> Iterator[Served]:
    """Run `examples/serve.py` on free ports.

    Args:
        cache: where the server it starts builds its index, or finds it.
    """
    environment = {
        **os.environ,
        "KGRAPH_CACHE": str(cache),
        "KGRAPH_STORE": str(ROOT / "objects"),
    }
    command = [sys.executable, str(ROOT / "examples" / "serve.py"), folder]
    with subprocess.Popen(  # noqa: S603 - ours
        [*command, "--port", "0", "--kgraph-port", "0", *options],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the command ended before it said where the page is"
            yield Served(address, parse_qs(urlsplit(address).query)["server"][0])
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                # Else it would be waited for until it ends by itself.
                process.kill()
                raise
    assert process.returncode == 0


@contextmanager
def serve_hard_cases() -> Iterator[str]:
    """Origin of a server of hard cases, which every page may read, and which trusts no document."""
    options = WebOptions(refresh_seconds=0, cors_origins=("*",))
    with serve(build_app(hostile().source, options=options, clock=lambda: NOW)) as origin:
        yield origin
