"""Plain JSON values to their one canonical form (RFC 8785), and strict JSON text to plain values.

One form only: keys sorted by UTF-16 code units, no blanks, UTF-8, the shortest float as ECMAScript
writes it. The reader refuses what the form cannot hold, and what another reader might take another
way: duplicate keys, NaN and infinities, whole numbers beyond 2^53 - 1 in magnitude (a float such as
1e20 too, since its canonical form is a whole number), lone surrogates, a byte order mark.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import orjson
import rfc8785

from kgraph.errors import KgraphError

JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)
"""What JSON can say. Object keys are text; sequences are lists or tuples."""

MAX_BYTES: Final = 1024 * 1024
"""Longest document that the reader takes, in bytes."""

MAX_DEPTH: Final = 64
"""Most levels of nested objects and lists that the reader takes; the outermost is level 1."""

MAX_INTEGER: Final = 2**53 - 1
"""Largest whole number that every JSON reader keeps exactly (RFC 7493)."""

# From here up the canonical form writes an exponent, and a reader sees a float again.
_EXPONENT_FROM: Final = 1e21

_SHOWN_CHARACTERS: Final = 80
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why a document is not taken."""

    path: str
    """Where, as `spec.inputs[0].dtype`; empty for the document as a whole."""
    found: str
    """What stands there, cut at 80 characters."""
    expected: str
    """What may stand there."""
    line: int | None = None
    """Line in the document, counted from 1; None where the reader does not know it."""

    def __str__(self) -> str:
        """The refusal as one clause of a message."""
        place = self.path or "document"
        if self.line is not None:
            place += f" (line {self.line})"
        return f"{place}: found {self.found}, expected {self.expected}"


class NotCanonicalError(KgraphError):
    """A value has no canonical form."""

    code = "NOT_CANONICAL"

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(f"canonical JSON: {refusal}")


class JsonRefusedError(KgraphError):
    """A JSON document is refused; every reason is listed."""

    code = "JSON_REFUSED"

    def __init__(self, where: str, refusals: tuple[Refusal, ...]) -> None:
        self.where, self.refusals = where, refusals
        super().__init__(f"{where}: " + "; ".join(str(refusal) for refusal in refusals))


@dataclass(frozen=True, slots=True)
class Reading:
    """A JSON document as far as it could be read."""

    value: JsonValue
    """The document; where something was refused, what could be kept of it (None if nothing)."""
    refusals: tuple[Refusal, ...]
    """Empty for a document that is taken."""
    is_whole: bool
    """Whether `value` has the shape of the document, so that further checks make sense."""


def join_path(path: str, key: str | int) -> str:
    """The path of a member of what stands at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{_quote(key)}]"
    return f"{path}.{key}" if path else key


def show(value: object) -> str:
    """A value as a message shows it: scalars as JSON, containers by their size, never long."""
    if isinstance(value, str):
        text = _quote(value[: _SHOWN_CHARACTERS + 1])
    elif isinstance(value, bool) or value is None:
        text = json.dumps(value)
    elif isinstance(value, Mapping):
        return f"an object of {len(value)} fields"
    elif isinstance(value, Sequence):
        return f"a list of {len(value)} items"
    else:
        text = repr(value)
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _quote(text: str) -> str:
    """Text in quotes, control characters escaped; lone surrogates too, as no stream takes them."""
    return json.dumps(text, ensure_ascii=_LONE_SURROGATE.search(text) is not None)


# --- writing ---------------------------------------------------------------------------------

_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)

# orjson writes floats with an exponent from 1e16 up and below 1e-5; ECMAScript from 1e21 up and
# below 1e-6. So exponents of at least 0 and of -1 to -6 need the slow pass. A number follows `":`,
# `[` or `,`; text that merely looks like one costs a slow pass, never a wrong byte.
_EXPONENT: Final = re.compile(rb'(?:":|[\[,])-?[0-9][0-9.]*e(?:-[1-6](?![0-9])|[+0-9])')

# First bytes of the UTF-8 form of characters beyond U+FFFF.
_BEYOND_BMP: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")

# The pattern costs more than orjson itself, so these marks decide whether to look for it at all.
# They hold for releases of orjson that write `1e+16`; others wrote `1e16`, which hides in hex text.
_MARKED: Final = orjson.dumps([1e-5, 1e-6, 1e16]) == b"[0.00001,1e-6,1e+16]"


def _encode_fast(value: JsonValue) -> bytes | None:  # noqa: PLR0911 - one return a doubt
    """Canonical bytes, or None where orjson's form may differ from RFC 8785 or it refuses."""
    try:
        content = orjson.dumps(value, option=_OPTIONS)
    except (TypeError, RecursionError):
        return None
    # Whole floats (`1.0`, `-0.0`), where ECMAScript writes no fraction.
    if b".0" in content and (
        b".0," in content or b".0}" in content or b".0]" in content or content.endswith(b".0")
    ):
        return None
    if b"null" in content:  # what NaN and infinities come out as
        return None
    is_marked = b"e+" in content or b"e-6" in content or not _MARKED
    if is_marked and _EXPONENT.search(content):
        return None
    if not content.isascii() and any(lead in content for lead in _BEYOND_BMP):
        # UTF-16 order, which RFC 8785 asks for, differs from UTF-8 order beyond U+FFFF only.
        return None
    if content[:1] not in b'{["tf':  # a bare number has no character before it to look for
        return None
    return content


