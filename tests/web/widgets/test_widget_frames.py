"""Frames of kgraph on a page of another site, with and without the script that sizes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from widget_catalogs import COSINE, MARKUP, ROOT, hard, starter_source
from widget_site import (
    DONE,
    SCHEMES,
    WIDTHS,
    Site,
    assert_accessible,
    assert_fits,
    open_browser,
    open_site,
    take_picture,
    visit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

WIDGETS = ("ranking", "record", "history", "scaling", "headroom")
SCRIPT = '<script src="{server}/widgets/frame.js" defer></script>'
POLICY = "default-src 'none'; frame-src {server}; script-src {server}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """No other site may read the server's answers: frames ask their own origin."""
    with open_site(starter_source(), cors=()) as site:
        yield site


def frame(widget: str, query: str = f"operation={COSINE}", height: int = 150) -> str:
    address = f"{{server}}/embed/{widget}?{query}"
    return f'<iframe src="{address}" title="{widget}" width="100%" height="{height}"></iframe>'


def height_of(page: Page, place: int = 0) -> float:
    box = page.locator("iframe").nth(place).bounding_box()
    assert box is not None
    return box["height"]


def wait_for_fit(page: Page, place: int = 0) -> None:
    """Until a frame is as high as its content and its own border."""
    html = page.frame_locator("iframe").nth(place).locator("html")
    for _ in range(200):
        content = html.evaluate("one => one.getBoundingClientRect().height")
        if content <= height_of(page, place) <= content + 6:
            return
        page.wait_for_timeout(25)
    pytest.fail(f"frame of {height_of(page, place)} pixels, expected {content}")


@pytest.mark.parametrize("width", WIDTHS)
def test_frames_are_as_high_as_their_content(browser: Browser, site: Site, width: int) -> None:
    body = "".join(frame(widget) for widget in WIDGETS)
    address = site.write(body + SCRIPT, policy=POLICY, script=False)
    with visit(browser, site, width=width) as seen:
        seen.page.goto(address)
        for place in range(len(WIDGETS)):
            inner = seen.page.frame_locator("iframe").nth(place)
            inner.locator(DONE).wait_for()
            # Frames out of sight are laid out later.
            seen.page.locator("iframe").nth(place).scroll_into_view_if_needed()
            wait_for_fit(seen.page, place)
            assert inner.locator("html").evaluate("one => one.scrollWidth <= innerWidth")
        take_picture(seen.page, f"frames-{width}")


