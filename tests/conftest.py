"""Options and fixtures that tests of two rooms or more use."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import zstandard
from hypothesis import settings
from places import LIGER_CSV, PUBLIC_EXPORT

from kgraph.catalog import Catalog, CatalogSource
from kgraph.importers import ImportBatch, import_kernelindex, import_liger
from kgraph.ingest import publish_batch
from kgraph.log import Draft, Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# No deadline: a busy machine is no failure. `pytest --hypothesis-profile=deep` looks further.
settings.register_profile("dev", max_examples=50, derandomize=True, deadline=None)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile("dev")

NOW = datetime(2026, 9, 1, tzinfo=UTC)
"""The time at which tests ask."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite golden files instead of comparing"
    )
    parser.addoption(
        "--release-schema", action="store_true", help="take the schema for that of a release"
    )


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[Path, bytes], None]:
    """Compare content with a golden file; with `--update-golden`, write it there instead."""

    def check(path: Path, content: bytes) -> None:
        if request.config.getoption("--update-golden"):
            path.write_bytes(content)
        assert path.read_bytes() == content, f"{path.name} differs; run pytest --update-golden"

    return check


@pytest.fixture(scope="session")
def liger_batch() -> ImportBatch:
    """What the importer makes of the small Liger fixture."""
    return import_liger([(LIGER_CSV.name, LIGER_CSV.read_bytes())])


@pytest.fixture(scope="session")
def public_rows() -> list[dict[str, Any]]:
    """Every line of the public export, as it is written."""
    if not PUBLIC_EXPORT.exists():
        pytest.skip("the public export is not here")
    with (
        PUBLIC_EXPORT.open("rb") as stream,
        zstandard.ZstdDecompressor().stream_reader(stream) as text,
    ):
        return [orjson.loads(line) for line in text.read().splitlines()]


@pytest.fixture(scope="session")
def public_batch() -> ImportBatch:
    """What the importer makes of the public export; imported once for all tests that look at it."""
    if not PUBLIC_EXPORT.exists():
        pytest.skip("the public export is not here")
    with PUBLIC_EXPORT.open("rb") as stream:
        return import_kernelindex(stream, name=PUBLIC_EXPORT.name)


@pytest.fixture(scope="session")
def public_store(public_batch: ImportBatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a store lies that holds the public export alone."""
    path = tmp_path_factory.mktemp("public") / "objects"
    store = open_store(path, create=True)
    publish_batch(store, Log(store), public_batch, published_by="tests", published_at=NOW)
    return path


@pytest.fixture(scope="session")
def public_source(public_store: Path) -> CatalogSource:
    """The catalogue of `public_store`, asked at `NOW`."""
    store = open_store(public_store)
    folder = public_store.parent / "cache"
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


@pytest.fixture(scope="session")
def public_catalog(public_source: CatalogSource) -> Catalog:
    """The newest snapshot of `public_source`."""
    return public_source.current()


@pytest.fixture(scope="session")
def catalog_source(
    liger_batch: ImportBatch, tmp_path_factory: pytest.TempPathFactory
) -> CatalogSource:
    """A catalogue on disk that holds the small Liger fixture, asked at `NOW`."""
    folder = tmp_path_factory.mktemp("catalogue")
    store = open_store(folder / "objects", create=True)
    log = Log(store)
    ids = store.put_many([item.content for item in liger_batch.manifests])
    draft = Draft(NOW, "tests", objects=tuple(ids), source=liger_batch.source)
    log.append(lambda _: draft)
    return CatalogSource(log, store, ranking_v1, folder=folder / "cache", clock=lambda: NOW)


@pytest.fixture(scope="session")
def built_catalog(catalog_source: CatalogSource) -> Catalog:
    """The newest snapshot of `catalog_source`."""
    return catalog_source.current()
