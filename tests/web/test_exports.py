from __future__ import annotations

import asyncio
import io
import json
from typing import TYPE_CHECKING, Any

import httpx
import pyarrow.parquet as pq
import pytest
from asgi import BASE_URL, NOW, Client
from build import make_attestation
from export_sample import export, fill, ids_of, publish, read_back
from kernelindex_rows import FIRST_RUN_MANIFEST, spec_digest
from starlette.applications import Starlette

from kgraph.catalog import CatalogSource
from kgraph.exporters import PARQUET_TABLES
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import memory_store
from kgraph.web import WebOptions, build_app
from kgraph.web.exports import export_routes

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.store import ObjectStore

CATALOGUE = "/export/catalogue.jsonl.zst"


def open_source(store: ObjectStore, folder: Path) -> CatalogSource:
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


@pytest.fixture(scope="module")
def store() -> ObjectStore:
    return fill(memory_store())


@pytest.fixture(scope="module")
def source(store: ObjectStore, tmp_path_factory: pytest.TempPathFactory) -> CatalogSource:
    return open_source(store, tmp_path_factory.mktemp("index"))


@pytest.fixture
def client(source: CatalogSource, tmp_path: Path) -> Client:
    return Client(Starlette(routes=export_routes(source, tmp_path / "exports")))


@pytest.fixture
def growing(tmp_path: Path) -> tuple[ObjectStore, CatalogSource, Client]:
    """A catalogue of the test's own, which it may publish to."""
    store = fill(memory_store())
    source = open_source(store, tmp_path / "index")
    return store, source, Client(Starlette(routes=export_routes(source, tmp_path / "exports")))


def made(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "exports").rglob("*.*"))


def test_the_catalogue_is_what_the_command_writes(
    client: Client, store: ObjectStore, tmp_path: Path
) -> None:
    response = client.send("GET", CATALOGUE)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/zstd"
    assert response.content == export(store, tmp_path / "again", is_compressed=True)
    assert "content-encoding" not in response.headers
    batch = read_back(response.content, "catalogue.jsonl.zst")
    assert sorted(one.object_id for one in batch.manifests) == ids_of(store)


def test_it_is_a_download_named_by_its_snapshot(client: Client, source: CatalogSource) -> None:
    response = client.send("GET", CATALOGUE)

    snapshot = source.current().snapshot
    digits = snapshot.partition(":")[2][:8]
    assert response.headers["content-disposition"] == (
        f'attachment; filename="kgraph-{digits}-catalogue.jsonl.zst"'
    )
    assert response.headers["x-kgraph-snapshot"] == snapshot
    assert response.headers["etag"].startswith(f'"{digits}-')


@pytest.mark.parametrize("table", PARQUET_TABLES)
def test_every_table_is_served(client: Client, table: str) -> None:
    response = client.send("GET", f"/export/{table}.parquet")

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/vnd.apache.parquet"
    assert pq.read_table(io.BytesIO(response.content)).num_columns > 0


def test_the_dictionary_is_served(client: Client) -> None:
    dictionary = client.send("GET", "/export/dictionary.json").json()

    assert [table["table"] for table in dictionary["tables"]] == list(PARQUET_TABLES)


def test_a_client_that_has_the_file_is_told_so_and_nothing_is_made(
    client: Client, tmp_path: Path
) -> None:
    etag = client.send("GET", CATALOGUE).headers["etag"]
    for path in (tmp_path / "exports").rglob("*.zst"):
        path.unlink()

    for tag in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        response = client.send("GET", CATALOGUE, headers={"if-none-match": tag})
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["etag"] == etag
    assert made(tmp_path) == []
    assert client.send("GET", CATALOGUE, headers={"if-none-match": '"other"'}).status_code == 200


def test_head_says_what_get_would_send(client: Client) -> None:
    got = client.send("GET", CATALOGUE)

    headed = client.send("HEAD", CATALOGUE)

    assert headed.status_code == 200
    assert headed.content == b""
    for name in ("content-length", "etag", "content-type", "content-disposition"):
        assert headed.headers[name] == got.headers[name]


def test_a_broken_download_is_taken_up_again(client: Client) -> None:
    whole = client.send("GET", CATALOGUE)
    half = len(whole.content) // 2
    headers = {"range": f"bytes={half}-", "if-range": whole.headers["etag"]}

    rest = client.send("GET", CATALOGUE, headers=headers)

    assert rest.status_code == 206
    assert whole.content[:half] + rest.content == whole.content


