"""What runs are compared by, and the keys of their cohorts."""

from __future__ import annotations

from typing import Any

import pytest
from build import digest_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import spec_digests

from kgraph.digest import parse_spec_digest
from kgraph.manifest import (
    NO_METRIC,
    Primary,
    cohort_key,
    correctness_key,
    metric_key,
    primary_measurement,
)

TIMING = {"primaryStatistic": "mean", "latencyNs": {"mean": 14_150, "median": 14_000}}
FIGURES = [
    {"metric": "latency", "unit": "ns", "statistic": "std", "value": 12.5},
    {"metric": "score", "unit": "s", "statistic": "geomean", "value": 1.0048658277929109e-05},
]


def protocol_by(statistic: str) -> dict[str, Any]:
    return {"measurement": {"timer": "wall_clock", "primaryStatistic": statistic}}


@pytest.mark.parametrize(
    ("run", "statistic", "primary", "key"),
    [
        ({"timing": TIMING}, "mean", Primary("latency", "mean", "ns", 14_150), "latency:mean:ns"),
        (
            {"timing": TIMING, "measurements": FIGURES},
            "geomean",
            Primary("latency", "mean", "ns", 14_150),
            "latency:mean:ns",
        ),
        (
            {"measurements": FIGURES},
            "geomean",
            Primary("score", "geomean", "s", 1.0048658277929109e-05),
            "score:geomean:s",
        ),
        ({"measurements": FIGURES}, "std", Primary("latency", "std", "ns", 12.5), "latency:std:ns"),
        (
            {"measurements": FIGURES},
            "median",
            Primary("score", "geomean", "s", 1.0048658277929109e-05),
            "score:geomean:s",
        ),
        (
            {"sourceNative": {"source": "x", "metrics": {"score": 0.5, "other": 1}}},
            "mean",
            Primary("score", None, None, 0.5),
            "score:unspecified:none",
        ),
        ({"sourceNative": {"metrics": {"score": "A+"}}}, "mean", Primary("none"), "none"),
        ({"measurements": FIGURES[:1]}, "mean", Primary("none"), "none"),
        ({"sourceNative": {"source": "x"}}, "mean", Primary("none"), "none"),
        ({}, "mean", Primary("none"), "none"),
    ],
    ids=[
        "timing", "timing-first", "named-by-protocol", "named-spread", "own-score", "native-score",
        "score-in-words", "none-named", "no-figures", "nothing",
    ],
)  # fmt: skip
def test_a_run_is_compared_by_its_primary_measurement(
    run: dict[str, Any], statistic: str, primary: Primary, key: str
) -> None:
    found = primary_measurement(run, protocol_by(statistic))

    assert found == primary
    assert metric_key(found) == key


def test_a_run_without_a_figure_has_no_metric() -> None:
    assert metric_key(Primary(NO_METRIC)) == NO_METRIC


def test_key_order_changes_no_correctness_key() -> None:
    one = correctness_key({"comparator": "elementwise_close", "maxAbsoluteError": 1e-6})
    other = correctness_key({"maxAbsoluteError": 1e-6, "comparator": "elementwise_close"})

    assert one == other


@given(st.lists(spec_digests(), min_size=6, max_size=6, unique=True), st.sampled_from(range(6)))
def test_every_part_is_part_of_the_cohort(digests: list[str], position: int) -> None:
    def key(parts: list[str]) -> str:
        operation, workload, protocol, environment, correctness = parts[:5]
        return cohort_key(
            operation=parse_spec_digest(operation),
            workload=parse_spec_digest(workload),
            protocol=parse_spec_digest(protocol),
            environment=parse_spec_digest(environment),
            correctness=correctness,
            metric=parts[5],
        )

    parts = [*digests[:5], "latency:median:ns"]
    other = list(parts)
    other[position] = "latency:mean:ns" if position == 5 else digest_of("f")

    assert key(parts) == key(list(parts))
    assert key(parts) != key(other)
