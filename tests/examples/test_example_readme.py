"""The README of the examples names all of them, each by one command."""

from __future__ import annotations

import re

from example_pages import ROOT

FOLDER = ROOT / "examples"
README = (FOLDER / "README.md").read_text("utf-8")
ROWS = re.findall(r"^\| \[`([^`]+)`\]\(([^)]+)\) \| .+ \| (.+) \|$", README, re.MULTILINE)


def test_every_example_has_a_row() -> None:
    present = {path.name for path in FOLDER.iterdir()}
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()} - {"__pycache__"}
    named = {target for _, target, _ in ROWS}

    assert folders <= named <= present


def test_each_command_is_one_line_that_starts_what_is_there() -> None:
    for name, _, command in ROWS:
        files = re.findall(r"examples/[\w./-]+", command)
        assert all((ROOT / file).exists() for file in files), name
        page = re.search(r"serve\.py (\w+)", command)
        assert page is None or (FOLDER / page[1]).is_dir()
        assert files or "grafana/README.md" in command
