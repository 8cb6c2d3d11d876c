"""The floor that the hardware sets for one cohort, and how far its record lies above it.

An estimate, never evidence. floor = max(bytes / bandwidth, operations / dense peak); a term that
cannot be counted is left out, and with neither the floor is null with a reason. Both policies,
`headroom-v1` and `headroom-v2`, stay answerable; what they count is data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.policy.arithmetic import count_arithmetic
from kgraph.policy.assumptions import find_caveat, list_assumptions
from kgraph.policy.families import find_family
from kgraph.policy.floor import floor_case, geometric_mean, mean_of_all, sum_bytes, sum_flops
from kgraph.policy.hardware import (
    DATASHEET_ALLOWANCE,
    HardwareRow,
    choose_hardware,
    rows_of_product,
)
from kgraph.policy.metric import NANOSECONDS_PER_UNIT, is_amount, is_time
from kgraph.policy.traffic import Unknown, build_cases, count_traffic
from kgraph.units import format_quantity
from kgraph.vocab import BelowFloor, Bound, HeadroomPolicy, TimedPass

if TYPE_CHECKING:
    from kgraph.facts import HardwareFact, OperationFact, ProtocolFact, WorkloadFact
    from kgraph.policy.families import FamilyModel
    from kgraph.policy.floor import CaseFloor

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
        floor_case(
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

    floor = geometric_mean([case.floor_ns for case in cases])
    strict_floor = geometric_mean([case.strict_floor_ns for case in cases])
    if _why_not_pass(HeadroomPolicy.HEADROOM_V2, operation, family, timed_pass) is not None:
        # The older policy gives a floor for a pass that has no certain work.
        strict_floor = 0.0
    record_ns = _record_ns(record_value, unit)
    compute_bound = sum(case.is_compute_bound for case in cases)
    return Headroom(
        policy=policy,
        floor_ns=floor,
        display=format_quantity(floor, "ns"),
        bound=Bound.COMPUTE if 2 * compute_bound > len(cases) else Bound.MEMORY,
        memory_floor_ns=mean_of_all([case.memory_ns for case in cases]),
        compute_floor_ns=mean_of_all([case.compute_ns for case in cases]),
        bytes=sum_bytes(cases),
        flops=sum_flops(cases),
        strict_floor_ns=strict_floor,
        record_ratio=None if record_ns is None else record_ns / floor,
        assumptions=list_assumptions(
            policy, family, row, cases, protocol, is_default=is_default, is_suite=workload.is_suite
        ),
        caveat=find_caveat(protocol, cases, floor, record_ns),
        reason=None,
        hardware=row,
    )


def why_below_floor(headroom: Headroom) -> BelowFloor | None:
    """What explains a record below its floor.

    Returns:
        None where there is no floor or no record, or the record is not below the floor.
    """
    ratio, floor, strict = headroom.record_ratio, headroom.floor_ns, headroom.strict_floor_ns
    if ratio is None or floor is None or strict is None or ratio >= 1:
        return None
    allowed = 1 - DATASHEET_ALLOWANCE
    if ratio >= allowed:
        return BelowFloor.DATASHEET_ROUNDING
    if ratio * floor < strict * allowed:
        return BelowFloor.IMPOSSIBLE
    if headroom.caveat is not None:
        return BelowFloor.CACHE_RESIDENT_POSSIBLE
    return BelowFloor.COUNTED_BEYOND_CERTAIN


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
        f"The statistic of the suite is {stated}, which is not known to be a geometric mean of the "
        "times of its cases."
    )


def _why_empty(case: CaseFloor) -> str:
    memory = (
        case.traffic.reason if isinstance(case.traffic, Unknown) else "no byte is certain to move"
    )
    compute = (
        case.arithmetic.reason
        if isinstance(case.arithmetic, Unknown)
        else "no peak is published for the width of its operands"
    )
    return f"Memory: {memory}. Arithmetic: {compute.rstrip('.')}."


def _record_ns(value: float | None, unit: str | None) -> float | None:
    if value is None or unit is None or not is_amount(value):
        return None
    return value * NANOSECONDS_PER_UNIT[unit]
