"""Cohorts of two public result files, read just far enough for the floor estimate."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import zstandard
from policy_facts import (
    make_hardware,
    make_operation,
    make_protocol,
    make_run,
    make_workload,
)

from kgraph.digest import SpecDigest
from kgraph.facts import AxisFact, TensorFact
from kgraph.policy.expression import evaluate_expression
from kgraph.vocab import CohortKey, RunStatus, Slug, TimedPass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgraph.facts import (
        HardwareFact,
        OperationFact,
        ProtocolFact,
        RunFact,
        WorkloadFact,
    )


@dataclass(frozen=True)
class PublishedCohort:
    """What a floor needs, and the fastest passing value."""

    source: str
    operation: OperationFact
    workload: WorkloadFact
    protocol: ProtocolFact
    hardware: HardwareFact
    metric: str
    statistic: str
    unit: str
    best: float


# --- the public export -----------------------------------------------------------------------


def load_export(path: Path) -> dict[str, list[Mapping[str, Any]]]:
    """Rows of the export by table."""
    tables: dict[str, list[Mapping[str, Any]]] = {}
    with path.open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")
        for line in text:
            record = json.loads(line)
            tables.setdefault(record["table"], []).append(record["row"])
    return tables


def read_export_cohorts(tables: Mapping[str, list[Mapping[str, Any]]]) -> list[PublishedCohort]:
    """Every cohort with a passing run."""
    sources = {row["id"]: row["slug"] for row in tables["sources"]}
    workloads = {row["id"]: row for row in tables["workloads"]}
    operations = {row["id"]: row for row in tables["operations"]}
    best: dict[str, Mapping[str, Any]] = {}
    for run in tables["benchmark_runs"]:
        standing = best.get(run["comparisonKey"])
        if run["status"] == "passed" and (
            standing is None or run["primaryValue"] < standing["primaryValue"]
        ):
            best[run["comparisonKey"]] = run
    cohorts = []
    for run in best.values():
        workload = workloads[run["workloadId"]]
        hardware = run["manifest"]["environment"]["spec"]["hardware"]
        cohorts.append(
            PublishedCohort(
                source=sources[run["sourceId"]],
                operation=_read_operation(operations[workload["operationId"]]),
                workload=_read_workload(workload),
                protocol=make_protocol(),
                hardware=make_hardware(
                    hardware["product"], hardware.get("formFactor"), hardware["architecture"]
                ),
                metric=run["primaryMetric"],
                statistic=run["primaryStatistic"],
                unit=run["primaryUnit"],
                best=run["primaryValue"],
            )
        )
    return cohorts


def read_export_runs(tables: Mapping[str, list[Mapping[str, Any]]]) -> Iterator[RunFact]:
    """Every run of the export as ranking sees it."""
    implementations = {
        row["id"]: row["manifest"]["spec"].get("source", {}).get("contentDigest")
        for row in tables["implementations"]
    }
    for row in tables["benchmark_runs"]:
        spec = row["manifest"]["run"]["spec"]
        yield make_run(
            row["runDigest"],
            row["primaryValue"],
            digest=SpecDigest(row["runDigest"]),
            status=RunStatus(row["status"]),
            observed_at=datetime.fromisoformat(row["observedAt"]),
            published_at=datetime.fromisoformat(row["publishedAt"]),
            cohort=CohortKey(row["comparisonKey"]),
            metric=row["primaryMetric"],
            statistic=row["primaryStatistic"],
            unit=row["primaryUnit"],
            family=Slug("export"),
            has_logs="digest" in spec.get("evidence", {}).get("logs", {}),
            has_source_digest=implementations[row["implementationId"]] is not None,
            has_public_source=row["sourceAvailable"],
        )


def _read_operation(row: Mapping[str, Any]) -> OperationFact:
    spec = row["manifest"]["spec"]
    return make_operation(
        family=spec["family"],
        slug=row["slug"],
        inputs=tuple(_read_operand(operand) for operand in spec["inputs"]),
        outputs=tuple(_read_operand(operand) for operand in spec["outputs"]),
        axes=tuple(
            AxisFact(name, axis["role"], axis.get("value"), axis.get("expression"))
            for name, axis in spec["axes"].items()
        ),
    )


def _read_operand(operand: Mapping[str, Any]) -> TensorFact:
    if "scalar" in operand:
        return TensorFact(operand["name"], operand["scalar"]["dtype"], None)
    tensor = operand["tensor"]
    return TensorFact(operand["name"], tensor["dtype"], tuple(tensor["shape"]))


def _read_workload(row: Mapping[str, Any]) -> WorkloadFact:
    spec = row["manifest"]["spec"]
    if row["manifest"]["kind"] == "WorkloadSuite":
        return make_workload(
            cases=tuple(case["axes"] for case in spec["cases"]),
            statistic=spec["aggregation"]["statistic"],
        )
    tensors = tuple(
        TensorFact(name, tensor["dtype"], tuple(tensor["shape"]))
        for name, tensor in spec["tensors"].items()
    )
    return make_workload(tensors, given=spec["axes"])


# --- the Liger-Kernel file -------------------------------------------------------------------


def read_liger_cohorts(csv_path: Path, bindings: Mapping[str, Any]) -> list[PublishedCohort]:
    """Every cohort of the speed rows that a binding covers."""
    kernels = {kernel["csvName"]: kernel for kernel in bindings["kernels"]}
    dtypes = bindings["rules"]["dtypes"]
    best: dict[tuple[Any, ...], PublishedCohort] = {}
    with csv_path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["metric_name"] != "speed":
                continue
            kernel = kernels[row["kernel_name"]]
            config = json.loads(row["extra_benchmark_config_str"])
            bind = _find_binding(kernel, row["x_name"], config)
            if bind is None:
                continue
            dtype = bind["dtype"]
            dtype = dtypes[config[dtype.removeprefix("config.")]] if "config." in dtype else dtype
            axes = _read_axes(bind, config, int(float(row["x_value"])))
            key = (
                row["kernel_name"],
                row["kernel_operation_mode"],
                row["gpu_name"],
                dtype,
                tuple(sorted(axes.items())),
                json.dumps(
                    {
                        name: config.get(str(at).removeprefix("config."), at)
                        for name, at in bind["scalars"].items()
                    },
                    sort_keys=True,
                ),
            )
            value = float(row["y_value_50"]) * 1e6
            standing = best.get(key)
            if standing is None or value < standing.best:
                gpu = bindings["gpus"][row["gpu_name"]]
                best[key] = PublishedCohort(
                    source="liger",
                    operation=_read_kernel(kernel),
                    workload=_bind_workload(kernel, axes, dtype),
                    protocol=make_protocol(TimedPass(row["kernel_operation_mode"])),
                    hardware=make_hardware(gpu["product"], gpu["formFactor"], gpu["architecture"]),
                    metric="latency",
                    statistic="median",
                    unit="ns",
                    best=value,
                )
    return list(best.values())


def _find_binding(
    kernel: Mapping[str, Any], x_name: str, config: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    for bind in kernel["bind"]:
        needed = bind["requires"]
        if (
            bind["xName"] == x_name
            and all(
                name in config and (value is None or config[name] == value)
                for name, value in needed.items()
            )
            and all(name in needed or name in bind.get("ignores", ()) for name in config)
        ):
            found: Mapping[str, Any] = bind
            return found
    return None


def _read_axes(bind: Mapping[str, Any], config: Mapping[str, Any], x: int) -> dict[str, int]:
    known = {name: value for name, value in config.items() if isinstance(value, int)}
    return {
        name: int(evaluate_expression(str(text).replace("config.", ""), {**known, "x": x}))
        for name, text in bind["axes"].items()
    }


def _read_kernel(kernel: Mapping[str, Any]) -> OperationFact:
    named = {name for bind in kernel["bind"] for name in bind["axes"]}
    return make_operation(
        family=kernel["family"],
        slug=kernel["slug"],
        inputs=tuple(
            TensorFact(one["name"], one["dtype"], tuple(one["shape"])) for one in kernel["inputs"]
        ),
        outputs=tuple(
            TensorFact(one["name"], one["dtype"], tuple(one["shape"])) for one in kernel["outputs"]
        ),
        axes=(
            *(AxisFact(name, "variable", None, None) for name in sorted(named)),
            *(
                AxisFact(name, "derived", None, expression)
                for name, expression in kernel["derived"].items()
            ),
        ),
    )


def _bind_workload(kernel: Mapping[str, Any], axes: Mapping[str, int], dtype: str) -> WorkloadFact:
    lengths = dict(axes)
    for name, expression in kernel["derived"].items():
        lengths[name] = int(evaluate_expression(expression, lengths))
    tensors = tuple(
        TensorFact(
            one["name"],
            dtype if one["dtype"] == "float" else one["dtype"],
            tuple(
                length if isinstance(length, int) else lengths[length] for length in one["shape"]
            ),
        )
        for one in kernel["inputs"]
    )
    return make_workload(tensors, given=axes)
