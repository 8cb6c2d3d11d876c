"""What an importer gives back: manifests in dependency order, and an account of every row read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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


class RefusalCause(StrEnum):
    """What a refusal says of the rest of its file."""

    FORM = "FORM"
    """The file is damaged or not understood here: nothing of it is published."""
    PARITY = "PARITY"
    """A value that the row publishes is another than its manifests give; other rows stand."""
    DEPENDENCE = "DEPENDENCE"
    """The row refers to one that is refused, and falls with it; other rows stand if that one
    leaves them."""


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """One thing in a source file that is wrong or not understood."""

    where: str
    """File, line and column, for example `all_benchmark_data.csv:17 column y_value_50`."""
    found: str
    expected: str
    cause: RefusalCause = RefusalCause.FORM
    """What it says of the other rows."""


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
    run: SpecDigest | None
    """None where a correction left the cohort without a record."""
    previous_run: SpecDigest | None
    """None for the first record of a cohort."""
    at: datetime


@dataclass(frozen=True, slots=True)
class EarlierPublication:
    """A publication of the catalogue that a file was exported from."""

    source: Slug | None
    published_at: datetime
    published_by: str
    message: str | None
    object_count: int
    """How many of the batch's manifests it brought: the next ones behind those before it."""


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Everything that the files of one source imply, and what of them is refused."""

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
    Where any is present, `manifests` still holds what the other rows imply; a caller writes them
    only where `is_publishable` says so."""
    notes: tuple[str, ...]
    """Assumptions made, for example timestamps without a zone taken as UTC."""
    parity: tuple[ParityCount, ...] = ()
    """Sorted by kind; empty for a source that publishes nothing to compare with."""
    published_records: tuple[PublishedRecord, ...] = ()
    """In the order of the rows; empty for a source that publishes no record history."""
    history: tuple[EarlierPublication, ...] = ()
    """First to last; `manifests` are in their order. Empty where a file says nothing of them, and
    all its manifests belong together."""

    @property
    def is_publishable(self) -> bool:
        """Whether what is left may be published.

        It is where no row is refused, or only rows that contradict themselves and those that refer
        to them; `manifests` is then closed under references.
        """
        return all(row.cause is not RefusalCause.FORM for row in self.refused)


class Progress(Protocol):
    """Told now and then how far an importer has come."""

    def __call__(self, done: int, total: int | None) -> None:
        """Take note that `done` rows of `total` are read; `total` is None while unknown."""
        ...
