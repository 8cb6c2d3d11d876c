"""A file that contradicts itself in places: what falls, what stands, and what is said of both."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from bundle import AT
from kernelindex_rows import (
    FIRST_RUN,
    OPERATION,
    SECOND_RUN,
    SECOND_RUN_MANIFEST,
    WORKLOAD,
    encode,
    row_id,
    small_export,
    spec_digest,
)

from kgraph.importers import ImportBatch, RefusalCause, import_kernelindex
from kgraph.ingest import PublishReport, publish_batch, verify_store
from kgraph.log import Log
from kgraph.store import memory_store
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.store import ObjectStore

NAME = "catalog.jsonl"
WRONG = "sha256:" + "ab" * 32

Rows = list[dict[str, Any]]


def import_rows(rows: Rows) -> ImportBatch:
    return import_kernelindex(io.BytesIO(encode(rows)), name=NAME)


def publish(store: ObjectStore, batch: ImportBatch, *, is_dry_run: bool = False) -> PublishReport:
    return publish_batch(
        store,
        Log(store),
        batch,
        published_by="tester",
        published_at=AT,
        is_dry_run=is_dry_run,
    )


def row_of(rows: Rows, table: str, row_id: str) -> dict[str, Any]:
    (found,) = (
        item["row"] for item in rows if item["table"] == table and item["row"].get("id") == row_id
    )
    columns: dict[str, Any] = found
    return columns


def with_wrong_key(rows: Rows) -> None:
    row_of(rows, "benchmark_runs", SECOND_RUN)["comparisonKey"] = WRONG


def test_what_does_not_contradict_itself_is_published_as_one_publication() -> None:
    sound = import_rows(small_export())
    rows = small_export()
    with_wrong_key(rows)
    store = memory_store()

    batch = import_rows(rows)
    report = publish(store, batch)

    assert batch.is_publishable
    (entry,) = Log(store).entries()
    assert report.publication == entry.object_id
    assert not report.is_withheld
    held = set(Log(store).object_ids(entry))
    fallen = {one for one in sound.manifests if one.object_id not in held}
    # The listings are written anew, without the run.
    assert {one.digest for one in fallen if one.kind is not Kind.LISTING} == {
        spec_digest(SECOND_RUN_MANIFEST)
    }
    assert verify_store(store, Log(store)).is_intact


def test_every_fallen_row_is_named_with_its_line_and_cause() -> None:
    rows = small_export()
    with_wrong_key(rows)
    line = 1 + next(n for n, item in enumerate(rows) if item["row"].get("id") == SECOND_RUN)

    report = publish(memory_store(), import_rows(rows))

    causes = {row.where.split()[0]: row.cause for row in report.refused}
    assert causes.pop(f"{NAME}:{line}") is RefusalCause.PARITY
    # Its measurement, and the record that it took.
    assert list(causes.values()) == [RefusalCause.DEPENDENCE] * 2
    assert all(f"the row of line {line}" in row.found for row in report.refused[1:])


def test_publishing_the_rest_again_adds_nothing() -> None:
    rows = small_export()
    with_wrong_key(rows)
    store = memory_store()
    first = publish(store, import_rows(rows))

    again = publish(store, import_rows(rows))

    assert again.publication is None
    assert again.objects_present == first.objects_added
    assert again.refused == first.refused


def test_the_repaired_file_brings_what_was_missing() -> None:
    rows = small_export()
    with_wrong_key(rows)
    store = memory_store()
    publish(store, import_rows(rows))

    report = publish(store, import_rows(small_export()))

    assert report.runs_added == 1
    assert report.refused == ()
    assert verify_store(store, Log(store)).is_intact


def test_a_dry_run_gives_the_same_account_and_writes_nothing() -> None:
    rows = small_export()
    with_wrong_key(rows)
    store = memory_store()

    dry = publish(store, import_rows(rows), is_dry_run=True)

    assert list(store.iter_ids()) == []
    real = publish(store, import_rows(rows))
    assert (dry.refused, dry.kinds, dry.parity) == (real.refused, real.kinds, real.parity)
    assert not dry.is_withheld


def test_all_that_stands_on_a_fallen_operation_falls_and_the_serving_rows_stand() -> None:
    rows = small_export()
    row_of(rows, "operations", OPERATION)["semanticDigest"] = WRONG
    store = memory_store()

    report = publish(store, import_rows(rows))

    added = {count.kind for count in report.kinds if count.added}
    assert Kind.SERVING_RUN in added
    assert not added & {Kind.OPERATION_SPEC, Kind.WORKLOAD_CASE, Kind.BENCHMARK_RUN}
    assert verify_store(store, Log(store)).is_intact


def cut_line(rows: Rows) -> bytes:
    return encode(rows)[:-20]


def no_json(rows: Rows) -> bytes:
    return encode(rows) + b"not json\n"


def unknown_table(rows: Rows) -> bytes:
    return encode([*rows, {"table": "prices", "row": {"id": row_id(99)}}])


def missing_reference(rows: Rows) -> bytes:
    row_of(rows, "benchmark_runs", FIRST_RUN)["workloadId"] = row_id(98)
    return encode(rows)


def second_of_an_id(rows: Rows) -> bytes:
    return encode([*rows, *(item for item in rows if item["row"].get("id") == WORKLOAD)])


def absent_column(rows: Rows) -> bytes:
    del row_of(rows, "benchmark_runs", FIRST_RUN)["comparisonKey"]
    return encode(rows)


def repeated_key(rows: Rows) -> bytes:
    return encode(rows) + b'{"table":"projects","row":{"id":"1","id":"2"}}\n'


def broken_manifest(rows: Rows) -> bytes:
    row_of(rows, "workloads", WORKLOAD)["manifest"]["spec"]["axes"] = "many"
    return encode(rows)


DAMAGE = [
    cut_line,
    no_json,
    unknown_table,
    missing_reference,
    second_of_an_id,
    absent_column,
    repeated_key,
    broken_manifest,
]


@pytest.mark.parametrize("also_contradicts", [False, True], ids=["alone", "beside-a-wrong-key"])
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda function: function.__name__)
def test_any_other_damage_keeps_everything_from_being_published(
    damage: Callable[[Rows], bytes], *, also_contradicts: bool
) -> None:
    rows = small_export()
    if also_contradicts:
        with_wrong_key(rows)
    store = memory_store()

    batch = import_kernelindex(io.BytesIO(damage(rows)), name=NAME)
    report = publish(store, batch)

    assert not batch.is_publishable
    assert report.is_withheld
    assert report.publication is None
    assert RefusalCause.FORM in {row.cause for row in report.refused}
    assert list(store.iter_ids()) == []
    assert Log(store).head() is None
