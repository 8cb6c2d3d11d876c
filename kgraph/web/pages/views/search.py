"""The page of a search: what a few words, or a digest, lead to."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError, parse_ref
from kgraph.web.pages.ask import PageAmbiguousError, PageMovedError
from kgraph.web.pages.views.names import suggest_operations, suggest_products
from kgraph.web.pages.views.shown import Shown

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data

_FIRST = 50
_MAX_WORDS = 8
_MAX_TEXT = 200

_FIELDS = MappingProxyType(
    {
        "operations": ("title", "slug", "family"),
        "families": ("slug",),
        "hardware": ("product", "vendor"),
        "implementations": ("title", "project", "operation"),
    }
)


async def show_search(asked: Asked) -> Shown:
    """What the words of `q` lead to; each must be in a name of what is found.

    Raises:
        PageMovedError: the words are a digest of a run or workload, which has a page.
    """
    text = (asked.given("q") or "").strip()[:_MAX_TEXT]
    words = text.split()[:_MAX_WORDS]
    ref = _find_ref(text)
    variables: Data = {
        **{name: _match(words, fields) for name, fields in _FIELDS.items()},
        "ref": ref or "",
        "isDigest": ref is not None,
        "first": _FIRST if words else 1,
    }
    try:
        data = await asked.ask("search", variables)
    except PageAmbiguousError as error:
        raise PageAmbiguousError(text, error.message, error.candidates) from error
    found = data.get("object")
    if found is not None and found["kind"] == "BENCHMARK_RUN":
        raise PageMovedError(asked.links.whole_run(found["digest"]))
    if found is not None and found["kind"] in {"WORKLOAD_CASE", "WORKLOAD_SUITE"}:
        raise PageMovedError(asked.links.whole_workload(found["digest"]))
    total = sum(data[name]["totalCount"] for name in _FIELDS) if words else 0
    has_near = bool(words) and not total and found is None
    return Shown(
        template="search.html",
        document="search",
        variables=variables,
        data=data,
        title=f"Search: {text}" if text else "Search",
        description=f"{total:,} names in the catalogue hold these words.",
        path=asked.links.search(text),
        extra={
            "text": text,
            "total": total,
            "found": found,
            "near": await suggest_operations(asked, text) if has_near else (),
            "near_products": await suggest_products(asked, text) if has_near else (),
        },
    )


def _match(words: list[str], fields: tuple[str, ...]) -> Data | None:
    """Every word stands in one of the fields."""
    if not words:
        return None
    return {"and": [{"or": [{field: {"contains": word}} for field in fields]} for word in words]}


def _find_ref(text: str) -> str | None:
    try:
        parse_ref(text)
    except BadDigestError:
        return None
    return text
