"""The starter catalogue behind a real server process, for tests that speak HTTP to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OBJECTS = Path(__file__).resolve().parents[1] / "objects"

_PROGRAM = "from kgraph.cli import main; main()"


@contextmanager
def serve_starter(cache: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve `objects/` on a free port of this machine; its address, without a slash at the end.

    Args:
        cache: where the index is built, or found from an earlier call.
        settings: further variables of its environment.
    """
    environment = {
        **os.environ,
        "KGRAPH_CACHE": str(cache),
        "KGRAPH_LOG_LEVEL": "warning",
        **(settings or {}),
    }
    command = [sys.executable, "-c", _PROGRAM, "serve", "--port", "0", "--store", str(OBJECTS)]
    # A pipe that nobody empties would in the end hold the server up.
    with (
        tempfile.TemporaryFile("w+") as talk,
        subprocess.Popen(  # noqa: S603 - ours
            command, env=environment, stdout=subprocess.PIPE, stderr=talk, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            # The address comes once it listens; an empty line says that it ended instead.
            found = re.match(r"(https?://[^/\s]+)", process.stdout.readline())
            if found is None:
                process.kill()
                talk.seek(0)
                raise AssertionError(talk.read())
            yield found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()
