"""Pinned Node packages of a folder, installed when they are first needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from pathlib import Path


def require_packages(folder: Path) -> Path:
    """The `node_modules` of a folder with a lock file.

    Where there is no Node, or its packages cannot be fetched, the test is skipped; with
    KGRAPH_REQUIRE_CLIENTS=1 it fails.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        give_up("node and npm are not on the path")
    modules = folder / "node_modules"
    lock = (folder / "package-lock.json").read_text(encoding="utf-8")
    # Beside the modules that it speaks of, so that it goes when they go.
    stamp = modules / ".installed-from"
    # Tests may run in several processes.
    with FileLock(folder / ".installing.lock"):
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
            options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
            done = run_program(["npm", "ci", *options], folder)
            if done.returncode:
                give_up(f"npm ci: {done.stderr.strip()[-300:]}")
            stamp.write_text(lock, encoding="utf-8")
    return modules


def run_program(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A finished program, however it ended."""
    return subprocess.run(  # noqa: S603 - ours
        command,
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )


def give_up(reason: str) -> None:
    """Skip the test, or fail it where the clients must be checked."""
    if os.environ.get("KGRAPH_REQUIRE_CLIENTS") == "1":
        pytest.fail(f"KGRAPH_REQUIRE_CLIENTS is set, but {reason}")
    pytest.skip(reason)
