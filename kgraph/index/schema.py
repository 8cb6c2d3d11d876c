"""The shape of an index file, and how one is opened for building."""

from __future__ import annotations

import hashlib
import pkgutil

SQL_FILES = ("tables", "current", "final", "search", "coverage", "headroom")
"""Every script that makes tables, without its ending, in the order in which they run."""

# Counted up by hand where rows come out otherwise though no script changed.
_EXTRACTION = "3"


def load_sql(name: str) -> str:
    """The statements of one of `SQL_FILES`. Source: the file beside this module."""
    content = pkgutil.get_data(__name__, f"{name}.sql")
    assert content is not None, name  # noqa: S101 - the package ships them
    return content.decode()


def load_tables_sql() -> str:
    """The statements that make an empty index. Source: `tables.sql` beside this module."""
    return load_sql("tables")


def _name_shape() -> str:
    scripts = hashlib.sha256("\n".join(map(load_sql, SQL_FILES)).encode())
    return f"{_EXTRACTION}.{scripts.hexdigest()[:8]}"


TABLE_VERSION = _name_shape()
"""Changes with any table, column or meaning of one; an index of another version is rebuilt."""
