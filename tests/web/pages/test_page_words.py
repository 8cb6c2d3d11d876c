"""Values of the API as pages word them."""

from __future__ import annotations

import pytest

from kgraph.web.pages import words
from kgraph.web.pages.links import Links, hardware_slug
from kgraph.web.pages.views.matrix import make_matrix


@pytest.mark.parametrize(
    ("speedup", "unit", "shown"),
    [
        (1.19, "ns", "1.19× faster than the baseline"),
        (0.5, "ns", "2.00× slower than the baseline"),
        (1.0, "ns", "equal to the baseline"),
        (1.001, "ns", "equal to the baseline"),
        (2.0, "tflops", "2.00× better than the baseline"),
        (0.8, None, "1.25× worse than the baseline"),
    ],
)
def test_speedups_are_said_in_words(speedup: float, unit: str | None, shown: str) -> None:
    assert words.show_speedup(speedup, unit) == shown


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("COMPILE_ERROR", "compile error"),
        ("STATUS_COMPILE_ERROR", "compile error"),
        ("SOURCE_NATIVE", "source-native comparison"),
        ("NO_INSTALL_RECIPE", "no install recipe"),
        ("SOMETHING_NEW", "something new"),
    ],
)
def test_codes_are_said_in_words(code: str, shown: str) -> None:
    assert words.show_code(code) == shown


def test_numbers_are_shown_as_they_are() -> None:
    assert words.show_number(128256) == "128,256"
    assert words.show_number(59177982.0) == "59,177,982"
    assert words.show_number(0.25) == "0.25"
    assert words.show_bytes(512) == "512 B"
    assert words.show_bytes(1536) == "1.5 KiB"
    assert words.show_bytes(80 * 2**30) == "80.0 GiB"
    assert words.show_bytes(2 * 2**40) == "2.0 TiB"
    assert words.show_ticks([1.5e6, 2e6], "ns") == ("1.5 ms", "2 ms")
    assert words.show_ticks([16_050, 16_075, 16_100], "ns") == (
        "16.05 µs",
        "16.075 µs",
        "16.1 µs",
    )
    assert words.show_ticks([0.01, 0.02], "ns") == ("0.01 ns", "0.02 ns")
    assert words.show_value(None, "ns") is None


def test_instants_are_shown_in_utc() -> None:
    assert words.show_date("2026-01-01T23:30:00-05:00") == "2026-01-02"
    assert words.show_instant("2025-06-27T09:20:34.000Z") == "2025-06-27 09:20 UTC"


def test_products_have_one_slug_each() -> None:
    assert hardware_slug("NVIDIA A100") == hardware_slug("nvidia-a100") == "nvidia-a100"
    assert hardware_slug("AMD Instinct MI300X (OAM)") == "amd-instinct-mi300x-oam"


def test_links_quote_what_they_are_given() -> None:
    links = Links("https://h.example/base", ("snapshot", "blake3:ab"), "/playground")

    assert links.operation("a/b ?") == "/base/o/a%2Fb%20%3F?snapshot=blake3:ab"
    assert links.search("a&b=c") == "/base/search?q=a%26b%3Dc&snapshot=blake3:ab"
    assert links.absolute(links.page("/records", "rules")) == (
        "https://h.example/base/records?snapshot=blake3:ab#rules"
    )
    assert links.manifest("sha256:ab") == "/base/objects/sha256:ab"
    assert links.ask("{ a }", {"n": 1}) == (
        "/base/playground?query=%7B+a+%7D&variables=%7B%22n%22%3A1%7D"
    )
    assert Links("http://h", None, None).ask("{ a }", {}) is None


def make_cohort(
    product: str, timed_pass: str | None, statistic: str = "median"
) -> dict[str, object]:
    return {
        "hardware": {"product": product, "formFactor": None},
        "environment": {"digest": product, "title": f"{product} host"},
        "protocol": {
            "digest": f"p{timed_pass}",
            "title": f"scripts · {(timed_pass or '').lower()} pass" if timed_pass else "scripts",
            "timedPass": timed_pass,
        },
        "metric": {"name": "latency", "statistic": statistic, "unit": "ns"},
    }


def make_edge(
    cursor: str, *cohorts: dict[str, object], missing: tuple[str, ...] = ()
) -> dict[str, object]:
    challenges = [{"hardware": {"product": product}} for product in missing]
    return {"cursor": cursor, "node": {"cohorts": list(cohorts), "challenges": challenges}}


def test_columns_say_only_what_tells_them_apart() -> None:
    edges = [
        make_edge("1", make_cohort("A", "FORWARD"), make_cohort("A", "FULL"), missing=("B", "C")),
        make_edge("2", make_cohort("A", "FULL"), missing=("C",)),
    ]

    matrix = make_matrix(edges, has_more=False)

    assert [(column.hardware, column.detail) for column in matrix.columns] == [
        ("A", "forward pass"),
        ("A", "full pass"),
    ]
    assert [[cell is not None for cell in row.cells] for row in matrix.rows] == [
        [True, True],
        [False, True],
    ]
    assert matrix.unmeasured == ("C",)
    assert [row.unmeasured for row in matrix.rows] == [("B",), ()]
    assert matrix.after is None


def test_columns_that_differ_in_the_statistic_say_so() -> None:
    edges = [make_edge("1", make_cohort("A", None), make_cohort("A", None, "mean"))]

    matrix = make_matrix(edges, has_more=False)

    assert [column.detail for column in matrix.columns] == [
        "mean latency",
        "median latency",
    ]


def test_columns_that_differ_in_nothing_but_digests_show_those() -> None:
    one, other = make_cohort("A", None), make_cohort("A", None)
    one["environment"] = {"digest": "sha256:1234567890", "title": "host"}
    other["environment"] = {"digest": "sha256:abcdef0123", "title": "host"}

    matrix = make_matrix([make_edge("1", one, other)], has_more=False)

    assert [column.detail for column in matrix.columns] == ["12345678", "abcdef01"]


def test_runs_that_measured_nothing_stand_in_the_column_of_those_that_did() -> None:
    failed = make_cohort("A", None) | {"metric": {"name": "none", "statistic": None, "unit": None}}

    matrix = make_matrix(
        [make_edge("1", make_cohort("A", None)), make_edge("2", failed)], has_more=False
    )

    assert [column.detail for column in matrix.columns] == [""]
    assert [row.cells[0] is not None for row in matrix.rows] == [True, True]


def test_a_large_table_is_cut_where_the_next_page_begins() -> None:
    cohorts = [make_cohort(f"device {number:02}", None) for number in range(20)]
    edges = [make_edge(str(number), *cohorts) for number in range(15)]

    matrix = make_matrix(edges, has_more=False)

    assert len(matrix.rows) == 10
    assert matrix.after == "9"
    assert make_matrix(edges[:10], has_more=True).after == "9"
    assert make_matrix([], has_more=False).rows == ()
