"""Pages as bytes: the templates, the words and links they use, and the files they load."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from kgraph import __version__
from kgraph.units import format_ratio
from kgraph.web.pages import words
from kgraph.web.pages.ask import load_document
from kgraph.web.pages.charts import scale
from kgraph.web.pages.links import safe_href
from kgraph.web.pages.views.shown import PREVIEW_HEIGHT, PREVIEW_WIDTH

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data
    from kgraph.web.pages.views import Shown

_ROOM = Path(__file__).parent
_STATIC = _ROOM / "static"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Policy of every page: a style sheet and pictures from here, no script at all."""

# A missing value and, to whoever points at it, why it is missing.
_NOTHING = '{% macro nothing(why) %}<span class="na" title="{{ why }}">–</span>{% endmacro %}'

CONTENT_TYPES = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
"""Of the files that pages load."""


@cache
def load_files() -> dict[str, bytes]:
    """The files that pages load, by name."""
    return {path.name: path.read_bytes() for path in sorted(_STATIC.iterdir())}


@cache
def files_version() -> str:
    """Names the files' content; stands in their addresses."""
    told = hashlib.sha256()
    for name, content in load_files().items():
        told.update(f"{name} {len(content)}\n".encode() + content)
    return told.hexdigest()[:16]


@cache
def pages_edition() -> str:
    """Names the program that makes pages: another one may write the same answer otherwise."""
    told = hashlib.sha256(__version__.encode())
    for path in sorted(_ROOM.rglob("*")):
        if path.suffix in {".py", ".html", ".graphql", ".css", ".svg"}:
            told.update(path.relative_to(_ROOM).as_posix().encode() + path.read_bytes())
    return told.hexdigest()[:16]


def write_page(shown: Shown, asked: Asked) -> bytes:
    """The page as HTML in UTF-8."""
    links = asked.links
    catalog = asked.moment.catalog
    document = load_document(shown.document)
    page = _environment().get_template(shown.template)
    context: Data = {
        **shown.extra,
        "page": shown,
        "data": shown.data,
        "links": links,
        "snapshot": catalog.snapshot,
        "is_pinned": links.pin is not None,
        "files": links.file(f"/pages/{files_version()}"),
        "canonical": links.absolute(shown.path),
        "json_href": _with_format(shown.path),
        "ask_href": links.ask(document, shown.variables) if shown.data else None,
        "query": asked.query,
    }
    # Blank lines are what template tags leave behind.
    return "\n".join(filter(str.strip, page.render(context).splitlines())).encode()


def write_card_html(found: Data, url: str, *, is_run: bool) -> str:
    """The markup of a preview: plain, since those who show it may strip everything else."""
    page = _environment().get_template("card.html")
    return " ".join(page.render(found=found, url=url, is_run=is_run).split())


def _with_format(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}format=json"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_ROOM / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "axes": words.show_axes,
        "bandwidth": words.show_bandwidth,
        "bytes": words.show_bytes,
        "code": words.show_code,
        "date": words.show_date,
        "explain_level": words.explain_level,
        "explain_profile": words.explain_profile,
        "gigabytes": words.show_gigabytes,
        "instant": words.show_instant,
        "level": words.show_level,
        "number": words.show_number,
        "ratio": format_ratio,
        "safe_href": safe_href,
        "speedup": words.show_speedup,
        "tera": words.show_tera,
        "value": words.show_value,
        "zip": zip,
    }
    environment.globals |= {
        "metric_of": words.show_metric,
        "preview_size": (PREVIEW_WIDTH, PREVIEW_HEIGHT),
        "chart": {
            "width": scale.WIDTH,
            "height": scale.HEIGHT,
            "left": scale.LEFT,
            "right": scale.WIDTH - scale.RIGHT,
            "top": scale.TOP,
            "bottom": scale.HEIGHT - scale.BOTTOM,
        },
        "nothing": environment.from_string(_NOTHING).module.nothing,  # type: ignore[attr-defined]  # its macro
    }
    return environment
