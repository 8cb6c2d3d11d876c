"""The forms of a sheet, and what writes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kgraph.sheet.delimited import CsvWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.sheet.column import Column, Values


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of file."""

    name: str
    media_type: str
    parameters: str
    """What follows the media type in a Content-Type."""
    suffix: str
    is_packed: bool
    """Whether it is compressed inside already."""


FORMS = (
    Form("csv", "text/csv", "; charset=utf-8; header=present", ".csv", is_packed=False),
    Form("parquet", "application/vnd.apache.parquet", "", ".parquet", is_packed=True),
    Form("arrow", "application/vnd.apache.arrow.stream", "", ".arrows", is_packed=False),
)
"""Every form that is written, the one for whoever does not choose first."""


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """What the reader of a CSV file can bear."""

    has_bom: bool = False
    """Whether a byte order mark comes first, without which Excel does not see UTF-8."""
    keeps_formulas: bool = False
    """Whether text that a spreadsheet takes for a formula is written as it is."""


class SheetWriter(Protocol):
    """Rows in, bytes out; what was given back is never given again.

    Until `end`, what was given back is no whole file to a reader that looks.
    """

    def begin(self) -> bytes:
        """What stands before the rows."""

    def add(self, values: Sequence[Values]) -> bytes:
        """Further rows, as far as they are ready.

        Args:
            values: for each column its values, as `Columns.read` gives them.
        """

    def end(self) -> bytes:
        """The rest of the file."""

    def break_off(self, reason: str) -> bytes:
        """What makes it plain that the file has no end; the only thing to follow."""


def make_writer(
    form: Form,
    columns: Sequence[Column],
    *,
    metadata: Mapping[str, str],
    options: SheetOptions | None = None,
) -> SheetWriter:
    """What writes a sheet of these columns.

    Args:
        metadata: of the whole sheet; Parquet and Arrow carry it in their schema.
    """
    if form.name == "csv":
        return CsvWriter(columns, options or SheetOptions())
    # Arrow takes a tenth of a second to load, which CSV does without.
    from kgraph.sheet.arrow import ArrowWriter, ParquetWriter  # noqa: PLC0415

    writer = ParquetWriter if form.name == "parquet" else ArrowWriter
    return writer(columns, metadata)
