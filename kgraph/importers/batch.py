"""What an importer gives back: manifests in dependency order, and an account of every row read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.manifest import Identified
    from kgraph.vocab import CohortKey, Slug


@dataclass(frozen=True, slots=True)
class SkippedRows:
    """Rows left out for one reason: understood, and not a run."""

    reason: str
    """Stable upper-case word, for example MEMORY_METRIC."""
    count: int


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """One thing in a source file that is wrong or not understood."""

    where: str
    """File, line and column, for example `all_benchmark_data.csv:17 column y_value_50`."""
    found: str
    expected: str


@dataclass(frozen=True, slots=True)
class ParityCount:
    """How often a value that a source publishes equals the one computed from its manifests."""

    kind: str
    """Table and column, for example `benchmark_runs.runDigest`."""
    matched: int
    mismatched: int
    """Each of these refuses its row."""


@dataclass(frozen=True, slots=True)
class PublishedRecord:
    """A change of a record as a source publishes it; compared with the derived one, not stored."""

    cohort: CohortKey
    run: SpecDigest
    previous_run: SpecDigest | None
    """None for the first record of a cohort."""
    at: datetime


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Everything that the files of one source imply; an accepted batch has no refusals."""

    source: Slug
    manifests: tuple[Identified, ...]
    """Unique by object id, each after the manifests that it cites."""
    rows_read: int
    run_count: int
    """BenchmarkRun and ServingRun manifests among `manifests`."""
    skipped: tuple[SkippedRows, ...]
    """Sorted by reason."""
    refused: tuple[RefusedRow, ...]
    """What the form of the files refuses, then what their rows do, each in the order of the rows.
    Where any is present, `manifests` still holds what the other rows imply, for a report; a caller
    that writes must not write them."""
    notes: tuple[str, ...]
    """Assumptions made, for example timestamps without a zone taken as UTC."""
    parity: tuple[ParityCount, ...] = ()
    """Sorted by kind; empty for a source that publishes nothing to compare with."""
    published_records: tuple[PublishedRecord, ...] = ()
    """In the order of the rows; empty for a source that publishes no record history."""


class Progress(Protocol):
    """Told now and then how far an importer has come."""

    def __call__(self, done: int, total: int | None) -> None:
        """Take note that `done` rows of `total` are read; `total` is None while unknown."""
        ...
