"""Opaque cursors: where a page ended, bound to the question that it answers."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, overload

import orjson

from kgraph.errors import KgraphError

SortType = Literal["text", "number", "time", "bool"]
"""What a sort value is."""

_FINGERPRINT_HEX = 16
# The longest sort value is a title, which manifests bound far below this.
_MAX_CURSOR = 8192
# Beyond every value of a column, and what the database still takes for a number.
_MAX_NUMBER = 1e308


class CursorError(KgraphError):
    """A cursor that is no cursor of this list, or of another snapshot, filter or order."""

    code = "BAD_CURSOR"

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(
            f"cursor: found {found[:60]!r}, expected {expected}; ask for the first page again"
        )


def fingerprint(*parts: object) -> str:
    """A short name of a question: two questions differ in it unless they are the same."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:_FINGERPRINT_HEX]


def encode_cursor(question: str, values: Sequence[Any]) -> str:
    """The cursor of a row with these sort values."""
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(orjson.dumps([question, *plain])).rstrip(b"=").decode()


class Cursors(Sequence[str]):
    """The cursors of a page's rows; each is encoded when it is looked at, and most never are."""

    __slots__ = ("_question", "_values")

    def __init__(self, question: str, values: Sequence[Sequence[Any]]) -> None:
        self._question, self._values = question, values

    def __len__(self) -> int:
        """How many rows the page has."""
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Cursors: ...

    def __getitem__(self, place: int | slice) -> str | Cursors:
        """The cursor of a row, or those of several."""
        if isinstance(place, slice):
            return Cursors(self._question, self._values[place])
        return encode_cursor(self._question, self._values[place])


def decode_cursor(cursor: str, questions: Sequence[str], types: Sequence[SortType]) -> list[Any]:
    """The sort values in a cursor of one of `questions`, ready to be bound.

    Args:
        types: What each sort value is. A client can read and write cursors, so that nothing in one
            is taken to be of its type unless it is.

    Raises:
        CursorError: it is malformed, or belongs to another list, snapshot, filter or order.
    """
    if len(cursor) > _MAX_CURSOR:
        raise CursorError(cursor, "a cursor this API gave out")
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        plain = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except ValueError as error:
        raise CursorError(cursor, "a cursor this API gave out") from error
    if not isinstance(plain, list) or len(plain) != len(types) + 1:
        raise CursorError(cursor, "a cursor of this list")
    if plain[0] not in questions:
        raise CursorError(cursor, "a cursor of the same snapshot, filter and order")
    try:
        return [_read_value(value, kind) for value, kind in zip(plain[1:], types, strict=True)]
    except ValueError as error:
        raise CursorError(cursor, "a cursor this API gave out") from error


def _read_value(value: object, kind: SortType) -> object:
    if kind == "time" and isinstance(value, str):
        at = datetime.fromisoformat(value)
        if at.tzinfo is None:
            return at
    elif kind == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) <= _MAX_NUMBER:
            return value
    elif (kind == "text" and isinstance(value, str)) or (
        kind == "bool" and isinstance(value, bool)
    ):
        return value
    raise ValueError(kind)
