"""The playground in a real browser that can reach nothing but the tested server.

Needs Chromium: `chromium` on the path, or its path in KGRAPH_CHROMIUM. With
KGRAPH_REQUIRE_BROWSER=1 a missing browser fails instead of skipping. KGRAPH_SCREENSHOTS names a
folder for pictures to look at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import httpx
import pytest
from playground_app import build_tested_app, serve
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page, Route

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "frontend" / "examples"
INDEX = json.loads((EXAMPLES / "index.json").read_text())

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

QUERY_EDITOR = ".graphiql-query-editor .monaco-editor"
ACTIVE_TAB = ".graphiql-tab-active .graphiql-tab-button"
RESPONSE = ".graphiql-response .view-lines"


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with serve(build_tested_app()) as origin:
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
    browser: Browser,
    origin: str,
    *,
    scheme: Literal["light", "dark"] = "light",
    address: str = "/playground",
) -> Iterator[Visit]:
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 1440, "height": 900}, base_url=origin
    )
    # An empty profile folder is Playwright's own doing: each context starts without storage.
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
            seen.complaints.append(message.text) if message.type in {"error", "warning"} else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.goto(address)
    expect(page.locator(f"{QUERY_EDITOR} .view-line").first).to_be_visible()
    yield seen
    # Whatever a test does with the page, it stays at home and does not complain.
    assert seen.outside == []
    assert seen.complaints == []
    context.close()


def take_picture(page: Page, name: str) -> None:
    folder = os.environ.get("KGRAPH_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"playground-{name}.png")


def shown_text(lines: Locator) -> str:
    # The editor draws blanks as no-break spaces.
    return lines.inner_text().replace("\N{NO-BREAK SPACE}", " ")


def type_query(page: Page, text: str) -> None:
    page.get_by_role("button", name="New tab").click()
    page.locator(f"{QUERY_EDITOR} .view-lines").click()
    page.keyboard.type(text)


def wait_for_theme(page: Page, theme: str) -> None:
    """Wait until the page's ground and the editor's letters both have the theme's brightness."""
    page.wait_for_function(
        """theme => {
            const brightness = colour => {
                const [red, green, blue] = colour.match(/[\\d.]+/g).map(Number);
                return red * 0.299 + green * 0.587 + blue * 0.114;
            };
            const ground = document.querySelector('.graphiql-container');
            const letters = document.querySelector('.graphiql-query-editor .view-line .mtk1');
            if (!ground || !letters) return false;
            const dark = [
                brightness(getComputedStyle(ground).backgroundColor) < 128,
                brightness(getComputedStyle(letters).color) > 128,
            ];
            return dark.every(found => found === (theme === 'dark'));
        }""",
        arg=theme,
        timeout=5000,
    )


