"""What the log and the store hold: publications, objects, sources and what is said of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.vocab import AttestationKind, CorrectionAction, Kind, Slug


@dataclass(frozen=True, slots=True)
class PublicationFact:
    """One entry of the log."""

    sequence: int
    """1 for the first entry of the chain."""
    object_id: ObjectId
    """Also the snapshot: it names the whole catalogue as of this entry."""
    parent: ObjectId | None
    """None for the first entry."""
    source: Slug | None
    """The source whose runs it brought; None where it is the catalogue's own note."""
    published_at: datetime
    published_by: str
    message: str | None
    object_count: int


@dataclass(frozen=True, slots=True)
class ObjectFact:
    """One stored manifest, whatever its kind."""

    object_id: ObjectId
    digest: SpecDigest
    kind: Kind
    name: str
    size_bytes: int
    """Length of its canonical JSON."""
    sequence: int
    """Number of the publication that added it."""
    is_current: bool
    """False where a later object with the same spec digest is shown in its place."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """Where runs come from, and on which terms."""

    slug: Slug
    digest: SpecDigest
    name: str
    kind: str
    """The source's own word: benchmark, leaderboard, runner."""
    url: str | None
    license: str | None
    """As the source writes it; not necessarily SPDX."""
    attribution: str | None
    terms: str | None
    freshness_days: int | None
    run_count: int
    last_observed_at: datetime | None
    """None where no run of it is stored."""


@dataclass(frozen=True, slots=True)
class CorrectionFact:
    """A published retraction or supersession of one run."""

    object_id: ObjectId
    run: SpecDigest
    action: CorrectionAction
    replacement: SpecDigest | None
    """The run that takes its place; given for a supersession only."""
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AttestationFact:
    """What a third party states about a run; shown, never evidence."""

    object_id: ObjectId
    run: SpecDigest
    kind: AttestationKind
    statement: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CountsFact:
    """How much a snapshot holds."""

    families: int
    operations: int
    workloads: int
    implementations: int
    runs: int
    eligible_runs: int
    cohorts: int
    """Cohorts with at least one run, eligible or not."""
    record_events: int
    hardware: int
    """Distinct products measured by kernel runs."""
    serving_runs: int
    sources: int
