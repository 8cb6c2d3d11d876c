"""Whole answers kept in bounded memory, each with the validator that names it."""

from __future__ import annotations

import gzip
import hashlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
import zstandard
from cachetools import LRUCache

if TYPE_CHECKING:
    from kgraph.digest import ObjectId

MIN_CODED = 1_024
"""Shorter answers are sent plain: they fit one packet either way."""

# Level 5 takes a third of the time of the usual 9 and is within 3 % of its size on our answers.
_GZIP_LEVEL = 5
# The usual level: a fifth of gzip's time for fewer bytes.
_ZSTD_LEVEL = 3


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that an answer depends on; equal questions have equal answers, byte for byte."""

    edition: str
    """Of the program and its limits; another one may answer otherwise."""
    snapshot: ObjectId
    document: str
    """Equal for documents that differ in blanks and comments alone."""
    variables: bytes
    """Canonical: sorted keys, no blanks."""
    operation_name: str | None
    now: str
    """The moment that staleness and citations are judged at."""
    base_url: str
    media_type: str

    @property
    def etag(self) -> str:
        """Strong validator of the plain answer, with its quotes."""
        parts = (
            self.edition,
            self.snapshot,
            self.document,
            self.operation_name,
            self.now,
            self.base_url,
            self.media_type,
        )
        told = orjson.dumps(parts) + b"\n" + self.variables
        return f'"{hashlib.sha256(told).hexdigest()[:40]}"'


class StoredAnswer:
    """An encoded answer, compressed when first asked for so and never again."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._coded: dict[str, bytes] = {}

    def encode(self, coding: str | None) -> tuple[bytes, str | None]:
        """The answer in a content coding, and the coding; plain where compressing does not pay.

        The same bytes each time.
        """
        if coding is None or len(self.content) < MIN_CODED:
            return self.content, None
        coded = self._coded.get(coding)
        if coded is None:
            coded = self._coded[coding] = _compress(self.content, coding)
        return coded, coding


def tag_coding(etag: str, coding: str | None) -> str:
    """The validator of an answer in a content coding: other bytes have another name."""
    return etag if coding is None else f'{etag[:-1]}-{coding}"'


def _compress(content: bytes, coding: str) -> bytes:
    if coding == "zstd":
        return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(content)
    return gzip.compress(content, compresslevel=_GZIP_LEVEL, mtime=0)


class AnswerCache:
    """Answers by the validator of their question, least recently used out first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        # In both codings an answer takes about a quarter more; counted with the plain bytes.
        self._answers: LRUCache[str, StoredAnswer] = LRUCache(
            max(max_bytes, 1), getsizeof=lambda answer: len(answer.content) * 5 // 4 + 200
        )
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    @property
    def size_bytes(self) -> int:
        """Memory that is taken now."""
        return int(self._answers.currsize)

    def get(self, etag: str) -> StoredAnswer | None:
        """The answer; None where it is not kept."""
        with self._lock:
            found = self._answers.get(etag)
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
            return found

    def put(self, etag: str, answer: StoredAnswer) -> None:
        """Keep an answer, unless it alone would push out most others."""
        with self._lock:
            if len(answer.content) * 8 <= self._max_bytes:
                self._answers[etag] = answer
