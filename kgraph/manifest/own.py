"""kgraph's own kinds: Source, Listing, Attestation, Correction, Publication."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator

from kgraph.manifest.base import Manifest, OwnVersion, Part
from kgraph.manifest.fields import (
    AsSet,
    Count,
    Instant,
    Line,
    Long,
    Many,
    ObjectIdText,
    Positive,
    Short,
    SlugText,
    SpecDigestText,
    Word,
    refuse,
)


class SourceTerms(Part):
    """Meaning of a Source."""

    name: Short
    """As the source calls itself."""
    kind: Word
    """The source's own word: benchmark, leaderboard, runner."""
    url: Long | None = None
    """Its page."""
    license: Short | None = None
    """Licence of the data, as the source writes it."""
    attribution: Long | None = None
    """Whom to credit, and how."""
    terms: Long | None = None
    """What else binds those who use the data."""
    verified_at: Instant | None = None
    """When the terms were last read."""
    freshness_days: Positive | None = None
    """How often the source is expected to bring something new."""


class Source(Manifest):
    """Where runs come from, and on which terms; `metadata.name` is its slug."""

    api_version: OwnVersion
    """Vocabulary of kgraph's own kinds."""
    kind: Literal["Source"]
    """Always Source."""
    spec: SourceTerms
    """Meaning."""


class Entry(Part):
    """Editorial facts about one manifest."""

    subject: SpecDigestText
    """Spec digest of the manifest."""
    slug: SlugText | None = None
    """Name in addresses."""
    aliases: AsSet[Short] | None = None
    """Other names it is known by."""
    tags: AsSet[Short] | None = None
    """Words it may be found by."""
    project: SpecDigestText | None = None
    """Spec digest of the SoftwareProject it belongs to."""
    published_at: Instant | None = None
    """When its source published it."""
    role: Word | None = None
    """`baseline` for what others are compared with."""
    cohort: SpecDigestText | None = None
    """Cohort key that a serving run's source publishes."""


def _sort_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    ordered = tuple(sorted(entries, key=lambda entry: entry.subject))
    for before, after in itertools.pairwise(ordered):
        if before.subject == after.subject:
            raise refuse(f"two entries about {after.subject}", "one entry a subject")
    return ordered


class ArtifactEntry(Part):
    """Bytes that manifests cite by digest and no store holds."""

    content_digest: SpecDigestText
    """SHA-256 of the bytes."""
    kind: Word
    """What they are, e.g. `source` or `log`."""
    media_type: Short | None = None
    """Type of the content, e.g. `text/x-python`."""
    size_bytes: Count | None = None
    """How many there are."""
    storage: Word | None = None
    """How the source keeps them, in its own word."""
    uri: Long | None = None
    """Where they may be fetched; unset where the source gives no address."""
    license: Short | None = None
    """As the source writes it."""


def _sort_artifacts(artifacts: tuple[ArtifactEntry, ...]) -> tuple[ArtifactEntry, ...]:
    ordered = tuple(sorted(artifacts, key=lambda artifact: artifact.content_digest))
    for before, after in itertools.pairwise(ordered):
        if before.content_digest == after.content_digest:
            raise refuse(f"{after.content_digest} twice", "one entry an artifact")
    return ordered


class Entries(Part):
    """Meaning of a Listing."""

    source: SlugText | None = None
    """Source whose manifests are described."""
    entries: Annotated[Many[Entry], AfterValidator(_sort_entries)]
    """Facts, one entry a subject, sorted by subject; empty where only artifacts are listed."""
    artifacts: Annotated[Many[ArtifactEntry], AfterValidator(_sort_artifacts)] | None = None
    """Bytes kept elsewhere, sorted by their digest."""

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if not self.entries and not self.artifacts:
            raise refuse("neither entries nor artifacts", "at least one of them")
        return self


class Listing(Manifest):
    """Editorial facts that a catalogue adds to manifests it may not change."""

    api_version: OwnVersion
    """Vocabulary of kgraph's own kinds."""
    kind: Literal["Listing"]
    """Always Listing."""
    spec: Entries
    """Meaning."""


class Statement(Part):
    """Meaning of an Attestation."""

    run: SpecDigestText
    """Spec digest of the run it is about."""
    kind: Literal["reproduction", "note", "dispute"]
    """What is said; shown, never counted as evidence."""
    statement: Long
    """In words."""
    by: Short
    """Who says so."""
    at: Instant
    """When, UTC."""


class Attestation(Manifest):
    """What a third party says about a run."""

    api_version: OwnVersion
    """Vocabulary of kgraph's own kinds."""
    kind: Literal["Attestation"]
    """Always Attestation."""
    spec: Statement
    """Meaning."""


class Change(Part):
    """Meaning of a Correction."""

    run: SpecDigestText
    """Spec digest of the run that no longer stands."""
    action: Literal["retract", "supersede"]
    """What happens to it; it stays readable."""
    replacement: SpecDigestText | None = None
    """Spec digest of the run that takes its place; for supersede only."""
    reason: Line
    """Why."""
    by: Short
    """Who says so."""
    at: Instant
    """When, UTC."""

    @model_validator(mode="after")
    def _check_replacement(self) -> Self:
        if (self.replacement is not None) != (self.action == "supersede"):
            found = "none" if self.replacement is None else self.replacement
            raise refuse(
                f"action {self.action} with replacement {found}",
                "a replacement for supersede and for nothing else",
            )
        if self.replacement == self.run:
            raise refuse("the run itself as its replacement", "another run")
        return self


class Correction(Manifest):
    """Retracts or supersedes a run; the run itself stays."""

    api_version: OwnVersion
    """Vocabulary of kgraph's own kinds."""
    kind: Literal["Correction"]
    """Always Correction."""
    spec: Change
    """Meaning."""


class LogEntry(Part):
    """Meaning of a Publication."""

    sequence: Positive
    """Its number in the log, from 1."""
    parent: ObjectIdText | None = None
    """Object id of the entry before; unset for the first."""
    source: SlugText | None = None
    """Slug of the source whose objects it brings; unset where it is none's."""
    published_at: Instant
    """When, UTC."""
    published_by: Short
    """Who."""
    object_count: Count
    """How many objects it adds."""
    objects: AsSet[ObjectIdText] | None = None
    """Their ids, sorted, where they are stored loose."""
    packs: AsSet[ObjectIdText] | None = None
    """Ids of the packs that hold them, sorted, where they are many."""
    message: Long | None = None
    """For people."""

    @model_validator(mode="after")
    def _check_chain(self) -> Self:
        if (self.parent is None) != (self.sequence == 1):
            found = "no parent" if self.parent is None else "a parent"
            raise refuse(f"sequence {self.sequence} with {found}", "a parent for all but the first")
        if self.packs is None and len(self.objects or ()) != self.object_count:
            raise refuse(
                f"objectCount {self.object_count} with {len(self.objects or ())} objects",
                "as many objects as are counted",
            )
        return self


class Publication(Manifest):
    """One entry of the append-only log; its object id is a snapshot."""

    api_version: OwnVersion
    """Vocabulary of kgraph's own kinds."""
    kind: Literal["Publication"]
    """Always Publication."""
    spec: LogEntry
    """Meaning."""
