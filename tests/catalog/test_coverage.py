from __future__ import annotations

from typing import TYPE_CHECKING

from small import NOW, START, Small

from kgraph.facts import Condition, PageRequest
from kgraph.vocab import EvidenceLevel

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.catalog import Catalog
    from kgraph.digest import SpecDigest

ALL = PageRequest(first=200)


def grid(small: Small) -> dict[int, SpecDigest]:
    """Four row counts; all but the last on an A100, the first on an H100 too."""
    operation = small.operation()
    fast, slow = small.implementation(operation), small.implementation(operation, "slow")
    cases = {rows: small.workload(operation, rows=rows, columns=8) for rows in (1, 2, 3, 4)}
    for rows in (1, 2, 3):
        small.run(fast, cases[rows], 100 * rows, day=rows)
        small.run(slow, cases[rows], 200 * rows, day=rows)
    small.run(fast, cases[1], 50, environment=small.environment("NVIDIA H100"))
    return cases


def test_the_matrix_holds_each_workload_on_each_device(small: Small, tmp_path: Path) -> None:
    cases = grid(small)
    catalog = small.publish(tmp_path)

    coverage = catalog.find_coverage("family", "elementwise", ALL)

    assert [column.product for column in coverage.columns] == ["NVIDIA A100", "NVIDIA H100"]
    assert [column.measured_count for column in coverage.columns] == [3, 1]
    assert (coverage.measured_count, coverage.cell_count) == (4, 8)
    assert [row.workload.digest for row in coverage.rows.items] == list(cases.values())
    for row in coverage.rows.items:
        assert [cell.product for cell in row.cells] == ["NVIDIA A100", "NVIDIA H100"]
    measured = [[cell.is_measured for cell in row.cells] for row in coverage.rows.items]
    assert measured == [[True, True], [True, False], [True, False], [False, False]]


def test_a_cell_says_how_much_how_fast_how_sure_and_how_old(small: Small, tmp_path: Path) -> None:
    grid(small)
    catalog = small.publish(tmp_path)

    cell = catalog.find_coverage("family", "elementwise", ALL).rows.items[1].cells[0]

    assert (cell.run_count, cell.eligible_run_count, cell.cohort_count) == (2, 2, 1)
    assert cell.best is not None
    assert cell.best.run.value == 200
    assert cell.strongest_evidence is EvidenceLevel.REPORTED
    assert cell.last_observed_at == START.replace(day=3)
    assert cell.age == NOW - START.replace(day=3)
    assert cell.is_stale == (cell.age.days >= 180)


def test_a_cell_without_an_eligible_run_is_not_measured(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    case = small.workload(operation, rows=1, columns=8)
    fast = small.implementation(operation)
    small.run(fast, case, 10, status="incorrect_numerical")
    other = small.environment("NVIDIA H100")
    small.run(fast, case, 10, environment=other)
    catalog = small.publish(tmp_path)

    coverage = catalog.find_coverage("operation", operation, ALL)

    # Nothing eligible was seen on an A100, so it is no column; what stands there is a run all
    # the same.
    assert [column.product for column in coverage.columns] == ["NVIDIA H100"]
    assert coverage.measured_count == 1
    assert catalog.counts().runs == 2


def test_cohorts_of_one_cell_are_counted_and_the_fullest_leads(
    small: Small, tmp_path: Path
) -> None:
    operation = small.operation()
    case = small.workload(operation, rows=1, columns=8)
    fast, slow = small.implementation(operation), small.implementation(operation, "slow")
    other = small.protocol("Other harness")
    small.run(fast, case, 10, protocol=other)
    small.run(fast, case, 30)
    small.run(slow, case, 40)
    catalog = small.publish(tmp_path)

    cell = catalog.find_coverage("operation", operation, ALL).rows.items[0].cells[0]

    assert (cell.cohort_count, cell.eligible_run_count) == (2, 3)
    assert cell.headline is not None
    assert cell.headline.eligible_run_count == 2
    assert cell.best is not None
    assert cell.best.run.value == 30


def test_challenges_are_ranked_by_measured_neighbours(small: Small, tmp_path: Path) -> None:
    cases = grid(small)
    catalog = small.publish(tmp_path)

    found = catalog.page_challenges(None, (), ALL).items

    counted = {
        (item.workload, item.product): (item.product_count, item.case_count) for item in found
    }
    assert counted == {
        (cases[2], "NVIDIA H100"): (1, 1),
        (cases[3], "NVIDIA H100"): (1, 1),
        (cases[4], "NVIDIA A100"): (0, 3),
        (cases[4], "NVIDIA H100"): (0, 1),
    }
    assert [item.neighbour_count for item in found] == [3, 2, 2, 1]
    assert found[0].workload == cases[4]


def test_only_one_axis_may_differ_between_neighbours(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    fast = small.implementation(operation)
    small.run(fast, small.workload(operation, rows=1, columns=8), 10)
    small.workload(operation, rows=2, columns=16)
    small.workload(operation, "fp32", rows=2, columns=8)
    near = small.workload(operation, rows=1, columns=16)
    catalog = small.publish(tmp_path)

    found = catalog.page_challenges(None, (), ALL).items

    assert [(item.workload, item.case_count) for item in found] == [(near, 1)]


def test_challenges_can_be_filtered(starter: Catalog) -> None:
    where = Condition("hardware", "eq", "NVIDIA H100")
    whole = starter.page_challenges(None, (), ALL)
    found = starter.page_challenges(where, (), ALL)

    assert 0 < found.total_count < whole.total_count
    assert {item.product for item in found.items} == {"NVIDIA H100"}
    cells = starter.load_cohorts_of_workloads(item.workload for item in found.items)
    environments = starter.load_environments(
        cohort.environment for owned in cells.values() for cohort in owned
    )
    for item in found.items:
        products = {
            environments[cohort.environment].hardware.product
            for cohort in cells.get(item.workload, ())
            if cohort.eligible_run_count
        }
        assert item.product not in products
        assert len(products) == item.product_count


def test_stale_records_come_oldest_first(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    fast = small.implementation(operation)
    for day, rows in ((0, 1), (1, 2), (100, 3)):
        small.run(fast, small.workload(operation, rows=rows, columns=8), 10, day=day)
    catalog = small.publish(tmp_path)

    page = catalog.page_stale_records(None, ALL)

    observed = [record.run.run.observed_at for record in page.items]
    assert observed == sorted(observed)
    assert len(observed) == 2
    assert all(catalog.is_stale(at) for at in observed)
    none = catalog.page_stale_records(Condition("hardware", "eq", "NVIDIA H100"), ALL)
    assert none.total_count == 0


def test_the_number_of_statements_does_not_grow(starter: Catalog) -> None:
    counts = set()
    for size in (1, 50, 200):
        starter.find_coverage("family", "rmsnorm", PageRequest(first=1))
        before = starter.statement_count
        starter.find_coverage("family", "cross-entropy", PageRequest(first=size))
        counts.add(starter.statement_count - before)

    assert max(counts) <= 6
