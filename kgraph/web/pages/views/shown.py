"""A page before it is written: its template, its answer, and what its head says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Data

PAGE_SIZE = 100
"""Rows of a list of records."""

TABLE_SIZE = 200
"""Rows of a table of runs, the longest page that the API gives."""


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
    extra: Data = field(default_factory=dict)
    """What the template needs beside the answer."""
