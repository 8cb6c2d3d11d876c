"""Options and fixtures that tests of two rooms or more use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite golden files instead of comparing"
    )


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[Path, bytes], None]:
    """Compare content with a golden file; with `--update-golden`, write it there instead."""

    def check(path: Path, content: bytes) -> None:
        if request.config.getoption("--update-golden"):
            path.write_bytes(content)
        assert path.read_bytes() == content, f"{path.name} differs; run pytest --update-golden"

    return check
