"""A snapshot written out whole: lines that can be imported again, and tables for analysis."""

from kgraph.exporters.catalogue import CATALOGUE_FORMAT, export_catalogue, iter_lines
from kgraph.exporters.parquet import (
    PARQUET_TABLES,
    FolderInUseError,
    TableReport,
    describe_tables,
    export_parquet,
    write_table,
)
from kgraph.exporters.stamp import stamp_export

__all__ = [
    "CATALOGUE_FORMAT",
    "PARQUET_TABLES",
    "FolderInUseError",
    "TableReport",
    "describe_tables",
    "export_catalogue",
    "export_parquet",
    "iter_lines",
    "stamp_export",
    "write_table",
]
