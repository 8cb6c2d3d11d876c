from __future__ import annotations

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


@pytest.fixture
def impossible(kgraph: Command, tmp_path: Path) -> Command:
    """A store with one record that no hardware can reach."""
    operation = make_operation()
    digest = identify_value(operation, where="test").digest
    shape = [1 << 15, 1 << 15]
    workload = make_workload(
        operationSpecDigest=digest,
        axes={"rows": shape[0], "columns": shape[1]},
        tensors={name: {"shape": shape, "dtype": "bf16"} for name in ("x", "y")},
    )
    implementation = make_implementation(operation={"specDigest": digest})
    parts = [implementation, workload, make_protocol(), make_environment()]
    names = ("implementationDigest", "workloadDigest", "protocolDigest", "environmentDigest")
    cited = {
        name: identify_value(part, where="test").digest
        for name, part in zip(names, parts, strict=True)
    }
    for number, value in enumerate([operation, *parts, make_run(median=1000, **cited)]):
        path = tmp_path / f"{number}.json"
        path.write_bytes(orjson.dumps(value))
    assert kgraph("publish", *sorted(tmp_path.glob("?.json"))).status == 0
    return kgraph


def test_a_catalogue_without_a_record_below_its_floor_passes(kgraph: Command) -> None:
    assert kgraph("import", "liger", LIGER_CSV).status == 0

    outcome = kgraph("headroom", "audit", "--json")

    found = outcome.json()
    assert outcome.status == 0
    assert (found["policy"], found["below"], found["records"]) == ("headroom-v2", 0, [])
    assert found["cohorts"] >= found["withFloor"] == found["withFloorAndRecord"] > 0
    assert kgraph("headroom", "audit").status == 0


def test_an_impossible_record_is_listed_and_fails(impossible: Command) -> None:
    outcome = impossible("headroom", "audit", "--json")

    found = outcome.json()
    assert outcome.status == 1
    assert found["belowByExplanation"] == {"IMPOSSIBLE": 1}
    (record,) = found["records"]
    assert record["explanation"] == "IMPOSSIBLE"
    assert record["recordNs"] == pytest.approx(1000)
    assert record["recordNs"] / record["floorNs"] == pytest.approx(record["recordRatio"])


def test_the_table_shows_what_the_json_says(impossible: Command) -> None:
    outcome = impossible("headroom", "audit", "--policy", "headroom-v1")

    assert outcome.status == 1
    assert "policy             headroom-v1" in outcome.out
    assert "IMPOSSIBLE" in outcome.out.splitlines()[-1]
    assert "1.0 µs" in outcome.out.splitlines()[-1]


def test_an_unknown_version_is_wrong_usage(kgraph: Command) -> None:
    assert kgraph("headroom", "audit", "--policy", "headroom-v9").status == 2
