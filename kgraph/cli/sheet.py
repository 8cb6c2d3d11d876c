"""One connection of a GraphQL document, written to a file as a sheet."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from kgraph.api import (
    Engine,
    ExportRefusedError,
    Limits,
    Moment,
    Request,
    build_schema,
    plan_export,
    write_pages,
)
from kgraph.cli.destination import BadDestinationError, write_file
from kgraph.cli.documents import read_file
from kgraph.cli.output import ProgressLine
from kgraph.cli.query import parse_variables
from kgraph.errors import KgraphError
from kgraph.sheet import FORMS, Form, SheetOptions, make_writer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from kgraph.api import ConnectionExport, ExportPage
    from kgraph.catalog import Catalog

_REQUEST_ID = "export"
# Names that people give to a stream of Arrow's.
_SUFFIXES = {".arrow": "arrow"} | {form.suffix: form.name for form in FORMS}


class SheetRefusedError(KgraphError):
    """A sheet that was not written, and why."""

    def __init__(self, error: ExportRefusedError) -> None:
        self.code = error.code
        # What is refused before anything is asked is the caller's to mend.
        self.exit_code = 2 if error.is_refused else 1
        super().__init__("\n".join(str(each["message"]) for each in error.errors))


@dataclass(frozen=True, slots=True)
class SheetOrder:
    """What a person asks of a sheet."""

    document: str
    """File that holds it; `-` for standard input."""
    variables: str
    operation: str | None
    path: str | None
    limit: int | None
    form: str | None
    """By the destination's name where None."""
    options: SheetOptions


def write_sheet(catalog: Catalog, destination: str, order: SheetOrder, *, seconds: float) -> int:
    """Write a connection of a document; returns how many rows.

    Args:
        destination: a file, or `-` for standard output.
        seconds: how long each page may take.

    Raises:
        BadDestinationError: the name says no form, or the file cannot be written.
        SheetRefusedError: the document holds no such connection, or a page of it fails.
    """
    form = _choose_form(destination, order.form)
    if form.name != "csv" and order.options != SheetOptions():
        raise BadDestinationError(destination, form.name, "csv, where --bom or --raw is given")
    is_stdin = order.document == "-"
    content = sys.stdin.buffer.read() if is_stdin else read_file(order.document)
    request = Request(
        content.decode("utf-8", "replace"), parse_variables(order.variables), order.operation
    )
    # A person at their own machine is held only to the time they are ready to wait.
    engine = Engine(build_schema(), Limits(cost=sys.maxsize, seconds=seconds))
    moment = Moment(catalog, datetime.now(UTC), base_url="", request_id=_REQUEST_ID)

    def write(file: BinaryIO) -> int:
        return asyncio.run(_write(export, form, order.options, moment, file))

    try:
        planned = plan_export(
            engine, request, path=order.path, limit=order.limit, request_id=_REQUEST_ID
        )
        export = asyncio.run(planned)
        if destination == "-":
            return write(sys.stdout.buffer)
        return write_file(Path(destination), write)
    except ExportRefusedError as error:
        raise SheetRefusedError(error) from error
    finally:
        engine.close()


async def _write(
    export: ConnectionExport, form: Form, options: SheetOptions, moment: Moment, file: BinaryIO
) -> int:
    metadata = await export.describe(moment) if form.name != "csv" else {}
    writer = make_writer(form, export.columns, metadata=metadata, options=options)
    counts: list[int] = []
    with ProgressLine("rows written") as progress:

        async def counted() -> AsyncGenerator[ExportPage, None]:
            async for page in export.pages(moment):
                counts.append(page.row_count)
                progress(sum(counts), export.limit or page.total_count)
                yield page

        async with contextlib.aclosing(counted()) as pages:
            async for part in write_pages(pages, writer):
                file.write(part)
    return sum(counts)


def _choose_form(destination: str, name: str | None) -> Form:
    by_name = {form.name: form for form in FORMS}
    if name is None:
        suffix = Path(destination).suffix.lower()
        name = "csv" if destination == "-" else _SUFFIXES.get(suffix)
    if name is None:
        expected = "a name in .csv, .parquet or .arrows, or --format"
        raise BadDestinationError(destination, "another name", expected)
    return by_name[name]
