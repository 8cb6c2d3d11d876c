"""Tables for analysis: one Parquet file a table, with a data dictionary beside them.

DuckDB, Polars and pandas open the files as they are. One snapshot gives the same bytes each time,
for one version of the Arrow library that writes them.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from kgraph.errors import UsageError
from kgraph.exporters.derived import iter_measurements
from kgraph.index import ANALYSIS_TABLES, MEASUREMENTS
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog, Walk
    from kgraph.index import AnalysisTable

PARQUET_TABLES: Final = (*ANALYSIS_TABLES, MEASUREMENTS.name)
"""Names of the tables; each file is called by its table."""

_RUN_KINDS = (Kind.BENCHMARK_RUN, Kind.SERVING_RUN)


class FolderInUseError(UsageError):
    """A folder that an export would have to overwrite."""

    code = "FOLDER_IN_USE"

    def __init__(self, where: str, found: str) -> None:
        self.where, self.found = where, found
        super().__init__(
            f"{where}: found {found}, expected no such folder, an empty one, or an earlier export"
        )


@dataclass(frozen=True, slots=True)
class TableReport:
    """One file that was written."""

    name: str
    rows: int
    size_bytes: int


def export_parquet(catalog: Catalog, folder: Path) -> tuple[TableReport, ...]:
    """Write every table and the data dictionary into a folder, whole or not at all.

    The files are written beside the folder, which then takes its name. An earlier export that is
    there is replaced; anything else is left alone.

    Raises:
        FolderInUseError: the folder holds something else.
        ObjectNotFoundError, ObjectCorruptError: the store lost or changed an object.
    """
    _check_free(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    except OSError as error:
        raise FolderInUseError(str(folder), error.strerror or str(error)) from error
    try:
        reports = tuple(
            TableReport(name, write_table(catalog, name, path), path.stat().st_size)
            for name, path in ((name, made / f"{name}.parquet") for name in PARQUET_TABLES)
        )
        dictionary = describe_tables(catalog)
        (made / "dictionary.json").write_bytes(
            orjson.dumps(dictionary, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        )
        (made / "README.md").write_text(_write_readme(dictionary, reports), encoding="utf-8")
        made.chmod(0o755)
        _take_place(made, folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return reports


def write_table(catalog: Catalog, name: str, path: Path) -> int:
    """Write one of `PARQUET_TABLES` to a file; returns how many rows.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: the store lost or changed an object.
    """
    walk = catalog.walk()
    if name == MEASUREMENTS.name:
        return walk.write_measurements(_iter_measurements(walk), path)
    return walk.write_parquet(ANALYSIS_TABLES[name], path)


def describe_tables(catalog: Catalog) -> dict[str, Any]:
    """The data dictionary: every table and column, with type, unit and what null means."""
    walk = catalog.walk()
    return {
        "snapshot": catalog.snapshot,
        "tables": [
            _describe(table, walk.describe_table(table))
            for table in (*ANALYSIS_TABLES.values(), MEASUREMENTS)
        ],
    }


def _describe(table: AnalysisTable, types: tuple[str, ...]) -> dict[str, Any]:
    return {
        "table": table.name,
        "meaning": table.meaning,
        "columns": [
            {
                "column": column.name,
                "type": kind,
                "unit": column.unit,
                "meaning": column.meaning,
                "null": column.null,
            }
            for column, kind in zip(table.columns, types, strict=True)
        ],
    }


def _iter_measurements(walk: Walk) -> Iterator[tuple[Any, ...]]:
    for kind in _RUN_KINDS:
        for chunk in walk.iter_current(kind):
            contents = walk.load_contents(item.object_id for item in chunk)
            for item in chunk:
                manifest = orjson.loads(contents[item.object_id])
                for metric, statistic, unit, value, count in iter_measurements(manifest):
                    yield item.digest, kind.value, metric, statistic, unit, float(value), count


def _write_readme(dictionary: dict[str, Any], reports: tuple[TableReport, ...]) -> str:
    counts = {report.name: report.rows for report in reports}
    lines = [
        "# kgraph tables",
        "",
        f"Snapshot `{dictionary['snapshot']}`.",
        "",
        "One Parquet file a table; the same text for programs is in `dictionary.json`. Instants",
        "are UTC; digests are full text. In DuckDB, for example:",
        "",
        "    SELECT operation_slug, product, value, unit FROM 'records.parquet'",
        "",
    ]
    for table in dictionary["tables"]:
        lines += [
            f"## {table['table']}",
            "",
            f"{table['meaning']} {counts[table['table']]:,} rows.",
            "",
            "| column | type | unit | meaning | null means |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| `{one['column']}` | {one['type']} | {one['unit'] or ''} | {one['meaning']} |"
            f" {one['null'] or 'never'} |"
            for one in table["columns"]
        ]
        lines.append("")
    return "\n".join(lines)


def _take_place(made: Path, folder: Path) -> None:
    """Give a finished folder its name; what had it goes only once that is done."""
    earlier = made.with_name(made.name + "-earlier")
    if folder.exists():
        folder.rename(earlier)
    made.rename(folder)
    shutil.rmtree(earlier, ignore_errors=True)


def _check_free(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FolderInUseError(str(folder), "a file")
    ours = {f"{name}.parquet" for name in PARQUET_TABLES} | {"dictionary.json", "README.md"}
    for path in folder.iterdir():
        if path.name not in ours:
            raise FolderInUseError(str(folder), f"{path.name} in it")
