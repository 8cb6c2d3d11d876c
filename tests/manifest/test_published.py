"""Manifests that others published keep their names, checked on the public catalogue export."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import rfc8785
import zstandard
from places import SHARED

from kgraph.canonical import decode_json, encode_canonical
from kgraph.digest import parse_spec_digest
from kgraph.manifest import (
    Identified,
    cohort_key,
    correctness_key,
    identify_value,
    metric_key,
    primary_measurement,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPORT: Final = SHARED / "data" / "kernelindex-export" / "catalog-2026-08-16.jsonl.zst"

pytestmark = pytest.mark.skipif(not EXPORT.exists(), reason="the public export is not beside us")

DIGEST_COLUMNS: Final = {
    "operations": "semanticDigest",
    "workloads": "workloadDigest",
    "implementations": "implementationDigest",
    "model_revisions": "modelDigest",
    "serving_stack_revisions": "stackDigest",
    "serving_configurations": "configurationDigest",
    "serving_workloads": "workloadDigest",
    "serving_runs": "runDigest",
}


@pytest.fixture(scope="module")
def rows() -> dict[str, list[dict[str, Any]]]:
    """Rows of the export by table."""
    tables: dict[str, list[dict[str, Any]]] = {}
    with EXPORT.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file)
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            record = json.loads(line)
            tables.setdefault(record["table"], []).append(record["row"])
    return tables


def manifests_in(rows: dict[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for table in rows.values():
        for row in table:
            manifest = row.get("manifest")
            if manifest is not None:
                yield from [manifest] if "kind" in manifest else manifest.values()


def test_every_manifest_is_written_as_rfc8785_writes_it_and_read_back(
    rows: dict[str, list[dict[str, Any]]],
) -> None:
    count = 0
    for manifest in manifests_in(rows):
        content = encode_canonical(manifest)
        assert content == rfc8785.dumps(manifest)
        assert decode_json(content, where="export") == manifest
        count += 1

    assert count == 35_458


@pytest.mark.parametrize("table", DIGEST_COLUMNS)
def test_every_manifest_keeps_its_published_digest(
    rows: dict[str, list[dict[str, Any]]], table: str
) -> None:
    differing = [
        row["id"]
        for row in rows[table]
        if identify_value(row["manifest"], where=row["id"]).digest != row[DIGEST_COLUMNS[table]]
    ]

    assert rows[table]
    assert differing == []


def test_every_project_is_taken_as_it_is(rows: dict[str, list[dict[str, Any]]]) -> None:
    for row in rows["projects"]:
        identified = identify_value(row["manifest"], where=row["id"])
        assert identified.manifest.to_json() == row["manifest"]


def test_every_run_keeps_its_digests_and_its_cohort(rows: dict[str, list[dict[str, Any]]]) -> None:
    workloads = {row["id"]: row for row in rows["workloads"]}
    without_primary = 0
    for row in rows["benchmark_runs"]:
        parts: dict[str, Identified] = {
            role: identify_value(manifest, where=f"{row['id']} {role}")
            for role, manifest in row["manifest"].items()
        }
        assert parts["run"].digest == row["runDigest"]
        assert parts["protocol"].digest == row["protocolKey"]
        assert parts["environment"].digest == row["environmentKey"]

        workload = workloads[row["workloadId"]]
        spec = workload["manifest"]["spec"]
        correctness = correctness_key(spec["correctness"])
        assert correctness == row["correctnessKey"]

        primary = primary_measurement(
            row["manifest"]["run"]["spec"], row["manifest"]["protocol"]["spec"]
        )
        assert (primary.metric, primary.statistic, primary.unit, primary.value) == (
            row["primaryMetric"],
            row["primaryStatistic"],
            row["primaryUnit"],
            row["primaryValue"],
        )
        without_primary += primary.value is None

        key = cohort_key(
            operation=parse_spec_digest(spec["operationSpecDigest"]),
            workload=parse_spec_digest(workload["workloadDigest"]),
            protocol=parts["protocol"].digest,
            environment=parts["environment"].digest,
            correctness=correctness,
            metric=metric_key(primary),
        )
        assert key == row["comparisonKey"]

    assert (len(rows["benchmark_runs"]), without_primary) == (7857, 86)
