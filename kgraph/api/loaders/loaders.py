"""Every relation of one request."""

from __future__ import annotations

from kgraph.api.loaders.named import NamedLoaders
from kgraph.api.loaders.resolution import ResolutionLoaders


class Loaders(NamedLoaders, ResolutionLoaders):
    """Every relation of one request; a relation that is never asked for costs nothing."""
