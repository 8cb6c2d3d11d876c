"""Bytes that must cross device memory for one case of an operation.

`headroom-v1` counts every declared input and output tensor once. `headroom-v2` puts the element
counts of the family models in place of the declared ones, and counts only the expert weights that
some token chose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kgraph.policy.expression import ExpressionError, evaluate_expression
from kgraph.policy.families import dtype_bytes
from kgraph.vocab import HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.facts import OperationFact, TensorFact, WorkloadFact
    from kgraph.policy.expression import Value
    from kgraph.policy.families import ElementsRule, ExpertRule, FamilyModel
    from kgraph.vocab import TimedPass

GENERIC_DTYPE = "float"
"""What an operation declares where the workload chooses the width of its floats."""

# Words for the number of rows that are routed to experts, the first that is an axis counting.
_TOKEN_AXES = ("tokens", "num_tokens", "total_tokens", "batch_seq_len", "bs")
_TOP_K_AXES = ("top_k", "num_experts_per_tok", "total_top_k")
_LOCAL_EXPERTS = "num_local_experts"
_EXPERT_NAMES = ("weight", "proj", "scale")
_EXPERT_RANK = 3


@dataclass(frozen=True, slots=True)
class Unknown:
    """A quantity that cannot be counted, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of one case; fractions, since packed four-bit values take half a byte."""

    read: Fraction
    written: Fraction
    strict_read: Fraction
    """What no choice of data can undercut."""
    strict_written: Fraction
    corrections: tuple[str, ...]
    """Why a tensor counts other than as declared; one sentence a tensor."""

    @property
    def total(self) -> Fraction:
        """Bytes read and written."""
        return self.read + self.written


@dataclass(frozen=True, slots=True)
class _Moved:
    """Elements of one tensor that must move."""

    elements: Value
    strict_elements: Value
    why: str | None
    """None where the tensor counts as declared."""


@dataclass(frozen=True, slots=True)
class Case:
    """One instance of an operation: its axes, and its concrete tensors where they are given."""

    axes: Mapping[str, int]
    tensors: Mapping[str, TensorFact]
    """Empty for a case of a suite, which gives axes only."""


def build_cases(operation: OperationFact, workload: WorkloadFact) -> tuple[Case, ...]:
    """The cases of a workload, in its order: one, or those of a suite; derived axes included."""
    if not workload.is_suite:
        tensors = {tensor.name: tensor for tensor in workload.tensors}
        return (Case(resolve_axes(operation, dict(workload.axes)), tensors),)
    return tuple(Case(resolve_axes(operation, dict(axes)), {}) for axes in workload.case_axes)


def resolve_axes(operation: OperationFact, given: Mapping[str, int]) -> dict[str, int]:
    """The given axes with the constants and derived axes of the operation.

    A derived axis whose expression has no integer value for the others is left out.
    """
    axes = dict(given)
    for axis in operation.axes:
        if axis.value is not None:
            axes.setdefault(axis.name, axis.value)
    pending = {
        axis.name: axis.expression
        for axis in operation.axes
        if axis.expression is not None and axis.name not in axes
    }
    # Derived axes may build on each other in any order; a round that settles none settles all.
    for _ in range(len(pending)):
        for name in tuple(pending):
            value = _evaluate(pending[name], axes)
            if isinstance(value, int):
                axes[name] = value
                del pending[name]
    return axes


def find_dtype(operation: OperationFact, tensor: TensorFact, case: Case) -> str | None:
    """The concrete dtype of a declared tensor in one case.

    A tensor that the case does not list takes its declared dtype; where that is generic, the dtype
    that the case gives the operation's other generic tensors, if they agree.
    """
    concrete = case.tensors.get(tensor.name)
    if concrete is not None:
        return concrete.dtype
    if tensor.dtype != GENERIC_DTYPE:
        return tensor.dtype
    chosen = {
        case.tensors[other.name].dtype
        for other in (*operation.inputs, *operation.outputs)
        if other.dtype == GENERIC_DTYPE and other.name in case.tensors
    }
    return chosen.pop() if len(chosen) == 1 else None


def count_traffic(
    policy: HeadroomPolicy,
    operation: OperationFact,
    family: FamilyModel | None,
    case: Case,
    timed_pass: TimedPass,
) -> Traffic | Unknown:
    """Bytes that the case must move under one policy; strict counts are those of both."""
    is_v2 = policy is HeadroomPolicy.HEADROOM_V2
    read, written, strict_read, strict_written = (Fraction(0) for _ in range(4))
    corrections: list[str] = []
    declared = [(tensor, True) for tensor in operation.inputs]
    declared += [(tensor, False) for tensor in operation.outputs]
    for tensor, is_input in declared:
        if tensor.shape is None:
            # A scalar argument: a few bytes that travel with the launch.
            continue
        size = _find_size(operation, tensor, case)
        if isinstance(size, Unknown):
            return size
        count = _count_declared(tensor, case)
        if isinstance(count, Unknown):
            return count
        moved = _count_moved(
            operation, family, tensor, case, timed_pass, declared=count, is_input=is_input
        )
        if is_v2 and isinstance(moved, Unknown):
            return moved
        if isinstance(moved, Unknown):
            # What must move is not known, so nothing is certain; the declared count stands for v1.
            moved = _Moved(count, 0, None)
        if is_v2 and moved.why is not None:
            corrections.append(f"{tensor.name}: {moved.why}")
        elements = moved.elements if is_v2 else count
        if is_input:
            read += size * elements
            strict_read += size * moved.strict_elements
        else:
            written += size * elements
            strict_written += size * moved.strict_elements
    return Traffic(read, written, strict_read, strict_written, tuple(corrections))


def _find_size(operation: OperationFact, tensor: TensorFact, case: Case) -> Fraction | Unknown:
    dtype = find_dtype(operation, tensor, case)
    size = None if dtype is None else dtype_bytes().get(dtype)
    if size is None:
        return Unknown(f"the element size of {tensor.name} ({dtype or tensor.dtype}) is not known")
    return size


def _count_declared(tensor: TensorFact, case: Case) -> int | Unknown:
    """Product of the tensor's shape, concrete where the case gives it."""
    concrete = case.tensors.get(tensor.name)
    shape = tensor.shape if concrete is None or concrete.shape is None else concrete.shape
    lengths = []
    for axis in shape or ():
        length = axis if isinstance(axis, int) else case.axes.get(axis)
        if length is None:
            return Unknown(f"axis {axis} of {tensor.name} has no known length")
        lengths.append(length)
    return math.prod(lengths)


