"""Images in a real browser that can reach nothing but the tested server.

Needs Chromium, as the browser tests of pages do.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_catalogs import ARABIC, COSINE, EMOJI, LONG, MARKUP, hostile, make_app, starter_source
from playground_app import serve
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Route

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    # No name is ever looked up, so a request we failed to see would fail.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)

CHARTS = [f"/chart/{kind}/{COSINE}.svg" for kind in ("history", "ranking", "scaling")]

# Texts that leave the drawing, or stand on each other, in the letters that the browser has.
MISPLACED = """() => {
  const root = document.documentElement.getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].filter((one) => one.textContent.trim());
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
  const outside = boxes.filter(([, box]) =>
    box.left < root.left - 1 || box.right > root.right + 1 ||
    box.top < root.top - 1 || box.bottom > root.bottom + 1);
  const touching = boxes.filter(([, one], place) => boxes.some(([, other], next) => next > place &&
    one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 2 && other.top < one.bottom - 2));
  return [...outside, ...touching].map(([text]) => text);
}"""


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
            executable_path=executable, args=list(ARGUMENTS), headless=True
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that reports every request elsewhere and every complaint."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    faults: list[str] = []

    def guard(route: Route) -> None:
        if route.request.url.startswith("http://127.0.0.1:"):
            route.continue_()
        else:
            faults.append(route.request.url)
            route.abort()

    context.route(re.compile(r"^(?!data:)"), guard)
    page.on(
        "console",
        lambda message: faults.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    yield page
    context.close()
    assert faults == []


def take_picture(page: Page, name: str) -> None:
    folder = os.environ.get("KGRAPH_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"image-{name}.png", full_page=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 640, 1200])
@pytest.mark.parametrize("path", CHARTS)
def test_no_text_of_a_chart_leaves_it_or_stands_on_another(
    page: Page, origin: str, path: str, width: int, theme: str
) -> None:
    page.goto(f"{origin}{path}?width={width}&theme={theme}")

    assert page.evaluate(MISPLACED) == []


@pytest.mark.parametrize("width", [320, 640])
@pytest.mark.parametrize(
    "name", [MARKUP, ARABIC, EMOJI, LONG], ids=["markup", "arabic", "emoji", "long"]
)
def test_hard_names_stay_within_a_chart_and_run_nothing(
    page: Page, hostile_origin: str, name: str, width: int
) -> None:
    run = hostile().names[name]

    page.goto(f"{hostile_origin}/chart/ranking/double.svg?width={width}&run={run}")

    assert page.evaluate(MISPLACED) == []
    assert page.evaluate("document.querySelectorAll('script, image').length") == 0


def test_images_on_another_site_s_page_are_seen_and_have_names(
    page: Page, origin: str, hostile_origin: str
) -> None:
    badge = f"{origin}/badge/o/{COSINE}.svg"
    sources = [badge, *(f"{origin}{path}" for path in CHARTS)]
    sources += [f"{origin}/chart/ranking/{COSINE}.png", f"{hostile_origin}/badge/o/double.svg"]
    # A page of another origin, for want of another site.
    page.goto(f"{hostile_origin}/healthz")
    page.evaluate(
        """(sources) => document.body.replaceChildren(...sources.map((source) => {
          const image = document.createElement("img");
          image.src = source;
          return image;
        }))""",
        sources,
    )
    page.wait_for_function("[...document.images].every((one) => one.complete)")

    sizes: list[int] = page.evaluate("[...document.images].map((one) => one.naturalWidth)")

    assert all(size > 100 for size in sizes), sizes
    take_picture(page, "elsewhere")


def test_drawings_within_a_page_are_images_with_names(page: Page, origin: str) -> None:
    paths = [f"/badge/o/{COSINE}.svg", *CHARTS]
    drawings = [page.request.get(f"{origin}{path}").text() for path in paths]
    body = (
        "<!doctype html><html lang='en'><title>images</title><main><h1>images</h1>"
        f"{''.join(f'<p>{one}</p>' for one in drawings)}</main></html>"
    )
    page.set_content(body)

    found: Any = (
        Axe()
        .run(
            page,
            options={
                "runOnly": [
                    "wcag2a",
                    "wcag2aa",
                    "wcag21a",
                    "wcag21aa",
                    "wcag22aa",
                    "best-practice",
                ],
                "resultTypes": ["violations"],
            },
        )
        .response["violations"]
    )

    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    names = [one.get_attribute("aria-labelledby") for one in page.get_by_role("img").all()]
    assert len(names) == len(paths)
    assert page.get_by_role("img", name=re.compile("^Fastest on A100: 13.8 ms, Liger")).count() == 1
    assert page.get_by_role("img", name=re.compile("loss: ranking")).count() == 1
    take_picture(page, "inline")
