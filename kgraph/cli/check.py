"""`kgraph check`: questions that a build asks, answered by the exit status."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kgraph.cli.opening import open_catalog
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_table, print_text, talk
from kgraph.digest import short
from kgraph.errors import UsageError
from kgraph.units import format_quantity, format_ratio

if TYPE_CHECKING:
    from kgraph.catalog import Catalog, RegressionView
    from kgraph.vocab import CohortKey

_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)")
_MAX_SHARE = 10.0


class BadThresholdError(UsageError):
    """A threshold that is no share."""

    code = "BAD_THRESHOLD"

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(f"--threshold: found {found[:40]!r}, expected a share such as 5% or 0.05")


class UnknownCohortError(UsageError):
    """A cohort key, or a prefix of one, that names no cohort of the lineage, or several."""

    code = "UNKNOWN_COHORT"

    def __init__(self, found: str, count: int) -> None:
        self.found, self.count = found, count
        super().__init__(
            f"--cohort: found {found[:90]!r}, which names {count} cohorts that measured the "
            "operation, expected one"
        )


@click.group()
def command() -> None:
    """Fail where a value is not what it should be.

    Meant for a project's own checks: the answer is the exit status, the table says why.
    """


@command.command()
@click.option("--operation", metavar="NAME", required=True, help="Slug, alias or digest.")
@click.option(
    "--implementation",
    metavar="NAME",
    required=True,
    help="Title, project/title, or the digest of any revision.",
)
@click.option(
    "--threshold",
    metavar="SHARE",
    default="5%",
    show_default=True,
    help="How much slower counts as unchanged: 5% or 0.05.",
)
@click.option("--version", metavar="VERSION", help="Asked about.  [default: the newest measured]")
@click.option("--baseline", metavar="VERSION", help="Compared with.  [default: the one before it]")
@click.option(
    "--cohort", "cohorts", metavar="KEY", multiple=True, help="Only this cohort; may be repeated."
)
@click.option(
    "--allow-empty", is_flag=True, help="Pass where nothing was measured that can be compared."
)
@store_option
@json_option
def regression(
    store: str | None,
    *,
    operation: str,
    implementation: str,
    threshold: str,
    version: str | None,
    baseline: str | None,
    cohorts: tuple[str, ...],
    allow_empty: bool,
    as_json: bool,
) -> int:
    """Say whether a later revision of an implementation got slower.

    Values are compared inside one cohort alone: same operation, workload, protocol, environment
    and metric. The median of the newest revision is held against that of the one before it; where
    one revision alone was measured, its newest run against its earlier ones.

    Exit status 1 where a value is worse by more than the threshold, or nothing can be compared.
    """
    share = _parse_share(threshold)
    catalog = open_catalog(settings_for(store)).current()
    view = catalog.find_regression(
        operation,
        implementation,
        threshold=share,
        cohorts=_find_cohorts(catalog, operation, cohorts),
        version=version,
        baseline=baseline,
    )
    rows = _describe(catalog, view)
    if as_json:
        print_json(_make_report(catalog, view, rows))
    else:
        _print_report(view, rows)
    if view.compared_count == 0:
        talk("kgraph: nothing was measured that can be compared: no cohort holds two values")
        return 0 if allow_empty else 1
    return 1 if view.slower_count else 0


def _parse_share(text: str) -> float:
    match = _SHARE.fullmatch(text.strip())
    if match is None:
        raise BadThresholdError(text)
    share = float(match.group(1)) / (100 if match.group(2) else 1)
    if share > _MAX_SHARE:
        raise BadThresholdError(text)
    return share


def _find_cohorts(catalog: Catalog, operation: str, keys: tuple[str, ...]) -> tuple[CohortKey, ...]:
    """The keys that were given in full or in part, among those of the operation."""
    found = catalog.find_operation(operation)
    if not keys or found is None:
        return ()
    known = catalog.load_cohorts_of_operations([found.digest]).get(found.digest, ())
    chosen: list[CohortKey] = []
    for key in keys:
        hexes = key.removeprefix("sha256:")
        fitting = [one.key for one in known if one.key.partition(":")[2].startswith(hexes)]
        if len(fitting) != 1:
            raise UnknownCohortError(key, len(fitting))
        chosen += fitting
    return tuple(chosen)


def _describe(catalog: Catalog, view: RegressionView) -> list[dict[str, Any]]:
    """Every series with what a person needs to know of its cohort, in the view's order."""
    cohorts = catalog.load_cohorts(series.cohort for series in view.series)
    workloads = catalog.load_workloads(cohort.workload for cohort in cohorts.values())
    environments = catalog.load_environments(cohort.environment for cohort in cohorts.values())
    names = {one.digest: one.version or short(one.digest) for one in view.revisions}
    rows: list[dict[str, Any]] = []
    for series in view.series:
        cohort, change = cohorts[series.cohort], series.change
        row: dict[str, Any] = {
            "cohort": series.cohort,
            "workload": workloads[cohort.workload].label,
            "hardware": environments[cohort.environment].hardware.product,
            "metric": cohort.metric,
            "unit": cohort.unit,
            "reason": series.reason,
            "change": None,
            "points": [
                {
                    "run": point.run,
                    "version": names[point.implementation],
                    "observedAt": point.observed_at.isoformat().replace("+00:00", "Z"),
                    "value": point.value,
                    "ratioToLevel": point.ratio_to_level,
                    "isChange": point.is_change,
                }
                for point in series.points
            ],
        }
        if change is not None:
            row["change"] = {
                "verdict": change.verdict.value,
                "beforeVersion": names[change.before],
                "afterVersion": names[change.after],
                "before": change.before_value,
                "after": change.after_value,
                "beforeRuns": change.before_run_count,
                "afterRuns": change.after_run_count,
                "ratio": change.ratio,
            }
        rows.append(row)
    return rows


