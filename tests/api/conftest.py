"""The application over the small Liger catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client

from kgraph.log import Draft, Log
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource
    from kgraph.importers import ImportBatch
    from kgraph.store import ReadStore


@pytest.fixture(scope="session")
def catalogue(
    liger_batch: ImportBatch, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Log, ReadStore]:
    """The log and store of the small Liger fixture, for tests that open sources of their own."""
    store = open_store(tmp_path_factory.mktemp("api") / "objects", create=True)
    log = Log(store)
    ids = store.put_many([item.content for item in liger_batch.manifests])
    draft = Draft(NOW, "tests", objects=tuple(ids), source=liger_batch.source)
    log.append(lambda _: draft)
    return log, store


@pytest.fixture(scope="session")
def client(catalog_source: CatalogSource) -> Client:
    """A client of the application at `NOW`, without an answer cache: each request is executed."""
    options = WebOptions(answer_cache_bytes=0)
    return Client(build_app(catalog_source, options=options, clock=lambda: NOW))
