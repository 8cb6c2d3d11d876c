"""Policy on two public result files: floors as observed, records and evidence as published."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from policy_facts import judge_all
from published_cohorts import (
    load_export,
    read_export_cohorts,
    read_export_runs,
    read_liger_cohorts,
)

from kgraph.policy import (
    BelowFloor,
    derive_records,
    estimate_headroom,
    judge_evidence,
    rank_cohort,
    why_below_floor,
)
from kgraph.vocab import EvidenceLevel, HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from published_cohorts import PublishedCohort

    from kgraph.facts import RunFact
    from kgraph.policy import Headroom

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / ".." / "shared" / "data"
EXPORT = DATA / "kernelindex-export" / "catalog-2026-08-16.jsonl.zst"
LIGER_CSV = DATA / "liger" / "all_benchmark_data.csv"
LIGER_BINDINGS = DATA / "liger-kernels.json"
MODELS = REPOSITORY / "kgraph" / "policy" / "data" / "headroom-families.json"

needs_export = pytest.mark.skipif(not EXPORT.exists(), reason="the public export is not here")
needs_liger = pytest.mark.skipif(
    not (LIGER_CSV.exists() and LIGER_BINDINGS.exists()), reason="the Liger file is not here"
)


def estimate(policy: HeadroomPolicy, cohort: PublishedCohort) -> Headroom:
    return estimate_headroom(
        policy,
        operation=cohort.operation,
        workload=cohort.workload,
        protocol=cohort.protocol,
        hardware=cohort.hardware,
        record_value=cohort.best,
        metric=cohort.metric,
        statistic=cohort.statistic,
        unit=cohort.unit,
    )


def observe(cohorts: Iterable[PublishedCohort]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Count, median, smallest ratio and cohorts below the floor, as the models list them."""
    ratios: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for cohort in cohorts:
        timed_pass = cohort.protocol.timed_pass
        for policy in HeadroomPolicy:
            ratio = estimate(policy, cohort).record_ratio
            if ratio is not None:
                name = "forward" if timed_pass is None else timed_pass.value
                key = (cohort.operation.family, cohort.source, name, policy.value)
                ratios[key].append(ratio)
    return {
        key: {
            "cohorts": len(found),
            "median": float(f"{median(found):.4g}"),
            "min": float(f"{min(found):.4g}"),
            "below": sum(ratio < 1 for ratio in found),
        }
        for key, found in ratios.items()
    }


def published(*, is_liger: bool) -> dict[tuple[str, ...], Mapping[str, Any]]:
    document = json.loads(MODELS.read_text("utf-8"))
    return {
        (family["family"], entry["source"], entry["pass"], policy.value): entry[policy.value]
        for family in document["families"]
        for entry in family.get("observed", ())
        for policy in HeadroomPolicy
        if (entry["source"] == "liger") is is_liger and entry[policy.value] is not None
    }


@pytest.fixture(scope="module")
def export() -> dict[str, list[Mapping[str, Any]]]:
    return load_export(EXPORT)


@pytest.fixture(scope="module")
def export_runs(export: dict[str, list[Mapping[str, Any]]]) -> list[RunFact]:
    return list(read_export_runs(export))


@pytest.fixture(scope="module")
def liger() -> list[PublishedCohort]:
    return read_liger_cohorts(LIGER_CSV, json.loads(LIGER_BINDINGS.read_text("utf-8")))


@needs_export
def test_floors_of_the_export_are_as_observed(export: dict[str, list[Mapping[str, Any]]]) -> None:
    assert observe(read_export_cohorts(export)) == published(is_liger=False)


@needs_liger
def test_floors_of_the_liger_file_are_as_observed(liger: list[PublishedCohort]) -> None:
    assert observe(liger) == published(is_liger=True)


@needs_export
@needs_liger
def test_no_published_record_lies_below_its_v2_floor(
    export: dict[str, list[Mapping[str, Any]]], liger: list[PublishedCohort]
) -> None:
    everything = [*read_export_cohorts(export), *liger]
    cohorts = [
        cohort
        for cohort in everything
        if estimate(HeadroomPolicy.HEADROOM_V2, cohort).floor_ns is not None
    ]

    v1 = [why_below_floor(estimate(HeadroomPolicy.HEADROOM_V1, cohort)) for cohort in cohorts]
    v2 = [why_below_floor(estimate(HeadroomPolicy.HEADROOM_V2, cohort)) for cohort in cohorts]

    assert len(cohorts) == 2165
    assert set(v2) == {None}
    assert len([why for why in v1 if why is not None]) == 93
    assert BelowFloor.IMPOSSIBLE not in v1


@needs_export
def test_record_events_of_the_export_are_as_published(
    export: dict[str, list[Mapping[str, Any]]], export_runs: list[RunFact]
) -> None:
    cohorts: dict[str, list[RunFact]] = defaultdict(list)
    for run in export_runs:
        cohorts[run.cohort].append(run)
    names = {row["id"]: row["runDigest"] for row in export["benchmark_runs"]}

    derived = {
        (event.cohort, event.run, event.previous_run)
        for runs in cohorts.values()
        for event in derive_records(runs, judge_all(runs))
    }

    assert derived == {
        (
            row["comparisonKey"],
            names[row["runId"]],
            row["previousRunId"] and names[row["previousRunId"]],
        )
        for row in export["record_events"]
    }


@needs_export
def test_a_run_of_the_export_stands_where_it_was_published(export_runs: list[RunFact]) -> None:
    digest = "sha256:2c100737145ac36da684577c5129b1ab502349c833c063e12729c47a52f30bf0"
    cohort = next(run.cohort for run in export_runs if run.digest == digest)
    runs = [run for run in export_runs if run.cohort == cohort]

    standings = rank_cohort(runs, judge_all(runs))
    standing = next(one for one in standings if one.run == digest)

    assert len(standings) == 27
    assert standing.rank == 15
    assert not standing.is_tied
    assert standing.ratio_to_leader == pytest.approx(7.886503909209528)


@needs_export
def test_eligibility_and_evidence_of_the_export(export_runs: list[RunFact]) -> None:
    verdicts = judge_all(export_runs)
    levels = [judge_evidence(run)[0] for run in export_runs]

    assert sum(verdict.is_eligible for verdict in verdicts.values()) == 7771
    assert levels.count(EvidenceLevel.REPRODUCIBLE) == 175
    assert levels.count(EvidenceLevel.REPORTED) == 7857 - 175
