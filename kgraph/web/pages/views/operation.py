"""The page of an operation: who is fastest, one comparison in full, and what is computed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgraph.web.pages.ask import PageMissingError, PageMovedError
from kgraph.web.pages.charts import plot_staircase
from kgraph.web.pages.charts.staircase import Step
from kgraph.web.pages.linked import describe_operation
from kgraph.web.pages.views.matrix import make_matrix
from kgraph.web.pages.views.shown import TABLE_SIZE, Shown, preview_ranking
from kgraph.web.pages.views.sweep import find_sweeps
from kgraph.web.pages.words import parse_instant, show_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.pages.ask import Asked, Data
    from kgraph.web.pages.charts import Staircase

_COHORT_KEY = re.compile(r"sha256:[0-9a-f]{64}")
_WORKLOADS = 50
# Longer rankings say once what all rows share, and everything else only of the first rows.
_LONG = 60
_DETAILED = 10


async def show_operation(asked: Asked) -> Shown:
    """The page of the operation that the path names.

    Raises:
        PageMissingError: there is no such operation, or it has no such comparison.
        PageMovedError: the path holds an alias or a digest; the slug is the address, or the whole
            digest where operations share the slug.
    """
    picked = asked.given("cohort")
    if picked is not None and not _COHORT_KEY.fullmatch(picked):
        raise PageMissingError("comparison", picked)
    variables: Data = {
        "slug": asked.name,
        "unranked": _find_unranked(asked.name),
        "cohort": picked or "",
        "isPicked": picked is not None,
        "first": TABLE_SIZE,
        "after": asked.given("after"),
        "workloads": _WORKLOADS,
        "workloadsAfter": asked.given("workloads"),
    }
    data = await asked.ask("operation", variables, kind="operation")
    operation, links = data["operation"], asked.links
    if operation is None:
        raise PageMissingError("operation", asked.name)
    slug = operation["slug"]
    if slug != asked.name:
        namesakes = await asked.ask("namesakes", {"where": {"slug": {"eq": slug}}})
        address = operation["digest"] if namesakes["operations"]["totalCount"] > 1 else slug
        if address != asked.name:
            raise PageMovedError(links.operation(address, **dict(asked.query)))
    fastest = operation["fastest"]
    comparison = data["cohort"] if picked else fastest and fastest["cohort"]
    if picked and (comparison is None or comparison["operation"]["slug"] != slug):
        raise PageMissingError("comparison", picked)
    edges = operation["workloads"]["edges"]
    matrix = make_matrix(edges, has_more=operation["workloads"]["pageInfo"]["hasNextPage"])
    plain = links.operation(asked.name)
    return Shown(
        template="operation.html",
        document="operation",
        variables=variables,
        data=data,
        title=operation["title"],
        description=_describe(operation),
        path=links.operation(asked.name, cohort=picked) if picked else plain,
        linked=describe_operation(operation, comparison, asked),
        has_card=True,
        preview=(preview_ranking(links, comparison, _describe(operation)) if comparison else None),
        extra={
            "operation": operation,
            "address": asked.name,
            "comparison": comparison,
            "is_first": not (picked or variables["after"] or variables["workloadsAfter"]),
            "matrix": matrix,
            "staircase": _plot_history(comparison) if comparison else None,
            "sweeps": find_sweeps(operation["sweeps"], edges, comparison) if comparison else (),
            "floors": _list_floors(comparison) if comparison else (),
            "shared": _find_shared(comparison["ranking"]["nodes"]) if comparison else {},
            "detailed": _DETAILED,
            "citation": _cite(operation, plain, asked),
            "picked": picked,
        },
    )


def _find_unranked(address: str) -> Data:
    """Which runs of the operation take no part in ranking."""
    # Any other text is a slug, or an alias that leads to one.
    is_digest = _COHORT_KEY.fullmatch(address) is not None
    named = {"operationDigest" if is_digest else "operation": {"eq": address}}
    return named | {"eligible": {"eq": False}}


def _describe(operation: Data) -> str:
    fastest = operation["fastest"]
    if fastest is None:
        return f"{operation['title']}: {operation['runCount']} runs, none of them ranked."
    reported, told = fastest["reported"], operation["description"] or ""
    return (
        f"Fastest reported on {fastest['within']['hardware']['product']}: {reported['display']}, "
        f"{reported['run']['implementation']['title']}. "
        f"{operation['eligibleRunCount']:,} eligible runs. {told}"
    ).strip()[:300]


def _plot_history(comparison: Data) -> Staircase | None:
    steps = [
        Step(
            at=parse_instant(event["at"]),
            value=event["value"],
            holder=event["run"] and event["run"]["implementation"]["title"],
            is_correction=event["cause"] != "NEW_RUN",
        )
        for event in comparison["history"]["nodes"]
    ]
    runs = [
        (parse_instant(entry["run"]["observedAt"]), entry["value"])
        for entry in comparison["ranking"]["nodes"]
    ]
    return plot_staircase(steps, runs, comparison["metric"]["unit"])


def _find_shared(entries: Sequence[Data]) -> Data:
    """What all rows of a long ranking share, to be said once; empty for a short one."""
    if len(entries) <= _LONG:
        return {}
    told: Data = {
        "language": {entry["run"]["implementation"]["language"] for entry in entries},
        "license": {_name_license(entry["run"]["implementation"]) for entry in entries},
        "level": {entry["evidence"]["level"] for entry in entries},
        "source": {entry["run"]["source"]["name"] for entry in entries},
        "stale": {entry["stale"] for entry in entries},
        "baseline": {entry["speedupOverBaseline"] is not None for entry in entries},
    }
    return {name: values.pop() for name, values in told.items() if len(values) == 1}


def _name_license(implementation: Data) -> str:
    license_ = implementation["license"]
    return str(license_["concluded"] or license_["declared"] or "")


def _list_floors(comparison: Data) -> tuple[Data, ...]:
    """The estimates that are there, the finer one first; one where both say the same."""
    needed, declared = comparison["needed"], comparison["declared"]
    if needed is None or declared is None:
        return tuple(floor for floor in (needed, declared) if floor is not None)
    told = ("floorNs", "bound", "bytes", "flops", "assumptions", "reason")
    is_same = all(needed[field] == declared[field] for field in told)
    return (needed,) if is_same else (needed, declared)


def _cite(operation: Data, path: str, asked: Asked) -> str:
    snapshot = asked.moment.catalog.snapshot
    sources = ", ".join(source["name"] for source in operation["sources"]) or "no source"
    pinned = path if asked.links.pin else f"{path}?snapshot={snapshot}"
    day = show_date(asked.moment.now.isoformat())
    return (
        f"{sources}. {operation['title']}: {operation['eligibleRunCount']:,} eligible runs. "
        f"Operation {operation['digest']}, snapshot {snapshot}. "
        f"{asked.links.absolute(pinned)} (accessed {day})."
    )
