"""A sealed pack: many objects in one file, each readable alone.

Layout, integers little-endian:

    header      magic `KGRAPHPK`, version u32, zero u32
    frames      zstd frames; each holds whole objects end to end, nothing between frames
    dictionary  the zstd dictionary that all frames share; may be empty
    frame table a frame: stored length u32, length of its content u32
    ids         the objects' BLAKE3, 32 bytes each, ascending
    places      an object, in the order of ids: frame u32, offset in its content u32, length u32
    footer      start of dictionary u64, its length u32, frames u32, objects u32, zero u32,
                BLAKE3 of header, dictionary, tables and footer so far (32 bytes), magic `KGPKEND1`

Dictionary, tables and footer (the directory) are verified when a pack is opened; a frame is
verified by the object's own name when it is read; the whole file by its own name when it is
checked. Offsets of frames are sums of stored lengths, so frames cannot overlap or leave gaps, and
the file has no byte that nothing covers.

Objects are stored in the order of their bytes, so that alike ones share a frame. Measured on 19,765
public manifests of 935 bytes each: frames of one object 187 bytes an object, frames of 32 KiB 80,
of 1 MiB 70, while an id and its place cost 44 that no compression can save. So the size of a frame
is chosen for reading one object. The same contents give the same bytes under one zstd release.
"""

from __future__ import annotations

import struct
import threading
from bisect import bisect_left
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

import zstandard
from blake3 import blake3

