"""The rows that all servers hold, taken from kgraph's own answers, and how answers are compared."""

from __future__ import annotations

import contextlib
import csv
import json
import sqlite3
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REQUEST_SECONDS = 60
"""Longest wait for one answer."""

NULL_TEXT = r"\N"
"""How a CSV file says null; empty text is something else."""

Row = dict[str, Any]

_RUN_PAGE = """
query Page($after: String) {
  runs(first: 200, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      digest objectId shortId title status observedAt publishedAt stale isBaseline
      primary { metric statistic unit value display }
      evidence { level }
      implementation { digest }
    }
  }
}
"""

_IMPLEMENTATION_PAGE = """
query Page($after: String) {
  implementations(first: 200, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { digest title language revision commit }
  }
}
"""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the peers' tables."""

    name: str
    postgres: str
    sqlite: str
    """Types in the two dialects, with what follows them."""
    key: str
    """Name of the same fact in an answer."""


def _text(name: str, key: str | None = None, extra: str = "") -> Column:
    return Column(name, f"text{extra}", f"TEXT{extra}", key or name)


IMPLEMENTATION = (
    _text("digest", extra=" PRIMARY KEY"),
    _text("title"),
    _text("language"),
    _text("revision"),
    _text("commit"),
)
"""The nested object."""

RUN = (
    _text("digest", extra=" PRIMARY KEY"),
    _text("object_id", "objectId"),
    _text("short_id", "shortId"),
    _text("title"),
    _text("status"),
    Column("observed_at", "timestamptz", "TEXT", "observedAt"),
    Column("published_at", "timestamptz", "TEXT", "publishedAt"),
    Column("stale", "boolean", "INTEGER", "stale"),
    Column("is_baseline", "boolean", "INTEGER", "isBaseline"),
    _text("metric"),
    _text("statistic"),
    _text("unit"),
    Column("value", "double precision", "REAL", "value"),
    _text("display"),
    _text("evidence"),
)
"""The 15 fields of the question; the table has the implementation's digest beside them."""

_IMPLEMENTATION_LINK = Column(
    "implementation",
    "text NOT NULL REFERENCES implementation (digest)",
    "TEXT NOT NULL REFERENCES implementation (digest)",
    "implementation",
)
TABLES = {"implementation": IMPLEMENTATION, "run": (*RUN, _IMPLEMENTATION_LINK)}
"""In the order in which they are made."""

INDEXES = (
    "CREATE INDEX run_by_time ON run (observed_at DESC, digest)",
    "CREATE INDEX run_by_implementation ON run (implementation)",
)
"""What a careful operator would add for this question; both dialects read it."""


class WrongAnswerError(Exception):
    """A server answered something else than the others, so that its speed means nothing."""


def ask(url: str, body: bytes) -> bytes:
    """What a server answers to one posted request."""
    request = urllib.request.Request(  # noqa: S310 - our own servers on loopback
        url, body, {"Content-Type": "application/json", "Accept": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:  # noqa: S310
        answer: bytes = response.read()
    return answer


def encode_request(query: str, **variables: object) -> bytes:
    """The body of a GraphQL request."""
    return json.dumps({"query": query} | ({"variables": variables} if variables else {})).encode()


def data_of(answer: bytes, where: str) -> Row:
    """The data of an answer.

    Raises:
        WrongAnswerError: it reports errors.
    """
    body = json.loads(answer)
    if body.get("errors") or not body.get("data"):
        raise WrongAnswerError(f"{where}: {json.dumps(body)[:500]}")
    data: Row = body["data"]
    return data


def load_rows(url: str) -> dict[str, list[Row]]:
    """All rows of kgraph's catalogue by table, flat, keyed as in an answer."""
    runs = [
        {**flatten(node), "implementation": node["implementation"]["digest"]}
        for node in _pages(url, _RUN_PAGE, "runs")
    ]
    return {
        "implementation": list(_pages(url, _IMPLEMENTATION_PAGE, "implementations")),
        "run": runs,
    }


def _pages(url: str, query: str, field: str) -> Iterator[Row]:
    after = None
    while True:
        page = data_of(ask(url, encode_request(query, after=after)), url)[field]
        yield from page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]


def write_csv(rows: dict[str, list[Row]], folder: Path) -> dict[str, Path]:
    """One file a table, without a header; null is `NULL_TEXT`."""
    files = {}
    for table, columns in TABLES.items():
        files[table] = folder / f"{table}.csv"
        with files[table].open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [NULL_TEXT if row[column.key] is None else row[column.key] for column in columns]
                for row in rows[table]
            )
    return files


def write_sqlite(rows: dict[str, list[Row]], file: Path) -> None:
    """A SQLite database of the rows, indexed and analysed."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        for statement in create_tables("sqlite"):
            database.execute(statement)
        for table, columns in TABLES.items():
            marks = ", ".join("?" * len(columns))
            database.executemany(
                f"INSERT INTO {table} VALUES ({marks})",
                [
                    [_in_sqlite(column, row[column.key]) for column in columns]
                    for row in rows[table]
                ],
            )
        for statement in INDEXES:
            database.execute(statement)
        database.commit()
        database.execute("ANALYZE")


def create_tables(dialect: Literal["postgres", "sqlite"]) -> list[str]:
    """Statements that make the tables."""
    return [
        f"CREATE TABLE {table} ("
        + ", ".join(f'"{column.name}" {getattr(column, dialect)}' for column in columns)
        + ")"
        for table, columns in TABLES.items()
    ]


def _in_sqlite(column: Column, value: object) -> object:
    # Instants of one length, so that the order of their texts is the order of time.
    if value is not None and column.postgres == "timestamptz":
        return _parse_instant(value).isoformat(timespec="microseconds")
    return value


def flatten(node: Row) -> Row:
    """A run as one flat object, whichever server sent it; what it nests beside is left alone."""
    flat = dict(node)
    if "primary" in flat:
        flat |= flat.pop("primary") or dict.fromkeys(
            ("metric", "statistic", "unit", "value", "display")
        )
    if isinstance(flat["evidence"], dict):
        flat["evidence"] = flat["evidence"]["level"]
    return flat


def facts_of(node: Row) -> tuple[object, ...]:
    """What a server said of one run, in a form in which equal facts are equal."""
    flat, nested = flatten(node), node["implementation"]
    return (
        *(_normalise(column, flat[column.key]) for column in RUN),
        *(nested[column.key] for column in IMPLEMENTATION),
    )


def _normalise(column: Column, value: object) -> object:
    if value is None:
        return None
    if column.postgres == "timestamptz":
        return _parse_instant(value)
    if column.postgres == "boolean":
        return bool(value)
    if column.postgres == "double precision":
        return float(str(value))
    return value


def _parse_instant(value: object) -> datetime:
    return datetime.fromisoformat(str(value)).astimezone(UTC)
