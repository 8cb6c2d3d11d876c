"""The shape of an index file, and how one is opened for building."""

from __future__ import annotations

from importlib import resources

TABLE_VERSION = "2"
"""Changes with any table, column or meaning of one; an index of another version is rebuilt."""


def load_tables_sql() -> str:
    """The statements that make an empty index. Source: `tables.sql` beside this module."""
    return resources.files(__package__).joinpath("tables.sql").read_text(encoding="utf-8")
