"""One test for each shape of error; each asserts the whole answer but the snapshot."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from kgraph.catalog import Catalog, CatalogSource


def errors_of(
    client: Client, document: str, variables: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    answer = client.ask(document, variables)
    assert answer["extensions"]["snapshot"].startswith("blake3:")
    errors: list[dict[str, Any]] = answer["errors"]
    return errors


def test_a_document_that_is_no_graphql_is_refused_without_data(client: Client) -> None:
    answer = client.ask("{ runs( }")

    assert set(answer) == {"errors", "extensions"}
    assert answer["errors"] == [
        {
            "message": "Syntax Error: Expected Name, found '}'.",
            "locations": [{"line": 1, "column": 9}],
            "extensions": {"code": "GRAPHQL_PARSE_FAILED"},
        }
    ]


def test_a_document_that_does_not_fit_the_schema_is_refused_without_data(client: Client) -> None:
    answer = client.ask("{ runs { totalCuont } }")

    assert set(answer) == {"errors", "extensions"}
    assert answer["errors"] == [
        {
            "message": "Cannot query field 'totalCuont' on type 'RunConnection'."
            " Did you mean 'totalCount'?",
            "locations": [{"line": 1, "column": 10}],
            "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"},
        }
    ]


BAD_SCALARS = {
    "DateTime": ("observedAt: { gt: %s }", "yesterday"),
    "BigInt": ("rank: { eq: %s }", "many"),
    "Digest": ("digest: { eq: %s }", 7),
}


@pytest.mark.parametrize("scalar", BAD_SCALARS)
def test_a_scalar_that_is_none_is_the_fault_of_the_request(client: Client, scalar: str) -> None:
    where, value = BAD_SCALARS[scalar]
    literal = f'"{value}"' if isinstance(value, str) else value
    tests = where % "$value"

    (written,) = client.ask(f"{{ runs(where: {{ {where % literal} }}) {{ totalCount }} }}")[
        "errors"
    ]
    document = f"query ($value: {scalar}) {{ runs(where: {{ {tests} }}) {{ totalCount }} }}"
    (given,) = client.ask(document, {"value": value})["errors"]

    assert written["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED"}
    assert given["extensions"] == {"code": "BAD_USER_INPUT", "argument": "value"}
    for error in (written, given):
        assert "found" in error["message"]
        assert str(value) in error["message"]


def test_a_variable_of_another_type_is_refused_by_name_without_data(client: Client) -> None:
    answer = client.ask(
        "query ($first: Int) { runs(first: $first) { totalCount } }", {"first": "x"}
    )

    assert set(answer) == {"errors", "extensions"}
    assert len(answer["errors"]) == 1
    assert answer["errors"][0]["extensions"] == {"code": "BAD_USER_INPUT", "argument": "first"}
    assert "Int cannot represent non-integer value" in answer["errors"][0]["message"]


def test_an_operation_that_the_document_lacks_is_refused(client: Client) -> None:
    document = "query A { catalog { snapshot } } query B { catalog { snapshot } }"

    none_named = client.ask(document)
    other_named = client.ask(document, operation="C")

    assert none_named["errors"] == [
        {
            "message": "operationName: none named, expected one of the document's operations: A, B",
            "extensions": {"code": "OPERATION_RESOLUTION_FAILURE"},
        }
    ]
    assert "'C'" in other_named["errors"][0]["message"]
    assert client.ask(document, operation="B")["data"]["catalog"]


@pytest.mark.parametrize(
    "document",
    [
        '{ operation(slug: "no-such-operation") { slug } }',
        '{ family(slug: "no-such-family") { slug } }',
        '{ source(slug: "no-such-source") { slug } }',
        '{ run(ref: "sha256:00000000") { digest } }',
        '{ object(ref: "blake3:00000000") { digest } }',
        '{ workload(ref: "00000000") { digest } }',
        '{ implementation(ref: "00000000") { digest } }',
        '{ servingRun(ref: "00000000") { digest } }',
        '{ cohort(key: "sha256:%s") { key } }' % ("0" * 64),
        '{ node(id: "Run:sha256:%s") { id } }' % ("0" * 64),
        '{ node(id: "blake3:%s") { id } }' % ("0" * 64),
    ],
)  # fmt: skip
def test_an_unknown_name_is_null_and_no_error(client: Client, document: str) -> None:
    assert list(client.data(document).values()) == [None]


@pytest.mark.parametrize(
    ("field", "argument", "problem"),
    [
        (
            'run(ref: "xyz") { digest }',
            "ref",
            "found 'xyz', expected sha256: or blake3: (optional) and 8 to 64 lower-case hex digits",
        ),
        (
            'cohort(key: "sha256:12") { key }',
            "key",
            "found 'sha256:12', expected sha256: and 64 lower-case hex digits",
        ),
        ('node(id: "Nothing:1") { id }', "id", "found 'Nothing:1', expected a global id"),
        ('nodes(ids: ["Family:gemm", "x"]) { id }', "ids[1]", "found 'x', expected a global id"),
    ],
)
def test_a_name_that_cannot_be_is_refused_by_its_argument(
    client: Client, field: str, argument: str, problem: str
) -> None:
    [error] = errors_of(client, f"{{ {field} }}")

    assert error["message"] == f"{argument}: {problem}"
    assert error["path"] == [field.partition("(")[0]]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


def test_a_request_with_an_impossible_axis_is_refused_by_its_place(client: Client) -> None:
    document = "query ($input: ResolveInput!) { resolve(input: $input) { match } }"
    axes = [{"name": "tokens", "value": 1}, {"name": "tokens", "value": 2}]

    [twice] = errors_of(client, document, {"input": {"operation": "x", "axes": axes}})
    axes = [{"name": "tokens", "value": 0}]
    [zero] = errors_of(client, document, {"input": {"operation": "x", "axes": axes}})

    assert twice["message"] == "input.axes[1].name: found 'tokens' twice, expected once"
    assert zero["message"] == "input.axes[0].value: found 0, expected 1 or more"


def test_an_error_of_one_field_leaves_the_others(client: Client) -> None:
    answer = client.ask('{ run(ref: "xyz") { digest } catalog { counts { families } } }')

    assert answer["data"]["run"] is None
    assert answer["data"]["catalog"]["counts"]["families"] > 0
    assert len(answer["errors"]) == 1


def test_an_internal_fault_is_masked_and_logged_with_the_request_id(
    catalog_source: CatalogSource,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Catalog) -> None:
        message = "the secret is 1234"
        raise RuntimeError(message)

    monkeypatch.setattr(type(catalog_source.current()), "counts", fail)
    client = Client(
        build_app(catalog_source, options=WebOptions(answer_cache_bytes=0), clock=lambda: NOW)
    )

    with caplog.at_level(logging.ERROR):
        response = client.send(
            "POST",
            "/graphql",
            json={"query": "{ catalog { counts { runs } } }"},
            headers={"x-request-id": "request-7"},
        )

    assert response.status_code == 200
    assert response.headers["x-request-id"] == "request-7"
    body = response.json()
    assert body["data"] is None
    assert body["errors"] == [
        {
            "message": "Internal error",
            "locations": [{"line": 1, "column": 13}],
            "path": ["catalog", "counts"],
            "extensions": {"code": "INTERNAL", "requestId": "request-7"},
        }
    ]
    assert "1234" not in response.text
    [record] = caplog.records
    assert "request-7" in record.getMessage()
    assert "the secret is 1234" in (record.exc_text or str(record.exc_info))


def test_an_ambiguous_prefix_is_refused_with_its_candidates(client: Client) -> None:
    # 8 hex digits of a small catalogue hardly ever collide; the catalogue's own tests make one.
    digest = client.data("{ runs(first: 1) { nodes { digest objectId } } }")["runs"]["nodes"][0]

    for name in (digest["digest"], digest["objectId"]):
        for ref in (name, name.partition(":")[2], name[: len("sha256:") + 12]):
            found = client.data("query ($ref: String!) { run(ref: $ref) { digest } }", {"ref": ref})
            assert found["run"]["digest"] == digest["digest"]
