"""The two names of a manifest: spec digest (meaning) and object id (storage).

`SpecDigest` is `sha256:<64 hex>`, SHA-256 over the canonical JSON of `{apiVersion, kind, spec}`.
`ObjectId` is `blake3:<64 hex>`, BLAKE3 over the canonical JSON of the whole manifest. They are two
types and never swap. Text is parsed here, at the edge; a path or a query is built only from what
came of it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import NewType

from blake3 import blake3

from kgraph.errors import KgraphError

SpecDigest = NewType("SpecDigest", str)
"""`sha256:` and 64 lower-case hex digits: what a manifest means."""

ObjectId = NewType("ObjectId", str)
"""`blake3:` and 64 lower-case hex digits: which bytes are stored."""

MIN_PREFIX_HEX = 8
"""Fewest hex digits that a person may type in place of a full name (`domain.md` §2)."""

_HEX = re.compile(r"[0-9a-f]{64}")
_REF = re.compile(r"(?:(sha256|blake3):)?([0-9a-f]{8,64})")


class BadDigestError(KgraphError):
    """Text that should name a manifest does not."""

    code = "BAD_DIGEST"

    def __init__(self, text: str, expected: str) -> None:
        self.text, self.expected = text, expected
        super().__init__(f"digest: found {text[:90]!r}, expected {expected}")


@dataclass(frozen=True, slots=True)
class DigestPrefix:
    """What a person typed to name a manifest: an algorithm if given, and 8 to 64 hex digits."""

    algorithm: str | None
    """`sha256`, `blake3`, or None where the person gave bare hex: then both are searched."""
    hex: str

    @property
    def is_full(self) -> bool:
        """Whether all 64 digits are given."""
        return len(self.hex) == 64  # noqa: PLR2004 - the length of both digests in hex


def parse_spec_digest(text: str) -> SpecDigest:
    """The spec digest that `text` writes out in full.

    Raises:
        BadDigestError: the text is anything else.
    """
    if text.startswith("sha256:") and _HEX.fullmatch(text, 7):
        return SpecDigest(text)
    raise BadDigestError(text, "sha256: and 64 lower-case hex digits")


def parse_object_id(text: str) -> ObjectId:
    """The object id that `text` writes out in full.

    Raises:
        BadDigestError: the text is anything else.
    """
    if text.startswith("blake3:") and _HEX.fullmatch(text, 7):
        return ObjectId(text)
    raise BadDigestError(text, "blake3: and 64 lower-case hex digits")


def parse_ref(text: str) -> DigestPrefix:
    """A full name or a prefix of one, as a person types it.

    Raises:
        BadDigestError: fewer than 8 hex digits, other characters, or an unknown algorithm.
    """
    match = _REF.fullmatch(text.strip())
    if match is None:
        raise BadDigestError(
            text, "sha256: or blake3: (optional) and 8 to 64 lower-case hex digits"
        )
    return DigestPrefix(match.group(1), match.group(2))


def digest_spec(canonical: bytes) -> SpecDigest:
    """The spec digest of canonical JSON of exactly `{apiVersion, kind, spec}`."""
    return SpecDigest("sha256:" + hashlib.sha256(canonical).hexdigest())


def digest_object(canonical: bytes) -> ObjectId:
    """The object id of canonical JSON of a whole manifest."""
    return ObjectId("blake3:" + blake3(canonical).hexdigest())


def short(name: str) -> str:
    """The first 8 hex digits of a digest: how a person refers to it in text, never an identity."""
    return name.partition(":")[2][:8]
