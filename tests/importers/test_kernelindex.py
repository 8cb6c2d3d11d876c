from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from kernelindex_rows import (
    FAILED_RUN,
    FAILED_RUN_MANIFEST,
    FIRST_RUN,
    FIRST_RUN_MANIFEST,
    IMPLEMENTATION,
    OPERATION,
    OPERATION_MANIFEST,
    PROJECT_MANIFEST,
    SECOND_RUN,
    SECOND_RUN_MANIFEST,
    SERVING_COHORT,
    SERVING_RUN_MANIFEST,
    STACK_MANIFEST,
    SUITE_RUN_MANIFEST,
    WORKLOAD,
    JsonObject,
    encode,
    implementation_manifest,
    key,
    measurement,
    row_id,
    small_export,
    spec_digest,
)

from kgraph.importers import import_kernelindex
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.importers import ImportBatch

NAME = "catalog.jsonl"


def import_bytes(content: bytes, name: str = NAME) -> ImportBatch:
    return import_kernelindex(io.BytesIO(content), name=name)


def import_rows(rows: list[JsonObject]) -> ImportBatch:
    return import_bytes(encode(rows))


def find(rows: list[JsonObject], table: str, **columns: object) -> int:
    """Line of the one row of a table that has these values."""
    lines = [
        number
        for number, item in enumerate(rows, start=1)
        if item["table"] == table
        and all(item["row"].get(column) == value for column, value in columns.items())
    ]
    assert len(lines) == 1
    return lines[0]


def refusals(batch: ImportBatch) -> list[str]:
    return [f"{one.where}: found {one.found}, expected {one.expected}" for one in batch.refused]


def of_kind(batch: ImportBatch, kind: Kind) -> list[JsonObject]:
    found: list[JsonObject] = [
        json.loads(one.content) for one in batch.manifests if one.kind is kind
    ]
    return found


def entry_of(batch: ImportBatch, subject: str) -> JsonObject:
    merged: JsonObject = {}
    for listing in of_kind(batch, Kind.LISTING):
        for entry in listing["spec"]["entries"]:
            if entry["subject"] == subject:
                merged |= entry | {"source": listing["spec"].get("source")}
    return merged


# --- a sound export --------------------------------------------------------------------------


def test_every_manifest_is_kept_as_published() -> None:
    rows = small_export()
    published = [
        manifest
        for item in rows
        if (found := item["row"].get("manifest")) is not None
        for manifest in (found.values() if item["table"] == "benchmark_runs" else [found])
    ]

    batch = import_rows(rows)

    assert batch.refused == ()
    shared = [
        json.loads(one.content)
        for one in batch.manifests
        if one.kind not in {Kind.SOURCE, Kind.LISTING}
    ]
    for manifest in published:
        assert manifest in shared
    assert len(shared) == len({json.dumps(one, sort_keys=True) for one in published})
    assert {one.digest for one in batch.manifests} >= {spec_digest(one) for one in published}


def test_counts_are_those_of_the_rows() -> None:
    rows = small_export()

    batch = import_rows(rows)

    assert (batch.rows_read, batch.run_count) == (len(rows), 5)
    assert {one.reason: one.count for one in batch.skipped} == {
        "MEASUREMENT_IN_RUN_MANIFEST": 7,
        "RECORD_IS_DERIVED": 2,
    }
    assert batch.notes == ()


def test_manifests_follow_those_they_cite() -> None:
    batch = import_rows(small_export())

    seen: set[str] = set()
    for one in batch.manifests:
        assert cited_digests(json.loads(one.content)) <= seen
        seen.add(one.digest)


def test_order_of_rows_changes_no_manifest() -> None:
    rows = small_export()

    batch = import_rows(rows[::-1])

    assert batch.refused == ()
    assert {one.object_id for one in batch.manifests} == {
        one.object_id for one in import_rows(rows).manifests
    }


def test_two_imports_give_the_same_bytes() -> None:
    first, second = import_rows(small_export()), import_rows(small_export())

    assert [one.content for one in first.manifests] == [one.content for one in second.manifests]


