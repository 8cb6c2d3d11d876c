"""Opportunities: how far records lie above the floor that hardware sets."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import BelowFloor, Bound, HeadroomPolicy
from kgraph.api.inputs.facet import OpportunityFacet
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers import opportunity as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.api.types.standing import ReasonCount
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, OpportunityFact
from kgraph.units import format_quantity
from kgraph.vocab import CohortKey


@object_type
class Opportunity:
    """A record beside its floor; the floor is an estimate, never evidence."""

    policy: HeadroomPolicy = plain("Version of the estimate.")
    floor_ns: float = plain("The floor in nanoseconds.")
    floor_display: str = plain("The floor for people, as `779.1 µs`.")
    record_ns: float = plain("The record in nanoseconds.")
    record_display: str = plain("The record for people.")
    record_ratio: float = plain("Record over floor: the larger, the more may be left to gain.")
    bound: Bound | None = plain("Resource that sets the floor; null where not known.")
    below_floor: BelowFloor | None = plain(
        "What explains a record below the floor; null where it is not below."
    )
    caveat: str | None = plain(
        "Given where data may stay in cache, so that a smaller time is possible."
    )
    cohort: LazyCohort = linked(resolve.resolve_cohort_of_opportunity, "Where the record stands.")
    run: LazyRun = linked(resolve.resolve_run_of_opportunity, "The run that holds it.")
    cohort_key: strawberry.Private[CohortKey]
    run_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: OpportunityFact) -> Opportunity:
        """The opportunity as the API shows it."""
        return cls(
            policy=fact.policy,
            floor_ns=fact.floor_ns,
            floor_display=format_quantity(fact.floor_ns, "ns"),
            record_ns=fact.record_ns,
            record_display=format_quantity(fact.record_ns, "ns"),
            record_ratio=fact.record_ratio,
            bound=fact.bound,
            below_floor=fact.below_floor,
            caveat=fact.caveat,
            cohort_key=fact.cohort,
            run_digest=fact.record,
        )


@object_type
class OpportunityConnection(Connection[Opportunity]):
    """A page of records beside their floors."""

    facets: list[FacetCount] = linked(
        count_by("opportunities", OpportunityFacet),
        "How many records share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("opportunities"),
        "Summaries of the records, one for each metric, statistic and unit; the mean ratio is that "
        "of records to their floors.",
        size=5,
    )
    where: strawberry.Private[Filter | None]


@object_type
class BelowFloorCount:
    """Records below their floor that one thing explains."""

    explanation: BelowFloor = plain("What explains them.")
    count: int = plain("How many.")


@object_type
class HeadroomAuditConnection(Connection[Opportunity]):
    """A page of records below their floor, the farthest below first, and counts over all."""

    policy: HeadroomPolicy = plain("Version of the estimate.")
    cohort_count: int = plain("Cohorts of the catalogue.")
    floor_count: int = plain("Those with a floor.")
    ratio_count: int = plain("Those with a floor and a record.")
    below_counts: list[BelowFloorCount] = plain(
        "Records below their floor by what explains them, mildest first.", size=4
    )
    reason_counts: list[ReasonCount] = plain(
        "Why the others have no floor, most frequent first.", size=5
    )
