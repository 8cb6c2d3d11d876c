"""Rows of the site's tables about end-to-end serving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from kgraph.exporters.derived import pick
from kgraph.exporters.kernel import measurement_rows
from kgraph.exporters.lines import Row, format_instant, row_id
from kgraph.manifest import metric_set_key, serving_protocol_key
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog, ListedFact, Walk
    from kgraph.digest import SpecDigest
    from kgraph.facts import ObjectFact

Json = dict[str, Any]


class ServingTables:
    """Rows about serving, by table, each in the order of the digests that name them."""

    def __init__(self, catalog: Catalog, walk: Walk) -> None:
        self._catalog, self._walk = catalog, walk

    def iter_models(self) -> Iterator[Row]:
        """`model_revisions`."""
        for listed, item, content, manifest in self._iter_manifests(Kind.MODEL_REVISION):
            spec = manifest["spec"]
            yield {
                "id": row_id("model_revisions", item.digest),
                "slug": _slug(listed, manifest),
                "modelDigest": item.digest,
                "name": spec["model"],
                "parameterCount": spec.get("parameterCount"),
                "contextLength": spec.get("contextLength"),
                "tokenizer": pick(spec, "tokenizer", "name"),
                "license": spec.get("license"),
                "schemaVersion": manifest["apiVersion"],
                "manifest": content,
                "createdAt": None,
            }

    def iter_stacks(self) -> Iterator[Row]:
        """`serving_stack_revisions`."""
        for listed, item, content, manifest in self._iter_manifests(Kind.SERVING_STACK_REVISION):
            version = manifest["spec"]["revision"].get("version")
            project = listed and listed.project
            yield {
                "id": row_id("serving_stack_revisions", item.digest),
                "projectId": project and row_id("projects", project),
                "slug": _slug(listed, manifest),
                "stackDigest": item.digest,
                "name": manifest["metadata"].get("title") or version or "",
                "version": version,
                "schemaVersion": manifest["apiVersion"],
                "manifest": content,
                "createdAt": None,
            }

    def iter_configurations(self) -> Iterator[Row]:
        """`serving_configurations`."""
        for _, item, content, manifest in self._iter_manifests(Kind.SERVING_CONFIGURATION):
            spec = manifest["spec"]
            yield {
                "id": row_id("serving_configurations", item.digest),
                "stackRevisionId": row_id("serving_stack_revisions", spec["stackDigest"]),
                "configurationDigest": item.digest,
                "dtype": spec.get("dtype"),
                "quantization": spec.get("quantization"),
                "tensorParallel": pick(spec, "parallelism", "tensor"),
                "summary": manifest["metadata"].get("title"),
                "schemaVersion": manifest["apiVersion"],
                "manifest": content,
                "createdAt": None,
            }

    def iter_workloads(self) -> Iterator[Row]:
        """`serving_workloads`."""
        for listed, item, content, manifest in self._iter_manifests(Kind.SERVING_WORKLOAD):
            spec, metadata = manifest["spec"], manifest["metadata"]
            yield {
                "id": row_id("serving_workloads", item.digest),
                "workloadDigest": item.digest,
                "slug": _slug(listed, manifest),
                "name": metadata.get("title") or metadata["name"],
                "streaming": spec["streaming"],
                "loadGeneration": spec["loadGeneration"],
                "schemaVersion": manifest["apiVersion"],
                "manifest": content,
                "createdAt": None,
            }

    def iter_runs(self) -> Iterator[Row]:
        """`serving_runs`."""
        for chunk in self._walk.iter_current(Kind.SERVING_RUN):
            facts = self._catalog.load_serving_runs(item.digest for item in chunk)
            workloads = self._load_many([fact.workload for fact in facts.values()])
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                fact, content = facts[item.digest], contents[item.object_id]
                manifest = orjson.loads(content)
                spec, topology = manifest["spec"], manifest["spec"]["topology"]
                workload = workloads.get(fact.workload)
                yield {
                    "id": row_id("serving_runs", item.digest),
                    "runDigest": item.digest,
                    "modelRevisionId": row_id("model_revisions", fact.model),
                    "configurationId": row_id("serving_configurations", fact.configuration),
                    "workloadId": row_id("serving_workloads", fact.workload),
                    "sourceId": row_id("sources", fact.source),
                    "status": spec["status"],
                    "observedAt": format_instant(fact.observed_at),
                    "publishedAt": format_instant(fact.published_at),
                    "cohortKey": fact.cohort or None,
                    "protocolKey": None
                    if workload is None
                    else serving_protocol_key(spec, workload["spec"]),
                    "qualityPolicy": spec.get("qualityPolicy"),
                    "metricSetKey": metric_set_key(spec),
                    "scenario": fact.scenario,
                    "acceleratorVendor": topology.get("acceleratorVendor"),
                    "acceleratorModel": topology["acceleratorModel"],
                    "acceleratorCount": topology["acceleratorsPerNode"],
                    "nodeCount": topology["nodeCount"],
                    "totalAccelerators": topology["acceleratorsPerNode"] * topology["nodeCount"],
                    "reported": True,
                    "schemaVersion": manifest["apiVersion"],
                    "manifest": content,
                    "supersedesId": None,
                    "retractedAt": None,
                    "retractionReason": None,
                    "createdAt": None,
                }

    def iter_measurements(self) -> Iterator[Row]:
        """`serving_measurements`."""
        for chunk in self._walk.iter_current(Kind.SERVING_RUN):
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                run_id = row_id("serving_runs", item.digest)
                manifest = orjson.loads(contents[item.object_id])
                yield from measurement_rows("serving_measurements", run_id, manifest)

    def _iter_manifests(
        self, kind: Kind
    ) -> Iterator[tuple[ListedFact | None, ObjectFact, bytes, Json]]:
        for chunk in self._walk.iter_current(kind):
            listed = self._walk.load_listed(item.digest for item in chunk)
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                content = contents[item.object_id]
                yield listed.get(item.digest), item, content, orjson.loads(content)

    def _load_many(self, digests: list[SpecDigest]) -> dict[SpecDigest, Json]:
        objects = self._catalog.load_objects(digests)
        specs = self._walk.load_specs(item.object_id for item in objects.values())
        return {digest: specs[item.object_id] for digest, item in objects.items()}


def _slug(listed: ListedFact | None, manifest: Json) -> str:
    name: str = manifest["metadata"]["name"]
    return (listed and listed.slug) or name
