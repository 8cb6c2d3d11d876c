"""Pages in a real browser that can reach nothing but the tested server.

Needs Chromium: `chromium` on the path, or its path in KGRAPH_CHROMIUM. With
KGRAPH_REQUIRE_BROWSER=1 a missing browser fails instead of skipping. KGRAPH_SCREENSHOTS names a
folder for pictures to look at.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_catalogs import COSINE, hostile, make_app, starter_source
from playground_app import serve
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Route

Scheme = Literal["light", "dark"]

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Belt and braces: no name is ever looked up, so a request we failed to see would fail.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)

WIDTHS = (320, 768, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

# Where the page's own words stand between us and the reader: as axe has it, on every page.
AXE_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}

PAGES = {
    "start": "/",
    "operation": f"/o/{COSINE}",
    "wide-operation": "/o/liger-fused-neighborhood-attention",
    "hardware": "/hardware/nvidia-b200",
    "records": "/records?family=jsd&hardware=NVIDIA+H100",
    "search": "/search?q=cosine",
    "missing": "/o/cosine",
}


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with serve(make_app(starter_source())) as origin:
        yield origin


@pytest.fixture(scope="module")
def hostile_origin() -> Iterator[str]:
    with serve(make_app(hostile().source)) as origin:
        yield origin


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = os.environ.get("KGRAPH_CHROMIUM") or shutil.which("chromium")
    if executable is None:
        if os.environ.get("KGRAPH_REQUIRE_BROWSER") == "1":
            pytest.fail("KGRAPH_REQUIRE_BROWSER is set, but there is no chromium")
        pytest.skip("no chromium on the path and none named by KGRAPH_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=[*CHROMIUM_ARGUMENTS], headless=True
        )
        yield browser
        browser.close()


@dataclass
class Visit:
    """One visitor's page and everything it did that it should not have."""

    page: Page
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def visit(
    browser: Browser, origin: str, *, width: int = 1440, scheme: Scheme = "light"
) -> Iterator[Page]:
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, base_url=origin
    )
    page = context.new_page()
    seen = Visit(page)

    def guard(route: Route) -> None:
        if route.request.url.startswith(f"{origin}/"):
            route.continue_()
        else:
            seen.outside.append(route.request.url)
            route.abort()

    context.route(re.compile(r"^(?!data:)"), guard)
    page.on(
        "console",
        lambda message: (
            seen.complaints.append(f"{page.url}: {message.text}")
            if message.type in {"error", "warning"} and "404" not in message.text
            else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog: {dialog.message}"))
    yield page
    assert seen.outside == []
    assert seen.complaints == []
    context.close()


def take_picture(page: Page, name: str) -> None:
    folder = os.environ.get("KGRAPH_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"page-{name}.png", full_page=True)


def assert_fits(page: Page) -> None:
    """Nothing but boxes made for it scrolls sideways."""
    beyond = page.evaluate(
        """() => {
            const wide = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= wide) return [];
            return [...document.querySelectorAll('body *')]
                .filter(one => !one.closest('.scroll, svg, .hidden, .skip'))
                .filter(one => one.getBoundingClientRect().right > wide + 1)
                .map(one => one.outerHTML.slice(0, 120));
        }"""
    )
    assert beyond == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def assert_accessible(page: Page) -> None:
    found = Axe().run(page, options=AXE_OPTIONS).response["violations"]
    serious = [
        (one["id"], [node["html"][:160] for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == [], page.url


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_screen_in_either_theme(
    browser: Browser, origin: str, pages: dict[str, str], width: int
) -> None:
    with visit(browser, origin, width=width) as page:
        for name, path in pages.items():
            page.goto(path)
            expect(page.locator("h1")).to_have_count(1)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                assert_fits(page)
                take_picture(page, f"{name}-{width}-{scheme}")


# Whatever axe finds depends on the theme or on the width, hardly on both.
@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1440, "dark")])
def test_pages_are_accessible(
    browser: Browser, origin: str, pages: dict[str, str], width: int, scheme: Scheme
) -> None:
    with visit(browser, origin, width=width, scheme=scheme) as page:
        for name, path in pages.items():
            # A large table is a small one again, and takes axe a while.
            if name != "wide-operation":
                page.goto(path)
                assert_accessible(page)


@pytest.fixture(scope="module")
def pages(origin: str) -> dict[str, str]:
    """Addresses by name; a run and its workload among them."""
    query = """query ($slug: String!) { operation(slug: $slug) { fastest { reported { run {
        digest workload { digest } } } } } }"""
    asked = {"query": query, "variables": {"slug": COSINE}}
    found = httpx.post(f"{origin}/graphql", json=asked).json()["data"]["operation"]
    run = found["fastest"]["reported"]["run"]
    return {**PAGES, "run": f"/r/{run['digest']}", "workload": f"/w/{run['workload']['digest']}"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_follows_the_theme_of_the_system(
    browser: Browser, origin: str, scheme: Scheme
) -> None:
    with visit(browser, origin, scheme=scheme) as page:
        page.goto(PAGES["operation"])
        ground, line = page.evaluate(
            """() => [
                getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector('.line.s0')).stroke,
            ].map(colour => colour.match(/\\d+/g).slice(0, 3).map(Number))"""
        )
        assert (sum(ground) < 150) == (scheme == "dark")
        # The drawing stands out from the ground in either theme.
        assert max(abs(one - other) for one, other in zip(ground, line, strict=True)) > 90


def test_a_wide_screen_is_used_and_not_filled(browser: Browser, origin: str) -> None:
    with visit(browser, origin, width=3840) as page:
        page.goto(PAGES["operation"])
        sizes = page.evaluate(
            """() => [
                document.querySelector('main').getBoundingClientRect().width,
                parseFloat(getComputedStyle(document.body).fontSize),
            ]"""
        )
        assert 2400 <= sizes[0] <= 3000
        assert sizes[1] >= 24
        assert_fits(page)
        take_picture(page, "operation-3840-light")


def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Browser, origin: str
) -> None:
    with visit(browser, origin, width=768) as page:
        page.goto(PAGES["operation"])

        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()

        reached = []
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                break
            reached.append(
                page.evaluate(
                    """() => {
                        const one = document.activeElement;
                        const style = getComputedStyle(one);
                        const box = one.getBoundingClientRect();
                        const head = document.querySelector('.top').getBoundingClientRect().bottom;
                        return {
                            what: one.getAttribute('aria-label') || one.textContent.trim(),
                            outlined: style.outlineStyle !== 'none',
                            covered: box.bottom <= head && !one.closest('.top'),
                        };
                    }"""
                )
            )
        names = [one["what"] for one in reached]
        # Boxes that scroll can be scrolled without a mouse.
        assert {"Current records by workload and hardware, table", "Ranking, table"} <= set(names)
        assert "Values by tokens" in names
        assert [one["what"] for one in reached if not one["outlined"]] == []
        assert [one["what"] for one in reached if one["covered"]] == []

        page.locator("summary", has_text="Values by tokens").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="Values by tokens, table")).to_be_visible()


def test_the_search_box_searches_without_a_script(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as page:
        page.goto("/")
        page.get_by_role("searchbox").fill("cosine")
        page.keyboard.press("Enter")

        page.get_by_role("link", name="Chunked distillation cosine loss").first.click()
        expect(page.locator("h1")).to_have_text("Chunked distillation cosine loss")


def test_heads_of_tables_stay_in_sight(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as page:
        page.goto("/records")
        page.mouse.wheel(0, 2500)
        page.wait_for_function("scrollY > 1500")

        expect(page.locator("thead").first.get_by_text("Held by")).to_be_in_viewport()
        expect(page.get_by_role("searchbox")).to_be_in_viewport()


def test_the_query_behind_a_page_opens_in_the_playground(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as page:
        page.goto(PAGES["operation"])
        page.get_by_role("link", name="the query that made it").click()

        expect(page.locator(".graphiql-tab-active .graphiql-tab-button")).to_have_text(
            "OperationPage"
        )


@pytest.mark.parametrize("width", [320, 1440])
def test_hard_names_neither_run_nor_burst_a_page(
    browser: Browser, hostile_origin: str, width: int
) -> None:
    names = hostile().names
    paths = {
        "crowded": "/o/double",
        "lonely": f"/w/{names['lonely']}",
        "retracted": f"/r/{names['retracted']}",
        "failed": f"/r/{names['failed']}",
        "arabic": "/o/bare",
    }
    with visit(browser, hostile_origin, width=width) as page:
        for name, path in paths.items():
            page.goto(path)
            assert_fits(page)
            if name != "crowded" and width == min(WIDTHS):
                assert_accessible(page)
            take_picture(page, f"hostile-{name}-{width}")
        page.goto(paths["crowded"])
        page.get_by_role("link", name="Next page").click()
        expect(page.get_by_role("link", name="x" * 200).first).to_be_visible()
        assert_fits(page)
        take_picture(page, f"hostile-next-{width}")
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "ltr"
        page.goto(paths["arabic"])
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "rtl"