from kgraph.digest import ObjectId
from kgraph.store.damage import (
    EmptyPackError,
    ObjectCorruptError,
    PackCorruptError,
    Problem,
    Severity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MAX_OBJECT_BYTES = 16 << 20
"""Largest object that a store takes; a bound for memory, far above any manifest."""

_HEADER = struct.pack("<8sII", b"KGRAPHPK", 1, 0)
_FOOTER = struct.Struct("<QIIII32s8s")
_FOOTER_SIGNED = 24
_FOOTER_MAGIC = b"KGPKEND1"
_FRAME = struct.Struct("<II")
_PLACE = struct.Struct("<III")
_ID_BYTES = 32

# 32 KiB decompresses in some 20 microseconds: what reading a single object may cost.
_FRAME_TARGET_BYTES = 32 << 10
_MAX_FRAME_BYTES = MAX_OBJECT_BYTES + _FRAME_TARGET_BYTES
_MAX_DICTIONARY_BYTES = 1 << 20

# Level 3 is four times as fast as level 9, which saves 3 of the some 120 bytes an object takes.
_LEVEL = 3
# A dictionary of 16 KiB earns its place from some hundred kilobytes of content on.
_DICTIONARY_BYTES = 16 << 10
_DICTIONARY_WORTH_BYTES = 256 << 10
_DICTIONARY_SAMPLES = 400
# Lengths of the strings that the trainer looks for and keeps; fixed, so that it does not search and
# stays fast.
_DICTIONARY_DMER, _DICTIONARY_SEGMENT = 8, 256
# The trainer crashes the process on few or tiny samples (facebook/zstd issues 3599 and 4499), which
# hold no dictionary anyway.
_MIN_SAMPLES, _MIN_SAMPLE_BYTES = 50, 64

_WORKERS = 2
_READ_AHEAD_BYTES = 4 << 20
_CACHED_FRAMES = 8


@dataclass(frozen=True, slots=True)
class SealedPack:
    """A pack as bytes, and what it holds."""

    name: str
    """64 hex digits: BLAKE3 of `data`."""
    data: bytes
    object_ids: tuple[ObjectId, ...]
    """Ascending, each once."""


def encode_pack(contents: Iterable[bytes]) -> SealedPack:
    """A pack of the distinct `contents`, none of which is above `MAX_OBJECT_BYTES`.

    Raises:
        EmptyPackError: there are none.
    """
    ordered = sorted(set(contents))
    if not ordered:
        raise EmptyPackError
    places: list[tuple[bytes, int, int, int]] = []
    raw_frames: list[bytes] = []
    pending: list[bytes] = []
    filled = 0
    for content in ordered:
        if filled and filled + len(content) > _FRAME_TARGET_BYTES:
            raw_frames.append(b"".join(pending))
            pending, filled = [], 0
        places.append((blake3(content).digest(), len(raw_frames), filled, len(content)))
        pending.append(content)
        filled += len(content)
    raw_frames.append(b"".join(pending))
    places.sort()

    dictionary = _train_dictionary(ordered)
    frames = _compress(raw_frames, dictionary)
    tables = b"".join(
        (
            *(
                _FRAME.pack(len(frame), len(raw))
                for frame, raw in zip(frames, raw_frames, strict=True)
            ),
            *(raw_id for raw_id, _, _, _ in places),
            *(_PLACE.pack(frame, offset, length) for _, frame, offset, length in places),
        )
    )
    start = len(_HEADER) + sum(map(len, frames))
    signed = struct.pack("<QIIII", start, len(dictionary), len(frames), len(places), 0)
    directory_digest = blake3(_HEADER + dictionary + tables + signed).digest()
    data = b"".join((_HEADER, *frames, dictionary, tables, signed, directory_digest, _FOOTER_MAGIC))
    return SealedPack(
        name=blake3(data).hexdigest(),
        data=data,
        object_ids=tuple(_object_id(raw_id) for raw_id, _, _, _ in places),
    )


class Pack:
    """An open pack: its directory in memory, its frames read when asked for.

    Args:
        where: what a person calls the file.
        size_bytes: length of the file.
        read_range: bytes of the file from a start, at most so many.

    Raises:
        PackCorruptError: the directory is not what the format promises. Frames are not looked at.
    """

    def __init__(
        self, where: str, size_bytes: int, read_range: Callable[[int, int], bytes]
    ) -> None:
        self.where = where
        self.size_bytes = size_bytes
        self._read_range = read_range
        self._lock = threading.Lock()
        self._recent: OrderedDict[int, bytes] = OrderedDict()

        if size_bytes < len(_HEADER) + _FOOTER.size:
            raise self._corrupt(f"{size_bytes} bytes", "at least a header and a footer")
        header = self._read(0, len(_HEADER), "header")
        if header != _HEADER:
            raise self._corrupt(
                f"{header[:12]!r} at its start", "the header of a pack of version 1"
            )
        footer = self._read(size_bytes - _FOOTER.size, _FOOTER.size, "footer")
        start, dictionary_bytes, self.frame_count, self.object_count, _, digest, magic = (
            _FOOTER.unpack(footer)
        )
        if magic != _FOOTER_MAGIC:
            raise self._corrupt(f"{magic!r} at its end", "the end mark of a pack")
        tables_bytes = _FRAME.size * self.frame_count + (
            (_ID_BYTES + _PLACE.size) * self.object_count
        )
        # The lengths must fill the file exactly, so nothing larger than the file is ever asked for.
        if (
            start < len(_HEADER)
            or start + dictionary_bytes + tables_bytes + _FOOTER.size != size_bytes
        ):
            raise self._corrupt(
                "a footer whose lengths do not add up", f"{size_bytes} bytes in all"
            )
        if dictionary_bytes > _MAX_DICTIONARY_BYTES:
            raise self._corrupt(f"a dictionary of {dictionary_bytes} bytes", "at most 1 MiB")
        directory = self._read(start, dictionary_bytes + tables_bytes, "directory")
        if blake3(header + directory + footer[:_FOOTER_SIGNED]).digest() != digest:
            raise self._corrupt(
                "a dictionary or index of another digest", "the digest in its footer"
            )

        frames_end = dictionary_bytes + _FRAME.size * self.frame_count
        ids_end = frames_end + _ID_BYTES * self.object_count
        frames = list(_FRAME.iter_unpack(directory[dictionary_bytes:frames_end]))
        self._raw_bytes = [raw for _, raw in frames]
        self._starts = list(accumulate((stored for stored, _ in frames), initial=len(_HEADER)))
        if self._starts[-1] != start:
            raise self._corrupt(
                "frames that do not end where the dictionary starts", f"byte {start}"
            )
        if max(self._raw_bytes, default=0) > _MAX_FRAME_BYTES:
            raise self._corrupt(
                f"a frame of {max(self._raw_bytes)} bytes", f"at most {_MAX_FRAME_BYTES}"
            )
        self._ids = directory[frames_end:ids_end]
        self._places = directory[ids_end:]
        self._dictionary = (
            zstandard.ZstdCompressionDict(directory[:dictionary_bytes])
            if dictionary_bytes
            else None
        )

    def find(self, raw_id: bytes) -> int | None:
        """Position of the object among the ids, ascending; None where the pack does not hold it."""
        position = bisect_left(range(self.object_count), raw_id, key=self.raw_id)
        if position < self.object_count and self.raw_id(position) == raw_id:
            return position
        return None

    def find_prefix(self, low: bytes, high: bytes) -> Iterator[bytes]:
        """Raw ids from `low` to `high`, both included."""
        position = bisect_left(range(self.object_count), low, key=self.raw_id)
        while position < self.object_count and (raw_id := self.raw_id(position)) <= high:
            yield raw_id
            position += 1

    def raw_id(self, position: int) -> bytes:
        """The 32 bytes that name the object at `position`."""
        return self._ids[position * _ID_BYTES : (position + 1) * _ID_BYTES]

    def iter_raw_ids(self) -> Iterator[bytes]:
        """All raw ids, ascending."""
        return map(self.raw_id, range(self.object_count))

    def read(self, position: int) -> bytes:
        """The object at `position`, verified against its name.

        Raises:
            PackCorruptError: its frame cannot be read.
            ObjectCorruptError: the frame holds other bytes.
        """
        frame, offset, length = self._place(position)
        with self._lock:
            content = self._recent.pop(frame, None)
            if content is None:
                content = self._decompress(frame, self._read_frames(frame, frame + 1))
            self._recent[frame] = content
            if len(self._recent) > _CACHED_FRAMES:
                self._recent.popitem(last=False)
        try:
            return self._verified(position, content[offset : offset + length])
        except ObjectCorruptError:
            # A repaired file is read afresh.
            with self._lock:
                self._recent.pop(frame, None)
            raise

    def read_many(self, positions: Iterable[int]) -> Iterator[tuple[bytes, bytes]]:
        """Raw id and verified content of each position, in the order in which the pack stores them.

        Raises:
            PackCorruptError: a frame cannot be read.
            ObjectCorruptError: a frame holds other bytes.
        """
        wanted = sorted((*self._place(position), position) for position in positions)
        frames = [frame for frame, _ in groupby(wanted, key=lambda place: place[0])]
        by_frame = groupby(wanted, key=lambda place: place[0])
        for (_, places), content in zip(by_frame, self._iter_frames(frames), strict=True):
            for _, offset, length, position in places:
                yield (
                    self.raw_id(position),
                    self._verified(position, content[offset : offset + length]),
                )

    def check(
        self, name: str, visit: Callable[[ObjectId, bytes], None] | None = None
    ) -> Iterator[Problem]:
        """Everything that is wrong with the pack, every byte read and every object hashed.

        Args:
            name: the 64 hex digits that the file is named by.
            visit: called with each intact object.
        """
        digest = blake3()
        for start in range(0, self.size_bytes, _READ_AHEAD_BYTES):
            digest.update(
                self._read(start, min(_READ_AHEAD_BYTES, self.size_bytes - start), "file")
            )
        if digest.hexdigest() != name:
            yield self._problem(
                f"holds bytes of BLAKE3 {digest.hexdigest()}, expected its name", None
            )
        if any(one >= two for one, two in pairwise(self.iter_raw_ids())):
            yield self._problem("has ids out of order, expected them ascending", None)
        by_frame: dict[int, list[int]] = {}
        for position in range(self.object_count):
            try:
                frame, _, _ = self._place(position)
            except PackCorruptError as error:
                yield self._problem(
                    f"found {error.found}, expected {error.expected}", self._named(position)
                )
            else:
                by_frame.setdefault(frame, []).append(position)
        for frame in range(self.frame_count):
            yield from self._check_frame(frame, by_frame.get(frame, []), visit)

    def _check_frame(
        self,
        frame: int,
        positions: Sequence[int],
        visit: Callable[[ObjectId, bytes], None] | None,
    ) -> Iterator[Problem]:
        try:
            content = self._decompress(frame, self._read_frames(frame, frame + 1))
        except PackCorruptError as error:
            what = f"found {error.found}, expected {error.expected}"
            # A frame that nothing points into is damage too, though no object is lost by it.
            for position in positions:
                yield Problem(error.where, what, self._named(position), Severity.DAMAGE)
            if not positions:
                yield Problem(error.where, what, None, Severity.DAMAGE)
            return
        for position in positions:
            _, offset, length = self._place(position)
            try:
                verified = self._verified(position, content[offset : offset + length])
            except ObjectCorruptError as error:
                yield Problem(
                    error.where,
                    f"named {error.named} but holds {error.actual}",
                    error.named,
                    Severity.DAMAGE,
                )
            else:
                if visit is not None:
                    visit(self._named(position), verified)

    def _place(self, position: int) -> tuple[int, int, int]:
        place: tuple[int, int, int] = _PLACE.unpack_from(self._places, position * _PLACE.size)
        frame, offset, length = place
        if frame >= self.frame_count or offset + length > self._raw_bytes[frame]:
            raise self._corrupt(
                f"object {position} at frame {frame}, bytes {offset} to {offset + length}",
                "a place inside one of its frames",
            )
        return place

    def _iter_frames(self, frames: list[int]) -> Iterator[bytes]:
        """Content of each of the ascending `frames`; neighbours are read together."""
        first = 0
        while first < len(frames):
            last = first
            while (
                last + 1 < len(frames)
                and frames[last + 1] == frames[last] + 1
                and self._starts[frames[last + 1] + 1] - self._starts[frames[first]]
                <= _READ_AHEAD_BYTES
            ):
                last += 1
            stored = self._read_frames(frames[first], frames[last] + 1)
            base = self._starts[frames[first]]
            for frame in frames[first : last + 1]:
                span = slice(self._starts[frame] - base, self._starts[frame + 1] - base)
                yield self._decompress(frame, stored[span])
            first = last + 1

    def _read_frames(self, first: int, end: int) -> bytes:
        start = self._starts[first]
        return self._read(start, self._starts[end] - start, f"frame {first}")

    def _decompress(self, frame: int, stored: bytes) -> bytes:
        raw_bytes = self._raw_bytes[frame]
        try:
            # The size inside the frame is what the decompressor allocates: it must be the one in
            # the table, which has a bound, before anything is allocated.
            claimed = zstandard.frame_content_size(stored)
            if claimed != raw_bytes:
                raise self._corrupt(
                    f"frame {frame} of {claimed} bytes", f"{raw_bytes} bytes as its table says"
                )
            return zstandard.ZstdDecompressor(dict_data=self._dictionary).decompress(
                stored, allow_extra_data=False
            )
        except zstandard.ZstdError as error:
            raise self._corrupt(f"frame {frame} damaged ({error})", "a zstd frame") from error

    def _verified(self, position: int, content: bytes) -> bytes:
        actual = blake3(content).digest()
        if actual != self.raw_id(position):
            raise ObjectCorruptError(self.where, self._named(position), _object_id(actual))
        return content

    def _named(self, position: int) -> ObjectId:
        return _object_id(self.raw_id(position))

    def _read(self, start: int, length: int, part: str) -> bytes:
        data = self._read_range(start, length)
        if len(data) != length:
            raise self._corrupt(f"{part} of {len(data)} bytes", f"{length} bytes")
        return data

    def _corrupt(self, found: str, expected: str) -> PackCorruptError:
        return PackCorruptError(self.where, found, expected)

    def _problem(self, what: str, affects: ObjectId | None) -> Problem:
        return Problem(self.where, what, affects, Severity.DAMAGE)


def _object_id(raw_id: bytes) -> ObjectId:
    return ObjectId(f"blake3:{raw_id.hex()}")


def _train_dictionary(ordered: Sequence[bytes]) -> bytes:
    if sum(map(len, ordered)) < _DICTIONARY_WORTH_BYTES:
        return b""
    step = -(-len(ordered) // _DICTIONARY_SAMPLES)
    samples: list[bytes | bytearray | memoryview[int]] = [
        content[:_DICTIONARY_BYTES]
        for content in ordered[::step]
        if len(content) >= _MIN_SAMPLE_BYTES
    ]
    if len(samples) < _MIN_SAMPLES:
        return b""
    try:
        trained = zstandard.train_dictionary(
            _DICTIONARY_BYTES, samples, k=_DICTIONARY_SEGMENT, d=_DICTIONARY_DMER, level=_LEVEL
        )
    except zstandard.ZstdError:
        # The trainer found nothing worth keeping; frames do without a dictionary.
        return b""
    return trained.as_bytes()


def _compress(raw_frames: Sequence[bytes], dictionary: bytes) -> list[bytes]:
    shared = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    if shared is not None:
        shared.precompute_compress(level=_LEVEL)

    def compress(part: Sequence[bytes]) -> list[bytes]:
        compressor = zstandard.ZstdCompressor(
            level=_LEVEL, dict_data=shared, write_content_size=True, write_dict_id=False
        )
        return [compressor.compress(raw) for raw in part]

    half = -(-len(raw_frames) // _WORKERS)
    parts = [raw_frames[start : start + half] for start in range(0, len(raw_frames), half)]
    if len(parts) == 1:
        return compress(parts[0])
    with ThreadPoolExecutor(_WORKERS) as pool:
        return [frame for part in pool.map(compress, parts) for frame in part]
