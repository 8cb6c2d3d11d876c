"""The report, by its own command, as Markdown and as HTML."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from browsing import SCHEMES, check_access, check_width, open_browser, take_picture
from example_pages import ROOT, serve_hard_cases
from page_catalogs import MARKUP

from kgraph.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

PROGRAM = ROOT / "examples" / "report" / "report.py"


def run_report(*arguments: str) -> str:
    """What the report's own `main` prints.

    Raises:
        SystemExit: as it does.
    """
    with pytest.MonkeyPatch.context() as patch, io.StringIO() as talk, redirect_stdout(talk):
        patch.setattr(sys, "argv", [str(PROGRAM), *arguments])
        # It puts the folder of `serve.py` on the path, which is gone again after.
        patch.setattr(sys, "path", [*sys.path])
        runpy.run_path(str(PROGRAM), run_name="__main__")
        return talk.getvalue()


class Cells(HTMLParser):
    """The text of every table, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._is_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the base class's
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def hard_cases() -> Iterator[str]:
    with serve_hard_cases() as origin:
        yield origin


def test_one_command_starts_its_server_and_writes_markdown(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, str(PROGRAM)],
        env={
            **os.environ,
            "KGRAPH_STORE": str(ROOT / "objects"),
            "KGRAPH_CACHE": str(tmp_path_factory.getbasetemp() / "starter-index"),
            "PYTHONUTF8": "1",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout

    assert text.startswith("# SwiGLU activation in Megatron layout on NVIDIA H100\n\n")
    assert text.count("\n| ffn = ") == 18
    assert text.count("\n## Scaling along ffn, ") == 3
    # Every line of a table has as many cells as its head.
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) == 6
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_both_forms_say_what_the_api_says(server: str) -> None:
    given = ("liger-embedding", "--hardware", "NVIDIA A100", "--server", server)
    markdown = run_report(*given)
    html = run_report(*given, "--format", "html")
    with Client(server) as kgraph:
        page = kgraph.operation("liger-embedding", workloads=200)
        snapshot = kgraph.catalog().snapshot
    assert page is not None
    expected = [
        (
            workload.label,
            cohort.record.display,
            cohort.record.run.implementation.title,
            f"{cohort.record.speedup_over_baseline:.2f}×",
        )
        for workload in page.workloads.nodes
        for cohort in workload.cohorts
        if cohort.record and cohort.hardware.product == "NVIDIA A100"
    ]

    told = Cells(html).rows
    assert sorted(tuple(row[:4]) for row in told if " · " in row[0]) == sorted(expected)
    listed = [line.strip("| ").split(" | ") for line in markdown.splitlines() if line[:2] == "| "]
    records = [row for row in listed if " · " in row[0]]
    assert sorted(
        (row[0], row[1], re.sub(r"\[(.*)\]\(.*\)", r"\1", row[2]), row[3]) for row in records
    ) == sorted(expected)
    assert snapshot in markdown
    assert snapshot in html


def test_names_with_markup_stay_text_in_both_forms(hard_cases: str) -> None:
    given = ("double", "--server", hard_cases)
    markdown = run_report(*given)
    html = run_report(*given, "--format", "html")

    # CommonMark takes a backslash before a sign for the sign itself.
    title = markdown.splitlines()[0].removeprefix("# ").removesuffix(" on NVIDIA A100")
    assert re.sub(r"\\(\W)", r"\1", title) == MARKUP
    assert re.search(r"(?<!\\)<(?!http)", markdown) is None
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert Cells(html).tags & {"script", "img", "b", "i"} == set()


def test_the_html_is_accessible_and_fits_a_phone(browser: Browser, server: str) -> None:
    html = run_report("--server", server, "--format", "html")
    page = browser.new_page(viewport={"width": 360, "height": 800})
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.set_content(html)
        check_width(page)
        check_access(page)
        take_picture(page, f"report-{scheme}")
    page.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing-of-that-name",), "NOT_FOUND: there is no operation nothing-of-that-name"),
        (
            ("liger-embedding", "--hardware", "NVIDIA B200"),
            "NOT_FOUND: liger-embedding is measured on NVIDIA A100, not on NVIDIA B200",
        ),
    ],
    ids=["operation", "hardware"],
)
def test_what_is_not_there_is_said_in_one_line(
    server: str, arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run_report(*arguments, "--server", server)

    assert refused.value.code == said
