"""From an input to the filter that the catalogue understands."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from enum import Enum
from typing import Any

import strawberry

from kgraph.api.enums import EvidenceLevel
from kgraph.api.errors import BadArgumentError
from kgraph.api.inputs.operator import (
    AxisTest,
    BooleanTest,
    DigestTest,
    EvidenceTest,
    SnapshotTest,
)
from kgraph.digest import BadDigestError, parse_object_id, parse_spec_digest
from kgraph.facts import AllOf, AnyOf, Condition, Filter, Negation
from kgraph.policy import STALE_AFTER

MAX_CHOICES = 100
"""Most values of one `in`; longer lists are better asked for by another filter."""

MAX_AXES = 20
"""Most axes that one input tests; operations have fewer."""

MAX_TESTS = 200
"""Most tests of one `where`, nested ones counted."""


class FilterCompiler:
    """Compiles one `where` argument, counting its tests."""

    def __init__(self, now: datetime, argument: str = "where") -> None:
        self._now = now
        self._argument = argument
        self._count = 0

    def compile(self, where: object | None) -> Filter | None:
        """The filter that `where` writes out; None where nothing is asked.

        Raises:
            BadArgumentError: a test is null or empty, a digest is none, or tests are too many.
        """
        if where is None or where is strawberry.UNSET:
            return None
        parts = self._compile_parts(where, self._argument)
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _compile_parts(self, where: object, path: str) -> list[Filter]:
        names: dict[str, str] = getattr(where, "FIELDS", {})
        parts: list[Filter] = []
        for attribute in dataclasses.fields(where):  # type: ignore[arg-type] # every input is a dataclass
            value = getattr(where, attribute.name)
            if value is None or value is strawberry.UNSET:
                continue
            shown = _spell(attribute.name)
            here = f"{path}.{shown}"
            match attribute.name:
                case "and_":
                    parts.append(AllOf(self._compile_each(value, here)))
                case "or_":
                    parts.append(AnyOf(self._compile_each(value, here)))
                case "not_":
                    parts.append(Negation(AllOf(tuple(self._compile_parts(value, here)))))
                case "axes":
                    if len(value) > MAX_AXES:
                        raise BadArgumentError(
                            here, f"found {len(value)} axes, expected at most {MAX_AXES}"
                        )
                    for number, test in enumerate(value):
                        parts.extend(self._compile_axis(test, f"{here}[{number}]"))
                case "stale":
                    parts.extend(self._compile_stale(value, here))
                case name:
                    parts.extend(self._compile_test(names.get(name, name), value, here))
        return parts

    def _compile_each(self, items: list[object], path: str) -> tuple[Filter, ...]:
        return tuple(
            AllOf(tuple(self._compile_parts(item, f"{path}[{number}]")))
            for number, item in enumerate(items)
        )

    def _compile_axis(self, test: AxisTest, path: str) -> list[Filter]:
        return self._compile_test(f"axis.{test.name}", test, path, skip="name")

    def _compile_stale(self, test: BooleanTest, path: str) -> list[Filter]:
        compiled = self._compile_test("stale", test, path)
        limit = self._now - STALE_AFTER
        return [
            Condition("observed_at", "lt" if condition.value else "gte", limit)
            for condition in compiled
            if isinstance(condition, Condition)
        ]

    def _compile_test(self, field: str, test: Any, path: str, skip: str = "") -> list[Filter]:  # noqa: ANN401 - any operator input
        conditions: list[Filter] = []
        for attribute in dataclasses.fields(test):
            value = getattr(test, attribute.name)
            if attribute.name == skip or value is strawberry.UNSET:
                continue
            operator, here = attribute.name.rstrip("_"), f"{path}.{_spell(attribute.name)}"
            if value is None:
                raise BadArgumentError(
                    here, "found null, expected a value; leave it out not to filter"
                )
            self._count += 1
            if self._count > MAX_TESTS:
                raise BadArgumentError(
                    self._argument, f"found more than {MAX_TESTS} tests, expected at most that many"
                )
            conditions.append(_make_condition(field, operator, value, test, here))
        if not conditions:
            raise BadArgumentError(path, "found no test, expected at least one operator")
        return conditions


def _make_condition(field: str, operator: str, value: Any, test: object, path: str) -> Condition:  # noqa: ANN401 - a coerced input value
    if isinstance(test, EvidenceTest) and operator == "gte":
        levels = tuple(level.value for level in EvidenceLevel if level.order >= value.order)
        return Condition(field, "in", levels)
    if operator == "in":
        if len(value) > MAX_CHOICES:
            raise BadArgumentError(
                path, f"found {len(value)} values, expected at most {MAX_CHOICES}"
            )
        return Condition(field, "in", tuple(_plain(item, test, path) for item in value))
    return Condition(field, operator, _plain(value, test, path))


def _plain(value: Any, test: object, path: str) -> Any:  # noqa: ANN401 - a coerced input value
    if isinstance(test, DigestTest | SnapshotTest):
        parse = parse_spec_digest if isinstance(test, DigestTest) else parse_object_id
        try:
            return parse(value)
        except BadDigestError as error:
            raise BadArgumentError(
                path, f"found {error.text[:90]!r}, expected {error.expected}"
            ) from error
    return value.value if isinstance(value, Enum) else value


def _spell(name: str) -> str:
    """The GraphQL name of an attribute."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)
