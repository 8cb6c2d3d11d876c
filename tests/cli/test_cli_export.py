from __future__ import annotations

import json
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import zstandard
from command import LIGER_CSV

if TYPE_CHECKING:
    from pathlib import Path

    from command import Command


@pytest.fixture
def filled(kgraph: Command) -> Command:
    """A store with the small Liger file in it."""
    kgraph("import", "liger", LIGER_CSV, "--loose")
    return kgraph


def test_an_export_restores_the_same_store(filled: Command, tmp_path: Path) -> None:
    files = filled.files()
    outcome = filled("export", "first.jsonl.zst")
    snapshot = filled("log", "--json").json()[0]["snapshot"]
    assert (outcome.status, outcome.out) == (0, "")
    assert snapshot in outcome.err
    filled.store.rename(tmp_path / "gone")

    restored = filled("import", "kernelindex", "first.jsonl.zst", "--loose", "--json")

    assert restored.status == 0
    assert restored.json()["snapshot"] == snapshot
    assert filled.files() == files
    filled("export", "second.jsonl.zst")
    first, second = tmp_path / "first.jsonl.zst", tmp_path / "second.jsonl.zst"
    assert first.read_bytes() == second.read_bytes()


def test_a_restored_history_is_compared_as_well(filled: Command, tmp_path: Path) -> None:
    filled("export", "catalogue.jsonl")
    filled.store.rename(tmp_path / "gone")

    account = filled("import", "kernelindex", "catalogue.jsonl", "--json").json()

    history = account["recordHistory"]
    assert history["differences"] == []
    assert history["matched"] == history["published"] == history["derived"] > 0


def test_plain_lines_go_to_stdout(filled: Command, tmp_path: Path) -> None:
    filled("export", "catalogue.jsonl")
    filled("export", "catalogue.jsonl.zst")
    content = (tmp_path / "catalogue.jsonl").read_bytes()
    packed = (tmp_path / "catalogue.jsonl.zst").read_bytes()

    done = subprocess.run(
        [sys.executable, "-c", "from kgraph.cli import main; main()", "export", "-"],
        capture_output=True,
        check=True,
        timeout=120,
    )

    assert done.stdout == content
    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed) == content
    assert json.loads(content.splitlines()[0])["table"] == "kgraph_catalogue"


def test_an_earlier_snapshot_can_be_exported(filled: Command, tmp_path: Path) -> None:
    first = filled("log", "--json").json()[0]["snapshot"]
    filled("export", "before.jsonl")
    run = json.loads(
        next(
            line
            for line in (tmp_path / "before.jsonl").read_text(encoding="utf-8").splitlines()
            if '"benchmark_runs"' in line
        )
    )["row"]["runDigest"]
    (tmp_path / "note.json").write_text(
        json.dumps(
            {
                "apiVersion": "kgraph.dev/v1",
                "kind": "Attestation",
                "metadata": {"name": "note"},
                "spec": {
                    "run": run,
                    "kind": "note",
                    "statement": "Seen.",
                    "by": "somebody",
                    "at": "2026-01-02T03:04:05Z",
                },
            }
        ),
        encoding="utf-8",
    )
    assert filled("publish", "note.json").status == 0

    filled("export", "now.jsonl")
    filled("export", "then.jsonl", "--snapshot", first[:20])

    before = (tmp_path / "before.jsonl").read_bytes()
    assert (tmp_path / "then.jsonl").read_bytes() == before
    assert (tmp_path / "now.jsonl").read_bytes() != before


@pytest.mark.parametrize("name", ["catalogue.csv", "catalogue", "nowhere/catalogue.jsonl"])
def test_a_place_that_cannot_be_is_wrong_usage(filled: Command, name: str, tmp_path: Path) -> None:
    outcome = filled("export", name)

    assert outcome.status == 2
    assert name in outcome.err
    assert not (tmp_path / name).exists()


def test_a_store_that_is_damaged_leaves_no_file(filled: Command, tmp_path: Path) -> None:
    filled("export", "first.jsonl")
    for file in (filled.store / "loose").rglob("*.json"):
        file.chmod(0o644)
        file.write_bytes(b"{}")

    outcome = filled("export", "second.jsonl")

    assert outcome.status == 3
    assert not (tmp_path / "second.jsonl").exists()
    assert list(tmp_path.glob(".second*")) == []


def test_an_export_is_as_readable_as_any_file(filled: Command, tmp_path: Path) -> None:
    filled("export", "catalogue.jsonl")
    (tmp_path / "other").touch()

    modes = [
        stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("catalogue.jsonl", "other")
    ]

    assert modes[0] == modes[1]


def test_tables_are_written_with_their_dictionary(filled: Command, tmp_path: Path) -> None:
    outcome = filled("export", "--format", "parquet", "tables")

    assert outcome.status == 0
    runs = next(line.split() for line in outcome.out.splitlines() if line.startswith("runs "))
    assert int(runs[1].replace(",", "")) > 0
    dictionary = json.loads((tmp_path / "tables" / "dictionary.json").read_bytes())
    assert {table["table"] for table in dictionary["tables"]} >= {"runs", "records", "cohorts"}


def test_tables_never_take_the_place_of_something_else(filled: Command, tmp_path: Path) -> None:
    outcome = filled("export", "--format", "parquet", tmp_path)

    assert outcome.status == 2
    assert filled.store.exists()
