from __future__ import annotations

import pytest
from pydantic import ValidationError

from kgraph.client import (
    BooleanTest,
    Client,
    DateTimeTest,
    KgraphClientError,
    Match,
    OrderDirection,
    RecordEventWhere,
    RunOrder,
    RunOrderField,
    RunWhere,
    StringTest,
)

SLUG = "liger-distill-cosine-loss"
A100 = "NVIDIA A100"


def test_the_catalogue_counts_what_lists_hold(client: Client) -> None:
    catalog = client.catalog()

    assert catalog.counts.runs == client.runs().count()
    assert catalog.counts.cohorts == client.records().count()
    assert catalog.counts.record_events == client.record_history().count()
    assert [source.slug for source in catalog.sources] == ["liger-kernel-bench"]


def test_an_operation_comes_with_its_fastest_runs_and_floors(client: Client) -> None:
    page = client.operation(SLUG)

    assert page is not None
    assert page.title == "Chunked distillation cosine loss"
    assert page.fastest is not None
    assert page.fastest.reported.rank == 1
    cohorts = [cohort for workload in page.workloads.nodes for cohort in workload.cohorts]
    assert cohorts
    for cohort in cohorts:
        assert cohort.record is not None
        assert cohort.headroom is not None
        assert cohort.headroom.record_ratio is not None
        assert cohort.headroom.record_ratio > 1


def test_an_operation_is_cut_to_the_workloads_asked_for(client: Client) -> None:
    page = client.operation(SLUG, workloads=1)

    assert page is not None
    assert len(page.workloads.nodes) == 1
    assert page.workloads.total_count > 1


def test_unknown_names_have_no_page(client: Client) -> None:
    assert client.operation("no-such-operation") is None
    assert client.run("sha256:" + "0" * 64) is None


def test_a_run_is_found_by_each_of_its_names(client: Client) -> None:
    digest = next(iter(client.runs(limit=1))).digest

    page = client.run(digest)

    assert page is not None
    assert page.digest == digest
    assert client.run(page.object_id) == page
    assert client.run(digest.removeprefix("sha256:")[:12]) == page
    assert set(page.manifest) == {"run", "protocol", "environment"}
    assert page.published_at.utcoffset() is not None


def test_a_walk_meets_each_run_once_whatever_the_page(client: Client) -> None:
    whole = client.runs(operation=SLUG, page_size=200).table()

    assert len(whole) == client.runs(operation=SLUG).count()
    assert client.runs(operation=SLUG, page_size=3).table() == whole
    assert len({run.digest for run in whole}) == len(whole)


@pytest.mark.parametrize(("limit", "page_size", "pages"), [(0, 5, 0), (5, 5, 1), (7, 5, 2)])
def test_a_limit_cuts_the_list_and_asks_for_no_more(
    client: Client, limit: int, page_size: int, pages: int
) -> None:
    rows = client.runs(page_size=page_size, limit=limit)

    walked = list(rows.pages())

    assert len(walked) == pages
    assert sum(len(page.items) for page in walked) == limit
    assert len({page.snapshot for page in walked}) <= 1


def test_named_tests_and_a_filter_must_both_hold(client: Client) -> None:
    triton = RunWhere(language=StringTest(eq="triton"))

    rows = client.runs(triton, operation=SLUG, hardware=A100).table()

    assert 0 < len(rows) < client.runs(operation=SLUG).count()
    assert {row.operation.slug for row in rows} == {SLUG}
    assert {row.implementation.language for row in rows} == {"triton"}
    assert {row.environment.hardware.product for row in rows} == {A100}


def test_filters_nest_and_compare_instants(client: Client) -> None:
    newest, oldest = (
        client.runs(
            order_by=[RunOrder(field=RunOrderField.OBSERVED_AT, direction=direction)], limit=1
        ).table()[0]
        for direction in (OrderDirection.DESC, OrderDirection.ASC)
    )
    after = RunWhere(observed_at=DateTimeTest(gt=oldest.observed_at))

    assert client.runs(after).count() < client.runs().count()
    assert (
        client.runs(RunWhere(not_=after)).count() + client.runs(after).count()
        == client.runs().count()
    )
    assert newest.observed_at > oldest.observed_at


def test_a_misspelt_field_of_a_filter_is_refused() -> None:
    with pytest.raises(ValidationError, match="fam"):
        RunWhere.model_validate({"fam": {"eq": "grpo"}})


def test_a_ranking_runs_from_the_record(client: Client) -> None:
    record = next(iter(client.records(operation=SLUG, limit=1)))

    ranking = client.ranking(record.cohort.key).table()

    assert ranking[0].run.digest == record.run.digest
    assert ranking[0].value == record.value
    assert len(ranking) == record.cohort.eligible_run_count
    assert [row.rank for row in ranking] == sorted(row.rank for row in ranking)


def test_a_history_ends_at_the_standing_record(client: Client) -> None:
    record = next(iter(client.records(operation=SLUG, limit=1)))

    events = client.record_history(RecordEventWhere(), cohort=record.cohort.key).table()

    assert events[0].run is not None
    assert events[0].run.digest == record.run.digest
    assert events[-1].previous_run is None


def test_a_sweep_has_a_row_for_each_point(client: Client) -> None:
    rows = client.sweep(SLUG, "tokens")

    assert {row.axis_value for row in rows} == {1024, 2048, 4096, 8192}
    assert {row.unit for row in rows} == {"ns"}
    assert {row.held for row in rows} == {"vocab = 128256 · hidden = 4096"}
    assert client.sweep(SLUG) == rows
    assert len(client.sweep(SLUG, "no-such-axis")) == 0


def test_a_request_for_a_measured_case_is_met_exactly(client: Client) -> None:
    answer = client.resolve(
        SLUG,
        axes={"tokens": 4096, "hidden": 4096, "vocab": 128256},
        dtypes=["bf16"],
        hardware=A100,
        minimum_evidence="REPORTED",
    )

    assert answer.match is Match.EXACT
    assert answer.best is not None
    assert answer.best.rank == 1
    assert answer.unresolved == []


def test_a_request_between_measured_cases_is_bracketed(client: Client) -> None:
    answer = client.resolve(SLUG, axes={"tokens": 3000}, software={"cuda": None}, languages=[])

    assert answer.match is not Match.EXACT
    assert answer.best is None


def test_what_matters_only_to_rows_leaves_them_out(client: Client) -> None:
    stale = client.runs(RunWhere(stale=BooleanTest(eq=True))).count()
    fresh = client.runs(RunWhere(stale=BooleanTest(eq=False))).count()

    assert stale + fresh == client.runs().count()


def test_any_document_can_be_asked(client: Client) -> None:
    document = "query Q($s: String!) { family(slug: $s) { slug } } query R { catalog { snapshot } }"

    assert client.execute(document, {"s": "grpo"}, operation_name="Q") == {
        "family": {"slug": "grpo"}
    }
    with pytest.raises(KgraphClientError) as caught:
        client.execute(document)
    assert caught.value.code == "OPERATION_RESOLUTION_FAILURE"
