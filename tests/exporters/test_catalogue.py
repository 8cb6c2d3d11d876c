from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from build import make_attestation
from export_sample import START, export, fill, ids_of, open_catalog, publish, read_back, restore
from kernelindex_rows import (
    FIRST_RUN_MANIFEST,
    OPERATION_MANIFEST,
    SECOND_RUN_MANIFEST,
    encode,
    small_export,
    spec_digest,
)

from kgraph.exporters import export_catalogue
from kgraph.importers import RefusalCause
from kgraph.ingest import publish_batch, verify_store
from kgraph.log import Log
from kgraph.store import ObjectNotFoundError, memory_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgraph.importers import ImportBatch

Row = dict[str, Any]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return export(fill(memory_store()), tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def tables(content: bytes) -> dict[str, list[Row]]:
    return by_table(content)


def by_table(content: bytes) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for line in content.splitlines():
        item = json.loads(line)
        assert item.keys() == {"table", "row"}
        found[item["table"]].append(item["row"])
    return found


# --- what is written ------------------------------------------------------------------------------


def test_one_snapshot_gives_the_same_bytes(content: bytes, tmp_path: Path) -> None:
    assert export(fill(memory_store()), tmp_path / "loose") == content
    assert export(fill(memory_store(), packed=True), tmp_path / "packed") == content


def test_compressed_export_holds_the_same_lines(content: bytes, tmp_path: Path) -> None:
    packed = export(fill(memory_store()), tmp_path, is_compressed=True)

    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed) == content
    assert export(fill(memory_store()), tmp_path, is_compressed=True) == packed


def test_every_row_has_an_id_that_no_other_has(tables: dict[str, list[Row]]) -> None:
    ids = Counter(row["id"] for rows in tables.values() for row in rows if "id" in row)
    assert ids.total() == len(ids) > 0
    assert all(name[14] == "8" and name[19] in "89ab" for name in ids)


def test_rows_refer_to_rows_that_are_there(tables: dict[str, list[Row]]) -> None:
    ids = {row["id"] for rows in tables.values() for row in rows if "id" in row}
    references = [
        row[column]
        for rows in tables.values()
        for row in rows
        for column in row
        if column.endswith("Id") and column != "objectId" and row[column] is not None
    ]
    assert references
    assert set(references) <= ids


def test_rows_of_the_site_come_back_as_they_were(tmp_path: Path) -> None:
    published = by_table(encode(small_export()))
    store = memory_store()
    batch = read_back(encode(small_export()))
    publish_batch(store, Log(store), batch, published_by="tester", published_at=START)

    ours = by_table(export(store, tmp_path))

    for table in ("operation_aliases", "measurements", "serving_measurements", "artifacts"):
        assert len(ours[table]) == len(published[table])
    for table, key in (
        ("sources", "slug"),
        ("operations", "semanticDigest"),
        ("workloads", "workloadDigest"),
        ("implementations", "implementationDigest"),
        ("benchmark_runs", "runDigest"),
        ("serving_runs", "runDigest"),
        ("artifacts", "contentDigest"),
    ):
        theirs = {row[key]: row for row in published[table]}
        for row in ours[table]:
            for column, value in theirs[row[key]].items():
                if column.endswith("Id") or column in {"id", "createdAt"}:
                    continue
                expected = sorted(value) if column == "tags" else value
                assert row[column] == expected, (table, column)


def test_a_correction_stands_in_the_row_of_its_run_and_in_the_history(
    tables: dict[str, list[Row]],
) -> None:
    runs = {row["runDigest"]: row for row in tables["benchmark_runs"]}
    retracted = runs[spec_digest(SECOND_RUN_MANIFEST)]
    replacement = runs[spec_digest(FIRST_RUN_MANIFEST)]

    assert retracted["retractedAt"] == "2026-07-01T00:00:00.000Z"
    assert retracted["retractionReason"] == "The clock was wrong."
    assert replacement["retractedAt"] is None
    assert replacement["supersedesId"] in {row["id"] for row in tables["benchmark_runs"]}
    assert {row["cause"] for row in tables["record_events"]} >= {"new_run", "retraction"}


