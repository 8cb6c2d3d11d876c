"""What commands print: tables and JSON on stdout, talk and progress on stderr."""

from __future__ import annotations

import sys
import time
import unicodedata
from typing import TYPE_CHECKING

import click
import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

# Often enough to look alive, too rare to cost anything.
_SECONDS_BETWEEN_LINES = 0.1

# Control characters and breaks of lines and paragraphs.
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
# What turns the direction of the text that follows.
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    print_text(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def print_text(text: str) -> None:
    """Print a line, or lines, of the result."""
    click.echo(text)


def clean(text: str) -> str:
    """The text on one line, without what a terminal would obey or turn around."""
    return "".join(
        " " if unicodedata.category(sign) in _BREAKING else sign
        for sign in text
        if sign not in _TURNING
    )


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns as wide as their longest cell; numbers to the right."""
    cells_of = (tuple("" if v is None else clean(str(v)) for v in row) for row in rows)
    table = [tuple(headings), *cells_of]
    numeric = [all(_is_number(row[i]) for row in table[1:]) for i in range(len(headings))]
    widths = [max(len(row[i]) for row in table) for i in range(len(headings))]
    for row in table:
        cells = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, numeric, strict=True)
        )
        print_text("  ".join(cells).rstrip())


def count(number: int, noun: str) -> str:
    """A number of things, as `1 other run` or `1,200 other runs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def talk(text: str) -> None:
    """Tell a person something that is no result."""
    click.echo(text, err=True)


class ProgressLine:
    """A line on a terminal that says how far a task has come; silent where stderr is none."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._is_shown = sys.stderr.isatty()
        self._last = 0.0
        self._is_dirty = False

    def __call__(self, done: int, total: int | None) -> None:
        """Show `done` of `total`, at most ten times a second."""
        now = time.monotonic()
        if not self._is_shown or now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last, self._is_dirty = now, True
        share = f"{done:,} of {total:,} ({done / total:.0%})" if total else f"{done:,}"
        # Erase to the end of the line, so that a shorter text leaves nothing of a longer one.
        sys.stderr.write(f"\r{self._label}: {share}\x1b[K")
        sys.stderr.flush()

    def __enter__(self) -> ProgressLine:
        """This line; the `with` block is the task."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the line, so that what follows starts on a clean one."""
        if self._is_dirty:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _is_number(cell: str) -> bool:
    return not cell or cell.replace(",", "").replace(".", "", 1).isdigit()
