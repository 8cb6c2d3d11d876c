from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from documents import Question, find_documents
from generate_client import GENERATED, generate, generate_both, install_generator
from node_packages import give_up
from pydantic import BaseModel

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture(scope="module", autouse=True)
def generator() -> None:
    """ariadne-codegen, fetched where it is not here yet."""
    try:
        install_generator()
    except subprocess.CalledProcessError as error:
        give_up(f"pip: {error.stderr.strip()[-300:]}")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that ariadne-codegen makes of the documents, with nothing of ours in it."""
    return generate(find_documents(), tmp_path_factory.mktemp("python"), "acceptance_client")


@pytest.fixture(scope="module")
def module(package: Path) -> ModuleType:
    sys.path.insert(0, str(package.parent))
    try:
        return importlib.import_module(f"{package.name}.client")
    finally:
        sys.path.remove(str(package.parent))


def test_the_generated_client_is_well_typed_under_strict_settings(
    package: Path, tmp_path: Path
) -> None:
    # Outside the package, and without the project's settings: as a stranger's checker sees it.
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={tmp_path}",
    ]
    done = subprocess.run(  # noqa: S603 - ours
        [*command, str(package)], check=False, capture_output=True, text=True, cwd=tmp_path
    )

    assert done.returncode == 0, done.stdout


def test_the_generated_client_reads_every_answer(
    module: ModuleType, server: str, questions: list[Question], answers: dict[str, Any]
) -> None:
    with module.Generated(f"{server}/graphql") as client:
        for question in questions:
            answer = getattr(client, _method_name(question.name))(**question.variables)

            assert isinstance(answer, BaseModel)
            # Every field of the answer is a field of the model, and none is lost on the way.
            again = json.loads(answer.model_dump_json(by_alias=True))
            assert _plain(again) == _plain(answers[question.name]), question.name


def test_the_committed_client_is_what_the_generator_makes(tmp_path: Path) -> None:
    made = generate_both(tmp_path)

    fresh = {path.name: path.read_text(encoding="utf-8") for path in made.glob("*.py")}
    committed = {path.name: path.read_text(encoding="utf-8") for path in GENERATED.glob("*.py")}
    assert committed == fresh, "run python tests/clients/generate_client.py"


def _method_name(operation: str) -> str:
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in operation)
    # As the generator keeps clear of Python's own names.
    return name.removeprefix("_") + ("_" if operation == "Object" else "")


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The value with instants written in one way, and whole fractions as whole numbers."""
    match value:
        case dict():
            return {name: _plain(inner) for name, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)
        case str() if _INSTANT.fullmatch(value):
            return datetime.fromisoformat(value)
        case _:
            return value
