"""Answers to a request for a workload: the right one, or the honest nearest."""

from __future__ import annotations

from kgraph.api.describe import object_type, plain
from kgraph.api.enums import Match
from kgraph.api.scalars import BigInt
from kgraph.api.types.cohort import Cohort, RankedRun
from kgraph.api.types.operation import Operation
from kgraph.api.types.run import Run


@object_type
class Difference:
    """A stated field that a measured case does not satisfy."""

    field: str = plain("Which field, as `axes.tokens` or `hardware`.")
    requested: str = plain("What was asked for.")
    observed: str | None = plain("What was measured; null where the case says nothing of it.")


@object_type
class NearMatch:
    """The record of a cohort that does not satisfy every stated field."""

    run: Run = plain("The run.")
    compatible: bool = plain(
        "Whether it is the same problem and differs only in layout, software or device."
    )
    differences: list[Difference] = plain("In what it differs.", size=2)


@object_type
class BracketEnd:
    """The nearest measured case on one side of the request."""

    value: BigInt = plain("Where on the axis.")
    display: str = plain("Its record for people, as `13.8 ms`.")
    entry: RankedRun = plain("The run that holds its record.")


@object_type
class Bracket:
    """Measured cases around the request on one axis; nothing is interpolated."""

    axis: str = plain("The axis.")
    requested: BigInt = plain("What was asked for.")
    below: BracketEnd | None = plain("Nearest measured below; null where there is none.")
    above: BracketEnd | None = plain("Nearest measured above; null where there is none.")


@object_type
class Unresolved:
    """A stated field that means nothing here."""

    field: str = plain("Which field.")
    message: str = plain("Why, and what is known instead.")


@object_type
class Resolution:
    """How a request is answered; nothing near is ever shown as exact."""

    match: Match = plain("How closely it is answered.")
    policy: str = plain("Version of the ranking rules.")
    operation: Operation | None = plain(
        "The operation meant; null where the request names none that is known."
    )
    cohort: Cohort | None = plain("The cohort that answers exactly; null for any other match.")
    other_cohorts: list[Cohort] = plain(
        "Further exact cohorts: protocols or environments that the request leaves open.", size=2
    )
    best: RankedRun | None = plain(
        "Best run that the request accepts; null where it accepts none or nothing is exact."
    )
    best_deployable: RankedRun | None = plain(
        "Best accepted run that can be used today; null where none can."
    )
    alternatives: list[RankedRun] = plain(
        "Others that are accepted, in rank order, at most 20.", size=20
    )
    near_matches: list[NearMatch] = plain(
        "Nearest measured cases, nearest first, at most 20; empty for an exact match.", size=20
    )
    bracket: Bracket | None = plain(
        "Measured cases around the request; null where it is met exactly or none lies on one axis."
    )
    unresolved: list[Unresolved] = plain("Stated fields that mean nothing here.", size=1)
