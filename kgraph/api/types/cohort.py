"""Cohorts and the ranked runs in them."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import Profile
from kgraph.api.inputs.facet import CohortFacet
from kgraph.api.lazy import (
    LazyFamily,
    LazyOperation,
    LazyRankedRunConnection,
    LazyRecordEventConnection,
    LazyRun,
    LazyStrictRankingConnection,
    LazyWorkload,
)
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import cohort as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.measure import Aggregate, Evidence, FacetCount, Metric
from kgraph.api.types.source import Source
from kgraph.digest import SpecDigest
from kgraph.facts import CohortFact, Filter, JudgedRun
from kgraph.units import format_quantity
from kgraph.vocab import CohortKey, Slug


@object_type
class RankedRun:
    """An eligible run where it stands in its cohort."""

    rank: int = plain("Dense rank, 1 best; equal runs share it.")
    tied: bool = plain("Whether another run shares the rank.")
    position: int = plain("Place in display order, 1 first; inside a tie it is never a claim.")
    value: float = plain("Primary measurement, in `unit`; integer nanoseconds for latencies.")
    unit: str | None = plain("Unit of the value; null where the metric has none.")
    display: str = plain("The value for people, as `13.8 ms`.")
    ratio_to_leader: float = plain("1.0 for the leader; above 1 is worse, whatever the metric.")
    speedup_over_baseline: float | None = plain(
        "Above 1 is better than the cohort's baseline; null where it has none."
    )
    is_baseline: bool = plain("Whether its source labels the implementation as the baseline.")
    evidence: Evidence = plain("How well it is supported.")
    stale: bool = plain("Whether it was observed more than 180 days before now.")
    run: LazyRun = linked(resolve.resolve_run_of_ranked, "The run.")
    fact: strawberry.Private[JudgedRun]

    @classmethod
    def from_fact(cls, fact: JudgedRun, *, stale: bool) -> RankedRun | None:
        """The run where it stands; None where it is not eligible."""
        standing, run = fact.standing, fact.run
        if standing is None or run.value is None:
            return None
        return cls(
            rank=standing.rank,
            tied=standing.is_tied,
            position=standing.position,
            value=run.value,
            unit=run.unit,
            display=format_quantity(run.value, run.unit),
            ratio_to_leader=standing.ratio_to_leader,
            speedup_over_baseline=standing.speedup_over_baseline,
            is_baseline=run.is_baseline,
            evidence=Evidence.from_verdict(fact.verdict),
            stale=stale,
            fact=fact,
        )


@object_type
class RankedRunConnection(Connection[RankedRun]):
    """A page of a cohort's ranking."""


@object_type
class Cohort(Node):
    """Runs that may be compared: they share all but the implementation."""

    key: CohortKey = plain("Names everything that its runs share.")
    profile: Profile = plain("Under whose rules its runs were made.")
    policy: str = plain("Version of the ranking rules, as `ranking-v1`.")
    metric: Metric = plain("What it is ranked by.")
    run_count: int = plain("Runs in it, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing in it is eligible."
    )
    record_since: datetime | None = plain(
        "When the standing record was observed; null where there is none."
    )
    record_event_count: int = plain("How often its record changed, the first record counted.")
    operation: LazyOperation = linked(resolve.resolve_operation_of_cohort, "What is computed.")
    family: LazyFamily = linked(resolve.resolve_family_of_cohort, "Family of the operation.")
    workload: LazyWorkload = linked(resolve.resolve_workload_of_cohort, "Which instance of it.")
    protocol: Protocol = linked(resolve.resolve_protocol_of_cohort, "How its runs are measured.")
    environment: Environment = linked(
        resolve.resolve_environment_of_cohort, "Where its runs are measured."
    )
    hardware: Hardware = linked(resolve.resolve_hardware_of_cohort, "Device of the environment.")
    source: Source = linked(resolve.resolve_source_of_cohort, "Where its runs come from.")
    record: RankedRun | None = linked(
        resolve.resolve_record_of_cohort,
        "The run that holds the standing record; null where nothing in it is eligible.",
    )
    ranking: LazyRankedRunConnection = linked(
        resolve.resolve_ranking, "Its eligible runs, best first."
    )
    strict_ranking: LazyStrictRankingConnection = linked(
        resolve.resolve_strict_ranking,
        "Its eligible runs by what their raw samples and declared intervals allow to say, best "
        "first; empty where it is not known which way its metric goes.",
    )
    history: LazyRecordEventConnection = linked(
        resolve.resolve_history, "Changes of its record, oldest first."
    )
    headroom: Headroom | None = linked(
        resolve.resolve_headroom,
        "Estimated floor that the hardware sets; null for suites, which have no single shape.",
    )
    operation_digest: strawberry.Private[SpecDigest]
    family_slug: strawberry.Private[Slug]
    workload_digest: strawberry.Private[SpecDigest]
    protocol_digest: strawberry.Private[SpecDigest]
    environment_digest: strawberry.Private[SpecDigest]
    source_slug: strawberry.Private[Slug]

    @classmethod
    def from_fact(cls, fact: CohortFact) -> Cohort:
        """The cohort as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.COHORT, fact.key),
            key=fact.key,
            profile=fact.profile,
            policy=fact.policy,
            metric=Metric(name=fact.metric, statistic=fact.statistic, unit=fact.unit),
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            last_observed_at=fact.last_observed_at,
            record_since=fact.record_since,
            record_event_count=fact.record_event_count,
            operation_digest=fact.operation,
            family_slug=fact.family,
            workload_digest=fact.workload,
            protocol_digest=fact.protocol,
            environment_digest=fact.environment,
            source_slug=fact.source,
        )


@object_type
class CohortConnection(Connection[Cohort]):
    """A page of cohorts."""

    facets: list[FacetCount] = linked(
        count_by("cohorts", CohortFacet), "How many cohorts share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("cohorts"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
