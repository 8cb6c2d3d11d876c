"""The tables that are handed out for analysis, and what each column of them means.

This is the one place that says so: the Parquet files, their data dictionary and its README are made
from it. A table reads one relation of the index; an order that no two rows share makes its file the
same each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_DIGEST = "`sha256:<hex>`"
_RUN_UNIT = "as `unit` says"


@dataclass(frozen=True, slots=True)
class AnalysisColumn:
    """One column of a table for analysis."""

    name: str
    meaning: str
    null: str | None = None
    """What absence means; None where there is always a value."""
    unit: str | None = None
    sql: str | None = None
    """How it is read from the relation; by its name where None."""


@dataclass(frozen=True, slots=True)
class AnalysisTable:
    """One table for analysis."""

    name: str
    meaning: str
    relation: str
    order: str
    columns: tuple[AnalysisColumn, ...]


def _c(
    name: str,
    meaning: str,
    null: str | None = None,
    *,
    unit: str | None = None,
    sql: str | None = None,
) -> AnalysisColumn:
    return AnalysisColumn(name, meaning, null, unit, sql)


_OPERATION = (
    _c("operation", f"spec digest of the operation, {_DIGEST}"),
    _c("operation_slug", "name of the operation in addresses"),
    _c("family", "slug of the operation's family"),
)
_DEVICE = (
    _c("vendor", "maker of the device"),
    _c("product", "device as its source names it"),
    _c("form_factor", "e.g. SXM or PCIe", "the source does not say"),
    _c("architecture", "instruction set of the device; `unknown` where the source says so"),
)
_USE = (
    _c("license", "SPDX expression that is concluded", "none can be concluded"),
    _c("is_permissive", "whether that licence is permissive"),
    _c("is_deployable", "public source, install recipe and known licence are all there"),
)
_COUNTS = (
    _c("run_count", "runs stored", unit="runs"),
    _c("eligible_run_count", "of them, those that may rank", unit="runs"),
)
_LAST = _c(
    "last_observed_at",
    "latest observation among eligible runs",
    "nothing eligible is stored",
    unit="UTC",
)

_TABLE_LIST: Final = (
    AnalysisTable(
        "runs",
        "Kernel runs, each with what policy says of it and where it stands in its cohort.",
        "run",
        "digest",
        (
            _c("digest", f"spec digest of the run, {_DIGEST}"),
            _c("object_id", "which bytes are stored, `blake3:<hex>`"),
            _c("title", "for people"),
            _c("status", "how the run ended: passed, or why not"),
            _c("observed_at", "when it was measured", unit="UTC"),
            _c("published_at", "when its source, else this catalogue, made it public", unit="UTC"),
            _c("source", "slug of the source"),
            *_OPERATION,
            _c("workload", f"spec digest of the case or suite, {_DIGEST}"),
            _c("implementation", f"spec digest of the implementation, {_DIGEST}"),
            _c("implementation_title", "implementation for people"),
            _c("language", "language of the implementation"),
            _c("project_slug", "project of the implementation", "it belongs to none"),
            _c("protocol", f"spec digest of the protocol, {_DIGEST}"),
            _c("environment", f"spec digest of the environment, {_DIGEST}"),
            *_DEVICE,
            _c("cohort", "key of the cohort: runs compare with runs of the same key only"),
            _c("metric", "what is compared; `none` where the run has nothing to be compared by"),
            _c("statistic", "statistic of the metric", "the source does not say"),
            _c("unit", "unit of `value`", "the metric has none, or there is no value"),
            _c("value", "primary measurement", "the run has none", unit=_RUN_UNIT),
            _c(
                "interval_low",
                "lower end of the declared 95 % confidence interval",
                "none is declared",
                unit=_RUN_UNIT,
            ),
            _c("interval_high", "upper end of it", "none is declared", unit=_RUN_UNIT),
            _c("sample_count", "samples behind the value", "the source does not say"),
            _c("has_raw_samples", "whether raw samples are cited"),
            _c("has_logs", "whether logs are cited"),
            _c("has_source_digest", "whether the exact source bytes are identified"),
            _c("has_public_source", "whether the source can be read by everyone"),
            _c("is_baseline", "whether its source labels the implementation a baseline"),
            _c("is_controlled", "whether this catalogue's own runner made it"),
            _c("independent_runners", "distinct runners with a passing run of the same identity"),
            _c("is_eligible", "whether it may rank (policy ranking-v1)"),
            _c("reasons", "why it may not rank, else the rules that it meets"),
            _c("evidence", "evidence level: REPORTED, REPRODUCIBLE, VERIFIED or REPLICATED"),
            _c("evidence_reasons", "what the level follows from"),
            _c("rank", "dense rank in the cohort, 1 is best", "it may not rank"),
            _c("is_tied", "whether another run shares the rank", "it may not rank"),
            _c("position", "display order; inside a tie it is no claim", "it may not rank"),
            _c(
                "ratio_to_leader",
                "1 for the leader, above 1 is worse whatever the metric",
                "it may not rank",
            ),
            _c(
                "speedup_over_baseline",
                "above 1 is better than the cohort's baseline",
                "it may not rank, or the cohort has no baseline",
            ),
            *_USE,
        ),
    ),
    AnalysisTable(
        "cohorts",
        "Sets of runs that may be compared, each with its standing record.",
        "cohort",
        "key",
        (
            _c("key", "cohort key, `sha256:<hex>`"),
            *_OPERATION,
            _c("workload", f"spec digest of the case or suite, {_DIGEST}"),
            _c("protocol", f"spec digest of the protocol, {_DIGEST}"),
            _c("environment", f"spec digest of the environment, {_DIGEST}"),
            _c("source", "slug of the source"),
            _c("profile", "SOURCE_NATIVE, STRICT_EXACT or CONTROLLED"),
            _c("metric", "what is compared; `none` where the runs have nothing"),
            _c("statistic", "statistic of the metric", "the source does not say"),
            _c("unit", "unit of the values", "the metric has none, or there is no value"),
            *_DEVICE,
            *_COUNTS,
            _LAST,
            _c("record", f"run that holds the record, {_DIGEST}", "no eligible run is stored"),
            _c("record_value", "its value", "no eligible run is stored", unit=_RUN_UNIT),
            _c("record_since", "when it took the record", "no eligible run is stored", unit="UTC"),
            _c("record_event_count", "changes of the record", unit="events"),
        ),
    ),
    AnalysisTable(
        "records",
        "Standing records, one a cohort that has an eligible run.",
        "record",
        "cohort",
        (
            _c("cohort", "cohort key"),
            _c("run", f"run that holds the record, {_DIGEST}"),
            *_OPERATION,
            _c("workload", f"spec digest of the case or suite, {_DIGEST}"),
            _c("source", "slug of the source"),
            _c("vendor", "maker of the device"),
            _c("product", "device as its source names it"),
            _c("architecture", "instruction set of the device"),
            _c("metric", "what is compared"),
            _c("unit", "unit of `value`", "the metric has none"),
            _c("value", "value of the record", unit=_RUN_UNIT),
            _c("since", "when the run took the record", unit="UTC"),
            _c("observed_at", "when the run was measured", unit="UTC"),
            _c("language", "language of the implementation"),
            _c("project_slug", "project of the implementation", "it belongs to none"),
            _c("evidence", "evidence level of the run"),
            *_USE,
        ),
    ),
    AnalysisTable(
        "record_events",
        "Every change of a record, as derived by the policy that each row names.",
        "event",
        "cohort, ordinal",
        (
            _c("cohort", "cohort key"),
            _c("ordinal", "1 for the first event of the cohort"),
            _c("at", "when the record changed", unit="UTC", sql="changed_at"),
            _c("cause", "new_run, retraction or supersession"),
            _c("policy", "version of the rules that derived it"),
            _c("run", "record after the event", "a correction left no eligible run"),
            _c("previous_run", "record before the event", "it is the cohort's first"),
            _c("value", "value of the record after it", "no run holds it", unit=_RUN_UNIT),
            _c("previous_value", "value before it", "it is the cohort's first", unit=_RUN_UNIT),
            _c(
                "improvement_percent",
                "how much better, in percent of the previous value",
                "it is the cohort's first, or no run holds the record",
                unit="%",
            ),
            *_OPERATION,
            _c("workload", f"spec digest of the case or suite, {_DIGEST}"),
            _c("product", "device as its source names it"),
            _c("source", "slug of the source"),
            _c("metric", "what is compared"),
            _c("unit", "unit of the values", "the metric has none"),
        ),
    ),
    AnalysisTable(
        "operations",
        "What is computed.",
        "operation",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("slug", "name in addresses"),
            _c("title", "for people"),
            _c("description", "a paragraph for people", "the source gives none"),
            _c("family", "slug of its family"),
            _c("aliases", "other names"),
            _c("tags", "words it may be found by"),
            _c("mutation", "none, in_place or destination"),
            _c("determinism", "deterministic, nondeterministic or unspecified"),
            _c("expression", "what it computes, written out", "the source gives none"),
            _c(
                "axes",
                "declared axes: JSON list of name, role, value or expression",
                sql="axes_json",
            ),
            _c("inputs", "declared inputs: JSON list", sql="inputs_json"),
            _c("outputs", "declared outputs: JSON list", sql="outputs_json"),
            *_COUNTS,
            _LAST,
        ),
    ),
    AnalysisTable(
        "workloads",
        "Exact instances of operations: a case, or a suite of cases.",
        "workload",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            *_OPERATION,
            _c("is_suite", "whether it is a suite of cases"),
            _c("name", "short name"),
            _c("title", "for people", "the source gives none"),
            _c("label", "axes and dtypes that tell it from others"),
            _c("axis_names", "names of its axes; empty for a suite"),
            _c("axis_values", "values, in the order of `axis_names`"),
            _c("dtypes", "distinct dtypes of its tensors"),
            _c("tensors", "tensors: JSON list of name, dtype and shape", sql="tensors_json"),
            _c("scalars", "scalar arguments: JSON list", sql="scalars_json"),
            _c(
                "cases",
                "axes of each case of a suite: JSON list; empty for a case",
                sql="case_axes_json",
            ),
            _c("comparator", "how results are checked"),
            _c("correctness_key", "digest of the whole correctness rule"),
            _c("aggregation_metric", "what a suite is summed up by", "it is a case"),
            _c("aggregation_statistic", "how", "it is a case"),
            *_COUNTS,
        ),
    ),
    AnalysisTable(
        "implementations",
        "Revisions of code that compute an operation.",
        "implementation",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            *_OPERATION,
            _c("slug", "name in addresses"),
            _c("title", "for people"),
            _c("language", "language it is written in"),
            _c("version", "release or revision as its source names it", "unknown"),
            _c("commit", "commit of the revision", "unknown", sql="commit_id"),
            _c("repository", "repository of the revision", "unknown"),
            _c("project", f"spec digest of its project, {_DIGEST}", "it belongs to none"),
            _c("project_slug", "slug of its project", "it belongs to none"),
            _c("license_declared", "licence as its source writes it", "the source says nothing"),
            _c("license", "SPDX expression that is concluded", "none can be concluded"),
            _c("is_permissive", "whether that licence is permissive"),
            _c("is_deployable", "public source, install recipe and known licence are all there"),
            _c("install_kind", "how it is installed", "no recipe is known"),
            _c("install_command", "command that installs it", "no recipe is known"),
            _c("source_content_digest", "digest of the exact source bytes", "not identified"),
            _c("source_url", "where the source is", "unknown"),
            _c("has_public_source", "whether the source can be read by everyone"),
            _c("is_baseline", "whether its source labels it a baseline"),
            _c("architectures", "devices it supports, as its source names them"),
            _c("dtypes", "dtypes it supports"),
            _c("authors", "who made it"),
            *_COUNTS,
            _c("record_count", "records it holds", unit="records"),
        ),
    ),
    AnalysisTable(
        "projects",
        "Software projects that hold implementations.",
        "project",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("slug", "name in addresses"),
            _c("name", "as it calls itself"),
            _c("repository", "its repository", "unknown"),
            _c("homepage", "its page", "unknown"),
        ),
    ),
    AnalysisTable(
        "protocols",
        "How runs are measured.",
        "protocol",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("title", "for people"),
            _c("harness_name", "program that measures"),
            _c("harness_repository", "its repository", "unknown"),
            _c("harness_version", "its version", "unknown"),
            _c("timer", "what times", "the source does not say"),
            _c("primary_statistic", "statistic that runs are compared by"),
            _c("timed_pass", "forward, backward or full", "the source does not say"),
            _c(
                "flushes_cache",
                "whether caches are flushed before each call",
                "the source does not say",
            ),
            _c("comparability_family", "which runs the source compares", "it does not say"),
            _c("notes", "what else the source says", "nothing"),
        ),
    ),
    AnalysisTable(
        "environments",
        "Where runs are measured.",
        "environment",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("title", "for people"),
            *_DEVICE,
            _c("memory_bytes", "memory of one device", "the source does not say", unit="bytes"),
            _c("device_count", "devices", "the source does not say"),
            _c("interconnect", "what links them", "the source does not say"),
            _c("software", "JSON list of name and version", sql="software_json"),
        ),
    ),
    AnalysisTable(
        "sources",
        "Where runs come from, and on which terms.",
        "source",
        "slug",
        (
            _c("slug", "name in addresses"),
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("name", "as it calls itself"),
            _c("kind", "its own word: benchmark, leaderboard, runner"),
            _c("url", "its page", "unknown"),
            _c("license", "licence of its data as it writes it", "it does not say"),
            _c("attribution", "whom to credit, and how", "it does not say"),
            _c("terms", "what else binds those who use the data", "it does not say"),
            _c("freshness_days", "how often something new is expected", "unknown", unit="days"),
            _c("run_count", "runs stored, serving included", unit="runs"),
            _c("last_observed_at", "latest observation", "no run is stored", unit="UTC"),
        ),
    ),
    AnalysisTable(
        "serving_runs",
        "End-to-end serving runs; never to be compared with kernels.",
        "serving_run",
        "digest",
        (
            _c("digest", f"spec digest, {_DIGEST}"),
            _c("object_id", "which bytes are stored"),
            _c("title", "for people"),
            _c("status", "the source's own word"),
            _c("observed_at", "when it was measured", unit="UTC"),
            _c("published_at", "when its source, else this catalogue, made it public", unit="UTC"),
            _c("source", "slug of the source"),
            _c(
                "cohort",
                "key within which serving runs compare",
                "the source gives none",
                sql="nullif(cohort, '')",
            ),
            _c("model", f"spec digest of the model, {_DIGEST}"),
            _c("model_name", "model for people"),
            _c("configuration", f"spec digest of the configuration, {_DIGEST}"),
            _c(
                "stack",
                f"spec digest of the software, {_DIGEST}",
                "unknown",
                sql="nullif(stack, '')",
            ),
            _c("stack_version", "version of the software", "unknown"),
            _c("workload", f"spec digest of the load, {_DIGEST}"),
            _c("workload_name", "load for people"),
            _c("scenario", "the source's own word", "it does not say"),
            _c("quality_policy", "the source's own word", "it does not say"),
            _c("accelerator_vendor", "maker of the devices", "the source does not say"),
            _c("accelerator_model", "device as its source names it"),
            _c("accelerator_count", "devices a node"),
            _c("node_count", "nodes"),
            _c("dtype", "dtype of the weights", "the source does not say"),
        ),
    ),
    AnalysisTable(
        "publications",
        "The log: what was added when, and by whom.",
        "publication",
        "sequence",
        (
            _c("sequence", "1 for the first"),
            _c("snapshot", "names the whole catalogue as of this entry", sql="object_id"),
            _c("parent", "snapshot before it", "it is the first"),
            _c("source", "slug of the source whose objects it brings", "it is none's"),
            _c("published_at", "when", unit="UTC"),
            _c("published_by", "who"),
            _c("message", "a note for people", "there is none"),
            _c("object_count", "objects it adds", unit="objects"),
        ),
    ),
    AnalysisTable(
        "corrections",
        "Published retractions and supersessions of runs.",
        "correction",
        "object_id, sequence",
        (
            _c("object_id", "which bytes are stored"),
            _c("run", f"run that no longer stands, {_DIGEST}"),
            _c("action", "retract or supersede"),
            _c("replacement", "run that takes its place", "it is retracted"),
            _c("reason", "why"),
            _c("by", "who says so", sql="made_by"),
            _c("at", "when", unit="UTC", sql="made_at"),
        ),
    ),
    AnalysisTable(
        "attestations",
        "What third parties state about runs; shown, never evidence.",
        "attestation",
        "object_id, sequence",
        (
            _c("object_id", "which bytes are stored"),
            _c("run", f"run it is about, {_DIGEST}"),
            _c("kind", "reproduction, note or dispute"),
            _c("statement", "in words"),
            _c("by", "who says so", sql="made_by"),
            _c("at", "when", unit="UTC", sql="made_at"),
        ),
    ),
)

ANALYSIS_TABLES: Final = {table.name: table for table in _TABLE_LIST}
"""Tables for analysis that are read from the index, by name."""

MEASUREMENTS: Final = AnalysisTable(
    "measurements",
    "Every figure that a run states, kernel and serving; the primary one is in `runs` as well.",
    "",
    "",
    (
        _c("run", f"spec digest of the run, {_DIGEST}"),
        _c("kind", "BenchmarkRun or ServingRun"),
        _c("metric", "what is measured"),
        _c("statistic", "statistic of it"),
        _c("unit", "unit of `value`"),
        _c("value", "the figure", unit=_RUN_UNIT),
        _c("sample_count", "samples behind it", "the source does not say"),
    ),
)
"""Table that is read from the manifests of runs, since the index keeps the primary figures only."""
