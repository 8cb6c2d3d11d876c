from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import LIGER_CSV, Command

if TYPE_CHECKING:
    from pathlib import Path


def test_importing_twice_adds_nothing(kgraph: Command) -> None:
    first = kgraph("import", "liger", LIGER_CSV, "--json")
    files = kgraph.files()
    second = kgraph("import", "liger", LIGER_CSV, "--json")

    assert (first.status, second.status) == (0, 0)
    account, again = first.json(), second.json()
    assert account["runsAdded"] > 0
    assert account["runsPresent"] == 0
    assert account["publication"] == account["snapshot"] == again["snapshot"]
    assert account["rowsRead"] == account["runsAdded"] + sum(
        skip["count"] for skip in account["skipped"]
    )
    assert again["publication"] is None
    assert (again["runsAdded"], again["runsPresent"]) == (0, account["runsAdded"])
    assert kgraph.files() == files
    assert len(kgraph("log", "--json").json()) == 1


def test_a_dry_run_shows_the_account_and_writes_nothing(kgraph: Command) -> None:
    outcome = kgraph("import", "liger", LIGER_CSV, "--dry-run", "--json")

    assert outcome.status == 0
    assert outcome.json()["isDryRun"]
    assert outcome.json()["runsAdded"] > 0
    assert not kgraph.store.exists()


def test_the_account_for_people_says_the_same(kgraph: Command) -> None:
    expected = kgraph("import", "liger", LIGER_CSV, "--dry-run", "--json").json()

    outcome = kgraph("import", "liger", LIGER_CSV)

    lines = [line.split("  ", 1) for line in outcome.out.splitlines() if line[0] != " "]
    shown = {label.strip(): value.strip() for label, value in lines}
    assert shown["rows read"].replace(",", "") == str(expected["rowsRead"])
    assert shown["runs added"].replace(",", "") == str(expected["runsAdded"])
    assert shown["runs already present"] == "0"
    assert shown["snapshot"] == shown["publication"]
    assert outcome.err == ""


@pytest.mark.parametrize("how", ["--pack", "--loose"])
def test_the_way_of_storing_can_be_chosen(kgraph: Command, how: str) -> None:
    kgraph("import", "liger", LIGER_CSV, how)

    parts = {name.split("/")[0] for name in kgraph.files()}
    assert parts == {"log", "packs" if how == "--pack" else "loose"}


def test_a_message_goes_to_the_log(kgraph: Command) -> None:
    kgraph("import", "liger", LIGER_CSV, "--message", "the first file")

    (entry,) = kgraph("log", "--json").json()
    assert entry["message"] == "the first file"
    assert entry["publishedBy"] == "tester"
    assert entry["source"] == "liger-kernel-bench"


def test_a_refused_row_is_named_and_nothing_is_published(kgraph: Command, tmp_path: Path) -> None:
    lines = LIGER_CSV.read_text(encoding="utf-8").splitlines()
    header, row, *_ = (line for line in lines if ",memory," not in line)
    time = row.split(",")[header.split(",").index("y_value_50")]
    broken = tmp_path / "broken.csv"
    broken.write_text(f"{header}\n{row.replace(time, 'quick', 1)}\n", encoding="utf-8")

    outcome = kgraph("import", "liger", broken, "--json")

    assert outcome.status == 1
    assert outcome.json()["refused"]
    assert "broken.csv:2" in outcome.err
    assert "nothing is published" in outcome.err
    assert outcome.json()["publication"] is None
    assert not kgraph.store.exists()


def test_a_file_that_is_not_there_is_wrong_usage(kgraph: Command) -> None:
    outcome = kgraph("import", "liger", "nowhere.csv")

    assert outcome.status == 2
    assert "nowhere.csv" in outcome.err
    assert outcome.out == ""


def test_a_damaged_export_is_refused_by_name(kgraph: Command, tmp_path: Path) -> None:
    damaged = tmp_path / "export.jsonl"
    damaged.write_text('{"table": "operations", "row"', encoding="utf-8")

    outcome = kgraph("import", "kernelindex", damaged)

    assert outcome.status == 1
    assert "export.jsonl:1" in outcome.err
    assert not kgraph.store.exists()
