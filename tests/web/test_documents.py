"""Documents that are named instead of sent."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client

from kgraph.web import WebOptions, build_app
from kgraph.web.documents import BadDocumentError, Documents, load_documents

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from kgraph.catalog import CatalogSource

COUNTS = "query Counts { catalog { counts { runs } } }"
RUNS = "query Runs($n: Int) { runs(first: $n) { nodes { digest } } }"
OWN = "{ catalog { snapshot } }"


def name(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documents")
    (path / "deep").mkdir()
    (path / "deep" / "counts.graphql").write_text(COUNTS + "\n")
    (path / "client.json").write_text(json.dumps({name(RUNS): RUNS, "runs-page.v1": RUNS}))
    (path / "README.md").write_text("Documents of our pages.")
    return path


def make_client(source: CatalogSource, folder: Path | None, **options: Any) -> Client:  # noqa: ANN401 - as the application takes them
    documents = {} if folder is None else load_documents(folder)
    chosen = WebOptions(documents=documents, refresh_seconds=0, **options)
    return Client(build_app(source, options=chosen, clock=lambda: NOW))


@pytest.fixture(scope="module")
def trusting(catalog_source: CatalogSource, folder: Path) -> Client:
    return make_client(catalog_source, folder)


@pytest.fixture(scope="module")
def closed(catalog_source: CatalogSource, folder: Path) -> Client:
    return make_client(catalog_source, folder, only_documents=True)


def post(client: Client, accept: str = "application/json", **body: Any) -> httpx.Response:  # noqa: ANN401 - any JSON value
    return client.send("POST", "/graphql", json=body, headers={"accept": accept})


def code(response: httpx.Response) -> str:
    (error,) = response.json()["errors"]
    assert "data" not in response.json()
    found: str = error["extensions"]["code"]
    return found


def automatic(text: str) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": name(text)}}


@pytest.mark.parametrize("written", [f"sha256:{name(RUNS)}", name(RUNS), "runs-page.v1"])
def test_a_trusted_document_is_answered_by_its_id(trusting: Client, written: str) -> None:
    expected = trusting.data(RUNS, {"n": 2})

    by_post = post(trusting, documentId=written, variables={"n": 2})
    by_get = trusting.send(
        "GET", "/graphql", params={"documentId": written, "variables": '{"n":2}'}
    )

    assert by_post.json()["data"] == by_get.json()["data"] == expected
    assert by_get.headers["etag"] == by_post.headers["etag"]


@pytest.mark.parametrize("text", [COUNTS, COUNTS + "\n"], ids=["without", "with"])
def test_the_line_end_that_editors_add_does_not_matter(trusting: Client, text: str) -> None:
    assert "data" in post(trusting, documentId=f"sha256:{name(text)}").json()


@pytest.mark.parametrize(
    ("accept", "status"), [("application/json", 200), ("application/graphql-response+json", 400)]
)
def test_an_unknown_id_is_one_error(trusting: Client, accept: str, status: int) -> None:
    response = post(trusting, accept, documentId=f"sha256:{name(OWN)}")

    assert (response.status_code, code(response)) == (status, "PERSISTED_DOCUMENT_NOT_FOUND")
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "written", ["sha256:abc", "sha256:" + "A" * 64, "md5:" + "0" * 32, "", "a b", 7, "x" * 201]
)
def test_what_is_no_id_is_refused(trusting: Client, written: object) -> None:
    response = post(trusting, documentId=written)

    assert (response.status_code, code(response)) == (400, "BAD_REQUEST")


def test_a_document_beside_another_ones_id_is_refused(trusting: Client) -> None:
    response = post(trusting, query=OWN, documentId=f"sha256:{name(RUNS)}")

    assert code(response) == "PERSISTED_DOCUMENT_MISMATCH"


def test_a_server_of_trusted_documents_answers_no_others(closed: Client) -> None:
    own = post(closed, query=OWN)
    as_text = post(closed, query=COUNTS)
    by_id = post(closed, documentId=f"sha256:{name(COUNTS)}")

    assert code(own) == "DOCUMENT_NOT_TRUSTED"
    assert as_text.json()["data"] == by_id.json()["data"]
    assert code(post(closed, query="{ __schema { types { name } } }")) == "DOCUMENT_NOT_TRUSTED"


def test_nothing_can_be_registered_with_a_server_of_trusted_documents(closed: Client) -> None:
    asked = post(closed, extensions=automatic(OWN))
    sent = post(closed, query=OWN, extensions=automatic(OWN))
    known = post(closed, extensions=automatic(COUNTS))

    assert asked.json()["errors"][0]["message"] == "PersistedQueryNotSupported"
    assert code(asked) == "PERSISTED_QUERY_NOT_SUPPORTED"
    assert code(sent) == "DOCUMENT_NOT_TRUSTED"
    assert "data" in known.json()


@pytest.fixture(scope="module")
def client(catalog_source: CatalogSource) -> Client:
    return make_client(catalog_source, None)


def test_an_automatic_document_is_sent_once(client: Client) -> None:
    first = post(client, extensions=automatic(OWN))
    sent = post(client, query=OWN, extensions=automatic(OWN))
    again = post(client, extensions=automatic(OWN))
    by_get = client.send("GET", "/graphql", params={"extensions": json.dumps(automatic(OWN))})
    by_id = post(client, documentId=f"sha256:{name(OWN)}")

    # Clients look for this very message, or for the code.
    assert first.json()["errors"][0]["message"] == "PersistedQueryNotFound"
    assert code(first) == "PERSISTED_QUERY_NOT_FOUND"
    assert first.headers["cache-control"] == "no-store"
    for answer in (sent, again, by_get, by_id):
        assert answer.json()["data"] == client.data(OWN)


def test_a_document_of_another_hash_is_not_registered(client: Client) -> None:
    response = post(client, query=OWN, extensions=automatic(RUNS))

    assert code(response) == "PERSISTED_DOCUMENT_MISMATCH"
    assert code(post(client, extensions=automatic(RUNS))) == "PERSISTED_QUERY_NOT_FOUND"


def test_a_refused_document_is_not_registered(client: Client) -> None:
    refused = "{ nothing }"

    assert code(post(client, query=refused, extensions=automatic(refused))) == (
        "GRAPHQL_VALIDATION_FAILED"
    )
    assert code(post(client, extensions=automatic(refused))) == "PERSISTED_QUERY_NOT_FOUND"


@pytest.mark.parametrize(
    "asked",
    [1, {}, {"version": 2, "sha256Hash": name(OWN)}, {"version": 1, "sha256Hash": "abc"}],
    ids=["number", "empty", "version", "hash"],
)
def test_what_is_no_automatic_document_is_refused(client: Client, asked: object) -> None:
    response = post(client, query=OWN, extensions={"persistedQuery": asked})

    assert (response.status_code, code(response)) == (400, "BAD_REQUEST")


def test_registered_documents_are_kept_within_their_memory() -> None:
    documents = Documents()
    texts = [f"{{ a{number} }}".ljust(50_000) for number in range(100)]

    for text in texts:
        documents.register(name(text), text)

    kept = [text for text in texts if documents.find(name(text)) is not None]
    assert kept == texts[-len(kept) :]
    assert 10 < len(kept) < 100


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("a.json", "[]", "expected an object"),
        ("a.json", "{", "found no JSON"),
        ("a.json", '{"x": 1}', "expected a document as text"),
        ("a.json", json.dumps({"0" * 64: COUNTS}), "is not its document's SHA-256"),
        ("a.json", json.dumps({"a b": COUNTS}), "expected an id"),
        ("a.graphql", b"\xff", "found no UTF-8"),
    ],
)
def test_a_file_that_is_no_document_stops_the_server(
    tmp_path: Path, file: str, content: str | bytes, problem: str
) -> None:
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(BadDocumentError, match=problem) as caught:
        load_documents(tmp_path)
    assert file in str(caught.value)


def test_two_documents_cannot_have_one_id(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"page": COUNTS}))
    (tmp_path / "b.json").write_text(json.dumps({"page": RUNS}))

    with pytest.raises(BadDocumentError, match="another document's"):
        load_documents(tmp_path)


def test_a_folder_that_is_not_there_stops_the_server(tmp_path: Path) -> None:
    with pytest.raises(BadDocumentError, match="no folder"):
        load_documents(tmp_path / "nothing")


@pytest.mark.parametrize("text", ["{ nothing }", "{", "type A { b: Int }"])
def test_a_trusted_document_that_does_not_fit_the_schema_stops_the_server(
    catalog_source: CatalogSource, tmp_path: Path, text: str
) -> None:
    (tmp_path / "a.graphql").write_text(text)

    with pytest.raises(BadDocumentError, match=name(text)):
        make_client(catalog_source, tmp_path)
