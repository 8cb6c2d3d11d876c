from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import polars as pl
import pytest
from pydantic import BaseModel

from kgraph.client import Client, KgraphClientError, RecordEventRow, RecordRow, Rows, RunRow, Table


class Colour(Enum):
    RED = "RED"


class Inner(BaseModel):
    size: int | None
    names: list[str]


class Row(BaseModel):
    ratio: float | None
    flag: bool | None
    colour: Colour | None
    at: datetime
    inner: Inner | None
    parts: list[Inner]
    free: Any
    maybe: list[datetime] | None


AT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
FULL = Row(
    ratio=1.5,
    flag=True,
    colour=Colour.RED,
    at=AT,
    inner=Inner(size=2**53, names=["a"]),
    parts=[Inner(size=None, names=[]), Inner(size=1, names=["b"])],
    free={"x": [1, "ü"]},
    maybe=[AT],
)
BARE = Row(ratio=None, flag=None, colour=None, at=AT, inner=None, parts=[], free=None, maybe=None)
COLUMNS = ["ratio", "flag", "colour", "at", "inner.size", "inner.names", "parts", "free", "maybe"]


def test_columns_are_named_by_path() -> None:
    table = Table(Row, [FULL, BARE])

    assert list(table.to_pandas().columns) == COLUMNS
    assert table.to_polars().columns == COLUMNS


@pytest.mark.parametrize("items", [[], [BARE], [FULL], [BARE, FULL]])
def test_types_follow_from_the_model_alone(items: list[Row]) -> None:
    inner = pl.Struct({"size": pl.Int64, "names": pl.List(pl.String)})

    frame = Table(Row, items).to_pandas()
    other = Table(Row, items).to_polars()

    assert [str(kind) for kind in frame.dtypes] == [
        "float64",
        "boolean",
        "string",
        "datetime64[us, UTC]",
        "Int64",
        *["object"] * 4,
    ]
    assert other.dtypes == [
        pl.Float64,
        pl.Boolean,
        pl.String,
        pl.Datetime("us", "UTC"),
        pl.Int64,
        pl.List(pl.String),
        pl.List(inner),
        pl.String,
        pl.List(pl.Datetime("us", "UTC")),
    ]


def test_values_pass_through_unchanged() -> None:
    frame = Table(Row, [FULL, BARE]).to_pandas()
    other = Table(Row, [FULL, BARE]).to_polars()

    parts = [{"size": None, "names": []}, {"size": 1, "names": ["b"]}]
    assert frame["inner.size"][0] == 2**53
    assert frame["at"][0].to_pydatetime() == AT
    assert frame["colour"][0] == "RED"
    assert frame["parts"][0] == parts
    assert frame["free"][0] == {"x": [1, "ü"]}
    assert frame.loc[1].drop(["at", "parts"]).isna().all()
    assert other.row(0) == (
        1.5,
        True,
        "RED",
        AT,
        2**53,
        ["a"],
        parts,
        '{"x": [1, "ü"]}',
        [AT],
    )
    assert other.row(1) == (None, None, None, AT, None, None, [], None, None)


@pytest.mark.parametrize("row", [RunRow, RecordRow, RecordEventRow])
def test_an_empty_list_has_the_columns_of_a_full_one(client: Client, row: type[BaseModel]) -> None:
    rows: dict[type[BaseModel], Rows[Any]] = {
        RunRow: client.runs(limit=3),
        RecordRow: client.records(limit=3),
        RecordEventRow: client.record_history(limit=3),
    }

    full, empty = rows[row].table(), Table(row, [])

    assert len(full) == 3
    assert full.to_polars().schema == empty.to_polars().schema
    assert full.to_pandas().dtypes.equals(empty.to_pandas().dtypes)


def test_a_sweep_pivots_to_a_table_of_implementations(client: Client) -> None:
    frame = client.sweep("liger-distill-cosine-loss", "tokens").to_pandas()

    wide = frame.pivot_table(
        index="axis_value", columns=["protocol", "implementation"], values="value"
    )

    assert list(wide.index) == [1024, 2048, 4096, 8192]
    assert wide.notna().all().all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(KgraphClientError) as caught:
        getattr(Table(Row, []), f"to_{library}")()

    assert caught.value.code == "MISSING_EXTRA"
    assert f"kgraph[{library}]" in caught.value.message


def test_a_table_is_a_sequence() -> None:
    table = Table(Row, [FULL, BARE])

    assert table[0] is FULL
    assert table[1:] == Table(Row, [BARE])
    assert table != Table(Row, [FULL])
    assert table != [FULL, BARE]
    assert BARE in table
    assert repr(table) == "Table(Row, 2 rows)"
