"""Leaf values on their way out: the common class of value passes as it is, the rest as in stock."""

from __future__ import annotations

from enum import Enum
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLScalarType,
    GraphQLString,
    Undefined,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphql import GraphQLLeafType

# Serializers, and which values they give back. A class that is one itself gives back its own.
_UNCHANGED: tuple[tuple[object, str], ...] = (
    (str, "{0}.__class__ is str"),
    (GraphQLString.coerce_output_value, "{0}.__class__ is str"),
    (GraphQLID.coerce_output_value, "{0}.__class__ is str"),
    (int, "{0}.__class__ is int"),
    (GraphQLBoolean.coerce_output_value, "{0}.__class__ is bool"),
    (
        GraphQLInt.coerce_output_value,
        f"{{0}}.__class__ is int and {GRAPHQL_MIN_INT} <= {{0}} <= {GRAPHQL_MAX_INT}",
    ),
    # Infinity less itself is no number, and no number equals nothing.
    (GraphQLFloat.coerce_output_value, "{0}.__class__ is float and {0} - {0} == 0.0"),
)


class UnusualValueError(Exception):
    """A value that a projection does not take; stock execution says what becomes of it."""

    def __init__(self, found: object, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(f"found {type(found).__name__}, expected {expected}")


def find_unchanged(kind: GraphQLLeafType) -> str | None:
    """A Python expression, true of values in `{0}` that the type serves as they are.

    None where there is no such expression.
    """
    if not isinstance(kind, GraphQLScalarType):
        return None
    return next(
        (test for serialize, test in _UNCHANGED if serialize == kind.coerce_output_value), None
    )


def make_coercer(kind: GraphQLLeafType) -> Callable[[Any], Any]:
    """A function from a value that is not None to what the type serves it as.

    Raises (the function):
        UnusualValueError: the value is one that stock execution treats in a way of its own.
        Exception: whatever the type's own serializer raises.
    """
    serialize = kind.coerce_output_value
    # Classes of values, and of what they are served as, that have been looked at.
    usual: set[type] = set()
    usual_served: set[type] = set()

    def coerce(value: Any) -> Any:  # noqa: ANN401 - any leaf
        if value.__class__ not in usual:
            _check(value, kind)
            usual.add(value.__class__)
        served = serialize(value)
        if served.__class__ not in usual_served:
            _check(served, kind)
            usual_served.add(served.__class__)
        return served

    if not isinstance(kind, GraphQLEnumType):
        return coerce
    # Members live as long as the program, so that their identity names them for good; it is
    # compared faster than they are hashed.
    served_by_member: dict[int, Any] = {}

    def coerce_member(value: Any) -> Any:  # noqa: ANN401 - any leaf
        served = served_by_member.get(id(value))
        if served is None:
            served = coerce(value)
            if isinstance(value, Enum):
                served_by_member[id(value)] = served
        return served

    return coerce_member


def _check(value: object, kind: GraphQLLeafType) -> None:
    if value is None or value is Undefined or isinstance(value, Exception) or isawaitable(value):
        raise UnusualValueError(value, f"a value of {kind}")
