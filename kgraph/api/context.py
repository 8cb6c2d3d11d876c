"""What every resolver of one request shares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from strawberry import Info as StrawberryInfo

from kgraph.catalog import Catalog

if TYPE_CHECKING:
    from kgraph.api.loaders import Loaders
    from kgraph.api.worker import Worker


@dataclass(frozen=True, slots=True)
class Context:
    """One request: its snapshot, its moment and its loaders."""

    catalog: Catalog
    """Bound to one snapshot; the whole answer is of it."""
    loaders: Loaders
    worker: Worker
    now: datetime
    """What "now" means to staleness and citations; the same for the whole answer."""
    base_url: str
    """Where this API is reached, without a slash at the end; what permalinks start with."""


if TYPE_CHECKING:
    Info = StrawberryInfo[Context, None]
else:
    # At run time strawberry only looks for its own class.
    Info = StrawberryInfo

__all__ = ["Context", "Info"]
