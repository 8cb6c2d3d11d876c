"""Whether later revisions of an implementation got slower."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import ChangeVerdict
from kgraph.api.lazy import LazyCohort, LazyImplementation, LazyRun
from kgraph.api.resolvers import regression as resolve
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.implementation import Implementation
from kgraph.api.types.operation import Operation
from kgraph.catalog import RegressionView as RegressionViewFact
from kgraph.catalog import SettingChange as SettingChangeFact
from kgraph.digest import SpecDigest
from kgraph.policy import RegressionPoint as RegressionPointFact
from kgraph.policy import RegressionSeries as RegressionSeriesFact
from kgraph.policy import RevisionChange as RevisionChangeFact
from kgraph.vocab import CohortKey

MAX_REVISIONS = 200
"""Most revisions and settings that a view lists."""


@object_type
class RegressionPoint:
    """One run of a series."""

    observed_at: datetime = plain("When it was measured.")
    value: float = plain("Primary measurement, in the cohort's unit.")
    ratio_to_level: float | None = plain(
        "To the level before it, above 1 is worse; null for the first run."
    )
    is_change: bool = plain("Whether it begins a new level.")
    run: LazyRun = linked(resolve.resolve_run_of_regression_point, "The run.")
    implementation: LazyImplementation = linked(
        resolve.resolve_implementation_of_point, "The revision that it measured."
    )
    run_digest: strawberry.Private[SpecDigest]
    implementation_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: RegressionPointFact) -> RegressionPoint:
        """The point as the API shows it."""
        return cls(
            observed_at=fact.observed_at,
            value=fact.value,
            ratio_to_level=fact.ratio_to_level,
            is_change=fact.is_change,
            run_digest=fact.run,
            implementation_digest=fact.implementation,
        )


@object_type
class RevisionChange:
    """The value of the revision asked about against the one before."""

    verdict: ChangeVerdict = plain("What became of it.")
    ratio: float = plain("Later over earlier, above 1 is worse.")
    before_value: float = plain("Median of the earlier runs, in the cohort's unit.")
    after_value: float = plain("Median of the later runs.")
    before_run_count: int = plain("Earlier runs.")
    after_run_count: int = plain("Later runs.")
    before: LazyImplementation = linked(
        resolve.resolve_before, "Revision that gave the earlier value."
    )
    after: LazyImplementation = linked(
        resolve.resolve_after,
        "Revision that gave the later one; the same where only the dates differ.",
    )
    before_digest: strawberry.Private[SpecDigest]
    after_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: RevisionChangeFact) -> RevisionChange:
        """The change as the API shows it."""
        return cls(
            verdict=fact.verdict,
            ratio=fact.ratio,
            before_value=fact.before_value,
            after_value=fact.after_value,
            before_run_count=fact.before_run_count,
            after_run_count=fact.after_run_count,
            before_digest=fact.before,
            after_digest=fact.after,
        )


@object_type
class RegressionSeries:
    """The runs of one implementation, all its revisions, in one cohort."""

    points: list[RegressionPoint] = plain("By observation.", size=5)
    change: RevisionChange | None = plain("Null where there is nothing to compare.")
    reason: str | None = plain("Why there is nothing to compare; null where there is.")
    cohort: LazyCohort = linked(resolve.resolve_cohort_of_series, "The cohort.")
    cohort_key: strawberry.Private[CohortKey]

    @classmethod
    def from_fact(cls, fact: RegressionSeriesFact) -> RegressionSeries:
        """The series as the API shows it."""
        return cls(
            points=[RegressionPoint.from_fact(point) for point in fact.points],
            change=None if fact.change is None else RevisionChange.from_fact(fact.change),
            reason=fact.reason,
            cohort_key=fact.cohort,
        )


@object_type
class RegressionSeriesConnection(Connection[RegressionSeries]):
    """A page of series: slowest first, then what was compared, then the rest."""


@object_type
class SettingChange:
    """What became of all compared workloads of one environment, protocol and metric together."""

    metric: str = plain("The metric, its statistic and its unit.")
    cohort_count: int = plain("Cohorts compared.")
    geometric_mean_ratio: float = plain("Later over earlier, above 1 is worse.")
    worst_ratio: float = plain("The largest of those ratios.")
    environment: Environment = linked(
        resolve.resolve_environment_of_setting, "Where the runs are measured."
    )
    protocol: Protocol = linked(resolve.resolve_protocol_of_setting, "How.")
    environment_digest: strawberry.Private[SpecDigest]
    protocol_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: SettingChangeFact) -> SettingChange:
        """The change as the API shows it."""
        return cls(
            metric=fact.metric,
            cohort_count=len(fact.cohorts),
            geometric_mean_ratio=fact.geometric_mean_ratio,
            worst_ratio=fact.worst_ratio,
            environment_digest=fact.environment,
            protocol_digest=fact.protocol,
        )


@object_type
class Regression:
    """One implementation over its revisions and dates, in every cohort that measured it."""

    policy: str = plain("Version of the rules, as `regression-v1`.")
    threshold: float = plain("Share by which a value may differ and count as unchanged.")
    operation: Operation = plain("What it computes.")
    revisions: list[Implementation] = plain(
        "Its revisions by first eligible observation, those without one last, at most 200.", size=5
    )
    candidate: list[Implementation] = plain(
        "The revision that is asked about: the newest measured, unless a version was named.",
        size=1,
    )
    compared_count: int = plain("Cohorts that hold two values to compare.")
    slower_count: int = plain("Those in which it got slower.")
    faster_count: int = plain("Those in which it got faster.")
    settings: list[SettingChange] = plain(
        "By environment, protocol and metric, worst mean first, at most 200.", size=5
    )
    series: RegressionSeriesConnection = linked(
        resolve.resolve_series, "Its values, cohort by cohort."
    )
    fact: strawberry.Private[RegressionViewFact]

    @classmethod
    def from_fact(cls, fact: RegressionViewFact) -> Regression:
        """The view as the API shows it."""
        return cls(
            policy=fact.policy,
            threshold=fact.threshold,
            operation=Operation.from_fact(fact.operation),
            revisions=[Implementation.from_fact(one) for one in fact.revisions[:MAX_REVISIONS]],
            candidate=[Implementation.from_fact(one) for one in fact.candidate],
            compared_count=fact.compared_count,
            slower_count=fact.slower_count,
            faster_count=fact.faster_count,
            settings=[SettingChange.from_fact(one) for one in fact.settings[:MAX_REVISIONS]],
            fact=fact,
        )