def test_zstd_and_plain_give_the_same() -> None:
    content = encode(small_export())
    middle = content.index(b"\n", len(content) // 2)
    compress = zstandard.ZstdCompressor().compress

    frames = compress(content[:middle]) + compress(content[middle:])

    assert import_bytes(frames, "catalog.jsonl.zst") == import_bytes(content)


def test_source_terms_are_kept() -> None:
    sources = {
        one["metadata"]["name"]: one["spec"]
        for one in of_kind(import_rows(small_export()), Kind.SOURCE)
    }

    assert sources == {
        "bench-one": {
            "name": "Bench One",
            "kind": "leaderboard",
            "url": "https://example.org/bench",
            "terms": "Show with credit.",
            "license": "Apache-2.0",
            "verifiedAt": "2026-08-14T00:00:00Z",
            "attribution": "Bench One makers™",
            "freshnessDays": 10,
        },
        "serving-two": {"name": "Two", "kind": "benchmark"},
    }


def test_what_no_manifest_says_is_listed() -> None:
    batch = import_rows(small_export())

    operation = entry_of(batch, spec_digest(OPERATION_MANIFEST))
    implementation = entry_of(batch, spec_digest(implementation_manifest("row-sum-fast")))
    run = entry_of(batch, spec_digest(FIRST_RUN_MANIFEST))
    serving = entry_of(batch, spec_digest(SERVING_RUN_MANIFEST))
    assert operation["slug"] == "row-sum"
    assert operation["aliases"] == ["RowSum", "sum over rows"]
    assert operation["tags"] == ["memory", "reduction"]
    assert implementation["slug"] == "sums-row-sum-fast"
    assert implementation["project"] == spec_digest(PROJECT_MANIFEST)
    assert (run["source"], run["publishedAt"]) == ("bench-one", "2026-08-15T18:49:22.604Z")
    assert (serving["source"], serving["cohort"]) == ("serving-two", SERVING_COHORT)


def test_artifacts_are_carried_as_references() -> None:
    listings = of_kind(import_rows(small_export()), Kind.LISTING)

    artifacts = [one for listing in listings for one in listing["spec"].get("artifacts", [])]

    assert sorted(artifacts, key=lambda one: str(one["kind"])) == [
        {
            "contentDigest": key({"log": 1}),
            "kind": "log",
            "mediaType": "text/plain",
            "sizeBytes": 34979,
            "storage": "inline",
        },
        {
            "contentDigest": key({"source": "row-sum-fast"}),
            "kind": "source",
            "mediaType": "text/x-python",
            "sizeBytes": 1200,
            "storage": "inline",
            "uri": "https://example.org/data",
            "license": "MIT",
        },
    ]


def test_role_column_marks_a_baseline() -> None:
    rows = small_export()
    rows[find(rows, "implementations", id=IMPLEMENTATION) - 1]["row"]["role"] = "baseline"

    batch = import_rows(rows)

    assert (
        entry_of(batch, spec_digest(implementation_manifest("row-sum-fast")))["role"] == "baseline"
    )


def test_row_ids_leave_no_trace() -> None:
    contents = b"".join(one.content for one in import_rows(small_export()).manifests)

    assert row_id(0)[:24].encode() not in contents


def test_record_history_is_returned_and_not_stored() -> None:
    batch = import_rows(small_export())

    first, second = batch.published_records
    assert (first.run, first.previous_run) == (spec_digest(FIRST_RUN_MANIFEST), None)
    assert (second.run, second.previous_run) == (spec_digest(SECOND_RUN_MANIFEST), first.run)
    assert first.cohort == second.cohort
    assert second.at.isoformat() == "2026-04-01T00:00:00.007000+00:00"


def test_large_latency_small_score_and_milliseconds_keep_their_digits() -> None:
    contents = {one.digest: one.content for one in import_rows(small_export()).manifests}

    first = contents[spec_digest(FIRST_RUN_MANIFEST)]  # type: ignore[index]  # the digest as text
    suite = contents[spec_digest(SUITE_RUN_MANIFEST)]  # type: ignore[index]  # likewise
    assert b'"mean":11506691500' in first
    assert b'"observedAt":"2026-03-14T23:56:12.645Z"' in first
    assert b'"value":0.000010048658277929109' in suite


def test_run_without_primary_value_is_kept() -> None:
    batch = import_rows(small_export())

    assert spec_digest(FAILED_RUN_MANIFEST) in {one.digest for one in batch.manifests}


def test_parity_is_counted_by_kind() -> None:
    counts = {one.kind: (one.matched, one.mismatched) for one in import_rows(small_export()).parity}

    assert all(mismatched == 0 for _, mismatched in counts.values())
    for kind, matched in {
        "operations.semanticDigest": 1,
        "workloads.workloadDigest": 2,
        "implementations.implementationDigest": 2,
        "benchmark_runs.runDigest": 4,
        "benchmark_runs.protocolKey": 4,
        "benchmark_runs.environmentKey": 4,
        "benchmark_runs.correctnessKey": 4,
        "benchmark_runs.comparisonKey": 4,
        "benchmark_runs.primaryValue": 4,
        "measurements.value": 6,
        "model_revisions.modelDigest": 1,
        "serving_stack_revisions.stackDigest": 1,
        "serving_configurations.configurationDigest": 1,
        "serving_workloads.workloadDigest": 1,
        "serving_runs.runDigest": 1,
        "serving_runs.cohortKey": 1,
        "serving_measurements.value": 1,
        "record_events.comparisonKey": 2,
    }.items():
        assert counts[kind] == (matched, 0), kind


def test_progress_ends_with_all_rows() -> None:
    told: list[tuple[int, int | None]] = []
    rows = small_export()
    rows += [rows[find(rows, "operation_aliases", alias="RowSum") - 1]] * 2500

    import_kernelindex(
        io.BytesIO(encode(rows)),
        name=NAME,
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(1000, None), (2000, None), (len(rows), len(rows))]


def test_unknown_columns_are_left_out_and_noted() -> None:
    rows = small_export()
    for item in rows:
        if item["table"] == "implementations":
            item["row"]["stars"] = 5
        if item["table"] == "sources" and item["row"]["policy"]:
            item["row"]["policy"]["mood"] = "good"

    batch = import_rows(rows)

    assert batch.refused == ()
    assert batch.notes == (
        "implementations column stars, which is not understood,: left out of 2 rows",
        "sources column policy.mood, which is not understood,: left out of 1 rows",
    )


# --- corrections -----------------------------------------------------------------------------


def test_retracted_run_brings_a_correction() -> None:
    rows = small_export()
    run = rows[find(rows, "benchmark_runs", id=FIRST_RUN) - 1]["row"]
    run |= {"retractedAt": "2026-08-16T10:00:00.000Z", "retractionReason": "wrong timer"}

    corrections = of_kind(import_rows(rows), Kind.CORRECTION)

    assert [one["spec"] for one in corrections] == [
        {
            "run": spec_digest(FIRST_RUN_MANIFEST),
            "action": "retract",
            "reason": "wrong timer",
            "by": "kernelindex",
            "at": "2026-08-16T10:00:00.000Z",
        }
    ]


def test_superseding_run_brings_a_correction_of_the_older() -> None:
    rows = small_export()
    rows[find(rows, "benchmark_runs", id=SECOND_RUN) - 1]["row"]["supersedesId"] = FIRST_RUN

    corrections = of_kind(import_rows(rows), Kind.CORRECTION)

    assert [
        (one["spec"]["run"], one["spec"]["action"], one["spec"]["replacement"])
        for one in corrections
    ] == [(spec_digest(FIRST_RUN_MANIFEST), "supersede", spec_digest(SECOND_RUN_MANIFEST))]


def test_run_that_supersedes_itself_is_refused() -> None:
    rows = small_export()
    second = find(rows, "benchmark_runs", id=SECOND_RUN)
    rows[second - 1]["row"]["supersedesId"] = SECOND_RUN

    batch = import_rows(rows)

    assert of_kind(batch, Kind.CORRECTION) == []
    assert any(
        text.startswith(f"{NAME}:{second} benchmark_runs column supersedesId: found {SECOND_RUN}")
        for text in refusals(batch)
    )


def test_run_that_supersedes_a_refused_run_is_refused() -> None:
    rows = small_export()
    rows[find(rows, "benchmark_runs", id=SECOND_RUN) - 1]["row"]["supersedesId"] = FAILED_RUN
    rows[find(rows, "benchmark_runs", id=FIRST_RUN) - 1]["row"]["supersedesId"] = SECOND_RUN
    failed = find(rows, "benchmark_runs", id=FAILED_RUN)
    rows[failed - 1]["row"]["status"] = "passed"

    batch = import_rows(rows)

    kept = {one["metadata"]["name"] for one in of_kind(batch, Kind.BENCHMARK_RUN)}
    assert kept == {"suite"}
    second = find(rows, "benchmark_runs", id=SECOND_RUN)
    assert any(
        text.startswith(f"{NAME}:{second} benchmark_runs column supersedesId: found {FAILED_RUN}")
        and f"line {failed}" in text
        for text in refusals(batch)
    )


# --- parity broken ---------------------------------------------------------------------------

WRONG = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("operations", "semanticDigest", WRONG),
        ("workloads", "workloadDigest", WRONG),
        ("implementations", "implementationDigest", WRONG),
        ("benchmark_runs", "runDigest", WRONG),
        ("benchmark_runs", "protocolKey", WRONG),
        ("benchmark_runs", "environmentKey", WRONG),
        ("benchmark_runs", "correctnessKey", WRONG),
        ("benchmark_runs", "comparisonKey", WRONG),
        ("benchmark_runs", "primaryMetric", "throughput"),
        ("benchmark_runs", "primaryValue", 11506691501),
        ("benchmark_runs", "primaryUnit", "us"),
        ("benchmark_runs", "primaryStatistic", "median"),
        ("benchmark_runs", "sampleCount", 31),
        ("benchmark_runs", "uncertaintyLow", 11000000001),
        ("benchmark_runs", "status", "timeout"),
        ("benchmark_runs", "observedAt", "2026-03-14T23:56:12.646Z"),
        ("benchmark_runs", "hardwareModel", "NVIDIA B300"),
        ("benchmark_runs", "hardwareArchitecture", "sm_100"),
        ("benchmark_runs", "hasRawEvidence", True),
        ("benchmark_runs", "hasRawEvidence", 0),
        ("benchmark_runs", "sourceAvailable", False),
        ("measurements", "value", 11506691499),
        ("measurements", "unit", "ms"),
        ("measurements", "sampleCount", 31),
        ("record_events", "comparisonKey", WRONG),
        ("model_revisions", "modelDigest", WRONG),
        ("serving_stack_revisions", "stackDigest", WRONG),
        ("serving_configurations", "configurationDigest", WRONG),
        ("serving_workloads", "workloadDigest", WRONG),
        ("serving_runs", "runDigest", WRONG),
        ("serving_runs", "cohortKey", WRONG),
        ("serving_runs", "protocolKey", "loadgen/v5.2/unspecified/streaming/open_loop"),
        ("serving_runs", "metricSetKey", "goodput·reported"),
        ("serving_runs", "status", "invalid"),
        ("serving_runs", "acceleratorModel", "AMD Instinct MI325X"),
        ("serving_runs", "nodeCount", 1),
        ("serving_measurements", "value", 8840.43),
    ],
)
def test_published_value_that_differs_refuses_its_row_by_name_and_line(
    table: str, column: str, value: object
) -> None:
    rows = small_export()
    line = next(number for number, item in enumerate(rows, start=1) if item["table"] == table)
    rows[line - 1]["row"][column] = value

    batch = import_rows(rows)

    assert batch.refused[0].where == f"{NAME}:{line} {table} column {column}"
    shown = "true" if value is True else "false" if value is False else str(value)
    assert shown in batch.refused[0].found
    counts = {one.kind: one.mismatched for one in batch.parity}
    assert counts[f"{table}.{column}"] == 1
    assert_closed(batch)


