from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from kgraph.manifest import metric_key, primary_measurement
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from kgraph.importers import ImportBatch


@pytest.fixture
def batch(public_batch: ImportBatch) -> ImportBatch:
    return public_batch


@pytest.fixture
def rows(public_rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return public_rows


def test_nothing_is_refused_and_nothing_left_out(batch: ImportBatch) -> None:
    assert batch.refused == ()
    assert batch.notes == ()
    assert batch.rows_read == 40_795


def test_manifests_by_kind(batch: ImportBatch) -> None:
    counts = Counter(one.kind for one in batch.manifests)

    del counts[Kind.LISTING]
    assert counts == {
        Kind.SOURCE: 4,
        Kind.SOFTWARE_PROJECT: 615,
        Kind.OPERATION_SPEC: 449,
        Kind.WORKLOAD_CASE: 5371,
        Kind.WORKLOAD_SUITE: 256,
        Kind.IMPLEMENTATION_REVISION: 4250,
        Kind.BENCHMARK_PROTOCOL: 6,
        Kind.EXECUTION_ENVIRONMENT: 15,
        Kind.BENCHMARK_RUN: 7857,
        Kind.MODEL_REVISION: 6,
        Kind.SERVING_STACK_REVISION: 71,
        Kind.SERVING_CONFIGURATION: 130,
        Kind.SERVING_WORKLOAD: 17,
        Kind.SERVING_RUN: 722,
    }
    assert batch.run_count == 7857 + 722


def test_all_digests_and_keys_match(batch: ImportBatch) -> None:
    counts = {one.kind: one.matched for one in batch.parity}

    assert sum(one.mismatched for one in batch.parity) == 0
    for kind, matched in {
        "operations.semanticDigest": 449,
        "workloads.workloadDigest": 5627,
        "implementations.implementationDigest": 4250,
        "benchmark_runs.runDigest": 7857,
        "benchmark_runs.protocolKey": 7857,
        "benchmark_runs.environmentKey": 7857,
        "benchmark_runs.correctnessKey": 7857,
        "benchmark_runs.comparisonKey": 7857,
        "benchmark_runs.primaryValue": 7857,
        "measurements.value": 13_853,
        "model_revisions.modelDigest": 6,
        "serving_stack_revisions.stackDigest": 71,
        "serving_configurations.configurationDigest": 130,
        "serving_workloads.workloadDigest": 17,
        "serving_runs.runDigest": 722,
        "serving_runs.cohortKey": 722,
        "serving_measurements.value": 722,
        "record_events.comparisonKey": 2948,
    }.items():
        assert counts[kind] == matched, kind


def test_stored_bytes_say_what_was_published(
    batch: ImportBatch, rows: list[dict[str, Any]]
) -> None:
    published = [
        manifest
        for item in rows
        if (found := item["row"].get("manifest")) is not None
        for manifest in (found.values() if item["table"] == "benchmark_runs" else [found])
    ]

    stored = {
        orjson.dumps(orjson.loads(one.content), option=orjson.OPT_SORT_KEYS)
        for one in batch.manifests
    }

    assert {orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in published} <= stored


def test_runs_without_a_primary_value_are_kept(batch: ImportBatch) -> None:
    specs = {one.digest: json.loads(one.content)["spec"] for one in batch.manifests}
    runs = [specs[one.digest] for one in batch.manifests if one.kind is Kind.BENCHMARK_RUN]

    keys = Counter(
        metric_key(primary_measurement(run, specs[run["protocolDigest"]])) for run in runs
    )

    assert keys["none"] == 86
    assert keys.total() == 7857


def test_published_history_is_whole(batch: ImportBatch) -> None:
    assert len(batch.published_records) == 2948
    assert sum(one.previous_run is None for one in batch.published_records) == 1828
    assert len({one.cohort for one in batch.published_records}) == 1828


def test_what_rows_say_beside_manifests_is_listed(batch: ImportBatch) -> None:
    entries: Counter[str | None] = Counter()
    artifacts = aliases = projects = 0
    for one in batch.manifests:
        if one.kind is Kind.LISTING:
            assert len(one.content) < 1024 * 1024
            spec = json.loads(one.content)["spec"]
            entries[spec.get("source")] += len(spec["entries"])
            artifacts += len(spec.get("artifacts", ()))
            aliases += sum(len(entry.get("aliases", ())) for entry in spec["entries"])
            projects += sum("project" in entry for entry in spec["entries"])

    assert artifacts == 3074
    assert aliases == 450
    assert projects == 4250 + 71
    del entries[None]
    assert entries == {
        "gpumode-kernelbot": 5215,
        "flashinfer-bench": 1937,
        "sol-execbench": 705,
        "mlperf-inference": 722,
    }
