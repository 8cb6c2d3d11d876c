"""The parts of a query: where blanks, quotes and signs divide a line of text."""

from __future__ import annotations

from dataclasses import dataclass

_SIGNS = frozenset(":=")
_NEEDS_QUOTES = frozenset('"\\:=,')


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A stretch of a query without blanks outside quotes."""

    text: str
    """As typed, quotes included."""
    start: int
    """Of its first character in the query, counted from 0."""
    end: int
    """Behind its last character."""
    raw: str
    """The whole without quotes."""
    name: str
    """What stands before the first sign outside quotes; empty where there is no sign."""
    sign: str | None
    """`:` or `=`; None where neither stands outside quotes."""
    value: str
    """What stands behind the sign; the whole where there is none."""
    items: tuple[str, ...]
    """The value, divided at commas outside quotes."""
    is_closed: bool
    """Whether every quote that is opened is closed."""


def split_words(text: str) -> tuple[QueryWord, ...]:
    """The words of a query, in order; together they hold every character that is not blank."""
    words: list[QueryWord] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        word = _read_word(text, position)
        words.append(word)
        position = word.end
    return tuple(words)


def quote_word(text: str) -> str:
    """The text as one word of a query, in quotes where it would be divided without."""
    if text and not any(char.isspace() or char in _NEEDS_QUOTES for char in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _read_word(text: str, start: int) -> QueryWord:
    # Each character with whether it was quoted: only what was not may divide.
    chars: list[tuple[str, bool]] = []
    is_quoted = False
    position = start
    while position < len(text) and (is_quoted or not text[position].isspace()):
        char = text[position]
        if char == '"':
            is_quoted = not is_quoted
        elif char == "\\" and is_quoted and text[position + 1 : position + 2] in {'"', "\\"}:
            position += 1
            chars.append((text[position], True))
        else:
            chars.append((char, is_quoted))
        position += 1
    at = next((i for i, (char, quoted) in enumerate(chars) if char in _SIGNS and not quoted), None)
    value = chars if at is None else chars[at + 1 :]
    return QueryWord(
        text=text[start:position],
        start=start,
        end=position,
        raw=_join(chars),
        name="" if at is None else _join(chars[:at]),
        sign=None if at is None else chars[at][0],
        value=_join(value),
        items=_split_items(value),
        is_closed=not is_quoted,
    )


def _split_items(chars: list[tuple[str, bool]]) -> tuple[str, ...]:
    items: list[list[tuple[str, bool]]] = [[]]
    for char, quoted in chars:
        if char == "," and not quoted:
            items.append([])
        else:
            items[-1].append((char, quoted))
    return tuple(map(_join, items))


def _join(chars: list[tuple[str, bool]]) -> str:
    return "".join(char for char, _ in chars)
