"""`kgraph repack`: loose objects into a sealed pack."""

from __future__ import annotations

import click

from kgraph.cli.opening import open_for_reading
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_text, talk
from kgraph.store import repack


@click.command()
@store_option
@json_option
def command(store: str | None, *, as_json: bool) -> int:
    """Gather loose objects into one sealed pack and sweep what killed writers left.

    A loose file goes only after the pack has been read back and checked. Names, the log and the
    snapshot stay as they are. Exit status 3 where a loose object is damaged; its file stays.
    """
    objects, _ = open_for_reading(settings_for(store))
    result = repack(objects)
    if as_json:
        print_json(
            {
                "pack": result.pack_id,
                "packed": result.packed,
                "alreadyPacked": result.already_packed,
                "swept": result.swept,
                "damaged": [
                    {"where": problem.where, "what": problem.what, "object": problem.affects}
                    for problem in result.damaged
                ],
            }
        )
    else:
        print_text(f"packed          {result.packed:,}")
        print_text(f"already packed  {result.already_packed:,}")
        print_text(f"swept           {result.swept:,}")
        if result.pack_id is not None:
            print_text(f"pack            {result.pack_id}")
    for problem in result.damaged:
        talk(f"{problem.where}: {problem.what}")
    return 3 if result.damaged else 0
