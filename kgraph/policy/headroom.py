"""The floor that the hardware sets for one cohort, and how far its record lies above it.

An estimate, never evidence. floor = max(bytes / bandwidth, operations / dense peak); a term that
cannot be counted is left out, and with neither the floor is null with a reason. Both policies,
`headroom-v1` and `headroom-v2`, stay answerable; what they count is data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from kgraph.policy.arithmetic import Arithmetic, Peak, count_arithmetic, find_peak
from kgraph.policy.families import find_family
from kgraph.policy.hardware import (
    DATASHEET_ALLOWANCE,
    MEMORY_BANDWIDTH,
    HardwareRow,
    choose_hardware,
    rows_of_product,
)
from kgraph.policy.metric import NANOSECONDS_PER_UNIT, is_time
from kgraph.policy.traffic import Traffic, Unknown, build_cases, count_traffic
from kgraph.units import format_quantity
from kgraph.vocab import Bound, HeadroomPolicy, TimedPass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import HardwareFact, OperationFact, ProtocolFact, WorkloadFact
    from kgraph.policy.families import FamilyModel

_NS_PER_SECOND = 10**9

GEOMETRIC_MEAN = "geomean"
"""The one statistic of a suite that has a floor: a suite's mean without a definition has none."""


@dataclass(frozen=True, slots=True)
class Headroom:
    """A floor estimate and the distance of a record from it."""

    policy: HeadroomPolicy
    floor_ns: float | None
    """None where there is no floor; `reason` says why."""
    display: str | None
    """The floor as a person reads it: `779.1 µs`."""
    bound: Bound | None
    """Resource that sets the floor; over a suite, the one that sets it in most cases."""
    memory_floor_ns: float | None
    """None where the bytes cannot be counted."""
    compute_floor_ns: float | None
    """None where the arithmetic, or a peak for it, is not known for every case."""
    bytes: int | None
    """Bytes counted, summed over the cases of a suite."""
    flops: int | None
    """Operations counted, summed over the cases of a suite."""
    strict_floor_ns: float | None
    """What no data and no cache can undercut; a claim of an impossible record needs this one."""
    record_ratio: float | None
    """Record over floor; above 1 is slower than the floor. None without a floor or a record."""
    assumptions: tuple[str, ...]
    """What the estimate takes for granted, with the sources of its figures."""
    caveat: str | None
    """Given where the data may be cache-resident, so that a smaller time is possible."""
    reason: str | None
    """Why there is no floor; None where there is one."""
    hardware: HardwareRow | None
    """Datasheet row used; None for unknown hardware."""


class BelowFloor(StrEnum):
    """What explains a record below its floor, mildest first."""

    DATASHEET_ROUNDING = "DATASHEET_ROUNDING"
    CACHE_RESIDENT_POSSIBLE = "CACHE_RESIDENT_POSSIBLE"
    DATA_DEPENDENT = "DATA_DEPENDENT"
    IMPOSSIBLE = "IMPOSSIBLE"


@dataclass(frozen=True, slots=True)
class _CaseFloor:
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
        return max(self.memory_ns or 0.0, self.compute_ns or 0.0)

    @property
    def cached_floor_ns(self) -> float:
        return max(self.cached_memory_ns or 0.0, self.compute_ns or 0.0)

    @property
    def strict_floor_ns(self) -> float:
        return max(self.strict_memory_ns, self.strict_compute_ns)

    @property
    def is_compute_bound(self) -> bool:
        return (self.compute_ns or 0.0) > (self.memory_ns or 0.0)


def estimate_headroom(
    policy: HeadroomPolicy,
    *,
    operation: OperationFact,
    workload: WorkloadFact,
    protocol: ProtocolFact,
    hardware: HardwareFact,
    record_value: float | None,
    metric: str,
    statistic: str | None,
    unit: str | None,
) -> Headroom:
    """The floor of one cohort under one policy, and the ratio of its record to it.

    `record_value` is that of the standing record in `unit`, None where there is none. A floor in
    time applies to metrics that are times; `statistic` decides whether a suite has one.
    """
    row, is_default = choose_hardware(hardware)
    timed_pass = protocol.timed_pass or TimedPass.FORWARD
    family = find_family(operation.family)
    reason = (
        _why_not_metric(metric, unit)
        or _why_not_hardware(hardware, row)
        or _why_not_pass(policy, operation, family, timed_pass)
        or _why_not_suite(workload, statistic)
    )
    if reason is not None or row is None:
        return _without_floor(policy, reason or "", row)

    strict_rows = rows_of_product(row) if is_default else (row,)
    cases = tuple(
        _floor_case(
            row,
            strict_rows,
            count_traffic(policy, operation, family, case, timed_pass),
            count_arithmetic(policy, operation, family, case, timed_pass),
            is_flushed=protocol.flushes_cache is True,
        )
        for case in build_cases(operation, workload)
    )
    empty = next((case for case in cases if case.floor_ns <= 0), None)
    if empty is not None:
        return _without_floor(policy, _why_empty(empty), row)

    floor = _geometric_mean([case.floor_ns for case in cases])
    record_ns = _record_ns(record_value, unit)
    compute_bound = sum(case.is_compute_bound for case in cases)
    return Headroom(
        policy=policy,
        floor_ns=floor,
        display=format_quantity(floor, "ns"),
        bound=Bound.COMPUTE if 2 * compute_bound > len(cases) else Bound.MEMORY,
        memory_floor_ns=_mean_of_all([case.memory_ns for case in cases]),
        compute_floor_ns=_mean_of_all([case.compute_ns for case in cases]),
        bytes=_sum_bytes(cases),
        flops=_sum_flops(cases),
        strict_floor_ns=_geometric_mean([case.strict_floor_ns for case in cases]),
        record_ratio=None if record_ns is None else record_ns / floor,
        assumptions=_list_assumptions(
            policy, family, row, cases, protocol, is_default=is_default, is_suite=workload.is_suite
        ),
        caveat=_find_caveat(protocol, cases, floor, record_ns),
        reason=None,
        hardware=row,
    )


