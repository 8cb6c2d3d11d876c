"""Files of the Liger-Kernel benchmark CSV into one batch of manifests."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kgraph.canonical import encode_canonical, show
from kgraph.importers.batch import ImportBatch, RefusedRow, SkippedRows
from kgraph.importers.delimited import parse_delimited
from kgraph.importers.liger.case import UNBOUND_CASE, Case, Unbound, Wrong, bind_case
from kgraph.importers.liger.drafts import Drafts
from kgraph.importers.liger.manifest import SOURCE, external_id
from kgraph.importers.liger.row import COLUMNS, SpeedRow, parse_row
from kgraph.importers.liger.table import load_table
from kgraph.manifest import ManifestRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.importers.batch import Progress
    from kgraph.importers.delimited import DelimitedRow
    from kgraph.importers.liger.table import Kernel, LigerTable

UNKNOWN_KERNEL: Final = "UNKNOWN_KERNEL"
"""The curated table has no such kernel, so its shapes are not known."""
UNKNOWN_PROVIDER: Final = "UNKNOWN_PROVIDER"
"""The curated table has no such provider, so its project and licence are not known."""
DUPLICATE_ROW: Final = "DUPLICATE_ROW"
"""The same measurement stands in an earlier row, as when two revisions of the file are read."""

# Often enough for a smooth bar, seldom enough to cost nothing.
_PROGRESS_ROWS: Final = 200
_SUFFIX_HEX: Final = 8


@dataclass(frozen=True, slots=True)
class _BoundRow:
    row: SpeedRow
    kernel: Kernel
    case: Case


@dataclass(frozen=True, slots=True)
class _Left:
    """A speed row that is left out since the table does not know what it is about."""

    reason: str
    what: str
    """One text for all rows that are left out for the same cause."""


def import_liger(
    files: Sequence[tuple[str, bytes]], *, progress: Progress | None = None
) -> ImportBatch:
    """All manifests that files of the Liger-Kernel benchmark CSV imply.

    Args:
        files: name, as messages show it, and content of each; several revisions may be given.
        progress: told about rows done, now and then and at the end.

    Returns:
        The batch; what is wrong with the files is listed in it, nothing is raised for it. Files in
        another order give the same manifests.
    """
    table = load_table()
    account = _Account()
    places: list[DelimitedRow] = []
    for name, content in files:
        parsed = parse_delimited(name, content, COLUMNS)
        account.rows_read += parsed.row_count
        account.refused += parsed.refused
        places += parsed.rows
    bound = account.bind(places, table, progress)
    drafts = Drafts(table)
    for entry, external in account.name_runs(bound):
        place = entry.row.place
        try:
            drafts.add_run(entry.row, entry.kernel, entry.case, external)
        except ManifestRefusedError as error:
            account.refused += [
                RefusedRow(f"{place.where()} {refusal.path}", refusal.found, refusal.expected)
                for refusal in error.refusals
            ]
    if progress is not None:
        progress(account.rows_read, account.rows_read)
    return ImportBatch(
        source=SOURCE,
        manifests=drafts.in_order(),
        rows_read=account.rows_read,
        run_count=drafts.run_count,
        skipped=account.skipped_rows(),
        refused=tuple(account.refused),
        notes=account.notes(bound, table),
    )


class _Account:
    """What became of every row."""

    def __init__(self) -> None:
        self.rows_read = 0
        self.refused: list[RefusedRow] = []
        self._skipped: Counter[str] = Counter()
        self._left: dict[_Left, list[DelimitedRow]] = {}

    def bind(
        self, places: Sequence[DelimitedRow], table: LigerTable, progress: Progress | None
    ) -> list[_BoundRow]:
        """The rows that are timings of a known case; the others are accounted for."""
        bound = []
        cases: dict[tuple[str, str, int, str], Case | Unbound | Wrong] = {}
        for done, place in enumerate(places):
            if progress is not None and done % _PROGRESS_ROWS == 0:
                progress(done, len(places))
            row = parse_row(place)
            if isinstance(row, tuple):
                self.refused += row
                continue
            if isinstance(row, str):
                self._skipped[row] += 1
                continue
            kernel = table.kernel_by_name.get(row.kernel)
            if kernel is None:
                self._leave(row, UNKNOWN_KERNEL, f"kernel_name {show(row.kernel)} is not known")
                continue
            if row.provider not in table.providers:
                what = f"kernel_provider {show(row.provider)} of {row.kernel} is not known"
                self._leave(row, UNKNOWN_PROVIDER, what)
                continue
            # Providers, modes and GPUs share a case; it is worked out once.
            key = (row.kernel, row.x_name, row.x_value, row.config.canonical)
            if key not in cases:
                cases[key] = bind_case(kernel, row, table)
            case = cases[key]
            if isinstance(case, Case):
                bound.append(_BoundRow(row, kernel, case))
            elif isinstance(case, Unbound):
                what = f"{row.kernel}: found {case.found}, expected {case.expected}"
                self._leave(row, UNBOUND_CASE, what)
            else:
                self.refused.append(RefusedRow(place.where(case.column), case.found, case.expected))
        return bound

    def _leave(self, row: SpeedRow, reason: str, what: str) -> None:
        self._skipped[reason] += 1
        self._left.setdefault(_Left(reason, what), []).append(row.place)

    def name_runs(self, bound: Iterable[_BoundRow]) -> list[tuple[_BoundRow, str]]:
        """Each measurement once, in the order of the rows, with its external id.

        An id is unique. Two sweeps of a kernel may meet at one point; should they do so within one
        second, all but the first by parameters get a suffix made of what tells them apart.
        """
        groups: dict[str, dict[tuple[str, ...], _BoundRow]] = {}
        kept: list[tuple[_BoundRow, str]] = []
        for entry in bound:
            base = external_id(entry.row, entry.case)
            group = groups.setdefault(base, {})
            earlier = group.setdefault(entry.row.identity, entry)
            if earlier is entry:
                kept.append((entry, base))
            elif earlier.row.outcome == entry.row.outcome:
                self._skipped[DUPLICATE_ROW] += 1
            else:
                self.refused.append(
                    RefusedRow(
                        entry.row.place.where(),
                        f"another result for the case and second of {earlier.row.place.where()}",
                        "one result for a case and second",
                    )
                )
        return [(entry, _tell_apart(base, entry, groups[base])) for entry, base in kept]

    def skipped_rows(self) -> tuple[SkippedRows, ...]:
        """Rows left out, by reason."""
        return tuple(SkippedRows(reason, count) for reason, count in sorted(self._skipped.items()))

    def notes(self, bound: Sequence[_BoundRow], table: LigerTable) -> tuple[str, ...]:
        """Assumptions made, and what the table would have to learn for rows left out."""
        notes = []
        if bound:
            notes.append("timestamps carry no time zone and are taken as UTC")
        notes += [
            f"gpu_name {show(gpu)} is not known: kept as written, architecture unknown"
            for gpu in sorted({entry.row.gpu for entry in bound} - table.gpus.keys())
        ]
        for left, places in self._left.items():
            others = f" and {len(places) - 1} more" if len(places) > 1 else ""
            notes.append(f"{left.reason} at {places[0].where()}{others}: {left.what}")
        return tuple(notes)


def _tell_apart(base: str, entry: _BoundRow, group: dict[tuple[str, ...], _BoundRow]) -> str:
    identity = entry.row.identity
    if identity == min(group):
        return base
    named = hashlib.sha256(encode_canonical(list(identity))).hexdigest()[:_SUFFIX_HEX]
    return f"{base}/{named}"
