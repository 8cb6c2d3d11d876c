"""Parquet files and Arrow streams, written while rows come.

Both say in the metadata of their schema what they are of, and of each column the GraphQL type and
description.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgraph.sheet.column import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.sheet.column import Column, Values

_TYPES = {
    Kind.TEXT: pa.string(),
    Kind.JSON: pa.string(),
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TRUTH: pa.bool_(),
    Kind.INSTANT: pa.timestamp("ms", tz="UTC"),
}

# Row groups of Parquet are read and compressed whole; these hold a wide sheet's rows in some MB.
_GROUP_ROWS = 20_000
_GROUP_BYTES = 16 * 2**20

# Shorter than any message of a stream, and long enough that none of them is whole without it.
_HELD_BACK = 8


class _Spool(io.RawIOBase):
    """A file that is emptied from time to time."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """True."""
        return True

    def write(self, content: object) -> int:
        """Take more bytes."""
        part = bytes(content)  # type: ignore[call-overload] # any buffer
        self._parts.append(part)
        return len(part)

    def take(self) -> bytes:
        """What was written since the last time."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def make_schema(columns: Sequence[Column], metadata: Mapping[str, str]) -> pa.Schema:
    """The Arrow schema of a sheet."""
    return pa.schema(
        [
            pa.field(
                column.name,
                _TYPES[column.kind],
                nullable=not column.is_required,
                metadata={"graphql.type": column.graphql_type, "description": column.description},
            )
            for column in columns
        ],
        metadata=dict(metadata),
    )


def make_batch(
    schema: pa.Schema, columns: Sequence[Column], values: Sequence[Values]
) -> pa.RecordBatch:
    """Rows as Arrow holds them."""
    return pa.RecordBatch.from_arrays(
        [
            pc.cast(pa.array(each, pa.string()), _TYPES[column.kind])
            if column.kind is Kind.INSTANT
            else pa.array(each, _TYPES[column.kind])
            for column, each in zip(columns, values, strict=True)
        ],
        schema=schema,
    )


class ArrowWriter:
    """Writes rows as a stream of Arrow's interprocess format, a batch a page.

    Such a stream may end behind any message. So the last bytes of what there is are held back until
    more comes: what was sent before the end never ends where a message does.
    """

    def __init__(self, columns: Sequence[Column], metadata: Mapping[str, str]) -> None:
        self._columns = columns
        self._schema = make_schema(columns, metadata)
        self._spool = _Spool()
        self._stream = pa.ipc.new_stream(self._spool, self._schema)
        self._held = b""

    def begin(self) -> bytes:
        """The schema, but for its end."""
        return self._take()

    def add(self, values: Sequence[Values]) -> bytes:
        """A batch, but for its end."""
        self._stream.write_batch(make_batch(self._schema, self._columns, values))
        return self._take()

    def end(self) -> bytes:
        """What was held back, and the mark of the end."""
        self._stream.close()
        return self._held + self._spool.take()

    def break_off(self, reason: str) -> bytes:  # noqa: ARG002 - has no place in the format
        """Nothing: what was sent ends within a message."""
        return b""

    def _take(self) -> bytes:
        content = self._held + self._spool.take()
        self._held = content[-_HELD_BACK:]
        return content[:-_HELD_BACK]


class ParquetWriter:
    """Writes rows as a Parquet file, a row group at a time; its index comes last."""

    def __init__(self, columns: Sequence[Column], metadata: Mapping[str, str]) -> None:
        self._columns = columns
        self._schema = make_schema(columns, metadata)
        self._spool = _Spool()
        self._file = pq.ParquetWriter(self._spool, self._schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []

    def begin(self) -> bytes:
        """The mark of the format."""
        return self._spool.take()

    def add(self, values: Sequence[Values]) -> bytes:
        """A row group once there is enough for one; until then nothing."""
        self._waiting.append(make_batch(self._schema, self._columns, values))
        rows = sum(batch.num_rows for batch in self._waiting)
        size = sum(batch.nbytes for batch in self._waiting)
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            self._write_group()
        return self._spool.take()

    def end(self) -> bytes:
        """The last row group and the index, without which nothing can be read."""
        if self._waiting:
            self._write_group()
        self._file.close()
        return self._spool.take()

    def break_off(self, reason: str) -> bytes:  # noqa: ARG002 - has no place in the format
        """Nothing: without its index the file is none."""
        return b""

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._waiting, self._schema)
        self._waiting.clear()
        if table.num_rows:
            self._file.write_table(table, row_group_size=table.num_rows)
