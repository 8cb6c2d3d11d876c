"""Numbered lines of an export file, plain or compressed with zstd, read in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import zstandard

from kgraph.canonical import MAX_BYTES
from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE_BYTES = 4 * MAX_BYTES
"""Longest line that is read: the row of a run holds three manifests, each of which may be as long
as a JSON document. The public export's longest is 9 KB."""

MAX_TOTAL_BYTES = 1024 * 1024 * 1024
"""Most bytes that a file may unpack to: twenty times the public export."""

# zstd packs 128 KiB of one repeated byte into 4, so what one piece unpacks to is bounded by its
# size: 2 KiB in, at most 64 MiB out.
_PIECE_BYTES = 2 * 1024
_PLAIN_PIECE_BYTES = 256 * 1024
# What a decoder may be made to allocate; the format's own recommendation is 8 MiB.
_MAX_WINDOW_BYTES = 128 * 1024 * 1024
_FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"


class StreamDamagedError(KgraphError):
    """A file whose bytes stop making sense; nothing in it can be trusted."""

    code = "SOURCE_DAMAGED"

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(f"{where}: found {found}, expected {expected}; fetch the file again")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, without its end."""

    number: int
    """1 for the first."""
    content: bytes | None
    """None where the line is longer than `MAX_LINE_BYTES`; it is passed over unread."""


def read_lines(
    stream: BinaryIO,
    *,
    name: str,
    max_line_bytes: int = MAX_LINE_BYTES,
    max_total_bytes: int = MAX_TOTAL_BYTES,
) -> Iterator[Line]:
    """Lines of `stream` in order; what it is, plain or zstd, is seen from its first bytes.

    Args:
        stream: read from where it stands to its end.
        name: how the file is called in errors; a name that ends in `.zst` promises zstd.
        max_line_bytes: a longer line is passed over.
        max_total_bytes: a file that unpacks to more is refused.

    Raises:
        StreamDamagedError: the compressed stream is cut short, fails its checksum, is followed by
            other bytes or is not zstd though its name says so, or unpacks to too much.
    """
    number, total = 1, 0
    held = bytearray()
    is_overlong = False
    try:
        for piece in _unpack(stream, name):
            total += len(piece)
            if total > max_total_bytes:
                raise _Damage(f"more than {max_total_bytes} bytes", "a catalogue export")
            start = 0
            while (end := piece.find(b"\n", start)) >= 0:
                is_overlong = is_overlong or len(held) + end - start > max_line_bytes
                yield Line(number, None if is_overlong else bytes(held) + piece[start:end])
                held.clear()
                is_overlong = False
                number += 1
                start = end + 1
            if is_overlong or len(held) + len(piece) - start > max_line_bytes:
                is_overlong = True
                held.clear()
            else:
                held += piece[start:]
    except _Damage as damage:
        raise StreamDamagedError(f"{name}:{number}", damage.found, damage.expected) from damage
    except zstandard.ZstdError as error:
        found = f"zstd data that cannot be read ({error})"
        raise StreamDamagedError(f"{name}:{number}", found, "an intact zstd stream") from error
    if held or is_overlong:
        yield Line(number, None if is_overlong else bytes(held))


class _Damage(Exception):  # noqa: N818 - carries what was found up to where the line is known
    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(found)


def _unpack(stream: BinaryIO, name: str) -> Iterator[bytes]:
    first = stream.read(_PIECE_BYTES)
    if _starts_frame(first):
        yield from _unpack_frames(stream, first)
        return
    if name.endswith(".zst"):
        raise _Damage("bytes that are not zstd", "a zstd stream, as the name says")
    while first:
        yield first
        first = stream.read(_PLAIN_PIECE_BYTES)


def _unpack_frames(stream: BinaryIO, piece: bytes) -> Iterator[bytes]:
    decoder = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
    frame = decoder.decompressobj()
    while piece:
        yield frame.decompress(piece)
        piece = frame.unused_data if frame.eof else b""
        if frame.eof:
            # The next frame's magic may be split between two pieces.
            piece += b"" if len(piece) >= len(_FRAME_MAGIC) else stream.read(_PIECE_BYTES)
            if piece and not _starts_frame(piece):
                raise _Damage("other bytes after the end of the zstd stream", "the end of the file")
            if not piece:
                return
            frame = decoder.decompressobj()
        else:
            piece = stream.read(_PIECE_BYTES)
    raise _Damage("the end of the file inside a zstd frame", "a whole zstd stream")


def _starts_frame(piece: bytes) -> bool:
    is_skippable = piece[1:4] == _SKIPPABLE_MAGIC and 0x50 <= piece[0] <= 0x5F  # noqa: PLR2004 - the format's range
    return piece.startswith(_FRAME_MAGIC) or is_skippable
