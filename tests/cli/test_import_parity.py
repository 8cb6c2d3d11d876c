"""What `kgraph import kernelindex` says of a file that contradicts itself, and of its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelindex_rows import (
    FIRST_RUN,
    SECOND_RUN,
    SUITE_RUN,
    encode,
    row_id,
    small_export,
)

if TYPE_CHECKING:
    from pathlib import Path

    from command import Command

WRONG = "sha256:" + "ab" * 32


def export_rows() -> list[dict[str, Any]]:
    """A small export with the whole history, that of the suite included."""
    rows: list[dict[str, Any]] = small_export()
    cohorts = {item["row"].get("id"): item["row"].get("comparisonKey") for item in rows}
    event = {
        "id": row_id(42),
        "comparisonKey": cohorts[SUITE_RUN],
        "runId": SUITE_RUN,
        "previousRunId": None,
        "at": "2026-03-14T23:56:12.645Z",
    }
    return [*rows, {"table": "record_events", "row": event}]


def write_export(folder: Path, **wrong: str) -> Path:
    """A small export in which some runs, by row id, have a wrong cohort key."""
    rows = export_rows()
    for item in rows:
        if item["table"] == "benchmark_runs" and item["row"]["id"] in wrong:
            item["row"]["comparisonKey"] = wrong[item["row"]["id"]]
    path = folder / "catalog.jsonl"
    path.write_bytes(encode(rows))
    return path


def test_a_sound_export_is_published_and_its_history_found_equal(
    kgraph: Command, tmp_path: Path
) -> None:
    path = write_export(tmp_path)

    outcome = kgraph("import", "kernelindex", path)

    assert outcome.status == 0
    shown = dict(line.split("  ", 1) for line in outcome.out.splitlines() if line[0] != " ")
    assert shown["record history"].strip() == "3 of 3 events equal"


def test_rows_that_contradict_themselves_are_named_and_the_rest_is_published(
    kgraph: Command, tmp_path: Path
) -> None:
    path = write_export(tmp_path, **{SECOND_RUN: WRONG})

    outcome = kgraph("import", "kernelindex", path, "--json")

    account = outcome.json()
    assert outcome.status == 1
    assert outcome.err.splitlines()[-1] == "kgraph: 3 rows refused, the rest is published"
    assert account["publication"] == account["snapshot"]
    assert not account["isWithheld"]
    assert account["runsAdded"] == 4
    assert [row["cause"] for row in account["refused"]] == ["PARITY", "DEPENDENCE", "DEPENDENCE"]
    assert all(row["where"] in outcome.err for row in account["refused"])
    assert kgraph("verify").status == 0


def test_importing_the_rest_again_says_that_it_is_there(kgraph: Command, tmp_path: Path) -> None:
    path = write_export(tmp_path, **{SECOND_RUN: WRONG})
    kgraph("import", "kernelindex", path)
    files = kgraph.files()

    outcome = kgraph("import", "kernelindex", path)

    assert outcome.status == 1
    assert "the rest was published already" in outcome.err
    assert kgraph.files() == files


def test_a_dry_run_says_what_would_become_of_the_rest(kgraph: Command, tmp_path: Path) -> None:
    path = write_export(tmp_path, **{SECOND_RUN: WRONG})

    outcome = kgraph("import", "kernelindex", path, "--dry-run", "--json")

    assert outcome.status == 1
    assert "3 rows refused, the rest would be published" in outcome.err
    assert outcome.json()["runsAdded"] == 4
    assert outcome.json()["recordHistory"] is None
    assert not kgraph.store.exists()


def test_a_history_that_differs_is_shown_by_cohort(kgraph: Command, tmp_path: Path) -> None:
    rows = export_rows()
    cohort = next(
        item["row"]["comparisonKey"] for item in rows if item["row"].get("id") == FIRST_RUN
    )
    path = tmp_path / "catalog.jsonl"
    # The file forgets the record that the second run took.
    path.write_bytes(encode([item for item in rows if item["row"].get("runId") != SECOND_RUN]))

    outcome = kgraph("import", "kernelindex", path, "--json")

    assert outcome.status == 0
    assert outcome.json()["recordHistory"] == {
        "published": 2,
        "derived": 3,
        "matched": 2,
        "differences": [{"cohort": cohort, "published": 1, "derived": 2}],
    }
    assert f"cohort {cohort}: 1 record events are published, 2 are derived" in outcome.err
