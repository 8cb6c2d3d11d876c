"""The starter catalogue, indexed once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from small import Small

from kgraph.catalog import Catalog, CatalogSource
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store

STARTER = Path(__file__).resolve().parents[2] / "objects"
NOW = datetime(2026, 9, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The catalogue that ships with the program, asked at `NOW`."""
    store = open_store(STARTER)
    folder = tmp_path_factory.mktemp("starter")
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW).current()


@pytest.fixture
def small() -> Small:
    """A catalogue to be made by the test."""
    return Small()
