"""Another site that shows widgets, on an origin of its own, and a browser that visits it."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playground_app import serve
from playwright.sync_api import sync_playwright
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from widget_catalogs import NOW

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Locator, Page
    from playwright.sync_api import Route as Interception
    from starlette.requests import Request

    from kgraph.catalog import CatalogSource

Scheme = Literal["light", "dark"]

WIDTHS = (320, 768, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

DONE = ".kgraph[data-state]:not([data-state=loading])"
"""A widget that shows what came of its request; selectors see into open shadow trees."""

STRICT = "default-src 'none'; script-src {server}; connect-src {server}"
"""The strictest policy of a page that widgets work under: no style, no script of the page's own."""

_CHROMIUM_ARGUMENTS = (
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

_AXE_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium; skips without one, unless one is required."""
    executable = os.environ.get("KGRAPH_CHROMIUM") or shutil.which("chromium")
    if executable is None:
        if os.environ.get("KGRAPH_REQUIRE_BROWSER") == "1":
            pytest.fail("KGRAPH_REQUIRE_BROWSER is set, but there is no chromium")
        pytest.skip("no chromium on the path and none named by KGRAPH_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=[*_CHROMIUM_ARGUMENTS], headless=True
        )
        yield browser
        browser.close()


@dataclass
class Site:
    """A site of somebody else beside a server of kgraph."""

    server: str
    """Origin of kgraph."""
    origin: str
    """Origin of the site."""
    pages: dict[str, tuple[str, str]]

    def write(self, body: str, *, policy: str | None = STRICT, script: bool = True) -> str:
        """The address of a page with this body; the widgets' script comes from kgraph.

        Args:
            policy: content security policy, where `{server}` stands for kgraph; none where None.
            script: whether the page loads the script.
        """
        path = f"/page-{len(self.pages)}"
        loaded = f'<script type="module" src="{self.server}/widgets/kgraph.js"></script>'
        head = loaded if script else ""
        text = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>A site</title>'
            f'<meta name="viewport" content="width=device-width">{head}<body><main>'
            f"<h1>A site</h1>{body.replace('{server}', self.server)}</main></body></html>"
        )
        self.pages[path] = (text, (policy or "").replace("{server}", self.server))
        return f"{self.origin}{path}"


@contextmanager
def open_site(source: CatalogSource, *, cors: tuple[str, ...] = ("*",)) -> Iterator[Site]:
    """A site and a server of a catalogue, on two ports.

    Args:
        cors: origins that may read the server's answers.
    """
    options = WebOptions(refresh_seconds=0, cors_origins=cors)
    pages: dict[str, tuple[str, str]] = {}

    def send(request: Request) -> Response:
        text, policy = pages[request.url.path]
        return HTMLResponse(text, headers={"content-security-policy": policy} if policy else {})

    with (
        serve(build_app(source, options=options, clock=lambda: NOW)) as server,
        serve(Starlette(routes=[Route("/{name}", send)])) as origin,
    ):
        yield Site(server, origin, pages)


@dataclass
class Visit:
    """One visitor's page, what it asked kgraph for, and what it did that it should not have."""

    page: Page
    context: BrowserContext
    asked: list[str] = field(default_factory=list)
    """Addresses of GraphQL requests."""
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, address: str, *, wait: bool = True) -> Locator:
        """The first widget of a page, once it shows something."""
        self.page.goto(address)
        if wait:
            self.page.locator(DONE).first.wait_for()
        return self.page.locator(".kgraph").first


@contextmanager
def visit(
    browser: Browser,
    site: Site,
    *,
    width: int = 768,
    scheme: Scheme = "light",
    expected: str | None = None,
) -> Iterator[Visit]:
    """A page that can reach the site and the server alone; complains of whatever went wrong.

    Args:
        expected: pattern of console messages that belong to the case; there has to be one.
    """
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
        # Evaluated by the test, not by the page, whose policy holds all the same.
        bypass_csp=False,
    )
    page = context.new_page()
    seen = Visit(page, context)

    def guard(route: Interception) -> None:
        url = route.request.url
        if url.startswith(f"{site.server}/graphql"):
            seen.asked.append(url)
        if url.startswith((f"{site.origin}/", f"{site.server}/")):
            route.continue_()
        else:
            seen.outside.append(url)
            route.abort()

    context.route(re.compile(r"^(?!data:)"), guard)
    page.on(
        "console",
        lambda message: (
            seen.complaints.append(message.text) if message.type in {"error", "warning"} else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog: {dialog.message}"))
    yield seen
    assert seen.outside == []
    # A browser asks every host for an icon, and says that there is none.
    told = [text for text in seen.complaints if "favicon" not in text]
    if expected is None:
        assert told == []
    else:
        assert told
        assert [text for text in told if not re.search(expected, text)] == []
    context.close()


def take_picture(page: Page, name: str) -> None:
    """Keeps a picture where KGRAPH_SCREENSHOTS names a folder for them."""
    folder = os.environ.get("KGRAPH_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"widget-{name}.png", full_page=True)


def assert_fits(page: Page) -> None:
    """Nothing but boxes made for it scrolls sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    beyond = page.evaluate(
        """() => {
            const found = [];
            for (const host of document.querySelectorAll('main > *')) {
                if (!host.shadowRoot) continue;
                const edge = host.getBoundingClientRect().right + 1;
                for (const one of host.shadowRoot.querySelectorAll('*')) {
                    if (one.closest('.scroll, .hidden')) continue;
                    const isBeyond = one.getBoundingClientRect().right > edge;
                    if (isBeyond) found.push(one.outerHTML.slice(0, 90));
                }
            }
            return found;
        }"""
    )
    assert beyond == []


def assert_accessible(page: Page) -> None:
    """Axe finds nothing serious, in shadow trees too."""
    found = Axe().run(page, options=_AXE_OPTIONS).response["violations"]
    serious = [
        (one["id"], [node["html"][:160] for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == [], page.url
