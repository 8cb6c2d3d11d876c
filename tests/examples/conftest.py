"""A server of the starter catalogue, and where the examples lie."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from live_server import serve_starter

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parents[1]
# The catalogue of hard cases that the tests of pages are made with.
sys.path.append(str(TESTS / "web" / "pages"))
sys.path.append(str(TESTS / "web"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server of the starter catalogue."""
    with serve_starter(tmp_path_factory.getbasetemp() / "starter-index") as address:
        yield address
