"""What each image shows: which comparison or sweep an address means, and the answer to draw."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kgraph.web.images.badge import show_leader, show_unmeasured
from kgraph.web.images.parameters import read_name
from kgraph.web.images.specs import specify_history, specify_ranking, specify_scaling
from kgraph.web.pages.ask import PageMissingError
from kgraph.web.pages.views.sweep import find_sweeps

if TYPE_CHECKING:
    from kgraph.web.images.badge import Badge
    from kgraph.web.images.specs import Figure, Look
    from kgraph.web.pages.ask import Asked, Data

DOCUMENTS = Path(__file__).parent / "documents"
"""Where the documents lie that images are made of."""

KINDS = ("history", "ranking", "scaling")
"""Charts, as they stand in addresses."""

_COHORT_KEY = re.compile(r"sha256:[0-9a-f]{64}")
_RANKED = 200
_MAX_PRODUCT = 100
# What is asked for where no run is marked.
_NO_RUN = "sha256:" + "0" * 64


async def show_badge(asked: Asked, snapshot: str) -> Badge:
    """The badge of the comparison that the path names by its key.

    Raises:
        PageMissingError: there is no such comparison.
    """
    if not _COHORT_KEY.fullmatch(asked.name):
        raise PageMissingError("comparison", asked.name)
    data = await _ours(asked).ask("comparison", {"cohort": asked.name})
    cohort = data["cohort"]
    if cohort is None:
        raise PageMissingError("comparison", asked.name)
    return show_leader(cohort, cohort["record"], snapshot)


async def show_operation_badge(asked: Asked, snapshot: str) -> Badge:
    """The badge of the operation that the path names, on the device of `hardware` where given.

    Which run is the fastest is what the API says: `Operation.fastest.reported`, and with a device
    `Query.resolve` of the operation on it; both take the comparison with the most eligible runs,
    then the fastest record.

    Raises:
        PageMissingError: there is no such operation or device.
        BadHttpError: the name of the device is too long for one.
    """
    device = read_name(asked.query, "hardware")
    product: str | None = None
    if device is not None:
        found = await asked.ask("product", {"text": device[:_MAX_PRODUCT]})
        if found["hardwareProduct"] is None:
            raise PageMissingError("hardware", device)
        product = found["hardwareProduct"]["product"]
    variables = {
        "slug": asked.name,
        "hardware": product or "",
        "isOnDevice": product is not None,
    }
    data = await _ours(asked).ask("fastest", variables, kind="operation")
    operation = data["operation"]
    if operation is None:
        raise PageMissingError("operation", asked.name)
    if product is not None:
        resolution = data["resolve"]
        cohort, leader = resolution["cohort"], resolution["best"]
    else:
        fastest = operation["fastest"] or {"cohort": None, "reported": None}
        cohort, leader = fastest["cohort"], fastest["reported"]
    if cohort is None:
        return show_unmeasured(operation, product, snapshot)
    return show_leader(cohort, leader, snapshot)


async def show_ranking(asked: Asked, look: Look) -> Figure:
    """The ranking that the path names, with the run of the parameter `run` marked.

    Raises:
        PageMissingError: there is no such comparison, operation or run.
    """
    run = read_name(asked.query, "run")
    key = await _find_cohort(asked)
    variables = {
        "cohort": key,
        "first": _RANKED,
        "run": run or _NO_RUN,
        "isMarked": run is not None,
    }
    named = replace(_ours(asked), name=run or asked.name)
    data = await named.ask("ranking", variables, kind="run")
    if run is not None and (data["run"] is None or data["run"]["cohort"]["key"] != key):
        raise PageMissingError("run", run)
    return specify_ranking(data, look)


async def show_history(asked: Asked, look: Look) -> Figure:
    """The record history of the comparison that the path names.

    Raises:
        PageMissingError: there is no such comparison or operation.
    """
    key = await _find_cohort(asked)
    return specify_history(await _ours(asked).ask("history", {"cohort": key}), look)


async def show_scaling(asked: Asked, look: Look) -> Figure:
    """The sweep of the operation that the path names, chosen as its page does.

    The parameter `cohort` picks the comparison that it goes through, `axis` one of several.

    Raises:
        PageMissingError: there is no such operation, comparison or axis.
    """
    picked, axis = read_name(asked.query, "cohort"), read_name(asked.query, "axis")
    if picked is not None and not _COHORT_KEY.fullmatch(picked):
        raise PageMissingError("comparison", picked)
    variables = {"slug": asked.name, "cohort": picked or "", "isPicked": picked is not None}
    data = await _ours(asked).ask("scaling", variables, kind="operation")
    operation = data["operation"]
    if operation is None:
        raise PageMissingError("operation", asked.name)
    comparison = data["cohort"] if picked else (operation["fastest"] or {}).get("cohort")
    if picked and (comparison is None or comparison["operation"]["slug"] != operation["slug"]):
        raise PageMissingError("comparison", picked)
    if comparison is None:
        return specify_scaling(operation, None, look)
    edges = operation["workloads"]["edges"]
    shown = find_sweeps(operation["sweeps"], edges, comparison)
    if axis is not None:
        shown = tuple(one for one in shown if one.sweep["axis"] == axis)
        if not shown:
            raise PageMissingError("axis", axis)
    return specify_scaling(operation, shown[0] if shown else None, look)


async def _find_cohort(asked: Asked) -> str:
    """Key of the comparison that the path names: its own, or the headline of an operation.

    Raises:
        PageMissingError: it is neither, or nothing of the operation is ranked.
    """
    if _COHORT_KEY.fullmatch(asked.name):
        data = await _ours(asked).ask("comparison", {"cohort": asked.name})
        if data["cohort"] is not None:
            return asked.name
    variables = {"slug": asked.name, "hardware": "", "isOnDevice": False}
    data = await _ours(asked).ask("fastest", variables, kind="operation")
    operation: Data | None = data["operation"]
    if operation is None:
        is_key = asked.name.startswith("sha256:")
        raise PageMissingError("comparison" if is_key else "operation", asked.name)
    if operation["fastest"] is None:
        raise PageMissingError("ranked run", asked.name)
    return str(operation["fastest"]["cohort"]["key"])


def _ours(asked: Asked) -> Asked:
    """The same request, asking by our documents."""
    return replace(asked, documents=DOCUMENTS)
