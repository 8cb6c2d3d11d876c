"""`kgraph log`: the publications of a store."""

from __future__ import annotations

import click

from kgraph.cli.opening import open_for_reading
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_table
from kgraph.digest import short


@click.command()
@click.option(
    "--first", type=click.IntRange(min=1), metavar="N", help="The newest N only.  [default: all]"
)
@store_option
@json_option
def command(first: int | None, store: str | None, *, as_json: bool) -> None:
    """List publications, newest first: what was added, by whom, when."""
    _, log = open_for_reading(settings_for(store))
    head = log.head()
    start = 0 if first is None or head is None else max(0, head.sequence - first)
    entries = list(log.entries(after=start))[::-1]
    if as_json:
        print_json(
            [
                {
                    "sequence": entry.sequence,
                    "snapshot": entry.object_id,
                    "parent": entry.publication.parent,
                    "publishedAt": entry.publication.published_at,
                    "publishedBy": entry.publication.published_by,
                    "source": entry.publication.source,
                    "objectCount": entry.publication.object_count,
                    "packs": list(entry.publication.packs),
                    "message": entry.publication.message,
                }
                for entry in entries
            ]
        )
        return
    print_table(
        ("number", "snapshot", "published at", "by", "source", "objects", "message"),
        [
            (
                entry.sequence,
                short(entry.object_id),
                entry.publication.published_at,
                entry.publication.published_by,
                entry.publication.source,
                f"{entry.publication.object_count:,}",
                entry.publication.message,
            )
            for entry in entries
        ],
    )
