"""The static dashboard in a real browser."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from browsing import (
    SCHEMES,
    WIDTHS,
    Scheme,
    Visit,
    check_access,
    check_width,
    open_browser,
    take_picture,
    visit,
)
from example_pages import ROOT, Served, serve_hard_cases, serve_page
from page_catalogs import MARKUP
from playwright.sync_api import expect

from kgraph.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


DOCUMENTS = [
    path.read_text("utf-8") for path in (ROOT / "examples/static/documents").glob("*.graphql")
]
OWN = {*DOCUMENTS, *(f"sha256:{sha256(text.encode()).hexdigest()}" for text in DOCUMENTS)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    assert browser.is_connected()
    with serve_page("static", tmp_path_factory.getbasetemp() / "starter-index") as served:
        yield served


@pytest.fixture(scope="module")
def hard_cases() -> Iterator[str]:
    with serve_hard_cases() as origin:
        yield origin


def questions(seen: Visit) -> list[dict[str, str]]:
    """What the page itself asked, in order; the widget asks for itself."""
    asked = [
        {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        for url in seen.asked
        if "/graphql?" in url
    ]
    return [each for each in asked if each.get("documentId", each.get("query")) in OWN]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_dashboard_fits_and_is_accessible(
    browser: Browser, served: Served, width: int, scheme: Scheme
) -> None:
    with visit(browser, served.address, served.server, width=width, scheme=scheme) as seen:
        for summary in seen.page.locator("summary").all():
            summary.click()
        check_width(seen.page)
        # Colours differ by scheme, and order by width; axe needs no look at every pair.
        if (width, scheme) in {(320, "light"), (768, "dark"), (1440, "light"), (1440, "dark")}:
            check_access(seen.page)
        take_picture(seen.page, f"static-{width}-{scheme}")


def test_the_dashboard_says_what_the_api_says(browser: Browser, served: Served) -> None:
    with visit(browser, served.address, served.server) as seen, Client(served.server) as kgraph:
        page = seen.page
        cohort = page.locator("#cohort").input_value()
        ranked = list(kgraph.ranking(cohort))
        data = kgraph.execute(
            "query Floor($key: String!)"
            " { cohort(key: $key) { headroom { recordRatio } history { totalCount } } }",
            {"key": cohort},
        )["cohort"]

        expect(page.locator("h1")).to_have_text("SwiGLU activation in Megatron layout")
        figures = page.locator(".tile .figure").all_inner_texts()
        assert figures == [
            ranked[0].display,
            f"{data['headroom']['recordRatio']:.2f}×",
            f"{ranked[0].speedup_over_baseline:.2f}×",
            str(len(ranked)),
        ]
        rows = page.get_by_role("region", name="Ranked runs").locator("tbody tr")
        assert [row.locator("a").inner_text() for row in rows.all()] == [
            each.run.implementation.title for each in ranked
        ]
        assert [row.locator("td.number").first.inner_text() for row in rows.all()] == [
            each.display for each in ranked
        ]
        link = rows.first.locator("a").get_attribute("href")
        assert link is not None
        assert httpx.get(link, timeout=60).status_code == 200
        steps = page.locator("section", has_text="Record history").locator("circle")
        assert steps.count() == data["history"]["totalCount"]
        points = page.locator("section", has_text="Scaling along ffn").locator("circle")
        assert points.count() == 24
        assert page.locator(".plot path.floor").count() == 1
        assert kgraph.catalog().snapshot.startswith(page.locator("footer a").first.inner_text())


def test_the_widget_shows_the_same_record(browser: Browser, served: Served) -> None:
    with visit(browser, served.address, served.server) as seen:
        record = seen.page.locator(".tile .figure").first.inner_text()
        expect(seen.page.locator("kgraph-record")).to_contain_text(record)


def test_questions_are_named_by_digest_and_pinned(browser: Browser, served: Served) -> None:
    with visit(browser, served.address, served.server) as seen:
        asked = questions(seen)
        snapshot = seen.page.locator("footer a").first.get_attribute("href")

    assert [set(each) for each in asked] == [
        {"documentId", "variables"},
        {"documentId", "variables", "snapshot"},
        {"documentId", "variables", "snapshot"},
    ]
    assert snapshot is not None
    pins = parse_qs(urlsplit(snapshot).query)["snapshot"]
    assert [each["snapshot"] for each in asked[1:]] == pins * 2
    again = httpx.get(f"{served.server}/graphql", params=asked[2])
    assert "immutable" in again.headers["cache-control"]


def test_everything_is_chosen_by_keyboard_and_stays_in_the_address(
    browser: Browser, served: Served
) -> None:
    with visit(browser, served.address, served.server) as seen:
        page = seen.page
        page.keyboard.press("Tab")
        expect(page.locator("#operation")).to_be_focused()
        page.keyboard.type("Embedding")
        expect(page.locator("h1")).to_have_text("Embedding lookup")
        for name in ("hardware", "protocol", "cohort"):
            page.keyboard.press("Tab")
            expect(page.locator(f"#{name}")).to_be_focused()
        before = page.locator("#lead").inner_text()
        page.locator(".rows [aria-pressed=false]").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#lead")).not_to_have_text(before)
        expect(page.locator(".rows [aria-pressed=true]")).to_be_focused()
        lead, address = page.locator("#lead").inner_text(), page.url
        expect(page.locator("#status")).to_contain_text("Embedding lookup")

    with visit(browser, address, served.server) as seen:
        expect(seen.page.locator("h1")).to_have_text("Embedding lookup")
        expect(seen.page.locator("#lead")).to_have_text(lead)


def test_every_operation_of_the_starter_catalogue_can_be_shown(
    browser: Browser, served: Served
) -> None:
    with visit(browser, served.address, served.server) as seen:
        page = seen.page
        slugs = page.locator("#operation option").evaluate_all("all => all.map(each => each.value)")
        assert len(slugs) == 35
        for slug in slugs:
            page.select_option("#operation", slug)
            page.wait_for_url(f"**operation={slug}&**")
            assert page.locator(".card").count() == 5, slug
            assert page.locator("svg text", has_text="NaN").count() == 0, slug


def test_names_with_markup_stay_text_and_long_lists_say_so(
    browser: Browser, served: Served, hard_cases: str
) -> None:
    with visit(browser, served.reading(hard_cases), hard_cases) as seen:
        page = seen.page
        expect(page.locator("h1")).to_have_text(MARKUP)
        page.select_option("#cohort", index=1)
        ranking = page.get_by_role("region", name="Ranked runs")
        expect(ranking.locator("tbody tr")).to_have_count(50)
        expect(page.locator("section", has=ranking)).to_contain_text("the first 50 of 260")
        history = page.locator("section", has_text="Record history")
        history.locator("summary").click()
        names = history.locator("tbody th").all_inner_texts()
        assert MARKUP in names
        assert len(names) == history.locator("circle").count() > 10
        assert page.locator("main img, main script").count() == 0
        take_picture(page, "static-hard")
        # This server trusts no document, so after one refusal the text itself is sent.
        asked = questions(seen)
        assert [("documentId" in each, "query" in each) for each in asked[:3]] == [
            (True, False),
            (False, True),
            (False, True),
        ]


def test_a_server_that_is_not_there_is_said_in_words(browser: Browser, served: Served) -> None:
    gone = "http://127.0.0.1:9"
    with visit(browser, served.reading(gone), gone, may_complain=True) as seen:
        expect(seen.page.get_by_role("alert")).to_contain_text(f"{gone} gives this page no answer")
        check_access(seen.page)


def test_the_page_is_one_file_and_its_script_beside_the_documents() -> None:
    folder = ROOT / "examples" / "static"

    assert {path.name for path in folder.iterdir()} == {"documents", "dashboard.js", "index.html"}
