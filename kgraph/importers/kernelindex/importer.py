"""An export file to a batch: read, check each row, link rows, add what they say besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from kgraph.importers.batch import (
    EarlierPublication,
    ImportBatch,
    Progress,
    PublishedRecord,
    RefusedRow,
)
from kgraph.importers.kernelindex.ledger import Ledger
from kgraph.importers.kernelindex.lines import MAX_LINE_BYTES, StreamDamagedError, read_lines
from kgraph.importers.kernelindex.links import link
from kgraph.importers.kernelindex.listings import (
    CATALOGUE,
    identify_corrections,
    identify_listings,
)
from kgraph.importers.kernelindex.restore import HEAD_TABLE, OwnTables
from kgraph.importers.kernelindex.rows import Row, RowRefusedError, read_row
from kgraph.importers.kernelindex.tables import Tables
from kgraph.vocab import Kind, Slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.manifest import Identified

MAX_DAMAGED_ROWS: Final = 10_000
"""With more rows that are wrong by themselves a file is no damaged export but another file."""

_ROWS_A_STEP: Final = 1000

_TABLE_ORDER: Final = (
    "sources",
    "projects",
    "operations",
    "workloads",
    "implementations",
    "benchmark_runs",
    "model_revisions",
    "serving_stack_revisions",
    "serving_configurations",
    "serving_workloads",
    "serving_runs",
)

_RUN_KINDS: Final = frozenset({Kind.BENCHMARK_RUN, Kind.SERVING_RUN})

_SKIPPED_TABLES: Final = {
    "measurements": "MEASUREMENT_IN_RUN_MANIFEST",
    "serving_measurements": "MEASUREMENT_IN_RUN_MANIFEST",
    "record_events": "RECORD_IS_DERIVED",
}
"""Rows that are compared and not stored, since the manifests say the same."""

_STATED_ELSEWHERE: Final = frozenset(
    {"sources", "operation_aliases", "measurements", "serving_measurements", "artifacts"}
)
"""Tables of a file of our own that hold no manifest: what they say, its manifests say too."""


def import_kernelindex(
    stream: BinaryIO, *, name: str, progress: Progress | None = None
) -> ImportBatch:
    """Everything that an export of the public catalogue says, each published value recomputed.

    Args:
        stream: the file, plain or zstd, read from where it stands to its end.
        name: how messages call the file; one that ends in `.zst` promises zstd.
        progress: told now and then how many rows are read.

    Returns:
        A batch whose `source` names the catalogue; each Listing names the source of its runs. A
        refused row is named with its line, and so is every row that refers to it; `manifests` holds
        what is left, closed under references. A file that is damaged as a whole, or of which more
        than 10,000 rows are wrong by themselves, gives no manifest at all.
    """
    ledger = Ledger(name)
    reading: _SiteFile | _OwnFile | None = None
    rows_read = 0
    try:
        for line in read_lines(stream, name=name):
            rows_read += 1
            if progress is not None and rows_read % _ROWS_A_STEP == 0:
                progress(rows_read, None)
            try:
                if line.content is None:
                    found = f"more than {MAX_LINE_BYTES} bytes"
                    raise RowRefusedError("line", found, f"at most {MAX_LINE_BYTES} bytes")
                row = read_row(line.number, line.content)
                if reading is None and row.table == HEAD_TABLE:
                    reading = _OwnFile(row, ledger)
                    continue
                reading = reading or _SiteFile(ledger)
                reading.add(row)
            except RowRefusedError as error:
                ledger.refuse(line.number, error)
                if ledger.refused_count > MAX_DAMAGED_ROWS:
                    found = f"more than {MAX_DAMAGED_ROWS} rows that are refused"
                    raise StreamDamagedError(
                        f"{name}:{line.number}", found, "a catalogue export"
                    ) from error
        if rows_read == 0:
            raise StreamDamagedError(f"{name}:1", "no line", "a catalogue export")
    except StreamDamagedError as error:
        damage = RefusedRow(error.where, error.found, error.expected)
        return _refused_whole(ledger, rows_read, damage)
    content = (reading or _SiteFile(ledger)).read()
    if progress is not None:
        progress(rows_read, rows_read)
    return ImportBatch(
        source=Slug(CATALOGUE),
        manifests=content.manifests,
        rows_read=rows_read,
        run_count=sum(identified.kind in _RUN_KINDS for identified in content.manifests),
        skipped=ledger.skipped,
        refused=ledger.refused,
        notes=ledger.notes,
        parity=ledger.parity,
        published_records=content.records,
        history=content.history,
    )


@dataclass(frozen=True, slots=True)
class _Content:
    manifests: tuple[Identified, ...]
    records: tuple[PublishedRecord, ...]
    history: tuple[EarlierPublication, ...] = ()


class _SiteFile:
    """A file of the public catalogue's own export."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tables = Tables(ledger)

    def add(self, row: Row) -> None:
        self._tables.add(row)
        if row.table in _SKIPPED_TABLES:
            self._ledger.skip(_SKIPPED_TABLES[row.table])

    def read(self) -> _Content:
        links = link(self._tables, self._ledger)
        manifests = {
            identified.object_id: identified
            for part in (
                _published(self._tables),
                identify_corrections(self._tables),
                identify_listings(self._tables, links.aliases),
            )
            for identified in part
        }
        return _Content(tuple(manifests.values()), links.records)


class _OwnFile:
    """A file that `kgraph export` made; a row of it that contradicts itself spoils it whole."""

    def __init__(self, head: Row, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tables = Tables(ledger, is_listed=True)
        self._own = OwnTables(head, self._tables, ledger)
        self._events: list[Row] = []

    def add(self, row: Row) -> None:
        if self._own.takes(row.table):
            self._own.add(row)
        elif row.table == "record_events":
            self._events.append(row)
            self._ledger.skip(_SKIPPED_TABLES[row.table])
        elif row.table in _STATED_ELSEWHERE:
            self._ledger.skip("STATED_BY_MANIFESTS")
        else:
            self._tables.add(row)

    def read(self) -> _Content:
        restored = self._own.restore()
        records: list[PublishedRecord] = []
        for row in self._events:
            try:
                records.append(self._own.read_record(row))
            except RowRefusedError as error:
                self._ledger.refuse(row.line, error)
        return _Content(restored.manifests, tuple(records), restored.history)


def _published(tables: Tables) -> Iterator[Identified]:
    """Manifests as published, each after those that it cites."""
    for table in _TABLE_ORDER:
        for entry in tables.entries(table):
            run, *cited = entry.manifests
            yield from (published.identified for published in cited)
            yield run.identified


def _refused_whole(ledger: Ledger, rows_read: int, damage: RefusedRow) -> ImportBatch:
    return ImportBatch(
        source=Slug(CATALOGUE),
        manifests=(),
        rows_read=rows_read,
        run_count=0,
        skipped=ledger.skipped,
        refused=(damage, *ledger.refused),
        notes=ledger.notes,
        parity=ledger.parity,
    )
