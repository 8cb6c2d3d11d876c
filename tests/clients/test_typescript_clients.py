from __future__ import annotations

import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from documents import ROOT, Question, find_documents
from node import HERE, require_tools, run, tool
from programs import write_preset_program, write_relay_program, write_tada_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, questions: list[Question]) -> Path:
    """A folder with the generated clients and a program for each, ready to be compiled."""
    modules = require_tools()
    folder = tmp_path_factory.mktemp("typescript") / "it"
    shutil.copytree(HERE / "typescript", folder)
    (folder / "node_modules").symlink_to(modules)
    (folder / "package.json").write_text('{"type": "commonjs"}')
    shutil.copy(ROOT / "schema.graphql", folder)
    (folder / "documents").mkdir()
    for path in find_documents().glob("*.graphql"):
        shutil.copy(path, folder / "documents")
    write_preset_program(folder, questions)
    write_tada_program(folder, questions)
    write_relay_program(folder, questions)
    generators = [
        [tool("graphql-codegen"), "--config", "codegen.json"],
        [tool("gql.tada"), "generate-output", "--disable-preprocessing"],
        [tool("relay-compiler"), "relay.config.json"],
    ]
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda command: run(command, folder), generators))
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error.cmd}\n{error.stdout}\n{error.stderr}")
    return folder


@pytest.fixture(scope="module")
def compiled(workshop: Path) -> Path:
    """The same, compiled under strict settings."""
    try:
        run([tool("tsc"), "--project", "."], workshop)
    except subprocess.CalledProcessError as error:
        pytest.fail(error.stdout)
    return workshop / "out"


@pytest.fixture(scope="module")
def started(compiled: Path, server: str) -> Callable[[str], Any]:
    """Runs one of the programs against the server; what it reports."""

    def start(program: str) -> Any:  # noqa: ANN401 - any JSON
        try:
            return json.loads(run(["node", f"{program}.js", server], compiled).stdout)
        except subprocess.CalledProcessError as error:
            pytest.fail(error.stderr)

    return start


@pytest.mark.parametrize("program", ["run_preset", "run_tada", "run_relay"])
def test_a_generated_client_gets_what_the_server_says(
    started: Callable[[str], Any], answers: dict[str, Any], program: str
) -> None:
    # Relay takes answers apart by global id and puts them together again, so that for its client
    # this also shows that no two things share an id.
    assert started(program) == answers


def test_relay_joins_pages_and_asks_for_a_run_by_its_id(started: Callable[[str], Any]) -> None:
    report = started("run_pages")

    assert len(report["first"]) == 3
    assert len(report["joined"]) == 6
    assert report["joined"][:3] == report["first"]
    assert len({run["id"] for run in report["joined"]}) == 6
    assert report["total"] > 6
    assert report["again"].items() <= report["first"][0].items()
    assert report["again"].keys() >= {"id", "digest", "title"}
