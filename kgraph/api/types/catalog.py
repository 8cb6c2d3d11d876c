"""The catalogue as a whole."""

from __future__ import annotations

from datetime import datetime

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.resolvers import catalog as resolve
from kgraph.api.types.source import Source
from kgraph.catalog import PolicyVersions as PolicyVersionsFact
from kgraph.digest import ObjectId
from kgraph.facts import CountsFact


@object_type
class Counts:
    """How much a snapshot holds."""

    families: int = plain("Families of operations.")
    operations: int = plain("Operations.")
    workloads: int = plain("Workloads, cases and suites.")
    implementations: int = plain("Implementations.")
    runs: int = plain("Kernel runs, eligible or not.")
    eligible_runs: int = plain("Kernel runs that take part in ranking.")
    cohorts: int = plain("Cohorts with at least one run.")
    record_events: int = plain("Changes of a record.")
    hardware: int = plain("Products measured by kernel runs.")
    serving_runs: int = plain("End-to-end serving runs.")
    sources: int = plain("Sources.")

    @classmethod
    def from_fact(cls, fact: CountsFact) -> Counts:
        """The counts as the API shows them."""
        return cls(
            families=fact.families,
            operations=fact.operations,
            workloads=fact.workloads,
            implementations=fact.implementations,
            runs=fact.runs,
            eligible_runs=fact.eligible_runs,
            cohorts=fact.cohorts,
            record_events=fact.record_events,
            hardware=fact.hardware,
            serving_runs=fact.serving_runs,
            sources=fact.sources,
        )


@object_type
class PolicyVersions:
    """Versions of the rules behind every verdict of a snapshot."""

    ranking: str = plain("Of ranking, as `ranking-v1`.")
    headroom: list[str] = plain("Of the floor estimates that can be asked for.", size=2)
    deployability: str = plain("Of what counts as usable today.")

    @classmethod
    def from_fact(cls, fact: PolicyVersionsFact) -> PolicyVersions:
        """The versions as the API shows them."""
        return cls(
            ranking=fact.ranking, headroom=list(fact.headroom), deployability=fact.deployability
        )


@object_type
class Catalog:
    """The whole catalogue as of one snapshot."""

    snapshot: ObjectId = plain("Names this state; every answer carries it.")
    published_at: datetime | None = linked(
        resolve.resolve_published_at,
        "When its last publication was made; null where nothing was published yet.",
    )
    counts: Counts = linked(resolve.resolve_counts, "How much it holds.")
    policies: PolicyVersions = plain("Versions of the rules behind every verdict.")
    sources: list[Source] = linked(
        resolve.resolve_sources, "Where its runs come from, by slug; at most 200.", size=20
    )
