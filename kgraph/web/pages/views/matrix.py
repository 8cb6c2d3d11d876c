"""Standing records of an operation: a row for each workload, a column for each place and way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.pages.ask import Data

# Cells of a table that a page still carries lightly; what is left out is one link away.
_MAX_CELLS = 200


@dataclass(frozen=True, slots=True)
class Column:
    """Where and how runs are measured."""

    hardware: str
    detail: str
    """What tells it from its neighbours on the same hardware; empty where nothing must."""


@dataclass(frozen=True, slots=True)
class Row:
    """One workload."""

    workload: Data
    cells: tuple[Data | None, ...]
    """A cohort for each column; None where there is none."""
    unmeasured: tuple[str, ...]
    """Devices beyond the columns that the operation is measured on, but not this workload."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The table."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    unmeasured: tuple[str, ...]
    """Devices that no row is measured on, though the operation or its family is."""
    after: str | None
    """Cursor of the last row; None where the table ends with it."""


def make_matrix(edges: Sequence[Data], *, has_more: bool) -> Matrix:
    """The table of one page of workloads, as many rows as it carries.

    Args:
        has_more: whether the list goes on behind these.
    """
    keys = sorted(
        {_column_key(cohort) for edge in edges for cohort in edge["node"]["cohorts"]},
        key=lambda key: key[:3],
    )
    count = max(1, min(len(edges), _MAX_CELLS // max(len(keys), 1)))
    kept = edges[:count]
    columns = tuple(Column(key[0], _detail(key, keys)) for key in keys)
    shown = {column.hardware for column in columns}
    missing = [
        {one["hardware"]["product"] for one in edge["node"]["challenges"]} - shown for edge in kept
    ]
    common = set.intersection(*missing) if missing else set()
    rows = []
    for edge, beyond in zip(kept, missing, strict=True):
        cohorts = {_column_key(cohort): cohort for cohort in edge["node"]["cohorts"]}
        cells = tuple(cohorts.get(key) for key in keys)
        rows.append(Row(edge["node"], cells, tuple(sorted(beyond - common))))
    is_cut = has_more or count < len(edges)
    return Matrix(
        columns, tuple(rows), tuple(sorted(common)), kept[-1]["cursor"] if kept and is_cut else None
    )


_Key = tuple[str, str, str, str, str, str]


def _column_key(cohort: Data) -> _Key:
    """Product, pass, protocol, environment, metric, digests: equal for cells of one column."""
    metric = cohort["metric"]
    return (
        cohort["hardware"]["product"],
        (cohort["protocol"]["timedPass"] or "").lower(),
        cohort["protocol"]["title"],
        cohort["environment"]["title"],
        f"{metric['statistic'] or ''} {metric['name']} {metric['unit'] or ''}".strip(),
        f"{cohort['protocol']['digest']} {cohort['environment']['digest']}",
    )


def _detail(key: _Key, keys: Sequence[_Key]) -> str:
    """The fewest words that tell a column from the others of its product."""
    rivals = [other for other in keys if other[0] == key[0] and other != key]
    words = [
        word
        for place, word in enumerate(key[1:5], start=1)
        if word and any(other[place] != word for other in rivals)
    ]
    if key[1] and words and words[0] == key[1]:
        # The name of a protocol repeats the pass that it times.
        words = [word for word in words if word == key[1] or key[1] not in word]
        words[0] = f"{key[1]} pass"
    elif key[1] and not words:
        words = [f"{key[1]} pass"]
    return " · ".join(words)