def why_below_floor(headroom: Headroom) -> BelowFloor | None:
    """What explains a record below its floor.

    Returns:
        None where there is no floor or no record, or the record is not below the floor. IMPOSSIBLE
        only where the record lies below the strict floor by more than datasheets round.
    """
    ratio, floor, strict = headroom.record_ratio, headroom.floor_ns, headroom.strict_floor_ns
    if ratio is None or floor is None or strict is None or ratio >= 1:
        return None
    allowed = 1 - DATASHEET_ALLOWANCE
    if ratio >= allowed:
        return BelowFloor.DATASHEET_ROUNDING
    if headroom.caveat is not None:
        return BelowFloor.CACHE_RESIDENT_POSSIBLE
    if ratio * floor >= strict * allowed:
        return BelowFloor.DATA_DEPENDENT
    return BelowFloor.IMPOSSIBLE


# --- why there is no floor -------------------------------------------------------------------


def _without_floor(policy: HeadroomPolicy, reason: str, row: HardwareRow | None) -> Headroom:
    return Headroom(
        policy=policy,
        floor_ns=None,
        display=None,
        bound=None,
        memory_floor_ns=None,
        compute_floor_ns=None,
        bytes=None,
        flops=None,
        strict_floor_ns=None,
        record_ratio=None,
        assumptions=(),
        caveat=None,
        reason=reason,
        hardware=row,
    )


def _why_not_metric(metric: str, unit: str | None) -> str | None:
    if is_time(metric, unit):
        return None
    shown = metric if unit is None else f"{metric} in {unit}"
    return f"A floor in time applies to times; this cohort measures {shown}."


def _why_not_hardware(hardware: HardwareFact, row: HardwareRow | None) -> str | None:
    if row is None:
        device = " ".join(part for part in (hardware.product, hardware.form_factor) if part)
        return f"No datasheet row is known for {device}."
    if hardware.count is not None and hardware.count > 1:
        return (
            f"The environment has {hardware.count} devices, and it is not recorded how many of "
            "them share the work."
        )
    return None


def _why_not_pass(
    policy: HeadroomPolicy,
    operation: OperationFact,
    family: FamilyModel | None,
    timed_pass: TimedPass,
) -> str | None:
    if policy is HeadroomPolicy.HEADROOM_V1 or timed_pass is not TimedPass.BACKWARD:
        return None
    if family is not None and family.backward_reason is not None:
        return family.backward_reason
    if operation.outputs and all(_is_single_value(out.shape) for out in operation.outputs):
        return (
            "The operation returns a scalar, whose gradients may exist before the clock of a "
            "backward pass starts."
        )
    return None


def _is_single_value(shape: tuple[str | int, ...] | None) -> bool:
    return all(length == 1 for length in shape or ())


def _why_not_suite(workload: WorkloadFact, statistic: str | None) -> str | None:
    if not workload.is_suite:
        return None
    if not workload.case_axes:
        return "The suite does not list its cases."
    stated = statistic or workload.aggregation_statistic or "unspecified"
    if stated == GEOMETRIC_MEAN:
        return None
    return (
        f"The suite's number is its {stated}, which is not known to be a geometric mean of the "
        "times of its cases."
    )


def _why_empty(case: _CaseFloor) -> str:
    memory = (
        case.traffic.reason if isinstance(case.traffic, Unknown) else "no byte is certain to move"
    )
    compute = (
        case.arithmetic.reason
        if isinstance(case.arithmetic, Unknown)
        else "no peak is published for the width of its operands"
    )
    return f"Memory: {memory}. Arithmetic: {compute.rstrip('.')}."


# --- terms -----------------------------------------------------------------------------------


