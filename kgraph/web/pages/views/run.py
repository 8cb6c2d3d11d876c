"""The page of a run: what was measured, where and how, by whom, and how well it is supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from kgraph.web.pages.ask import PageMissingError
from kgraph.web.pages.linked import describe_run
from kgraph.web.pages.views.shown import Shown, preview_ranking

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data


async def show_run(asked: Asked) -> Shown:
    """The page of the run that the path names.

    Raises:
        PageMissingError: there is no such run.
        PageAmbiguousError: the path holds a prefix of several digests.
    """
    variables: Data = {"ref": asked.name}
    data = await asked.ask("run", variables, kind="run")
    run = data["run"]
    if run is None:
        raise PageMissingError("run", asked.name)
    # Sorted, so that equal manifests look equal whatever order their authors wrote.
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return Shown(
        template="run.html",
        document="run",
        variables=variables,
        data=data,
        title=run["title"],
        description=_describe(run),
        path=asked.links.whole_run(run["digest"]),
        linked=describe_run(run, asked),
        has_card=True,
        preview=preview_ranking(asked.links, run["cohort"], _describe(run), run["digest"]),
        extra={
            "run": run,
            "primary_apart": run["primary"] is not None and not _lists_primary(run),
            "manifest": orjson.dumps(run["manifest"], option=options).decode(),
            "csl": orjson.dumps(run["citation"]["cslJson"], option=options).decode(),
        },
    )


def _describe(run: Data) -> str:
    standing, primary = run["standing"], run["primary"]
    told = f"{primary['display']}, " if primary else f"{run['status'].lower()}, "
    rank = f", rank {standing['rank']} of {standing['cohortSize']}" if standing else ""
    hardware = run["environment"]["hardware"]["product"]
    return (
        f"{run['implementation']['title']}: {told}{run['workload']['label']} on {hardware}{rank}. "
        f"{run['source']['name']}."
    )[:300]


def _lists_primary(run: Data) -> bool:
    """Whether the primary measurement is one of the measurements too."""
    primary = run["primary"]
    return any(
        all(one[field] == primary[field] for field in ("metric", "statistic", "unit", "value"))
        for one in run["measurements"]
    )