def _count_moved(
    operation: OperationFact,
    family: FamilyModel | None,
    tensor: TensorFact,
    case: Case,
    timed_pass: TimedPass,
    *,
    declared: int,
    is_input: bool,
) -> _Moved | Unknown:
    """How much of one tensor must move, by the model of its family."""
    if family is None or not family.is_corrected:
        return _Moved(declared, declared, None)
    for rule in family.elements:
        if _applies(rule, operation, tensor, timed_pass):
            count = _evaluate(rule.elements, case.axes)
            strict = _evaluate(rule.strict_elements, case.axes)
            if count is None or strict is None:
                return Unknown(f"the axes do not say how much of {tensor.name} must move")
            return _Moved(count, strict, rule.why)
    if is_input and family.experts is not None:
        return _count_experts(family.experts, tensor, case, declared)
    return _Moved(declared, declared, None)


def _applies(
    rule: ElementsRule, operation: OperationFact, tensor: TensorFact, timed_pass: TimedPass
) -> bool:
    return (
        rule.tensor == tensor.name
        and (not rule.passes or timed_pass in rule.passes)
        and rule.select.matches(operation)
    )


def _count_experts(rule: ExpertRule, tensor: TensorFact, case: Case, declared: int) -> _Moved:
    """Weights of the experts that some token chose, where the tensor holds expert weights."""
    whole = _Moved(declared, declared, None)
    shape = tensor.shape or ()
    if (
        len(shape) < _EXPERT_RANK
        or shape[0] not in rule.expert_axes
        or not any(word in tensor.name for word in _EXPERT_NAMES)
    ):
        return whole
    leading = str(shape[0])
    experts = case.axes.get(leading, 0)
    tokens = _count_tokens(case.axes)
    top_k = next((case.axes[name] for name in _TOP_K_AXES if name in case.axes), None)
    if experts < 1 or tokens is None or top_k is None:
        return whole
    is_local = leading == _LOCAL_EXPERTS or any(
        case.axes.get(axis, 0) > experts for axis in rule.expert_axes
    )
    one = declared // experts
    strict_rows = 0 if is_local else min(experts, top_k)
    return _Moved(one * min(experts, tokens * top_k), one * strict_rows, rule.why)


def _count_tokens(axes: Mapping[str, int]) -> int | None:
    for name in _TOKEN_AXES:
        if name in axes:
            return axes[name]
    if "seq_len" not in axes:
        return None
    return axes.get("batch_size", 1) * axes["seq_len"]


def _evaluate(expression: str, axes: Mapping[str, int]) -> Value | None:
    """The value of an expression; None where the axes give it none."""
    try:
        return evaluate_expression(expression, axes)
    except ExpressionError:
        return None
