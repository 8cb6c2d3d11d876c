"""Terms of the floor of each case, and what they come to over a suite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kgraph.policy.arithmetic import Arithmetic, Peak, find_peak
from kgraph.policy.traffic import Traffic, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.policy.hardware import HardwareRow

_NS_PER_SECOND = 10**9


@dataclass(frozen=True, slots=True)
class CaseFloor:
    """Terms of one case, in nanoseconds."""

    memory_ns: float | None
    cached_memory_ns: float | None
    """Memory term where one cache of bytes need not move."""
    strict_memory_ns: float
    compute_ns: float | None
    strict_compute_ns: float
    fits_cache: bool
    traffic: Traffic | Unknown
    arithmetic: Arithmetic | Unknown
    peak: Peak | None

    @property
    def floor_ns(self) -> float:
        """The larger of the terms that can be counted; 0 where neither can."""
        return max(self.memory_ns or 0.0, self.compute_ns or 0.0)

    @property
    def cached_floor_ns(self) -> float:
        """The floor where one cache of bytes need not move."""
        return max(self.cached_memory_ns or 0.0, self.compute_ns or 0.0)

    @property
    def strict_floor_ns(self) -> float:
        """What no data and no cache can undercut."""
        return max(self.strict_memory_ns, self.strict_compute_ns)

    @property
    def is_compute_bound(self) -> bool:
        """Whether arithmetic sets the floor."""
        return (self.compute_ns or 0.0) > (self.memory_ns or 0.0)


def floor_case(
    row: HardwareRow,
    strict_rows: Sequence[HardwareRow],
    traffic: Traffic | Unknown,
    arithmetic: Arithmetic | Unknown,
    *,
    is_flushed: bool,
) -> CaseFloor:
    """Both terms of one case; `strict_rows` are the devices that it may have run on."""
    peak, compute, strict_compute = None, None, 0.0
    if isinstance(arithmetic, Arithmetic):
        peak = find_peak(row, arithmetic.width)
        if peak is not None:
            compute = _seconds_to_ns(arithmetic.flops, peak.flops_per_second)
            peaks = [found for one in strict_rows if (found := find_peak(one, arithmetic.width))]
            strict_compute = _seconds_to_ns(
                arithmetic.flops, max(found.flops_per_second for found in peaks)
            )
    memory, cached, strict_memory, fits = None, None, 0.0, False
    if isinstance(traffic, Traffic):
        bandwidth = row.memory_bandwidth_bytes_per_second
        cache = row.cache_bytes or 0
        memory = _seconds_to_ns(traffic.total, bandwidth)
        cached = _seconds_to_ns(_beyond(traffic.total, cache), bandwidth)
        fits = traffic.total <= cache
        strict_memory = _seconds_to_ns(
            _count_strict(traffic, cache, is_flushed=is_flushed),
            max(one.memory_bandwidth_bytes_per_second for one in strict_rows),
        )
    return CaseFloor(
        memory_ns=memory,
        cached_memory_ns=cached,
        strict_memory_ns=strict_memory,
        compute_ns=compute,
        strict_compute_ns=strict_compute,
        fits_cache=fits,
        traffic=traffic,
        arithmetic=arithmetic,
        peak=peak,
    )


def _count_strict(traffic: Traffic, cache: int, *, is_flushed: bool) -> Fraction:
    if is_flushed:
        # One cache of output may still be unwritten when the clock stops.
        return traffic.strict_read + _beyond(traffic.strict_written, cache)
    # Repeated calls without a flush may find one cache of their data in place.
    return _beyond(traffic.strict_read + traffic.strict_written, cache)


def _beyond(amount: Fraction, cache: int) -> Fraction:
    """What does not fit in the cache."""
    return amount - cache if amount > cache else Fraction(0)


def _seconds_to_ns(amount: Fraction | int, per_second: int) -> float:
    return float(amount * _NS_PER_SECOND / per_second)


def geometric_mean(values: Sequence[float]) -> float:
    """Geometric mean of values that are not negative; 0 where one of them is."""
    if len(values) == 1:
        return values[0]
    if min(values) <= 0:
        return 0.0
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Geometric mean where every case has the term and it is not nothing."""
    present = [value for value in values if value is not None and value > 0]
    return geometric_mean(present) if len(present) == len(values) else None


def sum_bytes(cases: Sequence[CaseFloor]) -> int | None:
    """Bytes of all cases; None where one cannot be counted."""
    totals = [case.traffic.total for case in cases if isinstance(case.traffic, Traffic)]
    # Rounded down: half a byte of packed values must not raise a lower bound.
    return math.floor(sum(totals)) if len(totals) == len(cases) else None


def sum_flops(cases: Sequence[CaseFloor]) -> int | None:
    """Operations of all cases; None where one cannot be counted."""
    counts = [case.arithmetic.flops for case in cases if isinstance(case.arithmetic, Arithmetic)]
    return sum(counts) if len(counts) == len(cases) else None
