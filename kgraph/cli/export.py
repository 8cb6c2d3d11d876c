"""`kgraph export`: the whole catalogue in files, or one list of it as a sheet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from kgraph.cli.destination import BadDestinationError, write_file
from kgraph.cli.opening import open_catalog
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import ProgressLine, print_table, talk
from kgraph.errors import UsageError
from kgraph.exporters import export_catalogue, export_parquet

if TYPE_CHECKING:
    from kgraph.catalog import Catalog
    from kgraph.settings import Settings

_NAMES = (".jsonl", ".jsonl.zst")
_SHEETS = ("csv", "parquet", "arrow")


class MisplacedOptionError(UsageError):
    """An option that goes with another one, which is not there."""

    code = "MISPLACED_OPTION"

    def __init__(self, option: str, expected: str) -> None:
        self.option, self.expected = option, expected
        super().__init__(f"{option}: found {expected}")


@click.command()
@click.argument("destination", metavar="FILE|DIR")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "parquet", "csv", "arrow"]),
    help="Lines that can be imported again (jsonl), a folder of tables for analysis (parquet), or "
    "with --query the form of the sheet.  [default: jsonl; for a sheet by the name of FILE]",
)
@click.option(
    "--query",
    "document",
    metavar="DOCUMENT",
    help="Write one list of this GraphQL document as a sheet (`-`: standard input).",
)
@click.option("--variables", metavar="JSON", default="{}", help="Values of the query's variables.")
@click.option("--operation", metavar="NAME", help="Which of several operations in the document.")
@click.option("--path", metavar="PATH", help="Which of several lists, as operation.workloads.")
@click.option("--limit", metavar="N", type=int, help="Rows of the sheet at most.  [default: all]")
@click.option("--bom", is_flag=True, help="Begin CSV with a byte order mark, as Excel wants it.")
@click.option("--raw", is_flag=True, help="Leave text in CSV that a spreadsheet would compute.")
@click.option("--snapshot", metavar="ID", help="An earlier snapshot, by its id or a prefix of it.")
@store_option
def command(
    destination: str,
    *,
    form: str | None,
    document: str | None,
    variables: str,
    operation: str | None,
    path: str | None,
    limit: int | None,
    bom: bool,
    raw: bool,
    snapshot: str | None,
    store: str | None,
) -> None:
    """Write the whole catalogue: as lines to FILE, or as Parquet tables into DIR.

    FILE is a name in .jsonl or .jsonl.zst, or - for plain lines on stdout. One snapshot gives the
    same bytes each time. `kgraph import kernelindex FILE` reads them back: into an empty store,
    with the same objects and the same log.

    DIR holds one file a table, which DuckDB, Polars and pandas open, and says in README.md and
    dictionary.json what each column means. An earlier export that is there is replaced.

    With --query, FILE is a sheet in .csv, .parquet or .arrows, or - for CSV on stdout: a row for
    each item of one list (a connection) of the document, over all of its pages.
    """
    settings = settings_for(store)
    if document is None:
        given = {
            "--variables": variables != "{}",
            "--operation": operation,
            "--path": path,
            "--limit": limit,
            "--bom": bom,
            "--raw": raw,
            "--format csv": form == "csv",
            "--format arrow": form == "arrow",
        }
        for option, is_given in given.items():
            if is_given:
                raise MisplacedOptionError(option, "no --query, which it goes with")
        _write_whole(settings, destination, form or "jsonl", snapshot)
        return
    if form == "jsonl":
        raise MisplacedOptionError("--format jsonl", f"--query, which takes {', '.join(_SHEETS)}")
    # Only sheets need the API.
    from kgraph.cli.sheet import SheetOrder, write_sheet  # noqa: PLC0415
    from kgraph.sheet import SheetOptions  # noqa: PLC0415

    options = SheetOptions(has_bom=bom, keeps_formulas=raw)
    order = SheetOrder(document, variables, operation, path, limit, form, options)
    catalog = _choose_catalog(settings, snapshot)
    rows = write_sheet(catalog, destination, order, seconds=settings.limits.request_seconds * 10)
    talk(f"kgraph: {rows:,} rows of snapshot {catalog.snapshot}")


def _choose_catalog(settings: Settings, snapshot: str | None) -> Catalog:
    source = open_catalog(settings)
    return source.current() if snapshot is None else source.at(snapshot)


def _write_whole(settings: Settings, destination: str, form: str, snapshot: str | None) -> None:
    """Write the whole catalogue."""
    catalog = _choose_catalog(settings, snapshot)
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
        lines = write_file(
            Path(destination), lambda file: _export(catalog, file, is_compressed=is_compressed)
        )
    else:
        raise BadDestinationError(destination, "another name", "a name in .jsonl or .jsonl.zst")
    talk(f"kgraph: {lines:,} lines of snapshot {catalog.snapshot}")


def _export(catalog: Catalog, stream: BinaryIO, *, is_compressed: bool) -> int:
    with ProgressLine("lines written") as writing:
        return export_catalogue(catalog, stream, is_compressed=is_compressed, progress=writing)
