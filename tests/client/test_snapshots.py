from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import httpx
import pytest

from kgraph.catalog import CatalogSource
from kgraph.client import AsyncClient, Client, KgraphClientError
from kgraph.log import Draft, Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.importers import ImportBatch

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def test_a_pinned_client_names_its_snapshot_and_gets_it(client: Client) -> None:
    pinned = client.pinned()

    assert pinned.snapshot == client.catalog().snapshot == pinned.catalog().snapshot
    assert pinned.runs(limit=2).table() == pinned.runs(limit=2).table()


def test_an_unknown_snapshot_is_refused(client: Client) -> None:
    with pytest.raises(KgraphClientError) as caught:
        client.at("blake3:" + "0" * 64).catalog()

    assert caught.value.code == "UNKNOWN_SNAPSHOT"
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "as_of",
    [
        date(2000, 1, 1),
        datetime(2000, 1, 1),  # noqa: DTZ001 - without a zone, as people write it
        datetime(2000, 1, 1, tzinfo=UTC),
    ],
)
def test_before_the_first_publication_there_is_no_snapshot(server: str, as_of: date) -> None:
    with Client(server, as_of=as_of) as client, pytest.raises(KgraphClientError) as caught:
        client.catalog()

    assert caught.value.code == "UNKNOWN_SNAPSHOT"


def test_after_the_last_publication_all_is_there(server: str, client: Client) -> None:
    published_at = client.catalog().published_at
    assert published_at is not None

    with Client(server, as_of=published_at + timedelta(seconds=1)) as later:
        assert later.catalog().snapshot == client.catalog().snapshot
        assert len(later.runs(page_size=2, limit=5).table()) == 5


def test_closing_a_pinned_client_leaves_the_connections_open(client: Client) -> None:
    client.pinned().close()

    assert client.catalog().counts.runs > 0


def test_a_publication_in_the_middle_of_a_walk_shifts_no_row(
    liger_batch: ImportBatch, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "objects", create=True)
    log = Log(store)
    source = CatalogSource(log, store, ranking_v1, folder=tmp_path / "cache", clock=lambda: NOW)
    manifests = [item.content for item in liger_batch.manifests]

    def publish(contents: list[bytes], at: datetime) -> None:
        ids = tuple(store.put_many(contents))
        draft = Draft(at, "tests", objects=ids, source=liger_batch.source)
        log.append(lambda _: draft)
        source.refresh()

    async def walk() -> tuple[list[str], list[str], set[str]]:
        app = build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
        transport = httpx.ASGITransport(app)
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://kgraph.test") as http,
            AsyncClient("http://kgraph.test", http=http) as client,
        ):
            before = [run.digest async for run in client.runs()]
            seen, snapshots = [], set()
            async for page in client.runs(page_size=3).pages():
                seen += [run.digest for run in page.items]
                snapshots.add(page.snapshot)
                if len(seen) == 3:
                    publish(manifests[-1:], NOW)
            assert (await client.catalog()).snapshot not in snapshots
        return before, seen, snapshots

    publish(manifests, NOW - timedelta(days=1))
    before, seen, snapshots = asyncio.run(walk())

    assert len(before) > 6
    assert seen == before
    assert len(snapshots) == 1
