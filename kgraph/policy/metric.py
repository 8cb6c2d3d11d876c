"""Which way each metric goes, and which metrics are times.

The registry is closed: a metric and unit that it does not hold has no direction, and its runs are
eligible but not ranked (`METRIC_DIRECTION_UNKNOWN`). Lower is never assumed.
"""

from __future__ import annotations

import math
from enum import StrEnum


class Direction(StrEnum):
    """Which of two values of a metric is the better one."""

    LOWER = "LOWER_IS_BETTER"
    HIGHER = "HIGHER_IS_BETTER"


DIRECTION_UNKNOWN = "METRIC_DIRECTION_UNKNOWN"
"""Reason code where the registry does not hold a metric: its runs take no rank and no record."""

NANOSECONDS_PER_UNIT = {
    "ns": 1.0,
    "us": 1e3,
    "µs": 1e3,  # micro sign
    "μs": 1e3,  # Greek letter mu
    "ms": 1e6,
    "s": 1e9,
}
"""Units of time that a primary measurement may carry."""

_TIMES = frozenset(NANOSECONDS_PER_UNIT)
_SIZES = frozenset({"B", "bytes", "KB", "MB", "GB", "KiB", "MiB", "GiB"})
_BYTE_RATES = frozenset({"B/s", "MB/s", "GB/s", "GiB/s", "TB/s", "gb_s", "tb_s"})
_OPERATION_RATES = frozenset(
    {"FLOPS", "GFLOPS", "TFLOPS", "PFLOPS", "TOPS", "gflops", "tflops", "tops"}
)
_COUNT_RATES = frozenset(
    {"tokens/s", "tokens_s", "samples/s", "samples_s", "requests/s", "requests_s", "ops/s"}
)
_SHARES = frozenset({"1", "ratio", "fraction", "percent", "%"})

# metric -> (units, direction). `score` in a time unit is a time that a leaderboard calls its score;
# `sol_score` and `peak_fraction` are shares of a hardware limit, so more is better.
_REGISTRY: dict[str, tuple[tuple[frozenset[str], Direction], ...]] = {
    "latency": ((_TIMES, Direction.LOWER),),
    "time": ((_TIMES, Direction.LOWER),),
    "duration": ((_TIMES, Direction.LOWER),),
    "score": ((_TIMES, Direction.LOWER),),
    "memory": ((_SIZES, Direction.LOWER),),
    "peak_memory": ((_SIZES, Direction.LOWER),),
    "bandwidth": ((_BYTE_RATES, Direction.HIGHER),),
    "throughput": ((_BYTE_RATES | _OPERATION_RATES | _COUNT_RATES, Direction.HIGHER),),
    "arithmetic_rate": ((_OPERATION_RATES, Direction.HIGHER),),
    "tflops": ((_OPERATION_RATES, Direction.HIGHER),),
    "token_rate": ((_COUNT_RATES, Direction.HIGHER),),
    "output_token_throughput_tps": ((_COUNT_RATES, Direction.HIGHER),),
    "peak_fraction": ((_SHARES, Direction.HIGHER),),
    "sol_score": ((_SHARES, Direction.HIGHER),),
    "speedup": ((_SHARES | {"x"}, Direction.HIGHER),),
}

# What a source itself ranks by when it calls the number only "score": a dimensionless score says
# nothing of its direction unless the unit does.
_SCORE_POINTS = frozenset({"points", "score"})
_REGISTRY["score"] += ((_SCORE_POINTS, Direction.HIGHER),)


def find_direction(metric: str, unit: str | None) -> Direction | None:
    """Which way a metric goes in one unit.

    Returns:
        None where the registry does not hold the pair: the metric is then not ranked.
    """
    for units, direction in _REGISTRY.get(metric, ()):
        if unit in units:
            return direction
    return None


_SMALLEST_AMOUNT = 1e-200
"""Below any measurement, and far enough above 0 that no ratio of two amounts is infinite."""


def is_amount(value: float) -> bool:
    """Whether a value can be compared at all: positive, finite, and large enough to divide by."""
    return math.isfinite(value) and value >= _SMALLEST_AMOUNT


def is_time(metric: str, unit: str | None) -> bool:
    """Whether values of the metric are durations, so that a floor in time applies to them."""
    return unit in NANOSECONDS_PER_UNIT and find_direction(metric, unit) is Direction.LOWER


def is_better(value: float, other: float, direction: Direction) -> bool:
    """Whether `value` is strictly better than `other`."""
    return value < other if direction is Direction.LOWER else value > other


def badness(value: float, direction: Direction) -> float:
    """A number that sorts the better value first."""
    return value if direction is Direction.LOWER else -value


def ratio_of(value: float, reference: float, direction: Direction) -> float:
    """How many times worse `value` is than `reference`; above 1 is worse whatever the direction."""
    return value / reference if direction is Direction.LOWER else reference / value
