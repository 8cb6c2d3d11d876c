"""Geometry of the drawings in pages; templates draw it as SVG, so every text is escaped there."""

from kgraph.web.pages.charts.scaling import Scaling, plot_scaling
from kgraph.web.pages.charts.staircase import Staircase, plot_staircase

__all__ = ["Scaling", "Staircase", "plot_scaling", "plot_staircase"]
