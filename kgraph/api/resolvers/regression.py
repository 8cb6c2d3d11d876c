"""Linked fields of regression views."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import strawberry

from kgraph.api.connection import build_connection, naming_cursor
from kgraph.api.context import Info
from kgraph.api.inputs.order import RegressionSeriesOrder
from kgraph.api.lazy import LazyCohort, LazyImplementation, LazyRegressionSeries, LazyRun
from kgraph.api.resolvers.link import Link, answered_by
from kgraph.api.resolvers.page import ORDER_WHOLE_BY, ask_list, with_arguments
from kgraph.api.types.environment import Environment, Protocol
from kgraph.catalog import slice_sequence
from kgraph.policy import RegressionSeries as RegressionSeriesFact

if TYPE_CHECKING:
    from kgraph.api.types.regression import (
        Regression,
        RegressionPoint,
        RegressionSeries,
        RevisionChange,
        SettingChange,
    )

_RUN = Link["RegressionPoint", "LazyRun"](
    lambda loaders: loaders.runs, lambda root: root.run_digest
)


@answered_by(_RUN)
async def resolve_run_of_regression_point(
    root: strawberry.Parent[RegressionPoint], info: Info
) -> LazyRun:
    """The run of a point."""
    return await _RUN.follow(root, info)


_IMPLEMENTATION = Link["RegressionPoint", "LazyImplementation"](
    lambda loaders: loaders.implementations, lambda root: root.implementation_digest
)


@answered_by(_IMPLEMENTATION)
async def resolve_implementation_of_point(
    root: strawberry.Parent[RegressionPoint], info: Info
) -> LazyImplementation:
    """The revision that a point measured."""
    return await _IMPLEMENTATION.follow(root, info)


_BEFORE = Link["RevisionChange", "LazyImplementation"](
    lambda loaders: loaders.implementations, lambda root: root.before_digest
)


@answered_by(_BEFORE)
async def resolve_before(root: strawberry.Parent[RevisionChange], info: Info) -> LazyImplementation:
    """Revision that gave the earlier value."""
    return await _BEFORE.follow(root, info)


_AFTER = Link["RevisionChange", "LazyImplementation"](
    lambda loaders: loaders.implementations, lambda root: root.after_digest
)


@answered_by(_AFTER)
async def resolve_after(root: strawberry.Parent[RevisionChange], info: Info) -> LazyImplementation:
    """Revision that gave the later value."""
    return await _AFTER.follow(root, info)


_COHORT = Link["RegressionSeries", "LazyCohort"](
    lambda loaders: loaders.cohorts, lambda root: root.cohort_key
)


@answered_by(_COHORT)
async def resolve_cohort_of_series(
    root: strawberry.Parent[RegressionSeries], info: Info
) -> LazyCohort:
    """The cohort of a series."""
    return await _COHORT.follow(root, info)


_ENVIRONMENT = Link["SettingChange", "Environment"](
    lambda loaders: loaders.environments, lambda root: root.environment_digest
)


@answered_by(_ENVIRONMENT)
async def resolve_environment_of_setting(
    root: strawberry.Parent[SettingChange], info: Info
) -> Environment:
    """Where the runs of a setting are measured."""
    return await _ENVIRONMENT.follow(root, info)


_PROTOCOL = Link["SettingChange", "Protocol"](
    lambda loaders: loaders.protocols, lambda root: root.protocol_digest
)


@answered_by(_PROTOCOL)
async def resolve_protocol_of_setting(
    root: strawberry.Parent[SettingChange], info: Info
) -> Protocol:
    """How the runs of a setting are measured."""
    return await _PROTOCOL.follow(root, info)


# By what series are sorted; see `RegressionSeriesOrderField`.
_SERIES_FIELDS: dict[str, Callable[[RegressionSeriesFact], Any]] = {
    "cohort": lambda series: series.cohort,
    "ratio": lambda series: None if series.change is None else series.change.ratio,
    "point_count": lambda series: len(series.points),
    "last_observed_at": lambda series: series.points[-1].observed_at,
}


def _find_series(root: Regression, info: Info, **given: Any) -> LazyRegressionSeries:  # noqa: ANN401 - a list's arguments
    # The type has this resolver, and so is made after it.
    from kgraph.api.types.regression import (  # noqa: PLC0415
        RegressionSeries,
        RegressionSeriesConnection,
    )

    asked, view = ask_list(info.context, **given), root.fact
    # What a view is asked for decides which series it has, and in which order.
    cohorts = tuple(series.cohort for series in view.series)
    question = (info.context.catalog.snapshot, "series", view.operation.digest, cohorts)
    with naming_cursor(asked.page):
        page = slice_sequence(view.series, asked.page, question, asked.order, _SERIES_FIELDS)
    return build_connection(RegressionSeriesConnection, page, RegressionSeries.from_fact)


resolve_series = with_arguments(
    _find_series, LazyRegressionSeries, order=RegressionSeriesOrder, order_argument=ORDER_WHOLE_BY
)
