"""Cohorts ranked by what their samples and intervals allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.policy import DifferenceMethod, DifferenceVerdict
from kgraph.vocab import Profile

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog
    from kgraph.digest import SpecDigest


def timing(samples: list[int]) -> dict[str, object]:
    middle = sorted(samples)[len(samples) // 2]
    return {
        "primaryStatistic": "median",
        "latencyNs": {"median": middle},
        "samples": len(samples),
        "rawSamples": samples,
    }


def add_run(small: Small, title: str, samples: list[int]) -> SpecDigest:
    operation = small.operation()
    workload = small.workload(operation, rows=8, columns=8)
    return small.run(
        small.implementation(operation, title), workload, samples[0], timing=timing(samples)
    )


def test_noisy_runs_tie_and_distant_ones_do_not(small: Small, tmp_path: Path) -> None:
    near = add_run(small, "near", [1000, 1040, 980, 1020, 1010, 990, 1030, 970])
    nearer = add_run(small, "nearer", [1001, 1039, 979, 1021, 1004, 986, 1031, 961])
    far = add_run(small, "far", [1500, 1540, 1480, 1520, 1510, 1490, 1530, 1470])
    catalog: Catalog = small.publish(tmp_path)
    cohort = catalog.load_runs([near])[near].run.cohort

    ranking = catalog.load_strict_rankings([cohort])[cohort]

    assert catalog.load_cohorts([cohort])[cohort].profile is Profile.STRICT_EXACT
    assert ranking.policy == "ranking-v2"
    standings = {e.judged.run.digest: e.judged.standing for e in ranking.entries}
    assert all(standing is not None for standing in standings.values())
    shown = {run: (s.rank, s.is_tied) for run, s in standings.items() if s is not None}
    assert shown == {near: (1, True), nearer: (1, True), far: (2, False)}
    first, _, last = (entry.against_previous for entry in ranking.entries)
    assert first is None
    assert last is not None
    assert last.verdict is DifferenceVerdict.HIGHER
    assert last.method is DifferenceMethod.BOOTSTRAP_INDEPENDENT
    assert last.seed is not None


def test_source_native_cohorts_keep_their_order(starter: Catalog) -> None:
    operation = starter.find_operation("liger-distill-cosine-loss")
    assert operation is not None
    keys = [
        cohort.key
        for cohort in starter.load_cohorts_of_operations([operation.digest])[operation.digest]
    ]

    strict = starter.load_strict_rankings(keys)

    plain = starter.load_whole_rankings(keys)
    assert {
        key: [entry.judged.standing for entry in ranking.entries] for key, ranking in strict.items()
    } == {key: [judged.standing for judged in runs] for key, runs in plain.items()}
