"""Options that several commands share, and the settings they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from kgraph.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., object]")


def store_option(function: Function) -> Function:
    """`--store`: which objects to read or write, in place of KGRAPH_STORE."""
    return click.option(
        "--store",
        metavar="FOLDER",
        help="Folder or s3://bucket/prefix of the objects.  [default: $KGRAPH_STORE, ./objects, "
        "your own store, the starter catalogue]",
    )(function)


def json_option(function: Function) -> Function:
    """`--json`: print a result for programs, in place of a table for people."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        function
    )


def settings_for(store: str | None) -> Settings:
    """The environment's settings, with the store that the command line names, if it does."""
    settings = read_settings()
    return settings if store is None else settings.with_store(store)
