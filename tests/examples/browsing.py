"""A browser that can reach nothing but what a test serves, and what it must not complain of.

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

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Dialog, Page, Route

Scheme = Literal["light", "dark"]

WIDTHS = (320, 768, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

_ARGUMENTS = (
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


@dataclass
class Visit:
    """One visitor's page, what it asked for, and what it should not have done."""

    page: Page
    asked: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium without a window."""
    executable = os.environ.get("KGRAPH_CHROMIUM") or shutil.which("chromium")
    if executable is None:
        if os.environ.get("KGRAPH_REQUIRE_BROWSER") == "1":
            pytest.fail("KGRAPH_REQUIRE_BROWSER is set, but there is no chromium")
        pytest.skip("no chromium on the path and none named by KGRAPH_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=[*_ARGUMENTS], headless=True
        )
        yield browser
        browser.close()


@contextmanager
def visit(
    browser: Browser,
    address: str,
    *origins: str,
    width: int = 1440,
    scheme: Scheme = "light",
    may_complain: bool = False,
) -> Iterator[Visit]:
    """A page opened at an address; at the end it must have stayed among the origins, and content.

    Args:
        origins: that it may ask, besides its own.
        may_complain: whether it may write warnings and errors to the console.
    """
    own = "/".join(address.split("/")[:3])
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    page = context.new_page()
    seen = Visit(page)

    def guard(route: Route) -> None:
        url = route.request.url
        if url.startswith(tuple(f"{origin}/" for origin in (own, *origins))):
            seen.asked.append(url)
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

    def refuse(dialog: Dialog) -> None:
        seen.complaints.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.goto(address)
    page.wait_for_selector("main[aria-busy=false]")
    yield seen
    assert seen.outside == []
    assert may_complain or seen.complaints == []
    context.close()


def check_access(page: Page) -> None:
    """Nothing stands between the page and assistive software."""
    results = Axe().run(page, options=_AXE_OPTIONS)
    assert results.violations_count == 0, results.generate_report()


def check_width(page: Page) -> None:
    """Nothing sticks out of the page."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def take_picture(page: Page, name: str) -> None:
    """Keep the whole page as a picture, where a folder for pictures is named."""
    folder = os.environ.get("KGRAPH_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"example-{name}.png", full_page=True)
