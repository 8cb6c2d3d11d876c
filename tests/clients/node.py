"""The pinned Node tools of `package.json`, installed when they are first needed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from node_packages import require_packages

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"


def require_tools() -> Path:
    """The folder of the installed packages.

    Where there is no Node, or its packages cannot be fetched, the test is skipped; with
    KGRAPH_REQUIRE_CLIENTS=1 it fails.
    """
    return require_packages(HERE)


def run(
    command: list[str], folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A finished program that ended well.

    Raises:
        subprocess.CalledProcessError: it did not.
    """
    return subprocess.run(  # noqa: S603 - ours
        command,
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", **(environment or {})},
    )


def tool(name: str) -> str:
    """Path of a program that a package brings."""
    return str(MODULES / ".bin" / name)
