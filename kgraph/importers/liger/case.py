"""From a row's parameters to the exact case it measured, by the curated table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kgraph.canonical import MAX_INTEGER, show
from kgraph.importers.expression import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.canonical import JsonValue
    from kgraph.importers.liger.row import SpeedRow
    from kgraph.importers.liger.table import Binding, Kernel, LigerTable

UNBOUND_CASE: Final = "UNBOUND_CASE"
"""The kernel is known, but no binding of it takes the row's parameters."""

# What stands in the table for "the dtype that the row's config names".
_ROW_DTYPE: Final = "config.dtype"
_FLOAT: Final = "float"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar argument that a case fixes."""

    dtype: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Tensor:
    """A concrete input tensor."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Case:
    """One instance of an operation."""

    axes: Mapping[str, int]
    """Given axes; derived ones follow from them."""
    tensors: Mapping[str, Tensor]
    """Inputs in their declared order."""
    scalars: Mapping[str, Scalar]
    dtype: str

    @property
    def label(self) -> str:
        """Axes sorted by name, then the dtype: `hidden4096-tokens4096-vocab128256-bf16`."""
        parts = [f"{name.replace('_', '-')}{value}" for name, value in sorted(self.axes.items())]
        return "-".join([*parts, self.dtype])


@dataclass(frozen=True, slots=True)
class Unbound:
    """Why a row is left out: its parameters mean nothing that the table knows."""

    found: str
    expected: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a row is refused: it binds, and then says something that cannot be."""

    column: str
    found: str
    expected: str


class _WrongCaseError(Exception):
    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        super().__init__(wrong.found)


def bind_case(kernel: Kernel, row: SpeedRow, table: LigerTable) -> Case | Unbound | Wrong:
    """The case that a row of `kernel` measured."""
    config = row.config.values
    binding = next((entry for entry in kernel.bind if _takes(entry, row)), None)
    if binding is None:
        return Unbound(_describe(row), _describe_bindings(kernel))
    if binding.dtype == _ROW_DTYPE:
        named = config["dtype"]
        dtype = table.rules.dtypes.get(named) if isinstance(named, str) else None
        if dtype is None:
            return Unbound(f"dtype {show(named)}", " or ".join(table.rules.dtypes))
    else:
        dtype = binding.dtype
    try:
        given = _evaluate_axes(binding, row)
        axes = given | _derive_axes(kernel, given)
        tensors = {
            operand.name: Tensor(
                tuple([size if isinstance(size, int) else axes[size] for size in operand.shape]),
                dtype if operand.dtype == _FLOAT else operand.dtype,
            )
            for operand in kernel.inputs
        }
        scalars = {
            name: _evaluate_scalar(name, source, row, table)
            for name, source in binding.scalars.items()
        }
    except _WrongCaseError as error:
        return error.wrong
    return Case(given, tensors, scalars, dtype)


def _takes(binding: Binding, row: SpeedRow) -> bool:
    config = row.config.values
    return (
        binding.x_name == row.x_name
        and all(
            (config.get(key) is not None) if wanted is None else _is_same(config.get(key), wanted)
            for key, wanted in binding.requires.items()
        )
        and config.keys() <= binding.requires.keys() | binding.ignores.keys()
    )


def _is_same(value: JsonValue, wanted: JsonValue) -> bool:
    # In JSON true is not 1, though Python finds them equal.
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _describe(row: SpeedRow) -> str:
    return f"x_name {show(row.x_name)} with config keys " + (
        ", ".join(f"{key}={show(value)}" for key, value in sorted(row.config.values.items()))
        or "(none)"
    )


def _describe_bindings(kernel: Kernel) -> str:
    return " or ".join(
        f"x_name {entry.x_name} with "
        + ", ".join(
            key if wanted is None else f"{key}={show(wanted)}"
            for key, wanted in sorted(entry.requires.items())
        )
        for entry in kernel.bind
    )


def _evaluate_axes(binding: Binding, row: SpeedRow) -> dict[str, int]:
    axes = {}
    for axis, expression in binding.axes.items():
        values: dict[str, int] = {}
        for name in expression.names:
            key = name.removeprefix("config.")
            if name == "x":
                values[name] = row.x_value
            else:
                values[name] = _whole(key, row.config.values.get(key), at_least=1)
        column = "x_value" if "x" in expression.names else "extra_benchmark_config_str"
        try:
            value = expression.evaluate(values)
        except ExpressionError as error:
            raise _WrongCaseError(Wrong(column, error.found, error.expected)) from error
        axes[axis] = _in_range(axis, value, column)
    return axes


def _derive_axes(kernel: Kernel, given: Mapping[str, int]) -> dict[str, int]:
    axes = {}
    for axis, expression in kernel.derived.items():
        try:
            value = expression.evaluate(given)
        except ExpressionError as error:
            found = f"{axis} = {expression.text}: {error.found}"
            raise _WrongCaseError(Wrong("x_value", found, error.expected)) from error
        axes[axis] = _in_range(axis, value, "x_value")
    return axes


def _in_range(axis: str, value: int, column: str) -> int:
    if not 1 <= value <= MAX_INTEGER:
        raise _WrongCaseError(Wrong(column, f"{axis} = {value}", "a size from 1 to 2^53 - 1"))
    return value


def _whole(key: str, value: JsonValue, *, at_least: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _WrongCaseError(
            Wrong("extra_benchmark_config_str", f"{key}: {show(value)}", "a whole number")
        )
    if at_least is not None and value < at_least:
        raise _WrongCaseError(
            Wrong("extra_benchmark_config_str", f"{key}: {value}", f"at least {at_least}")
        )
    return value


def _evaluate_scalar(name: str, source: float | str, row: SpeedRow, table: LigerTable) -> Scalar:
    key = source.removeprefix("config.") if isinstance(source, str) else name
    value = row.config.values.get(key) if isinstance(source, str) else source
    if name in table.integer_scalars:
        return Scalar("int64", _whole(key, value, at_least=None))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _WrongCaseError(
            Wrong("extra_benchmark_config_str", f"{key}: {show(value)}", "a number")
        )
    return Scalar("fp32", value)
