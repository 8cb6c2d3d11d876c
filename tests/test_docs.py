"""What the README says is true: commands and settings are all there, and its examples run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from kgraph.cli.main import program, run
from kgraph.settings import VARIABLES, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
LIGER_CSV = ROOT / "tests/importers/sources/liger/all_benchmark_data.csv"
PROGRAM = ".venv/bin/kgraph "


def blocks(text: str, language: str) -> list[str]:
    """Fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def iter_leaves(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from iter_leaves(command, (*path, name))
        else:
            yield (*path, name)


def command_lines(text: str) -> list[str]:
    """Lines of examples that call the program and end, as all but `serve` do."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith(PROGRAM) and " serve" not in line]


@pytest.fixture
def workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader of the README has it, with a copy of the starter catalogue."""
    for name in [name for name in os.environ if name.startswith(("KGRAPH_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in ("objects", "examples", "frontend/examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(LIGER_CSV, tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(line: str) -> int:
    """Run a line of an example as a shell would, `*` opened."""
    arguments: list[str] = []
    for word in shlex.split(line.removeprefix(PROGRAM)):
        found = sorted(str(path) for path in Path().glob(word)) if "*" in word else []
        arguments += found or [word]
    return run(arguments)


@pytest.mark.parametrize("path", tuple(iter_leaves(program, ())), ids=" ".join)
def test_every_command_is_in_the_readme(path: tuple[str, ...]) -> None:
    assert f"| `kgraph {' '.join(path)}" in README


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_every_setting_is_in_the_readme_as_the_program_says_it(variable: Variable) -> None:
    row = f"| `{variable.name}` | {variable.meaning} | {variable.default} |"
    assert row in README


def test_no_setting_is_in_the_readme_that_the_program_does_not_read() -> None:
    named = set(re.findall(r"KGRAPH_[A-Z0-9_]+", README + GUIDE))
    # The variable of shell completion is the command-line library's own.
    assert named - {"KGRAPH_COMPLETE"} == {variable.name for variable in VARIABLES}


def test_the_first_screen_has_the_two_commands_that_do_all_set_up() -> None:
    serve, test, *_ = blocks(README, "sh")

    assert serve.count("\n") == test.count("\n") == 1
    assert serve.startswith("python3 -m venv .venv && ")
    assert serve.endswith("-e . && .venv/bin/kgraph serve\n")
    assert test.endswith("-e . --group dev && .venv/bin/python -m pytest -q\n")
    assert README.index(test) < README.index("\n## ")


def test_the_query_and_the_answer_in_the_readme_are_real(
    workbench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (query,) = blocks(README, "graphql")
    (answer,) = blocks(README, "json")
    file = workbench / "examples" / "fastest.graphql"
    assert file.read_text(encoding="utf-8") == query

    assert run(["query", str(file)]) == 0

    assert json.loads(capsys.readouterr().out)["data"] == json.loads(answer)["data"]
    assert "--data-urlencode query@examples/fastest.graphql" in README


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "guide"])
def test_every_example_runs(text: str, workbench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = command_lines(text)
    assert lines

    for line in lines:
        status = call(line)
        assert status == 0, f"{line}\n{capsys.readouterr().err}"

    assert (workbench / "objects" / "log" / "00000002.json").exists()


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "guide"])
def test_every_link_to_a_file_leads_to_one(text: str) -> None:
    base = ROOT if text is README else ROOT / "docs"
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]

    assert links
    assert [link for link in links if not (base / link).exists()] == []


def test_the_licence_table_names_what_the_starter_catalogue_states() -> None:
    sources = [
        manifest
        for file in (ROOT / "objects" / "loose").glob("*/*.json")
        if b'"kind":"Source"' in (content := file.read_bytes())[:80]
        for manifest in [json.loads(content)]
    ]

    assert sources
    for source in sources:
        assert source["spec"]["license"] in README
    assert "ead96b618e5c67bddc6a6e9bcb99bfe6b5ab661c" in README


def test_the_changelog_has_a_section_for_what_comes_next() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert "## [Unreleased]" in changelog


def test_the_licence_file_is_whole() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
