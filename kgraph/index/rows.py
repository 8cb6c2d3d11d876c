"""Facts from rows: one column list and one maker a fact, in the same order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import (
    AttestationFact,
    AxisFact,
    CohortFact,
    CorrectionFact,
    CountsFact,
    EnvironmentFact,
    FamilyFact,
    HardwareFact,
    ImplementationFact,
    JudgedRun,
    MeasuredHardwareFact,
    MeasurementFact,
    ObjectFact,
    OperationFact,
    ProjectFact,
    ProjectStandingFact,
    ProtocolFact,
    PublicationFact,
    RecordEventFact,
    RunFact,
    RunVerdict,
    ScalarFact,
    ServingRunFact,
    SourceFact,
    StandingFact,
    TensorFact,
    WorkloadFact,
)
from kgraph.vocab import (
    AttestationKind,
    CorrectionAction,
    EvidenceLevel,
    Kind,
    Profile,
    RecordCause,
    RunStatus,
    TimedPass,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Cells = tuple[Any, ...]


def _columns(names: str) -> tuple[str, ...]:
    return tuple(names.split())


def _aware(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=UTC) if at is not None else None


def make_instant(at: datetime) -> datetime:
    """The aware UTC instant of a stored timestamp."""
    return at.replace(tzinfo=UTC)


def _make_corrections(text: str) -> tuple[CorrectionFact, ...]:
    if text == "[]":
        return ()
    return tuple(
        CorrectionFact(
            ObjectId(item["object_id"]),
            SpecDigest(item["run"]),
            CorrectionAction(item["action"]),
            SpecDigest(item["replacement"]) if item["replacement"] else None,
            item["reason"],
            item["by"],
            datetime.fromisoformat(item["at"]).replace(tzinfo=UTC),
        )
        for item in orjson.loads(text)
    )


RUN_FACT_COLUMNS = _columns(
    "digest object_id title status observed_at published_at source implementation workload "
    "protocol environment operation family cohort metric statistic unit value interval_low "
    "interval_high sample_count has_raw_samples has_logs has_source_digest has_public_source "
    "is_baseline is_controlled independent_runners corrections_json"
)
_N_FACT = len(RUN_FACT_COLUMNS)


def make_run_fact(row: Cells) -> RunFact:
    """A run from `RUN_FACT_COLUMNS`."""
    cells = list(row)
    cells[3] = RunStatus(cells[3])
    cells[4], cells[5] = make_instant(cells[4]), make_instant(cells[5])
    cells[28] = _make_corrections(cells[28])
    return RunFact(*cells)


JUDGED_RUN_COLUMNS = RUN_FACT_COLUMNS + _columns(
    "is_eligible reasons evidence evidence_reasons rank is_tied position ratio_to_leader "
    "speedup_over_baseline"
)


def make_judged_run(row: Cells) -> JudgedRun:
    """A run with its verdict and standing, from `JUDGED_RUN_COLUMNS`."""
    run = make_run_fact(row[:_N_FACT])
    eligible, reasons, evidence, evidence_reasons, rank, tied, position, ratio, speedup = row[
        _N_FACT:
    ]
    verdict = RunVerdict(
        run.digest, eligible, tuple(reasons), EvidenceLevel(evidence), tuple(evidence_reasons)
    )
    standing = (
        StandingFact(run.cohort, run.digest, rank, tied, position, ratio, speedup)
        if rank is not None
        else None
    )
    return JudgedRun(run, verdict, standing)


OPERATION_COLUMNS = _columns(
    "digest slug title description family axes_json inputs_json outputs_json mutation "
    "determinism expression aliases tags run_count eligible_run_count last_observed_at"
)


def make_operation(row: Cells) -> OperationFact:
    """An operation from `OPERATION_COLUMNS`."""
    cells = list(row)
    cells[5] = tuple(
        AxisFact(axis["name"], axis["role"], axis.get("value"), axis.get("expression"))
        for axis in orjson.loads(row[5])
    )
    cells[6], cells[7] = _make_tensors(row[6]), _make_tensors(row[7])
    cells[11], cells[12] = tuple(row[11]), tuple(row[12])
    cells[15] = _aware(row[15])
    return OperationFact(*cells)


def _make_tensors(text: str) -> tuple[TensorFact, ...]:
    return tuple(
        TensorFact(
            item["name"],
            item["dtype"],
            tuple(item["shape"]) if item["shape"] is not None else None,
            item.get("layout"),
        )
        for item in orjson.loads(text)
    )


WORKLOAD_COLUMNS = _columns(
    "digest operation is_suite name title label axes_json dtypes tensors_json scalars_json "
    "comparator case_axes_json aggregation_metric aggregation_statistic"
)


def _make_axes(pairs: Iterable[Iterable[Any]]) -> tuple[tuple[str, int], ...]:
    return tuple((name, value) for name, value in pairs)


def make_workload(row: Cells) -> WorkloadFact:
    """A workload from `WORKLOAD_COLUMNS`."""
    cells = list(row)
    cells[6] = _make_axes(orjson.loads(row[6]))
    cells[7] = tuple(row[7])
    cells[8] = _make_tensors(row[8])
    cells[9] = tuple(
        ScalarFact(item["name"], item["dtype"], item["value"]) for item in orjson.loads(row[9])
    )
    cells[11] = tuple(map(_make_axes, orjson.loads(row[11])))
    return WorkloadFact(*cells)


IMPLEMENTATION_COLUMNS = _columns(
    "digest operation name title description language version commit_id repository project "
    "project_slug project_name project_repository project_homepage license_declared "
    "license_concluded install_kind install_command source_content_digest source_url "
    "is_baseline architectures dtypes authors"
)


def make_implementation(row: Cells) -> ImplementationFact:
    """An implementation from `IMPLEMENTATION_COLUMNS`."""
    cells = list(row)
    cells[9:14] = [ProjectFact(*cells[9:14]) if row[9] is not None else None]
    cells[-3:] = map(tuple, cells[-3:])
    return ImplementationFact(*cells)


PROTOCOL_COLUMNS = _columns(
    "digest title harness_name harness_repository harness_version timer primary_statistic "
    "timed_pass flushes_cache comparability_family notes"
)


def make_protocol(row: Cells) -> ProtocolFact:
    """A protocol from `PROTOCOL_COLUMNS`."""
    cells = list(row)
    cells[7] = TimedPass(row[7]) if row[7] else None
    return ProtocolFact(*cells)


ENVIRONMENT_COLUMNS = _columns(
    "digest title vendor product form_factor architecture memory_bytes device_count "
    "interconnect software_json"
)


def make_environment(row: Cells) -> EnvironmentFact:
    """An environment from `ENVIRONMENT_COLUMNS`."""
    software = tuple((name, version) for name, version in orjson.loads(row[9]))
    return EnvironmentFact(row[0], row[1], HardwareFact(*row[2:9]), software)


COHORT_COLUMNS = _columns(
    "key operation family workload protocol environment source profile metric statistic unit "
    "run_count eligible_run_count last_observed_at record record_value record_since "
    "record_event_count"
)


def make_cohort(row: Cells, policy: str) -> CohortFact:
    """A cohort from `COHORT_COLUMNS`, ranked under `policy`."""
    cells = list(row)
    cells[7:8] = [Profile(row[7]), policy]
    cells[14], cells[17] = _aware(row[13]), _aware(row[16])
    return CohortFact(*cells)


EVENT_COLUMNS = _columns(
    "cohort ordinal changed_at cause policy run previous_run value previous_value"
    " improvement_percent"
)


def make_event(row: Cells) -> RecordEventFact:
    """A record event from `EVENT_COLUMNS`."""
    cells = list(row)
    cells[2], cells[3] = make_instant(row[2]), RecordCause(row[3])
    return RecordEventFact(*cells)


SOURCE_COLUMNS = _columns(
    "slug digest name kind url license attribution terms freshness_days run_count last_observed_at"
)


def make_source(row: Cells) -> SourceFact:
    """A source from `SOURCE_COLUMNS`."""
    return SourceFact(*[*row[:10], _aware(row[10])])


FAMILY_COLUMNS = _columns("slug operation_count run_count eligible_run_count last_observed_at")


def make_family(row: Cells) -> FamilyFact:
    """A family from `FAMILY_COLUMNS`; its name is its slug in words."""
    words = row[0].replace("-", " ")
    return FamilyFact(*[row[0], words[:1].upper() + words[1:], *row[1:4], _aware(row[4])])


HARDWARE_COLUMNS = _columns(
    "product vendor architectures form_factors run_count eligible_run_count cohort_count "
    "family_count last_observed_at"
)


def make_hardware(row: Cells) -> MeasuredHardwareFact:
    """A measured product from `HARDWARE_COLUMNS`."""
    cells = list(row)
    cells[2], cells[3] = tuple(row[2]), tuple(row[3] or ())
    cells[8] = _aware(row[8])
    return MeasuredHardwareFact(*cells)


OBJECT_COLUMNS = _columns("object_id digest kind name size_bytes sequence is_current")


def make_object(row: Cells) -> ObjectFact:
    """A stored object from `OBJECT_COLUMNS`."""
    cells = list(row)
    cells[2] = Kind(row[2])
    return ObjectFact(*cells)


PUBLICATION_COLUMNS = _columns(
    "sequence object_id parent source published_at published_by message object_count"
)


def make_publication(row: Cells) -> PublicationFact:
    """A publication from `PUBLICATION_COLUMNS`."""
    cells = list(row)
    cells[4] = make_instant(row[4])
    return PublicationFact(*cells)


ATTESTATION_COLUMNS = _columns("object_id run kind statement made_by made_at")


def make_attestation(row: Cells) -> AttestationFact:
    """An attestation from `ATTESTATION_COLUMNS`."""
    cells = list(row)
    cells[2], cells[5] = AttestationKind(row[2]), make_instant(row[5])
    return AttestationFact(*cells)


COUNTS_COLUMNS = _columns(
    "families operations workloads implementations runs eligible_runs cohorts record_events "
    "hardware serving_runs sources"
)


def make_counts(row: Cells) -> CountsFact:
    """The counts of a snapshot from `COUNTS_COLUMNS`."""
    return CountsFact(*row)


SERVING_RUN_COLUMNS = _columns(
    "digest object_id title status observed_at published_at source cohort model model_name "
    "configuration stack stack_version workload workload_name scenario quality_policy "
    "accelerator_vendor accelerator_model accelerator_count node_count dtype measurements_json"
)


def make_serving_run(row: Cells) -> ServingRunFact:
    """A serving run from `SERVING_RUN_COLUMNS`."""
    cells = list(row)
    cells[4], cells[5] = make_instant(row[4]), make_instant(row[5])
    cells[22] = tuple(
        MeasurementFact(
            item["metric"],
            item.get("statistic"),
            item["unit"],
            float(item["value"]),
            item.get("sampleCount"),
        )
        for item in orjson.loads(row[22])
    )
    return ServingRunFact(*cells)


PROJECT_COLUMNS = _columns(
    "slug digest name repository homepage implementation_count operation_count family_count "
    "run_count eligible_run_count record_count"
)


def make_project(row: Cells) -> ProjectStandingFact:
    """A project with how much of it is held, from `PROJECT_COLUMNS`."""
    slug, digest, name, repository, homepage, *counts = row
    return ProjectStandingFact(ProjectFact(digest, slug, name, repository, homepage), *counts)
