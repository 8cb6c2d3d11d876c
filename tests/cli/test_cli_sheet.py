"""`kgraph export --query`: one list of a document, written to a file."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import LIGER_CSV

if TYPE_CHECKING:
    from pathlib import Path

    from command import Command

DOCUMENT = """
query Runs($operation: String) {
  runs(where: { operation: { eq: $operation } }, first: 3) {
    nodes { digest observedAt primary { value unit } implementation { title } }
  }
  records { nodes { value run { title } } }
}
"""
COLUMNS = ["digest", "observedAt", "primary.value", "primary.unit", "implementation.title"]
VARIABLES = json.dumps({"operation": "liger-distill-cosine-loss"})


@pytest.fixture
def filled(kgraph: Command) -> Command:
    assert kgraph("import", "liger", LIGER_CSV).status == 0
    (kgraph.folder / "runs.graphql").write_text(DOCUMENT, encoding="utf-8")
    return kgraph


def export(command: Command, destination: object, *more: object) -> int:
    options = ("--query", "runs.graphql", "--variables", VARIABLES, "--path", "runs")
    return command("export", destination, *options, *more).status


def nodes(command: Command) -> list[dict[str, object]]:
    """What the same document answers, in one page."""
    text = DOCUMENT.replace("first: 3", "first: 200")
    (command.folder / "all.graphql").write_text(text, encoding="utf-8")
    found = command("query", "all.graphql", "--variables", VARIABLES).json()
    listed: list[dict[str, object]] = found["data"]["runs"]["nodes"]
    return listed


def test_the_name_of_the_file_decides_its_form(filled: Command) -> None:
    expected = [node["digest"] for node in nodes(filled)]
    assert len(expected) > 3

    for name in ("runs.csv", "runs.parquet", "runs.arrows", "runs.arrow"):
        assert export(filled, name) == 0
    with (filled.folder / "runs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = pq.read_table(filled.folder / "runs.parquet")
    stream = pa.ipc.open_stream((filled.folder / "runs.arrows").read_bytes()).read_all()

    assert list(rows[0]) == table.column_names == COLUMNS
    assert [row["digest"] for row in rows] == table["digest"].to_pylist() == expected
    assert stream.equals(table)
    assert table.schema.metadata[b"kgraph.path"] == b"runs"
    assert json.loads(table.schema.metadata[b"kgraph.sources"])[0]["license"] == "BSD-2-Clause"
    one, other = (filled.folder / name for name in ("runs.arrows", "runs.arrow"))
    assert one.read_bytes()[-8:] == other.read_bytes()[-8:]


def test_a_dash_writes_csv_to_standard_output(filled: Command) -> None:
    outcome = filled(
        "export",
        "-",
        *("--query", "runs.graphql", "--variables", VARIABLES, "--path", "runs"),
        *("--limit", 2, "--bom"),
    )

    assert outcome.status == 0
    assert outcome.out.startswith("\ufeff" + ",".join(COLUMNS))
    assert len(list(csv.reader(io.StringIO(outcome.out, newline="")))) == 3


def test_it_says_how_many_rows_of_which_snapshot(filled: Command) -> None:
    outcome = filled(
        "export", "records.csv", "--query", "runs.graphql", "--path", "records", "--limit", 1
    )

    assert outcome.status == 0
    assert outcome.err.startswith("kgraph: 1 rows of snapshot blake3:")
    assert outcome.out == ""


def test_an_earlier_snapshot_is_exported(filled: Command) -> None:
    first = filled("log", "--json").json()[0]["snapshot"]

    outcome = filled(
        "export",
        "x.csv",
        *("--query", "runs.graphql", "--path", "records", "--snapshot", first[:15]),
    )

    assert outcome.status == 0
    assert first in outcome.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("x.xlsx", "--query", "runs.graphql"), 2, "x.xlsx: found another name"),
        (("x.csv", "--query", "none.graphql"), 2, "none.graphql: No such file"),
        (("x.csv", "--query", "runs.graphql"), 2, "path: found several connections"),
        (("x.csv", "--query", "runs.graphql", "--path", "y"), 2, "path: found 'y'"),
        (("x.csv", "--query", "runs.graphql", "--operation", "Y"), 2, "operationName"),
        (("x.csv", "--query", "runs.graphql", "--variables", "3"), 2, "--variables: found '3'"),
        (("x.csv", "--query", "broken.graphql"), 2, "Syntax Error"),
        (("x.csv", "--query", "unknown.graphql"), 1, "operation: is null"),
        (("x.arrow", "--query", "runs.graphql", "--path", "runs", "--bom"), 2, "csv, where --bom"),
        (("x.csv", "--query", "runs.graphql", "--path", "runs", "--limit", "0"), 2, "limit: fou"),
        (("x.csv", "--query", "runs.graphql", "--format", "jsonl"), 2, "--format jsonl: found"),
        (("x.jsonl", "--limit", "3"), 2, "--limit: found no --query"),
        (("x.jsonl", "--format", "csv"), 2, "--format csv: found no --query"),
        (("missing/x.csv", "--query", "runs.graphql", "--path", "runs"), 2, "a folder to write"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_written_is_said_and_leaves_no_file(
    filled: Command, arguments: tuple[str, ...], status: int, message: str
) -> None:
    (filled.folder / "broken.graphql").write_text("{ runs", encoding="utf-8")
    unknown = '{ operation(slug: "x") { workloads { nodes { label } } } }'
    (filled.folder / "unknown.graphql").write_text(unknown, encoding="utf-8")
    before = files(filled.folder)

    outcome = filled("export", *arguments)

    assert outcome.status == status, outcome.err
    assert message in outcome.err
    assert files(filled.folder) == before


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"cache"}
