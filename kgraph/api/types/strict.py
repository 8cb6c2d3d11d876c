"""Rankings by the statistics that the evidence allows."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import DifferenceMethod, DifferenceVerdict
from kgraph.api.lazy import LazyRun
from kgraph.api.resolvers import strict as resolve
from kgraph.api.scalars import BigInt
from kgraph.catalog import StrictEntry as StrictEntryFact
from kgraph.digest import SpecDigest
from kgraph.policy import RunDifference as RunDifferenceFact
from kgraph.units import format_quantity


@object_type
class RunDifference:
    """How a run compares with the one shown before it."""

    verdict: DifferenceVerdict = plain("What follows for the run.")
    method: DifferenceMethod = plain("By what the two were compared.")
    policy: str = plain("Version of the rules, as `difference-v1`.")
    ratio: float = plain("Its value over that of the run before it.")
    ratio_low: float | None = plain(
        "Lower end of the ratio's 95 % interval; null where it was not bootstrapped."
    )
    ratio_high: float | None = plain("Upper end; null likewise.")
    minimum_effect: float = plain("Ratio minus one below which runs tie, whatever the samples say.")
    seed: BigInt | None = plain(
        "Seed of the resampling; the two runs alone decide it. Null without resampling."
    )
    resamples: int | None = plain("How often was resampled; null likewise.")
    previous_sample_count: int = plain("Raw samples of the run before it.")
    sample_count: int = plain("Raw samples of the run.")
    reason: str = plain("In words.")

    @classmethod
    def from_fact(cls, fact: RunDifferenceFact) -> RunDifference:
        """The difference as the API shows it."""
        return cls(
            verdict=fact.verdict,
            method=fact.method,
            policy=fact.policy,
            ratio=fact.ratio,
            ratio_low=fact.ratio_low,
            ratio_high=fact.ratio_high,
            minimum_effect=fact.minimum_effect,
            seed=None if fact.seed is None else BigInt(fact.seed),
            resamples=fact.resamples,
            previous_sample_count=fact.sample_counts[0],
            sample_count=fact.sample_counts[1],
            reason=fact.reason,
        )


@object_type
class StrictEntry:
    """A run where the statistics of its cohort put it."""

    rank: int = plain("Dense rank, 1 best; runs that cannot be told apart share it.")
    tied: bool = plain("Whether another run shares the rank.")
    position: int = plain("Place in display order, 1 first; inside a tie it is never a claim.")
    value: float = plain("Primary measurement, in `unit`.")
    unit: str | None = plain("Unit of the value; null where the metric has none.")
    display: str = plain("The value for people.")
    ratio_to_leader: float = plain("1.0 for the leader; above 1 is worse, whatever the metric.")
    against_previous: RunDifference | None = plain(
        "How it compares with the run shown before it; null for the first."
    )
    run: LazyRun = linked(
        resolve.resolve_run_of_strict, "The run; its own `standing` is by the cohort's `policy`."
    )
    run_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: StrictEntryFact) -> StrictEntry:
        """The entry as the API shows it."""
        standing, run = fact.judged.standing, fact.judged.run
        if standing is None or run.value is None:
            message = f"run {run.digest} is ranked and not eligible"
            raise ValueError(message)
        return cls(
            rank=standing.rank,
            tied=standing.is_tied,
            position=standing.position,
            value=run.value,
            unit=run.unit,
            display=format_quantity(run.value, run.unit),
            ratio_to_leader=standing.ratio_to_leader,
            against_previous=None
            if fact.against_previous is None
            else RunDifference.from_fact(fact.against_previous),
            run_digest=run.digest,
        )


@object_type
class StrictRankingConnection(Connection[StrictEntry]):
    """A page of a cohort ranked by its samples and intervals."""

    policy: str = plain("Version of the ranking rules, as `ranking-v2`.")
