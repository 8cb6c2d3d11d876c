"""What a publication did, or would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.ingest.holding import RUN_KINDS

if TYPE_CHECKING:
    from kgraph.digest import ObjectId
    from kgraph.importers import ParityCount, RefusedRow, SkippedRows
    from kgraph.vocab import Kind, Slug


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many manifests of one kind are new, and how many the catalogue held already."""

    kind: Kind
    added: int
    """In a dry run: how many would be."""
    present: int


@dataclass(frozen=True, slots=True)
class PublishReport:
    """The account of one publication, or of a dry run of it."""

    source: Slug | None
    """None for manifests that are no source's."""
    rows_read: int | None
    """None where the manifests were not made from rows."""
    kinds: tuple[KindCount, ...]
    """Sorted by kind; a kind without a manifest is left out."""
    skipped: tuple[SkippedRows, ...]
    refused: tuple[RefusedRow, ...]
    """Rows that are left out, each by name."""
    is_withheld: bool
    """Whether what they are keeps the other rows from being published as well."""
    notes: tuple[str, ...]
    parity: tuple[ParityCount, ...]
    is_dry_run: bool
    publication: ObjectId | None
    """The new log entry; None where nothing is new, in a dry run, and where rows are
    withheld."""
    snapshot: ObjectId | None
    """The head of the log afterwards; None where the catalogue is empty."""

    @property
    def objects_added(self) -> int:
        """How many manifests are new."""
        return sum(count.added for count in self.kinds)

    @property
    def objects_present(self) -> int:
        """How many manifests the catalogue held already."""
        return sum(count.present for count in self.kinds)

    @property
    def runs_added(self) -> int:
        """How many runs are new."""
        return sum(count.added for count in self.kinds if count.kind in RUN_KINDS)

    @property
    def runs_present(self) -> int:
        """How many runs the catalogue held already."""
        return sum(count.present for count in self.kinds if count.kind in RUN_KINDS)
