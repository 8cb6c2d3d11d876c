"""SVG as it is sent: named for those who cannot see it, and ready to be put beside others."""

from __future__ import annotations

import hashlib
import re
from html import escape, unescape
from types import MappingProxyType
from typing import TYPE_CHECKING

from kgraph.web.images.text import find_emoji, measure_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROOT = re.compile(r'<svg\b(?:[^>"]|"[^"]*")*>')
_TAG = re.compile(r'<[a-z](?:[^>"]|"[^"]*")*>')
_ID = re.compile(r'\bid="([^"]+)"')
# Vega names groups of marks so; in an image, which is one thing, they are nothing by themselves.
_PART_NAMES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_TEXT = re.compile(r'(<text\b(?:[^>"]|"[^"]*")*>)([^<]+)</text>')
_SIZE = re.compile(r'\bfont-size="([0-9.]+)')
_ANCHOR = re.compile(r'\btext-anchor="(start|middle|end)"')
_DEFAULT_SIZE = 11.0
# How much of a text stands before the place that it is anchored at.
_SHARES = MappingProxyType({"start": 0.0, "middle": 0.5, "end": 1.0})


def name_drawing(svg: str, title: str, description: str) -> str:
    """The drawing with a title and a description, and with ids that no other drawing has."""
    svg = _TAG.sub(lambda tag: _PART_NAMES.sub("", tag.group()), svg)
    told = hashlib.sha256(f"{title}\n{description}\n{svg}".encode()).hexdigest()
    prefix = f"k{told[:12]}"
    for known in dict.fromkeys(_ID.findall(svg)):
        svg = svg.replace(f'id="{known}"', f'id="{prefix}-{known}"')
        svg = svg.replace(f"url(#{known})", f"url(#{prefix}-{known})")
        svg = svg.replace(f'href="#{known}"', f'href="#{prefix}-{known}"')
    root = _ROOT.search(svg)
    if root is None:
        raise ValueError("found a drawing without an svg element")
    opened = root.group()[:-1]
    named = (
        f'{opened} role="img" aria-labelledby="{prefix}-title {prefix}-desc">'
        f'<title id="{prefix}-title">{escape(title)}</title>'
        f'<desc id="{prefix}-desc">{escape(description)}</desc>'
    )
    return svg.replace(root.group(), named, 1)


def place_emoji(svg: str) -> str:
    """The drawing with emoji as pieces of their own, each where it belongs and in its own font.

    Browsers look for another font by themselves. What makes PNG of SVG does so only where both
    fonts have as many shapes for a text, and loses or panics over the rest of it where joined emoji
    have fewer; pieces that have a place of their own are shaped alone.
    """

    def place(found: re.Match[str]) -> str:
        text = unescape(found.group(2))
        emoji = find_emoji(text)
        if not emoji:
            return found.group()
        size = _SIZE.search(found.group(1))
        letters = float(size.group(1)) if size else _DEFAULT_SIZE
        anchor = _ANCHOR.search(found.group(1))
        at = -measure_text(text, letters) * _SHARES[anchor.group(1) if anchor else "start"]
        parts: list[str] = []
        for start, end, is_emoji in _split(len(text), emoji):
            piece = text[start:end]
            font = ' font-family="Noto Emoji"' if is_emoji else ""
            parts.append(f'<tspan x="{at:.2f}"{font} xml:space="preserve">{escape(piece)}</tspan>')
            at += measure_text(piece, letters)
        return _ANCHOR.sub('text-anchor="start"', found.group(1)) + "".join(parts) + "</text>"

    return _TEXT.sub(place, svg)


def _split(length: int, emoji: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """Pieces of a text in order, as start, end and whether it is emoji."""
    done = 0
    for start, end in emoji:
        if start > done:
            yield done, start, False
        yield start, end, True
        done = end
    if length > done:
        yield done, length, False
