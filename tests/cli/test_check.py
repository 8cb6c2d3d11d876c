from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import orjson
import pytest
from build import (
    make_environment,
    make_implementation,
    make_operation,
    make_protocol,
    make_run,
    make_workload,
)
from command import LIGER_CSV

from kgraph.manifest import identify_value

if TYPE_CHECKING:
    from pathlib import Path

    from command import Command

ASK = ("check", "regression", "--operation", "example", "--implementation", "example")


def write_history(folder: Path, medians: dict[str, int]) -> list[Path]:
    """Files of one implementation that each version of which was measured once."""
    operation = make_operation()
    digest = identify_value(operation, where="test").digest
    workload = make_workload(operationSpecDigest=digest)
    parts = [workload, make_protocol(), make_environment()]
    names = ("workloadDigest", "protocolDigest", "environmentDigest")
    cited = {
        name: identify_value(part, where="test").digest
        for name, part in zip(names, parts, strict=True)
    }
    values = [operation, *parts]
    for day, (version, median) in enumerate(medians.items()):
        revision = {"repository": "https://example.org/kernels", "version": version}
        implementation = make_implementation(
            operation={"specDigest": digest}, projectRevision=revision
        )
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        run = make_run(
            median=median,
            implementationDigest=identify_value(implementation, where="test").digest,
            observedAt=at.isoformat().replace("+00:00", "Z"),
            **cited,
        )
        values += [implementation, run]
    paths = []
    for number, value in enumerate(values):
        paths.append(folder / f"part-{number}.json")
        paths[-1].write_bytes(orjson.dumps(value))
    return paths


@pytest.fixture
def slower(kgraph: Command, tmp_path: Path) -> Command:
    """A store whose newest version is 10% slower than the one before."""
    files = write_history(tmp_path, {"0.6": 900, "0.7": 1000, "0.8": 1100})
    assert kgraph("publish", *files).status == 0
    return kgraph


def test_a_slower_version_fails_with_a_table(slower: Command) -> None:
    outcome = slower(*ASK, "--threshold", "5%")

    assert outcome.status == 1
    heading, row, *_ = outcome.out.splitlines()
    assert heading.split()[:2] == ["verdict", "worse"]
    for part in ("SLOWER", "+10.0%", "1.0 µs", "1.1 µs", "0.7 → 0.8", "NVIDIA A100"):
        assert part in row


@pytest.mark.parametrize("threshold", ["10.1%", "0.101", "50 %"])
def test_a_threshold_above_the_change_passes(slower: Command, threshold: str) -> None:
    outcome = slower(*ASK, "--threshold", threshold)

    assert outcome.status == 0
    assert "WITHIN_THRESHOLD" in outcome.out


def test_the_json_holds_the_change_and_every_point(slower: Command) -> None:
    outcome = slower(*ASK, "--json")

    report = outcome.json()
    assert outcome.status == 1
    assert (report["policy"], report["threshold"]) == ("regression-v1", 0.05)
    assert report["versions"] == ["0.6", "0.7", "0.8"]
    assert (report["compared"], report["slower"], report["faster"]) == (1, 1, 0)
    (series,) = report["series"]
    assert series["change"]["verdict"] == "SLOWER"
    assert series["change"]["ratio"] == pytest.approx(1.1)
    assert [(one["version"], one["value"]) for one in series["points"]] == [
        ("0.6", 900.0),
        ("0.7", 1000.0),
        ("0.8", 1100.0),
    ]
    assert [one["isChange"] for one in series["points"]] == [False, True, True]


def test_a_version_and_a_baseline_can_be_named(slower: Command) -> None:
    outcome = slower(*ASK, "--version", "0.8", "--baseline", "0.6", "--threshold", "21%", "--json")

    change = outcome.json()["series"][0]["change"]
    assert outcome.status == 1
    assert (change["beforeVersion"], change["afterVersion"]) == ("0.6", "0.8")
    assert slower(*ASK, "--version", "0.7", "--threshold", "12%").status == 0


def test_a_faster_version_passes(kgraph: Command, tmp_path: Path) -> None:
    assert kgraph("publish", *write_history(tmp_path, {"1": 1000, "2": 500})).status == 0

    outcome = kgraph(*ASK)

    assert outcome.status == 0
    assert "FASTER" in outcome.out


def test_nothing_to_compare_fails_unless_that_is_allowed(kgraph: Command) -> None:
    assert kgraph("import", "liger", LIGER_CSV).status == 0
    cosine = ("--operation", "liger-distill-cosine-loss", "--implementation", "Liger")

    outcome = kgraph("check", "regression", *cosine)

    assert outcome.status == 1
    assert "nothing was measured that can be compared" in outcome.err
    assert kgraph("check", "regression", *cosine, "--allow-empty").status == 0


def test_a_cohort_is_named_by_the_beginning_of_its_key(slower: Command) -> None:
    key = slower(*ASK, "--json").json()["series"][0]["cohort"]

    assert slower(*ASK, "--cohort", key).status == 1
    assert slower(*ASK, "--cohort", key.partition(":")[2][:8]).status == 1
    unknown = slower(*ASK, "--cohort", "ffffffff00")
    assert unknown.status == 2
    assert "names 0 cohorts" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--threshold", "much"), "found 'much', expected a share"),
        (("--threshold", "5000%"), "expected a share"),
        (("--threshold", "-5%"), "expected a share"),
        (("--baseline", "7"), "a version of the lineage: 0.6, 0.7, 0.8"),
        (("--implementation", "exmaple"), "expected one of example"),
        (("--operation", "exmaple"), "expected example"),
    ],
)
def test_wrong_usage_is_told_apart_from_a_regression(
    slower: Command, arguments: tuple[str, ...], part: str
) -> None:
    outcome = slower(*ASK, *arguments)

    assert outcome.status == 2
    assert part in outcome.err
