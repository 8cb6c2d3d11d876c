"""Options that several commands share, and the settings they make."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kgraph.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., object]")


@dataclass(frozen=True, slots=True)
class PublishingOptions:
    """What a person says of a publication."""

    store: str | None
    is_dry_run: bool
    packed: bool | None
    """One sealed pack or loose objects; by their number where None."""
    message: str | None
    as_json: bool


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


def publishing_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of a command that publishes, handed to it as one `options`."""

    @store_option
    @click.option("--dry-run", "is_dry_run", is_flag=True, help="Show the account, write nothing.")
    @click.option(
        "--pack/--loose",
        "packed",
        default=None,
        help="One sealed pack, or one file an object.  [default: by their number]",
    )
    @click.option("--message", metavar="TEXT", help="A note for the log.")
    @json_option
    @functools.wraps(function)
    def with_options(
        *arguments: Any,  # noqa: ANN401 - whatever the command itself takes
        store: str | None,
        is_dry_run: bool,
        packed: bool | None,
        message: str | None,
        as_json: bool,
        **named: Any,  # noqa: ANN401 - likewise
    ) -> int:
        options = PublishingOptions(store, is_dry_run, packed, message, as_json)
        return function(*arguments, options=options, **named)

    return with_options


def settings_for(store: str | None) -> Settings:
    """The environment's settings, with the store that the command line names, if it does."""
    settings = read_settings()
    return settings if store is None else settings.with_store(store)
