"""Columns that an export has, by table; one that is not among them is left out, and noted.

The site derives many of them from the manifest beside them; those that decide something are
compared with it (`links`), the others (labels, summaries, licence conclusions) are not read.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = "id createdAt schemaVersion manifest "
_RUN: Final = (
    "runDigest workloadId sourceId status observedAt publishedAt protocolKey reported "
    "supersedesId retractedAt retractionReason "
)
_MEASUREMENT: Final = "runId metric statistic unit value sampleCount"

KNOWN_COLUMNS: Final = {
    table: frozenset((_COMMON + columns).split())
    for table, columns in {
        "sources": "slug kind name policy",
        "projects": "slug name normalizedName canonicalUrl licenseExpression kind",
        "operations": "slug family name semanticDigest tags supersedesId",
        "operation_aliases": "operationId alias",
        "workloads": "operationId workloadDigest shapeSummary dtypes layoutKeys",
        "implementations": (
            "projectId operationId slug implementationDigest sourceRevision language framework "
            "targetArchitectures licenseExpression licenseDeclared sourceAvailable installable "
            "installKind installCommand title role supersedesId"
        ),
        "benchmark_runs": _RUN
        + (
            "implementationId hardwareVendor hardwareModel hardwareArchitecture driverMajor "
            "cudaMajor environmentKey correctnessKey comparisonKey primaryMetric primaryValue "
            "primaryUnit primaryStatistic sampleCount uncertaintyLow uncertaintyHigh "
            "reproducedByKernelindex independentReplicationCount sourceAvailable installable "
            "licenseExpression hasRawEvidence sourceNative environmentSummary"
        ),
        "measurements": _MEASUREMENT,
        "record_events": "comparisonKey runId previousRunId policyVersion cause at",
        "artifacts": "contentDigest kind mediaType sizeBytes storage uri license",
        "model_revisions": "slug modelDigest name parameterCount contextLength tokenizer license",
        "serving_stack_revisions": "projectId slug stackDigest name version",
        "serving_configurations": (
            "stackRevisionId configurationDigest dtype quantization tensorParallel summary"
        ),
        "serving_workloads": "workloadDigest slug name streaming loadGeneration",
        "serving_runs": _RUN
        + (
            "modelRevisionId configurationId cohortKey qualityPolicy metricSetKey scenario "
            "acceleratorVendor acceleratorModel acceleratorCount nodeCount totalAccelerators"
        ),
        "serving_measurements": _MEASUREMENT,
    }.items()
}
"""Names of columns by table."""
