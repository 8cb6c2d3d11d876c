"""What the family page shows of the distillation cosine loss, from its published rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgraph.facts import Condition, PageRequest
from kgraph.vocab import Bound, HeadroomPolicy, TimedPass

if TYPE_CHECKING:
    from kgraph.catalog import Catalog
    from kgraph.facts import CohortFact, OperationFact

PAGE = PageRequest(first=50)


@pytest.fixture(scope="module")
def catalog(built_catalog: Catalog) -> Catalog:
    return built_catalog


@pytest.fixture(scope="module")
def operation(catalog: Catalog) -> OperationFact:
    found = catalog.find_operation("liger-distill-cosine-loss")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def cohorts(catalog: Catalog, operation: OperationFact) -> dict[tuple[int, str], CohortFact]:
    """The cohorts by tokens and timed pass."""
    where = Condition("operation", "eq", operation.digest)
    workloads = catalog.page_workloads(where, (), PAGE).items
    by_workload = catalog.load_cohorts_of_workloads([item.digest for item in workloads])
    found: dict[tuple[int, str], CohortFact] = {}
    for workload in workloads:
        for cohort in by_workload[workload.digest]:
            protocol = catalog.load_protocols([cohort.protocol])[cohort.protocol]
            assert protocol.timed_pass is not None
            found[dict(workload.axes)["tokens"], protocol.timed_pass.value] = cohort
    return found


def test_the_operation_counts_its_runs(operation: OperationFact) -> None:
    assert (operation.run_count, operation.eligible_run_count) == (16, 16)
    assert operation.family == "cosine-similarity-loss"


def test_there_are_four_workloads_by_tokens(catalog: Catalog, operation: OperationFact) -> None:
    page = catalog.page_workloads(Condition("operation", "eq", operation.digest), (), PAGE)

    assert [item.label for item in page.items] == [
        f"vocab = 128256 · hidden = 4096 · tokens = {tokens} · bf16"
        for tokens in (1024, 2048, 4096, 8192)
    ]


def test_the_smallest_forward_pass_is_led_by_liger(
    catalog: Catalog, cohorts: dict[tuple[int, str], CohortFact]
) -> None:
    cohort = cohorts[1024, TimedPass.FORWARD]
    assert (cohort.record_value, cohort.eligible_run_count) == (13_828_096, 2)

    first, second = catalog.load_rankings([cohort.key], PAGE)[cohort.key].items

    assert first.standing is not None
    assert second.standing is not None
    assert (first.standing.rank, first.run.value) == (1, 13_828_096)
    assert (second.standing.rank, second.run.value) == (2, 16_456_703)
    assert round(second.standing.ratio_to_leader, 2) == 1.19
    assert second.run.is_baseline
    assert not first.run.is_baseline
    implementation = catalog.load_implementations([first.run.implementation])[
        first.run.implementation
    ]
    assert implementation.language == "triton"
    assert implementation.install_command == 'pip install "liger-kernel==0.5.10"'
    assert catalog.conclude_license(implementation).concluded == "BSD-2-Clause"
    assert catalog.judge_deployability(implementation).is_deployable
    assert catalog.load_leaders([cohort.key]) == {cohort.key: first}


def test_the_full_pass_is_a_cohort_of_its_own(
    cohorts: dict[tuple[int, str], CohortFact],
) -> None:
    assert cohorts[1024, TimedPass.FULL].record_value == 14_654_464
    assert len(cohorts) == 8


def test_the_floor_is_set_by_bandwidth(
    catalog: Catalog, cohorts: dict[tuple[int, str], CohortFact]
) -> None:
    key = cohorts[1024, TimedPass.FORWARD].key

    headroom = catalog.load_headrooms([key], HeadroomPolicy.HEADROOM_V1)[key]

    assert headroom.display == "779.1 µs"
    assert headroom.bound is Bound.MEMORY
    assert headroom.record_ratio is not None
    assert round(headroom.record_ratio, 2) == 17.75


def test_two_sweeps_run_along_tokens(catalog: Catalog, operation: OperationFact) -> None:
    forward, full = catalog.load_sweeps([operation.digest])[operation.digest]

    for sweep in (forward, full):
        assert sweep.axis == "tokens"
        assert sweep.held_axes == (("vocab", 128256), ("hidden", 4096))
        assert [[point.axis_value for point in series.points] for series in sweep.series] == [
            [1024, 2048, 4096, 8192]
        ] * 2
    assert forward.series[0].points[0].value == 13_828_096
    assert full.series[0].points[0].value == 14_654_464


def test_unmeasured_flagships_are_challenges(
    catalog: Catalog, cohorts: dict[tuple[int, str], CohortFact]
) -> None:
    workload = cohorts[1024, TimedPass.FORWARD].workload

    challenges = catalog.load_challenges([workload])[workload]

    products = [challenge.hardware.product for challenge in challenges]
    assert {"NVIDIA H100", "NVIDIA B200"} <= set(products)
    assert "NVIDIA A100" not in products
    assert len(products) == len(set(products))
    assert challenges[0].reason.startswith("no eligible run of this workload on ")


def test_the_fastest_is_named_overall_by_language_and_as_usable(
    catalog: Catalog, operation: OperationFact
) -> None:
    fastest = catalog.load_fastest([operation.digest])[operation.digest]

    assert fastest.cohort.record_value == 13_828_096
    assert fastest.reported.run.value == 13_828_096
    assert fastest.deployable == fastest.reported
    assert [
        (entry.language, round(entry.ratio_to_fastest, 2)) for entry in fastest.by_language
    ] == [
        ("triton", 1.0),
        ("python", 1.19),
    ]


def test_the_source_states_its_licence(catalog: Catalog, operation: OperationFact) -> None:
    ((source, observed_at),) = catalog.load_sources_of_operations([operation.digest])[
        operation.digest
    ]

    assert source.license == "BSD-2-Clause"
    assert observed_at.isoformat() == "2025-06-27T09:22:01+00:00"
    assert catalog.is_stale(observed_at)


def test_a_record_is_the_last_event_of_its_history(
    catalog: Catalog, cohorts: dict[tuple[int, str], CohortFact]
) -> None:
    keys = [cohort.key for cohort in cohorts.values()]

    histories = catalog.load_histories(keys, PAGE)

    for cohort in cohorts.values():
        events = histories[cohort.key].items
        assert events[-1].run == cohort.record
        assert events[-1].value == cohort.record_value
        assert events[-1].at == cohort.record_since
        assert len(events) == cohort.record_event_count
        assert (events[0].previous_run, events[0].improvement_percent) == (None, None)


def test_every_run_of_the_file_is_there(catalog: Catalog) -> None:
    counts = catalog.counts()

    page = catalog.page_runs(None, (), PageRequest(first=200))
    assert counts.runs == counts.eligible_runs == page.total_count == len(page.items) == 73
    assert catalog.page_records(None, (), PAGE).total_count == counts.cohorts
    assert counts.hardware == 5


def test_manifests_and_bytes_come_from_the_store(
    catalog: Catalog, cohorts: dict[tuple[int, str], CohortFact]
) -> None:
    record = cohorts[1024, TimedPass.FORWARD].record
    assert record is not None
    shown = catalog.load_objects([record])[record]

    manifest = catalog.load_manifests([shown.object_id])[shown.object_id]

    assert manifest["kind"] == "BenchmarkRun"
    assert manifest["spec"]["timing"]["latencyNs"]["median"] == 13_828_096
    assert len(catalog.load_canonical(shown.object_id)) == shown.size_bytes
    assert set(catalog.load_references([record])[record]) == {
        manifest["spec"][f"{name}Digest"]
        for name in ("implementation", "workload", "protocol", "environment")
    }
