"""Texts that fit: cleaned of what no drawing can hold, measured, and cut where they are too long.

Widths come from the shipped fonts and nothing else, so that a layout is the same on every machine.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FONTS = Path(__file__).parent / "fonts"
"""Where the fonts lie that images are drawn with."""

FONT_FILES = (FONTS / "DejaVuSans.ttf", FONTS / "NotoEmoji-Regular.ttf")
"""The first has every common letter; the second is asked for what it lacks."""

FONT_FAMILY = "DejaVu Sans,Verdana,Noto Emoji,sans-serif"
"""For viewers that draw an SVG with their own fonts: Verdana is as wide as DejaVu Sans."""

_ELLIPSIS = "…"
_JOINER = "\u200d"
# What neither font has is mostly written in squares.
_UNKNOWN_EM = 1.0

# Not allowed in XML, or turning the text around it: the name of a kernel may not.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_BLANKS = re.compile(r"\s+")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
# Modifiers of the emoji before them.
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def clean_text(text: str) -> str:
    """The text on one line, without characters that a drawing cannot hold."""
    return _BLANKS.sub(" ", _UNSAFE.sub(" ", text)).strip()


def isolate_text(text: str) -> str:
    """The cleaned text, made so that its direction does not move what stands beside it."""
    cleaned = clean_text(text)
    return f"\u2068{cleaned}\u2069" if is_right_to_left(cleaned) else cleaned


def is_right_to_left(text: str) -> bool:
    """Whether any letter runs from right to left."""
    return any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in text)


def measure_text(text: str, size: float) -> float:
    """How wide the text is at a letter size; joined emoji are one letter, others stand alone."""
    return size * sum(_measure_letters(text))


def _measure_letters(text: str) -> Iterator[float]:
    """Width of each letter, in units of the letter size."""
    widths = _load_widths()
    for place, letter in enumerate(text):
        is_joined = ord(letter) in _SKIN_TONES or (place > 0 and text[place - 1] == _JOINER)
        yield 0.0 if is_joined else widths.get(ord(letter), _guess_em(letter))


def fit_text(text: str, width: float, size: float) -> str:
    """The cleaned text, cut with an ellipsis where it is wider than `width`."""
    return _cut_text(clean_text(text), width, size)


def fit_name(name: str, width: float, size: float) -> str:
    """The cleaned name, cut in its middle where it is too wide: names mostly differ at the end."""
    text = clean_text(name)
    widths = [size * one for one in _measure_letters(text)]
    if sum(widths) <= width:
        return text
    room = width - measure_text(_ELLIPSIS, size)
    head = tail = 0
    taken = 0.0
    while head + tail < len(text):
        is_head = sum(widths[:head]) <= taken / 2
        place = head if is_head else len(text) - 1 - tail
        taken += widths[place]
        if taken > room:
            break
        head, tail = (head + 1, tail) if is_head else (head, tail + 1)
    while head > 0 and _is_bound(text, head):
        head -= 1
    while tail > 0 and _is_bound(text, len(text) - tail):
        tail -= 1
    return text[:head].rstrip() + _ELLIPSIS + text[len(text) - tail :].lstrip()


def _cut_text(text: str, width: float, size: float) -> str:
    if measure_text(text, size) <= width:
        return text
    room = width - measure_text(_ELLIPSIS, size)
    kept, taken = 0, 0.0
    for letter_width in _measure_letters(text):
        taken += letter_width * size
        if taken > room:
            break
        kept += 1
    # A mark belongs to the letter before it, and so does whatever is joined to it.
    while kept > 0 and _is_bound(text, kept):
        kept -= 1
    return text[:kept].rstrip() + _ELLIPSIS


def wrap_text(text: str, width: float, size: float, *, most: int) -> list[str]:
    """A text of cleaned parts, broken between words where it is wider than `width`.

    Args:
        most: lines; the last of them is cut.
    """
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most - 1:
        count = 1
        while count < len(words) and measure_text(" ".join(words[: count + 1]), size) <= width:
            count += 1
        lines.append(_cut_text(" ".join(words[:count]), width, size))
        words = words[count:]
    if words:
        lines.append(_cut_text(" ".join(words), width, size))
    return lines


def find_emoji(text: str) -> tuple[tuple[int, int], ...]:
    """Where letters stand that only the second font has, as start and end; joined ones together."""
    common, emoji = _load_font(0), _load_font(1)
    found: list[tuple[int, int]] = []
    place = 0
    while place < len(text):
        if ord(text[place]) in common or ord(text[place]) not in emoji:
            place += 1
            continue
        start = place
        while place < len(text) and (
            _is_bound(text, place) or (ord(text[place]) in emoji and ord(text[place]) not in common)
        ):
            place += 1
        found.append((start, place))
    return tuple(found)


def _is_bound(text: str, place: int) -> bool:
    """Whether the letter at a place belongs to the one before it."""
    if not 0 < place < len(text):
        return False
    letter = text[place]
    return (
        unicodedata.category(letter).startswith("M")
        or letter == _JOINER
        or text[place - 1] == _JOINER
        or ord(letter) in _SKIN_TONES
    )


def _guess_em(letter: str) -> float:
    is_drawn = not unicodedata.category(letter).startswith(("M", "C"))
    return _UNKNOWN_EM if is_drawn else 0.0


@cache
def _load_widths() -> dict[int, float]:
    """Width of each letter that the fonts have, in units of the letter size."""
    return _load_font(1) | _load_font(0)


@cache
def _load_font(place: int) -> dict[int, float]:
    return _read_widths(FONT_FILES[place].read_bytes())


def _read_widths(font: bytes) -> dict[int, float]:
    """Widths out of a TrueType file.

    Source: OpenType specification 1.9, tables `head`, `hhea`, `hmtx` and `cmap` (format 12).
    """
    count = struct.unpack_from(">H", font, 4)[0]
    tables = {
        tag: offset
        for tag, _, offset, _ in (
            struct.unpack_from(">4sIII", font, 12 + 16 * place) for place in range(count)
        )
    }
    units_per_em = struct.unpack_from(">H", font, tables[b"head"] + 18)[0]
    measured = struct.unpack_from(">H", font, tables[b"hhea"] + 34)[0]
    advances = struct.unpack_from(">" + "Hh" * measured, font, tables[b"hmtx"])[::2]
    start = tables[b"cmap"]
    widths: dict[int, float] = {}
    for place in range(struct.unpack_from(">H", font, start + 2)[0]):
        offset = start + struct.unpack_from(">I", font, start + 8 + 8 * place)[0]
        if struct.unpack_from(">H", font, offset)[0] != 12:  # noqa: PLR2004 - the format read here
            continue
        for group in range(struct.unpack_from(">I", font, offset + 12)[0]):
            first, last, glyph = struct.unpack_from(">III", font, offset + 16 + 12 * group)
            for code in range(first, last + 1):
                # Glyphs beyond the measured ones are as wide as the last of them.
                advance = advances[min(glyph + code - first, measured - 1)]
                widths[code] = advance / units_per_em
    return widths
