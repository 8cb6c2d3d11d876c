"""What a run is compared by, and the key of the cohort it is compared within (`domain.md` §3)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kgraph.canonical import JsonValue, encode_canonical
from kgraph.digest import SpecDigest
from kgraph.vocab import CohortKey

NO_METRIC: Final = "none"
"""Metric of a run that has nothing to be compared by."""


@dataclass(frozen=True, slots=True)
class Primary:
    """The figure that a run is compared by."""

    metric: str
    """`none` where the run has no such figure."""
    statistic: str | None = None
    """None where the source does not say, or there is no figure."""
    unit: str | None = None
    """None where the figure has no unit, or there is none."""
    value: int | float | None = None
    """In `unit`; None where the run has no such figure."""


def primary_measurement(
    run_spec: Mapping[str, JsonValue], protocol_spec: Mapping[str, JsonValue]
) -> Primary:
    """The figure that a run is compared by.

    `timing.latencyNs[primaryStatistic]` where the run has a timing; else the measurement whose
    statistic the protocol's `primaryStatistic` names; else the source's own score.

    Args:
        run_spec: spec of a valid BenchmarkRun.
        protocol_spec: spec of the BenchmarkProtocol that it cites.
    """
    timing = _object(run_spec.get("timing"))
    if timing:
        statistic = str(timing["primaryStatistic"])
        value = _number(_object(timing["latencyNs"]).get(statistic))
        return Primary("latency", statistic, "ns", value)
    figures = _objects(run_spec.get("measurements"))
    wanted = _object(protocol_spec.get("measurement")).get("primaryStatistic")
    for figure in figures:
        if figure["statistic"] == wanted:
            return _primary_of(figure)
    for figure in figures:
        if figure["metric"] == "score":
            return _primary_of(figure)
    metrics = _object(_object(run_spec.get("sourceNative")).get("metrics"))
    score = _number(metrics.get("score"))
    return Primary(NO_METRIC) if score is None else Primary("score", value=score)


def _primary_of(figure: Mapping[str, JsonValue]) -> Primary:
    return Primary(
        str(figure["metric"]),
        str(figure["statistic"]),
        str(figure["unit"]),
        _number(figure["value"]),
    )


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    items = value if isinstance(value, list | tuple) else ()
    return [_object(item) for item in items]


def _number(value: JsonValue) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def metric_key(primary: Primary) -> str:
    """How a cohort key names the primary measurement: `latency:median:ns`, or `none`."""
    if primary.metric == NO_METRIC:
        return NO_METRIC
    return f"{primary.metric}:{primary.statistic or 'unspecified'}:{primary.unit or 'none'}"


def correctness_key(correctness: Mapping[str, JsonValue]) -> str:
    """`sha256:<hex>` over canonical `{correctness: ...}`, the workload's correctness object."""
    return _sha256({"correctness": correctness})


def cohort_key(
    *,
    operation: SpecDigest,
    workload: SpecDigest,
    protocol: SpecDigest,
    environment: SpecDigest,
    correctness: str,
    metric: str,
) -> CohortKey:
    """The key of the cohort within which a run may be compared.

    Args:
        operation: spec digest of the OperationSpec; likewise the other three.
        workload: of the WorkloadCase or WorkloadSuite.
        protocol: of the BenchmarkProtocol.
        environment: of the ExecutionEnvironment.
        correctness: what `correctness_key` gives for the workload's correctness.
        metric: what `metric_key` gives for the primary measurement.
    """
    return CohortKey(
        _sha256(
            {
                "v": 1,
                "operation": operation,
                "workload": workload,
                "protocol": protocol,
                "environment": environment,
                "correctness": correctness,
                "metric": metric,
            }
        )
    )


def _sha256(value: Mapping[str, JsonValue]) -> str:
    return "sha256:" + hashlib.sha256(encode_canonical(value)).hexdigest()
