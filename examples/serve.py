"""Serves a folder of web pages, and a kgraph server that they may read from.

    python examples/serve.py static
    python examples/serve.py react
    python examples/serve.py static --server https://kgraph.example.org

A folder with a `package.json` is built first (`npm ci`, `npm run build`) and its `dist` is served.
A folder with `documents` gives the server its trusted documents. With `--server`, no server is
started; that one must then let pages of other origins read (`KGRAPH_CORS_ORIGINS`).
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
HOST = "127.0.0.1"
_PROGRAM = "from kgraph.cli import main; main()"


@contextlib.contextmanager
def start_kgraph(port: int = 0, **settings: str) -> Iterator[str]:
    """Address of a kgraph server of its own, without a slash at the end.

    Args:
        port: where it listens; 0 for any that is free.
        settings: variables of kgraph's environment, as `KGRAPH_STORE`.
    """
    command = [sys.executable, "-c", _PROGRAM, "serve", "--host", HOST, "--port", str(port)]
    # Talk goes to a file: a pipe that nobody empties would in the end hold the server up.
    with (
        tempfile.TemporaryFile("w+") as talk,
        subprocess.Popen(
            command, env=os.environ | settings, stdout=subprocess.PIPE, stderr=talk, text=True
        ) as process,
    ):
        try:
            # The address comes once it listens; an empty line says that it ended instead.
            line = process.stdout.readline() if process.stdout else ""
            found = re.match(r"(https?://[^/\s]+)", line)
            if found is None:
                talk.seek(0)
                sys.exit(f"kgraph did not start: {talk.read().strip()}")
            yield found[1]
        finally:
            process.terminate()


class Pages(http.server.SimpleHTTPRequestHandler):
    """Sends the files of one folder, and asks browsers to look again each time."""

    extensions_map = {  # noqa: RUF012 - as the base class has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".graphql": "application/graphql; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
    }

    def end_headers(self) -> None:
        """Add what every answer says."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing of requests that went well."""


def build(folder: Path) -> Path:
    """The folder to serve, made first where its packages say how."""
    if not (folder / "package.json").exists():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(f"{folder.name} is built with npm, which is not on the path: install Node.js")
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    steps = [["run", "build"]]
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        steps.insert(0, ["ci", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"])
    for step in steps:
        # Only the last line of our own talk goes to stdout: the address.
        done = subprocess.run([npm, *step], cwd=folder, check=False, stdout=sys.stderr)
        if done.returncode:
            sys.exit(f"npm {' '.join(step)} failed in {folder}")
    return folder / "dist"


def main() -> None:
    """Serve until interrupted; the page's address goes to stdout once it can be opened."""
    parser = argparse.ArgumentParser(description="Serve an example page and the data it reads.")
    parser.add_argument("page", help="folder of the page: static, react, or a path")
    parser.add_argument("--port", type=int, default=8080, help="of the page; 0 picks a free one")
    parser.add_argument(
        "--kgraph-port", type=int, default=8000, help="of the server started for it"
    )
    parser.add_argument("--server", help="address of a running server to read from instead")
    given = parser.parse_args()
    folder = next((path for path in (HERE / given.page, Path(given.page)) if path.is_dir()), None)
    if folder is None:
        parser.error(f"there is no folder {given.page}")

    root = build(folder)
    pages = http.server.ThreadingHTTPServer(
        (HOST, given.port), functools.partial(Pages, directory=str(root))
    )
    port = pages.server_address[1]
    settings = {"KGRAPH_CORS_ORIGINS": f"http://{HOST}:{port} http://localhost:{port}"}
    if (folder / "documents").is_dir():
        settings["KGRAPH_DOCUMENTS"] = str(folder / "documents")
    with contextlib.ExitStack() as stack:
        stack.enter_context(pages)
        server = given.server or stack.enter_context(start_kgraph(given.kgraph_port, **settings))
        print(f"http://{HOST}:{port}/?server={quote(server, safe=':/')}", flush=True)
        # Also where a shell started this in the background, which then ignores interruptions.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            pages.serve_forever()


if __name__ == "__main__":
    main()