def test_what_the_site_cannot_hold_stands_in_tables_of_our_own(
    tables: dict[str, list[Row]],
) -> None:
    left = Counter(row["manifest"]["kind"] for row in tables["kgraph_manifests"])
    assert left == {"OperationSpec": 2, "BenchmarkProtocol": 1, "ExecutionEnvironment": 1}
    assert len(tables["kgraph_corrections"]) == 2
    assert len(tables["kgraph_attestations"]) == 1
    (operation,) = tables["operations"]
    assert operation["name"] == "Sums each row, amended twice"
    assert operation["slug"] == "row-sum-renamed"
    assert operation["semanticDigest"] == spec_digest(OPERATION_MANIFEST)


def test_the_first_line_counts_the_rest(content: bytes, tables: dict[str, list[Row]]) -> None:
    head = json.loads(content.splitlines()[0])
    placed = [
        row["objectId"]
        for table, rows in tables.items()
        if table.startswith("kgraph_")
        for row in rows
        if "objectId" in row
    ]
    assert head["table"] == "kgraph_catalogue"
    assert head["row"]["publications"] == len(tables["kgraph_publications"]) == 5
    assert head["row"]["objects"] == len(placed) == len(set(placed))


# --- and read back --------------------------------------------------------------------------------


def test_an_export_restores_the_same_objects_in_the_same_publications(
    content: bytes, tmp_path: Path
) -> None:
    original = fill(memory_store())

    restored = restore(content)

    assert ids_of(restored) == ids_of(original)
    assert [entry.object_id for entry in Log(restored).entries()] == [
        entry.object_id for entry in Log(original).entries()
    ]
    assert verify_store(restored, Log(restored)).is_intact
    assert export(restored, tmp_path) == content


def test_an_export_of_another_source_restores_as_well(
    liger_batch: ImportBatch, tmp_path: Path
) -> None:
    original = fill(memory_store(), liger_batch, packed=True)
    content = export(original, tmp_path / "first")

    restored = restore(content)

    assert ids_of(restored) == ids_of(original)
    assert export(restored, tmp_path / "second") == content
    before, after = open_catalog(original, tmp_path / "a"), open_catalog(restored, tmp_path / "b")
    assert before.counts() == after.counts()


def test_importing_it_twice_adds_nothing(content: bytes) -> None:
    store = restore(content)
    head = Log(store).head()

    report = publish_batch(
        store, Log(store), read_back(content), published_by="another", published_at=START
    )

    assert report.publication is None
    assert report.objects_added == 0
    assert Log(store).head() == head


def test_a_restore_that_was_stopped_is_finished_as_it_began(content: bytes) -> None:
    original, store = fill(memory_store()), memory_store()
    first = next(iter(Log(original).entries()))
    for object_id in Log(original).object_ids(first):
        store.put(original.get(object_id))
    store.blobs.create("log/00000001.json", first.content)

    publish_batch(store, Log(store), read_back(content), published_by="x", published_at=START)

    assert [entry.object_id for entry in Log(store).entries()] == [
        entry.object_id for entry in Log(original).entries()
    ]


def test_into_another_catalogue_it_is_published_now_and_in_its_order(content: bytes) -> None:
    store = memory_store()
    sound = read_back(encode(small_export()))
    publish_batch(store, Log(store), sound, published_by="other", published_at=START)
    now = START + timedelta(days=30)

    publish_batch(store, Log(store), read_back(content), published_by="me", published_at=now)

    first, *rest = Log(store).entries()
    assert first.publication.published_by == "other"
    assert {entry.publication.published_by for entry in rest} == {"me"}
    assert {entry.publication.instant for entry in rest} == {now}
    assert len(rest) == 4


