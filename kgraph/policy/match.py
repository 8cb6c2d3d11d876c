"""How closely measured cases answer a request for a workload on a device; pure, for `resolve`.

EXACT: a measured case satisfies every stated field. COMPATIBLE: a measured case is the same problem
(axes, shapes, dtypes) and differs only in layout, in software, or in the device within one
architecture; every difference is listed. SUPPORTED_UNMEASURED: no such case, but the operation is
measured with the stated dtypes on the stated device at other sizes, or an implementation declares
that it supports them. NONE otherwise. A near match is never promoted, and nothing is interpolated:
where cases differ from the request in one axis alone, the nearest measured ones below and above are
named. Policy filters are not applied here.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.policy.device import (
    find_architecture,
    fold_architecture,
    matches_device,
    suggest_devices,
)
from kgraph.policy.traffic import resolve_axes
from kgraph.vocab import Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgraph.facts import (
        EnvironmentFact,
        ImplementationFact,
        OperationFact,
        TensorFact,
        WorkloadFact,
    )
    from kgraph.vocab import CohortKey

_DTYPE_WORDS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "double": "fp64",
}
# Words for a width that several formats share: any of them answers.
_DTYPE_CLASSES = {
    "fp8": frozenset({"fp8_e4m3", "fp8_e4m3fnuz", "fp8_e5m2"}),
    "fp4": frozenset({"nvfp4", "mxfp4", "float4_e2m1fn_x2"}),
}


@dataclass(frozen=True, slots=True)
class TensorRequest:
    """What a request states of one tensor; None where it states nothing."""

    name: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """A workload as somebody asks for it; an empty field is not stated."""

    axes: tuple[tuple[str, int], ...] = ()
    dtypes: tuple[str, ...] = ()
    """Each must occur among the case's dtypes."""
    tensors: tuple[TensorRequest, ...] = ()
    hardware: str | None = None
    """Product, device string or architecture."""
    software: tuple[tuple[str, str], ...] = ()
    """Names and versions; an empty version asks for any."""


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """One measured cohort of the operation."""

    cohort: CohortKey
    workload: WorkloadFact
    environment: EnvironmentFact


@dataclass(frozen=True, slots=True)
class Difference:
    """A stated field that a case does not satisfy."""

    field: str
    """`axes.NAME`, `dtypes`, `tensors.NAME.dtype`, `.layout`, `hardware` or `software.NAME`."""
    requested: str
    observed: str | None
    """None where the case says nothing of it."""


@dataclass(frozen=True, slots=True)
class NearMatch:
    """A measured cohort that does not satisfy every stated field."""

    cohort: CohortKey
    differences: tuple[Difference, ...]
    is_compatible: bool


