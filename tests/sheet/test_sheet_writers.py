"""Rows in, files out: read back by the readers that people use."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.sheet import FORMS, Column, Kind, SheetOptions, make_writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgraph.sheet import Form

CSV, PARQUET, ARROW = FORMS
AT = "2026-01-02T03:04:05.678Z"
INSTANT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
METADATA = {"kgraph.snapshot": "blake3:ab", "kgraph.sources": "[]"}


def column(name: str, kind: Kind, *, is_required: bool = False) -> Column:
    return Column(name, kind, is_required, "String", "What it is.")


COLUMNS = (
    column("title", Kind.TEXT, is_required=True),
    column("run.bytes", Kind.INTEGER),
    column("ratio", Kind.NUMBER),
    column("stale", Kind.TRUTH),
    column("at", Kind.INSTANT),
    column("axes", Kind.JSON),
)
ROWS: list[list[Any]] = [
    ["plain", 2**53, 1.5, True, AT, '[{"name":"m"}]'],
    ['say "hi", twice\r\nthere', -1, -2e-07, False, AT, "{}"],
    ["", None, None, None, None, None],
    ["عربي 🚀 <b>", 0, 1e21, True, AT, "null"],
]


def turn(rows: Sequence[Sequence[Any]], count: int = len(COLUMNS)) -> list[list[Any]]:
    return [[row[place] for row in rows] for place in range(count)]


def write(
    form: Form,
    pages: Sequence[Sequence[Sequence[Any]]],
    columns: Sequence[Column] = COLUMNS,
    **options: bool,
) -> bytes:
    writer = make_writer(form, columns, metadata=METADATA, options=SheetOptions(**options))
    parts = [writer.begin(), *(writer.add(turn(page, len(columns))) for page in pages)]
    return b"".join([*parts, writer.end()])


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))


def test_csv_has_a_header_and_quotes_text_alone() -> None:
    assert write(CSV, [ROWS[:1], ROWS[2:3]]).decode() == (
        "title,run.bytes,ratio,stale,at,axes\r\n"
        f'"plain",9007199254740992,1.5,true,{AT},"[{{""name"":""m""}}]"\r\n'
        '"",,,,,\r\n'
    )


def test_csv_begins_with_a_byte_order_mark_only_where_one_is_wanted() -> None:
    assert write(CSV, [], has_bom=True) == b"\xef\xbb\xbf" + write(CSV, [])


@pytest.mark.parametrize(
    "text",
    ["=1+1", '=cmd|" /C calc"!A0', "+49", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-"],
)
def test_what_a_spreadsheet_would_compute_is_kept_text(text: str) -> None:
    columns = (column("title", Kind.TEXT), column("axes", Kind.JSON))
    (_, cells) = read_csv(write(CSV, [[[text, '"=1"']]], columns))

    plain = text in {"+49"}
    assert cells == [text if plain else f"'{text}", '"=1"']
    assert read_csv(write(CSV, [[[text, "1"]]], columns, keeps_formulas=True))[1] == [text, "1"]


def test_numbers_stay_numbers_also_where_they_are_text() -> None:
    columns = (column("a", Kind.INTEGER), column("b", Kind.NUMBER), column("c", Kind.TEXT))

    assert write(CSV, [[[-5, -1.5, "-5"], [-5, -1e-9, "-1.5e3"]]], columns).decode() == (
        'a,b,c\r\n-5,-1.5,"-5"\r\n-5,-1e-09,"-1.5e3"\r\n'
    )


@given(st.lists(st.lists(st.one_of(st.none(), st.text()), min_size=2, max_size=2), max_size=5))
def test_csv_gives_back_every_text(rows: list[list[str | None]]) -> None:
    columns = (column("a", Kind.TEXT), column("b", Kind.TEXT))

    _, *found = read_csv(write(CSV, [rows], columns, keeps_formulas=True))

    assert found == [["" if cell is None else cell for cell in row] for row in rows]
    safe = read_csv(write(CSV, [rows], columns))[1:]
    for row, plain in zip(safe, found, strict=True):
        for cell, text in zip(row, plain, strict=True):
            assert cell in {text, f"'{text}"}
            assert cell[:1] not in {"=", "@", "\t", "\r", "\n"}


def test_duckdb_tells_missing_values_of_csv_from_empty_text(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(write(CSV, [[["", None, None, None, None, None], ROWS[0]]]))

    query = f"SELECT title, axes FROM read_csv('{file}', allow_quoted_nulls=false)"

    assert duckdb.connect().execute(query).fetchall() == [("", None), ("plain", '[{"name":"m"}]')]


def test_csv_that_broke_off_is_refused_by_readers_that_look() -> None:
    writer = make_writer(CSV, COLUMNS, metadata={})
    parts = [writer.begin(), writer.add(turn(ROWS)), writer.break_off("LIMIT_TIME")]
    content = b"".join(parts)

    with pytest.raises(csv.Error):
        read_csv(content)
    with pytest.raises(pd.errors.ParserError):
        pd.read_csv(io.BytesIO(content))
    with pytest.raises(pl.exceptions.PolarsError):
        pl.read_csv(io.BytesIO(content))
    assert b"incomplete, this export broke off: LIMIT_TIME" in content.splitlines()[-1]


EXPECTED = [
    {
        "title": row[0],
        "run.bytes": row[1],
        "ratio": row[2],
        "stale": row[3],
        "at": None if row[4] is None else INSTANT,
        "axes": row[5],
    }
    for row in ROWS
]


@pytest.mark.parametrize("pages", [[ROWS], [ROWS[:1], ROWS[1:]], [[], ROWS, []]])
def test_arrow_and_parquet_hold_the_same_rows(pages: list[list[list[Any]]]) -> None:
    stream = pa.ipc.open_stream(write(ARROW, pages)).read_all()
    file = pq.read_table(io.BytesIO(write(PARQUET, pages)))

    assert stream.to_pylist() == file.to_pylist() == EXPECTED
    assert stream.schema == file.schema


def test_types_and_metadata_do_not_depend_on_rows() -> None:
    empty, full = (pq.read_table(io.BytesIO(write(PARQUET, pages))) for pages in ([], [ROWS]))

    assert empty.num_rows == 0
    assert empty.schema.equals(full.schema, check_metadata=True)
    types = {field.name: str(field.type) for field in empty.schema}
    assert types == {
        "title": "string",
        "run.bytes": "int64",
        "ratio": "double",
        "stale": "bool",
        "at": "timestamp[ms, tz=UTC]",
        "axes": "string",
    }
    assert [field.nullable for field in empty.schema] == [False, True, True, True, True, True]
    assert empty.schema.metadata == {key.encode(): METADATA[key].encode() for key in METADATA}
    assert empty.schema.field("ratio").metadata == {
        b"graphql.type": b"String",
        b"description": b"What it is.",
    }


def test_parquet_is_read_by_duckdb_pandas_and_polars(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(write(PARQUET, [ROWS]))

    query = f'SELECT count(*), max("run.bytes"), max("at") FROM \'{file}\''
    counted = duckdb.connect().execute(query).fetchone()
    assert counted is not None
    assert counted[:2] == (4, 2**53)
    assert counted[2] == INSTANT
    frame = pd.read_parquet(file)
    assert list(frame["title"]) == [row[0] for row in ROWS]
    assert str(frame["at"].dt.tz) == "UTC"
    polars = pl.read_parquet(file)
    assert polars.to_dicts() == EXPECTED


def test_parquet_gathers_pages_into_row_groups_and_lets_go_of_them() -> None:
    page = turn([["x" * 100, 1, 1.0, True, AT, "[]"]] * 8_000)
    writer = make_writer(PARQUET, COLUMNS, metadata={})

    parts = [writer.begin(), *(writer.add(page) for _ in range(7))]
    content = b"".join([*parts, writer.end()])

    assert [bool(part) for part in parts] == [True, False, False, True, False, False, True, False]
    groups = pq.ParquetFile(io.BytesIO(content)).metadata
    assert [groups.row_group(place).num_rows for place in range(groups.num_row_groups)] == [
        24_000,
        24_000,
        8_000,
    ]


@pytest.mark.parametrize("form", [PARQUET, ARROW], ids=lambda form: form.name)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_has_no_end_cannot_be_read(form: Form, count: int) -> None:
    writer = make_writer(form, COLUMNS, metadata=METADATA)
    parts = [writer.begin(), *(writer.add(turn(ROWS)) for _ in range(count))]
    content = b"".join([*parts, writer.break_off("INTERNAL")])

    read = pq.read_table if form is PARQUET else read_stream
    with pytest.raises((pa.ArrowInvalid, OSError)):
        read(io.BytesIO(content))


def read_stream(file: io.BytesIO) -> pa.Table:
    return pa.ipc.open_stream(file).read_all()


def test_the_same_rows_give_the_same_bytes() -> None:
    for form in FORMS:
        assert write(form, [ROWS, ROWS]) == write(form, [ROWS, ROWS])


def test_json_is_json() -> None:
    (_, *rows) = read_csv(write(CSV, [ROWS]))

    assert [json.loads(row[5]) for row in rows if row[5]] == [[{"name": "m"}], {}, None]
