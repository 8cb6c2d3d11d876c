from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgraph.catalog import ComparisonError
from kgraph.digest import BadDigestError
from kgraph.facts import PageRequest

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog
    from kgraph.vocab import CohortKey


def fullest_cohort(catalog: Catalog) -> CohortKey:
    cohorts = catalog.page_cohorts(None, (), PageRequest(first=200)).items
    return max(cohorts, key=lambda cohort: (cohort.eligible_run_count, cohort.key)).key


def test_runs_of_one_cohort_have_the_winner_of_its_ranking(starter: Catalog) -> None:
    key = fullest_cohort(starter)
    ranked = starter.load_whole_rankings([key])[key][:8]

    comparison = starter.compare_runs([one.run.digest for one in reversed(ranked)])

    assert comparison.is_comparable
    assert comparison.winner == ranked[0].run.digest
    assert comparison.groups[0].runs == tuple(one.run.digest for one in ranked)


def test_runs_on_two_devices_have_no_winner_and_say_why(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    case = small.workload(operation, rows=1, columns=8)
    fast = small.implementation(operation)
    one = small.run(fast, case, 10)
    other = small.run(fast, case, 5, environment=small.environment("NVIDIA H100"))
    catalog = small.publish(tmp_path)

    comparison = catalog.compare_runs([one[:20], other.partition(":")[2][:12]])

    assert comparison.runs == (one, other)
    assert comparison.winner is None
    assert [field.name for field in comparison.must_match] == [
        "environment.hardware.architecture",
        "environment.hardware.product",
    ]
    assert comparison.must_match[1].values == ("NVIDIA A100", "NVIDIA H100")


def test_only_two_to_eight_known_and_different_runs_are_compared(starter: Catalog) -> None:
    runs = [one.run.digest for one in starter.page_runs(None, (), PageRequest(first=9)).items]

    for refs, part in (
        (runs[:1], "1 runs"),
        (runs, "9 runs"),
        ([runs[0], runs[0]], "one run twice"),
        ([runs[0], "sha256:" + "0" * 64], "stored run"),
    ):
        with pytest.raises(ComparisonError, match=part):
            starter.compare_runs(refs)
    with pytest.raises(BadDigestError):
        starter.compare_runs([runs[0], "not a digest"])


def test_eight_runs_cost_no_more_statements_than_two(starter: Catalog) -> None:
    runs = [one.run.digest for one in starter.page_runs(None, (), PageRequest(first=16)).items]
    counts = []
    for refs in (runs[:8], runs[8:10]):
        before = starter.statement_count
        starter.compare_runs(refs)
        counts.append(starter.statement_count - before)

    assert max(counts) <= 6
