"""`kgraph schema`: what documents may look like."""

from __future__ import annotations

import click

from kgraph.cli.output import print_json, print_text


@click.group()
def command() -> None:
    """Print the schema of manifests or of the GraphQL API."""


@command.command()
def manifests() -> None:
    """JSON Schema (draft 2020-12) of manifests of every kind."""
    # The two commands share nothing, and each room takes its time to import.
    from kgraph.manifest import json_schema  # noqa: PLC0415

    print_json(json_schema())


@command.command()
def graphql() -> None:
    """The GraphQL schema, as `schema.graphql` holds it."""
    from kgraph.api import build_schema, print_schema  # noqa: PLC0415 - likewise

    print_text(print_schema(build_schema()).rstrip())
