"""Runs side by side."""

from __future__ import annotations

import strawberry

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.lazy import LazyCohort, LazyRun
from kgraph.api.resolvers import comparison as resolve
from kgraph.digest import SpecDigest
from kgraph.policy import ComparedField as ComparedFieldFact
from kgraph.policy import ComparedGroup as ComparedGroupFact
from kgraph.policy import Comparison as ComparisonFact
from kgraph.vocab import CohortKey


@object_type
class ComparedField:
    """One field across the compared runs."""

    name: str = plain("As `workload.axes.tokens` or `environment.software.triton`.")
    values: list[str | None] = plain(
        "Of each run, in the order given; null where it states nothing.", size=8
    )
    equal: bool = plain("Whether all are the same.")
    material: bool = plain("Whether runs that differ in it may not be compared.")

    @classmethod
    def from_fact(cls, fact: ComparedFieldFact) -> ComparedField:
        """The field as the API shows it."""
        return cls(
            name=fact.name,
            values=list(fact.values),
            equal=fact.is_equal,
            material=fact.is_material,
        )


@object_type
class ComparedGroup:
    """The compared runs of one cohort."""

    runs: list[LazyRun] = linked(
        resolve.resolve_runs_of_group,
        "In display order of the ranking; runs without a rank last, by digest.",
        size=4,
    )
    ratios: list[float | None] = plain(
        "Of each of the runs to the best of them, above 1 is worse; null without a rank.", size=4
    )
    winner: LazyRun | None = linked(
        resolve.resolve_winner_of_group,
        "The one run of the best rank; null where several share it or fewer than two are ranked.",
    )
    tied: list[LazyRun] = linked(
        resolve.resolve_tied_of_group,
        "Runs that share the best rank; empty where there is a winner or nothing to decide.",
        size=2,
    )
    cohort: LazyCohort = linked(resolve.resolve_cohort_of_group, "The cohort.")
    cohort_key: strawberry.Private[CohortKey]
    run_digests: strawberry.Private[tuple[SpecDigest, ...]]
    winner_digest: strawberry.Private[SpecDigest | None]
    tied_digests: strawberry.Private[tuple[SpecDigest, ...]]

    @classmethod
    def from_fact(cls, fact: ComparedGroupFact) -> ComparedGroup:
        """The group as the API shows it."""
        return cls(
            ratios=list(fact.ratios),
            cohort_key=fact.cohort,
            run_digests=fact.runs,
            winner_digest=fact.winner,
            tied_digests=fact.tied,
        )


@object_type
class Comparison:
    """What differs between runs, and what may be said of it."""

    comparable: bool = plain("Whether all runs are of one cohort.")
    fields: list[ComparedField] = plain("In one fixed order, material ones first.", size=40)
    first_material_difference: ComparedField | None = plain("Null where the runs are comparable.")
    must_match: list[ComparedField] = plain(
        "What would have to be equal for a comparison; empty where the runs are comparable.",
        size=5,
    )
    groups: list[ComparedGroup] = plain("The runs by cohort.", size=4)
    runs: list[LazyRun] = linked(
        resolve.resolve_runs_of_comparison, "The runs, in the order given.", size=8
    )
    winner: LazyRun | None = linked(
        resolve.resolve_winner_of_comparison,
        "The best of one cohort's runs; null where they are not comparable, tied, or not ranked.",
    )
    run_digests: strawberry.Private[tuple[SpecDigest, ...]]
    winner_digest: strawberry.Private[SpecDigest | None]

    @classmethod
    def from_fact(cls, fact: ComparisonFact) -> Comparison:
        """The comparison as the API shows it."""
        first = fact.first_material_difference
        return cls(
            comparable=fact.is_comparable,
            fields=[ComparedField.from_fact(field) for field in fact.fields],
            first_material_difference=None if first is None else ComparedField.from_fact(first),
            must_match=[ComparedField.from_fact(field) for field in fact.must_match],
            groups=[ComparedGroup.from_fact(group) for group in fact.groups],
            run_digests=fact.runs,
            winner_digest=fact.winner,
        )
