"""Columns that the site reads off the manifest beside them, read off it again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Json = Mapping[str, Any]

# How the site calls a statistic of a timing where it does not use the manifest's word.
_STATISTIC_COLUMNS = {"minimum": "min", "maximum": "max"}

_LEADING_NUMBER = re.compile(r"[0-9]+")
_MIDNIGHT = "T00:00:00Z"


def pick(value: Any, *path: str) -> Any:  # noqa: ANN401 - any JSON value
    """What stands below `value` at `path`; None where nothing does."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def source_policy(spec: Json) -> dict[str, Any] | None:
    """Licence terms of a source, as its row holds them; None where nothing is known."""
    policy = {
        name: spec[name]
        for name in ("url", "terms", "license", "attribution", "freshnessDays")
        if name in spec
    }
    if "verifiedAt" in spec:
        # A day is kept as the instant of its beginning.
        policy["verified"] = spec["verifiedAt"].removesuffix(_MIDNIGHT)
    return policy or None


def shape_summary(workload: Json, operation: Json | None) -> str:
    """A suite by its size, a case by the shape of its first operand."""
    spec = workload["spec"]
    if "cases" in spec:
        return f"suite of {len(spec['cases'])} cases"
    tensors: dict[str, Any] = spec.get("tensors", {})
    inputs = pick(operation, "spec", "inputs") or []
    names = [item["name"] for item in inputs if item["name"] in tensors] or sorted(tensors)
    if not names:
        return "[]"
    return "[" + ", ".join(map(str, tensors[names[0]]["shape"])) + "]"


def tensor_dtypes(workload: Json) -> list[str]:
    """Distinct dtypes of the tensors of a case, sorted."""
    tensors: dict[str, Any] = workload["spec"].get("tensors", {})
    return sorted({tensor["dtype"] for tensor in tensors.values()})


def layout_keys(workload: Json) -> list[str]:
    """Whether the tensors of a case are contiguous or strided."""
    tensors: dict[str, Any] = workload["spec"].get("tensors", {})
    return sorted(
        {"strided" if "strides" in tensor else "contiguous" for tensor in tensors.values()}
    )


def has_public_source(implementation: Json) -> bool:
    """Whether an implementation says where its source is."""
    spec = implementation["spec"]
    return pick(spec, "projectRevision", "repository") is not None or "source" in spec


def has_raw_evidence(run: Json) -> bool:
    """Whether a run cites raw samples or logs."""
    paths = (("timing", "rawSamples"), ("evidence", "rawSamples"), ("evidence", "logs"))
    return any(pick(run["spec"], *path) is not None for path in paths)


def major_version(text: str | None) -> int | None:
    """The leading number of a version; None where there is none."""
    match = _LEADING_NUMBER.match(text or "")
    return None if match is None else int(match.group())


def environment_summary(environment: Json, protocol: Json) -> str:
    """Toolkit, framework and harness, in a few words."""
    software = environment["spec"].get("software", {})
    parts = []
    if "cudaToolkit" in software:
        parts.append(f"CUDA {software['cudaToolkit']}")
    if (framework := software.get("framework")) is not None:
        parts.append(" ".join(filter(None, (framework["name"], framework.get("version")))))
    parts.append(protocol["spec"]["harness"]["name"])
    return " · ".join(parts)


def iter_measurements(run: Json) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Metric, statistic, unit, value and sample count of everything that a run states."""
    spec = run["spec"]
    stated = set()
    samples = pick(spec, "timing", "samples")
    for statistic, value in (pick(spec, "timing", "latencyNs") or {}).items():
        if not isinstance(value, list):
            name = _STATISTIC_COLUMNS.get(statistic, statistic)
            stated.add(("latency", name))
            yield "latency", name, "ns", value, samples
    for item in spec.get("measurements", ()):
        name = (item["metric"], item["statistic"])
        if name not in stated:
            stated.add(name)
            yield *name, item["unit"], item["value"], item.get("sampleCount")
