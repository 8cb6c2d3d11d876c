"""A catalogue with something of everything: several publications, corrections, amendments."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from build import (
    changed,
    make_attestation,
    make_correction,
    make_environment,
    make_listing,
    make_protocol,
)
from kernelindex_rows import (
    FIRST_RUN_MANIFEST,
    OPERATION_MANIFEST,
    SECOND_RUN_MANIFEST,
    SUITE_RUN_MANIFEST,
    encode,
    small_export,
    spec_digest,
)

from kgraph.catalog import CatalogSource
from kgraph.exporters import export_catalogue
from kgraph.importers import import_kernelindex
from kgraph.ingest import publish_batch, publish_manifests
from kgraph.log import Log
from kgraph.manifest import identify_value
from kgraph.policy import ranking_v1
from kgraph.store import memory_store

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.catalog import Catalog
    from kgraph.digest import ObjectId
    from kgraph.importers import ImportBatch
    from kgraph.store import ObjectStore

START = datetime(2026, 3, 4, 5, 6, 7, 890_000, tzinfo=UTC)
Json = dict[str, Any]


def publish(store: ObjectStore, *values: Json, day: int, packed: bool, **named: Any) -> None:  # noqa: ANN401 - passed on
    """One publication of hand-written manifests, `day` days after the first."""
    publish_manifests(
        store,
        Log(store),
        [identify_value(value, where="test") for value in values],
        published_by="a person",
        published_at=START + timedelta(days=day),
        packed=packed,
        **named,
    )


def fill(store: ObjectStore, *liger: ImportBatch, packed: bool = False) -> ObjectStore:
    """The store with five publications in it, and with those of `liger` behind them."""
    rows = small_export()
    batch = import_kernelindex(io.BytesIO(encode(rows)), name="catalog.jsonl")
    publish_batch(
        store,
        Log(store),
        batch,
        published_by="tester",
        published_at=START,
        message="行の和 · first",
        packed=packed,
    )
    amended = changed(OPERATION_MANIFEST, {"metadata.title": "Σ of a row, amended"})
    again = changed(OPERATION_MANIFEST, {"metadata.title": "Sums each row, amended twice"})
    publish(store, amended, day=1, packed=packed)
    publish(store, again, day=2, packed=packed, message="amended twice")
    about = {
        "subject": spec_digest(OPERATION_MANIFEST),
        "slug": "row-sum-renamed",
        "aliases": ["a"],
    }
    corrections = [
        make_correction(
            run=spec_digest(SECOND_RUN_MANIFEST),
            reason="The clock was wrong.",
            at="2026-07-01T00:00:00Z",
        ),
        make_correction(
            run=spec_digest(SUITE_RUN_MANIFEST),
            action="supersede",
            replacement=spec_digest(FIRST_RUN_MANIFEST),
        ),
    ]
    publish(
        store,
        make_listing(about),
        *corrections,
        make_attestation(run=spec_digest(FIRST_RUN_MANIFEST)),
        day=3,
        packed=packed,
    )
    # Nothing cites these.
    publish(
        store,
        make_protocol(harness={"name": "lonely"}),
        make_environment(settings={"clocksLocked": True}),
        day=4,
        packed=packed,
        source="by-hand",
    )
    for one in liger:
        publish_batch(
            store,
            Log(store),
            one,
            published_by="tester",
            published_at=START + timedelta(days=5),
            packed=packed,
        )
    return store


def open_catalog(store: ObjectStore, folder: Path) -> Catalog:
    """The newest snapshot of a store."""
    source = CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: START)
    return source.current()


def export(store: ObjectStore, folder: Path, *, is_compressed: bool = False) -> bytes:
    """What an export of the store writes."""
    stream = io.BytesIO()
    export_catalogue(open_catalog(store, folder), stream, is_compressed=is_compressed)
    return stream.getvalue()


def read_back(content: bytes, name: str = "export.jsonl") -> ImportBatch:
    """What the importer makes of an export."""
    return import_kernelindex(io.BytesIO(content), name=name)


def restore(content: bytes) -> ObjectStore:
    """A new store that holds what an export says."""
    store = memory_store()
    batch = read_back(content)
    assert batch.refused == ()
    publish_batch(store, Log(store), batch, published_by="another", published_at=START)
    return store


def ids_of(store: ObjectStore) -> list[ObjectId]:
    """Everything that the log of a store cites."""
    log = Log(store)
    return sorted(one for entry in log.entries() for one in log.object_ids(entry))
