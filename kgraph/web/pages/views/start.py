"""The first page: how much there is, what changed last, and where to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.web.pages.linked import describe_catalog
from kgraph.web.pages.views.shown import PAGE_SIZE, Shown

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data


async def show_start(asked: Asked) -> Shown:
    """The first page."""
    variables: Data = {"operations": PAGE_SIZE, "after": asked.given("after")}
    data = await asked.ask("start", variables)
    counts = data["catalog"]["counts"]
    return Shown(
        template="start.html",
        document="start",
        variables=variables,
        data=data,
        title="kgraph",
        description=(
            f"Which GPU kernel is fastest for exactly this workload on exactly this hardware: "
            f"{counts['runs']:,} runs of {counts['operations']:,} operations, each with its source."
        ),
        path=asked.links.page("/"),
        linked=describe_catalog(data["catalog"], asked),
    )
