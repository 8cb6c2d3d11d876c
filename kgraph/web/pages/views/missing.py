"""Pages for addresses that lead nowhere, or to several places: what may have been meant."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kgraph.web.pages.views.names import suggest_operations, suggest_products
from kgraph.web.pages.views.shown import Shown

if TYPE_CHECKING:
    from kgraph.web.pages.ask import (
        Asked,
        Data,
        PageAmbiguousError,
        PageMissingError,
        PageRefusedError,
    )

# As many as one test of the API takes.
_MOST_NAMESAKES = 100

EXPECTED = MappingProxyType(
    {
        "operation": "the slug, an alias or the digest of an operation",
        "run": "a digest of a run, its object id, or 8 or more of its hex digits",
        "workload": "a digest of a workload, its object id, or 8 or more of its hex digits",
        "hardware": "a product, with or without its maker, as h100",
        "comparison": "the key of a comparison of this operation",
        "page": "the address of a page",
    }
)
"""What an address is expected to hold, by what it names."""


async def show_missing(asked: Asked, error: PageMissingError) -> Shown:
    """What is said where a name is unknown: names like it, and where to look."""
    kind = error.kind if error.kind in EXPECTED else "page"
    wants_operations = kind in {"operation", "page", "comparison"}
    operations = await suggest_operations(asked, asked.name) if wants_operations else ()
    wants_products = kind in {"hardware", "page"}
    products = await suggest_products(asked, asked.name) if wants_products else ()
    return Shown(
        template="missing.html",
        document="names",
        variables={"first": 1, "after": None},
        data={},
        title=f"No such {kind}",
        description=f"The catalogue knows no such {kind}.",
        path=asked.links.page("/"),
        extra={
            "kind": kind,
            "name": error.name,
            "expected": EXPECTED[kind],
            "operations": operations,
            "products": products,
        },
    )


async def show_ambiguous(asked: Asked, error: PageAmbiguousError) -> Shown:
    """The objects that a prefix may mean, or the operations that share a name."""
    if error.is_slug:
        return await _show_namesakes(asked, error)
    names = [*error.candidates[:3]]
    found: list[Data] = []
    if names:
        names += names[:1] * (3 - len(names))
        variables = dict(zip(("first", "second", "third"), names, strict=True))
        data = await asked.ask("candidates", variables)
        found = list({one["digest"]: one for one in data.values() if one is not None}.values())
    return Shown(
        template="ambiguous.html",
        document="candidates",
        variables={},
        data={},
        title="Several objects begin so",
        description="More than one object has a digest that begins with these digits.",
        path=asked.links.page("/"),
        extra={"name": error.name, "message": error.message, "found": found},
    )


async def _show_namesakes(asked: Asked, error: PageAmbiguousError) -> Shown:
    where = {"digest": {"in": [*error.candidates[:_MOST_NAMESAKES]]}}
    data = await asked.ask("namesakes", {"where": where})
    return Shown(
        template="namesakes.html",
        document="namesakes",
        variables={"where": where},
        data=data,
        title="Several operations have this name",
        description="More than one operation has this name; each has a page by its digest.",
        path=asked.links.page("/"),
        extra={"name": error.name, "found": data["operations"]["nodes"]},
    )


def show_refused(asked: Asked, error: PageRefusedError, path: str) -> Shown:
    """What is said where the API refuses: its own words, and the way back to the first page.

    Args:
        path: of the page that was asked for.
    """
    return Shown(
        template="refused.html",
        document="names",
        variables={},
        data={},
        title="This page cannot be made now"
        if error.is_ours
        else "This page is not there any more",
        description="The request cannot be answered.",
        path=asked.links.page("/"),
        extra={"message": error.message, "is_ours": error.is_ours, "here": path},
    )
