"""`kgraph index`: the derived index."""

from __future__ import annotations

import time

import click

from kgraph.cli.opening import open_for_reading
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_text
from kgraph.errors import DamageError
from kgraph.index import EMPTY_SNAPSHOT, Index, build_index, name_index
from kgraph.policy import ranking_v1


@click.group()
def command() -> None:
    """Build the index, or say what state it is in.

    The index is derived: it can be deleted at any time and comes back the same, row for row.
    """


@command.command()
@click.option("--rebuild", is_flag=True, help="Replay the whole log, whatever is there.")
@store_option
@json_option
def build(store: str | None, *, rebuild: bool, as_json: bool) -> None:
    """Bring the index up to the head of the log."""
    settings = settings_for(store)
    objects, log = open_for_reading(settings)
    started = time.monotonic()
    built = build_index(log, objects, ranking_v1, folder=settings.index_folder, is_fresh=rebuild)
    seconds = time.monotonic() - started
    if as_json:
        print_json(
            {
                "path": str(built.path),
                "snapshot": built.snapshot,
                "sequence": built.sequence,
                "applied": built.applied,
                "isIncremental": built.is_incremental,
                "seconds": round(seconds, 3),
            }
        )
        return
    print_text(f"index         {built.path}")
    print_text(f"snapshot      {built.snapshot}")
    print_text(f"publications  {built.sequence:,}, {built.applied:,} of them read now")
    print_text(f"time          {seconds:.1f} s")


@command.command()
@store_option
@json_option
def status(store: str | None, *, as_json: bool) -> int:
    """Say whether the index is there, current and readable.

    Exit status 3 where it is there and cannot be read.
    """
    settings = settings_for(store)
    _, log = open_for_reading(settings)
    head = log.head()
    snapshot = head.object_id if head else EMPTY_SNAPSHOT
    path = settings.index_folder / name_index(snapshot, ranking_v1)
    fault = None
    state = "missing"
    if path.exists():
        try:
            index = Index(path)
            state = "current" if index.snapshot == snapshot else "outdated"
            index.close()
        except DamageError as error:
            state, fault = "damaged", str(error)
    elif any(settings.index_folder.glob("*.duckdb")):
        state = "outdated"
    if as_json:
        print_json({"path": str(path), "snapshot": snapshot, "state": state, "fault": fault})
    else:
        print_text(f"index     {path}")
        print_text(f"snapshot  {snapshot}")
        print_text(f"state     {state}")
        if fault is not None:
            print_text(f"fault     {fault}")
        elif state != "current":
            print_text("next      kgraph index build")
    return 3 if fault else 0
