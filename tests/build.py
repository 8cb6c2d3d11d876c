"""Smallest valid manifests as plain values, one override at a time."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Plain = dict[str, Any]
"""A manifest as JSON has it."""

SHARED_VERSION = "kernelindex.dev/v1alpha1"
OWN_VERSION = "kgraph.dev/v1"


def digest_of(digit: str) -> str:
    """A spec digest of one hex digit: names nothing, is well-formed."""
    return "sha256:" + digit * 64


def object_id_of_digit(digit: str) -> str:
    """An object id of one hex digit: names nothing, is well-formed."""
    return "blake3:" + digit * 64


def changed(manifest: Mapping[str, Any], changes: Mapping[str, Any]) -> Plain:
    """A copy of the manifest with values set at dotted paths; None takes a field away.

    A number as a step of a path is a position in a list.
    """
    result: Plain = copy.deepcopy(dict(manifest))
    for path, value in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        node: Any = result
        for step in steps:
            node = node[step] if isinstance(step, int) else node.setdefault(step, {})
        if value is None:
            del node[last]
        else:
            node[last] = value
    return result


def make_manifest_value(
    kind: str, spec: Mapping[str, Any], *, name: str = "example", version: str = SHARED_VERSION
) -> Plain:
    """A manifest of any kind around a spec."""
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": copy.deepcopy(dict(spec)),
    }


def make_operation(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """An elementwise operation with one tensor in and one out; changes go to its spec."""
    operand = {"tensor": {"shape": ["rows", "columns"], "dtype": "float"}}
    spec = {
        "family": "elementwise",
        "axes": {
            "rows": {"role": "variable", "type": "integer"},
            "columns": {"role": "variable", "type": "integer"},
        },
        "inputs": [{"name": "x", **operand}],
        "outputs": [{"name": "y", **operand}],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    return make_manifest_value("OperationSpec", spec | changes)


def make_workload(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A case of an operation; changes go to its spec."""
    tensor = {"shape": [1024, 4096], "dtype": "bf16"}
    spec = {
        "operationSpecDigest": digest_of("0"),
        "axes": {"rows": 1024, "columns": 4096},
        "tensors": {"x": dict(tensor), "y": dict(tensor)},
        "correctness": {"comparator": "not_asserted"},
    }
    return make_manifest_value("WorkloadCase", spec | changes)


