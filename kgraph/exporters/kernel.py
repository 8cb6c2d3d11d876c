"""Rows of the site's tables about kernels: sources, operations, workloads, runs, records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from kgraph.exporters.derived import (
    environment_summary,
    has_public_source,
    has_raw_evidence,
    iter_measurements,
    layout_keys,
    major_version,
    pick,
    shape_summary,
    source_policy,
    tensor_dtypes,
)
from kgraph.exporters.lines import Row, format_instant, row_id
from kgraph.manifest import correctness_key, primary_measurement
from kgraph.vocab import CorrectionAction, Kind, Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kgraph.catalog import Catalog, ListedFact, Walk
    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.facts import CohortFact, JudgedRun, ObjectFact

Json = dict[str, Any]


class KernelTables:
    """Rows about kernels, by table, each in the order of the digests that name them."""

    def __init__(self, catalog: Catalog, walk: Walk) -> None:
        self._catalog, self._walk = catalog, walk
        self.held_by_runs: set[ObjectId] = set()
        """Protocols and environments that a row of a run holds; whole once the runs are read."""
        self.left_out: set[ObjectId] = set()
        """Runs that no row can hold, since they cite what is not there."""
        self._beside_runs: dict[SpecDigest, tuple[Json, bytes]] = {}

    def iter_sources(self) -> Iterator[Row]:
        """`sources`: one row a slug."""
        for _, item, _, manifest in self._iter_manifests(Kind.SOURCE):
            slug = manifest["metadata"]["name"]
            if self._catalog.load_sources([slug])[slug].digest != item.digest:
                continue  # another manifest of this slug is shown
            spec = manifest["spec"]
            yield {
                "id": row_id("sources", slug),
                "slug": slug,
                "kind": spec["kind"],
                "name": spec["name"],
                "policy": source_policy(spec),
                "createdAt": None,
            }

    def iter_projects(self) -> Iterator[Row]:
        """`projects`."""
        for listed, item, content, manifest in self._iter_manifests(Kind.SOFTWARE_PROJECT):
            spec = manifest["spec"]
            yield {
                "id": row_id("projects", item.digest),
                "slug": (listed and listed.slug) or manifest["metadata"]["name"],
                "name": spec["name"],
                "normalizedName": spec["name"].lower(),
                "canonicalUrl": spec.get("repository") or spec.get("homepage"),
                "licenseExpression": None,
                "manifest": content,
                "createdAt": None,
            }

    def iter_operations(self) -> Iterator[Row]:
        """`operations`."""
        load = self._catalog.load_operations
        for _, item, content, manifest in self._iter_manifests(Kind.OPERATION_SPEC, load):
            fact = self._catalog.load_operations([item.digest])[item.digest]
            yield {
                "id": row_id("operations", item.digest),
                "slug": fact.slug,
                "family": fact.family,
                "name": fact.title,
                "schemaVersion": manifest["apiVersion"],
                "semanticDigest": item.digest,
                "manifest": content,
                "tags": fact.tags,
                "createdAt": None,
                "supersedesId": None,
            }

    def iter_aliases(self) -> Iterator[Row]:
        """`operation_aliases`."""
        for chunk in self._walk.iter_current(Kind.OPERATION_SPEC):
            facts = self._catalog.load_operations(item.digest for item in chunk)
            for item in chunk:
                for alias in sorted(facts[item.digest].aliases):
                    yield {"operationId": row_id("operations", item.digest), "alias": alias}

    def iter_workloads(self) -> Iterator[Row]:
        """`workloads`: cases, then suites."""
        for kind in (Kind.WORKLOAD_CASE, Kind.WORKLOAD_SUITE):
            for _, item, content, manifest in self._iter_manifests(kind):
                operation = manifest["spec"]["operationSpecDigest"]
                yield {
                    "id": row_id("workloads", item.digest),
                    "operationId": row_id("operations", operation),
                    "workloadDigest": item.digest,
                    "schemaVersion": manifest["apiVersion"],
                    "manifest": content,
                    "shapeSummary": shape_summary(manifest, self._load_current(operation)),
                    "dtypes": tensor_dtypes(manifest),
                    "layoutKeys": layout_keys(manifest),
                    "createdAt": None,
                }

    def iter_implementations(self) -> Iterator[Row]:
        """`implementations`."""
        kind, load = Kind.IMPLEMENTATION_REVISION, self._catalog.load_implementations
        for listed, item, content, manifest in self._iter_manifests(kind, load):
            fact = self._catalog.load_implementations([item.digest]).get(item.digest)
            spec = manifest["spec"]
            project = fact.project if fact is not None else None
            row: Row = {
                "id": row_id("implementations", item.digest),
                "projectId": None if project is None else row_id("projects", project.digest),
                "operationId": row_id("operations", spec["operation"]["specDigest"]),
                "slug": (listed and listed.slug) or manifest["metadata"]["name"],
                "implementationDigest": item.digest,
                "sourceRevision": pick(spec, "projectRevision", "version")
                or pick(spec, "projectRevision", "commit"),
                "language": spec["callable"]["language"],
                "framework": None,
                "targetArchitectures": pick(spec, "support", "hardwareArchitectures") or [],
                "licenseExpression": pick(spec, "licensing", "concluded"),
                "sourceAvailable": has_public_source(manifest),
                "installable": fact is not None and fact.install_kind is not None,
                "title": manifest["metadata"].get("title") or manifest["metadata"]["name"],
                "installKind": fact and fact.install_kind,
                "installCommand": fact and fact.install_command,
                "licenseDeclared": pick(spec, "licensing", "declared"),
                "manifest": content,
                "createdAt": None,
                "supersedesId": None,
            }
            role = listed and listed.role
            if role is not None:
                row["role"] = role
            yield row

    def iter_runs(self) -> Iterator[Row]:
        """`benchmark_runs`, each with its protocol and environment."""
        for chunk in self._walk.iter_current(Kind.BENCHMARK_RUN):
            judged = self._catalog.load_runs(item.digest for item in chunk)
            cohorts = self._catalog.load_cohorts(one.run.cohort for one in judged.values())
            superseded = self._walk.load_superseded(judged)
            cited = [
                digest
                for one in judged.values()
                for digest in (one.run.implementation, one.run.workload)
            ]
            cited_manifests = self._load_many(cited)
            self._catalog.load_implementations(one.run.implementation for one in judged.values())
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                one = judged.get(item.digest)
                if one is None:
                    self.left_out.add(item.object_id)
                    continue
                yield self._run_row(
                    one,
                    contents[item.object_id],
                    cohorts[one.run.cohort],
                    cited_manifests,
                    superseded.get(item.digest),
                )

    def _run_row(
        self,
        judged: JudgedRun,
        content: bytes,
        cohort: CohortFact,
        cited: Mapping[SpecDigest, Json],
        superseded: SpecDigest | None,
    ) -> Row:
        run, manifest = judged.run, orjson.loads(content)
        protocol, protocol_content = self._load_beside(run.protocol)
        environment, environment_content = self._load_beside(run.environment)
        implementation, workload = cited[run.implementation], cited[run.workload]
        hardware = environment["spec"]["hardware"]
        software = environment["spec"].get("software", {})
        retractions = [one for one in run.corrections if one.action is CorrectionAction.RETRACT]
        retraction = retractions[-1] if retractions else None
        installs = self._catalog.load_implementations([run.implementation])[run.implementation]
        # The index holds every value as a double; the manifest's own figure keeps its type.
        primary = primary_measurement(manifest["spec"], protocol["spec"])
        interval = pick(manifest["spec"], "timing", "latencyNs", "confidence95") or [None, None]
        return {
            "id": row_id("benchmark_runs", run.digest),
            "runDigest": run.digest,
            "implementationId": row_id("implementations", run.implementation),
            "workloadId": row_id("workloads", run.workload),
            "sourceId": row_id("sources", run.source),
            "status": run.status.value,
            "observedAt": format_instant(run.observed_at),
            "publishedAt": format_instant(run.published_at),
            "hardwareVendor": hardware["vendor"],
            "hardwareModel": hardware["product"],
            "hardwareArchitecture": hardware["architecture"],
            "driverMajor": major_version(software.get("driver")),
            "cudaMajor": major_version(software.get("cudaToolkit")),
            "protocolKey": run.protocol,
            "environmentKey": run.environment,
            "correctnessKey": correctness_key(workload["spec"]["correctness"]),
            "comparisonKey": run.cohort,
            "primaryMetric": primary.metric,
            "primaryValue": primary.value,
            "primaryUnit": primary.unit,
            "sampleCount": run.sample_count,
            "uncertaintyLow": interval[0],
            "uncertaintyHigh": interval[1],
            "reported": not run.is_controlled,
            "reproducedByKernelindex": run.is_controlled,
            "independentReplicationCount": run.independent_runners,
            "sourceAvailable": has_public_source(implementation),
            "installable": installs.install_kind is not None,
            "licenseExpression": pick(implementation["spec"], "licensing", "concluded"),
            "manifest": orjson.dumps(
                {
                    "run": orjson.Fragment(content),
                    "protocol": orjson.Fragment(protocol_content),
                    "environment": orjson.Fragment(environment_content),
                }
            ),
            "primaryStatistic": primary.statistic,
            "hasRawEvidence": has_raw_evidence(manifest),
            "sourceNative": cohort.profile is Profile.SOURCE_NATIVE,
            "environmentSummary": environment_summary(environment, protocol),
            "supersedesId": None if superseded is None else row_id("benchmark_runs", superseded),
            "retractedAt": None if retraction is None else format_instant(retraction.at),
            "retractionReason": None if retraction is None else retraction.reason,
        }

    def iter_measurements(self) -> Iterator[Row]:
        """`measurements` of the runs that have a row."""
        for chunk in self._walk.iter_current(Kind.BENCHMARK_RUN):
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                if item.object_id not in self.left_out:
                    yield from measurement_rows(
                        "measurements",
                        row_id("benchmark_runs", item.digest),
                        orjson.loads(contents[item.object_id]),
                    )

    def iter_record_events(self) -> Iterator[Row]:
        """`record_events`, as our policy derives them."""
        for chunk in self._walk.iter_record_events():
            for event in chunk:
                yield {
                    "id": row_id("record_events", event.cohort, str(event.ordinal)),
                    "comparisonKey": event.cohort,
                    "runId": event.run and row_id("benchmark_runs", event.run),
                    "previousRunId": event.previous_run
                    and row_id("benchmark_runs", event.previous_run),
                    "policyVersion": event.policy,
                    "cause": event.cause.value,
                    "at": format_instant(event.at),
                    "createdAt": None,
                }

    def iter_artifacts(self) -> Iterator[Row]:
        """`artifacts`: what Listings say of bytes kept elsewhere, the last word on each."""
        found: dict[str, Json] = {}
        for chunk in self._walk.iter_objects([Kind.LISTING]):
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                listing = orjson.loads(contents[item.object_id])
                for artifact in listing["spec"].get("artifacts", ()):
                    found[artifact["contentDigest"]] = artifact
        for digest, artifact in sorted(found.items()):
            yield {
                "id": row_id("artifacts", digest),
                "contentDigest": digest,
                "kind": artifact["kind"],
                "mediaType": artifact.get("mediaType"),
                "sizeBytes": artifact.get("sizeBytes"),
                "storage": artifact.get("storage"),
                "uri": artifact.get("uri"),
                "license": artifact.get("license"),
                "createdAt": None,
            }

    def _iter_manifests(
        self, kind: Kind, load: Callable[[list[SpecDigest]], object] | None = None
    ) -> Iterator[tuple[ListedFact | None, ObjectFact, bytes, Json]]:
        """What Listings say, the object, its bytes and its values, for each object of a kind.

        `load` is asked for the facts of each chunk, so that asking for one of them is answered from
        memory.
        """
        for chunk in self._walk.iter_current(kind):
            if load is not None:
                load([item.digest for item in chunk])
            listed = self._walk.load_listed(item.digest for item in chunk)
            contents = self._walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                content = contents[item.object_id]
                yield listed.get(item.digest), item, content, orjson.loads(content)

    def _load_many(self, digests: list[SpecDigest]) -> dict[SpecDigest, Json]:
        objects = self._catalog.load_objects(digests)
        specs = self._walk.load_specs(item.object_id for item in objects.values())
        return {digest: specs[item.object_id] for digest, item in objects.items()}

    def _load_current(self, digest: SpecDigest) -> Json | None:
        item = self._catalog.load_objects([digest]).get(digest)
        if item is None:
            return None
        manifest: Json = self._catalog.load_manifests([item.object_id])[item.object_id]
        return manifest

    def _load_beside(self, digest: SpecDigest) -> tuple[Json, bytes]:
        """A protocol or environment: a few of them serve thousands of runs."""
        known = self._beside_runs.get(digest)
        if known is None:
            item = self._catalog.load_objects([digest])[digest]
            self.held_by_runs.add(item.object_id)
            content = self._catalog.load_canonical(item.object_id)
            known = self._beside_runs[digest] = (orjson.loads(content), content)
        return known


def measurement_rows(table: str, run_id: str, manifest: Json) -> Iterator[Row]:
    """One row for each figure that a run states."""
    for metric, statistic, unit, value, count in iter_measurements(manifest):
        yield {
            "id": row_id(table, run_id, metric, statistic),
            "runId": run_id,
            "metric": metric,
            "statistic": statistic,
            "unit": unit,
            "value": value,
            "sampleCount": count,
        }
