"""What a floor estimate takes for granted, in words for people, with the sources of its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.policy.arithmetic import Arithmetic
from kgraph.policy.floor import geometric_mean
from kgraph.policy.hardware import MEMORY_BANDWIDTH
from kgraph.policy.traffic import Traffic, Unknown
from kgraph.units import format_quantity
from kgraph.vocab import HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import ProtocolFact
    from kgraph.policy.families import FamilyModel
    from kgraph.policy.floor import CaseFloor
    from kgraph.policy.hardware import HardwareRow


def find_caveat(
    protocol: ProtocolFact, cases: Sequence[CaseFloor], floor: float, record_ns: float | None
) -> str | None:
    """Why a time below the floor is possible here; None where the floor stands."""
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
    cached = geometric_mean([case.cached_floor_ns for case in cases])
    if record_ns is not None and cached <= record_ns < floor:
        return (
            "The protocol states no flush: up to one cache of data may be cache-resident between "
            "calls, which explains a time this little below the floor."
        )
    return None


def list_assumptions(
    policy: HeadroomPolicy,
    family: FamilyModel | None,
    row: HardwareRow,
    cases: Sequence[CaseFloor],
    protocol: ProtocolFact,
    *,
    is_default: bool,
    is_suite: bool,
) -> tuple[str, ...]:
    """Bytes model, figures with their sheets, pass and suite rule, one sentence each."""
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
    policy: HeadroomPolicy, family: FamilyModel | None, cases: Sequence[CaseFloor]
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


def _say_arithmetic(row: HardwareRow, cases: Sequence[CaseFloor]) -> list[str]:
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