def make_suite(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A suite of two cases; changes go to its spec."""
    spec = {
        "operationSpecDigest": digest_of("0"),
        "cases": [
            {"externalId": "b", "axes": {"rows": 2, "columns": 4}},
            {"externalId": "a", "axes": {"rows": 1, "columns": 4}},
        ],
        "correctness": {"comparator": "not_asserted"},
        "aggregation": {"metric": "score", "statistic": "geomean"},
    }
    return make_manifest_value("WorkloadSuite", spec | changes)


def make_project(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A software project; changes go to its spec."""
    return make_manifest_value("SoftwareProject", {"name": "Example"} | changes)


def make_implementation(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """An implementation of which nothing is known but its language; changes go to its spec."""
    spec: Plain = {
        "projectRevision": {},
        "operation": {"specDigest": digest_of("0")},
        "callable": {"language": "triton"},
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": {},
    }
    return make_manifest_value("ImplementationRevision", spec | changes)


def make_protocol(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A protocol that compares by the median; changes go to its spec."""
    spec = {
        "harness": {"name": "Example harness"},
        "measurement": {"timer": "cuda_events", "primaryStatistic": "median"},
    }
    return make_manifest_value("BenchmarkProtocol", spec | changes)


def make_environment(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A device of which no software is known; changes go to its spec."""
    hardware = {"vendor": "nvidia", "product": "NVIDIA A100", "architecture": "sm_80"}
    return make_manifest_value(
        "ExecutionEnvironment", {"hardware": hardware, "software": {}} | changes
    )


def make_run(*, median: int | str = 8120, **changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A passed run with a median latency in nanoseconds; changes go to its spec."""
    spec = {
        "implementationDigest": digest_of("1"),
        "workloadDigest": digest_of("2"),
        "protocolDigest": digest_of("3"),
        "environmentDigest": digest_of("4"),
        "status": "passed",
        "timing": {"primaryStatistic": "median", "latencyNs": {"median": median}},
        "observedAt": "2026-01-02T03:04:05.678Z",
    }
    return make_manifest_value("BenchmarkRun", spec | changes)


def make_source(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A source of runs; changes go to its spec."""
    spec = {"name": "Example benchmark", "kind": "benchmark"} | changes
    return make_manifest_value("Source", spec, version=OWN_VERSION)


def make_listing(*entries: Mapping[str, Any]) -> Plain:
    """A listing of entries; one entry that says nothing but its subject where none is given."""
    spec = {"entries": [dict(entry) for entry in entries] or [{"subject": digest_of("1")}]}
    return make_manifest_value("Listing", spec, version=OWN_VERSION)


def make_attestation(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A note about a run; changes go to its spec."""
    spec = {
        "run": digest_of("1"),
        "kind": "note",
        "statement": "Clocks were not locked.",
        "by": "somebody",
        "at": "2026-01-02T03:04:05Z",
    }
    return make_manifest_value("Attestation", spec | changes, version=OWN_VERSION)


def make_correction(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A retraction of a run; changes go to its spec."""
    spec = {
        "run": digest_of("1"),
        "action": "retract",
        "reason": "The timer was wrong.",
        "by": "somebody",
        "at": "2026-01-02T03:04:05Z",
    }
    return make_manifest_value("Correction", spec | changes, version=OWN_VERSION)


def make_publication(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """The first entry of a log, with one object; changes go to its spec."""
    spec = {
        "sequence": 1,
        "publishedAt": "2026-01-02T03:04:05.678Z",
        "publishedBy": "somebody",
        "objectCount": 1,
        "objects": [object_id_of_digit("1")],
    }
    return make_manifest_value("Publication", spec | changes, version=OWN_VERSION)


def make_model(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A model that is served; changes go to its spec."""
    return make_manifest_value("ModelRevision", {"model": "Example 7B"} | changes)


def make_stack(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A serving stack; changes go to its spec."""
    spec = {"project": {"name": "Example server"}, "revision": {"version": "1.0"}}
    return make_manifest_value("ServingStackRevision", spec | changes)


def make_configuration(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A setting of a serving stack; changes go to its spec."""
    return make_manifest_value("ServingConfiguration", {"stackDigest": digest_of("5")} | changes)


def make_load(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A load on a serving stack; changes go to its spec."""
    spec = {"streaming": True, "loadGeneration": "offline"} | changes
    return make_manifest_value("ServingWorkload", spec)


def make_serving_run(**changes: Any) -> Plain:  # noqa: ANN401 - any JSON value
    """A run of a serving stack; changes go to its spec."""
    spec = {
        "modelDigest": digest_of("6"),
        "configurationDigest": digest_of("7"),
        "workloadDigest": digest_of("8"),
        "topology": {"acceleratorModel": "NVIDIA H200", "acceleratorsPerNode": 8, "nodeCount": 1},
        "harness": {"name": "loadgen", "version": "5.1"},
        "qualityPolicy": "closed_99",
        "status": "valid",
        "measurements": [
            {
                "metric": "output_token_throughput_tps",
                "unit": "tokens_s",
                "statistic": "reported",
                "value": 8840.42,
            }
        ],
        "observedAt": "2025-09-04T19:30:14Z",
    }
    return make_manifest_value("ServingRun", spec | changes)


def one_of_each_kind() -> tuple[Plain, ...]:
    """The smallest valid manifest of every kind."""
    return (
        make_operation(),
        make_workload(),
        make_suite(),
        make_project(),
        make_implementation(),
        make_protocol(),
        make_environment(),
        make_run(),
        make_model(),
        make_stack(),
        make_configuration(),
        make_load(),
        make_serving_run(),
        make_source(),
        make_listing(),
        make_attestation(),
        make_correction(),
        make_publication(),
    )
