"""Second pass over an export: references, cohort keys, primary values and measurements compared.

Tables are visited so that a row comes after those it refers to; a row whose reference is refused is
refused as well, and its message names the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from kgraph.canonical import JsonValue, show
from kgraph.digest import SpecDigest
from kgraph.importers.batch import PublishedRecord, RefusalCause
from kgraph.importers.kernelindex.listings import RUN_TABLES
from kgraph.importers.kernelindex.rows import RowRefusedError, pick
from kgraph.manifest import (
    cohort_key,
    correctness_key,
    metric_key,
    metric_set_key,
    primary_measurement,
    serving_cohort_key,
    serving_protocol_key,
)
from kgraph.vocab import CohortKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgraph.importers.kernelindex.ledger import Ledger
    from kgraph.importers.kernelindex.rows import Row
    from kgraph.importers.kernelindex.tables import Entry, Tables

# How the export calls a statistic of a timing where it does not use the manifest's word.
_STATISTIC_COLUMNS: Final = {"minimum": "min", "maximum": "max"}

_HARDWARE_COLUMNS: Final = {
    "hardwareVendor": "vendor",
    "hardwareModel": "product",
    "hardwareArchitecture": "architecture",
}
_TOPOLOGY_COLUMNS: Final = {
    "acceleratorVendor": "acceleratorVendor",
    "acceleratorModel": "acceleratorModel",
    "acceleratorCount": "acceleratorsPerNode",
    "nodeCount": "nodeCount",
}

_Statement = tuple[JsonValue, JsonValue, JsonValue]
"""Unit, value and sample count of one measurement."""


@dataclass(frozen=True, slots=True)
class Links:
    """What rows without a manifest say of others."""

    aliases: Mapping[SpecDigest, tuple[str, ...]]
    """Other names of operations."""
    records: tuple[PublishedRecord, ...]
    """The record history as published."""


def link(tables: Tables, ledger: Ledger) -> Links:
    """What rows say of each other; afterwards `tables` holds only those that stand in all respects.

    Refusals and comparisons are written into `ledger`.
    """
    linker = _Linker(tables, ledger)
    steps: tuple[tuple[str, Callable[[Entry], None]], ...] = (
        ("operations", linker.link_operation),
        ("workloads", linker.link_workload),
        ("implementations", linker.link_implementation),
        ("benchmark_runs", linker.link_run),
        ("serving_stack_revisions", linker.link_stack),
        ("serving_configurations", linker.link_configuration),
        ("serving_runs", linker.link_serving_run),
    )
    for table, step in steps:
        linker.link_table(table, step)
    for table in RUN_TABLES:
        # A run that falls may be what an earlier row of the file supersedes.
        while linker.link_table(table, linker.link_superseded):
            pass
    aliases: dict[SpecDigest, list[str]] = {}
    for row in tables.aliases:
        with linker.attempt(row):
            operation = tables.find(row, "operationId", "operations")
            aliases.setdefault(operation.digest, []).append(row.short("alias"))
    for row in tables.measurements:
        with linker.attempt(row):
            linker.compare_measurement(row)
    records: list[PublishedRecord] = []
    for row in tables.record_events:
        with linker.attempt(row):
            records.append(linker.read_record(row))
    return Links({digest: tuple(names) for digest, names in aliases.items()}, tuple(records))


class _Linker:
    def __init__(self, tables: Tables, ledger: Ledger) -> None:
        self._tables = tables
        self._ledger = ledger
        self._correctness_keys: dict[SpecDigest, str] = {}
        self._statements: dict[str, dict[tuple[str, str], _Statement]] = {}

    @contextmanager
    def attempt(self, row: Row) -> Iterator[None]:
        """A block in which a refusal is noted, so that the import goes on."""
        try:
            yield
        except RowRefusedError as error:
            self._ledger.refuse(row.line, error)

    def link_table(self, table: str, step: Callable[[Entry], None]) -> bool:
        """Whether a row of `table` fell, as those do that `step` refuses."""
        has_fallen = False
        for entry in self._tables.entries(table):
            try:
                step(entry)
            except RowRefusedError as error:
                self._tables.drop(entry)
                self._ledger.refuse(entry.row.line, error)
                has_fallen = True
        return has_fallen

    def link_operation(self, entry: Entry) -> None:
        self._note_supersession(entry)

    def link_workload(self, entry: Entry) -> None:
        operation = self._tables.find(entry.row, "operationId", "operations")
        self._same(entry, "operationId", operation, "operationSpecDigest")

    def link_implementation(self, entry: Entry) -> None:
        self._tables.find(entry.row, "projectId", "projects")
        operation = self._tables.find(entry.row, "operationId", "operations")
        self._same(entry, "operationId", operation, "operation", "specDigest")
        self._note_supersession(entry)

    def link_run(self, entry: Entry) -> None:
        row, tables, compare = entry.row, self._tables, self._ledger.compare
        implementation = tables.find(row, "implementationId", "implementations")
        workload = tables.find(row, "workloadId", "workloads")
        tables.find(row, "sourceId", "sources")
        self._same(entry, "implementationId", implementation, "implementationDigest")
        self._same(entry, "workloadId", workload, "workloadDigest")
        run, protocol, environment = entry.manifests
        correctness = self._correctness_key(workload)
        compare(row, "correctnessKey", correctness, "the workload")

        primary = primary_measurement(run.spec, protocol.spec)
        compare(row, "primaryMetric", primary.metric, "the run manifest")
        compare(row, "primaryValue", primary.value, "the run manifest")
        compare(row, "primaryUnit", primary.unit, "the run manifest")
        compare(row, "primaryStatistic", primary.statistic, "the run manifest")
        count = self._sample_count(entry, primary.metric, primary.statistic)
        compare(row, "sampleCount", count, "the run manifest")
        interval = pick(run.spec, "timing", "latencyNs", "confidence95")
        low, high = interval if isinstance(interval, list) else (None, None)
        compare(row, "uncertaintyLow", low, "the run manifest")
        compare(row, "uncertaintyHigh", high, "the run manifest")
        cohort = cohort_key(
            operation=SpecDigest(str(workload.spec["operationSpecDigest"])),
            workload=workload.digest,
            protocol=protocol.identified.digest,
            environment=environment.identified.digest,
            correctness=correctness,
            metric=metric_key(primary),
        )
        compare(row, "comparisonKey", cohort, "the manifests")

        compare(row, "status", run.spec["status"], "the run manifest")
        self._same_instant(entry, "observedAt")
        _check_retraction(row)
        for column, field in _HARDWARE_COLUMNS.items():
            stated = pick(environment.spec, "hardware", field)
            compare(row, column, stated, "the environment manifest")
        compare(row, "hasRawEvidence", _has_raw_evidence(run.spec), "the run manifest")
        has_source = _has_public_source(implementation.spec)
        compare(row, "sourceAvailable", has_source, "the implementation")

    def link_superseded(self, entry: Entry) -> None:
        if entry.row.columns.get("supersedesId") is not None:
            other = self._tables.find(entry.row, "supersedesId", entry.row.table)
            if other is entry:
                found = f"{entry.row.text('supersedesId')}, the row itself"
                raise entry.row.refuse("supersedesId", found, "the id of another row")

    def link_stack(self, entry: Entry) -> None:
        self._tables.find(entry.row, "projectId", "projects")

    def link_configuration(self, entry: Entry) -> None:
        stack = self._tables.find(entry.row, "stackRevisionId", "serving_stack_revisions")
        self._same(entry, "stackRevisionId", stack, "stackDigest")

    def link_serving_run(self, entry: Entry) -> None:
        row, tables, compare = entry.row, self._tables, self._ledger.compare
        model = tables.find(row, "modelRevisionId", "model_revisions")
        configuration = tables.find(row, "configurationId", "serving_configurations")
        workload = tables.find(row, "workloadId", "serving_workloads")
        tables.find(row, "sourceId", "sources")
        self._same(entry, "modelRevisionId", model, "modelDigest")
        self._same(entry, "configurationId", configuration, "configurationDigest")
        self._same(entry, "workloadId", workload, "workloadDigest")
        spec = entry.spec
        protocol = serving_protocol_key(spec, workload.spec)
        compare(row, "protocolKey", protocol, "the run and workload manifests")
        compare(row, "metricSetKey", metric_set_key(spec), "the run manifest")
        cohort = serving_cohort_key(spec, workload.spec, model.spec)
        compare(row, "cohortKey", cohort, "the manifests")
        compare(row, "status", spec["status"], "the run manifest")
        compare(row, "qualityPolicy", spec["qualityPolicy"], "the run manifest")
        self._same_instant(entry, "observedAt")
        _check_retraction(row)
        for column, field in _TOPOLOGY_COLUMNS.items():
            compare(row, column, pick(spec, "topology", field), "the run manifest")

    def compare_measurement(self, row: Row) -> None:
        table = "serving_runs" if row.table == "serving_measurements" else "benchmark_runs"
        run = self._tables.find(row, "runId", table)
        name = (row.text("metric"), row.text("statistic"))
        stated = self._statements_of(run).get(name)
        if stated is None:
            self._ledger.count(f"{row.table}.value", is_match=False)
            expected = "a measurement that the run manifest has"
            found = show(" ".join(name))
            raise row.refuse("statistic", found, expected, RefusalCause.PARITY)
        for column, value in zip(("unit", "value", "sampleCount"), stated, strict=True):
            self._ledger.compare(row, column, value, "the run manifest")

    def read_record(self, row: Row) -> PublishedRecord:
        """The event that the row publishes."""
        run = self._tables.find(row, "runId", "benchmark_runs")
        self._ledger.compare(row, "comparisonKey", run.row.columns["comparisonKey"], "its run")
        previous = None
        if row.columns.get("previousRunId") is not None:
            previous = self._tables.find(row, "previousRunId", "benchmark_runs").digest
        return PublishedRecord(
            CohortKey(row.digest("comparisonKey")), run.digest, previous, row.instant("at")
        )

    def _statements_of(self, run: Entry) -> Mapping[tuple[str, str], _Statement]:
        statements = self._statements.get(run.digest)
        if statements is None:
            statements = self._statements[run.digest] = _read_statements(run.spec)
        return statements

    def _sample_count(self, run: Entry, metric: str, statistic: str | None) -> JsonValue:
        if statistic is None:
            return None
        column = _STATISTIC_COLUMNS.get(statistic, statistic)
        stated = self._statements_of(run).get((metric, column))
        return stated[2] if stated is not None else None

    def _note_supersession(self, entry: Entry) -> None:
        # Only runs are corrected; an operation or implementation that follows another stands beside
        # it under its own digest.
        if entry.row.columns.get("supersedesId") is not None:
            self._ledger.leave_out(f"{entry.row.table} column supersedesId")

    def _correctness_key(self, workload: Entry) -> str:
        known = self._correctness_keys.get(workload.digest)
        if known is None:
            correctness = workload.spec["correctness"]
            assert isinstance(correctness, Mapping)  # noqa: S101 - both kinds of workload have one
            known = correctness_key(correctness)
            self._correctness_keys[workload.digest] = known
        return known

    def _same(self, entry: Entry, column: str, cited: Entry, *path: str) -> None:
        """Compare the row that a column refers to with the digest that the manifest cites."""
        stated = pick(entry.spec, *path)
        is_match = stated == cited.digest
        self._ledger.count(f"{entry.row.table}.{column}", is_match=is_match)
        if not is_match:
            expected = f"the row of {stated}, as the manifest says"
            found = f"the row of {cited.digest}"
            raise entry.row.refuse(column, found, expected, RefusalCause.PARITY)

    def _same_instant(self, entry: Entry, column: str) -> None:
        """Compare instants: a manifest may leave out the milliseconds that a column writes."""
        stated = entry.spec[column]
        published = entry.row.instant(column)
        is_match = isinstance(stated, str) and datetime.fromisoformat(stated) == published
        self._ledger.count(f"{entry.row.table}.{column}", is_match=is_match)
        if not is_match:
            expected = f"{show(stated)}, as the run manifest says"
            raise entry.row.refuse(column, entry.row.text(column), expected, RefusalCause.PARITY)


def _check_retraction(row: Row) -> None:
    if row.columns.get("retractedAt") is not None:
        row.instant("retractedAt")
        if row.columns.get("retractionReason") is not None:
            row.text("retractionReason", limit=500)


def _read_statements(spec: Mapping[str, JsonValue]) -> dict[tuple[str, str], _Statement]:
    """What a run manifest measures, by metric and statistic; what its timing says comes first."""
    statements: dict[tuple[str, str], _Statement] = {}
    samples = pick(spec, "timing", "samples")
    latencies = pick(spec, "timing", "latencyNs")
    if isinstance(latencies, Mapping):
        for statistic, value in latencies.items():
            column = _STATISTIC_COLUMNS.get(statistic, statistic)
            statements["latency", column] = ("ns", value, samples)
    measurements = spec.get("measurements")
    if isinstance(measurements, list):
        for item in measurements:
            name = (str(pick(item, "metric")), str(pick(item, "statistic")))
            stated = (pick(item, "unit"), pick(item, "value"), pick(item, "sampleCount"))
            statements.setdefault(name, stated)
    return statements


def _has_raw_evidence(run: Mapping[str, JsonValue]) -> bool:
    paths = (("timing", "rawSamples"), ("evidence", "rawSamples"), ("evidence", "logs"))
    return any(pick(run, *path) is not None for path in paths)


def _has_public_source(implementation: Mapping[str, JsonValue]) -> bool:
    paths = (("projectRevision", "repository"), ("source",))
    return any(pick(implementation, *path) is not None for path in paths)
