"""A snapshot written out whole: lines that can be imported again, and tables for analysis."""

from kgraph.exporters.catalogue import CATALOGUE_FORMAT, export_catalogue, iter_lines

__all__ = ["CATALOGUE_FORMAT", "export_catalogue", "iter_lines"]
