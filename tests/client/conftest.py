"""The starter catalogue behind a server, and a client of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from live_server import serve_starter

from kgraph.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server of the starter catalogue."""
    with serve_starter(tmp_path_factory.getbasetemp() / "starter-index") as address:
        yield address


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[Client]:
    """A client of it."""
    with Client(server) as client:
        yield client
