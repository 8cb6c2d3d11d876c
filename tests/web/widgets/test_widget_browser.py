"""Widgets on a page of another origin, in a real browser, under the strictest policy.

Needs Chromium: `chromium` on the path, or its path in KGRAPH_CHROMIUM. With
KGRAPH_REQUIRE_BROWSER=1 a missing browser fails instead of skipping. KGRAPH_SCREENSHOTS names a
folder for pictures to look at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect
from widget_catalogs import ARABIC, COSINE, EMOJI, LONG, MARKUP, hard, starter_source
from widget_site import (
    DONE,
    SCHEMES,
    WIDTHS,
    Scheme,
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
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 19, 23)"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with open_site(starter_source()) as site:
        yield site


@pytest.fixture(scope="module")
def hard_site() -> Iterator[Site]:
    with open_site(hard().source) as site:
        yield site


def element(widget: str, **attributes: str) -> str:
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<kgraph-{widget}{given}></kgraph-{widget}>"


def open_all(page: Page) -> None:
    """Opens what is folded away."""
    page.evaluate(
        """() => document.querySelectorAll('main > *').forEach(host => host.shadowRoot
            ?.querySelectorAll('details').forEach(one => { one.open = true; }))"""
    )


# How it looks


@pytest.mark.parametrize("width", [*WIDTHS, 3840])
def test_widgets_fit_their_place_in_either_theme(browser: Browser, site: Site, width: int) -> None:
    address = site.write("".join(element(widget, operation=COSINE) for widget in WIDGETS))
    with visit(browser, site, width=width) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(len(WIDGETS))
        open_all(seen.page)
        for scheme in SCHEMES:
            seen.page.emulate_media(color_scheme=scheme)
            assert_fits(seen.page)
            grounds = seen.page.locator(DONE).evaluate_all(
                "all => all.map(one => getComputedStyle(one).backgroundColor)"
            )
            assert grounds == [GROUNDS[scheme]] * len(WIDGETS)
            take_picture(seen.page, f"all-{width}-{scheme}")


# Whatever axe finds depends on the theme or on the width, hardly on both.
@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1440, "dark")])
def test_widgets_are_accessible(browser: Browser, site: Site, width: int, scheme: Scheme) -> None:
    address = site.write("".join(element(widget, operation=COSINE) for widget in WIDGETS))
    with visit(browser, site, width=width, scheme=scheme) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(len(WIDGETS))
        open_all(seen.page)
        assert_accessible(seen.page)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_theme_of_a_widget_may_differ_from_the_system(
    browser: Browser, site: Site, scheme: Scheme
) -> None:
    fixed = [element("record", operation=COSINE, theme=theme) for theme in ("light", "dark")]
    address = site.write(element("record", operation=COSINE, theme="auto") + "".join(fixed))
    with visit(browser, site, scheme=scheme) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(3)
        grounds = seen.page.locator(DONE).evaluate_all(
            "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
        assert grounds == [GROUNDS[scheme], GROUNDS["light"], GROUNDS["dark"]]

        seen.page.locator("kgraph-record").first.evaluate("one => { one.theme = 'dark'; }")
        frame = seen.page.locator(".kgraph").first
        assert frame.evaluate("one => getComputedStyle(one).backgroundColor") == GROUNDS["dark"]


def test_a_widget_takes_the_size_of_the_text_around_it(browser: Browser, site: Site) -> None:
    address = site.write(element("scaling", operation=COSINE), policy=None)
    with visit(browser, site, width=1440) as seen:
        seen.open(address)
        letters = "one => getComputedStyle(one.querySelector('text')).fontSize"
        chart = seen.page.locator(".chart")
        before = float(chart.evaluate(letters).removesuffix("px"))

        seen.page.locator("main").evaluate("one => { one.style.fontSize = '32px'; }")
        expect(chart.locator("svg")).not_to_have_attribute("height", "384")

        assert float(chart.evaluate(letters).removesuffix("px")) == pytest.approx(before * 2)


def test_a_drawing_follows_the_width_of_its_place(browser: Browser, site: Site) -> None:
    address = site.write(element("history", operation="liger-embedding"))
    with visit(browser, site, width=1440) as seen:
        seen.open(address)
        drawing = seen.page.locator(".chart svg")
        wide = int(drawing.get_attribute("width") or 0)
        assert wide > 1000

        seen.page.set_viewport_size({"width": 400, "height": 900})
        expect(drawing).not_to_have_attribute("width", str(wide))

        assert int(drawing.get_attribute("width") or 0) < 400
        # Letters stay as large as they were; a picture that shrank would shrink them too.
        size = drawing.locator("text").first.evaluate("one => getComputedStyle(one).fontSize")
        assert size == "12.8px"


def test_colours_of_the_system_win_where_it_forces_them(browser: Browser, site: Site) -> None:
    address = site.write(element("scaling", operation=COSINE))
    with visit(browser, site) as seen:
        seen.open(address)
        seen.page.emulate_media(forced_colors="active")
        line, text = seen.page.locator(".chart").evaluate(
            """one => [
                getComputedStyle(one.querySelector('.line')).stroke,
                getComputedStyle(one).color,
            ]"""
        )
        assert line == text


def test_nothing_moves(browser: Browser, site: Site) -> None:
    address = site.write("".join(element(widget, operation=COSINE) for widget in WIDGETS))
    with visit(browser, site) as seen:
        seen.open(address, wait=False)
        seen.page.locator(".kgraph[data-state]").first.wait_for()
        assert seen.page.evaluate("document.getAnimations().length") == 0


# What it says


def rows_of(page: Page, path: str) -> list[list[str]]:
    rows: list[list[str]] = page.locator(f"{path} tbody tr").evaluate_all(
        """rows => rows.map(row => [...row.cells].map(cell => {
            const own = cell.querySelector('a, b') ?? cell;
            return own.textContent.trim();
        }))"""
    )
    return rows


def test_a_ranking_says_what_the_page_says(browser: Browser, site: Site) -> None:
    slug = "liger-llama4-rope"
    with visit(browser, site, width=1440) as seen:
        seen.page.goto(f"{site.server}/o/{slug}")
        on_page = rows_of(seen.page, ".ranking")
        seen.open(site.write(element("ranking", operation=slug, limit="200")))
        on_widget = rows_of(seen.page, "kgraph-ranking")

        assert len(on_widget) == len(on_page) >= 4
        for ours, theirs in zip(on_widget, on_page, strict=True):
            # Place, name, value, ratio and speed-up; then the words of licence and trust begin.
            assert ours[:5] == theirs[:5]
            assert ours[7] == theirs[-1].split()[0]


@pytest.mark.parametrize("slug", [COSINE, "liger-layer-norm"])
def test_a_scaling_plot_has_the_axes_and_values_of_the_page(
    browser: Browser, site: Site, slug: str
) -> None:
    with visit(browser, site, width=1440) as seen:
        seen.page.goto(f"{site.server}/o/{slug}")
        drawing = "figure:has(.floor)"
        labels = "all => all.map(one => one.textContent)"
        axis = seen.page.locator(f"{drawing} .grid .at-end").evaluate_all(labels)
        marks = seen.page.locator(f"{drawing} .marks:not(.floor-marks) title").evaluate_all(labels)
        # The page's legend draws the marks again, with the name alone.
        marks = [mark for mark in marks if ": " in mark]
        values = rows_of(seen.page, "details:has-text('Values by') ")
        seen.open(site.write(element("scaling", operation=slug)))
        open_all(seen.page)

        ours = seen.page.locator(".chart .at-end").evaluate_all(labels)
        assert [label for label in ours if label[0].isdigit()][:5] == axis[:5]
        own_marks = seen.page.locator(".chart .marks:not(.floor-marks) title")
        assert sorted(own_marks.evaluate_all(labels)) == sorted(marks)
        assert rows_of(seen.page, "kgraph-scaling") == values


def test_a_history_says_what_the_page_says(browser: Browser, hard_site: Site) -> None:
    with visit(browser, hard_site, width=1440) as seen:
        seen.page.goto(f"{hard_site.server}/o/hard")
        on_page = rows_of(seen.page, "section:has(#history)")
        seen.open(hard_site.write(element("history", operation="hard", limit="200")))
        open_all(seen.page)

        ours = rows_of(seen.page, "kgraph-history")
        assert len(ours) >= 30
        assert [row[:2] + row[3:] for row in ours] == [row[:2] + row[3:] for row in on_page]
        assert [row[2] for row in ours[:-1]] == [row[2] for row in on_page[:-1]]


def test_a_record_and_its_headroom_say_what_the_page_says(browser: Browser, site: Site) -> None:
    with visit(browser, site, width=1440) as seen:
        seen.page.goto(f"{site.server}/o/{COSINE}")
        cards = seen.page.locator(".cards").inner_text()
        both = element("record", operation=COSINE) + element("headroom", operation=COSINE)
        seen.open(site.write(both))
        expect(seen.page.locator(DONE)).to_have_count(2)
        record, headroom = (
            seen.page.locator(f"kgraph-{name} .kgraph").inner_text()
            for name in ("record", "headroom")
        )

        value, speedup = "13.8 ms", "1.19× faster than the baseline"
        for words in (value, speedup, 'pip install "liger-kernel==0.5.10"', "BSD-2-Clause"):
            assert words in cards
            assert words in record
        [floor] = re.findall(r"Estimated floor\s+([\d.]+ \S+)", cards)
        [ratio] = re.findall(r"The record is (\S+) the floor", cards)
        assert floor in headroom
        assert f"The record is {ratio} the floor" in headroom
        assert "An estimate, not evidence" in headroom


@pytest.mark.parametrize("widget", WIDGETS)
def test_a_widget_asks_by_get_and_names_its_document(
    browser: Browser, site: Site, widget: str
) -> None:
    address = site.write(element(widget, operation=COSINE, hardware="A100"))
    with visit(browser, site) as seen:
        seen.open(address)

        [asked] = seen.asked
        given = parse_qs(urlsplit(asked).query)
        assert set(given) == {"documentId", "variables"}
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", given["documentId"][0])


def test_every_value_of_a_drawing_is_in_a_table_too(browser: Browser, hard_site: Site) -> None:
    body = element("history", operation="hard") + element("scaling", operation="hard")
    with visit(browser, hard_site) as seen:
        seen.open(hard_site.write(body))
        expect(seen.page.locator(DONE)).to_have_count(2)
        for name in ("history", "scaling"):
            host = seen.page.locator(f"kgraph-{name}")
            drawing = host.get_by_role("img")
            expect(drawing).to_have_accessible_name(re.compile(".+"))
            expect(drawing).to_have_accessible_description(re.compile("table below"))
            titles = host.locator(".chart .marks title").evaluate_all(
                "all => all.map(one => one.textContent)"
            )
            told = host.locator("table").text_content() or ""
            values = {re.findall(r": ([\d.,]+ \S+?)(?: at |, |$)", title)[0] for title in titles}
            assert len(values) > 2
            assert [value for value in values if value not in told] == []


def test_tables_have_captions_and_scopes(browser: Browser, site: Site) -> None:
    address = site.write("".join(element(widget, operation=COSINE) for widget in WIDGETS))
    with visit(browser, site, width=1440) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(len(WIDGETS))
        open_all(seen.page)
        tables = seen.page.locator("table")
        assert tables.count() == 4
        for table in tables.all():
            assert (table.locator("caption").text_content() or "").strip()
            heads = table.locator("th")
            assert heads.count() == table.locator("th[scope]").count() >= 3


# Who uses it


def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Browser, site: Site
) -> None:
    address = site.write(
        element("ranking", operation=COSINE) + element("scaling", operation=COSINE)
    )
    with visit(browser, site, width=320) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(2)
        reached = []
        for _ in range(60):
            seen.page.keyboard.press("Tab")
            if seen.page.evaluate("document.activeElement === document.body"):
                break
            reached.append(
                seen.page.evaluate(
                    """() => {
                        const one = document.activeElement.shadowRoot.activeElement;
                        return {
                            what: one.getAttribute('aria-label') || one.textContent.trim(),
                            outlined: getComputedStyle(one).outlineStyle !== 'none',
                        };
                    }"""
                )
            )
        names = [one["what"] for one in reached]
        assert [one["what"] for one in reached if not one["outlined"]] == []
        assert names[0] == "Chunked distillation cosine loss"
        for name in ("Liger", "NVIDIA A100", "Ranking: Chunked distillation cosine loss, table"):
            assert name in names
        assert names.index("Values by tokens") > names.index("everything on kgraph")

        seen.page.get_by_text("Values by tokens", exact=True).focus()
        seen.page.keyboard.press("Enter")
        expect(seen.page.get_by_role("group", name="Values by tokens, table")).to_be_visible()
        expect(seen.page.get_by_role("rowheader", name="1,024")).to_be_visible()


def test_links_lead_to_the_pages(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        seen.open(site.write(element("ranking", operation=COSINE)))
        seen.page.get_by_role("link", name="Liger", exact=True).click()
        expect(seen.page).to_have_url(re.compile(rf"^{re.escape(site.server)}/r/[0-9a-f]{{12}}$"))
        expect(seen.page.locator("h1")).to_be_visible()

        seen.open(site.write(element("record", operation=COSINE)))
        seen.page.get_by_role("link", name="everything on kgraph").click()
        expect(seen.page.locator("h1")).to_have_text("Chunked distillation cosine loss")


# What is hard to show


@pytest.mark.parametrize("width", [320, 1440])
def test_hard_names_neither_run_nor_burst_a_widget(
    browser: Browser, hard_site: Site, width: int
) -> None:
    workload = hard().names["hostile"]
    names = (MARKUP, ARABIC, EMOJI, LONG)
    address = hard_site.write(
        "".join(element(widget, workload=workload) for widget in ("ranking", "history", "scaling"))
        + element("record", workload=workload, snapshot=hard().first_snapshot)
    )
    with visit(browser, hard_site, width=width) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(4)
        open_all(seen.page)
        assert_fits(seen.page)
        take_picture(seen.page, f"hard-{width}")
        ranking = seen.page.locator("kgraph-ranking")
        for name in names:
            link = ranking.locator("tbody").get_by_role("link", name=name, exact=True)
            expect(link).to_be_visible()
        # Names are text: what they hold made no element.
        assert seen.page.locator("main script, main img, main b >> text=nobody").count() == 0
        expect(ranking.locator(".title")).to_have_text(MARKUP)
        directions = ranking.locator("tbody th a").evaluate_all(
            "all => all.map(one => [one.textContent, getComputedStyle(one).direction])"
        )
        assert dict(directions)[ARABIC] == "rtl"
        assert dict(directions)[LONG] == "ltr"
        addresses = seen.page.locator("main a").evaluate_all("all => all.map(one => one.href)")
        assert addresses
        assert [one for one in addresses if not re.match(r"https?://", one)] == []
        expect(ranking).to_contain_text("licence unknown")
        assert_accessible(seen.page)


def test_a_long_ranking_is_cut_where_it_is_told_to_be(browser: Browser, hard_site: Site) -> None:
    workload = hard().names["crowded"]
    address = hard_site.write(
        element("ranking", workload=workload)
        + element("ranking", workload=workload, limit="200")
        + element("ranking", workload=workload, limit="many")
        + element("history", workload=workload, limit="5")
    )
    with visit(browser, hard_site) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(4)
        for place, rows in enumerate((10, 200, 10)):
            ranking = seen.page.locator("kgraph-ranking").nth(place)
            expect(ranking.locator("tbody tr")).to_have_count(rows)
            expect(ranking).to_contain_text(f"The first {rows} of 260 are shown.")
        history = seen.page.locator("kgraph-history")
        expect(history.locator("tbody tr")).to_have_count(5)
        expect(history).to_contain_text("The latest 5 are shown.")
        assert_fits(seen.page)
        take_picture(seen.page, "crowded")


def test_one_run_is_a_ranking_and_a_history(browser: Browser, hard_site: Site) -> None:
    workload = hard().names["lonely"]
    address = hard_site.write(
        element("ranking", workload=workload) + element("history", workload=workload)
    )
    with visit(browser, hard_site) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(2)
        ranking, history = (seen.page.locator(f"kgraph-{name}") for name in ("ranking", "history"))
        expect(ranking.locator("tbody tr")).to_have_count(1)
        expect(ranking).to_contain_text("1 ranked run of 2")
        # The run that was retracted held the record for a while.
        expect(history.locator("tbody tr")).to_have_count(3)
        expect(history.locator(".badge")).to_have_text("retraction")
        expect(history.locator(".marks .hollow")).to_have_count(1)
        assert_fits(seen.page)
        take_picture(seen.page, "lonely")


def test_a_record_that_was_taken_back_leaves_a_gap(browser: Browser, hard_site: Site) -> None:
    workload = hard().names["gone"]
    with visit(browser, hard_site) as seen:
        seen.open(hard_site.write(element("history", workload=workload)))
        rows = seen.page.locator("tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("No record stands")
        expect(rows.first).to_contain_text("retraction")
        expect(rows.last).to_contain_text("10.0 ns")
        # The staircase ends where the record was taken back, before the edge.
        expect(seen.page.locator(".marks > *")).to_have_count(1)
        end = seen.page.locator(".line").evaluate("one => one.getBoundingClientRect().right")
        edge = seen.page.locator(".axis").evaluate("one => one.getBoundingClientRect().right")
        assert end < edge - 10


def test_runs_that_all_failed_make_no_ranking(browser: Browser, hard_site: Site) -> None:
    workload = hard().names["broken"]
    address = hard_site.write("".join(element(widget, workload=workload) for widget in WIDGETS))
    with visit(browser, hard_site) as seen:
        seen.open(address)
        expect(seen.page.locator(DONE)).to_have_count(len(WIDGETS))
        for widget, words in {
            "ranking": "No run of this comparison takes part in ranking.",
            "record": "No record stands",
            "history": "No record stands yet.",
            "headroom": "No",
        }.items():
            expect(seen.page.locator(f"kgraph-{widget}")).to_contain_text(words)
        expect(seen.page.locator("kgraph-ranking")).to_contain_text("0 ranked runs of 1")
        take_picture(seen.page, "broken")
        assert_accessible(seen.page)
