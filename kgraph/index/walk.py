"""Everything that a snapshot holds, a chunk at a time: for what reads it whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgraph.index import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from kgraph.digest import SpecDigest
    from kgraph.facts import ObjectFact, PublicationFact, RecordEventFact
    from kgraph.index.read import Index
    from kgraph.vocab import Kind, Slug

CHUNK = 500
"""Most rows that are read at once."""


@dataclass(frozen=True, slots=True)
class ListedFact:
    """What Listings say of one manifest, field by field the last that was published."""

    subject: SpecDigest
    slug: str | None
    aliases: tuple[str, ...]
    """Empty where none are listed."""
    tags: tuple[str, ...] | None
    """None where tags are not listed at all."""
    project: SpecDigest | None
    published_at: datetime | None
    role: str | None
    source: Slug | None
    """Whose Listing it was; None for one that names no source."""
    cohort: str | None


def walk_current_objects(index: Index, kind: Kind) -> Iterator[list[ObjectFact]]:
    """The objects of a kind that are shown, by spec digest. Source: table `object`."""
    after = ""
    while True:
        found = index.fetch(
            f"SELECT {', '.join(rows.OBJECT_COLUMNS)} FROM object WHERE kind = ? AND is_current"
            f" AND digest > ? ORDER BY digest LIMIT {CHUNK}",
            [kind.value, after],
        )
        if not found:
            return
        chunk = [rows.make_object(row) for row in found]
        yield chunk
        after = chunk[-1].digest


def walk_objects(index: Index, kinds: Iterable[Kind]) -> Iterator[list[ObjectFact]]:
    """Every object of these kinds, shown or not, by publication and object id.

    Source: table `object`.
    """
    names = [kind.value for kind in kinds]
    sequence, after = 0, ""
    while names:
        found = index.fetch(
            f"SELECT {', '.join(rows.OBJECT_COLUMNS)} FROM object WHERE kind IN"
            f" ({', '.join('?' * len(names))})"
            " AND sequence >= ? AND (sequence > ? OR object_id > ?)"
            f" ORDER BY sequence, object_id LIMIT {CHUNK}",
            [*names, sequence, sequence, after],
        )
        if not found:
            return
        chunk = [rows.make_object(row) for row in found]
        yield chunk
        sequence, after = chunk[-1].sequence, chunk[-1].object_id


def walk_record_events(index: Index) -> Iterator[list[RecordEventFact]]:
    """The whole record history, by cohort and ordinal. Source: table `event`."""
    cohort, ordinal = "", 0
    while True:
        found = index.fetch(
            f"SELECT {', '.join(rows.EVENT_COLUMNS)} FROM event WHERE cohort >= ?"
            " AND (cohort > ? OR ordinal > ?)"
            f" ORDER BY cohort, ordinal LIMIT {CHUNK}",
            [cohort, cohort, ordinal],
        )
        if not found:
            return
        chunk = [rows.make_event(row) for row in found]
        yield chunk
        cohort, ordinal = chunk[-1].cohort, chunk[-1].ordinal


def walk_publications(index: Index) -> Iterator[list[PublicationFact]]:
    """Every publication, first to last. Source: table `publication`."""
    after = 0
    while True:
        found = index.fetch(
            f"SELECT {', '.join(rows.PUBLICATION_COLUMNS)} FROM publication WHERE sequence > ?"
            f" ORDER BY sequence LIMIT {CHUNK}",
            [after],
        )
        if not found:
            return
        chunk = [rows.make_publication(row) for row in found]
        yield chunk
        after = chunk[-1].sequence


_LISTED = ["slug", "aliases", "tags", "project", "published_at", "role", "source", "cohort"]


def query_listed(index: Index, subjects: Iterable[SpecDigest]) -> dict[SpecDigest, ListedFact]:
    """What Listings say of manifests; absent where they say nothing. Source: `raw_listing`."""
    keys = list(subjects)
    if not keys:
        return {}
    last = ", ".join(f"arg_max({name}, listed) FILTER ({name} IS NOT NULL)" for name in _LISTED)
    found = index.fetch(
        f"SELECT subject, {last} FROM (SELECT *, sequence::BIGINT * 100000000 + ordinal AS listed"
        f" FROM raw_listing WHERE subject IN ({', '.join('?' * len(keys))})) GROUP BY subject",
        keys,
    )
    return {row[0]: _make_listed(row) for row in found}


def _make_listed(row: tuple[Any, ...]) -> ListedFact:
    subject, slug, aliases, tags, project, published_at, role, source, cohort = row
    return ListedFact(
        subject,
        slug,
        tuple(aliases or ()),
        None if tags is None else tuple(tags),
        project,
        None if published_at is None else rows.make_instant(published_at),
        role,
        source,
        cohort,
    )


def query_superseded(index: Index, runs: Iterable[SpecDigest]) -> dict[SpecDigest, SpecDigest]:
    """The run that each of `runs` takes the place of, the first named. Source: `correction`."""
    found = index.fetch_by(
        "correction",
        ("replacement", "run"),
        "replacement",
        list(runs),
        order="made_at DESC, run DESC",
    )
    return dict(found)
