"""Parts of a run: labels, standing, what its source says, what others say of it."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import object_type, plain
from kgraph.api.enums import AttestationKind, CorrectionAction, RunWarningCode
from kgraph.api.lazy import LazyRun
from kgraph.api.scalars import Json
from kgraph.digest import SpecDigest
from kgraph.facts import AttestationFact, CorrectionFact


@object_type
class Label:
    """A label that the publisher put on a manifest."""

    name: str = plain("Its name.")
    value: str = plain("Its value.")


@object_type
class RunWarning:
    """Something about a run that a reader should know; it alters no rank."""

    code: RunWarningCode = plain("What it is.")
    message: str = plain("The same for people, with the names.")


@object_type
class Correctness:
    """What is known of a run's outputs being right."""

    comparator: str = plain(
        "How outputs were compared; `not_asserted` where no policy was published."
    )
    asserted: bool = plain("Whether the source published a correctness policy at all.")
    maximum_absolute_error: float | None = plain(
        "As the source observed it; null where not stated."
    )
    maximum_relative_error: float | None = plain(
        "As the source observed it; null where not stated."
    )


@object_type
class Standing:
    """Where an eligible run stands in its cohort."""

    rank: int = plain("Dense rank, 1 best; equal runs share it.")
    tied: bool = plain("Whether another run shares the rank.")
    position: int = plain("Place in display order; inside a tie it is never a claim.")
    cohort_size: int = plain("Eligible runs of the cohort.")
    ratio_to_leader: float = plain("1.0 for the leader; above 1 is worse, whatever the metric.")
    speedup_over_baseline: float | None = plain(
        "Above 1 is better than the cohort's baseline; null where it has none."
    )
    leader: LazyRun = plain("The run that holds the cohort's record.")


@object_type
class NativeMetric:
    """A number as the source itself published it, in its own words."""

    name: str = plain("The source's name for it, as `ms_50`.")
    value: Json = plain("The value, all digits kept.")


@object_type
class SourceNative:
    """How the source itself names and reports a run."""

    source: str = plain("The source's slug.")
    benchmark: str | None = plain("Its benchmark; null where not stated.")
    external_id: str | None = plain("Its own id of the run; null where not stated.")
    metrics: list[NativeMetric] = plain("Its numbers, by name.", size=5)


@object_type
class Artifact:
    """Something that a run or its implementation points to: logs, samples, source text."""

    kind: str = plain("What it is, as `logs`.")
    digest: str | None = plain("Digest of its content; null where it is not identified.")
    uri: str | None = plain("Where it is; null where it is not public.")


@object_type
class Attestation:
    """What a third party states about a run. It never changes the evidence level."""

    id: strawberry.ID = plain("Object id of its manifest.")
    kind: AttestationKind = plain("What it is.")
    statement: str = plain("What is stated.")
    by: str = plain("Who states it.")
    at: datetime = plain("When it was stated.")

    @classmethod
    def from_fact(cls, fact: AttestationFact) -> Attestation:
        """The attestation as the API shows it."""
        return cls(
            id=strawberry.ID(fact.object_id),
            kind=fact.kind,
            statement=fact.statement,
            by=fact.by,
            at=fact.at,
        )


@object_type
class AttestationConnection(Connection[Attestation]):
    """A page of attestations."""


@object_type
class Correction:
    """A published retraction or supersession of a run."""

    id: strawberry.ID = plain("Object id of its manifest.")
    action: CorrectionAction = plain("What it does.")
    replacement: SpecDigest | None = plain("The run that takes its place; null for a retraction.")
    reason: str = plain("Why it was made.")
    by: str = plain("Who made it.")
    at: datetime = plain("When it was made.")

    @classmethod
    def from_fact(cls, fact: CorrectionFact) -> Correction:
        """The correction as the API shows it."""
        return cls(
            id=strawberry.ID(fact.object_id),
            action=fact.action,
            replacement=fact.replacement,
            reason=fact.reason,
            by=fact.by,
            at=fact.at,
        )


@object_type
class Citation:
    """How to cite a run: always by digest, so that a reader can check what was meant."""

    text: str = plain("One sentence for people.")
    bibtex: str = plain("An entry for BibTeX.")
    csl_json: Json = plain("An item of the Citation Style Language.")
    permalink: str = plain("Address of the stored object; its content never changes.")
