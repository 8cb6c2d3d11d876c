"""What the floor counts for each operation family: the models of `headroom-families.json`, typed.

A rule applies when every key of its `select` holds; `slugs` and `slug_prefixes` together mean
either. The first matching rule is used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from kgraph.vocab import HeadroomPolicy, TimedPass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.facts import OperationFact


@dataclass(frozen=True, slots=True)
class Select:
    """Which operations of a family a rule is for; an empty one is for all."""

    slugs: tuple[str, ...]
    slug_prefixes: tuple[str, ...]
    inputs: tuple[str, ...]
    """Names that must all be declared inputs."""
    absent_inputs: tuple[str, ...]
    """Names none of which may be a declared input."""
    shapes: tuple[tuple[str, tuple[str | int, ...]], ...]
    """Inputs that must have exactly these symbolic shapes."""

    def matches(self, operation: OperationFact) -> bool:
        """Whether the rule is for this operation."""
        declared = {tensor.name: tensor.shape for tensor in operation.inputs}
        is_named = not (self.slugs or self.slug_prefixes) or (
            operation.slug in self.slugs or operation.slug.startswith(self.slug_prefixes)
        )
        return (
            is_named
            and all(name in declared for name in self.inputs)
            and not any(name in declared for name in self.absent_inputs)
            and all(declared.get(name) == shape for name, shape in self.shapes)
        )


@dataclass(frozen=True, slots=True)
class ElementsRule:
    """How many elements of one tensor must move, in place of its declared product."""

    tensor: str
    elements: str
    strict_elements: str
    """What no choice of data can undercut; the same as `elements` where data has no say."""
    passes: tuple[TimedPass, ...]
    """Empty for every pass."""
    select: Select
    why: str


@dataclass(frozen=True, slots=True)
class FlopsRule:
    """Arithmetic that is certain, by timed pass."""

    policies: tuple[HeadroomPolicy, ...]
    passes: tuple[tuple[TimedPass, str | None], ...]
    """None for a pass without a sound count."""
    peak_dtype: str
    """A dtype, or `operand` for that of the first float input."""
    select: Select
    condition: str | None
    """What must hold for the axes too."""

    def find_expression(self, timed_pass: TimedPass) -> str | None:
        """The count for one pass; None where there is no sound one."""
        return dict(self.passes).get(timed_pass)


@dataclass(frozen=True, slots=True)
class ExpertRule:
    """Expert weights of which only those that some token chose are read."""

    expert_axes: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class FamilyModel:
    """The floor model of one operation family."""

    family: str
    is_corrected: bool
    """Whether `headroom-v2` counts other bytes than the declared ones."""
    elements: tuple[ElementsRule, ...]
    flops: tuple[FlopsRule, ...]
    flops_reason: str | None
    """Why no arithmetic is counted, where a reason is given."""
    backward_reason: str | None
    """Why a timed backward pass has no certain work; None where it has."""
    experts: ExpertRule | None


def find_family(family: str) -> FamilyModel | None:
    """The floor model of a family; None where none was made."""
    return _load_families().get(family)


@cache
def dtype_bytes() -> Mapping[str, Fraction]:
    """Bytes per element by dtype, of the form in which tensors declare it."""
    return {name: Fraction(str(size)) for name, size in _load_document()["dtypeBytes"].items()}


@cache
def _load_document() -> Mapping[str, Any]:
    path = resources.files("kgraph.policy").joinpath("data/headroom-families.json")
    document: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    return document


@cache
def _load_families() -> Mapping[str, FamilyModel]:
    return {entry["family"]: _read_family(entry) for entry in _load_document()["families"]}


def _read_family(entry: Mapping[str, Any]) -> FamilyModel:
    backward = entry.get("backwardPass")
    experts = entry.get("expertWeights")
    return FamilyModel(
        family=entry["family"],
        is_corrected=entry["bytesModel"] == "corrected",
        elements=tuple(_read_elements(rule) for rule in entry["elements"]),
        flops=tuple(_read_flops(rule) for rule in entry["flops"] or ()),
        flops_reason=entry.get("flopsReason"),
        backward_reason=None if backward is None else backward["why"],
        experts=None if experts is None else ExpertRule(tuple(experts["axis"]), experts["why"]),
    )


def _read_elements(rule: Mapping[str, Any]) -> ElementsRule:
    return ElementsRule(
        tensor=rule["tensor"],
        elements=rule["elements"],
        strict_elements=rule.get("strictElements", rule["elements"]),
        passes=tuple(TimedPass(name) for name in rule.get("passes", ())),
        select=_read_select(rule["select"]),
        why=rule["why"],
    )


def _read_flops(rule: Mapping[str, Any]) -> FlopsRule:
    return FlopsRule(
        policies=tuple(HeadroomPolicy(name) for name in rule["policies"]),
        passes=tuple((TimedPass(name), text) for name, text in rule["passes"].items()),
        peak_dtype=rule["peakDtype"],
        select=_read_select(rule["select"]),
        condition=rule.get("condition"),
    )


def _read_select(select: Mapping[str, Any]) -> Select:
    return Select(
        slugs=tuple(select.get("slugs", ())),
        slug_prefixes=tuple(select.get("slugPrefixes", ())),
        inputs=tuple(select.get("inputs", ())),
        absent_inputs=tuple(select.get("absentInputs", ())),
        shapes=tuple((name, tuple(shape)) for name, shape in select.get("shapes", {}).items()),
    )
