"""Standing records of an operation: a row for each workload, a column for each place and way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.digest import short
from kgraph.web.pages.words import show_metric

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
    found = {_column_key(cohort) for edge in edges for cohort in edge["node"]["cohorts"]}
    measured = {key.way for key in found if key.metric}
    keys = sorted(key for key in found if key.metric or key.way not in measured)
    count = max(1, min(len(edges), _MAX_CELLS // max(len(keys), 1)))
    kept = edges[:count]
    columns = tuple(Column(key.product, _detail(key, keys)) for key in keys)
    shown = {column.hardware for column in columns}
    missing = [
        {one["hardware"]["product"] for one in edge["node"]["challenges"]} - shown for edge in kept
    ]
    common = set.intersection(*missing) if missing else set()
    rows = []
    for edge, beyond in zip(kept, missing, strict=True):
        cohorts = {_column_key(cohort): cohort for cohort in edge["node"]["cohorts"]}
        # Runs that measured nothing stand where a measured one would.
        failed = {key.way: cohort for key, cohort in cohorts.items() if not key.metric}
        cells = tuple(cohorts.get(key) or failed.get(key.way) for key in keys)
        rows.append(Row(edge["node"], cells, tuple(sorted(beyond - common))))
    is_cut = has_more or count < len(edges)
    return Matrix(
        columns, tuple(rows), tuple(sorted(common)), kept[-1]["cursor"] if kept and is_cut else None
    )


@dataclass(frozen=True, slots=True, order=True)
class _Key:
    """Equal for cells of one column."""

    product: str
    timed_pass: str
    """Empty where the protocol does not say."""
    protocol: str
    metric: str
    """Empty where runs measured nothing."""
    environment: str
    form_factor: str
    way: str
    """Digests of protocol and environment."""

    @property
    def words(self) -> tuple[str, ...]:
        """What may tell it from others of its product, plainest first."""
        return (self.timed_pass, self.protocol, self.metric, self.form_factor, self.environment)


def _column_key(cohort: Data) -> _Key:
    metric, protocol, environment = cohort["metric"], cohort["protocol"], cohort["environment"]
    return _Key(
        product=cohort["hardware"]["product"],
        timed_pass=(protocol["timedPass"] or "").lower(),
        protocol=protocol["title"],
        # Units of a metric hardly differ; the cells say them.
        metric="" if metric["name"] == "none" else show_metric(metric["name"], metric["statistic"]),
        environment=environment["title"],
        form_factor=cohort["hardware"]["formFactor"] or "",
        way=f"{protocol['digest']} {environment['digest']}",
    )


def _detail(key: _Key, keys: Sequence[_Key]) -> str:
    """The fewest words that tell a column from the others of its product."""
    rivals = [other for other in keys if other.product == key.product and other != key]
    words = [f"{key.timed_pass} pass"] if key.timed_pass else []
    rivals = [other for other in rivals if not words or other.timed_pass == key.timed_pass]
    for place, word in enumerate(key.words[1:], start=1):
        # Each word is given that leaves fewer rivals; the name of a protocol repeats its pass.
        left = [other for other in rivals if other.words[place] == word]
        if word and len(left) < len(rivals):
            words.append(word)
            rivals = left
    if rivals:
        # Equal in every word: what the digests name is all that differs.
        protocol, _, environment = key.way.partition(" ")
        same = all(other.way.startswith(f"{protocol} ") for other in rivals)
        words.append(short(environment if same else protocol))
    return " · ".join(words)
