"""CSV: RFC 4180 in UTF-8, with a header, text always in quotes.

A missing value is an empty field, an empty text `""`. A spreadsheet computes what begins like a
formula, in quotes or not; such text gets an apostrophe before it, which it shows as text. Numbers,
also those that stand in text, and JSON, which begins with none of these signs, stay as they are.

Source: RFC 4180 for the form; OWASP's note on CSV injection for the signs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kgraph.sheet.column import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgraph.sheet.column import Column, Values
    from kgraph.sheet.writer import SheetOptions

_LINE = "\r\n"
_BOM = b"\xef\xbb\xbf"
# Signs in their wide forms count as well where a spreadsheet is set to an East Asian language.
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


class CsvWriter:
    """Writes rows as CSV."""

    def __init__(self, columns: Sequence[Column], options: SheetOptions) -> None:
        self._columns, self._options = columns, options
        text = _quote if options.keeps_formulas else _quote_safely
        by_kind: dict[Kind, Callable[[Any], str]] = {
            Kind.TEXT: text,
            Kind.JSON: _quote,
            Kind.INTEGER: str,
            Kind.NUMBER: repr,
            Kind.TRUTH: lambda value: "true" if value else "false",
            Kind.INSTANT: str,
        }
        self._encoders = [by_kind[column.kind] for column in columns]

    def begin(self) -> bytes:
        """The header."""
        names = ",".join(column.name for column in self._columns)
        return (_BOM if self._options.has_bom else b"") + f"{names}{_LINE}".encode()

    def add(self, values: Sequence[Values]) -> bytes:
        """Rows, each ended by a line break."""
        cells = [
            ["" if value is None else encode(value) for value in column]
            for column, encode in zip(values, self._encoders, strict=True)
        ]
        lines = [",".join(row) + _LINE for row in zip(*cells, strict=True)]
        return "".join(lines).encode()

    def end(self) -> bytes:
        """Nothing: each row has ended."""
        return b""

    def break_off(self, reason: str) -> bytes:
        """A line that says so, in quotes that never close: readers that look at them refuse it."""
        return f'"incomplete, this export broke off: {_escape(reason)}'.encode()


def _quote(text: str) -> str:
    return f'"{_escape(text)}"'


def _escape(text: str) -> str:
    return text.replace('"', '""')


def _quote_safely(text: str) -> str:
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = f"'{text}"
    return _quote(text)
