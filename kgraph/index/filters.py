"""Filters and orders of lists as SQL, with every value bound."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from kgraph.facts import AllOf, AnyOf, Condition, Filter, Negation, Order
from kgraph.index.list_spec import Field, FieldType, FilterValueError, ListSpec, UnknownFieldError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.index.cursor import SortType

AXIS_PREFIX = "axis."
"""`axis.tokens` tests the value of the axis `tokens`, in lists whose items have axes."""

_COMPARISONS = {"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_OPERATORS: Mapping[FieldType, tuple[str, ...]] = {
    "text": (*_COMPARISONS, "in", "contains", "is_null"),
    "number": (*_COMPARISONS, "in", "is_null"),
    "time": (*_COMPARISONS, "in", "is_null"),
    "bool": ("eq", "in", "is_null"),
    "texts": ("eq", "in", "contains", "is_null"),
}
_KIND_NAMES = {"texts": "text", "bool": "truth value"} | {
    kind: kind for kind in ("text", "number", "time")
}
_LARGE = 2**63
_LARGEST = sys.float_info.max


def compile_filter(spec: ListSpec, where: Filter | None) -> tuple[str, list[Any]]:
    """The condition as SQL, with the values to bind; `true` where there is none."""
    if where is None:
        return "true", []
    if isinstance(where, Condition):
        return _compile_condition(spec, where)
    if isinstance(where, Negation):
        sql, values = compile_filter(spec, where.part)
        # Absence satisfies no test, so it satisfies the negation of one.
        return f"NOT coalesce({sql}, false)", values
    parts = [compile_filter(spec, part) for part in where.parts]
    glue, empty = (" AND ", "true") if isinstance(where, AllOf) else (" OR ", "false")
    if isinstance(where, AnyOf | AllOf) and not parts:
        return empty, []
    return "(" + glue.join(sql for sql, _ in parts) + ")", [
        v for _, values in parts for v in values
    ]


def _compile_condition(spec: ListSpec, where: Condition) -> tuple[str, list[Any]]:
    if where.field.startswith(AXIS_PREFIX) and spec.axis is not None:
        name = where.field.removeprefix(AXIS_PREFIX)
        test, values = _compile_test(spec, spec.axis, where)
        # A test that nothing can pass does not look at the axis.
        return _go_via(spec.axis, test), [name, *values] if "?" in test else values
    found = spec.find_field(where.field)
    test, values = _compile_test(spec, found, where)
    return _go_via(found, test), values


def _go_via(found: Field, test: str) -> str:
    """The test, made of the rows that an item has elsewhere where the field stands there."""
    via = found.via
    if via is None:
        return test
    return f"{via.column} IN (SELECT {via.key} FROM {via.relation} WHERE {test})"


def goes_via(spec: ListSpec, where: Filter | None) -> bool:
    """Whether a filter looks into another table, after which rows may come in any order."""
    if where is None:
        return False
    if isinstance(where, Condition):
        found = spec.axis if where.field.startswith(AXIS_PREFIX) else spec.fields.get(where.field)
        return found is not None and found.via is not None
    parts = (where.part,) if isinstance(where, Negation) else where.parts
    return any(goes_via(spec, part) for part in parts)


def _compile_test(spec: ListSpec, found: Field, where: Condition) -> tuple[str, list[Any]]:
    operator, value, sql = where.operator, where.value, f"({found.sql})"
    if operator not in _OPERATORS[found.type]:
        raise UnknownFieldError(spec.name, f"{where.field} {operator}", _OPERATORS[found.type])
    if operator == "is_null":
        if not isinstance(value, bool):
            raise FilterValueError(spec.name, where.field, value, "true or false")
        return f"{sql} IS {'' if value else 'NOT '}NULL", []
    if operator == "in" and not isinstance(value, tuple):
        raise FilterValueError(spec.name, where.field, value, "a list of values")
    given = value if operator == "in" and isinstance(value, tuple) else (value,)
    values = [_read_value(spec, where.field, found.type, item) for item in given]
    marks = ", ".join("?" * len(values))
    if operator == "contains":
        if found.type == "texts":
            passing = f"list_filter({sql}, lambda text: contains(lower(text), lower(?)))"
            return f"len({passing}) > 0", values
        return f"contains(lower({sql}), lower(?))", values
    if found.type == "texts":
        return f"list_has_any({sql}, [{marks}]::VARCHAR[])", values
    if operator == "in":
        return (f"{sql} IN ({marks})" if values else "false"), values
    return f"{sql} {_COMPARISONS[operator]} ?", values


def _read_value(spec: ListSpec, name: str, kind: FieldType, value: object) -> object:
    """The value as the database compares it, exactly: nothing is converted there."""
    match kind:
        case "text" | "texts" if isinstance(value, str):
            return str(value)
        case "bool" if isinstance(value, bool):
            return value
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            # Counts and values end far below what the database takes for an integer.
            if abs(value) < _LARGE:
                return value
            if abs(value) <= _LARGEST:
                return float(value)
        case "time" if isinstance(value, datetime):
            # A time zone would make the database compare in the zone of its session.
            return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    raise FilterValueError(spec.name, name, value, f"a value to compare a {_KIND_NAMES[kind]} with")


@dataclass(frozen=True, slots=True)
class Sorting:
    """The full sort of a list: its order fields, then its key."""

    expressions: tuple[str, ...]
    is_descending: tuple[bool, ...]
    types: tuple[SortType, ...]

    def order_by(self, *, is_reversed: bool) -> str:
        """The ORDER BY list, turned round to read a page from its end."""
        return ", ".join(
            f"{sql} {'DESC' if down != is_reversed else 'ASC'}"
            for sql, down in zip(self.expressions, self.is_descending, strict=True)
        )

    def beyond(self, values: Sequence[Any], *, is_reversed: bool) -> tuple[str, list[Any]]:
        """The rows after (or, turned round, before) the row with these sort values."""
        options: list[str] = []
        bound: list[Any] = []
        signs = ["<" if down != is_reversed else ">" for down in self.is_descending]
        for index, sign in enumerate(signs):
            same = [f"{sql} = ?" for sql in self.expressions[:index]]
            options.append("(" + " AND ".join([*same, f"{self.expressions[index]} {sign} ?"]) + ")")
            bound.extend(values[: index + 1])
        # Redundant, and what lets the database skip whole blocks of an ordered table.
        return f"{self.expressions[0]} {signs[0]}= ? AND ({' OR '.join(options)})", [
            values[0],
            *bound,
        ]


def make_sorting(spec: ListSpec, order: Sequence[Order]) -> Sorting:
    """The sort that an order asks for, or the list's own where it asks for none."""
    wanted = tuple(order) or spec.order
    fields = [spec.find_field(item.field) for item in wanted]
    types: list[SortType] = []
    for item, found in zip(wanted, fields, strict=True):
        if not found.is_orderable:
            raise UnknownFieldError(
                spec.name, f"order by {item.field}", ("a field with one value",)
            )
        types.append(cast("SortType", found.type))
    return Sorting(
        (*(found.order_sql for found in fields), spec.key),
        (*(item.is_descending for item in wanted), False),
        (*types, spec.key_type),
    )
