"""`kgraph query`: GraphQL without a server."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from typing import Any

import click
import orjson

from kgraph.api import Engine, Limits, Moment, Request, build_schema
from kgraph.cli.documents import read_file
from kgraph.cli.opening import open_catalog
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import print_json
from kgraph.errors import UsageError


class BadVariablesError(UsageError):
    """The variables of a query are no JSON object."""

    code = "BAD_VARIABLES"

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(f"--variables: found {found[:90]!r}, expected a JSON object")


@click.command()
@click.argument("file")
@click.option("--variables", metavar="JSON", default="{}", help="Values of the query's variables.")
@click.option("--operation", metavar="NAME", help="Which of several operations in the document.")
@click.option("--as-of", metavar="SNAPSHOT", help="Ask an earlier snapshot, by its id or a prefix.")
@store_option
def command(
    file: str, variables: str, operation: str | None, as_of: str | None, store: str | None
) -> int:
    """Answer the GraphQL document in FILE (`-`: standard input) and print the response.

    Exit status 1 where the response holds errors, 3 where one of them is damage of the store.
    """
    content = sys.stdin.buffer.read() if file == "-" else read_file(file)
    document = content.decode("utf-8", "replace")
    settings = settings_for(store)
    source = open_catalog(settings)
    catalog = source.current() if as_of is None else source.at(as_of)
    # A person at their own machine is held only to the time they are ready to wait.
    limits = Limits(cost=sys.maxsize, seconds=settings.limits.request_seconds * 10)
    engine = Engine(build_schema(), limits)
    moment = Moment(catalog, datetime.now(UTC), base_url="", request_id="query")
    try:
        answer = asyncio.run(
            engine.answer(Request(document, parse_variables(variables), operation), moment)
        )
    finally:
        engine.close()
    print_json(answer.body)
    if answer.has_damage:
        return 3
    return 1 if answer.has_errors else 0


def parse_variables(text: str) -> dict[str, Any]:
    """The variables that `--variables` holds.

    Raises:
        BadVariablesError: they are no JSON object.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise BadVariablesError(text) from None
    if not isinstance(value, dict):
        raise BadVariablesError(text)
    return value
