from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from kgraph.facts import Condition, PageRequest
from kgraph.vocab import HeadroomPolicy

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog, HardwareComparison
    from kgraph.digest import SpecDigest

V2 = HeadroomPolicy.HEADROOM_V2
ALL = PageRequest(first=200)


# --- one device ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["NVIDIA A100", "a100", " nvidia a100 ", "A100 80GB"])
def test_a_product_is_found_as_people_write_it(starter: Catalog, text: str) -> None:
    page = starter.find_hardware_page(text)

    assert page is not None
    assert page.product == "NVIDIA A100"


@pytest.mark.parametrize("text", ["sm_80", "RTX", "", "A1000", "GPU"])
def test_what_names_no_product_or_several_has_no_page(starter: Catalog, text: str) -> None:
    assert starter.find_hardware_page(text) is None


def test_a_page_holds_what_the_lists_count(starter: Catalog) -> None:
    for hardware in starter.page_hardware(None, (), ALL).items:
        page = starter.find_hardware_page(hardware.product)

        assert page is not None
        assert page.measured == hardware
        on_it = Condition("hardware", "eq", hardware.product)
        assert page.record_count == starter.page_records(on_it, (), ALL).total_count
        assert sum(share.run_count for share in page.families) == hardware.run_count
        assert len(page.families) == hardware.family_count
        assert sum(one.fact.run_count for one in page.variants) == hardware.run_count
        assert sum(holder.record_count for holder in page.holders) <= page.record_count


def test_every_datasheet_row_has_its_source(starter: Catalog) -> None:
    page = starter.find_hardware_page("A100")

    assert page is not None
    assert len(page.datasheets) > 1
    assert all(row.source_url.startswith("https://") for row in page.datasheets)
    assert {row.product for row in page.datasheets} == {"NVIDIA A100"}
    (variant,) = page.variants
    assert variant.datasheet in page.datasheets


def test_a_known_product_without_runs_has_its_datasheet_alone(starter: Catalog) -> None:
    page = starter.find_hardware_page("MI300X")

    assert page is not None
    assert page.measured is None
    assert (page.variants, page.families, page.holders, page.record_count) == ((), (), (), 0)
    assert page.datasheets


def test_an_unknown_product_with_runs_has_no_datasheet(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    case = small.workload(operation, rows=1, columns=8)
    environment = small.environment("Abacus 9")
    small.run(small.implementation(operation), case, 10, environment=environment)
    catalog = small.publish(tmp_path)

    page = catalog.find_hardware_page("abacus 9")

    assert page is not None
    assert page.datasheets == ()
    assert page.variants[0].datasheet is None
    assert page.record_count == 1


def test_records_are_counted_by_the_project_that_holds_them(small: Small, tmp_path: Path) -> None:
    small.project("kernels")
    operation = small.operation()
    revision = {"repository": "https://example.org/kernels"}
    ours = small.implementation(operation, "ours", projectRevision=revision)
    theirs = small.implementation(operation, "theirs")
    for rows, (mine, other) in {1: (5, 9), 2: (5, 9), 3: (9, 5)}.items():
        case = small.workload(operation, rows=rows, columns=8)
        small.run(ours, case, mine)
        small.run(theirs, case, other)
    catalog = small.publish(tmp_path)

    page = catalog.find_hardware_page("A100")

    assert page is not None
    assert [(one.project_name, one.record_count) for one in page.holders] == [
        ("kernels", 2),
        (None, 1),
    ]


def test_a_page_costs_a_fixed_number_of_statements(starter: Catalog) -> None:
    for text in ("A100", "H100", "MI300X", "nothing"):
        before = starter.statement_count
        starter.find_hardware_page(text)
        assert starter.statement_count - before <= 4


# --- one operation across devices ------------------------------------------------------------


def two_devices(small: Small, folder: Path) -> tuple[HardwareComparison, dict[str, SpecDigest]]:
    """Two cases on an A100, one of them on an H100 too."""
    operation = small.operation()
    fast = small.implementation(operation)
    cases = {
        "both": small.workload(operation, rows=1 << 14, columns=1 << 14),
        "one": small.workload(operation, rows=1 << 13, columns=1 << 14),
    }
    h100 = small.environment("NVIDIA H100")
    small.run(fast, cases["both"], 2_000_000)
    small.run(fast, cases["both"], 1_000_000, environment=h100)
    small.run(fast, cases["one"], 3_000_000)
    catalog = small.publish(folder)
    return catalog.compare_hardware(operation, V2), cases


def test_each_record_stands_beside_the_floor_of_its_own_device(
    small: Small, tmp_path: Path
) -> None:
    comparison, cases = two_devices(small, tmp_path)

    shared, alone = comparison.rows
    assert (shared.workload, alone.workload) == (cases["both"], cases["one"])
    assert len(shared.entries) == 2
    ratios = [entry.headroom.record_ratio for entry in shared.entries]
    assert None not in ratios
    assert ratios == sorted(ratio for ratio in ratios if ratio is not None)
    for entry in shared.entries:
        assert entry.headroom.hardware is not None
        assert entry.headroom.hardware.product == entry.product
        assert entry.headroom.floor_ns is not None
        assert entry.headroom.record_ratio is not None
        assert entry.cohort.record_value == pytest.approx(
            entry.headroom.floor_ns * entry.headroom.record_ratio
        )


def test_means_say_over_which_rows_they_are(small: Small, tmp_path: Path) -> None:
    comparison, _ = two_devices(small, tmp_path)

    a100, h100 = comparison.products
    assert (a100.product, h100.product) == ("NVIDIA A100", "NVIDIA H100")
    assert (a100.row_count, h100.row_count) == (2, 1)
    assert a100.common_row_count == h100.common_row_count == 1
    by_row = [
        {entry.product: entry.headroom.record_ratio for entry in row.entries}
        for row in comparison.rows
    ]
    assert a100.common_geometric_mean_ratio == pytest.approx(by_row[0]["NVIDIA A100"])
    both = [by_row[0]["NVIDIA A100"], by_row[1]["NVIDIA A100"]]
    assert a100.geometric_mean_ratio == pytest.approx(
        math.sqrt(math.prod(ratio for ratio in both if ratio is not None))
    )


def test_a_device_without_a_floor_is_listed_with_the_reason(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    case = small.workload(operation, rows=1, columns=8)
    small.run(small.implementation(operation), case, 10, environment=small.environment("Abacus 9"))
    catalog = small.publish(tmp_path)

    comparison = catalog.compare_hardware(operation, V2)

    (entry,) = comparison.rows[0].entries
    assert entry.headroom.record_ratio is None
    assert entry.headroom.reason == "No datasheet row is known for Abacus 9."
    (summary,) = comparison.products
    assert (summary.row_count, summary.geometric_mean_ratio) == (0, None)
    assert (summary.common_row_count, summary.common_geometric_mean_ratio) == (0, None)


def test_an_operation_without_records_compares_nothing(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    catalog = small.publish(tmp_path)

    comparison = catalog.compare_hardware(operation, V2)

    assert (comparison.rows, comparison.products) == ((), ())
