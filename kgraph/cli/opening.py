"""From settings to the open parts that a command works on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kgraph.log import Log
from kgraph.store import ObjectStore, StoreNotFoundError, memory_store, open_store

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource
    from kgraph.settings import Settings


def open_for_reading(settings: Settings) -> tuple[ObjectStore, Log]:
    """The store and its log.

    Raises:
        StoreNotFoundError: there is none.
    """
    store = open_store(settings.store, s3=settings.s3)
    return store, Log(store)


def open_for_writing(settings: Settings, *, is_dry_run: bool) -> tuple[ObjectStore, Log]:
    """The store to publish to and its log, made where it is missing.

    The starter catalogue of an installed package is never written: the user's own store begins as
    a copy of it. A dry run makes nothing; where there is no store it works on an empty one.
    """
    if is_dry_run:
        try:
            return open_for_reading(settings)
        except StoreNotFoundError:
            store = memory_store()
    elif settings.is_starter:
        # Only publishing to a starter needs it.
        from kgraph.ingest import begin_own_store  # noqa: PLC0415

        store = begin_own_store(Path(settings.store), settings.own_store)
    else:
        store = open_store(settings.store, create=True, s3=settings.s3)
    return store, Log(store)


def open_catalog(settings: Settings) -> CatalogSource:
    """The catalogue of a store, its index built or carried forward first where that is needed."""
    # Both bring the database along, which most commands do without.
    from kgraph.catalog import CatalogSource  # noqa: PLC0415
    from kgraph.policy import ranking_v1  # noqa: PLC0415

    store, log = open_for_reading(settings)
    return CatalogSource(
        log, store, ranking_v1, folder=settings.index_folder, clock=lambda: datetime.now(UTC)
    )