def test_import_goes_on_after_a_refused_row() -> None:
    rows = small_export()
    line = find(rows, "benchmark_runs", id=FIRST_RUN)
    rows[line - 1]["row"]["comparisonKey"] = WRONG

    batch = import_rows(rows)

    names = {one["metadata"]["name"] for one in of_kind(batch, Kind.BENCHMARK_RUN)}
    assert names == {"second", "failed", "suite"}
    assert batch.rows_read == len(rows)


def test_rows_that_depend_on_a_refused_row_name_its_line() -> None:
    rows = small_export()
    line = find(rows, "operations")
    rows[line - 1]["row"]["semanticDigest"] = WRONG

    batch = import_rows(rows)

    kinds = {one.kind for one in batch.manifests}
    assert not kinds & {
        Kind.OPERATION_SPEC,
        Kind.WORKLOAD_CASE,
        Kind.WORKLOAD_SUITE,
        Kind.BENCHMARK_RUN,
    }
    by_table = Counter(one.where.split()[1] for one in batch.refused)
    assert by_table == {
        "operations": 1,
        "operation_aliases": 2,
        "workloads": 2,
        "implementations": 2,
        "benchmark_runs": 4,
        "measurements": 6,
        "record_events": 2,
    }
    workload = find(rows, "workloads", id=WORKLOAD)
    assert (
        f"{NAME}:{workload} workloads column operationId: found {OPERATION}, the row of line "
        f"{line}, which is refused, expected the id of an accepted row of operations"
    ) in refusals(batch)
    lines = [int(one.where.split()[0].rpartition(":")[2]) for one in batch.refused]
    assert lines == sorted(lines)


