"""Rows of the raw tables, from stored manifests.

A manifest here is one the store already verified and ingest already validated, so its fields are
read directly. What needs a second manifest (a workload's label its operation, a run's cohort key
its workload and protocol) is looked up in `Known`: kinds are extracted in the order in which they
cite each other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.canonical import encode_canonical
from kgraph.digest import ObjectId, SpecDigest, digest_spec
from kgraph.manifest import (
    Primary,
    cohort_key,
    correctness_key,
    metric_key,
    primary_measurement,
)
from kgraph.store import ObjectStrangeError
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Row = dict[str, Any]
Manifest = dict[str, Any]


# Where a run's workload cites what is not there.
_OF_WORKLOAD = "spec.workloadDigest → spec.operationSpecDigest"


@dataclass(frozen=True, slots=True)
class KnownWorkload:
    """What a run needs of its workload."""

    operation: SpecDigest
    correctness_key: str


@dataclass(slots=True)
class Known:
    """What the catalogue holds before and while a publication is extracted, by digest."""

    workloads: dict[str, KnownWorkload] = field(default_factory=dict)
    statistics: dict[str, str] = field(default_factory=dict)
    """primaryStatistic of each protocol."""
    operations: set[str] = field(default_factory=set)
    implementations: set[str] = field(default_factory=set)
    environments: set[str] = field(default_factory=set)
    dangling: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """What each run cites that is not there, by field."""
    cohorts: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Keys made so far: the runs of a cohort are many, and hashing is most of a run's cost."""

    def find_missing(self, cited: Mapping[str, str]) -> dict[str, str]:
        """What a run cites that is not there, or is of another kind than the field takes."""
        held: dict[str, Collection[str]] = {
            "spec.implementationDigest": self.implementations,
            "spec.workloadDigest": self.workloads,
            "spec.protocolDigest": self.statistics,
            "spec.environmentDigest": self.environments,
        }
        missing = {name: digest for name, digest in cited.items() if digest not in held[name]}
        workload = self.workloads.get(cited["spec.workloadDigest"])
        if workload is not None and workload.operation not in self.operations:
            missing[_OF_WORKLOAD] = workload.operation
        return missing

    def find_revived(self) -> list[str]:
        """Dangling runs whose lack may be over, sorted."""
        there = (
            *(self.implementations, self.workloads, self.statistics, self.environments),
            self.operations,
        )
        return sorted(
            run
            for run, missing in self.dangling.items()
            if any(digest in held for digest in missing.values() for held in there)
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """One object of a publication, read and named."""

    object_id: ObjectId
    digest: str
    kind: Kind
    manifest: Manifest
    size_bytes: int
    sequence: int
    ordinal: int

    @property
    def spec(self) -> Manifest:
        """The meaning-carrying half."""
        spec: Manifest = self.manifest["spec"]
        return spec

    @property
    def metadata(self) -> Manifest:
        """The editorial half."""
        metadata: Manifest = self.manifest["metadata"]
        return metadata

    @property
    def order(self) -> Row:
        """The columns that say which of two objects with one spec digest was published last."""
        return {"digest": self.digest, "sequence": self.sequence, "ordinal": self.ordinal}


class Extraction:
    """Rows by table, in the order they were extracted."""

    def __init__(self, known: Known) -> None:
        self.rows: defaultdict[str, list[Row]] = defaultdict(list)
        self.known = known

    def add(self, table: str, row: Row) -> None:
        """Append one row to a table."""
        self.rows[table].append(row)

    def refer(self, stored: Stored, cited: Mapping[str, str | None]) -> None:
        """Note which digests an object cites, and from which field."""
        for name, target in cited.items():
            if target is not None:
                self.add(
                    "raw_reference",
                    {"from_digest": stored.digest, "to_digest": target, "field": name},
                )


def parse_instant(text: str) -> datetime:
    """The UTC instant a manifest writes, without zone, as the index stores it."""
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)


def read_stored(object_id: ObjectId, content: bytes, sequence: int, ordinal: int) -> Stored:
    """One object with its spec digest computed from its bytes.

    Raises:
        ObjectStrangeError: the bytes are no manifest, or one of an unknown kind.
    """
    try:
        manifest: Manifest = orjson.loads(content)
        digest = _digest_meaning(manifest, content)
        kind = Kind(manifest["kind"])
    except (ValueError, KeyError, TypeError) as error:
        raise ObjectStrangeError(object_id, f"bytes that cannot be read ({error})") from error
    return Stored(object_id, digest, kind, manifest, len(content), sequence, ordinal)


