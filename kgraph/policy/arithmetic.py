"""Arithmetic that is certain for one case of an operation, and the peak that bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.policy.expression import ExpressionError, evaluate_expression, holds
from kgraph.policy.traffic import Unknown, find_dtype

if TYPE_CHECKING:
    from kgraph.facts import OperationFact
    from kgraph.policy.families import FamilyModel, FlopsRule
    from kgraph.policy.hardware import HardwareRow
    from kgraph.policy.traffic import Case
    from kgraph.vocab import HeadroomPolicy, TimedPass

OPERAND = "operand"
"""A rule's word for the dtype of the first declared float input."""

# Peak that serves a dtype. fp8_e8m0 holds scales, but is a float that a declaration may begin with.
_PEAK_OF_DTYPE = {
    "fp64": "fp64",
    "fp32": "fp32",
    "fp16": "fp16",
    "bf16": "bf16",
    "fp8_e4m3": "fp8",
    "fp8_e4m3fnuz": "fp8",
    "fp8_e5m2": "fp8",
    "fp8_e8m0": "fp8",
    "float4_e2m1fn_x2": "fp4",
    "mxfp4": "fp4",
    "nvfp4": "fp4",
}

_UP_TO_16_BITS = ("fp4", "fp6", "fp8", "fp16", "bf16")

# Published peaks that may serve operands of one width, by order of preference; of the names inside
# one group the fastest is taken. fp32 operands may be rounded to tf32 inside the product.
_SERVED_BY: dict[str, tuple[tuple[str, ...], ...]] = {
    "fp64": (("fp64", "fp64_tensor"),),
    "fp32": (("tf32",), ("fp32",)),
    "fp16": (("fp16",),),
    "bf16": (("bf16",),),
    "fp8": (("fp8",), _UP_TO_16_BITS),
    "fp6": (("fp6",), ("fp8",), _UP_TO_16_BITS),
    "fp4": (("fp4",), _UP_TO_16_BITS),
}


@dataclass(frozen=True, slots=True)
class Peak:
    """A published dense peak."""

    dtype: str
    flops_per_second: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Operations of one case and the width they run at."""

    flops: int
    width: str
    """fp64, fp32, fp16, bf16, fp8, fp6 or fp4."""


def count_arithmetic(
    policy: HeadroomPolicy,
    operation: OperationFact,
    family: FamilyModel | None,
    case: Case,
    timed_pass: TimedPass,
) -> Arithmetic | Unknown:
    """Operations that the case cannot do without, under one policy."""
    if family is None:
        return Unknown("this operation family has no reviewed floor model")
    rule = _find_rule(policy, operation, family, case)
    if rule is None:
        return Unknown(family.flops_reason or "no count is certain for this operation")
    expression = rule.find_expression(timed_pass)
    if expression is None:
        return Unknown(f"no count is certain for a {timed_pass.value} pass")
    width = _find_width(rule, operation, case)
    if width is None:
        return Unknown("no input says at which width the products run")
    try:
        flops = evaluate_expression(expression, case.axes)
    except ExpressionError as error:
        return Unknown(f"the count cannot be made: {error.problem}")
    return Arithmetic(int(flops), width)


def find_peak(row: HardwareRow, width: str) -> Peak | None:
    """The fastest published dense peak of a device that may legally serve operands of one width."""
    for group in _SERVED_BY[width]:
        published = [
            Peak(name, peak) for name in group if (peak := row.find_peak(name)) is not None
        ]
        if published:
            return max(published, key=lambda peak: peak.flops_per_second)
    return None


def _find_rule(
    policy: HeadroomPolicy, operation: OperationFact, family: FamilyModel, case: Case
) -> FlopsRule | None:
    for rule in family.flops:
        if policy in rule.policies and rule.select.matches(operation) and _holds(rule, case):
            return rule
    return None


def _holds(rule: FlopsRule, case: Case) -> bool:
    if rule.condition is None:
        return True
    try:
        return holds(rule.condition, case.axes)
    except ExpressionError:
        # An axis that the condition needs is not known, so it is not known to hold.
        return False


def _find_width(rule: FlopsRule, operation: OperationFact, case: Case) -> str | None:
    if rule.peak_dtype != OPERAND:
        return rule.peak_dtype
    for tensor in operation.inputs:
        if tensor.shape is None:
            continue
        width = _PEAK_OF_DTYPE.get(find_dtype(operation, tensor, case) or "")
        if width is not None:
            return width
    return None
