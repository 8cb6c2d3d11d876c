"""The React page: built under strict types by its own command, and used in a real browser."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import (
    SCHEMES,
    WIDTHS,
    Scheme,
    check_access,
    check_width,
    open_browser,
    take_picture,
    visit,
)
from example_pages import ROOT, Served, serve_hard_cases, serve_page
from node_packages import require_packages
from page_catalogs import MARKUP
from playwright.sync_api import expect

from kgraph.client import Client, RecordWhere, StringTest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


# A client that types nothing would take both, and an unused expectation does not compile.
PROBE = """\
import { ask } from './client';
import { graphql } from './graphql';

const query = graphql(`query P($slug: String!) { operation(slug: $slug) { title } }`);

export async function probe(): Promise<string | undefined> {
  const { data } = await ask(query, { slug: 'x' });
  // @ts-expect-error a field that was not asked for
  void data.operation?.nonsense;
  // @ts-expect-error a variable of another type
  void ask(query, { slug: 1 });
  return data.operation?.title;
}
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the page's folder beside a copy of the schema, with the probe among its modules."""
    packages = require_packages(ROOT / "examples" / "react")
    root = tmp_path_factory.mktemp("react")
    folder = root / "examples" / "react"
    left_out = shutil.ignore_patterns("node_modules", "dist", "graphql-env.d.ts")
    shutil.copytree(packages.parent, folder, ignore=left_out)
    shutil.copy(ROOT / "schema.graphql", root)
    (folder / "node_modules").symlink_to(packages)
    (folder / "src" / "probe.ts").write_text(PROBE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(sources: Path) -> Iterator[Browser]:
    assert sources.is_dir()
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def served(
    browser: Browser, sources: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    assert browser.is_connected()
    with serve_page(str(sources), tmp_path_factory.getbasetemp() / "starter-index") as served:
        yield served


@pytest.fixture(scope="module")
def hard_cases() -> Iterator[str]:
    with serve_hard_cases() as origin:
        yield origin


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_and_is_accessible(
    browser: Browser, served: Served, width: int, scheme: Scheme
) -> None:
    with visit(browser, served.address, served.server, width=width, scheme=scheme) as seen:
        seen.page.locator(".records button").nth(1).click()
        expect(seen.page.locator(".ranking li").first).to_be_visible()
        check_width(seen.page)
        # Colours differ by scheme, and order by width; axe needs no look at every pair.
        if (width, scheme) in {(320, "light"), (768, "dark"), (1440, "light"), (1440, "dark")}:
            check_access(seen.page)
        take_picture(seen.page, f"react-{width}-{scheme}")


def test_filters_narrow_the_list_with_counts_and_stay_in_the_address(
    browser: Browser, served: Served
) -> None:
    with visit(browser, served.address, served.server) as seen, Client(served.server) as kgraph:
        page = seen.page
        count = page.locator(".count")
        expect(count).to_have_text(f"25 of {kgraph.records().count()} records")
        page.get_by_label("Family").select_option("rmsnorm")
        page.get_by_label("Hardware").select_option("NVIDIA A100")
        page.get_by_label("Language").select_option("triton")
        where = RecordWhere(language=StringTest(eq="triton"))
        total = kgraph.records(where, family="rmsnorm", hardware="NVIDIA A100").count()
        shown = min(total, 25)
        expect(count).to_have_text(f"{shown} of {total} records")
        # Counted without their own filter, so the other choices are still there.
        other = kgraph.records(where, family="rmsnorm", hardware="NVIDIA H100").count()
        expect(page.get_by_label("Hardware").locator("option[value='NVIDIA H100']")).to_have_text(
            f"NVIDIA H100 ({other})"
        )
        address = page.url

    with visit(browser, address, served.server) as seen:
        expect(seen.page.locator(".count")).to_have_text(f"{shown} of {total} records")
        expect(seen.page.get_by_label("Family")).to_have_value("rmsnorm")


def test_pages_of_one_snapshot_follow_each_other(browser: Browser, served: Served) -> None:
    address = f"{served.address}&family=embedding&order=operation"
    with visit(browser, address, served.server) as seen:
        page = seen.page
        more = page.get_by_role("button", name="Show 25 more")
        more.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".count")).to_have_text("32 of 32 records")
        expect(more).to_have_count(0)
        links = page.locator(".records h2 a").evaluate_all("all => all.map(each => each.href)")
        assert len(set(links)) == 32
        asked = [parse_qs(urlsplit(url).query) for url in seen.asked if "/graphql?" in url]
        snapshot = page.locator("footer a").get_attribute("href")
        assert snapshot is not None
        assert [each.get("snapshot") for each in asked][-1:] == [
            parse_qs(urlsplit(snapshot).query)["snapshot"]
        ]


def test_a_record_opens_by_keyboard_to_its_ranking_and_history(
    browser: Browser, served: Served
) -> None:
    address = f"{served.address}&family=embedding"
    with visit(browser, address, served.server) as seen, Client(served.server) as kgraph:
        page = seen.page
        button = page.locator(".records button").first
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "true")
        record = next(iter(kgraph.records(family="embedding")))
        ranked = list(kgraph.ranking(record.cohort.key))
        events = kgraph.record_history(cohort=record.cohort.key).count()
        expect(page.locator(".ranking li")).to_have_count(len(ranked))
        assert page.locator(".ranking a").all_inner_texts() == [
            each.run.implementation.title for each in ranked
        ]
        assert page.locator(".steps li").count() == events
        page.keyboard.press("Enter")
        expect(page.locator(".ranking")).to_have_count(0)


def test_names_with_markup_stay_text(browser: Browser, served: Served, hard_cases: str) -> None:
    with visit(browser, served.reading(hard_cases), hard_cases) as seen:
        page = seen.page
        expect(page.locator(".records h2").first).to_have_text(MARKUP)
        page.get_by_role("button", name="260 runs").click()
        expect(page.locator(".ranking li")).to_have_count(50)
        expect(page.locator(".detail h3").first).to_have_text("Ranking, first 50 of 260")
        expect(page.locator(".steps li").first).to_contain_text(MARKUP)
        assert page.locator("main img, main script").count() == 0
        check_width(page)
        take_picture(page, "react-hard")


def test_no_records_and_no_server_are_said_in_words(browser: Browser, served: Served) -> None:
    address = f"{served.address}&family=swiglu&hardware=nothing"
    with visit(browser, address, served.server) as seen:
        expect(seen.page.locator("main")).to_have_text("No record stands under these filters.")

    gone = "http://127.0.0.1:9"
    with visit(browser, served.reading(gone), gone, may_complain=True) as seen:
        expect(seen.page.get_by_role("alert")).to_contain_text(f"{gone} gives this page no answer")


def test_the_page_compiles_under_strict_types_that_know_the_schema(
    served: Served, sources: Path
) -> None:
    # It would not have been built otherwise; the probe is among what the compiler looked at.
    assert served.server
    assert {path.name for path in (sources / "dist").iterdir()} == {
        "index.html",
        "page.css",
        "page.css.map",
        "page.js",
        "page.js.map",
    }
    assert '"strict": true' in (sources / "tsconfig.json").read_text("utf-8")