def _digest_meaning(manifest: Manifest, content: bytes) -> SpecDigest:
    # Canonical JSON without `metadata`, which stands second to last: what is before and behind it
    # is taken as it is stored, so that only the short half is encoded again.
    head = f'{{"apiVersion":"{manifest["apiVersion"]}","kind":"{manifest["kind"]}",'.encode()
    passed = head + b'"metadata":' + encode_canonical(manifest["metadata"]) + b","
    if content.startswith(passed + b'"spec":'):
        return digest_spec(head + content[len(passed) :])
    return digest_spec(
        encode_canonical({key: manifest[key] for key in ("apiVersion", "kind", "spec")})
    )


def extract_objects(stored: Sequence[Stored], known: Known) -> Extraction:
    """Rows of one publication's objects.

    A run that cites what neither this nor an earlier publication holds becomes a row of `dangling`.
    """
    found = Extraction(known)
    by_kind: defaultdict[Kind, list[Stored]] = defaultdict(list)
    for item in stored:
        by_kind[item.kind].append(item)
        found.add(
            "raw_object",
            {
                **item.order,
                "object_id": item.object_id,
                "kind": item.kind.value,
                "name": item.metadata["name"],
                "size_bytes": item.size_bytes,
            },
        )
    for kind, extract in _EXTRACTORS.items():
        for item in by_kind[kind]:
            extract(found, item)
    return found


def extract_runs(stored: Sequence[Stored], known: Known) -> Extraction:
    """Rows of runs whose objects were extracted before, and that dangled then."""
    found = Extraction(known)
    for item in stored:
        _extract_run(found, item)
    return found


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _order_axes(axes: Mapping[str, int]) -> list[tuple[str, int]]:
    # Shorter names first, then by name: the order in which the field's pages list axes.
    return sorted(axes.items(), key=lambda item: (len(item[0]), item[0]))


def _extract_source(found: Extraction, item: Stored) -> None:
    spec = item.spec
    found.add(
        "raw_source",
        {
            **item.order,
            "slug": item.metadata["name"],
            "name": spec["name"],
            "kind": spec["kind"],
            "url": spec.get("url"),
            "license": spec.get("license"),
            "attribution": spec.get("attribution"),
            "terms": spec.get("terms"),
            "freshness_days": spec.get("freshnessDays"),
        },
    )


def _extract_project(found: Extraction, item: Stored) -> None:
    spec = item.spec
    found.add(
        "raw_project",
        {
            **item.order,
            "slug": item.metadata["name"],
            "name": spec["name"],
            "repository": spec.get("repository"),
            "homepage": spec.get("homepage"),
        },
    )


def _flatten_operand(operand: Manifest) -> Manifest:
    if "tensor" in operand:
        return {"name": operand["name"], **operand["tensor"]}
    return {"name": operand["name"], "dtype": operand["scalar"]["dtype"], "shape": None}


