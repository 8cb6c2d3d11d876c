"""What a client is told of a damaged store: which object, and never which file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client

from kgraph.catalog import CatalogSource
from kgraph.log import Draft, Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.vocab import Slug
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.importers import ImportBatch


@pytest.fixture
def source(liger_batch: ImportBatch, tmp_path: Path) -> CatalogSource:
    """A catalogue on disk, made for one test alone."""
    store = open_store(tmp_path / "objects", create=True)
    log = Log(store)
    ids = store.put_many([item.content for item in liger_batch.manifests])
    log.append(lambda _: Draft(NOW, "tests", objects=tuple(ids), source=liger_batch.source))
    return CatalogSource(log, store, ranking_v1, folder=tmp_path / "cache", clock=lambda: NOW)


@pytest.fixture
def client(source: CatalogSource) -> Client:
    return Client(
        build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW), raises=False
    )


def find_run(client: Client, folder: Path) -> tuple[str, Path]:
    """The object id of a run, and the file that holds it."""
    node = client.data("{ runs(first: 1) { nodes { objectId } } }")["runs"]["nodes"][0]
    name: str = node["objectId"]
    digits = name.partition(":")[2]
    (path,) = (
        path
        for path in (folder / "objects" / "loose").rglob("*")
        if path.is_file() and digits in "".join(path.parts[-3:])
    )
    return name, path


MANIFEST = "query ($ref: String!) { run(ref: $ref) { manifest labels { name } } }"


@pytest.mark.parametrize("how", ["lost", "changed"])
def test_a_damaged_object_is_named_and_its_file_is_not(
    client: Client, tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    name, path = find_run(client, tmp_path)
    path.chmod(0o644)
    if how == "lost":
        path.unlink()
    else:
        path.write_bytes(b"{}")

    answer = client.send("POST", "/graphql", json={"query": MANIFEST, "variables": {"ref": name}})
    object_answer = client.send("GET", f"/objects/{name}")

    code = "OBJECT_NOT_FOUND" if how == "lost" else "OBJECT_CORRUPT"
    for response in (answer, object_answer):
        (error, *_) = response.json()["errors"]
        assert error["extensions"]["code"] == code
        assert error["message"].startswith(f"object {name}: ")
        assert "log says more" in error["message"]
        assert str(tmp_path) not in response.text
        assert "loose" not in response.text
    assert object_answer.status_code == 500
    # Who runs the server reads where.
    assert str(tmp_path) in caplog.text


def test_a_snapshot_that_cannot_be_opened_is_our_fault_and_names_no_file(
    source: CatalogSource, client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Nothing is open at the earlier one yet, and its index must be made of objects that are gone.
    first = source.current().snapshot
    store = open_store(tmp_path / "objects")
    Log(store).append(lambda _: Draft(NOW, "tests", source=Slug("liger-kernel-bench")))
    later = CatalogSource(
        Log(store), store, ranking_v1, folder=tmp_path / "other", clock=lambda: NOW
    )
    _, path = find_run(client, tmp_path)
    path.unlink()
    app = build_app(later, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
    asked = Client(app, raises=False)

    response = asked.send(
        "GET", "/graphql", params={"query": "{ runs { totalCount } }", "snapshot": first}
    )

    assert response.status_code == 500
    assert response.json()["errors"][0]["extensions"] == {"code": "OBJECT_NOT_FOUND"}
    assert str(tmp_path) not in response.text
    assert "OBJECT" in response.text
    assert "holds no object" in caplog.text
