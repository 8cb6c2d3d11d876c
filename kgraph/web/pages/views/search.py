"""The page of a search: the answer to one line, and everything that is called so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError, parse_ref
from kgraph.web.pages.ask import PageMovedError
from kgraph.web.pages.views.names import suggest_operations
from kgraph.web.pages.views.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.web.pages.ask import Asked, Data

_MAX_TEXT = 200
_KINDS = ("OPERATION", "FAMILY", "HARDWARE", "PROJECT", "IMPLEMENTATION")


async def show_search(asked: Asked) -> Shown:
    """What the line `q` leads to.

    Raises:
        PageMovedError: it is a digest of a run or workload, which has a page.
        PageAmbiguousError: it is a prefix of several digests.
    """
    text = (asked.given("q") or "").strip()[:_MAX_TEXT]
    ref = _find_ref(text)
    variables: Data = {
        "text": text,
        "isAsked": bool(text),
        "ref": ref or "",
        "isDigest": ref is not None,
    }
    data = await asked.ask("search", variables)
    found = data.get("object")
    if found is not None and found["kind"] == "BENCHMARK_RUN":
        raise PageMovedError(asked.links.whole_run(found["digest"]))
    if found is not None and found["kind"] in {"WORKLOAD_CASE", "WORKLOAD_SUITE"}:
        raise PageMovedError(asked.links.whole_workload(found["digest"]))
    hits = data["search"]["nodes"] if text else []
    answer = data["ask"] if text and _is_answer(data["ask"]) else None
    is_lost = bool(text) and not hits and answer is None and found is None
    return Shown(
        template="search.html",
        document="search",
        variables=variables,
        data=data,
        title=f"Search: {text}" if text else "Search",
        description=f"What the catalogue knows of {text}." if text else "Search the catalogue.",
        path=asked.links.search(text),
        extra={
            "text": text,
            "total": data["search"]["totalCount"] if text else 0,
            "hits": {kind: [hit for hit in hits if hit["kind"] == kind] for kind in _KINDS},
            "answer": answer,
            "found": found,
            "near": await suggest_operations(asked, text) if is_lost else (),
        },
    )


def _is_answer(answer: Mapping[str, Data]) -> bool:
    """Whether the line says more than a name: a device, a size, a condition, or one amiss."""
    query = answer["query"]
    return bool(query["problems"]) or any(token["role"] != "WORD" for token in query["tokens"])


def _find_ref(text: str) -> str | None:
    try:
        parse_ref(text)
    except BadDigestError:
        return None
    return text