def _extract_operation(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    axes = spec["axes"]
    ordered = [{"name": name, **axes[name]} for name, _ in _order_axes(axes)]
    found.known.operations.add(item.digest)
    semantics = spec["semantics"]
    found.add(
        "raw_operation",
        {
            **item.order,
            "name": metadata["name"],
            "title": metadata.get("title"),
            "description": metadata.get("description"),
            "family": spec["family"],
            "axes_json": _json(ordered),
            "constants": [axis["name"] for axis in ordered if axis["role"] == "constant"],
            "inputs_json": _json([_flatten_operand(operand) for operand in spec["inputs"]]),
            "outputs_json": _json([_flatten_operand(operand) for operand in spec["outputs"]]),
            "mutation": semantics["mutation"],
            "determinism": semantics["determinism"],
            "expression": semantics.get("expression"),
        },
    )


def _list_shapes(tensors: Mapping[str, Manifest]) -> list[str]:
    """What a shape can be searched by: `4096x2048`, and `x:4096x2048` for one tensor."""
    shapes = {name: "x".join(map(str, tensor["shape"])) for name, tensor in tensors.items()}
    return sorted({*shapes.values(), *(f"{name}:{shape}" for name, shape in shapes.items())})


def _extract_workload(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    operation = spec["operationSpecDigest"]
    is_suite = item.kind is Kind.WORKLOAD_SUITE
    axes: Mapping[str, int] = spec.get("axes", {})
    tensors = spec.get("tensors", {})
    dtypes = sorted({tensor["dtype"] for tensor in tensors.values()})
    correctness = spec["correctness"]
    key = correctness_key(correctness)
    found.known.workloads[item.digest] = KnownWorkload(operation, key)
    cases = spec.get("cases", [])
    ordered = _order_axes(axes)
    aggregation = spec.get("aggregation", {})
    found.add(
        "raw_workload",
        {
            **item.order,
            "operation": operation,
            "is_suite": is_suite,
            "name": metadata["name"],
            "title": metadata.get("title"),
            "axes_json": _json(ordered),
            "axis_names": [name for name, _ in ordered],
            "axis_values": [value for _, value in ordered],
            "dtypes": dtypes,
            "shapes": _list_shapes(tensors),
            "tensors_json": _json([{"name": name, **tensor} for name, tensor in tensors.items()]),
            "scalars_json": _json(
                [{"name": name, **scalar} for name, scalar in spec.get("scalars", {}).items()]
            ),
            "comparator": correctness["comparator"],
            "correctness_key": key,
            "case_axes_json": _json([_order_axes(case["axes"]) for case in cases]),
            "aggregation_metric": aggregation.get("metric"),
            "aggregation_statistic": aggregation.get("statistic"),
        },
    )
    found.refer(item, {"spec.operationSpecDigest": operation})


def _find_install(spec: Manifest) -> Manifest:
    for variant in spec.get("buildVariants", []):
        install: Manifest = variant.get("install", {})
        if install:
            return install
    return {}


def _find_source_url(item: Stored) -> str | None:
    source = item.spec.get("source", {})
    urls = [source.get("url"), *(ref.get("url") for ref in item.metadata.get("sourceRefs", []))]
    return next((url for url in urls if url), None)


def _extract_implementation(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    revision, support, licensing = spec["projectRevision"], spec["support"], spec["licensing"]
    install = _find_install(spec)
    found.known.implementations.add(item.digest)
    operation = spec["operation"]["specDigest"]
    found.add(
        "raw_implementation",
        {
            **item.order,
            "operation": operation,
            "name": metadata["name"],
            "title": metadata.get("title"),
            "description": metadata.get("description"),
            "language": spec["callable"]["language"],
            "version": revision.get("version"),
            "commit_id": revision.get("commit"),
            "repository": revision.get("repository"),
            "license_declared": licensing.get("declared"),
            "license_concluded": licensing.get("concluded"),
            "install_kind": install.get("kind"),
            "install_command": install.get("command"),
            "source_content_digest": spec.get("source", {}).get("contentDigest"),
            "source_url": _find_source_url(item),
            "role": metadata.get("labels", {}).get("role"),
            "architectures": support.get("hardwareArchitectures", []),
            "dtypes": support.get("dtypes", []),
            "authors": [author["name"] for author in metadata.get("authors", [])],
        },
    )
    found.refer(item, {"spec.operation.specDigest": operation})


def _extract_protocol(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    harness, measurement = spec["harness"], spec["measurement"]
    comparability = spec.get("comparability", {})
    found.known.statistics[item.digest] = measurement["primaryStatistic"]
    found.add(
        "raw_protocol",
        {
            **item.order,
            "title": metadata.get("title") or metadata["name"],
            "harness_name": harness["name"],
            "harness_repository": harness.get("repository"),
            "harness_version": harness.get("version"),
            "timer": measurement.get("timer"),
            "primary_statistic": measurement["primaryStatistic"],
            "timed_pass": measurement.get("timedPass"),
            "flushes_cache": measurement.get("cacheFlush"),
            "comparability_family": comparability.get("family"),
            "notes": comparability.get("notes"),
        },
    )


def _flatten_software(software: Manifest) -> list[tuple[str, str]]:
    flat: dict[str, str] = {}
    for name, value in software.items():
        if name == "libraries":
            flat |= value
        elif isinstance(value, dict):
            flat[value.get("name") or name] = value.get("version", "")
        else:
            flat[name] = str(value)
    return sorted(flat.items())


def _extract_environment(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    hardware = spec["hardware"]
    found.known.environments.add(item.digest)
    found.add(
        "raw_environment",
        {
            **item.order,
            "title": metadata.get("title") or metadata["name"],
            "vendor": hardware["vendor"],
            "product": hardware["product"],
            "form_factor": hardware.get("formFactor"),
            "architecture": hardware["architecture"],
            "memory_bytes": hardware.get("memoryBytes"),
            "device_count": hardware.get("count"),
            "interconnect": hardware.get("interconnect"),
            "software_json": _json(_flatten_software(spec.get("software", {}))),
        },
    )


def _extract_listing(found: Extraction, item: Stored) -> None:
    spec = item.spec
    for entry in spec.get("entries", []):
        at = entry.get("publishedAt")
        found.add(
            "raw_listing",
            {
                "sequence": item.sequence,
                "ordinal": item.ordinal,
                "source": spec.get("source"),
                "subject": entry["subject"],
                "slug": entry.get("slug"),
                "aliases": entry.get("aliases"),
                "tags": entry.get("tags"),
                "project": entry.get("project"),
                "published_at": parse_instant(at) if at else None,
                "role": entry.get("role"),
                "cohort": entry.get("cohort"),
            },
        )
        found.refer(
            item,
            {
                "spec.entries.subject": entry["subject"],
                "spec.entries.project": entry.get("project"),
            },
        )
    for artifact in spec.get("artifacts", []):
        found.add(
            "raw_artifact",
            {
                "sequence": item.sequence,
                "content_digest": artifact["contentDigest"],
                "kind": artifact.get("kind"),
                "media_type": artifact.get("mediaType"),
                "size_bytes": artifact.get("sizeBytes"),
                "uri": artifact.get("uri"),
                "license": artifact.get("license"),
            },
        )


def _extract_correction(found: Extraction, item: Stored) -> None:
    spec = item.spec
    found.add(
        "raw_correction",
        {
            "object_id": item.object_id,
            "sequence": item.sequence,
            "ordinal": item.ordinal,
            "run": spec["run"],
            "action": spec["action"],
            "replacement": spec.get("replacement"),
            "reason": spec["reason"],
            "made_by": spec["by"],
            "made_at": parse_instant(spec["at"]),
        },
    )
    found.refer(item, {"spec.run": spec["run"], "spec.replacement": spec.get("replacement")})


def _extract_attestation(found: Extraction, item: Stored) -> None:
    spec = item.spec
    found.add(
        "raw_attestation",
        {
            "object_id": item.object_id,
            "sequence": item.sequence,
            "ordinal": item.ordinal,
            "run": spec["run"],
            "kind": spec["kind"],
            "statement": spec["statement"],
            "made_by": spec["by"],
            "made_at": parse_instant(spec["at"]),
        },
    )
    found.refer(item, {"spec.run": spec["run"]})


def _extract_serving_part(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    found.add(
        "raw_serving_part",
        {
            **item.order,
            "kind": item.kind.value,
            "name": metadata["name"],
            "title": metadata.get("title") or spec.get("model"),
            "version": spec.get("revision", {}).get("version"),
            "dtype": spec.get("dtype"),
            "stack": spec.get("stackDigest"),
            "is_streaming": spec.get("streaming"),
            "load_generation": spec.get("loadGeneration"),
        },
    )
    found.refer(item, {"spec.stackDigest": spec.get("stackDigest")})


def _extract_serving_run(found: Extraction, item: Stored) -> None:
    spec, metadata = item.spec, item.metadata
    topology, native = spec["topology"], spec.get("sourceNative", {})
    cited = {
        "spec.modelDigest": spec["modelDigest"],
        "spec.configurationDigest": spec["configurationDigest"],
        "spec.workloadDigest": spec["workloadDigest"],
    }
    found.refer(item, cited)
    found.add(
        "raw_serving_run",
        {
            **item.order,
            "object_id": item.object_id,
            "title": metadata.get("title") or metadata["name"],
            "status": spec["status"],
            "observed_at": parse_instant(spec["observedAt"]),
            "source": native.get("source"),
            "model": spec["modelDigest"],
            "configuration": spec["configurationDigest"],
            "workload": spec["workloadDigest"],
            "harness_name": spec.get("harness", {}).get("name"),
            "harness_version": spec.get("harness", {}).get("version"),
            "scenario": native.get("scenario"),
            "quality_policy": spec.get("qualityPolicy"),
            "accelerator_vendor": topology.get("acceleratorVendor"),
            "accelerator_model": topology["acceleratorModel"],
            "accelerator_count": topology["acceleratorsPerNode"],
            "node_count": topology["nodeCount"],
            "measurements_json": _json(spec["measurements"]),
        },
    )


def _extract_run(found: Extraction, item: Stored) -> None:
    spec, known = item.spec, found.known
    cited: dict[str, str] = {
        f"spec.{name}Digest": spec[f"{name}Digest"]
        for name in ("implementation", "workload", "protocol", "environment")
    }
    missing = known.find_missing(cited)
    for name, digest in missing.items():
        found.add("dangling", {"digest": item.digest, "field": name, "missing": digest})
    if missing:
        known.dangling[item.digest] |= missing
        # What a run cites is in its own row, once it has one: runs are most of a catalogue.
        found.refer(item, cited)
    else:
        _add_run(found, item)


def _find_cohort(known: Known, spec: Manifest, primary: Primary) -> str:
    workload = known.workloads[spec["workloadDigest"]]
    metric = metric_key(primary)
    parts = (spec["workloadDigest"], spec["protocolDigest"], spec["environmentDigest"], metric)
    key = known.cohorts.get(parts)
    if key is None:
        key = known.cohorts[parts] = cohort_key(
            operation=workload.operation,
            workload=spec["workloadDigest"],
            protocol=spec["protocolDigest"],
            environment=spec["environmentDigest"],
            correctness=workload.correctness_key,
            metric=metric,
        )
    return key


def _add_run(found: Extraction, item: Stored) -> None:
    spec, metadata, known = item.spec, item.metadata, found.known
    workload = known.workloads[spec["workloadDigest"]]
    statistic = known.statistics[spec["protocolDigest"]]
    primary = primary_measurement(spec, {"measurement": {"primaryStatistic": statistic}})
    timing, evidence = spec.get("timing", {}), spec.get("evidence", {})
    interval = timing.get("latencyNs", {}).get("confidence95") or (None, None)
    found.add(
        "raw_run",
        {
            **item.order,
            "object_id": item.object_id,
            "title": metadata.get("title") or metadata["name"],
            "status": spec["status"],
            "observed_at": parse_instant(spec["observedAt"]),
            "source": spec.get("sourceNative", {}).get("source"),
            "implementation": spec["implementationDigest"],
            "workload": spec["workloadDigest"],
            "protocol": spec["protocolDigest"],
            "environment": spec["environmentDigest"],
            "operation": workload.operation,
            "cohort": _find_cohort(known, spec, primary),
            "metric": primary.metric,
            "statistic": primary.statistic,
            "unit": primary.unit,
            "value": primary.value,
            "interval_low": interval[0],
            "interval_high": interval[1],
            "sample_count": timing.get("samples"),
            "has_raw_samples": bool(timing.get("rawSamples")),
            "has_logs": "logs" in evidence,
        },
    )


# In the order in which kinds cite each other: a run comes after everything it names.
_EXTRACTORS = {
    Kind.SOURCE: _extract_source,
    Kind.SOFTWARE_PROJECT: _extract_project,
    Kind.OPERATION_SPEC: _extract_operation,
    Kind.WORKLOAD_CASE: _extract_workload,
    Kind.WORKLOAD_SUITE: _extract_workload,
    Kind.IMPLEMENTATION_REVISION: _extract_implementation,
    Kind.BENCHMARK_PROTOCOL: _extract_protocol,
    Kind.EXECUTION_ENVIRONMENT: _extract_environment,
    Kind.LISTING: _extract_listing,
    Kind.CORRECTION: _extract_correction,
    Kind.ATTESTATION: _extract_attestation,
    Kind.MODEL_REVISION: _extract_serving_part,
    Kind.SERVING_STACK_REVISION: _extract_serving_part,
    Kind.SERVING_CONFIGURATION: _extract_serving_part,
    Kind.SERVING_WORKLOAD: _extract_serving_part,
    Kind.SERVING_RUN: _extract_serving_run,
    Kind.BENCHMARK_RUN: _extract_run,
}
