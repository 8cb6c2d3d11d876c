"""Keys of a serving run as the public catalogue forms them; checked on its 722 serving runs.

A serving cohort is named by SHA-256 over the canonical JSON of `{modelDigest, tokenizer,
workloadDigest, protocolKey, topologyKey, qualityPolicy, metricSetKey}`: what is served, under which
load, by which harness, on which hardware, at which quality, and what was measured. Configuration
and software stack compete inside it. `tokenizer` is the name in the model's manifest, or null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgraph.canonical import JsonValue, encode_canonical
from kgraph.digest import digest_spec
from kgraph.vocab import CohortKey


def serving_cohort_key(
    run_spec: Mapping[str, JsonValue],
    workload_spec: Mapping[str, JsonValue],
    model_spec: Mapping[str, JsonValue],
) -> CohortKey:
    """The key of the cohort within which a serving run may be compared.

    Args:
        run_spec: spec of a valid ServingRun.
        workload_spec: spec of the ServingWorkload that it cites.
        model_spec: spec of the ModelRevision that it cites.
    """
    parts: dict[str, JsonValue] = {
        "modelDigest": run_spec["modelDigest"],
        "tokenizer": _member(model_spec.get("tokenizer"), "name"),
        "workloadDigest": run_spec["workloadDigest"],
        "protocolKey": serving_protocol_key(run_spec, workload_spec),
        "topologyKey": _topology_key(run_spec.get("topology")),
        "qualityPolicy": run_spec["qualityPolicy"],
        "metricSetKey": metric_set_key(run_spec),
    }
    return CohortKey(digest_spec(encode_canonical(parts)))


def serving_protocol_key(
    run_spec: Mapping[str, JsonValue], workload_spec: Mapping[str, JsonValue]
) -> str:
    """Harness, its version, placement, streaming and load generation, parted by slashes."""
    harness = run_spec.get("harness")
    return "/".join(
        (
            str(_member(harness, "name")),
            str(_member(harness, "version")),
            str(run_spec.get("placement", "unspecified")),
            "streaming" if workload_spec.get("streaming") is True else "non_streaming",
            str(workload_spec.get("loadGeneration")),
        )
    )


def metric_set_key(run_spec: Mapping[str, JsonValue]) -> str:
    """Distinct `metric·statistic` of a serving run, sorted and parted by commas."""
    figures = run_spec.get("measurements")
    if not isinstance(figures, Sequence):
        return ""
    return ",".join(
        sorted({f"{_member(one, 'metric')}·{_member(one, 'statistic')}" for one in figures})
    )


def _topology_key(topology: JsonValue) -> str:
    per_node, nodes = _member(topology, "acceleratorsPerNode"), _member(topology, "nodeCount")
    return "/".join(
        (
            str(_member(topology, "acceleratorVendor") or "unknown"),
            str(_member(topology, "acceleratorModel")),
            f"{per_node}x{nodes}",
            str(_member(topology, "interconnect") or "unspecified"),
        )
    )


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, Mapping) else None
