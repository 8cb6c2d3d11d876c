"""Rows to lines: `{"table", "row"}` of canonical order, row ids made from what a row is about."""

from __future__ import annotations

import hashlib
from datetime import UTC
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Row = dict[str, Any]
"""Columns of one row, in the order in which they are written."""


def encode_line(table: str, row: Mapping[str, Any]) -> bytes:
    """One line with its end. Columns that are bytes hold JSON and are written as they are."""
    columns = {
        name: orjson.Fragment(value) if isinstance(value, bytes) else value
        for name, value in row.items()
    }
    return orjson.dumps(
        {"table": table, "row": columns}, option=orjson.OPT_APPEND_NEWLINE, default=dict
    )


def row_id(table: str, *names: str | None) -> str:
    """The id of a row: a UUID (version 8) made from its table and from what it is about.

    The ids of the site's own rows are not kept, since they name nothing outside one export; these
    are the same in every export of the same content.
    """
    seed = "\n".join((table, *(name or "" for name in names)))
    digits = bytearray(hashlib.sha256(seed.encode()).digest()[:16])
    digits[6] = 0x80 | (digits[6] & 0x0F)
    digits[8] = 0x80 | (digits[8] & 0x3F)
    text = digits.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def format_instant(at: datetime) -> str:
    """An instant as the site writes it, to the millisecond; finer where it is finer."""
    timespec = "milliseconds" if at.microsecond % 1000 == 0 else "microseconds"
    return at.astimezone(UTC).isoformat(timespec=timespec).removesuffix("+00:00") + "Z"
