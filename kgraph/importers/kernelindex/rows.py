"""Rows of an export: one line becomes a table name and typed columns, or says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from kgraph.canonical import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, JsonValue, read_json, show
from kgraph.digest import BadDigestError, SpecDigest, parse_spec_digest
from kgraph.importers.batch import RefusalCause
from kgraph.importers.kernelindex.lines import MAX_LINE_BYTES

_SHORT = 200
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,99}")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z")


class RowRefusedError(Exception):
    """One row is wrong; caught where the import goes on with the next."""

    def __init__(
        self,
        place: str,
        found: str,
        expected: str,
        cause: RefusalCause = RefusalCause.FORM,
    ) -> None:
        self.place, self.found, self.expected, self.cause = place, found, expected, cause
        super().__init__(f"{place}: found {found}, expected {expected}")


@dataclass(frozen=True, slots=True)
class Row:
    """One row with the line it stands on; its columns are read by type and refused by name."""

    table: str
    line: int
    columns: Mapping[str, JsonValue]

    def refuse(
        self,
        column: str,
        found: str,
        expected: str,
        cause: RefusalCause = RefusalCause.FORM,
    ) -> RowRefusedError:
        """The error that names `column` of this row."""
        return RowRefusedError(f"{self.table} column {column}", found, expected, cause)

    def text(self, column: str, *, limit: int = MAX_BYTES) -> str:
        """A column that always holds text, of 1 to `limit` characters."""
        value = self._value(column)
        if isinstance(value, str) and 0 < len(value) <= limit:
            return value
        raise self.refuse(column, show(value), f"text of 1 to {limit} characters")

    def short(self, column: str) -> str:
        """Text of one line, as editorial fields hold it."""
        return self.text(column, limit=_SHORT)

    def slug(self, column: str) -> str:
        """A name that stands in addresses."""
        return self._matching(column, _SLUG, "a slug of lower-case letters, digits and -")

    def word(self, column: str) -> str:
        """A word of a vocabulary."""
        return self._matching(column, _WORD, "a word of lower-case letters, digits and _")

    def shorts(self, column: str) -> tuple[str, ...]:
        """A list of short texts."""
        value = self._value(column)
        if isinstance(value, list) and all(
            isinstance(item, str) and 0 < len(item) <= _SHORT for item in value
        ):
            return tuple(str(item) for item in value)
        raise self.refuse(column, show(value), f"a list of texts of 1 to {_SHORT} characters")

    def digest(self, column: str) -> SpecDigest:
        """A column that names a manifest or key by its digest."""
        try:
            return parse_spec_digest(self.text(column))
        except BadDigestError as error:
            raise self.refuse(column, show(error.text), error.expected) from error

    def instant(self, column: str) -> datetime:
        """An instant in UTC."""
        text = self.text(column)
        try:
            if _INSTANT.fullmatch(text) is not None:
                return datetime.fromisoformat(text).astimezone(UTC)
        except ValueError:
            pass  # a day that no calendar has
        raise self.refuse(column, show(text), "a UTC instant as 2026-01-02T03:04:05.678Z")

    def whole(self, column: str) -> int:
        """A count or size, zero or more."""
        value = self._value(column)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER:
            return value
        raise self.refuse(column, show(value), "an integer from 0 to 2^53 - 1")

    def members(self, column: str) -> dict[str, JsonValue]:
        """An object: a manifest, or several by role."""
        value = self._value(column)
        if isinstance(value, dict):
            return value
        raise self.refuse(column, show(value), "an object")

    def holds(self, column: str, expected: object) -> bool:
        """Whether `column` is there and holds `expected`."""
        value = self.columns.get(column)
        # 1 == True in Python, and a flag is no number.
        is_same_type = isinstance(value, bool) == isinstance(expected, bool)
        return column in self.columns and value == expected and is_same_type

    def expect(self, column: str, expected: object, source: str) -> None:
        """Nothing, where the column holds `expected`; `source` names where that is read from.

        Raises:
            RowRefusedError: it holds anything else.
        """
        if not self.holds(column, expected):
            found = show(self._value(column))
            expected_text = f"{show(expected)}, as {source} says"
            raise self.refuse(column, found, expected_text, RefusalCause.PARITY)

    def _matching(self, column: str, pattern: re.Pattern[str], expected: str) -> str:
        text = self.short(column)
        if pattern.fullmatch(text) is None:
            raise self.refuse(column, show(text), expected)
        return text

    def _value(self, column: str) -> JsonValue:
        try:
            return self.columns[column]
        except KeyError:
            raise self.refuse(column, "no such column", "a value") from None


# A number follows `":`, `[` or `,`. One with a positive exponent may lie beyond the whole numbers
# that every JSON reader keeps, so the strict reader has to look at it.
_LARGE_FLOAT = re.compile(rb'(?:":|[\[,])-?[0-9][0-9.]*[eE]\+?[0-9]')


def read_row(line: int, content: bytes) -> Row:
    """The row on one line.

    Raises:
        RowRefusedError: it is no strict JSON (UTF-8, each key once, finite numbers within 2^53), no
            object of exactly `table` and `row`.
    """
    value = _read_json(content)
    if not isinstance(value, dict) or value.keys() != {"table", "row"}:
        found = f"the keys {', '.join(sorted(value))}" if isinstance(value, dict) else show(value)
        raise RowRefusedError("line", found, "an object of table and row")
    table, columns = value["table"], value["row"]
    if not isinstance(table, str):
        raise RowRefusedError("line", f"the table {show(table)}", "the name of a table")
    if not isinstance(columns, dict):
        raise RowRefusedError("line", f"the row {show(columns)}", "an object of columns")
    return Row(table, line, columns)


def _read_json(content: bytes) -> JsonValue:
    # The export is written without blanks, in its own key order. What encodes back to the bytes it
    # was read from holds no key twice; that is six times faster than the reader that tells.
    try:
        value: JsonValue = orjson.loads(content)
        if (
            content.count(b"{") + content.count(b"[") <= MAX_DEPTH
            and orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER) == content
            and _LARGE_FLOAT.search(content) is None
        ):
            return value
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        pass  # the strict reader says what is wrong, and where
    reading = read_json(content, max_bytes=MAX_LINE_BYTES)
    if reading.refusals:
        first = reading.refusals[0]
        raise RowRefusedError(first.path or "line", first.found, first.expected)
    return reading.value


def pick(value: JsonValue, *path: str) -> JsonValue:
    """What stands below `value` at `path`; None where nothing does."""
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
