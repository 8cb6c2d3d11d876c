"""Ranking one serving cohort by what the asker cares for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.index import query_corrections, query_serving_cohort
from kgraph.policy import ServingObjective, ServingRanking, rank_serving

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.digest import SpecDigest
    from kgraph.facts import ServingRunFact
    from kgraph.index import Index
    from kgraph.vocab import CohortKey


@dataclass(frozen=True, slots=True)
class RankedServingCohort:
    """The runs of one serving cohort, and their standing under one objective."""

    cohort: CohortKey
    runs: Mapping[SpecDigest, ServingRunFact]
    """Every run of the cohort, ranked or not."""
    ranking: ServingRanking


def rank_serving_cohort(
    index: Index, cohort: CohortKey, objective: ServingObjective
) -> RankedServingCohort | None:
    """The standing of the runs of a cohort; None where no serving run is in it."""
    runs = query_serving_cohort(index, cohort) if cohort else ()
    if not runs:
        return None
    corrections = query_corrections(index, [run.digest for run in runs])
    return RankedServingCohort(
        cohort, {run.digest: run for run in runs}, rank_serving(runs, objective, corrections)
    )
