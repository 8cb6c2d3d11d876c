"""A small export, row by row, with every digest computed here and not by the code under test."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import rfc8785

API = "kernelindex.dev/v1alpha1"
JsonObject = dict[str, Any]


def key(value: JsonObject) -> str:
    return "sha256:" + hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def spec_digest(manifest: JsonObject) -> str:
    return key({name: manifest[name] for name in ("apiVersion", "kind", "spec")})


def manifest(kind: str, name: str, spec: JsonObject, **metadata: object) -> JsonObject:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def row_id(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012d}"


SOURCE, SERVING_SOURCE, PROJECT, OPERATION, WORKLOAD, IMPLEMENTATION = (
    row_id(n) for n in range(1, 7)
)
SUITE, SLOW, MODEL, STACK, CONFIGURATION, SERVING_WORKLOAD = (row_id(n) for n in range(7, 13))
FIRST_RUN, SECOND_RUN, FAILED_RUN, SUITE_RUN, SERVING_RUN = (row_id(n) for n in range(20, 25))

OPERATION_MANIFEST = manifest(
    "OperationSpec",
    "row-sum",
    {
        "family": "reduction",
        "axes": {
            "rows": {"role": "variable", "type": "integer"},
            "width": {"role": "constant", "type": "integer", "value": 64},
        },
        "inputs": [{"name": "x", "tensor": {"dtype": "bf16", "shape": ["rows", "width"]}}],
        "outputs": [{"name": "y", "tensor": {"dtype": "fp32", "shape": ["rows"]}}],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    },
    title="行の和 · Σ x",
)
CORRECTNESS = {"comparator": "allclose", "maxAbsoluteError": 0.01}
WORKLOAD_MANIFEST = manifest(
    "WorkloadCase",
    "row-sum-128",
    {
        "operationSpecDigest": spec_digest(OPERATION_MANIFEST),
        "axes": {"rows": 128, "width": 64},
        "tensors": {
            "x": {"dtype": "bf16", "shape": [128, 64]},
            "y": {"dtype": "fp32", "shape": [128]},
        },
        "correctness": CORRECTNESS,
    },
)
SUITE_MANIFEST = manifest(
    "WorkloadSuite",
    "row-sum-suite",
    {
        "operationSpecDigest": spec_digest(OPERATION_MANIFEST),
        "cases": [
            {"externalId": "0", "axes": {"rows": 128, "width": 64}},
            {"externalId": "1", "axes": {"rows": 4096, "width": 64}},
        ],
        "correctness": {"comparator": "suite_eval"},
        "aggregation": {"metric": "score", "statistic": "geomean"},
    },
)
PROJECT_MANIFEST = manifest(
    "SoftwareProject", "sums", {"name": "Sums + more", "repository": "https://example.org/sums"}
)


def implementation_manifest(name: str) -> JsonObject:
    return manifest(
        "ImplementationRevision",
        name,
        {
            "operation": {"specDigest": spec_digest(OPERATION_MANIFEST)},
            "projectRevision": {"version": f"revision of {name}"},
            "callable": {"language": "triton"},
            "support": {"dtypes": ["bf16"], "hardwareArchitectures": ["unknown"]},
            "source": {
                "fileName": "sum.py",
                "sizeBytes": 1200,
                "contentDigest": key({"source": name}),
            },
            "licensing": {"declared": "MIT"},
        },
        title=name,
    )


PROTOCOL_MANIFEST = manifest(
    "BenchmarkProtocol",
    "loop",
    {
        "harness": {"name": "loop"},
        "measurement": {"timer": "device_event", "primaryStatistic": "mean"},
        "comparability": {"family": "loop"},
    },
)
SUITE_PROTOCOL_MANIFEST = manifest(
    "BenchmarkProtocol",
    "suite-loop",
    {
        "harness": {"name": "loop"},
        "measurement": {"timer": "device_event", "primaryStatistic": "geomean"},
        "comparability": {"family": "loop"},
    },
)
ENVIRONMENT_MANIFEST = manifest(
    "ExecutionEnvironment",
    "some-card",
    {
        "hardware": {"vendor": "nvidia", "product": "NVIDIA B200", "architecture": "unknown"},
        "software": {
            "cudaToolkit": "13.0",
            "framework": {"name": "pytorch", "version": "2.11.0+cu130"},
        },
    },
)


def run_manifest(
    name: str, spec: JsonObject, *, workload: JsonObject, implementation: str, protocol: JsonObject
) -> JsonObject:
    return manifest(
        "BenchmarkRun",
        name,
        {
            "implementationDigest": spec_digest(implementation_manifest(implementation)),
            "workloadDigest": spec_digest(workload),
            "protocolDigest": spec_digest(protocol),
            "environmentDigest": spec_digest(ENVIRONMENT_MANIFEST),
            "sourceNative": {"source": "bench-one", "benchmark": "row sum"},
            **spec,
        },
        title=f"{name} · row sum",
    )


def line(table: str, **row: object) -> JsonObject:
    return {"table": table, "row": row}


def run_row(
    number: str,
    run: JsonObject,
    *,
    workload: tuple[str, JsonObject],
    implementation: str,
    primary: tuple[str, str | None, str | None, float | int | None],
    protocol: JsonObject = PROTOCOL_MANIFEST,
    **changes: object,
) -> JsonObject:
    metric, statistic, unit, value = primary
    spec = run["spec"]
    correctness = key({"correctness": workload[1]["spec"]["correctness"]})
    cohort = key(
        {
            "v": 1,
            "operation": workload[1]["spec"]["operationSpecDigest"],
            "workload": spec["workloadDigest"],
            "protocol": spec["protocolDigest"],
            "environment": spec["environmentDigest"],
            "correctness": correctness,
            "metric": "none" if statistic is None else f"{metric}:{statistic}:{unit}",
        }
    )
    hardware = ENVIRONMENT_MANIFEST["spec"]["hardware"]
    columns = {
        "id": number,
        "runDigest": spec_digest(run),
        "implementationId": implementation,
        "workloadId": workload[0],
        "sourceId": SOURCE,
        "status": spec["status"],
        "observedAt": spec["observedAt"],
        "publishedAt": "2026-08-15T18:49:22.604Z",
        "hardwareVendor": hardware["vendor"],
        "hardwareModel": hardware["product"],
        "hardwareArchitecture": hardware["architecture"],
        "protocolKey": spec["protocolDigest"],
        "environmentKey": spec["environmentDigest"],
        "correctnessKey": correctness,
        "comparisonKey": cohort,
        "primaryMetric": metric,
        "primaryValue": value,
        "primaryUnit": unit,
        "primaryStatistic": statistic,
        "sampleCount": spec.get("timing", {}).get("samples"),
        "uncertaintyLow": None,
        "uncertaintyHigh": None,
        "sourceAvailable": True,
        "hasRawEvidence": "evidence" in spec,
        "manifest": {"run": run, "protocol": protocol, "environment": ENVIRONMENT_MANIFEST},
        "supersedesId": None,
        "retractedAt": None,
        "retractionReason": None,
    }
    return line("benchmark_runs", **{**columns, **changes})


def measurement(
    run: str, metric: str, statistic: str, unit: str, value: float, *, count: int | None = None
) -> JsonObject:
    return line(
        "measurements",
        id=f"{run}-{metric}-{statistic}",
        runId=run,
        metric=metric,
        statistic=statistic,
        unit=unit,
        value=value,
        sampleCount=count,
    )


FIRST_RUN_MANIFEST = run_manifest(
    "first",
    {
        "status": "passed",
        "observedAt": "2026-03-14T23:56:12.645Z",
        "timing": {
            "primaryStatistic": "mean",
            "samples": 30,
            "latencyNs": {"mean": 11506691500, "minimum": 11000000001, "maximum": 12000000003},
        },
        "measurements": [
            {
                "metric": "latency",
                "statistic": "std",
                "unit": "ns",
                "value": 1107.4411117800378,
                "sampleCount": 30,
            }
        ],
    },
    workload=WORKLOAD_MANIFEST,
    implementation="row-sum-slow",
    protocol=PROTOCOL_MANIFEST,
)
SECOND_RUN_MANIFEST = run_manifest(
    "second",
    {
        "status": "passed",
        "observedAt": "2026-04-01T00:00:00.007Z",
        "timing": {"primaryStatistic": "mean", "latencyNs": {"mean": 49509}},
    },
    workload=WORKLOAD_MANIFEST,
    implementation="row-sum-fast",
    protocol=PROTOCOL_MANIFEST,
)
FAILED_RUN_MANIFEST = run_manifest(
    "failed",
    {
        "status": "compile_error",
        "observedAt": "2026-04-02T00:00:00.000Z",
        "evidence": {"logs": {"uri": "artifact:log", "digest": key({"log": 1})}},
    },
    workload=WORKLOAD_MANIFEST,
    implementation="row-sum-fast",
    protocol=PROTOCOL_MANIFEST,
)
SUITE_RUN_MANIFEST = run_manifest(
    "suite",
    {
        "status": "passed",
        "observedAt": "2026-04-03T00:00:00.000Z",
        "measurements": [
            {
                "metric": "score",
                "statistic": "geomean",
                "unit": "s",
                "value": 1.0048658277929109e-05,
            }
        ],
    },
    workload=SUITE_MANIFEST,
    implementation="row-sum-fast",
    protocol=SUITE_PROTOCOL_MANIFEST,
)

MODEL_MANIFEST = manifest("ModelRevision", "some-model", {"model": "Some-Model 70B"})
STACK_MANIFEST = manifest(
    "ServingStackRevision",
    "some-stack",
    {
        "project": {"name": "Some maker"},
        "revision": {"version": "1.2+g3"},
        "apiProtocol": "loadgen_sut",
    },
)
CONFIGURATION_MANIFEST = manifest(
    "ServingConfiguration",
    "some-system",
    {"stackDigest": spec_digest(STACK_MANIFEST), "dtype": "fp8", "options": {"system": "8 cards"}},
)
SERVING_WORKLOAD_MANIFEST = manifest(
    "ServingWorkload",
    "chat",
    {
        "dataset": {"name": "Questions (1024)"},
        "arrival": "poisson",
        "streaming": True,
        "loadGeneration": "open_loop",
        "slo": [
            {"metric": "ttft_ms", "statistic": "p99", "operator": "<=", "value": 450, "unit": "ms"}
        ],
    },
)
SERVING_RUN_MANIFEST = manifest(
    "ServingRun",
    "serving-one",
    {
        "modelDigest": spec_digest(MODEL_MANIFEST),
        "configurationDigest": spec_digest(CONFIGURATION_MANIFEST),
        "workloadDigest": spec_digest(SERVING_WORKLOAD_MANIFEST),
        "status": "valid",
        "harness": {"name": "loadgen", "version": "v5.1"},
        "topology": {
            "acceleratorVendor": "amd",
            "acceleratorModel": "AMD Instinct MI300X 192GB HBM3",
            "acceleratorsPerNode": 8,
            "nodeCount": 2,
        },
        "observedAt": "2025-09-04T19:30:14Z",
        "qualityPolicy": "closed_99",
        "measurements": [
            {
                "metric": "output_token_throughput_tps",
                "statistic": "reported",
                "unit": "tokens_s",
                "value": 8840.42,
            }
        ],
        "sourceNative": {
            "source": "serving-two",
            "benchmark": "chat",
            "externalId": "v5.1/1",
            "scenario": "interactive",
            "division": "closed",
            "category": "datacenter",
        },
    },
)
SERVING_COHORT = key(
    {
        "modelDigest": spec_digest(MODEL_MANIFEST),
        "tokenizer": None,
        "workloadDigest": spec_digest(SERVING_WORKLOAD_MANIFEST),
        "protocolKey": "loadgen/v5.1/unspecified/streaming/open_loop",
        "topologyKey": "amd/AMD Instinct MI300X 192GB HBM3/8x2/unspecified",
        "qualityPolicy": "closed_99",
        "metricSetKey": "output_token_throughput_tps·reported",
    }
)


def implementation_row(number: str, name: str) -> JsonObject:
    published = implementation_manifest(name)
    return line(
        "implementations",
        id=number,
        projectId=PROJECT,
        operationId=OPERATION,
        slug=f"sums-{name}",
        implementationDigest=spec_digest(published),
        supersedesId=None,
        manifest=published,
    )


def small_export() -> list[JsonObject]:
    """Every table once or more, closed under references; a fresh copy that a test may change."""
    case = (WORKLOAD, WORKLOAD_MANIFEST)
    first = run_row(
        FIRST_RUN,
        FIRST_RUN_MANIFEST,
        workload=case,
        implementation=SLOW,
        primary=("latency", "mean", "ns", 11506691500),
    )
    second = run_row(
        SECOND_RUN,
        SECOND_RUN_MANIFEST,
        workload=case,
        implementation=IMPLEMENTATION,
        primary=("latency", "mean", "ns", 49509),
    )
    failed = run_row(
        FAILED_RUN,
        FAILED_RUN_MANIFEST,
        workload=case,
        implementation=IMPLEMENTATION,
        primary=("none", None, None, None),
    )
    suite = run_row(
        SUITE_RUN,
        SUITE_RUN_MANIFEST,
        workload=(SUITE, SUITE_MANIFEST),
        implementation=IMPLEMENTATION,
        primary=("score", "geomean", "s", 1.0048658277929109e-05),
        protocol=SUITE_PROTOCOL_MANIFEST,
    )
    cohort = first["row"]["comparisonKey"]
    rows = [
        line(
            "sources",
            id=SOURCE,
            slug="bench-one",
            kind="leaderboard",
            name="Bench One",
            policy={
                "url": "https://example.org/bench",
                "terms": "Show with credit.",
                "license": "Apache-2.0",
                "verified": "2026-08-14",
                "attribution": "Bench One makers™",
                "freshnessDays": 10,
            },
        ),
        line(
            "sources",
            id=SERVING_SOURCE,
            slug="serving-two",
            kind="benchmark",
            name="Two",
            policy=None,
        ),
        line("projects", id=PROJECT, slug="sums", name="Sums + more", manifest=PROJECT_MANIFEST),
        line(
            "operations",
            id=OPERATION,
            slug="row-sum",
            family="reduction",
            semanticDigest=spec_digest(OPERATION_MANIFEST),
            tags=["reduction", "memory"],
            supersedesId=None,
            manifest=OPERATION_MANIFEST,
        ),
        line("operation_aliases", operationId=OPERATION, alias="sum over rows"),
        line("operation_aliases", operationId=OPERATION, alias="RowSum"),
        line(
            "workloads",
            id=WORKLOAD,
            operationId=OPERATION,
            workloadDigest=spec_digest(WORKLOAD_MANIFEST),
            manifest=WORKLOAD_MANIFEST,
        ),
        line(
            "workloads",
            id=SUITE,
            operationId=OPERATION,
            workloadDigest=spec_digest(SUITE_MANIFEST),
            manifest=SUITE_MANIFEST,
        ),
        implementation_row(IMPLEMENTATION, "row-sum-fast"),
        implementation_row(SLOW, "row-sum-slow"),
        first,
        second,
        failed,
        suite,
        measurement(FIRST_RUN, "latency", "mean", "ns", 11506691500, count=30),
        measurement(FIRST_RUN, "latency", "min", "ns", 11000000001, count=30),
        measurement(FIRST_RUN, "latency", "max", "ns", 12000000003, count=30),
        measurement(FIRST_RUN, "latency", "std", "ns", 1107.4411117800378, count=30),
        measurement(SECOND_RUN, "latency", "mean", "ns", 49509),
        measurement(SUITE_RUN, "score", "geomean", "s", 1.0048658277929109e-05),
        line(
            "record_events",
            id=row_id(40),
            comparisonKey=cohort,
            runId=FIRST_RUN,
            previousRunId=None,
            policyVersion="ranking-v1",
            cause="new_run",
            at="2026-03-14T23:56:12.645Z",
        ),
        line(
            "record_events",
            id=row_id(41),
            comparisonKey=cohort,
            runId=SECOND_RUN,
            previousRunId=FIRST_RUN,
            policyVersion="ranking-v1",
            cause="new_run",
            at="2026-04-01T00:00:00.007Z",
        ),
        line(
            "artifacts",
            id=row_id(50),
            contentDigest=key({"source": "row-sum-fast"}),
            kind="source",
            mediaType="text/x-python",
            sizeBytes=1200,
            storage="inline",
            uri="https://example.org/data",
            license="MIT",
        ),
        line(
            "artifacts",
            id=row_id(51),
            contentDigest=key({"log": 1}),
            kind="log",
            mediaType="text/plain",
            sizeBytes=34979,
            storage="inline",
            uri=None,
            license=None,
        ),
        line(
            "model_revisions",
            id=MODEL,
            slug="some-model",
            modelDigest=spec_digest(MODEL_MANIFEST),
            manifest=MODEL_MANIFEST,
        ),
        line(
            "serving_stack_revisions",
            id=STACK,
            projectId=PROJECT,
            slug="some-stack",
            stackDigest=spec_digest(STACK_MANIFEST),
            manifest=STACK_MANIFEST,
        ),
        line(
            "serving_configurations",
            id=CONFIGURATION,
            stackRevisionId=STACK,
            configurationDigest=spec_digest(CONFIGURATION_MANIFEST),
            manifest=CONFIGURATION_MANIFEST,
        ),
        line(
            "serving_workloads",
            id=SERVING_WORKLOAD,
            slug="chat-interactive",
            workloadDigest=spec_digest(SERVING_WORKLOAD_MANIFEST),
            manifest=SERVING_WORKLOAD_MANIFEST,
        ),
        line(
            "serving_runs",
            id=SERVING_RUN,
            runDigest=spec_digest(SERVING_RUN_MANIFEST),
            modelRevisionId=MODEL,
            configurationId=CONFIGURATION,
            workloadId=SERVING_WORKLOAD,
            sourceId=SERVING_SOURCE,
            status="valid",
            observedAt="2025-09-04T19:30:14.000Z",
            publishedAt="2026-08-16T15:55:31.551Z",
            cohortKey=SERVING_COHORT,
            protocolKey="loadgen/v5.1/unspecified/streaming/open_loop",
            qualityPolicy="closed_99",
            metricSetKey="output_token_throughput_tps·reported",
            scenario="interactive",
            acceleratorVendor="amd",
            acceleratorModel="AMD Instinct MI300X 192GB HBM3",
            acceleratorCount=8,
            nodeCount=2,
            manifest=SERVING_RUN_MANIFEST,
            supersedesId=None,
            retractedAt=None,
            retractionReason=None,
        ),
        line(
            "serving_measurements",
            id=row_id(60),
            runId=SERVING_RUN,
            metric="output_token_throughput_tps",
            statistic="reported",
            unit="tokens_s",
            value=8840.42,
            sampleCount=None,
        ),
    ]
    copied: list[JsonObject] = json.loads(json.dumps(rows))
    return copied


def encode(rows: list[JsonObject]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