def _make_report(
    catalog: Catalog, view: RegressionView, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "policy": view.policy,
        "snapshot": catalog.snapshot,
        "operation": view.operation.slug,
        "implementation": view.revisions[0].title,
        "versions": [one.version or short(one.digest) for one in view.revisions],
        "candidate": [one.version or short(one.digest) for one in view.candidate],
        "threshold": view.threshold,
        "compared": view.compared_count,
        "slower": view.slower_count,
        "faster": view.faster_count,
        "settings": [
            {
                "environment": one.environment,
                "protocol": one.protocol,
                "metric": one.metric,
                "cohorts": len(one.cohorts),
                "geometricMeanRatio": one.geometric_mean_ratio,
                "worstRatio": one.worst_ratio,
            }
            for one in view.settings
        ],
        "series": rows,
    }


def _print_report(view: RegressionView, rows: list[dict[str, Any]]) -> None:
    compared = [row for row in rows if row["change"] is not None]
    if compared:
        print_table(
            (
                "verdict",
                "worse by",
                "before",
                "after",
                "versions",
                "hardware",
                "workload",
                "cohort",
            ),
            (
                (
                    row["change"]["verdict"],
                    f"{row['change']['ratio'] - 1:+.1%}",
                    format_quantity(row["change"]["before"], row["unit"]),
                    format_quantity(row["change"]["after"], row["unit"]),
                    f"{row['change']['beforeVersion']} → {row['change']['afterVersion']}",
                    row["hardware"],
                    row["workload"],
                    short(row["cohort"]),
                )
                for row in compared
            ),
        )
        print_text("")
    for one in view.settings:
        mean, worst = format_ratio(one.geometric_mean_ratio), format_ratio(one.worst_ratio)
        print_text(f"{one.metric}: {len(one.cohorts):,} cohorts, mean {mean}, worst {worst}")
    print_text(
        f"{view.compared_count:,} of {len(rows):,} cohorts compared at {view.threshold:.4g}: "
        f"{view.slower_count:,} slower, {view.faster_count:,} faster"
    )
