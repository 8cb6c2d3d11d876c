"""Every name that an address may hold, to find what was meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from kgraph.web.pages.links import hardware_slug

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data

_MAX_PAGES = 20
_MAX_SUGGESTIONS = 5
# Below this, names share hardly more than their letters.
_LIKENESS = 0.5


async def load_operations(asked: Asked) -> tuple[Data, ...]:
    """Slug, title and aliases of the operations, at most 4,000."""
    found: list[Data] = []
    after: str | None = None
    for _ in range(_MAX_PAGES):
        data = await asked.ask("names", {"first": 200, "after": after})
        page = data["operations"]
        found += page["nodes"]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    return tuple(found)


async def suggest_operations(asked: Asked, text: str) -> tuple[Data, ...]:
    """Operations with names like the text, likest first, at most 5."""
    named: dict[str, Data] = {}
    for operation in await load_operations(asked):
        for name in (operation["slug"], operation["title"], *operation["aliases"]):
            named.setdefault(name.casefold(), operation)
    wanted = text.casefold()[:200]
    near = get_close_matches(wanted, named, n=_MAX_SUGGESTIONS * 2, cutoff=_LIKENESS)
    # A part of a long slug is less like it than a short slug is, and still what was meant.
    near = [name for name in named if len(wanted) > 2 and wanted in name] + near  # noqa: PLR2004
    unique = {named[name]["slug"]: named[name] for name in near}
    return tuple(unique.values())[:_MAX_SUGGESTIONS]


async def suggest_products(asked: Asked, text: str) -> tuple[str, ...]:
    """Products with names like the text, likest first, at most 5."""
    data = await asked.ask("names", {"first": 1, "after": None})
    named = {hardware_slug(one["product"]): one["product"] for one in data["hardware"]["nodes"]}
    wanted = hardware_slug(text)[:200]
    near = get_close_matches(wanted, named, n=_MAX_SUGGESTIONS, cutoff=_LIKENESS)
    near = [name for name in named if wanted and wanted in name] + near
    return tuple(dict.fromkeys(named[name] for name in near))[:_MAX_SUGGESTIONS]
