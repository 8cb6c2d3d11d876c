"""How an implementation stands over all its cohorts."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers import standing as resolve
from kgraph.catalog import ImplementationStanding as ImplementationStandingFact
from kgraph.catalog import MeanRatio as MeanRatioFact
from kgraph.digest import SpecDigest
from kgraph.facts import CohortPlaceFact
from kgraph.vocab import CohortKey


@object_type
class MeanRatio:
    """A geometric mean of ratios to leaders, with the set of cohorts that it is over."""

    value: float | None = plain("1.0 where it leads everywhere; null over no cohort.")
    cohort_count: int = plain("Cohorts in the set.")
    set_name: str = plain("Which cohorts, in words.")

    @classmethod
    def from_fact(cls, fact: MeanRatioFact) -> MeanRatio:
        """The mean as the API shows it."""
        return cls(value=fact.value, cohort_count=fact.cohort_count, set_name=fact.set_name)


@object_type
class ReasonCount:
    """How often a reason holds."""

    reason: str = plain("Its code, or in words where it has none.")
    count: int = plain("How often.")


@object_type
class CohortPlace:
    """Where the best run of an implementation stands in one cohort."""

    rank: int = plain("Dense rank, 1 best.")
    tied: bool = plain("Whether another run shares the rank.")
    ratio_to_leader: float = plain("1.0 for the leader; above 1 is worse.")
    implementation_count: int = plain("Implementations ranked in the cohort, this one included.")
    holds_record: bool = plain("Whether a run of it is the standing record.")
    cohort: LazyCohort = linked(resolve.resolve_cohort_of_place, "The cohort.")
    run: LazyRun = linked(resolve.resolve_run_of_place, "Its best run there.")
    cohort_key: strawberry.Private[CohortKey]
    run_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: CohortPlaceFact) -> CohortPlace:
        """The place as the API shows it."""
        return cls(
            rank=fact.rank,
            tied=fact.is_tied,
            ratio_to_leader=fact.ratio_to_leader,
            implementation_count=fact.implementation_count,
            holds_record=fact.holds_record,
            cohort_key=fact.cohort,
            run_digest=fact.run,
        )


@object_type
class CohortPlaceConnection(Connection[CohortPlace]):
    """A page of an implementation's places."""


@object_type
class ImplementationStanding:
    """One implementation over all cohorts in which it is ranked; its best run in each."""

    all_cohorts: MeanRatio = plain("Over every cohort in which a run of it is ranked.")
    contested: MeanRatio = plain(
        "Over the cohorts that rank another implementation too: alone, everybody leads."
    )
    first_count: int = plain("Cohorts in which it has the best rank, alone or tied.")
    record_count: int = plain("Cohorts whose standing record is one of its runs.")
    run_count: int = plain("Runs of it, eligible or not.")
    failed_run_count: int = plain("Runs that may not be ranked, for whatever reason.")
    failures: list[ReasonCount] = plain(
        "Those runs by reason code; a run with several reasons counts for each.", size=3
    )
    places: CohortPlaceConnection = linked(
        resolve.resolve_places, "Where it stands, cohort by cohort."
    )
    fact: strawberry.Private[ImplementationStandingFact]

    @classmethod
    def from_fact(cls, fact: ImplementationStandingFact) -> ImplementationStanding:
        """The standing as the API shows it."""
        return cls(
            all_cohorts=MeanRatio.from_fact(fact.all_cohorts),
            contested=MeanRatio.from_fact(fact.contested),
            first_count=fact.first_count,
            record_count=fact.record_count,
            run_count=fact.run_count,
            failed_run_count=fact.failed_run_count,
            failures=[ReasonCount(reason=reason, count=count) for reason, count in fact.failures],
            fact=fact,
        )
