"""One entry of the log: a Publication manifest, to and from its canonical bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kgraph.canonical import MAX_BYTES, JsonValue, decode_json
from kgraph.digest import ObjectId, digest_object
from kgraph.errors import DamageError, KgraphError
from kgraph.manifest import identify, make_manifest
from kgraph.vocab import KGRAPH_API_VERSION, Kind, Slug

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY = re.compile(r"log/([0-9]{8})\.json")

# Eight digits: what the names of the files have room for.
MAX_SEQUENCE = 99_999_999


class ChainBrokenError(DamageError):
    """An entry of the log is missing, is no Publication, or does not follow the one before."""

    code = "CHAIN_BROKEN"

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(
            f"{where}: found {found}, expected {expected}; copy the log again from another store"
        )


class PublicationTooLargeError(KgraphError):
    """A Publication lists more ids than one manifest may hold."""

    code = "PUBLICATION_TOO_LARGE"

    def __init__(self, object_count: int, size_bytes: int) -> None:
        self.object_count, self.size_bytes = object_count, size_bytes
        super().__init__(
            f"publication: {object_count} ids take {size_bytes} bytes, expected at most "
            f"{MAX_BYTES}; store the objects as a pack and cite that"
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """What a writer says of a publication; the log adds its number, parent and count."""

    published_at: datetime
    """With a time zone; kept to the millisecond. Where its parent's is later, the log takes that:
    time never runs backwards along the chain."""
    published_by: str
    objects: tuple[ObjectId, ...] = ()
    """Ids of the objects it adds, where they are stored loose; any order."""
    packs: tuple[ObjectId, ...] = ()
    """Else the ids of the packs that hold them."""
    source: Slug | None = None
    """None where the objects are no source's."""
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """What an entry says (`domain.md` §8)."""

    sequence: int
    parent: ObjectId | None
    """None for the first entry."""
    source: Slug | None
    """None where the objects are no source's."""
    published_at: str
    """UTC instant, `2026-01-02T03:04:05.678Z`."""
    published_by: str
    object_count: int
    objects: tuple[ObjectId, ...]
    """Sorted; empty where packs hold them."""
    packs: tuple[ObjectId, ...]
    """Sorted; empty where the objects are listed."""
    message: str | None

    @property
    def instant(self) -> datetime:
        """`published_at` as a point in time, UTC."""
        return datetime.fromisoformat(self.published_at)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One stored publication."""

    sequence: int
    """1 for the first."""
    object_id: ObjectId
    """The snapshot: it names this entry and, through the parents, all before it."""
    publication: Publication
    content: bytes
    """Its canonical JSON."""


def entry_key(sequence: int) -> str:
    """Key of entry `sequence`."""
    return f"log/{sequence:08d}.json"


def entry_sequence(key: str) -> int | None:
    """Number of the entry under `key`; None where no entry has such a key."""
    match = _KEY.fullmatch(key)
    return int(match.group(1)) or None if match else None


def encode_entry(draft: Draft, parent: LogEntry | None, object_count: int) -> LogEntry:
    """The entry that would follow `parent`, ready to be stored.

    Raises:
        PublicationTooLargeError: it lists too many ids.
        KgraphError: the manifest is refused, e.g. for a message that is too long.
    """
    sequence = 1 if parent is None else parent.sequence + 1
    instant = draft.published_at
    if parent is not None:
        instant = max(instant, parent.publication.instant)
    spec: dict[str, JsonValue] = {
        "sequence": sequence,
        "publishedAt": _format_instant(instant),
        "publishedBy": draft.published_by,
        "objectCount": object_count,
    }
    if parent is not None:
        spec["parent"] = parent.object_id
    if draft.source is not None:
        spec["source"] = draft.source
    if draft.message is not None:
        spec["message"] = draft.message
    if draft.packs:
        spec["packs"] = sorted(set(draft.packs))
    else:
        spec["objects"] = sorted(set(draft.objects))
    value: JsonValue = {
        "apiVersion": KGRAPH_API_VERSION,
        "kind": Kind.PUBLICATION.value,
        "metadata": {"name": f"publication-{sequence:08d}"},
        "spec": spec,
    }
    content = identify(make_manifest(value, where=f"publication {sequence}")).content
    if len(content) > MAX_BYTES:
        raise PublicationTooLargeError(object_count, len(content))
    return LogEntry(sequence, digest_object(content), _read_publication(spec), content)


def decode_entry(content: bytes, sequence: int, where: str) -> LogEntry:
    """The entry that `content` holds; its parent is not looked at.

    Raises:
        ChainBrokenError: it is not the canonical JSON of a Publication of that number.
    """
    try:
        value = decode_json(content, where=where)
        identified = identify(make_manifest(value, where=where))
    except KgraphError as error:
        raise ChainBrokenError(where, f"no manifest ({error})", "a Publication") from error
    if identified.kind != Kind.PUBLICATION or not isinstance(value, dict):
        raise ChainBrokenError(where, f"a {identified.kind}", "a Publication")
    if identified.content != content:
        raise ChainBrokenError(where, "JSON in another form", "canonical JSON")
    spec = value["spec"]
    if not isinstance(spec, dict) or spec["sequence"] != sequence:
        raise ChainBrokenError(where, "a Publication of another number", f"number {sequence}")
    return LogEntry(sequence, identified.object_id, _read_publication(spec), content)


def _read_publication(spec: dict[str, JsonValue]) -> Publication:
    """The fields of a spec that the manifest room has accepted, under their own types."""
    sequence, object_count = spec["sequence"], spec["objectCount"]
    assert isinstance(sequence, int)  # noqa: S101 - accepted by the manifest room
    assert isinstance(object_count, int)  # noqa: S101 - likewise
    parent, source = _text(spec, "parent"), _text(spec, "source")
    return Publication(
        sequence=sequence,
        parent=None if parent is None else ObjectId(parent),
        source=None if source is None else Slug(source),
        published_at=_text(spec, "publishedAt") or "",
        published_by=_text(spec, "publishedBy") or "",
        object_count=object_count,
        objects=_ids(spec.get("objects")),
        packs=_ids(spec.get("packs")),
        message=_text(spec, "message"),
    )


def _text(spec: dict[str, JsonValue], key: str) -> str | None:
    value = spec.get(key)
    assert value is None or isinstance(value, str)  # noqa: S101 - accepted by the manifest room
    return value


def _ids(value: JsonValue) -> tuple[ObjectId, ...]:
    items: Sequence[JsonValue] = value if isinstance(value, list | tuple) else ()
    return tuple(ObjectId(str(item)) for item in items)


def _format_instant(instant: datetime) -> str:
    text = instant.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"
