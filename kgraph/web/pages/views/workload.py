"""The page of a workload: its shapes, every comparison of it, and every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError, parse_ref
from kgraph.web.pages.ask import PageMissingError, PageMovedError
from kgraph.web.pages.linked import describe_workload
from kgraph.web.pages.views.shown import TABLE_SIZE, Shown, preview_ranking

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data

# What a list can be asked for where the address does not hold a whole digest yet.
_NO_DIGEST = "sha256:" + "0" * 64


async def show_workload(asked: Asked) -> Shown:
    """The page of the workload that the path names.

    Raises:
        PageMissingError: there is no such workload.
        PageMovedError: the path holds a prefix or an object id; the digest is the address.
        PageAmbiguousError: the path holds a prefix of several digests.
    """
    try:
        prefix = parse_ref(asked.name)
    except BadDigestError as error:
        raise PageMissingError("workload", asked.name) from error
    is_whole = prefix.is_full and prefix.algorithm == "sha256"
    variables: Data = {
        "ref": asked.name,
        "digest": asked.name if is_whole else _NO_DIGEST,
        "first": TABLE_SIZE,
        "after": asked.given("after") if is_whole else None,
    }
    data = await asked.ask("workload", variables, kind="workload")
    workload, links = data["workload"], asked.links
    if workload is None:
        raise PageMissingError("workload", asked.name)
    if workload["digest"] != asked.name:
        raise PageMovedError(links.whole_workload(workload["digest"], **dict(asked.query)))
    operation, runs, unranked = workload["operation"], data["runs"], data["unranked"]
    run_count = runs["totalCount"] + unranked["totalCount"]
    title = f"{operation['title']}: {workload['title'] or workload['label']}"
    ranked = next((one for one in workload["cohorts"] if one["eligibleRunCount"]), None)
    description = f"{title}. {run_count:,} runs in {len(workload['cohorts']):,} comparisons."[:300]
    return Shown(
        template="workload.html",
        document="workload",
        variables=variables,
        data=data,
        title=title,
        description=description,
        path=links.whole_workload(workload["digest"]),
        linked=describe_workload(workload, asked),
        preview=preview_ranking(links, ranked, description) if ranked else None,
        extra={
            "workload": workload,
            "operation": operation,
            "runs": runs,
            "unranked": unranked,
            "run_count": run_count,
        },
    )