@dataclass(frozen=True, slots=True)
class BracketEnd:
    """The nearest measured cases on one side of the request."""

    value: int
    cohorts: tuple[CohortKey, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The one axis in which measured cases differ from the request, and the nearest of them."""

    axis: str
    requested: int
    below: BracketEnd | None
    above: BracketEnd | None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A stated field that means nothing for this operation or this catalogue."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class MatchVerdict:
    """How closely the candidates answer the request."""

    match: Match
    exact: tuple[CohortKey, ...]
    """Cohorts that satisfy every stated field, by key; empty unless the match is EXACT."""
    near: tuple[NearMatch, ...]
    """The other cohorts, nearest first: compatible ones, then by number and size of differences."""
    bracket: Bracket | None
    """None where a case matches exactly, or none differs in one axis alone."""
    unresolved: tuple[Unresolved, ...]


@dataclass(frozen=True, slots=True)
class _Near:
    """A near match with what orders it."""

    candidate: MatchCandidate
    differences: tuple[Difference, ...]
    is_compatible: bool
    distance: float
    axis_differences: tuple[tuple[str, int, int | None], ...]
    """Axis, requested and observed length."""


def judge_match(
    request: MatchRequest,
    *,
    operation: OperationFact,
    candidates: Sequence[MatchCandidate],
    implementations: Iterable[ImplementationFact] = (),
) -> MatchVerdict:
    """How closely the measured cohorts of one operation answer a request.

    `candidates` are all measured cohorts of the operation, in any order; `implementations` those of
    the operation, whose declared support makes the difference between unmeasured and unknown.
    """
    axes, unresolved = _resolve_request(request, operation)
    unresolved += _check_hardware(request, candidates)
    exact: list[CohortKey] = []
    near: list[_Near] = []
    for candidate in candidates:
        found = _compare(request, axes, operation, candidate)
        if found.differences or unresolved:
            near.append(found)
        else:
            exact.append(candidate.cohort)
    near.sort(key=_nearness)

    if exact:
        match = Match.EXACT
    elif unresolved:
        match = Match.NONE
    elif any(one.is_compatible for one in near):
        match = Match.COMPATIBLE
    elif any(_differs_in_size_only(one) for one in near) or any(
        _declares_support(implementation, request) for implementation in implementations
    ):
        match = Match.SUPPORTED_UNMEASURED
    else:
        match = Match.NONE
    return MatchVerdict(
        match=match,
        exact=tuple(sorted(exact)),
        near=tuple(
            NearMatch(one.candidate.cohort, one.differences, one.is_compatible) for one in near
        ),
        bracket=None if exact or unresolved else _find_bracket(near, axes),
        unresolved=tuple(unresolved),
    )


# --- what the request says -------------------------------------------------------------------


def _resolve_request(
    request: MatchRequest, operation: OperationFact
) -> tuple[dict[str, int], list[Unresolved]]:
    """Stated axes, those that stated shapes bind included, and what makes no sense of it."""
    unresolved: list[Unresolved] = []
    axes: dict[str, int] = {}
    known = {axis.name: axis for axis in operation.axes}
    for name, value in request.axes:
        if name not in known:
            unresolved.append(Unresolved(f"axes.{name}", _say_unknown(name, known, "axis")))
        elif axes.setdefault(name, value) != value:
            unresolved.append(Unresolved(f"axes.{name}", f"Stated as {axes[name]} and as {value}."))
    declared = {tensor.name: tensor for tensor in (*operation.inputs, *operation.outputs)}
    for tensor in request.tensors:
        if tensor.name not in declared:
            unresolved.append(
                Unresolved(f"tensors.{tensor.name}", _say_unknown(tensor.name, declared, "tensor"))
            )
        elif tensor.shape is not None:
            unresolved += _bind_shape(tensor, declared[tensor.name], axes)

    for axis in operation.axes:
        if axis.value is not None and axes.get(axis.name, axis.value) != axis.value:
            unresolved.append(
                Unresolved(
                    f"axes.{axis.name}",
                    f"Always {axis.value} in this operation; {axes[axis.name]} is another one.",
                )
            )
    # A derived axis that follows from the others says nothing more, and would hide a bracket.
    derived = [axis.name for axis in operation.axes if axis.expression is not None]
    given = {name: value for name, value in axes.items() if name not in derived}
    implied = resolve_axes(operation, given)
    for name in derived:
        if name in axes and name in implied:
            if axes[name] != implied[name]:
                message = f"The other axes make it {implied[name]}, not {axes[name]}."
                unresolved.append(Unresolved(f"axes.{name}", message))
            del axes[name]
    return axes, unresolved


def _bind_shape(
    tensor: TensorRequest, declared: TensorFact, axes: dict[str, int]
) -> list[Unresolved]:
    """Axes that a stated shape gives lengths to, added to `axes`; and what does not fit."""
    field = f"tensors.{tensor.name}.shape"
    symbols, shape = declared.shape or (), tensor.shape or ()
    if len(symbols) != len(shape):
        return [Unresolved(field, f"The tensor has {len(symbols)} axes, not {len(shape)}.")]
    unresolved = []
    for symbol, length in zip(symbols, shape, strict=True):
        expected = symbol if isinstance(symbol, int) else axes.setdefault(symbol, length)
        if expected != length:
            unresolved.append(Unresolved(field, f"{symbol} is {expected}, not {length}."))
    return unresolved


def _check_hardware(
    request: MatchRequest, candidates: Sequence[MatchCandidate]
) -> list[Unresolved]:
    text = request.hardware
    if (
        text is None
        or find_architecture(text) is not None
        or any(matches_device(text, candidate.environment.hardware) for candidate in candidates)
    ):
        return []
    near = suggest_devices(text)
    hint = f" Nearest: {', '.join(near)}." if near else ""
    return [Unresolved("hardware", f"No device is known as {text}.{hint}")]


def _say_unknown(name: str, known: Iterable[str], noun: str) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f" Nearest: {near[0]}." if near else ""
    return f"The operation has no {noun} {name}; it has {', '.join(names)}.{hint}"


# --- one candidate ---------------------------------------------------------------------------


def _compare(
    request: MatchRequest,
    axes: Mapping[str, int],
    operation: OperationFact,
    candidate: MatchCandidate,
) -> _Near:
    workload = candidate.workload
    # A suite has no axes of its own: each of its cases has others.
    observed_axes = {} if workload.is_suite else resolve_axes(operation, dict(workload.axes))
    by_axis = tuple(
        (name, value, observed_axes.get(name))
        for name, value in sorted(axes.items())
        if observed_axes.get(name) != value
    )
    differences = [
        Difference(f"axes.{name}", str(value), None if seen is None else str(seen))
        for name, value, seen in by_axis
    ]
    differences += _compare_dtypes(request, operation, workload)
    differences += _compare_tensor_dtypes(request, operation, workload)
    problem_count = len(differences)
    differences += _compare_layouts(request, operation, workload)
    differences += _compare_software(request, candidate.environment)
    is_same_architecture = True
    hardware = candidate.environment.hardware
    if request.hardware is not None and not matches_device(request.hardware, hardware):
        device = " ".join(part for part in (hardware.product, hardware.form_factor) if part)
        differences.append(Difference("hardware", request.hardware, device))
        wanted = find_architecture(request.hardware)
        is_same_architecture = wanted is not None and (
            fold_architecture(wanted) == fold_architecture(hardware.architecture)
        )
    return _Near(
        candidate=candidate,
        differences=tuple(differences),
        is_compatible=problem_count == 0 and is_same_architecture,
        distance=math.fsum(_axis_distance(value, seen) for _, value, seen in by_axis),
        axis_differences=by_axis,
    )


def _compare_dtypes(
    request: MatchRequest, operation: OperationFact, workload: WorkloadFact
) -> list[Difference]:
    observed = _observed_dtypes(operation, workload)
    return [
        Difference("dtypes", dtype, ", ".join(sorted(observed)) or None)
        for dtype in request.dtypes
        if not _has_dtype(dtype, observed)
    ]


def _compare_tensor_dtypes(
    request: MatchRequest, operation: OperationFact, workload: WorkloadFact
) -> list[Difference]:
    differences = []
    for tensor in request.tensors:
        seen = _find_tensor(tensor.name, operation, workload)
        if tensor.dtype is None or seen is None or _has_dtype(tensor.dtype, {seen.dtype}):
            continue
        differences.append(Difference(f"tensors.{tensor.name}.dtype", tensor.dtype, seen.dtype))
    return differences


def _compare_layouts(
    request: MatchRequest, operation: OperationFact, workload: WorkloadFact
) -> list[Difference]:
    differences = []
    for tensor in request.tensors:
        seen = _find_tensor(tensor.name, operation, workload)
        layout = None if seen is None else seen.layout
        if tensor.layout is not None and tensor.layout != layout:
            differences.append(Difference(f"tensors.{tensor.name}.layout", tensor.layout, layout))
    return differences


def _compare_software(request: MatchRequest, environment: EnvironmentFact) -> list[Difference]:
    stated = {name.casefold(): version for name, version in environment.software}
    differences = []
    for name, version in request.software:
        seen = stated.get(name.casefold())
        is_met = seen is not None and (
            not version or seen == version or seen.startswith((f"{version}.", f"{version}+"))
        )
        if not is_met:
            differences.append(Difference(f"software.{name}", version or "any version", seen))
    return differences


def _find_tensor(name: str, operation: OperationFact, workload: WorkloadFact) -> TensorFact | None:
    """The tensor as the workload gives it, else as the operation declares it."""
    tensors = (*workload.tensors, *operation.inputs, *operation.outputs)
    return next((tensor for tensor in tensors if tensor.name == name), None)


def _observed_dtypes(operation: OperationFact, workload: WorkloadFact) -> set[str]:
    if workload.dtypes:
        return set(workload.dtypes)
    return {tensor.dtype for tensor in (*operation.inputs, *operation.outputs)}


def find_dtypes(wanted: str) -> frozenset[str]:
    """The dtypes that a word asks for: any of several where it names a width that they share."""
    folded = wanted.casefold().removeprefix("torch.")
    name = _DTYPE_WORDS.get(folded, folded)
    return _DTYPE_CLASSES.get(name, frozenset({name}))


def _has_dtype(wanted: str, observed: Iterable[str]) -> bool:
    return not find_dtypes(wanted).isdisjoint(observed)


def _axis_distance(requested: int, observed: int | None) -> float:
    """How far apart two lengths are, in factors of two: sizes matter by ratio."""
    if observed is None or observed < 1 or requested < 1:
        # Farther than any two lengths: an axis that a case does not have.
        return 64.0
    return abs(math.log2(requested / observed))


# --- all candidates --------------------------------------------------------------------------


def _nearness(near: _Near) -> tuple[bool, int, float, str]:
    return (
        not near.is_compatible,
        len(near.differences),
        near.distance,
        near.candidate.cohort,
    )


def _differs_in_size_only(near: _Near) -> bool:
    """Whether the case answers all but the lengths of axes that it has."""
    return len(near.differences) == len(near.axis_differences) and all(
        seen is not None for _, _, seen in near.axis_differences
    )


def _declares_support(implementation: ImplementationFact, request: MatchRequest) -> bool:
    """Whether the implementation declares all that the request states of dtypes and device.

    What it does not declare it is not taken to support; a request that states neither is answered
    by measurements alone.
    """
    if not request.dtypes and request.hardware is None:
        return False
    if not all(_has_dtype(dtype, implementation.dtypes) for dtype in request.dtypes):
        return False
    if request.hardware is None:
        return True
    wanted = find_architecture(request.hardware)
    return wanted is not None and fold_architecture(wanted) in {
        fold_architecture(architecture) for architecture in implementation.architectures
    }


def _find_bracket(near: Sequence[_Near], axes: Mapping[str, int]) -> Bracket | None:
    """The nearest cases along the one axis in which they differ from the request.

    Where cases differ in one axis each but not all in the same, the axis that is bracketed on both
    sides comes first, then the one with the nearest case, then the first by name.
    """
    lengths: dict[str, dict[int, list[CohortKey]]] = {}
    for one in near:
        if len(one.differences) == 1 and len(one.axis_differences) == 1:
            axis, _, seen = one.axis_differences[0]
            if seen is not None:
                lengths.setdefault(axis, {}).setdefault(seen, []).append(one.candidate.cohort)
    brackets = [_bracket_axis(axis, axes[axis], found) for axis, found in lengths.items()]
    return min(brackets, key=_bracket_order, default=None)


def _bracket_axis(axis: str, requested: int, found: Mapping[int, Sequence[CohortKey]]) -> Bracket:
    below = max((length for length in found if length < requested), default=None)
    above = min((length for length in found if length > requested), default=None)
    return Bracket(
        axis=axis,
        requested=requested,
        below=None if below is None else BracketEnd(below, tuple(sorted(found[below]))),
        above=None if above is None else BracketEnd(above, tuple(sorted(found[above]))),
    )


def _bracket_order(bracket: Bracket) -> tuple[bool, float, str]:
    ends = [end.value for end in (bracket.below, bracket.above) if end is not None]
    nearest = min(_axis_distance(bracket.requested, value) for value in ends)
    return len(ends) < 2, nearest, bracket.axis  # noqa: PLR2004 - both sides
