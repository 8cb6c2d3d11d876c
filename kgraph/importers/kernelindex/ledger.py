"""The account of one import: what agreed, what was refused and on which line, what was left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kgraph.importers.batch import ParityCount, RefusedRow, SkippedRows

if TYPE_CHECKING:
    from kgraph.importers.kernelindex.rows import Row, RowRefusedError


class Ledger:
    """Counts of one import and the refusals in it; `name` is how messages call the file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parity: dict[str, list[int]] = {}
        self._refused: list[tuple[int, RefusedRow]] = []
        self._skipped: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def compare(self, row: Row, column: str, computed: object, source: str) -> None:
        """Count whether `column` holds what was `computed` from `source`.

        Raises:
            RowRefusedError: it holds something else, or is not there.
        """
        kind = f"{row.table}.{column}"
        self.count(kind, is_match=row.holds(column, computed))
        row.expect(column, computed, source)

    def count(self, kind: str, *, is_match: bool) -> None:
        """Count one comparison of a kind, `table.column`."""
        self._parity.setdefault(kind, [0, 0])[0 if is_match else 1] += 1

    def refuse(self, line: int, error: RowRefusedError) -> None:
        """Take note of a refused row."""
        where = f"{self._name}:{line} {error.place}"
        self._refused.append((line, RefusedRow(where, error.found, error.expected, error.cause)))

    def skip(self, reason: str) -> None:
        """Take note of a row that is understood and not stored."""
        self._skipped[reason] += 1

    def leave_out(self, what: str) -> None:
        """Take note of a value that is not carried over."""
        self._left_out[what] += 1

    @property
    def refused_count(self) -> int:
        """How many rows are refused so far."""
        return len(self._refused)

    @property
    def parity(self) -> tuple[ParityCount, ...]:
        """Comparisons by kind, sorted."""
        return tuple(
            ParityCount(kind, matched, mismatched)
            for kind, (matched, mismatched) in sorted(self._parity.items())
        )

    @property
    def refused(self) -> tuple[RefusedRow, ...]:
        """Refusals in the order of the lines."""
        return tuple(row for _, row in sorted(self._refused, key=lambda item: item[0]))

    @property
    def skipped(self) -> tuple[SkippedRows, ...]:
        """Rows that are understood and not stored, by reason."""
        return tuple(SkippedRows(reason, count) for reason, count in sorted(self._skipped.items()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the report should know."""
        return tuple(f"{what}: left out of {n} rows" for what, n in sorted(self._left_out.items()))