def test_a_frame_grows_and_shrinks_with_its_content(browser: Browser, site: Site) -> None:
    address = site.write(frame("scaling") + SCRIPT, policy=POLICY, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        inner = seen.page.frame_locator("iframe")
        summary = inner.get_by_text("Values by tokens", exact=True)
        summary.wait_for()
        wait_for_fit(seen.page)
        folded = height_of(seen.page)

        summary.click()
        inner.locator("table").wait_for()
        wait_for_fit(seen.page)
        assert height_of(seen.page) > folded + 80

        summary.click()
        inner.locator("table").wait_for(state="hidden")
        wait_for_fit(seen.page)
        assert height_of(seen.page) == folded


def test_a_script_that_comes_late_still_sizes_the_frame(browser: Browser, site: Site) -> None:
    address = site.write(frame("record"), policy=None, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        seen.page.frame_locator("iframe").locator(DONE).wait_for()
        assert height_of(seen.page) == pytest.approx(150, abs=5)

        seen.page.add_script_tag(url=f"{site.server}/widgets/frame.js")
        wait_for_fit(seen.page)

        assert height_of(seen.page) > 160


def test_a_frame_works_without_a_script_around_it(browser: Browser, site: Site) -> None:
    policy = "default-src 'none'; frame-src {server}"
    address = site.write(frame("ranking", height=120), policy=policy, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        inner = seen.page.frame_locator("iframe")
        inner.get_by_role("link", name="Liger", exact=True).wait_for()

        assert height_of(seen.page) == pytest.approx(120, abs=5)
        # What does not fit can be scrolled to.
        last = inner.get_by_role("link", name="everything on kgraph")
        last.scroll_into_view_if_needed()
        expect(last).to_be_in_viewport()


def test_a_frame_works_in_a_sandbox_with_what_the_guide_names(browser: Browser, site: Site) -> None:
    guide = (ROOT / "docs" / "widgets.md").read_text(encoding="utf-8")
    [allowed] = re.findall(r"`sandbox` needs `([a-z -]+)`", guide)
    body = frame("record").replace("<iframe ", f'<iframe sandbox="{allowed}" ')
    with visit(browser, site) as seen:
        seen.page.goto(site.write(body + SCRIPT, policy=POLICY, script=False))
        inner = seen.page.frame_locator("iframe")
        expect(inner.locator(".figure")).to_contain_text("13.8 ms")
        wait_for_fit(seen.page)
        with seen.context.expect_page() as opened:
            inner.get_by_role("link", name="everything on kgraph").click()
        opened.value.wait_for_url(f"{site.server}/o/{COSINE}**")


def test_only_the_frame_that_speaks_is_resized(browser: Browser, site: Site) -> None:
    body = frame("record") + frame("ranking", query="operation=nobody") + SCRIPT
    stranger = (
        '<iframe id="stranger" title="stranger" width="100%" height="150" '
        'srcdoc="&lt;p&gt;another&lt;/p&gt;"></iframe>'
    )
    address = site.write(body + stranger, policy=None, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        for place in range(2):
            seen.page.frame_locator("iframe").nth(place).locator(DONE).wait_for()
            wait_for_fit(seen.page, place)
        before = [height_of(seen.page, place) for place in range(3)]

        # A frame that is not kgraph's asks for itself, and the page for a frame of ours.
        seen.page.frames[-1].evaluate(
            "parent.postMessage({type: 'kgraph-height', height: 4000}, '*')"
        )
        seen.page.evaluate("postMessage({type: 'kgraph-height', height: 4000}, '*')")
        for wrong in ("'-1'", "-1", "NaN", "Infinity", "null", "{}"):
            seen.page.frames[1].evaluate(
                f"parent.postMessage({{type: 'kgraph-height', height: {wrong}}}, '*')"
            )
        seen.page.frames[1].evaluate("parent.postMessage(null, '*')")
        # Messages come in order: what was sent before this one has been heard with it.
        tall = "parent.postMessage({type: 'kgraph-height', height: 1e9}, '*')"
        seen.page.frames[2].evaluate(tall)
        expect(seen.page.locator("iframe").nth(1)).to_have_attribute("style", "height: 20000px;")

        after = [height_of(seen.page, place) for place in range(3)]
        assert [after[0], after[2]] == [before[0], before[2]]
        assert before[0] != before[1]


def test_links_leave_the_frame(browser: Browser, site: Site) -> None:
    address = site.write(frame("record") + SCRIPT, policy=POLICY, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        inner = seen.page.frame_locator("iframe")
        with seen.context.expect_page() as opened:
            inner.get_by_role("link", name="everything on kgraph").click()

        # Pages may not be framed, so a link within the frame would lead to nothing.
        expect(opened.value.locator("h1")).to_have_text("Chunked distillation cosine loss")
        assert seen.page.url == address


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_frame_has_its_theme_to_the_edge(
    browser: Browser, site: Site, scheme: str, theme: str
) -> None:
    shown = scheme if theme == "auto" else theme
    with visit(browser, site, scheme="dark" if scheme == "dark" else "light") as seen:
        seen.open(f"{site.server}/embed/record?operation={COSINE}&theme={theme}")
        grounds = seen.page.evaluate(
            """() => [document.documentElement, document.querySelector('kgraph-record')
                .shadowRoot.querySelector('.kgraph')].map(
                    one => getComputedStyle(one).backgroundColor)"""
        )
        assert grounds[0] == grounds[1]
        assert grounds[0] == ("rgb(15, 19, 23)" if shown == "dark" else "rgb(255, 255, 255)")


def test_a_frame_on_its_own_is_accessible(browser: Browser, site: Site) -> None:
    with visit(browser, site, width=320) as seen:
        for widget in WIDGETS:
            seen.open(f"{site.server}/embed/{widget}?operation={COSINE}")
            assert_fits(seen.page)
            assert_accessible(seen.page)


def test_hard_names_stay_names_in_a_frame(browser: Browser) -> None:
    with (
        open_site(hard().source, cors=()) as hard_site,
        visit(browser, hard_site, width=320) as seen,
    ):
        query = (
            f"workload={hard().names['hostile']}&hardware=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
        )
        seen.open(f"{hard_site.server}/embed/ranking?{query}")
        expect(seen.page.locator(".note")).to_have_text(
            'No device is known as "><script>alert(1)</script>.'
        )
        seen.open(f"{hard_site.server}/embed/ranking?workload={hard().names['hostile']}")
        expect(seen.page.locator(".title")).to_have_text(MARKUP)
        assert_fits(seen.page)
