"""OperationSpec: what is computed, whatever the implementation."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from kgraph.canonical import join_path, show
from kgraph.manifest.base import Artifact, Manifest, Part, SharedVersion
from kgraph.manifest.fields import (
    AxisType,
    Count,
    Expression,
    Long,
    Many,
    SlugText,
    Whole,
    Word,
    refuse,
)


class Axis(Part):
    """A named dimension of an operation."""

    role: Literal["variable", "constant", "derived"]
    """Whether a workload chooses it, the operation fixes it, or it follows from other axes."""
    type: AxisType
    """Always integer."""
    value: Whole | None = None
    """The size of a constant axis."""
    minimum: Whole | None = None
    """Smallest size that makes sense."""
    maximum: Whole | None = None
    """Largest size that makes sense."""
    expression: Expression | None = None
    """How a derived axis follows from the others, e.g. `hidden // 2`."""

    @model_validator(mode="after")
    def _check_role(self) -> Self:
        if (self.value is not None) != (self.role == "constant"):
            raise refuse(
                f"role {self.role} with value {show(self.value)}",
                "a value for a constant axis and for no other",
            )
        if (self.expression is not None) != (self.role == "derived"):
            raise refuse(
                f"role {self.role} with expression {show(self.expression)}",
                "an expression for a derived axis and for no other",
            )
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise refuse(f"minimum {self.minimum} above maximum {self.maximum}", "a range")
        return self


class TensorType(Part):
    """Shape and element type of an operand."""

    shape: Many[Count | Word]
    """Sizes as axis names or integers, outermost first."""
    dtype: Word
    """Element type, e.g. `bf16`."""
    layout: Literal["row_major", "col_major", "contiguous", "strided"] | None = None
    """How elements lie in memory; unset where any layout is meant."""


class ScalarType(Part):
    """Type of a scalar operand."""

    dtype: Word
    """E.g. `fp32`."""


class Operand(Part):
    """An input or output: a tensor or a scalar."""

    name: Word
    """Name of the argument."""
    tensor: TensorType | None = None
    """Set for a tensor."""
    scalar: ScalarType | None = None
    """Set for a scalar."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.tensor is None) == (self.scalar is None):
            found = "neither" if self.tensor is None else "both"
            raise refuse(found, "either a tensor or a scalar")
        return self


class Semantics(Part):
    """What the operation does to its arguments."""

    expression: Long | None = None
    """Formula for people."""
    mutation: Literal["none", "in_place", "destination"]
    """Whether it writes over an input, or into an argument given for the purpose."""
    determinism: Literal["deterministic", "nondeterministic", "unspecified"]
    """Whether equal inputs must give equal bits."""


class Reference(Part):
    """The implementation that defines right answers."""

    language: Word
    """Language it is written in."""
    artifact: Artifact | None = None
    """Its text."""


class Operation(Part):
    """Meaning of an OperationSpec."""

    family: SlugText
    """Group of operations that are alike, e.g. `normalization`."""
    axes: dict[Word, Axis]
    """Named dimensions."""
    inputs: Many[Operand] = Field(min_length=1)
    """Arguments read, in call order."""
    outputs: Many[Operand] = Field(min_length=1)
    """Results, in the order returned."""
    semantics: Semantics
    """What it does to its arguments."""
    reference: Reference | None = None
    """Where right answers are defined."""

    @model_validator(mode="after")
    def _check_shapes(self) -> Self:
        for group, operands in (("inputs", self.inputs), ("outputs", self.outputs)):
            for number, operand in enumerate(operands):
                for size in operand.tensor.shape if operand.tensor is not None else ():
                    if isinstance(size, str) and size not in self.axes:
                        place = join_path(group, number)
                        raise refuse(f"{size!r} in the shape of {place}", "a name from spec.axes")
        return self


class OperationSpec(Manifest):
    """What is computed: axes, operands and semantics."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["OperationSpec"]
    """Always OperationSpec."""
    spec: Operation
    """Meaning."""