def test_it_opens_on_the_examples_and_loads_every_worker(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page

        titles = [
            re.search(r"^query (\w+)", (EXAMPLES / f"{e['name']}.graphql").read_text(), re.M)
            for e in INDEX
        ]
        expect(page.locator(".graphiql-tab-button")).to_have_text([t[1] for t in titles if t])
        expect(page.get_by_role("region", name="Examples").get_by_role("button")).to_have_count(
            len(INDEX)
        )
        expect(page.locator(".graphiql-editor-tool .view-lines").first).to_contain_text("slug")

        page.wait_for_function(
            """() => {
                const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
                return ['editor', 'json', 'graphql'].every(
                    label => loaded.some(name => name.endsWith(`/${label}.worker.js`)));
            }"""
        )
        script = page.locator("script").get_attribute("src") or ""
        folder = origin + script.rsplit("/", 1)[0]
        assert {worker.url.rsplit("/", 1)[0] for worker in page.workers} == {folder}
        take_picture(page, "light")


def test_the_editor_highlights(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        # Comment, keyword, name, variable, field and bracket at least.
        seen.page.wait_for_function(
            """() => {
                const editor = document.querySelector('.graphiql-query-editor');
                const tokens = [...editor.querySelectorAll('.view-line span span')];
                return new Set(tokens.map(token => getComputedStyle(token).color)).size >= 5;
            }"""
        )


def test_the_editor_completes_from_the_schema(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page
        type_query(page, "{ catalog { snap")

        suggestion = page.locator(".suggest-widget.visible .monaco-list-row", has_text="snapshot")
        expect(suggestion).to_be_visible()
        take_picture(page, "completion")
        page.keyboard.press("Enter")

        expect(page.locator(f"{QUERY_EDITOR} .view-lines")).to_have_text(
            re.compile(r"catalog\s\{\ssnapshot")
        )


def test_the_editor_marks_what_the_schema_lacks(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        type_query(seen.page, "{ noSuchField }")

        expect(seen.page.locator(f"{QUERY_EDITOR} .squiggly-error")).to_be_visible()


def test_an_example_runs_and_its_answer_is_shown(browser: Browser, origin: str) -> None:
    query = (EXAMPLES / "catalog.graphql").read_text()
    answer: dict[str, Any] = httpx.post(f"{origin}/graphql", json={"query": query}).json()

    with visit(browser, origin) as seen:
        page = seen.page
        page.locator("[data-example=catalog]").click()
        with page.expect_request("**/graphql") as sent:
            page.get_by_role("button", name=re.compile("^Execute")).click()

        expect(page.locator(RESPONSE)).to_contain_text(
            # The pane breaks long words.
            answer["data"]["catalog"]["snapshot"][:20]
        )
        expect(page.locator(".kgraph-outcome")).to_contain_text("Catalog · status 200")
        assert sent.value.headers["accept"] == "application/graphql-response+json, application/json"
        assert json.loads(sent.value.post_data or "")["operationName"] == "Catalog"
        take_picture(page, "answer")


def test_an_example_that_is_open_is_not_opened_twice(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page
        page.locator("[data-example=resolve]").click()

        expect(page.locator(ACTIVE_TAB)).to_have_text("Resolve")
        expect(page.locator(".graphiql-tab")).to_have_count(len(INDEX))

        page.locator(".graphiql-tab-active").get_by_role("button", name="Close Tab").click()
        page.locator("[data-example=resolve]").click()

        expect(page.locator(ACTIVE_TAB)).to_have_text("Resolve")
        expect(page.locator(".graphiql-tab")).to_have_count(len(INDEX))
        expect(page.locator(".graphiql-editor-tool .view-lines").first).to_contain_text("operation")


def test_explorer_and_history_work(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page
        page.locator("[data-example=catalog]").click()
        page.get_by_role("button", name=re.compile("^Execute")).click()
        expect(page.locator(RESPONSE)).to_contain_text("snapshot")

        page.get_by_role("button", name="Show History").click()
        expect(page.locator(".graphiql-history-items")).to_contain_text("Catalog")

        page.get_by_role("button", name="Show GraphiQL Explorer").click()
        page.locator(".graphiql-explorer-root").get_by_text("publishedAt").click()
        expect(page.locator(f"{QUERY_EDITOR} .view-lines")).not_to_contain_text("publishedAt")
        take_picture(page, "explorer")


def test_prettify_keeps_comments(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page
        page.locator("[data-example=catalog]").click()
        page.locator(f"{QUERY_EDITOR} .view-lines").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text("# why\n{catalog{snapshot}}")
        page.get_by_role("button", name=re.compile("^Prettify")).click()

        expect(page.locator(f"{QUERY_EDITOR} .view-line", has_text="snapshot")).to_have_text(
            re.compile(r"^\s{4}snapshot$")
        )
        assert shown_text(page.locator(f"{QUERY_EDITOR} .view-lines")).split() == [
            "#", "why", "{", "catalog", "{", "snapshot", "}", "}",
        ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_system_and_can_be_told_otherwise(
    browser: Browser, origin: str, scheme: Literal["light", "dark"]
) -> None:
    other: Literal["light", "dark"] = "dark" if scheme == "light" else "light"

    with visit(browser, origin, scheme=scheme) as seen:
        page = seen.page
        wait_for_theme(page, scheme)
        take_picture(page, f"system-{scheme}")

        # The system changes its mind while the page is open.
        page.emulate_media(color_scheme=other)
        wait_for_theme(page, other)

        page.get_by_role("group", name="Theme").get_by_text(scheme.capitalize()).click()
        wait_for_theme(page, scheme)

        # The choice outlives a visit, whatever the system says.
        page.reload()
        wait_for_theme(page, scheme)


def test_a_second_visit_finds_the_tabs_as_they_were_left(browser: Browser, origin: str) -> None:
    with visit(browser, origin) as seen:
        page = seen.page
        type_query(page, "query Mine { catalog { snapshot ")
        # Tabs are stored half a second after the last key.
        page.wait_for_function("() => localStorage.getItem('graphiql:tabState').includes('Mine')")

        page.reload()

        expect(page.locator(ACTIVE_TAB)).to_have_text("Mine")
        expect(page.locator(".graphiql-tab")).to_have_count(len(INDEX) + 1)


def test_a_link_opens_its_query_and_does_not_run_it(browser: Browser, origin: str) -> None:
    address = "/playground?query=query%20Linked%20%7B%20catalog%20%7B%20snapshot%20%7D%20%7D"
    with visit(browser, origin, address=address) as seen:
        expect(seen.page.locator(ACTIVE_TAB)).to_have_text("Linked")
        expect(seen.page.locator(f"{QUERY_EDITOR} .view-lines")).to_contain_text("Linked")
        expect(seen.page.locator(".kgraph-outcome")).to_have_count(0)


def test_a_link_opens_an_example_by_name(browser: Browser, origin: str) -> None:
    with visit(browser, origin, address="/playground?example=headroom") as seen:
        expect(seen.page.locator(ACTIVE_TAB)).to_have_text("Headroom")
        expect(seen.page.locator(".graphiql-editor-tool .view-lines").first).to_contain_text("slug")
