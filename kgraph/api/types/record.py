"""Records and how they changed."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import RecordCause
from kgraph.api.inputs.facet import RecordEventFacet, RecordFacet
from kgraph.api.lazy import LazyRankedRun, LazyRun
from kgraph.api.resolvers import record as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.catalog import Record as RecordFact
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, JudgedRun, RecordEventFact
from kgraph.units import format_quantity
from kgraph.vocab import CohortKey


@object_type
class RecordEvent:
    """A change of a cohort's record. Events are appended and never rewritten."""

    ordinal: int = plain("Its number in the cohort, 1 first.")
    at: datetime = plain("When the new record was observed, or the correction was made.")
    cause: RecordCause = plain("Why the record changed.")
    policy: str = plain("Version of the ranking rules that decided, as `ranking-v1`.")
    value: float | None = plain("The record after the event; null where a correction left none.")
    previous_value: float | None = plain("The record before it; null for a first record.")
    improvement_percent: float | None = plain(
        "How much better than the previous record, in percent of it; null for a first record."
    )
    cohort: Cohort = linked(resolve.resolve_cohort_of_event, "Where it happened.")
    run: LazyRun | None = linked(
        resolve.resolve_run_of_event,
        "The run that holds the record after it; null where a correction left none.",
    )
    previous_run: LazyRun | None = linked(
        resolve.resolve_previous_run_of_event, "The run before it; null for a first record."
    )
    cohort_key: strawberry.Private[CohortKey]
    run_digest: strawberry.Private[SpecDigest | None]
    previous_run_digest: strawberry.Private[SpecDigest | None]

    @classmethod
    def from_fact(cls, fact: RecordEventFact) -> RecordEvent:
        """The event as the API shows it."""
        return cls(
            ordinal=fact.ordinal,
            at=fact.at,
            cause=fact.cause,
            policy=fact.policy,
            value=fact.value,
            previous_value=fact.previous_value,
            improvement_percent=fact.improvement_percent,
            cohort_key=fact.cohort,
            run_digest=fact.run,
            previous_run_digest=fact.previous_run,
        )


@object_type
class RecordEventConnection(Connection[RecordEvent]):
    """A page of record events."""

    facets: list[FacetCount] = linked(
        count_by("record_events", RecordEventFacet),
        "How many events share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("record_events"),
        "Summaries of the values of the runs that took the record, one for each metric, statistic "
        "and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]


@object_type
class Record:
    """The best eligible run of a cohort, as it stands."""

    value: float = plain("The record, in `unit`; integer nanoseconds for latencies.")
    unit: str | None = plain("Unit of the value; null where the metric has none.")
    display: str = plain("The value for people, as `13.8 ms`.")
    since: datetime = plain("When the run that holds it was observed.")
    cohort: Cohort = plain("Where it holds.")
    run: LazyRun = linked(resolve.resolve_run_of_record, "The run that holds it.")
    standing: LazyRankedRun | None = linked(
        resolve.resolve_standing_of_record, "The run where it stands in its cohort."
    )
    fact: strawberry.Private[JudgedRun]

    @classmethod
    def from_fact(cls, fact: RecordFact) -> Record:
        """The record as the API shows it."""
        value = fact.run.run.value
        if value is None:
            message = f"record of {fact.cohort.key}: its run has no value"
            raise ValueError(message)
        return cls(
            value=value,
            unit=fact.run.run.unit,
            display=format_quantity(value, fact.run.run.unit),
            since=fact.since,
            cohort=Cohort.from_fact(fact.cohort),
            fact=fact.run,
        )


@object_type
class RecordConnection(Connection[Record]):
    """A page of records."""

    facets: list[FacetCount] = linked(
        count_by("records", RecordFacet), "How many records share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("records"),
        "Summaries of the values, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
