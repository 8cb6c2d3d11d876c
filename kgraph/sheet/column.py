"""The columns of a sheet: which there are, and of which type, by the schema and selection alone.

An object within an item gives its own fields as columns, named by their path with dots. A list, a
connection and a value of free form are one column of JSON text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeGuard

import orjson
from graphql import GraphQLEnumType, GraphQLScalarType

from kgraph.sheet.selection import Composite, Selector, strip_required

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphql import GraphQLField, SelectionSetNode

Values = list[Any]
"""Of one column, a value for each row; None where the answer holds none."""


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    """Also of enums, ids and digests."""
    INTEGER = "integer"
    NUMBER = "number"
    TRUTH = "truth"
    INSTANT = "instant"
    """In UTC, to the millisecond."""
    JSON = "json"
    """Text that holds JSON."""


# By GraphQL name; what is missing here has no form that one type could hold.
_KINDS = {
    "String": Kind.TEXT,
    "ID": Kind.TEXT,
    "Digest": Kind.TEXT,
    "Int": Kind.INTEGER,
    "BigInt": Kind.INTEGER,
    "Float": Kind.NUMBER,
    "Boolean": Kind.TRUTH,
    "DateTime": Kind.INSTANT,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a sheet."""

    name: str
    """Path of response names within an item, as `implementation.title`."""
    kind: Kind
    is_required: bool
    """Whether no row lacks it."""
    graphql_type: str
    """Of the field, as `BigInt!`."""
    description: str
    """Of the field."""


@dataclass(slots=True)
class Columns:
    """The columns of a sheet, as a tree that follows the answer."""

    branches: dict[str, Columns | Column] = field(default_factory=dict)

    def flatten(self) -> tuple[Column, ...]:
        """The columns from left to right."""
        found: list[Column] = []
        for branch in self.branches.values():
            found += branch.flatten() if isinstance(branch, Columns) else (branch,)
        return tuple(found)

    def read(self, items: Sequence[dict[str, Any] | None]) -> list[Values]:
        """The values of each column, from the items of a page."""
        found: list[Values] = []
        for key, branch in self.branches.items():
            values = [None if item is None else item.get(key) for item in items]
            if isinstance(branch, Columns):
                found += branch.read(values)
            elif branch.kind is Kind.JSON:
                found.append([None if value is None else _write_json(value) for value in values])
            else:
                found.append(values)
        return found


def read_columns(
    selector: Selector, kind: Composite, selections: Iterable[SelectionSetNode]
) -> Columns:
    """The columns that items of a type give, by what is selected on them."""
    columns = Columns()
    _add(selector, kind, tuple(selections), _Place(columns, "", is_required=True))
    return columns


@dataclass(frozen=True, slots=True)
class _Place:
    """An object within an item."""

    columns: Columns
    prefix: str
    is_required: bool


def _add(
    selector: Selector, kind: Composite, selections: tuple[SelectionSetNode, ...], place: _Place
) -> None:
    concrete = selector.concrete(kind)
    for each in concrete:
        for selected in selector.select(each, selections):
            inner, is_required = strip_required(selected.definition.type)
            # What one of several types has, rows of the others lack.
            is_sure = place.is_required and is_required and len(concrete) == 1
            name = f"{place.prefix}{selected.key}"
            if _is_object(inner):
                below = place.columns.branches.setdefault(selected.key, Columns())
                assert isinstance(below, Columns)  # noqa: S101 - validation holds shapes equal
                inside = _Place(below, f"{name}.", is_required=is_sure)
                _add(selector, inner, selected.selections, inside)
                if not below.branches:
                    del place.columns.branches[selected.key]
                continue
            place.columns.branches.setdefault(
                selected.key, _describe(name, selected.definition, is_required=is_sure)
            )


def _describe(name: str, definition: GraphQLField, *, is_required: bool) -> Column:
    inner, _ = strip_required(definition.type)
    if isinstance(inner, GraphQLEnumType):
        kind = Kind.TEXT
    elif isinstance(inner, GraphQLScalarType):
        kind = _KINDS.get(inner.name, Kind.JSON)
    else:
        kind = Kind.JSON
    text = " ".join((definition.description or "").split())
    return Column(name, kind, is_required, str(definition.type), text)


def _is_object(kind: object) -> TypeGuard[Composite]:
    """Whether the fields of an object of this type are columns of their own."""
    return isinstance(kind, Composite) and not is_connection(kind)


def is_connection(kind: object) -> bool:
    """Whether a type is a page of a list."""
    fields = getattr(kind, "fields", {})
    return {"pageInfo", "edges"} <= fields.keys()


def _write_json(value: object) -> str:
    return orjson.dumps(value).decode()
