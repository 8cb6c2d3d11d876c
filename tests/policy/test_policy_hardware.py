"""The hardware table, and which row or device text means."""

from __future__ import annotations

import pytest
from policy_facts import make_hardware

from kgraph.policy import (
    find_architecture,
    find_hardware,
    hardware_rows,
    matches_device,
    suggest_devices,
)
from kgraph.policy.hardware import MEMORY_BANDWIDTH, rows_of_product


@pytest.mark.parametrize(
    ("product", "form_factor", "row"),
    [
        ("NVIDIA A100", "SXM4-80GB", "NVIDIA A100 SXM4-80GB"),
        ("nvidia a100", "sxm4 80gb", "NVIDIA A100 SXM4-80GB"),
        ("NVIDIA A100", "PCIE-40GB", "NVIDIA A100 PCIe-40GB"),
        ("NVIDIA A100-SXM4-80GB", None, "NVIDIA A100 SXM4-80GB"),
        ("NVIDIA A100", None, "NVIDIA A100 SXM4-80GB"),
        ("NVIDIA A100", "runner:A100", "NVIDIA A100 SXM4-80GB"),
        ("NVIDIA H100", "PCIe", "NVIDIA H100 PCIe-80GB"),
        ("NVIDIA H100", "80GB HBM3", "NVIDIA H100 SXM5-80GB"),
        ("NVIDIA H100", None, "NVIDIA H100 SXM5-80GB"),
        ("NVIDIA H100 NVL", None, "NVIDIA H100 NVL-94GB"),
        ("NVIDIA H200", "NVL-141GB", "NVIDIA H200 NVL-141GB"),
        ("NVIDIA H200", None, "NVIDIA H200 SXM-141GB"),
        ("NVIDIA B200", None, "NVIDIA B200"),
        ("AMD Instinct MI355X", "288GB HBM3e", "AMD Instinct MI355X"),
        (
            "NVIDIA RTX PRO 6000 Blackwell",
            "Server Edition",
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
        ),
        ("Tesla T4", None, "NVIDIA T4"),
        ("MI300", None, "AMD Instinct MI300X"),
    ],
)
def test_a_device_finds_its_row(product: str, form_factor: str | None, row: str) -> None:
    found = find_hardware(make_hardware(product, form_factor))

    assert found is not None
    assert found.name == row


@pytest.mark.parametrize(
    ("product", "form_factor"),
    [
        ("NVIDIA A100", "SXM-64GB"),
        ("NVIDIA H100", "PCIe-96GB"),
        ("NVIDIA A1000", None),
        ("Intel Gaudi 3", None),
        ("", None),
    ],
)
def test_unknown_hardware_is_not_guessed(product: str, form_factor: str | None) -> None:
    assert find_hardware(make_hardware(product, form_factor)) is None


def test_every_row_is_found_by_its_own_name_and_aliases() -> None:
    for row in hardware_rows():
        assert find_hardware(make_hardware(row.product, row.form_factor)) == row
        for alias in row.aliases:
            found = find_hardware(make_hardware(alias, None))
            assert found is not None
            assert found.product == row.product
            assert found == row or alias == row.product


def test_every_product_has_one_default_row() -> None:
    for row in hardware_rows():
        assert sum(other.is_default for other in rows_of_product(row)) == 1


def test_the_table_covers_what_the_catalogue_promises() -> None:
    products = " ".join(row.name for row in hardware_rows())
    promised = (
        "A100 SXM4-40GB|A100 SXM4-80GB|A100 PCIe-40GB|A100 PCIe-80GB|H100 PCIe|H100 SXM|H100 NVL|"
        "H200|B200|GB200|L4 |L40S|RTX 3090|RTX 4090|RTX 5090|RTX PRO 6000|MI250X|MI300X|MI325X|"
        "MI355X"
    )

    assert [name for name in promised.split("|") if name not in f"{products} "] == []


def test_every_row_cites_its_sheet_and_marks_what_is_not_confirmed() -> None:
    for row in hardware_rows():
        figures = {MEMORY_BANDWIDTH, *(dtype for dtype, _ in row.peak_flops)}
        assert row.source_title
        assert row.source_url.startswith("https://")
        for figure in figures:
            assert row.is_confirmed(figure) or figure in row.notes


def test_a_row_carries_its_caches() -> None:
    a100 = find_hardware(make_hardware())
    mi300x = find_hardware(make_hardware("AMD Instinct MI300X", None))

    assert a100 is not None
    assert mi300x is not None
    assert a100.cache_bytes == a100.l2_cache_bytes
    assert mi300x.cache_bytes == mi300x.last_level_cache_bytes
    assert a100.find_peak("fp4") is None


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA A100",
        "A100",
        "a100 80GB",
        "A100-SXM4-80GB",
        "NVIDIA A100 SXM",
        "sm_80",
        "SM80",
    ],
)
def test_a_person_names_a_device_in_many_ways(text: str) -> None:
    assert matches_device(text, make_hardware())


@pytest.mark.parametrize(
    "text",
    ["", "A1", "A100 40GB", "A100 PCIe", "H100", "NVIDIA", "sm_90", "A100 8", "A100 SXM4-80GB v2"],
)
def test_text_that_says_something_else_is_no_match(text: str) -> None:
    assert not matches_device(text, make_hardware())


def test_a_listed_device_string_means_its_row() -> None:
    sxm = make_hardware("NVIDIA H100", "SXM5-80GB", "sm_90")

    assert matches_device("NVIDIA H100 80GB HBM3", sxm)
    assert not matches_device("NVIDIA H100 PCIe", sxm)


def test_text_that_says_more_than_the_environment_is_no_match() -> None:
    unstated = make_hardware("NVIDIA A100", None)

    assert matches_device("A100", unstated)
    assert not matches_device("NVIDIA A100-SXM4-80GB", unstated)


def test_a_feature_suffix_is_the_same_hardware() -> None:
    assert matches_device("sm_90a", make_hardware("NVIDIA H100", None, "sm_90"))


def test_an_unlisted_device_is_matched_by_its_own_name() -> None:
    gaudi = make_hardware("Intel Gaudi 3", None, "unknown")

    assert matches_device("intel gaudi 3", gaudi)
    assert not matches_device("gaudi 2", gaudi)


@pytest.mark.parametrize(
    ("text", "architecture"),
    [
        ("H100", "sm_90"),
        ("NVIDIA H100 80GB HBM3", "sm_90"),
        ("A100 PCIe", "sm_80"),
        ("sm_100", "sm_100"),
        ("gfx942", "gfx942"),
        ("MI355X", "gfx950"),
        ("A100 GDDR", None),
        ("Gaudi", None),
    ],
)
def test_device_text_means_an_architecture(text: str, architecture: str | None) -> None:
    assert find_architecture(text) == architecture


def test_a_mistyped_device_gets_its_nearest_names() -> None:
    assert "NVIDIA H100" in suggest_devices("H10O")
    assert suggest_devices("zzzzzz") == ()
