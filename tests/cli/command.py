"""Running the command line inside a test."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgraph.cli.main import run

if TYPE_CHECKING:
    import pytest

_SOURCES = Path(__file__).resolve().parents[1] / "importers" / "sources"
LIGER_CSV = _SOURCES / "liger" / "all_benchmark_data.csv"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    def json(self) -> Any:  # noqa: ANN401 - any JSON value
        """The result that `--json` asked for."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Command:
    """The command line, with a store and a cache of the test's own."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    @property
    def store(self) -> Path:
        """Where the store of the test lies."""
        return self.folder / "objects"

    def __call__(self, *arguments: object) -> Outcome:
        """Run one command line."""
        self.capture.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = self.capture.readouterr()
        return Outcome(status, captured.out, captured.err)

    def files(self) -> dict[str, bytes]:
        """Every file of the store, by its path."""
        return {
            str(file.relative_to(self.store)): file.read_bytes()
            for file in self.store.rglob("*")
            if file.is_file()
        }