def encode_canonical(value: JsonValue) -> bytes:
    """The canonical JSON bytes of a value (RFC 8785), without a final newline.

    Raises:
        NotCanonicalError: the value holds NaN, an infinity, an integer beyond 2^53 - 1 in
            magnitude, a lone surrogate, a key that is not text, or something JSON cannot say.
    """
    content = _encode_fast(value)
    return content if content is not None else _encode_slowly(value)


def _encode_slowly(value: JsonValue) -> bytes:
    refusal = _why_not_canonical(value, "")
    if refusal is not None:
        raise NotCanonicalError(refusal)
    return bytes(rfc8785.dumps(value))


def _why_not_canonical(  # noqa: PLR0912 - one branch a JSON type
    value: object, path: str
) -> Refusal | None:
    """The first thing in the value that has no canonical form."""
    refusal: Refusal | None = None
    if isinstance(value, str):
        refusal = _why_not_text(value, path)
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            refusal = Refusal(path, show(value), _INTEGER_RANGE)
    elif isinstance(value, float):
        if not math.isfinite(value):
            refusal = Refusal(path, show(value), "a finite number")
    elif isinstance(value, Mapping):
        for key, member in value.items():
            if not isinstance(key, str):
                return Refusal(path, f"the key {show(key)}", "keys that are text")
            below = join_path(path, key)
            refusal = _why_not_text(key, path) or _why_not_canonical(member, below)
            if refusal is not None:
                break
    elif isinstance(value, list | tuple):
        for number, member in enumerate(value):
            refusal = _why_not_canonical(member, join_path(path, number))
            if refusal is not None:
                break
    else:
        refusal = Refusal(path, f"a {type(value).__name__}", "a JSON value")
    return refusal


def _why_not_text(text: str, path: str) -> Refusal | None:
    if _LONE_SURROGATE.search(text) is not None:
        return Refusal(path, show(text), "text without lone surrogates")
    return None


# --- reading ---------------------------------------------------------------------------------

_INTEGER_RANGE: Final = "a whole number from -(2^53 - 1) to 2^53 - 1"
_DEPTH_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def decode_json(content: bytes, *, where: str) -> JsonValue:
    """The value that a JSON document holds.

    Args:
        content: the document; UTF-8, at most `MAX_BYTES` bytes and `MAX_DEPTH` levels.
        where: names the document in messages, e.g. a file path.

    Raises:
        JsonRefusedError: the document is refused; all its refusals are listed, each with its path.
    """
    reading = read_json(content)
    if reading.refusals:
        raise JsonRefusedError(where, reading.refusals)
    return reading.value


