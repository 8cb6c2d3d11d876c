"""Tables for analysis as Parquet files.

The database may not touch files once an index is open, so rows leave it as Arrow batches and are
written by the Arrow library; bytes are the same for one version of that library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.index.analysis import MEASUREMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kgraph.index.analysis import AnalysisTable
    from kgraph.index.read import Index

_ROWS_A_BATCH = 20_000


def describe_table(index: Index, table: AnalysisTable) -> tuple[str, ...]:
    """The Arrow type of each column of a table, in order, as words."""
    return _name_types(_schema_of(index, table))


def write_parquet(index: Index, table: AnalysisTable, path: Path) -> int:
    """Write a table of the index to a file; returns how many rows."""
    return _write(path, _schema_of(index, table), index.open_batches(_select(table), _ROWS_A_BATCH))


def write_measurements(rows: Iterable[tuple[Any, ...]], path: Path) -> int:
    """Write rows in the columns of `MEASUREMENTS` to a file; returns how many."""
    return _write(path, _measurement_schema(), _gather(rows))


def describe_measurements() -> tuple[str, ...]:
    """The Arrow type of each column of `MEASUREMENTS`, as words."""
    return _name_types(_measurement_schema())


def _name_types(schema: Any) -> tuple[str, ...]:  # noqa: ANN401 - Arrow ships no types
    return tuple(
        # The name that a library gives to the items of a list says nothing.
        f"list of {field.type.value_type}" if field.type.num_fields else str(field.type)
        for field in schema
    )


def _select(table: AnalysisTable) -> str:
    columns = ", ".join(
        f"{column.sql or _quote(column.name)} AS {_quote(column.name)}" for column in table.columns
    )
    return f"SELECT {columns} FROM {table.relation} ORDER BY {table.order}"


def _quote(name: str) -> str:
    return f'"{name}"'


def _schema_of(index: Index, table: AnalysisTable) -> Any:  # noqa: ANN401 - Arrow ships no types
    import pyarrow as pa  # noqa: PLC0415 - only exporting and building need Arrow

    found = index.open_batches(_select(table) + " LIMIT 0", 1).schema
    fields = []
    for field, column in zip(found, table.columns, strict=True):
        # Every instant of the index is UTC, which its type does not say.
        kind = pa.timestamp("us", "UTC") if pa.types.is_timestamp(field.type) else field.type
        fields.append(pa.field(column.name, kind, nullable=column.null is not None))
    return pa.schema(fields)


def _measurement_schema() -> Any:  # noqa: ANN401 - Arrow ships no types
    import pyarrow as pa  # noqa: PLC0415 - see above

    kinds = {"value": pa.float64(), "sample_count": pa.int64()}
    return pa.schema(
        [
            pa.field(column.name, kinds.get(column.name, pa.string()), column.null is not None)
            for column in MEASUREMENTS.columns
        ]
    )


def _gather(rows: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - see above

    schema = _measurement_schema()
    held: list[tuple[Any, ...]] = []
    for row in rows:
        held.append(row)
        if len(held) == _ROWS_A_BATCH:
            yield _batch(pa, held, schema)
            held = []
    yield _batch(pa, held, schema)


def _batch(pa: Any, rows: list[tuple[Any, ...]], schema: Any) -> Any:  # noqa: ANN401 - Arrow ships no types
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [
        pa.array(cells, type=field.type) for cells, field in zip(columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _write(path: Path, schema: Any, batches: Iterable[Any]) -> int:  # noqa: ANN401 - Arrow ships no types
    import pyarrow as pa  # noqa: PLC0415 - see above
    import pyarrow.parquet as pq  # noqa: PLC0415 - see above

    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=9) as writer:
        for batch in batches:
            if batch.num_rows:
                writer.write_table(pa.Table.from_batches([batch]).cast(schema))
                count += batch.num_rows
    return count
