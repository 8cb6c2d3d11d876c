from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgraph.client import AsyncClient, Client

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
ADDRESS = "http://127.0.0.1:8000"


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_the_page_runs_as_it_stands(server: str, example: str) -> None:
    assert ADDRESS in example
    program = example.replace(ADDRESS, server)

    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-W", "error", "-c", program], check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_every_question_is_on_the_page(kind: type) -> None:
    # These are about the client, not the catalogue.
    others = {"at", "pinned", "close"}
    questions = {name for name in vars(kind) if not name.startswith("_")} - others

    assert {name for name in questions if f"`{name}(" not in PAGE} == set()
