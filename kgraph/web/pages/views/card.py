"""What `/oembed` says of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from kgraph.web.pages.ask import PageMissingError

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data


_WIDTH, _HEIGHT = 640, 220


async def show_card(asked: Asked, address: str, *, max_width: int | None) -> Data:
    """What a preview of the page at an address says, without its markup.

    Raises:
        PageMissingError: the address is none of an operation or run here.
    """
    links = asked.links
    base = urlsplit(links.base_url)
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise PageMissingError("page", address) from error
    path = parts.path.removeprefix(base.path)
    kind, _, name = path.strip("/").partition("/")
    if parts.netloc != base.netloc or kind not in {"o", "r"} or not name:
        raise PageMissingError("page", address)
    is_run, name = kind == "r", unquote(name)
    data = await asked.ask("card", {"slug": name, "ref": name, "isRun": is_run})
    found = data["run"] if is_run else data["operation"]
    if found is None:
        raise PageMissingError("run" if is_run else "operation", name)
    page = links.whole_run(found["digest"]) if is_run else links.operation(found["slug"])
    return {
        "found": found,
        "is_run": is_run,
        "url": links.absolute(page),
        "card": {
            "version": "1.0",
            "type": "rich",
            "title": found["title"],
            "provider_name": "kgraph",
            "provider_url": links.absolute(links.page("/")),
            "author_name": _name_authors(found, is_run=is_run),
            "cache_age": 3600,
            "width": min(_WIDTH, max_width) if max_width else _WIDTH,
            "height": _HEIGHT,
        },
    }


def _name_authors(found: Data, *, is_run: bool) -> str:
    sources = [found["source"]] if is_run else found["sources"]
    return ", ".join(source["name"] for source in sources)
