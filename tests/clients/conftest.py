"""A server of the starter catalogue, the questions that clients ask of it, and its own answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
from documents import Question, load_questions
from live_server import serve_starter

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server of the starter catalogue."""
    with serve_starter(tmp_path_factory.getbasetemp() / "starter-index") as address:
        yield address


def ask(server: str, document: str, variables: dict[str, Any]) -> Any:  # noqa: ANN401 - any data
    """The data of an answer, as it comes."""
    body = {"query": document, "variables": variables}
    answer = httpx.post(f"{server}/graphql", json=body, timeout=60).json()
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


@pytest.fixture(scope="session")
def questions(server: str) -> list[Question]:
    """Every operation of the documents."""
    some = ask(server, "{ runs(first: 1) { nodes { digest } } }", {})
    return load_questions(some["runs"]["nodes"][0]["digest"])


@pytest.fixture(scope="session")
def answers(server: str, questions: list[Question]) -> dict[str, Any]:
    """What the server answers to each, by name."""
    return {each.name: ask(server, each.document, each.variables) for each in questions}