def test_manifest_that_cites_another_than_the_row_is_refused() -> None:
    rows = small_export()
    line = find(rows, "benchmark_runs", id=SECOND_RUN)
    rows[line - 1]["row"]["implementationId"] = row_id(8)

    batch = import_rows(rows)

    assert batch.refused[0].where == f"{NAME}:{line} benchmark_runs column implementationId"
    assert spec_digest(implementation_manifest("row-sum-slow")) in batch.refused[0].found
    assert spec_digest(implementation_manifest("row-sum-fast")) in batch.refused[0].expected


def test_run_that_cites_another_protocol_than_the_one_beside_it_is_refused() -> None:
    rows = small_export()
    line = find(rows, "benchmark_runs", id=SECOND_RUN)
    protocol = rows[line - 1]["row"]["manifest"]["protocol"]
    protocol["spec"]["harness"]["name"] = "another loop"

    batch = import_rows(rows)

    where = f"{NAME}:{line} benchmark_runs column manifest.run.spec.protocolDigest"
    assert batch.refused[0].where == where


def test_measurement_that_the_manifest_lacks_is_refused() -> None:
    rows = small_export()
    rows.append(measurement(SECOND_RUN, "latency", "p95", "ns", 50000))

    batch = import_rows(rows)

    assert refusals(batch) == [
        f'{NAME}:{len(rows)} measurements column statistic: found "latency p95", '
        "expected a measurement that the run manifest has"
    ]


