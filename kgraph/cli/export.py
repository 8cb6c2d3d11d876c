"""`kgraph export`: the whole catalogue in files."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from kgraph.cli.opening import open_catalog
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import ProgressLine, print_table, talk
from kgraph.errors import UsageError
from kgraph.exporters import export_catalogue, export_parquet

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.catalog import Catalog

_NAMES = (".jsonl", ".jsonl.zst")


class BadDestinationError(UsageError):
    """A place that an export cannot be written to."""

    code = "BAD_DESTINATION"

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(f"{where}: found {found}, expected {expected}")


@click.command()
@click.argument("destination", metavar="FILE|DIR")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="Lines that can be imported again, or a folder of tables for analysis.",
)
@click.option("--snapshot", metavar="ID", help="An earlier snapshot, by its id or a prefix of it.")
@store_option
def command(destination: str, form: str, snapshot: str | None, store: str | None) -> None:
    """Write the whole catalogue: as lines to FILE, or as Parquet tables into DIR.

    FILE is a name in .jsonl or .jsonl.zst, or - for plain lines on stdout. One snapshot gives the
    same bytes each time. `kgraph import kernelindex FILE` reads them back: into an empty store,
    with the same objects and the same log.

    DIR holds one file a table, which DuckDB, Polars and pandas open, and says in README.md and
    dictionary.json what each column means. An earlier export that is there is replaced.
    """
    source = open_catalog(settings_for(store))
    catalog = source.current() if snapshot is None else source.at(snapshot)
    if form == "parquet":
        reports = export_parquet(catalog, Path(destination))
        print_table(
            ("table", "rows", "bytes"),
            [(one.name, f"{one.rows:,}", f"{one.size_bytes:,}") for one in reports],
        )
        return
    if destination == "-":
        lines = _export(catalog, sys.stdout.buffer, is_compressed=False)
    elif destination.endswith(_NAMES):
        is_compressed = destination.endswith(".zst")
        lines = _write_file(
            Path(destination), lambda file: _export(catalog, file, is_compressed=is_compressed)
        )
    else:
        raise BadDestinationError(destination, "another name", "a name in .jsonl or .jsonl.zst")
    talk(f"kgraph: {lines:,} lines of snapshot {catalog.snapshot}")


def _export(catalog: Catalog, stream: BinaryIO, *, is_compressed: bool) -> int:
    with ProgressLine("lines written") as writing:
        return export_catalogue(catalog, stream, is_compressed=is_compressed, progress=writing)


def _write_file(path: Path, write: Callable[[BinaryIO], int]) -> int:
    """Write beside the name and rename, so that the name never stands for half a file."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        found = error.strerror or str(error)
        raise BadDestinationError(str(path), found, "a folder to write to") from error
    try:
        with os.fdopen(handle, "wb") as file:
            count = write(file)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is for its owner alone; an export is as readable as any other file.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count
