"""One entry of the log: a Publication manifest, to and from its canonical bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from kgraph.canonical import JsonValue, decode_json
from kgraph.digest import ObjectId
from kgraph.errors import DamageError, KgraphError
from kgraph.manifest import Publication as PublicationManifest
from kgraph.manifest import identify, make_manifest
from kgraph.vocab import KGRAPH_API_VERSION, Kind, Slug

_KEY = re.compile(r"log/([0-9]{8})\.json")

MAX_LISTED_IDS = 10_000
"""Most ids that a publication lists: 76 bytes each, in a manifest of at most 1 MiB."""

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

    def __init__(self, id_count: int) -> None:
        self.id_count = id_count
        super().__init__(
            f"publication: found {id_count} ids, expected at most {MAX_LISTED_IDS}; "
            "store the objects as packs and cite those"
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
        ManifestRefusedError: the manifest is refused, e.g. for a message that is too long.
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
    value: dict[str, JsonValue] = {
        "apiVersion": KGRAPH_API_VERSION,
        "kind": Kind.PUBLICATION.value,
        "metadata": {"name": f"publication-{sequence:08d}"},
        "spec": spec,
    }
    manifest = make_manifest(value, where=f"publication {sequence}")
    assert isinstance(manifest, PublicationManifest)  # noqa: S101 - its kind is written above
    identified = identify(manifest)
    return LogEntry(sequence, identified.object_id, _read_publication(manifest), identified.content)


def decode_entry(content: bytes, sequence: int, where: str) -> LogEntry:
    """The entry that `content` holds; its parent is not looked at.

    Raises:
        ChainBrokenError: it is not the canonical JSON of a Publication of that number.
    """
    try:
        value = decode_json(content, where=where)
        manifest = make_manifest(value if isinstance(value, dict) else {}, where=where)
        identified = identify(manifest)
    except KgraphError as error:
        raise ChainBrokenError(where, f"no manifest ({error})", "a Publication") from error
    if not isinstance(manifest, PublicationManifest):
        raise ChainBrokenError(where, f"a {identified.kind}", "a Publication")
    if identified.content != content:
        raise ChainBrokenError(where, "JSON in another form", "canonical JSON")
    publication = _read_publication(manifest)
    if publication.sequence != sequence:
        raise ChainBrokenError(where, f"number {publication.sequence}", f"number {sequence}")
    return LogEntry(sequence, identified.object_id, publication, content)


def _read_publication(manifest: PublicationManifest) -> Publication:
    spec = manifest.spec
    return Publication(
        sequence=spec.sequence,
        parent=None if spec.parent is None else ObjectId(spec.parent),
        source=None if spec.source is None else Slug(spec.source),
        published_at=spec.published_at,
        published_by=spec.published_by,
        object_count=spec.object_count,
        objects=tuple(map(ObjectId, spec.objects or ())),
        packs=tuple(map(ObjectId, spec.packs or ())),
        message=spec.message,
    )


def _format_instant(instant: datetime) -> str:
    text = instant.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"