# --- damaged rows ----------------------------------------------------------------------------


def replace_line(content: bytes, line: int, change: Callable[[bytes], bytes]) -> bytes:
    lines = content.split(b"\n")
    lines[line - 1] = change(lines[line - 1])
    return b"\n".join(lines)


RUN_LINE = find(small_export(), "benchmark_runs", id=FAILED_RUN)


@pytest.mark.parametrize(
    ("change", "found", "expected"),
    [
        pytest.param(lambda _: b"{not json", '"n"', "JSON", id="not-json"),
        pytest.param(lambda _: b"", "the end of the document", "JSON", id="blank"),
        pytest.param(lambda text: text[:-1], "the end of the document", "JSON", id="cut-short"),
        pytest.param(
            lambda text: text.replace(b'"status"', b'"id": 1, "status"', 1),
            "the key a second time",
            "each key once",
            id="duplicate-key",
        ),
        pytest.param(
            lambda text: text.replace(b'"status": "compile_error"', b'"status": NaN', 1),
            "NaN",
            "a finite number",
            id="nan",
        ),
        pytest.param(
            lambda text: text.replace(
                b'"sampleCount": null', b'"sampleCount": 9007199254740993', 1
            ),
            "9007199254740993",
            "2^53",
            id="integer-beyond-2-53",
        ),
        pytest.param(
            lambda text: text.replace(b'"sampleCount": null', b'"sampleCount": 1e20', 1),
            "1e20",
            "2^53",
            id="float-that-is-a-whole-number-beyond-2-53",
        ),
        pytest.param(
            lambda text: text.replace(b"compile_error", b"compile_\xff\xfe", 1),
            "byte 0xff",
            "UTF-8 text",
            id="not-utf-8",
        ),
        pytest.param(
            lambda text: text.replace(b"failed \xc2\xb7", b"\\ud800 \xc2\xb7", 1),
            "ud800",
            "lone surrogates",
            id="lone-surrogate",
        ),
        pytest.param(lambda _: b"[1, 2]", "a list of 2 items", "table and row", id="no-object"),
        pytest.param(
            lambda _: b'{"table": "sources", "row": {}, "more": 1}', "more", "table", id="third-key"
        ),
        pytest.param(
            lambda _: b'{"table": 7, "row": {}}', "7", "the name of a table", id="table-no-text"
        ),
        pytest.param(
            lambda _: b'{"table": "sources", "row": []}', "0 items", "columns", id="row-no-object"
        ),
        pytest.param(
            lambda _: b'{"table": "users", "row": {}}',
            '"users"',
            "benchmark_runs",
            id="unknown-table",
        ),
        pytest.param(
            lambda _: b"[" * 70 + b"]" * 70, "70 levels", "levels of nesting", id="too-deep"
        ),
        pytest.param(lambda _: b" " * (1 << 22) + b"{}", "bytes", "at most", id="overlong"),
    ],
)
def test_damaged_line_is_named_and_the_others_are_read(
    change: Callable[[bytes], bytes], found: str, expected: str
) -> None:
    content = replace_line(encode(small_export()), RUN_LINE, change)

    batch = import_bytes(content)

    assert len(batch.refused) == 1
    assert batch.refused[0].where.startswith(f"{NAME}:{RUN_LINE} ")
    assert found in batch.refused[0].found
    assert expected in batch.refused[0].expected
    names = {one["metadata"]["name"] for one in of_kind(batch, Kind.BENCHMARK_RUN)}
    assert names == {"first", "second", "suite"}


