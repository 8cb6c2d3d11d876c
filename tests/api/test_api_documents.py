from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from asgi import Client

QUERIES = Path(__file__).parent / "queries"
NAMES = sorted(path.stem for path in QUERIES.glob("*.graphql"))


def read_variables(name: str) -> dict[str, Any]:
    path = QUERIES / f"{name}.variables.json"
    given: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return given


@pytest.mark.parametrize("name", NAMES)
def test_a_page_document_has_exactly_the_recorded_answer(
    client: Client, check_golden: Callable[[Path, bytes], None], name: str
) -> None:
    document = (QUERIES / f"{name}.graphql").read_text()

    answer = client.ask(document, read_variables(name))

    shown = json.dumps(answer, indent=1, ensure_ascii=False) + "\n"
    check_golden(QUERIES / f"{name}.json", shown.encode())


def test_no_recorded_answer_holds_an_error() -> None:
    broken = [
        name for name in NAMES if "errors" in json.loads((QUERIES / f"{name}.json").read_text())
    ]

    assert broken == []