def _floor_case(
    row: HardwareRow,
    strict_rows: Sequence[HardwareRow],
    traffic: Traffic | Unknown,
    arithmetic: Arithmetic | Unknown,
    *,
    is_flushed: bool,
) -> _CaseFloor:
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
    return _CaseFloor(
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


def _record_ns(value: float | None, unit: str | None) -> float | None:
    if value is None or unit is None or not math.isfinite(value) or value <= 0:
        return None
    return value * NANOSECONDS_PER_UNIT[unit]


def _geometric_mean(values: Sequence[float]) -> float:
    if len(values) == 1:
        return values[0]
    if min(values) <= 0:
        return 0.0
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    """Geometric mean where every case has the term and it is not nothing."""
    present = [value for value in values if value is not None and value > 0]
    return _geometric_mean(present) if len(present) == len(values) else None


def _sum_bytes(cases: Sequence[_CaseFloor]) -> int | None:
    totals = [case.traffic.total for case in cases if isinstance(case.traffic, Traffic)]
    # Rounded down: half a byte of packed values must not raise a lower bound.
    return math.floor(sum(totals)) if len(totals) == len(cases) else None


def _sum_flops(cases: Sequence[_CaseFloor]) -> int | None:
    counts = [case.arithmetic.flops for case in cases if isinstance(case.arithmetic, Arithmetic)]
    return sum(counts) if len(counts) == len(cases) else None


# --- words -----------------------------------------------------------------------------------


def _find_caveat(
    protocol: ProtocolFact, cases: Sequence[_CaseFloor], floor: float, record_ns: float | None
) -> str | None:
    if protocol.flushes_cache is True:
        return None
    fitting = sum(case.fits_cache for case in cases)
    if fitting:
        extent = (
            "All data fit"
            if len(cases) == 1
            else f"The data of {fitting} of {len(cases)} cases fit"
        )
        return (
            f"{extent} in the device's cache and the protocol states no flush: data may be "
            "cache-resident, and a time below the floor is explained by it."
        )
    cached = _geometric_mean([case.cached_floor_ns for case in cases])
    if record_ns is not None and cached <= record_ns < floor:
        return (
            "The protocol states no flush: up to one cache of data may be cache-resident between "
            "calls, which explains a time this little below the floor."
        )
    return None


def _list_assumptions(
    policy: HeadroomPolicy,
    family: FamilyModel | None,
    row: HardwareRow,
    cases: Sequence[_CaseFloor],
    protocol: ProtocolFact,
    *,
    is_default: bool,
    is_suite: bool,
) -> tuple[str, ...]:
    lines = [_say_bytes(policy, family, cases)]
    lines += sorted(
        {
            line
            for case in cases
            if isinstance(case.traffic, Traffic)
            for line in case.traffic.corrections
        }
    )
    bandwidth = format_quantity(row.memory_bandwidth_bytes_per_second / 1e9, "gb_s").replace(
        ".0 ", " "
    )
    lines.append(
        f"Memory bandwidth of {row.name}: {bandwidth}, {row.source_title}"
        f"{_say_confirmation(row, MEMORY_BANDWIDTH)}."
    )
    lines += _say_arithmetic(row, cases)
    if is_default:
        lines.append(
            f"The form factor is not stated: the figures of {row.name}, the product's default row, "
            "are taken."
        )
    if protocol.timed_pass is None:
        lines.append("The protocol does not name the timed pass: a forward pass is taken.")
    else:
        lines.append(f"Timed pass: {protocol.timed_pass.value}.")
    if is_suite:
        lines.append(f"Geometric mean of the floors of {len(cases)} cases.")
    return tuple(lines)


def _say_bytes(
    policy: HeadroomPolicy, family: FamilyModel | None, cases: Sequence[_CaseFloor]
) -> str:
    unknown = next((case.traffic for case in cases if isinstance(case.traffic, Unknown)), None)
    if unknown is not None:
        return f"No memory term: {unknown.reason}."
    if any(isinstance(case.traffic, Traffic) and case.traffic.corrections for case in cases):
        return (
            "Every declared input and output tensor crosses device memory once, except that these "
            "count only what must move:"
        )
    line = "Every declared input and output tensor crosses device memory exactly once."
    if policy is HeadroomPolicy.HEADROOM_V2 and family is None:
        line += " This operation family has no reviewed bytes model."
    return line


def _say_arithmetic(row: HardwareRow, cases: Sequence[_CaseFloor]) -> list[str]:
    unknown = next(
        (case.arithmetic for case in cases if isinstance(case.arithmetic, Unknown)), None
    )
    lines = [] if unknown is None else [f"No arithmetic term: {unknown.reason.rstrip('.')}."]
    for width, peak in sorted(
        {
            (case.arithmetic.width, case.peak)
            for case in cases
            if isinstance(case.arithmetic, Arithmetic)
        },
        key=lambda pair: pair[0],
    ):
        if peak is None:
            lines.append(f"No arithmetic term: no {width} peak is published for {row.name}.")
            continue
        rate = format_quantity(peak.flops_per_second / 1e12, "tflops")
        lines.append(
            f"{width} operands at the dense {peak.dtype} peak of {row.name}: {rate}, "
            f"{row.source_title}{_say_confirmation(row, peak.dtype)}."
        )
    return lines


def _say_confirmation(row: HardwareRow, figure: str) -> str:
    if row.is_confirmed(figure):
        return ""
    if figure in row.quoted_alike:
        return " (unconfirmed: quoted alike by two publications, not read in the sheet)"
    return " (unconfirmed: not read in the sheet)"