def read_json(content: bytes, *, max_bytes: int = MAX_BYTES) -> Reading:  # noqa: PLR0911 - one return a way to fail
    """What a JSON document holds, with everything that is refused about it.

    Args:
        max_bytes: a longer document is not read; more than `MAX_BYTES` only where it holds several.
    """
    if len(content) > max_bytes:
        return _unread(f"{len(content)} bytes", f"at most {max_bytes} bytes")
    value = _read_canonical(content)
    if value is not None:
        return Reading(value, (), is_whole=True)
    depth = _depth_of(content)
    if depth > MAX_DEPTH:
        return _unread(f"{depth} levels", f"at most {MAX_DEPTH} levels of nesting")
    if content.startswith(b"\xef\xbb\xbf"):
        return _unread("a byte order mark", "UTF-8 without a byte order mark")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _unread(f"byte 0x{content[error.start]:02x} at offset {error.start}", "UTF-8 text")
    try:
        tree = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        found = f"{_near(text, error.pos)} at line {error.lineno}, column {error.colno}"
        return _unread(found, f"JSON ({error.msg})", line=error.lineno)
    refusals: list[Refusal] = []
    value = _plain(tree, "", refusals)
    return Reading(value, tuple(refusals), is_whole=True)


def _unread(found: str, expected: str, *, line: int | None = None) -> Reading:
    return Reading(None, (Refusal("", found, expected, line),), is_whole=False)


def _near(text: str, position: int) -> str:
    return "the end of the document" if position >= len(text) else show(text[position])


def _may_be_deep(content: bytes) -> bool:
    """Whether a document has brackets enough to nest too far; cheap, counts those in text too."""
    return content.count(b"{") + content.count(b"[") > MAX_DEPTH


def _depth_of(content: bytes) -> int:
    """Levels of nesting in a document that may not even parse."""
    if not _may_be_deep(content):
        return 0
    depth = deepest = 0
    for match in _DEPTH_TOKEN.finditer(content):
        token = content[match.start()]
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


def _read_canonical(content: bytes) -> JsonValue:
    """The value of a document that is its own canonical form; None for any other.

    Canonical bytes hold no duplicate key, no number out of range and no lone surrogate, so a value
    that encodes to the very bytes it was read from needs no second look. Stored objects are such.
    """
    try:
        value: JsonValue = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    if _encode_fast(value) != content:
        return None
    return None if _may_be_deep(content) and _levels(value) > MAX_DEPTH else value


def _levels(value: JsonValue) -> int:
    """Levels of nesting in a value that a parser with a limit of its own has built."""
    if isinstance(value, dict):
        return 1 + max(map(_levels, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_levels, value), default=0)
    return 0


class _Pairs(list[tuple[str, object]]):
    """The members of an object in the order written, duplicates included."""


@dataclass(frozen=True, slots=True)
class _RefusedNumber:
    """A number literal that has no place in a document."""

    text: str
    expected: str


def _parse_integer(text: str) -> object:
    # A bound on the digits keeps int() from reading megabytes of them.
    if len(text) > len("-9007199254740991") or abs(int(text)) > MAX_INTEGER:
        return _RefusedNumber(text, _INTEGER_RANGE)
    return int(text)


def _parse_float(text: str) -> object:
    value = float(text)
    if not math.isfinite(value):
        return _RefusedNumber(text, "a number within the range of a double")
    if MAX_INTEGER < abs(value) < _EXPONENT_FROM:
        return _RefusedNumber(text, _INTEGER_RANGE)
    return value


def _parse_constant(text: str) -> object:
    return _RefusedNumber(text, "a finite number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_int=_parse_integer,
    parse_float=_parse_float,
    parse_constant=_parse_constant,
)


def _plain(node: object, path: str, refusals: list[Refusal]) -> JsonValue:
    """The node as plain values; what is refused below it is added to `refusals`."""
    if isinstance(node, _Pairs):
        members: dict[str, JsonValue] = {}
        for key, below in node:
            below_path = join_path(path, key)
            surrogate = _why_not_text(key, path)
            if surrogate is not None:
                refusals.append(surrogate)
            if key in members:
                refusals.append(Refusal(below_path, "the key a second time", "each key once"))
            members[key] = _plain(below, below_path, refusals)
        return members
    if isinstance(node, list):
        return [_plain(below, join_path(path, at), refusals) for at, below in enumerate(node)]
    if isinstance(node, _RefusedNumber):
        refusals.append(Refusal(path, _cut(node.text), node.expected))
        return 0
    if isinstance(node, str):
        surrogate = _why_not_text(node, path)
        if surrogate is not None:
            refusals.append(surrogate)
        return node
    return cast("bool | int | float | None", node)  # nothing else comes out of the parser
