"""The page of records: which stand now, narrowed by what the address says, and the last changes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kgraph.web.pages.views.shown import PAGE_SIZE, Shown

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data

_FILTERS = ("family", "operation", "hardware", "language", "project", "source")
# Record events carry neither of these; their list is narrowed by the rest.
_EVENT_FILTERS = frozenset(_FILTERS) - {"language", "project"}

_FACETS = MappingProxyType(
    {
        "family": "byFamily",
        "hardware": "byHardware",
        "language": "byLanguage",
        "project": "byProject",
        "source": "bySource",
    }
)


async def show_records(asked: Asked) -> Shown:
    """The records that stand, latest first."""
    chosen = {name: value for name in _FILTERS if (value := asked.given(name))}
    where: Data = {name: {"eq": value} for name, value in chosen.items()}
    variables: Data = {
        "where": where or None,
        "changed": {name: test for name, test in where.items() if name in _EVENT_FILTERS} or None,
        "first": PAGE_SIZE,
        "after": asked.given("after"),
    }
    data = await asked.ask("records", variables)
    count = data["records"]["totalCount"]
    named = " · ".join(chosen.values())
    return Shown(
        template="records.html",
        document="records",
        variables=variables,
        data=data,
        title=f"Records: {named}" if named else "Records",
        description=f"{count:,} standing records of GPU kernels{f': {named}' if named else ''}.",
        path=asked.links.records(**chosen),
        extra={
            "chosen": chosen,
            "facets": [
                (name, data["records"][field])
                for name, field in _FACETS.items()
                if name in chosen or len(data["records"][field]) > 1
            ],
        },
    )
