"""What docs/exports.md says is true: its examples run, and its names are the program's."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgraph.api import MAX_ROWS
from kgraph.sheet import FORMS

if TYPE_CHECKING:
    from command import Command

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
EXAMPLE = "examples/rmsnorm-records.graphql"


def lines(start: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line.startswith(start)]


def test_the_document_is_the_example() -> None:
    (document,) = re.findall(r"^```graphql\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)

    assert (ROOT / EXAMPLE).read_text(encoding="utf-8") == document
    assert all(EXAMPLE in line for line in lines("curl"))


def test_the_commands_run(kgraph: Command) -> None:
    shutil.copytree(ROOT / "objects", kgraph.store)
    (kgraph.folder / "examples").mkdir()
    shutil.copy(ROOT / EXAMPLE, kgraph.folder / EXAMPLE)

    commands = lines(".venv/bin/kgraph")
    for line in commands:
        outcome = kgraph(*shlex.split(line)[1:])
        assert outcome.status == 0, outcome.err
        assert re.match(r"kgraph: [1-9]\d* rows", outcome.err)
    assert commands


def test_the_forms_and_the_limit_are_those_of_the_program() -> None:
    for form in FORMS:
        assert f"`{form.name}`" in TEXT
        assert f"`{form.media_type}`" in TEXT
    assert f"1 to {MAX_ROWS:,}" in TEXT


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", TEXT))
def test_every_link_leads_to_a_heading(link: str) -> None:
    name, _, anchor = link.partition("#")
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")

    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert not anchor or anchor in anchors
