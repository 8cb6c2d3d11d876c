"""Vega-Lite specifications of the charts, arranged from answers of the API."""

from kgraph.web.images.specs.figure import Figure, Look
from kgraph.web.images.specs.history import specify_history
from kgraph.web.images.specs.ranking import specify_ranking
from kgraph.web.images.specs.scaling import specify_scaling

__all__ = ["Figure", "Look", "specify_history", "specify_ranking", "specify_scaling"]
