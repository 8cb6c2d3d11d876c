"""Pages of a catalogue whose authors wrote markup, and of what is missing or too much."""

from __future__ import annotations

import re

import pytest
from page_catalogs import ARABIC, BAD_ADDRESS, EMOJI, LONG, MARKUP, hostile
from page_html import Reading, read_page

from kgraph.web.pages.links import safe_href

# Elements that pages are made of; whatever else stands in one came from a name.
OURS = {
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "form",
    "label", "input", "button", "main", "footer", "section", "div", "p", "h1", "h2", "span",
    "code", "bdi", "b", "i", "time", "table", "caption", "thead", "tbody", "tr", "th", "td", "dl",
    "dt", "dd", "ul", "ol", "li", "figure", "figcaption", "details", "summary", "pre",
    "blockquote", "br", "svg", "desc", "g", "path", "circle", "rect", "text",
}  # fmt: skip


def paths() -> list[str]:
    names = hostile().names
    runs = [f"/r/{names[name]}" for name in ("alone", "failed", "retracted", MARKUP, ARABIC, LONG)]
    workloads = [f"/w/{names[name]}" for name in ("crowded", "lonely", "empty")]
    others = ["/", "/o/double", "/o/bare", "/records", "/hardware/nvidia-a100"]
    return [*others, *runs, *workloads, "/search?q=%3Cscript%3E", "/o/%3Cscript%3Ealert(5)"]


def look(path: str) -> Reading:
    reading = read_page(hostile().client.send("GET", path).text)
    assert reading.faults == [], path
    return reading


def test_markup_in_names_stays_text() -> None:
    for path in paths():
        page = look(path)
        assert {tag for tag, _ in page.tags} <= OURS, path
        scripts = [given for tag, given in page.tags if tag == "script"]
        assert scripts in ([], [{"type": "application/ld+json"}]), path


def test_addresses_that_are_none_are_no_links() -> None:
    for path in paths():
        page = look(path)
        schemes = {href.partition(":")[0] for href, _ in page.links if re.match(r"\w+:", href)}
        assert schemes <= {"http", "https"}, path


@pytest.mark.parametrize(
    ("address", "href"),
    [
        ("https://example.org/a", "https://example.org/a"),
        (" http://example.org ", "http://example.org"),
        (BAD_ADDRESS, None),
        ("JaVaScRiPt:alert(1)", None),
        ("data:text/html,x", None),
        ("//example.org", None),
        ("https://", None),
        ("http://[", None),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_are_linked(address: str | None, href: str | None) -> None:
    assert safe_href(address) == href


def test_names_in_every_script_are_shown_whole() -> None:
    page = look(look("/o/double").address("Next page"))

    page.has(MARKUP, ARABIC, EMOJI, LONG)
    directed = [given.get("dir") for tag, given in page.tags if tag == "a" and "dir" in given]
    assert set(directed) == {"auto"}


def test_260_runs_come_200_to_a_page() -> None:
    first = hostile().client.send("GET", "/o/double")
    page = read_page(first.text)
    assert len(first.content) < 100_000
    page.has("260 results")
    assert count_rows(first.text) == 200

    second = hostile().client.send("GET", page.address("Next page"))

    last = read_page(second.text)
    assert count_rows(second.text) == 60
    assert last.address("First page").startswith("/o/double?cohort=sha256:")
    assert [href for href, shown in last.links if shown == "Next page"] == []


def count_rows(text: str) -> int:
    ranking = re.search(r'<table class="ranking.*?<tbody>(.*?)</tbody>', text, re.S)
    assert ranking is not None
    return ranking[1].count("<tr")


def test_a_crowded_workload_lists_its_runs_in_pages() -> None:
    path = f"/w/{hostile().names['crowded']}"
    assert len(hostile().client.send("GET", path).content) < 100_000

    page = look(look(path).address("Next page"))

    page.has("260 runs")


def test_what_a_long_ranking_shares_is_said_once() -> None:
    page = look("/o/double")

    page.has("In all rows: reported by source, Example benchmark", "no baseline")
    assert page.text.count("Reported") < 20


def test_a_workload_of_one_run_shows_failed_and_retracted_ones_too() -> None:
    page = look(f"/w/{hostile().names['lonely']}")

    page.has("3 runs", "compile error", "retracted", "5.0 µs")


def test_a_workload_without_runs_says_so() -> None:
    page = look(f"/w/{hostile().names['empty']}")

    page.has("0 runs", "No run of this workload is recorded.", "Nothing is measured")


def test_an_operation_without_runs_says_so() -> None:
    page = look("/o/bare")

    page.has(ARABIC, "No run of this operation takes part in a ranking", "writes into its inputs")


def test_a_failed_run_says_what_is_missing() -> None:
    page = look(f"/r/{hostile().names['failed']}")

    page.has(
        "compile error",
        "Not ranked: compile error, no primary value",
        "Nothing was measured: the run ended as compile error.",
        "A run that is not ranked is compared with none.",
    )


def test_a_retracted_run_says_why_and_by_whom() -> None:
    page = look(f"/r/{hostile().names['retracted']}")

    page.has("Retracted on", MARKUP, "Not ranked: retracted.")


def test_an_attestation_is_shown_beside_its_run() -> None:
    look(f"/r/{hostile().names['alone']}").has(ARABIC, "note", "never changes its evidence level")


def test_runs_that_are_not_ranked_are_listed_with_their_reasons() -> None:
    look("/o/double").has("Not ranked", "compile error", "retracted")


def test_an_unknown_licence_is_a_dash_with_its_reason() -> None:
    page = look(f"/r/{hostile().names['alone']}")

    reasons = {given["title"] for _, given in page.tags if given.get("class") == "na"}
    assert "No licence is stated" in reasons
    assert all(reasons)
    page.has("Not usable as it stands", "licence unknown")