def change_column(table: str, column: str, value: object) -> tuple[list[JsonObject], int]:
    rows = small_export()
    line = next(number for number, item in enumerate(rows, start=1) if item["table"] == table)
    if value is ...:
        del rows[line - 1]["row"][column]
    else:
        rows[line - 1]["row"][column] = value
    return rows, line


@pytest.mark.parametrize(
    ("table", "column", "value", "found"),
    [
        ("benchmark_runs", "implementationId", row_id(99), f"{row_id(99)}, which no row has"),
        ("benchmark_runs", "workloadId", row_id(99), "which no row has"),
        ("benchmark_runs", "sourceId", row_id(99), "which no row has"),
        ("benchmark_runs", "supersedesId", row_id(99), "which no row has"),
        ("benchmark_runs", "publishedAt", "yesterday", '"yesterday"'),
        ("benchmark_runs", "publishedAt", "2026-02-30T00:00:00Z", "02-30"),
        ("benchmark_runs", "publishedAt", "2026-02-03T00:00:00+02:00", "+02:00"),
        ("benchmark_runs", "publishedAt", ..., "no such column"),
        ("benchmark_runs", "retractedAt", "later", '"later"'),
        ("benchmark_runs", "manifest", {}, "the keys"),
        ("benchmark_runs", "id", SECOND_RUN, f"{SECOND_RUN}, which line"),
        ("workloads", "operationId", row_id(99), "which no row has"),
        ("implementations", "projectId", row_id(99), "which no row has"),
        ("implementations", "slug", "Not A Slug", '"Not A Slug"'),
        ("implementations", "role", "Base Line", '"Base Line"'),
        ("operations", "tags", "reduction", '"reduction"'),
        ("operations", "tags", [1], "a list of 1 items"),
        ("operations", "semanticDigest", "sha256:00", '"sha256:00"'),
        ("operations", "manifest", None, "null"),
        ("operations", "manifest", ..., "no such column"),
        ("operation_aliases", "operationId", row_id(99), "which no row has"),
        ("operation_aliases", "alias", "", '""'),
        ("measurements", "runId", row_id(99), "which no row has"),
        ("record_events", "runId", row_id(99), "which no row has"),
        ("record_events", "previousRunId", row_id(99), "which no row has"),
        ("record_events", "at", 7, "7"),
        ("artifacts", "contentDigest", "sha1:00", '"sha1:00"'),
        ("artifacts", "sizeBytes", -1, "-1"),
        ("artifacts", "sizeBytes", True, "true"),
        ("artifacts", "contentDigest", key({"log": 1}), "second time"),
        ("sources", "name", None, "null"),
        ("sources", "slug", "Bench One", '"Bench One"'),
        ("serving_stack_revisions", "projectId", row_id(99), "which no row has"),
        ("serving_configurations", "stackRevisionId", row_id(99), "which no row has"),
        ("serving_runs", "modelRevisionId", row_id(99), "which no row has"),
        ("serving_runs", "sourceId", row_id(99), "which no row has"),
        ("serving_measurements", "runId", FIRST_RUN, "which no row has"),
    ],
)
def test_wrong_column_is_named(table: str, column: str, value: object, found: str) -> None:
    rows, line = change_column(table, column, value)

    batch = import_rows(rows)

    assert batch.refused
    named = [one for one in batch.refused if one.where.startswith(f"{NAME}:{line} ")]
    named += [one for one in batch.refused if found in one.found]
    assert any(one.where.endswith(f"column {column}") and found in one.found for one in named)
    assert_closed(batch)


