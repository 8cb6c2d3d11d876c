"""What a list is made of: its rows, its fields, and where the fields of its items stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.facts import Order
    from kgraph.index.cursor import SortType

FieldType = Literal["text", "number", "time", "bool", "texts"]
"""What a field holds; `texts` is a list of texts."""

_LOWEST = {"text": "''", "number": "-1e308", "time": "TIMESTAMP '0001-01-01'", "bool": "false"}


class UnknownFieldError(KgraphError):
    """A list was asked for a field or operator it does not have."""

    code = "UNKNOWN_FIELD"

    def __init__(self, list_name: str, name: str, expected: Sequence[str]) -> None:
        self.list_name, self.field, self.expected = list_name, name, tuple(expected)
        super().__init__(f"{list_name}: no field {name!r}, expected one of {', '.join(expected)}")


class FilterValueError(KgraphError):
    """A field is compared with a value of another kind."""

    code = "BAD_USER_INPUT"

    def __init__(self, list_name: str, name: str, found: object, expected: str) -> None:
        self.list_name, self.field, self.found, self.expected = list_name, name, found, expected
        super().__init__(f"{list_name}.{name}: found {str(found)[:60]!r}, expected {expected}")


class FilterSizeError(KgraphError):
    """A filter looks into other tables more often than one statement should."""

    code = "BAD_USER_INPUT"

    def __init__(self, list_name: str, found: int, limit: int) -> None:
        self.list_name, self.found, self.limit = list_name, found, limit
        super().__init__(
            f"{list_name}: found {found} tests of what an item has many of, expected at most "
            f"{limit}; ask in several requests"
        )


@dataclass(frozen=True, slots=True)
class Via:
    """Another table that has rows of a list's items: its `key` equals their `column`."""

    relation: str
    key: str
    column: str
    is_single: bool = True
    """Whether an item has one row there, as a run has one workload; else as many as there are, and
    a test holds where one of them passes it."""


@dataclass(frozen=True, slots=True)
class Field:
    """A filterable and, where it stands once in the list's own rows, orderable column."""

    sql: str
    type: FieldType = "text"
    is_nullable: bool = False
    via: Via | None = None
    """The table that the column is of; None for the list's own."""

    @property
    def is_orderable(self) -> bool:
        """Whether every item of the list has one value of it in its own row."""
        return self.via is None and self.type != "texts"

    @property
    def order_sql(self) -> str:
        """The column with absence put first, so that keys compare."""
        return f"coalesce({self.sql}, {_LOWEST[self.type]})" if self.is_nullable else self.sql


@dataclass(frozen=True, slots=True)
class RunsOf:
    """Which runs a list's items have, for what is summed up of them."""

    column: str
    """A column of `run` ..."""
    item: str
    """... and the column of the list that it equals."""
    ratio: str | None = None
    """Column of the list that takes the place of a run's ratio to its leader."""


@dataclass(frozen=True, slots=True)
class ListSpec:
    """One list: where its rows are, what of them can be asked."""

    name: str
    relation: str
    columns: tuple[str, ...]
    fields: Mapping[str, Field]
    key: str
    """A column that no two rows share."""
    order: tuple[Order, ...] = field(default=())
    key_type: SortType = "text"
    is_stored_sorted: bool = False
    """Whether its rows lie in its own order, so that a page from the front needs no sorting."""
    key_relation: str | None = None
    """A table of its keys and of what they are sorted by, in the list's own order."""
    axis: Field | None = None
    """The value of the axis that a bound text names; None where items have no axes."""
    runs: RunsOf | None = None
    """None where its items have no runs."""

    def find_field(self, name: str) -> Field:
        """The field by its name.

        Raises:
            UnknownFieldError: the list has none of that name.
        """
        found = self.fields.get(name)
        if found is None:
            raise UnknownFieldError(self.name, name, tuple(self.fields))
        return found
