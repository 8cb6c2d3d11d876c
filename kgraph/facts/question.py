"""What a reader asks of a list, and the page that answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A slice of an ordered list."""

    items: tuple[T, ...]
    cursors: Sequence[str]
    """One opaque cursor an item, bound to snapshot, list, filter and order."""
    total_count: int
    """Length of the whole filtered list, the slice ignored."""
    has_next: bool
    has_previous: bool


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which slice of a list is asked for: `first` after a cursor, or `last` before one."""

    first: int | None = None
    last: int | None = None
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a list's field: `Condition("family", "eq", "gemm")`."""

    field: str
    """A filterable field of the list, by the name that `kgraph.index` documents."""
    operator: str
    """eq, in, contains, gt, gte, lt, lte, is_null."""
    value: str | int | float | bool | datetime | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds where every part holds; where there is none, it holds."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where some part holds; where there is none, it does not hold."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """Holds where its part does not."""

    part: Filter


Filter = Condition | AllOf | AnyOf | Negation


@dataclass(frozen=True, slots=True)
class Order:
    """How a list is sorted; the list's key breaks ties."""

    field: str
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class FacetCount:
    """How many items of a filtered list share a value."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class AggregateFact:
    """Summary of the primary values of a filtered list, one for each metric, statistic and unit."""

    metric: str
    statistic: str | None
    unit: str
    count: int
    minimum: float
    median: float
    maximum: float
    geometric_mean_ratio: float | None
    """Of the ratios to each cohort's leader, over eligible runs; None where there is none."""
