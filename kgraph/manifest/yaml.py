"""YAML 1.2 as people write manifests: JSON's types, and nothing that says more than it shows.

Built from parser events, so that limits hold before anything is built and every value has its line.
Plain scalars follow the core schema: dates stay text, `yes` is text, `true` is not. Refused:
anchors, aliases and merge keys, tags, several documents, keys that are no text, keys given twice,
NaN and infinities, whole numbers with leading zeros.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from kgraph.canonical import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_INTEGER,
    JsonValue,
    Reading,
    Refusal,
    join_path,
    show,
)

_NULL: Final = re.compile(r"null|Null|NULL|~|")
_TRUE: Final = re.compile(r"true|True|TRUE")
_FALSE: Final = re.compile(r"false|False|FALSE")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TEXT_TAG: Final = "tag:yaml.org,2002:str"


@dataclass
class _Builder:
    """Values from events, with what is refused on the way."""

    events: Iterator[Event]
    refusals: list[Refusal] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)

    def refuse(self, path: str, found: str, expected: str, event: Event) -> None:
        self.refusals.append(Refusal(path, found, expected, _line(event)))

    def build(self, event: Event, path: str, depth: int) -> JsonValue:
        """The value that starts with `event`; consumes the events that belong to it."""
        self.lines.setdefault(path, _line(event))
        if isinstance(event, AliasEvent):
            self.refuse(path, f"the alias *{event.anchor}", "the value written out", event)
            return None
        if isinstance(event, NodeEvent) and event.anchor is not None:
            self.refuse(path, f"the anchor &{event.anchor}", "a value without an anchor", event)
        if isinstance(event, ScalarEvent):
            return self.scalar(event, path)
        if isinstance(event, CollectionStartEvent) and event.tag is not None:
            self.refuse(path, f"the tag {event.tag}", "a value without a tag", event)
        if depth > MAX_DEPTH:
            raise _TooDeepError(event)
        if isinstance(event, MappingStartEvent):
            return self.mapping(path, depth)
        return self.sequence(path, depth)

    def mapping(self, path: str, depth: int) -> dict[str, JsonValue]:
        members: dict[str, JsonValue] = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self.key(event, path, depth)
            # Under a refused key nothing can be named, so its value is only read over.
            below = path if key is None else join_path(path, key)
            self.lines.setdefault(below, _line(event))
            if key in members:
                self.refuse(below, "the key a second time", "each key once", event)
            value = self.build(next(self.events), below, depth + 1)
            if key is not None:
                members[key] = value
        return members

    def key(self, event: Event, path: str, depth: int) -> str | None:
        """The key that starts with `event`; None where it is refused."""
        value = self.build(event, path, depth + 1)
        if not isinstance(event, ScalarEvent) or not isinstance(value, str):
            self.refuse(path, f"the key {show(value)}", "keys that are text", event)
            return None
        if value == "<<" and event.style is None:
            self.refuse(path, "the merge key <<", "the fields written out", event)
            return None
        return value

    def sequence(self, path: str, depth: int) -> list[JsonValue]:
        items: list[JsonValue] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            items.append(self.build(event, join_path(path, len(items)), depth + 1))
        return items

    def scalar(self, event: ScalarEvent, path: str) -> JsonValue:
        # JSON writes characters beyond U+FFFF as two escapes, which the YAML parser leaves apart.
        text: str = event.value
        if _SURROGATE.search(text) is not None:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if event.tag is not None and str(event.tag) not in {"!", _TEXT_TAG}:
            self.refuse(path, f"the tag {event.tag}", "a value without a tag", event)
            return text
        if event.tag is not None or event.style is not None:
            return text
        return self.plain(text, event, path)

    def plain(  # noqa: PLR0911 - one return a kind of scalar
        self, text: str, event: ScalarEvent, path: str
    ) -> JsonValue:
        if _NULL.fullmatch(text):
            return None
        if _TRUE.fullmatch(text):
            return True
        if _FALSE.fullmatch(text):
            return False
        shown = show(text)
        if _NOT_FINITE.fullmatch(text):
            self.refuse(path, shown, "a finite number", event)
            return 0
        if _LEADING_ZERO.fullmatch(text):
            self.refuse(path, shown, "a decimal number without leading zeros, or quotes", event)
            return 0
        if _INTEGER.fullmatch(text):
            if len(text) > len("-9007199254740991") or abs(int(text)) > MAX_INTEGER:
                self.refuse(path, shown, "a whole number within 2^53 - 1, or quotes", event)
                return 0
            return int(text)
        if _FLOAT.fullmatch(text):
            value = float(text)
            if abs(value) > MAX_INTEGER:
                self.refuse(path, shown, "a number within 2^53 - 1, or quotes", event)
                return 0
            return value
        return text


class _TooDeepError(Exception):
    def __init__(self, event: Event) -> None:
        self.line = _line(event)
        super().__init__(self.line)


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1


def read_yaml(  # noqa: PLR0911 - one return a way to fail
    content: bytes,
) -> tuple[Reading, dict[str, int]]:
    """What a YAML document holds, and the line on which each path begins.

    Args:
        content: UTF-8, at most `MAX_BYTES` bytes and `MAX_DEPTH` levels.
    """
    if len(content) > MAX_BYTES:
        return _unread(f"{len(content)} bytes", f"at most {MAX_BYTES} bytes", None), {}
    if content.startswith(b"\xef\xbb\xbf"):
        return _unread("a byte order mark", "UTF-8 without a byte order mark", 1), {}
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{content[error.start]:02x} at offset {error.start}"
        return _unread(found, "UTF-8 text", None), {}
    builder = _Builder(iter(YAML(typ="safe", pure=True).parse(text)))
    try:
        value = _build_document(builder)
    except _TooDeepError as error:
        expected = f"at most {MAX_DEPTH} levels of nesting"
        return _unread(f"{MAX_DEPTH + 1} levels", expected, error.line), {}
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        problem = f" ({error.problem})" if error.problem else ""
        return _unread(f"text that does not parse{problem}", "YAML 1.2", line), {}
    except YAMLError as error:
        problem = str(error).partition("\n")[0]
        return _unread(f"text that does not parse ({problem})", "YAML 1.2", None), {}
    reading = Reading(value, tuple(builder.refusals), is_whole=True)
    return reading, builder.lines


def _build_document(builder: _Builder) -> JsonValue:
    value: JsonValue = None
    count = 0
    for event in builder.events:
        if isinstance(event, StreamStartEvent | StreamEndEvent | DocumentEndEvent):
            continue
        if isinstance(event, DocumentStartEvent):
            count += 1
            if count > 1:
                builder.refuse("", "a second document", "one document", event)
                break
            continue
        value = builder.build(event, "", 1)
    return value


def _unread(found: str, expected: str, line: int | None) -> Reading:
    return Reading(None, (Refusal("", found, expected, line),), is_whole=False)
