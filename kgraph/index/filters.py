"""Filters and orders of lists as SQL, with every value bound."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from kgraph.facts import AnyOf, Condition, Filter, Negation, Order
from kgraph.index.list_spec import (
    Field,
    FieldType,
    FilterSizeError,
    FilterValueError,
    ListSpec,
    UnknownFieldError,
    Via,
)

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
_LOOK = " IN (SELECT "
MAX_LOOKS = 50
"""Most looks into other tables of one filter: 50 take some 0.2 s, 200 took 10."""
_LARGEST = sys.float_info.max


def compile_filter(spec: ListSpec, where: Filter | None) -> tuple[str, list[Any]]:
    """The condition as SQL, with the values to bind; `true` where there is none."""
    if where is None:
        return "true", []
    made = _compile(spec, where)
    sql = made.finish()
    # Values are bound, so that nothing in the text is a client's.
    looks = sql.count(_LOOK)
    if looks > MAX_LOOKS:
        raise FilterSizeError(spec.name, looks, MAX_LOOKS)
    return sql, made.values


@dataclass(frozen=True, slots=True)
class _Test:
    """A test of an item, or of the row that it has in another table."""

    sql: str
    values: list[Any]
    via: Via | None = None
    """The table that the test is of; None for the list's own."""
    is_passed_by_absence: bool = False
    """Whether an item without a row in that table passes."""

    def finish(self) -> str:
        """The test of the item."""
        via = self.via
        if via is None:
            return self.sql
        test = f"NOT coalesce({self.sql}, false)" if self.is_passed_by_absence else self.sql
        passing = f"{via.column}{_LOOK}{via.key} FROM {via.relation} WHERE {test})"
        return f"NOT coalesce({passing}, false)" if self.is_passed_by_absence else passing


def _compile(spec: ListSpec, where: Filter) -> _Test:
    if isinstance(where, Condition):
        return _compile_condition(spec, where)
    if isinstance(where, Negation):
        return _negate(_compile(spec, where.part))
    parts = [_compile(spec, part) for part in where.parts]
    is_any = isinstance(where, AnyOf)
    if not parts:
        return _Test("false" if is_any else "true", [])
    # Each look into another table takes the database megabytes: tests of one table look once.
    together: dict[Via | int | None, list[_Test]] = {}
    for place, part in enumerate(parts):
        is_mergeable = part.via is None or part.via.is_single or is_any
        together.setdefault(part.via if is_mergeable else place, []).append(part)
    merged = [_merge(group, is_any=is_any) for group in together.values()]
    if len(merged) == 1:
        return merged[0]
    own = [_Test(part.finish(), part.values) for part in merged]
    return _merge(own, is_any=is_any)


def _negate(test: _Test) -> _Test:
    # Absence satisfies no test, so it satisfies the negation of one.
    if test.via is not None and test.via.is_single:
        is_passed = not test.is_passed_by_absence
        return _Test(f"NOT coalesce({test.sql}, false)", test.values, test.via, is_passed)
    return _Test(f"NOT coalesce({test.finish()}, false)", test.values)


def _merge(tests: Sequence[_Test], *, is_any: bool) -> _Test:
    """Tests of one table as one, of which any or all have to be passed."""
    glue, decide = (" OR ", any) if is_any else (" AND ", all)
    return _Test(
        "(" + glue.join(test.sql for test in tests) + ")",
        [value for test in tests for value in test.values],
        tests[0].via,
        decide(test.is_passed_by_absence for test in tests),
    )


def _compile_condition(spec: ListSpec, where: Condition) -> _Test:
    if where.field.startswith(AXIS_PREFIX) and spec.axis is not None:
        name = where.field.removeprefix(AXIS_PREFIX)
        test, values = _compile_test(spec, spec.axis, where)
        # A test that nothing can pass does not look at the axis.
        return _Test(test, [name, *values] if "?" in test else values, spec.axis.via)
    found = spec.find_field(where.field)
    test, values = _compile_test(spec, found, where)
    return _Test(test, values, found.via)


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
