"""What `/oembed` says of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from kgraph.web.pages.ask import PageMissingError
from kgraph.web.pages.views.shown import PREVIEW_HEIGHT, PREVIEW_WIDTH, preview_ranking

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data
    from kgraph.web.pages.links import Links


_WIDTH, _HEIGHT = 640, 220

# The smallest chart that is drawn.
_MIN_THUMBNAIL_WIDTH, _MIN_THUMBNAIL_HEIGHT = 320, 240


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
            **_show_thumbnail(links, found, is_run=is_run, max_width=max_width),
        },
    }


def _name_authors(found: Data, *, is_run: bool) -> str:
    sources = [found["source"]] if is_run else found["sources"]
    return ", ".join(source["name"] for source in sources)


def _show_thumbnail(links: Links, found: Data, *, is_run: bool, max_width: int | None) -> Data:
    """The ranking as a picture; nothing where none is ranked, or there is no room for it."""
    comparison = found["cohort"] if is_run else found["fastest"] and found["fastest"]["cohort"]
    marked = found["digest"] if is_run else None
    if not comparison or (max_width is not None and max_width < _MIN_THUMBNAIL_WIDTH):
        return {}
    width, height = PREVIEW_WIDTH, PREVIEW_HEIGHT
    path = preview_ranking(links, comparison, "", marked).path
    if max_width is not None and max_width < width:
        height = max(_MIN_THUMBNAIL_HEIGHT, max_width * height // width)
        width = max_width
        path = links.chart(
            "ranking", comparison["key"], "png", width=width, height=height, scale=1, run=marked
        )
    return {
        "thumbnail_url": links.absolute(path),
        "thumbnail_width": width,
        "thumbnail_height": height,
    }
