"""What the terminal can show, and text that fits it."""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from kgraph.cli.output import clean, talk
from kgraph.settings import wants_no_color

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH = 80
"""Of what is no terminal and says nothing."""

_GAP = 2

# Our own signs where the encoding lacks them.
_PLAIN = str.maketrans({"µ": "u", "·": "-", "×": "x", "…": "~", "–": "-", "→": ">", "≈": "~"})


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where output goes."""

    is_interactive: bool
    """Whether a person reads it there, and not a program or a file."""
    width: int
    """Characters a line."""
    has_color: bool
    has_unicode: bool
    """Whether every sign can be written."""


def read_terminal(stream: TextIO | None = None) -> Terminal:
    """What `stream` can show; standard output where None."""
    stream = stream or sys.stdout
    is_interactive = stream.isatty()
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    encoding = (stream.encoding or "ascii").lower().replace("-", "")
    return Terminal(
        is_interactive=is_interactive,
        width=max(width, 20),
        has_color=is_interactive and not wants_no_color(),
        has_unicode=encoding.startswith("utf"),
    )


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a table."""

    heading: str
    is_number: bool = False
    least: int | None = None
    """Characters that it may be cut down to; None where it is shown whole or not at all."""
    rank: int = 0
    """Columns of the highest go first where there is no room for all; those of 0 stay."""


def fit_table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[object]], width: int | None
) -> list[str]:
    """The lines of a table.

    Args:
        width: characters a line at most, as far as columns can be cut or left out; None for as many
            as there are.
    """
    cells = [["" if cell is None else clean(str(cell)) for cell in row] for row in rows]
    shown = list(range(len(columns)))
    natural = {
        place: max(measure(columns[place].heading), *(measure(row[place]) for row in cells), 0)
        for place in shown
    }
    widths = natural
    if width is not None:
        while (fitted := _fit(columns, shown, natural, width)) is None:
            last = max(shown, key=lambda place: (columns[place].rank, place))
            if columns[last].rank == 0:
                fitted = _least(columns, shown, natural)
                break
            shown.remove(last)
        widths = fitted
    table = [[column.heading for column in columns], *cells]
    return [
        (" " * _GAP)
        .join(pad(row[place], widths[place], is_right=columns[place].is_number) for place in shown)
        .rstrip()
        for row in table
    ]


def _least(
    columns: Sequence[TableColumn], shown: Sequence[int], natural: dict[int, int]
) -> dict[int, int]:
    return {
        place: natural[place]
        if (least := columns[place].least) is None
        else min(natural[place], least)
        for place in shown
    }


def _fit(
    columns: Sequence[TableColumn], shown: Sequence[int], natural: dict[int, int], width: int
) -> dict[int, int] | None:
    """How wide each column is; None where they do not fit however they are cut."""
    room = width - _GAP * (len(shown) - 1)
    least = _least(columns, shown, natural)
    if sum(least.values()) > room:
        return None
    widths = {place: natural[place] for place in shown}
    while (excess := sum(widths.values()) - room) > 0:
        # The widest gives first, so that short ones stay whole.
        place = max(shown, key=lambda one: widths[one] - least[one])
        rest = sorted((widths[one] - least[one] for one in shown), reverse=True)
        step = max(1, min(excess, rest[0] - rest[1] if len(rest) > 1 else excess))
        widths[place] -= min(step, widths[place] - least[place])
    return widths


def measure(text: str) -> int:
    """Columns of a terminal that the text takes."""
    return sum(
        0
        if unicodedata.combining(sign) or unicodedata.category(sign) == "Cf"
        else 2
        if unicodedata.east_asian_width(sign) in {"W", "F"}
        else 1
        for sign in text
    )


def cut(text: str, width: int) -> str:
    """The text, its end replaced by … where it is wider."""
    if measure(text) <= width:
        return text
    kept = ""
    for sign in text:
        if measure(kept + sign) > width - 1:
            break
        kept += sign
    return kept + "…" if width > 0 else ""


def pad(text: str, width: int, *, is_right: bool = False) -> str:
    """The text, cut or filled with blanks to exactly this width."""
    shown = cut(text, width)
    blanks = " " * (width - measure(shown))
    return blanks + shown if is_right else shown + blanks


def wrap(text: str, terminal: Terminal) -> list[str]:
    """The text in lines that fit, broken between words; whole where a program reads it."""
    if not terminal.is_interactive or measure(text) <= terminal.width:
        return [text]
    return textwrap.wrap(text, terminal.width, subsequent_indent="  ", break_long_words=False)


def say(lines: Sequence[str] | str, terminal: Terminal) -> None:
    """Print lines of the result in signs that the terminal has."""
    for line in [lines] if isinstance(lines, str) else lines:
        sys.stdout.write(f"{_fit_encoding(line, terminal)}\n")


def tell(text: str, terminal: Terminal) -> None:
    """Tell a person something that is no result, likewise."""
    talk(_fit_encoding(text, terminal))


def _fit_encoding(line: str, terminal: Terminal) -> str:
    if terminal.has_unicode:
        return line
    return line.translate(_PLAIN).encode("ascii", "replace").decode()
