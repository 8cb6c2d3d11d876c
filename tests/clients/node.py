"""The pinned Node tools of `package.json`, installed when they are first needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"

_LOCK = HERE / "package-lock.json"
# Beside the modules that it speaks of, so that it goes when they go.
_STAMP = MODULES / ".installed-from"


def require_tools() -> Path:
    """The folder of the installed packages.

    Where there is no Node, or its packages cannot be fetched, the test is skipped; with
    KGRAPH_REQUIRE_CLIENTS=1 it fails.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        give_up("node and npm are not on the path")
    lock = _LOCK.read_text(encoding="utf-8")
    if not _STAMP.exists() or _STAMP.read_text(encoding="utf-8") != lock:
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
        try:
            run(["npm", "ci", *options], HERE)
        except subprocess.CalledProcessError as error:
            give_up(f"npm ci: {error.stderr.strip()[-300:]}")
        _STAMP.write_text(lock, encoding="utf-8")
    return MODULES


def give_up(reason: str) -> None:
    """Skip the test, or fail it where the clients must be checked."""
    if os.environ.get("KGRAPH_REQUIRE_CLIENTS") == "1":
        pytest.fail(f"KGRAPH_REQUIRE_CLIENTS is set, but {reason}")
    pytest.skip(reason)


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
