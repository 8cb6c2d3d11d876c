"""A command line with a store and a cache of the test's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from command import Command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kgraph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in an environment that names nothing but the test's own folders."""
    for name in [name for name in os.environ if name.startswith(("KGRAPH_", "XDG_", "AWS_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KGRAPH_STORE", str(tmp_path / "objects"))
    monkeypatch.setenv("KGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("KGRAPH_PUBLISHER", "tester")
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)