def test_a_run_that_nobody_listed_keeps_its_time(tmp_path: Path, liger_batch: ImportBatch) -> None:
    store = memory_store()
    publish_batch(store, Log(store), liger_batch, published_by="tester", published_at=START)
    content = export(store, tmp_path / "first")

    rows = by_table(content)["benchmark_runs"]

    assert {row["publishedAt"] for row in rows} == {"2026-03-04T05:06:07.890Z"}
    assert by_table(export(restore(content), tmp_path / "second"))["benchmark_runs"] == rows


# --- damage ---------------------------------------------------------------------------------------


def drop_last(lines: list[bytes]) -> None:
    del lines[-1]


def drop_run(lines: list[bytes]) -> None:
    del lines[next(n for n, line in enumerate(lines) if b'"benchmark_runs"' in line)]


def drop_listing(lines: list[bytes]) -> None:
    del lines[next(n for n, line in enumerate(lines) if b'"kgraph_listings"' in line)]


def change_manifest(lines: list[bytes]) -> None:
    position = next(n for n, line in enumerate(lines) if b'"kgraph_attestations"' in line)
    lines[position] = lines[position].replace(b"Clocks", b"Clerks")


def change_digest(lines: list[bytes]) -> None:
    position = next(n for n, line in enumerate(lines) if b'"workloads"' in line)
    name = json.loads(lines[position])["row"]["workloadDigest"].encode()
    lines[position] = lines[position].replace(name, b"sha256:" + b"ab" * 32)


def change_format(lines: list[bytes]) -> None:
    lines[0] = lines[0].replace(b"kgraph-catalogue-1", b"kgraph-catalogue-9")


def repeat_object(lines: list[bytes]) -> None:
    lines.append(lines[-1])


def move_object(lines: list[bytes]) -> None:
    row = json.loads(lines[-1])
    row["row"]["publication"] = 99
    lines[-1] = json.dumps(row).encode()


def swap_publications(lines: list[bytes]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def add_stranger(lines: list[bytes]) -> None:
    row = {"table": "kgraph_prices", "row": {}}
    lines.append(json.dumps(row).encode())


@pytest.mark.parametrize(
    "damage",
    [
        drop_last,
        drop_run,
        drop_listing,
        change_manifest,
        change_digest,
        change_format,
        repeat_object,
        move_object,
        swap_publications,
        add_stranger,
    ],
    ids=lambda function: function.__name__,
)
def test_a_damaged_export_restores_nothing(
    content: bytes, damage: Callable[[list[bytes]], None]
) -> None:
    lines = content.splitlines()
    damage(lines)
    store = memory_store()

    batch = read_back(b"\n".join(lines) + b"\n")
    report = publish_batch(store, Log(store), batch, published_by="x", published_at=START)

    assert RefusalCause.FORM in {row.cause for row in batch.refused}
    assert all(row.where.startswith("export.jsonl:") for row in batch.refused)
    assert report.is_withheld
    assert list(store.iter_ids()) == []


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_an_export_that_is_cut_short_restores_nothing(content: bytes, share: float) -> None:
    lines = content.splitlines(keepends=True)

    batch = read_back(b"".join(lines[: int(len(lines) * share)]))

    assert not batch.is_publishable


def test_a_store_that_lost_an_object_is_not_exported(tmp_path: Path) -> None:
    whole = fill(memory_store())
    open_catalog(whole, tmp_path)
    hollow = memory_store()
    for entry in Log(whole).entries():
        hollow.blobs.create(f"log/{entry.sequence:08d}.json", entry.content)

    with pytest.raises(ObjectNotFoundError):
        export(hollow, tmp_path)


def test_progress_is_told(tmp_path: Path, liger_batch: ImportBatch) -> None:
    store = fill(memory_store(), liger_batch)
    publish(store, make_attestation(run=spec_digest(FIRST_RUN_MANIFEST)), day=9, packed=False)
    told: list[int] = []

    count = export_catalogue(
        open_catalog(store, tmp_path),
        io.BytesIO(),
        is_compressed=True,
        progress=lambda done, _: told.append(done),
    )

    assert told == list(range(1000, count + 1, 1000))
