"""A page before it is written: its template, its answer, and what its head says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Data
    from kgraph.web.pages.links import Links

PAGE_SIZE = 100
"""Rows of a list of records."""

TABLE_SIZE = 200
"""Rows of a table of runs, the longest page that the API gives."""


PREVIEW_WIDTH, PREVIEW_HEIGHT = 1200, 630
"""Pixels of the picture in previews, the size that sites cut least of."""

_PREVIEW_SCALE = 2


@dataclass(frozen=True, slots=True)
class Preview:
    """The picture that other sites show of a page."""

    path: str
    text: str
    """What it shows, for those who cannot see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One page, arranged and not yet written."""

    template: str
    document: str
    """The document that the page is made of."""
    variables: Data
    data: Data
    """Its answer."""
    title: str
    description: str
    """One sentence, for previews and search results."""
    path: str
    """Canonical path, with the parameters that make it another page."""
    linked: Data | None = None
    """The page in schema.org's words; None where it is a mere list."""
    has_card: bool = False
    """Whether `/oembed` knows it."""
    preview: Preview | None = None
    """None where no chart says what the page says."""
    extra: Data = field(default_factory=dict)
    """What the template needs beside the answer."""


def preview_ranking(links: Links, comparison: Data, text: str, run: str | None = None) -> Preview:
    """The ranking of a comparison as a picture.

    Args:
        text: what the page says of it in one sentence.
        run: digest of the run that is marked; None for none.
    """
    path = links.chart(
        "ranking",
        comparison["key"],
        "png",
        width=PREVIEW_WIDTH // _PREVIEW_SCALE,
        height=PREVIEW_HEIGHT // _PREVIEW_SCALE,
        scale=_PREVIEW_SCALE,
        run=run,
    )
    return Preview(path, f"Ranking. {text}")