def test_source_with_a_bad_policy_is_named_by_path() -> None:
    rows, line = change_column("sources", "policy", {"verified": "soon"})

    batch = import_rows(rows)

    assert batch.refused[0].where == f"{NAME}:{line} sources column policy.spec.verifiedAt"


def test_manifest_that_is_refused_is_named_by_path() -> None:
    rows = small_export()
    line = find(rows, "operations")
    rows[line - 1]["row"]["manifest"]["spec"]["axes"]["rows"]["role"] = "changing"

    batch = import_rows(rows)

    assert batch.refused[0].where.startswith(
        f"{NAME}:{line} operations column manifest.spec.axes.rows"
    )


def test_manifest_of_another_kind_is_refused() -> None:
    rows, line = change_column("model_revisions", "manifest", STACK_MANIFEST)

    batch = import_rows(rows)

    assert batch.refused[0].where == f"{NAME}:{line} model_revisions column manifest.kind"
    assert "ServingStackRevision" in batch.refused[0].found


def test_the_same_manifest_under_two_ids_is_refused() -> None:
    rows = small_export()
    row = rows[find(rows, "workloads", id=WORKLOAD) - 1]["row"]
    rows.append({"table": "workloads", "row": {**row, "id": row_id(77)}})

    batch = import_rows(rows)

    assert batch.refused[0].where == f"{NAME}:{len(rows)} workloads column workloadDigest"


