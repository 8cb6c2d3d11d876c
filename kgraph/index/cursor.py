"""Opaque cursors: where a page ended, bound to the question that it answers."""

from __future__ import annotations

import base64
import binascii
import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Sequence

_FINGERPRINT_HEX = 16


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


def decode_cursor(cursor: str, questions: Sequence[str], *, width: int) -> list[Any]:
    """The sort values in a cursor of one of `questions`.

    Raises:
        CursorError: it is malformed, or belongs to another list, snapshot, filter or order.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        plain = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error) as error:
        raise CursorError(cursor, "a cursor this API gave out") from error
    if not isinstance(plain, list) or len(plain) != width + 1:
        raise CursorError(cursor, "a cursor of this list")
    if plain[0] not in questions:
        raise CursorError(cursor, "a cursor of the same snapshot, filter and order")
    if any(isinstance(value, list | dict) for value in plain):
        raise CursorError(cursor, "a cursor this API gave out")
    return plain[1:]
