from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest
from export_sample import fill, open_catalog

from kgraph.exporters import (
    PARQUET_TABLES,
    FolderInUseError,
    describe_tables,
    export_catalogue,
    export_parquet,
)
from kgraph.facts import PageRequest
from kgraph.index import MAX_PAGE
from kgraph.store import memory_store

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.catalog import Catalog
    from kgraph.importers import ImportBatch


@pytest.fixture(scope="module")
def catalog(liger_batch: ImportBatch, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return open_catalog(fill(memory_store(), liger_batch), tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def folder(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "tables"
    export_parquet(catalog, path)
    return path


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(sql.format(folder=folder)).fetchall()


def name_types(schema: Any) -> list[str]:  # noqa: ANN401 - Arrow ships no types
    return [re.sub(r"list<\w+: (\w+)>", r"list of \1", str(field.type)) for field in schema]


def test_there_is_a_file_a_table_and_a_dictionary(folder: Path) -> None:
    names = {f"{name}.parquet" for name in PARQUET_TABLES}
    assert {path.name for path in folder.iterdir()} == names | {"README.md", "dictionary.json"}


def test_tables_hold_what_the_catalogue_counts(folder: Path, catalog: Catalog) -> None:
    counts = catalog.counts()

    for table, expected in {
        "runs": counts.runs,
        "cohorts": counts.cohorts,
        "record_events": counts.record_events,
        "operations": counts.operations,
        "workloads": counts.workloads,
        "implementations": counts.implementations,
        "sources": counts.sources,
        "serving_runs": counts.serving_runs,
    }.items():
        assert ask(folder, f"SELECT count(*) FROM '{{folder}}/{table}.parquet'") == [(expected,)]


def test_rows_say_what_the_catalogue_says(folder: Path, catalog: Catalog) -> None:
    page = catalog.page_runs(None, (), PageRequest(first=MAX_PAGE))
    rows = {
        row[0]: row[1:]
        for row in ask(
            folder,
            "SELECT digest, value, unit, observed_at, is_eligible, rank, ratio_to_leader, evidence,"
            " reasons, source FROM '{folder}/runs.parquet'",
        )
    }

    for judged in page.items:
        run, standing = judged.run, judged.standing
        value, unit, at, is_eligible, rank, ratio, evidence, reasons, source = rows[run.digest]
        assert (value, unit, source) == (run.value, run.unit, run.source)
        assert at == run.observed_at
        assert is_eligible == judged.verdict.is_eligible
        assert tuple(reasons) == judged.verdict.reasons
        assert evidence == judged.verdict.evidence
        assert rank == (standing and standing.rank)
        assert ratio == (standing and standing.ratio_to_leader)


def test_tables_join_by_digest(folder: Path) -> None:
    assert ask(
        folder,
        "SELECT count(*) FROM '{folder}/records.parquet' r JOIN '{folder}/cohorts.parquet' c"
        " ON c.key = r.cohort AND c.record = r.run AND c.record_value = r.value"
        " JOIN '{folder}/runs.parquet' u ON u.digest = r.run AND u.rank = 1"
        " JOIN '{folder}/workloads.parquet' w ON w.digest = r.workload"
        " JOIN '{folder}/operations.parquet' o ON o.digest = r.operation",
    ) == ask(folder, "SELECT count(*) FROM '{folder}/records.parquet'")


def test_primary_values_are_among_the_measurements(folder: Path) -> None:
    missing = ask(
        folder,
        "SELECT count(*) FROM '{folder}/runs.parquet' r WHERE metric = 'latency' AND NOT EXISTS"
        " (FROM '{folder}/measurements.parquet' m WHERE m.run = r.digest AND m.value = r.value"
        " AND m.unit = r.unit)",
    )
    assert missing == [(0,)]
    kinds = ask(folder, "SELECT DISTINCT kind FROM '{folder}/measurements.parquet' ORDER BY 1")
    assert kinds == [("BenchmarkRun",), ("ServingRun",)]


def test_the_dictionary_describes_every_column_of_every_file(folder: Path) -> None:
    dictionary = json.loads((folder / "dictionary.json").read_bytes())
    readme = (folder / "README.md").read_text(encoding="utf-8")

    assert [table["table"] for table in dictionary["tables"]] == list(PARQUET_TABLES)
    for table in dictionary["tables"]:
        schema = pq.read_schema(folder / f"{table['table']}.parquet")
        assert [column["column"] for column in table["columns"]] == schema.names
        assert [column["type"] for column in table["columns"]] == name_types(schema)
        assert f"## {table['table']}\n" in readme
        for column in table["columns"]:
            assert column["meaning"]
            assert f"| `{column['column']}` |" in readme


def test_a_column_is_absent_only_where_the_dictionary_says_what_that_means(folder: Path) -> None:
    dictionary = json.loads((folder / "dictionary.json").read_bytes())

    for table in dictionary["tables"]:
        rows = pq.read_table(folder / f"{table['table']}.parquet")
        for column in table["columns"]:
            absent = rows.column(column["column"]).null_count
            assert not absent or column["null"], (table["table"], column["column"])
            assert rows.schema.field(column["column"]).nullable == (column["null"] is not None)


def test_one_snapshot_gives_the_same_files(
    folder: Path, liger_batch: ImportBatch, tmp_path: Path
) -> None:
    again = open_catalog(fill(memory_store(), liger_batch), tmp_path / "index")

    export_parquet(again, tmp_path / "tables")

    for path in folder.iterdir():
        assert (tmp_path / "tables" / path.name).read_bytes() == path.read_bytes(), path.name


def test_an_earlier_export_is_replaced(catalog: Catalog, tmp_path: Path) -> None:
    export_parquet(catalog, tmp_path / "tables")
    (tmp_path / "tables" / "runs.parquet").write_bytes(b"half")

    export_parquet(catalog, tmp_path / "tables")

    assert pq.read_metadata(tmp_path / "tables" / "runs.parquet").num_rows > 0
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_a_folder_of_something_else_is_left_alone(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")

    with pytest.raises(FolderInUseError, match=r"thesis\.tex"):
        export_parquet(catalog, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_failed_export_leaves_what_was_there(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_parquet(catalog, tmp_path / "tables")
    before = (tmp_path / "tables" / "runs.parquet").read_bytes()

    def fail(_: Catalog) -> dict[str, Any]:
        raise OSError("disk full")

    monkeypatch.setattr("kgraph.exporters.parquet.describe_tables", fail)
    with pytest.raises(OSError, match="disk full"):
        export_parquet(catalog, tmp_path / "tables")

    assert (tmp_path / "tables" / "runs.parquet").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_an_empty_catalogue_gives_empty_tables(tmp_path: Path) -> None:
    empty = open_catalog(memory_store(), tmp_path / "index")

    reports = export_parquet(empty, tmp_path / "tables")

    assert {report.rows for report in reports} == {0}
    described = describe_tables(empty)["tables"]
    for table in described:
        schema = pq.read_schema(tmp_path / "tables" / f"{table['table']}.parquet")
        assert name_types(schema) == [one["type"] for one in table["columns"]]
    with (tmp_path / "lines.jsonl").open("wb") as stream:
        assert export_catalogue(empty, stream, is_compressed=False) == 1


def test_polars_and_pandas_read_the_same_values(folder: Path) -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    path = folder / "runs.parquet"

    one, other = polars.read_parquet(path), pandas.read_parquet(path)

    assert one.columns == list(other.columns)
    assert one["value"].sum() == pytest.approx(other["value"].sum())
    assert one["observed_at"].max() == other["observed_at"].max().to_pydatetime()
    assert one["observed_at"].max() > datetime(2020, 1, 1, tzinfo=UTC)