def test_a_file_is_made_once_a_snapshot(client: Client, tmp_path: Path) -> None:
    client.send("GET", CATALOGUE)
    (path,) = (tmp_path / "exports").rglob("*.zst")
    path.write_bytes(b"kept")

    assert client.send("GET", CATALOGUE).content == b"kept"


def test_those_who_ask_at_once_get_the_same_file(source: CatalogSource, tmp_path: Path) -> None:
    app = Starlette(routes=export_routes(source, tmp_path / "exports"))

    async def ask_all() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            return await asyncio.gather(*(client.get(CATALOGUE) for _ in range(5)))

    responses = asyncio.run(ask_all())

    assert {response.status_code for response in responses} == {200}
    assert len({response.content for response in responses}) == 1
    assert made(tmp_path) == ["catalogue.jsonl.zst"]


def test_a_new_publication_gives_another_file_and_the_earlier_one_stays(
    growing: tuple[ObjectStore, CatalogSource, Client],
) -> None:
    store, source, client = growing
    before = client.send("GET", CATALOGUE)
    snapshot = source.current().snapshot
    publish(
        store, make_attestation(run=spec_digest(FIRST_RUN_MANIFEST), by="x"), day=9, packed=False
    )
    source.refresh()

    after = client.send("GET", CATALOGUE)
    earlier = client.send("GET", CATALOGUE, params={"snapshot": snapshot})

    assert after.headers["etag"] != before.headers["etag"]
    assert after.content != before.content
    assert earlier.content == before.content
    assert earlier.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert after.headers["cache-control"] == "no-cache"


def test_files_of_old_snapshots_are_let_go(
    growing: tuple[ObjectStore, CatalogSource, Client], tmp_path: Path
) -> None:
    store, source, client = growing
    for day in range(6):
        about = make_attestation(run=spec_digest(FIRST_RUN_MANIFEST), by=f"person {day}")
        publish(store, about, day=9 + day, packed=False)
        source.refresh()
        assert client.send("GET", "/export/sources.parquet").status_code == 200

    assert len(list((tmp_path / "exports").iterdir())) == 4


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/export/prices.parquet", 404, "NOT_FOUND"),
        ("/export/..%2fsecret", 404, None),
        ("/export/catalogue.jsonl", 404, "NOT_FOUND"),
        (f"{CATALOGUE}?snapshot=blake3:{'ab' * 32}", 404, "UNKNOWN_SNAPSHOT"),
        (f"{CATALOGUE}?snapshot=yesterday", 404, "BAD_DIGEST"),
    ],
)
def test_what_is_not_there_is_said_so(
    client: Client, path: str, status: int, code: str | None
) -> None:
    response = client.send("GET", path)

    assert response.status_code == status
    if code is not None:
        (error,) = response.json()["errors"]
        assert error["extensions"]["code"] == code


def test_a_damaged_store_is_an_error_and_leaves_no_file(
    store: ObjectStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # The index is whole and the objects are gone.
    open_source(store, tmp_path / "index")
    hollow = memory_store()
    for entry in Log(store).entries():
        hollow.blobs.create(f"log/{entry.sequence:08d}.json", entry.content)
    source = open_source(hollow, tmp_path / "index")
    client = Client(Starlette(routes=export_routes(source, tmp_path / "exports")))

    response = client.send("GET", CATALOGUE)

    assert response.status_code == 500
    assert response.json()["errors"][0]["extensions"]["code"] == "OBJECT_NOT_FOUND"
    assert made(tmp_path) == []
    assert "catalogue.jsonl.zst is not made" in caplog.text


def test_nothing_else_than_reading_is_answered(client: Client) -> None:
    assert client.send("POST", CATALOGUE).status_code == 405


def test_the_application_serves_exports_where_it_has_a_folder(
    source: CatalogSource, tmp_path: Path
) -> None:
    def status(**options: Any) -> int:  # noqa: ANN401 - options of the application
        app = build_app(source, options=WebOptions(**options), clock=lambda: NOW)
        return Client(app).send("GET", "/export/dictionary.json").status_code

    assert status(export_folder=tmp_path / "exports") == 200
    assert status() == 404
    written = next((tmp_path / "exports").rglob("dictionary.json"))
    assert json.loads(written.read_bytes())["snapshot"] == source.current().snapshot
