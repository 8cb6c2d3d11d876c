"""Rows of a comma-separated file (RFC 4180) whose header is checked by name."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.importers.batch import RefusedRow

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class DelimitedRow:
    """One row below the header."""

    file: str
    line: int
    """Line on which the row starts; 1 is the header's."""
    cells: tuple[str, ...]
    """In the order of the columns that the caller asked for, whatever their order in the file."""

    def where(self, column: str | None = None) -> str:
        """Place of the row, or of one cell of it, for a message."""
        place = f"{self.file}:{self.line}"
        return place if column is None else f"{place} column {column}"


@dataclass(frozen=True, slots=True)
class DelimitedFile:
    """All rows of one file, and what is wrong with its form."""

    rows: tuple[DelimitedRow, ...]
    refused: tuple[RefusedRow, ...]
    row_count: int
    """Rows below the header, those of a wrong form included."""


def parse_delimited(name: str, content: bytes, columns: Sequence[str]) -> DelimitedFile:
    """The rows of `content`, each with its cells in the order of `columns`.

    Both CRLF and LF end a line. The last line must be ended too: a file cut inside its last cell
    cannot be told from a whole one otherwise. A byte order mark is passed over. The header must
    hold exactly the names in `columns`, each once, in any order; messages call the file `name`.
    """
    if not content:
        return _refuse_file(name, "an empty file", "a header line")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{content[error.start]:02x}"
        return _refuse_file(f"{name}:{line}", found, "UTF-8 text")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
    except csv.Error as error:
        return _refuse_file(f"{name}:1", str(error), "a header line")
    problems = _check_header(f"{name}:1", header, columns)
    if problems:
        return DelimitedFile((), problems, 0)
    order = [header.index(column) for column in columns]
    rows: list[DelimitedRow] = []
    refused: list[RefusedRow] = []
    count = 0
    width = len(header)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            # Where quoting is broken no later row boundary can be trusted.
            refused.append(
                RefusedRow(f"{name}:{line}", str(error), "cells quoted as RFC 4180 says")
            )
            count += 1
            break
        count += 1
        if len(cells) == width:
            rows.append(DelimitedRow(name, line, tuple([cells[place] for place in order])))
        else:
            refused.append(RefusedRow(f"{name}:{line}", f"{len(cells)} cells", f"{width} cells"))
    if not text.endswith("\n"):
        last = f"{name}:{text.count(chr(10)) + 1}"
        refused.append(RefusedRow(last, "no line end after the last row", "a whole last line"))
    return DelimitedFile(tuple(rows), tuple(refused), count)


def _refuse_file(where: str, found: str, expected: str) -> DelimitedFile:
    return DelimitedFile((), (RefusedRow(where, found, expected),), 0)


def _check_header(
    where: str, header: Sequence[str], columns: Sequence[str]
) -> tuple[RefusedRow, ...]:
    counts = Counter(header)
    wanted = set(columns)
    problems = [
        RefusedRow(f"{where} column {column}", "no such column", "a column of this name")
        for column in columns
        if column not in counts
    ]
    problems += [
        RefusedRow(f"{where} column {column}", f"{count} columns of this name", "one")
        for column, count in counts.items()
        if column in wanted and count > 1
    ]
    problems += [
        RefusedRow(f"{where} column {column or '(blank)'}", "an unknown column", ", ".join(columns))
        for column in counts
        if column not in wanted
    ]
    return tuple(problems)
