"""How an implementation stands over all its cohorts, and what a project holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.index import (
    query_family_shares,
    query_hardware_shares,
    query_license_counts,
    query_places,
    query_projects,
    query_recipes,
    query_refusals,
    query_versions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        CohortPlaceFact,
        FamilyShareFact,
        HardwareShareFact,
        ProjectStandingFact,
        RecipeFact,
        VersionFact,
    )
    from kgraph.index import Index
    from kgraph.vocab import Slug


@dataclass(frozen=True, slots=True)
class MeanRatio:
    """A geometric mean of ratios to leaders, with the set of cohorts that it is over."""

    value: float | None
    """1.0 where it leads everywhere; None over no cohort."""
    cohort_count: int
    set_name: str
    """Which cohorts, in words."""


@dataclass(frozen=True, slots=True)
class ImplementationStanding:
    """One implementation over all cohorts in which it is ranked; its best run in each."""

    implementation: SpecDigest
    places: tuple[CohortPlaceFact, ...]
    """By cohort."""
    all_cohorts: MeanRatio
    contested: MeanRatio
    """Over the cohorts that rank another implementation too: alone, everybody leads."""
    first_count: int
    """Cohorts in which it has the best rank, alone or tied."""
    record_count: int
    """Cohorts whose standing record is one of its runs."""
    run_count: int
    failed_run_count: int
    """Runs that may not be ranked, for whatever reason."""
    failures: tuple[tuple[str, int], ...]
    """Those runs by reason code, by code; a run with several reasons counts for each."""


@dataclass(frozen=True, slots=True)
class ProjectPage:
    """What the catalogue holds of one project."""

    standing: ProjectStandingFact
    families: tuple[FamilyShareFact, ...]
    """By family; `record_count` counts the records that the project holds."""
    hardware: tuple[HardwareShareFact, ...]
    """Most runs first."""
    licenses: tuple[tuple[str | None, int], ...]
    """Concluded licences with the number of implementations, most frequent first; None for those
    from which none can be concluded."""
    recipes: tuple[RecipeFact, ...]
    """Most used first."""
    versions: tuple[VersionFact, ...]
    """By first observation; unmeasured ones last."""


def find_standings(
    index: Index, implementations: Iterable[SpecDigest]
) -> Mapping[SpecDigest, ImplementationStanding]:
    """How each implementation stands; absent for what has no run. Two statements."""
    keys = list(implementations)
    places = query_places(index, keys)
    return {
        implementation: _make_standing(
            implementation, places.get(implementation, ()), runs, refused, reasons
        )
        for implementation, (runs, refused, reasons) in query_refusals(index, keys).items()
    }


def _make_standing(
    implementation: SpecDigest,
    places: tuple[CohortPlaceFact, ...],
    run_count: int,
    failed_run_count: int,
    failures: tuple[tuple[str, int], ...],
) -> ImplementationStanding:
    contested = [place for place in places if place.implementation_count > 1]
    return ImplementationStanding(
        implementation=implementation,
        places=places,
        all_cohorts=_mean(places, "every cohort in which a run of it is ranked"),
        contested=_mean(contested, "every cohort that ranks it and another implementation"),
        first_count=sum(place.rank == 1 for place in places),
        record_count=sum(place.holds_record for place in places),
        run_count=run_count,
        failed_run_count=failed_run_count,
        failures=failures,
    )


def _mean(places: Iterable[CohortPlaceFact], set_name: str) -> MeanRatio:
    logarithms = [math.log(place.ratio_to_leader) for place in places]
    if not logarithms:
        return MeanRatio(None, 0, set_name)
    value = math.exp(math.fsum(logarithms) / len(logarithms))
    return MeanRatio(value, len(logarithms), set_name)


def find_project_page(index: Index, slug: Slug) -> ProjectPage | None:
    """What the catalogue holds of the project of that slug; None where there is none."""
    standing = query_projects(index, [slug]).get(slug)
    if standing is None:
        return None
    return ProjectPage(
        standing,
        query_family_shares(index, "project_slug", slug),
        query_hardware_shares(index, slug),
        query_license_counts(index, slug),
        query_recipes(index, slug),
        query_versions(index, slug),
    )