# --- damaged files ---------------------------------------------------------------------------


def assert_refused_whole(batch: ImportBatch, where: str, found: str) -> None:
    assert batch.manifests == ()
    assert batch.run_count == 0
    assert batch.refused[0].where == where
    assert found in batch.refused[0].found


def test_cut_zstd_refuses_the_file_at_its_line() -> None:
    content = encode(small_export())
    lines = content.splitlines(keepends=True)
    compressor = zstandard.ZstdCompressor().compressobj()
    whole = compressor.compress(b"".join(lines[:20]))
    whole += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    whole += compressor.compress(b"".join(lines[20:])) + compressor.flush()

    batch = import_bytes(whole[:-40], "catalog.jsonl.zst")

    assert_refused_whole(batch, "catalog.jsonl.zst:21", "inside a zstd frame")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        pytest.param(lambda data: data + b"tail", "after the end", id="trailing-bytes"),
        pytest.param(lambda data: data + b"\n", "after the end", id="trailing-newline"),
        pytest.param(lambda data: data[:-1], "inside a zstd frame", id="last-byte-missing"),
        pytest.param(
            lambda data: data[:-1] + bytes([data[-1] ^ 1]), "cannot be read", id="checksum"
        ),
        pytest.param(lambda data: b"\0" + data[1:], "not zstd", id="magic"),
        pytest.param(lambda _: b'{"table": "sources", "row": {}}\n', "not zstd", id="plain"),
        pytest.param(lambda _: b"", "not zstd", id="empty"),
    ],
)
def test_damaged_zstd_refuses_the_file(change: Callable[[bytes], bytes], found: str) -> None:
    whole = zstandard.ZstdCompressor(write_checksum=True).compress(encode(small_export()))

    batch = import_bytes(change(whole), "catalog.jsonl.zst")

    assert batch.manifests == ()
    assert found in batch.refused[0].found
    assert batch.refused[0].where.startswith("catalog.jsonl.zst:")


def test_empty_file_is_refused() -> None:
    assert_refused_whole(import_bytes(b""), f"{NAME}:1", "no line")


def test_file_of_something_else_is_refused_whole() -> None:
    batch = import_bytes(b"kernel,ms\n" * 10_001)

    assert_refused_whole(batch, f"{NAME}:10001", "more than 10000 rows")


def cited_digests(value: object) -> set[str]:
    """Spec digests of manifests that a manifest cites, artifacts left aside."""
    found: set[str] = set()
    if isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, str) and member.startswith("sha256:"):
                if name in _CITING:
                    found.add(member)
            else:
                found |= cited_digests(member)
    elif isinstance(value, list):
        for member in value:
            found |= cited_digests(member)
    return found


_CITING = {
    "operationSpecDigest",
    "specDigest",
    "implementationDigest",
    "workloadDigest",
    "protocolDigest",
    "environmentDigest",
    "stackDigest",
    "modelDigest",
    "configurationDigest",
    "subject",
    "project",
    "run",
    "replacement",
}


def assert_closed(batch: ImportBatch) -> None:
    held = {str(one.digest) for one in batch.manifests}
    for one in batch.manifests:
        assert cited_digests(json.loads(one.content)) <= held, one.name


SMALL = encode(small_export())


@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_what_is_left_of_a_file_with_one_wrong_byte_is_closed(at: int, flip: int) -> None:
    damaged = bytearray(SMALL)
    damaged[at] ^= flip

    batch = import_bytes(bytes(damaged))

    assert_closed(batch)
    if b"\n" not in {SMALL[at : at + 1], bytes(damaged[at : at + 1])}:
        assert batch.rows_read == len(small_export())


@given(st.integers(0, len(SMALL)))
def test_what_is_left_of_a_shorter_file_is_closed(length: int) -> None:
    batch = import_bytes(SMALL[:length])

    assert_closed(batch)
    assert batch.run_count < 5 or length >= len(SMALL) - 400
