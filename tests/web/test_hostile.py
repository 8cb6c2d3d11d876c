"""Requests made to hurt: each is a clear error, and nothing is asked of the database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from asgi import Client
from graphql import get_introspection_query

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource

FRAGMENT_BOMB = (
    "{ ...F0 } "
    + " ".join(f"fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(60))
    + " fragment F60 on Query { catalog { snapshot } }"
)

INTROSPECTION_BOMB = (
    "{ __schema { types { " + "fields { type { " * 6 + "name" + " } }" * 6 + " } } }"
)

WIDE = "{ " + " ".join(f"a{n}: runs(first: 1) {{ nodes {{ digest }} }}" for n in range(61)) + " }"

DOCUMENTS = {
    "deep": ("{ " + "catalog { " * 20 + "snapshot" + " }" * 21, "LIMIT_DEPTH"),
    "deeper than the parser goes": ("{ a " * 1_500 + "}" * 1_500, "LIMIT_TOKENS"),
    "deep lists": (
        "{ runs(where: " + "[" * 1_900 + "]" * 1_900 + ") { totalCount } }",
        "LIMIT_DEPTH",
    ),
    "aliases": (WIDE, "LIMIT_ALIASES"),
    "repeats": ("{ " + "catalog { snapshot } " * 70 + "}", "LIMIT_REPEATS"),
    "tokens": ("{ " + "a " * 5_000 + "}", "LIMIT_TOKENS"),
    "comment": ("#" + "x" * 70_000 + "\n{ catalog { snapshot } }", "LIMIT_DOCUMENT_BYTES"),
    "unended text": ('{ run(ref: "' + "x" * 60_000, "GRAPHQL_PARSE_FAILED"),
    "fragment cycle": (
        "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "fragment of itself": (
        "{ ...A } fragment A on Query { catalog { snapshot } ...A }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "directives": (
        "{ catalog { snapshot " + "@include(if: true) " * 500 + "} }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "unknown directives": (
        "{ catalog { snapshot " + "@a " * 1_900 + "} }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "unknown fields": (
        "{ " + " ".join(f"x{n}" for n in range(3_000)) + " }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "operations": (
        " ".join(f"query Q{n} {{ catalog {{ snapshot }} }}" for n in range(400)),
        "OPERATION_RESOLUTION_FAILURE",
    ),
    "variables never used": (
        "query (" + " ".join(f"$v{n}: Int" for n in range(900)) + ") { catalog { snapshot } }",
        "GRAPHQL_VALIDATION_FAILED",
    ),
    "introspection": (INTROSPECTION_BOMB, "GRAPHQL_VALIDATION_FAILED"),
    "introspection of every type again and again": (
        "{ "
        + " ".join(
            f"a{n}: __schema {{ types {{ fields {{ args {{ name }} }} }} }}" for n in range(9)
        )
        + " }",
        "LIMIT_COST",
    ),
    "fragments that overlap": (
        "{ "
        + " ".join(f"...F{n}" for n in range(300))
        + " } "
        + " ".join(f"fragment F{n} on Query {{ catalog {{ snapshot }} }}" for n in range(300)),
        "LIMIT_OVERLAPS",
    ),
    "inline fragments that overlap": (
        "{ "
        + "... on Query { runs(first: 1) { nodes { digest status } totalCount } } " * 150
        + "}",
        "LIMIT_OVERLAPS",
    ),
    "nested filter": (
        "{ runs(where: "
        + "{and: [" * 300
        + '{source: {eq: "x"}}'
        + "]}" * 300
        + ") { totalCount } }",
        "LIMIT_DEPTH",
    ),
    "pages in pages": (
        "{ operations(first: 200) { nodes { workloads(first: 200) { nodes { digest } } } } }",
        "LIMIT_COST",
    ),
    "null byte": ("{ catalog { snapshot } }\0", "GRAPHQL_PARSE_FAILED"),
}


def codes(answer: dict[str, Any]) -> set[str]:
    return {error["extensions"]["code"] for error in answer["errors"]}


@pytest.fixture(scope="module")
def asked(catalog_source: CatalogSource) -> tuple[Client, CatalogSource]:
    return Client(build_app(catalog_source, options=WebOptions(refresh_seconds=0))), catalog_source


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_made_to_hurt_is_refused_before_it_is_executed(
    asked: tuple[Client, CatalogSource], name: str
) -> None:
    client, source = asked
    document, code = DOCUMENTS[name]
    client.data("{ catalog { snapshot } }")
    before = source.current().statement_count

    answer = client.ask(document)

    assert codes(answer) == {code}
    assert "data" not in answer
    assert len(answer["errors"]) <= 21
    assert source.current().statement_count == before


@pytest.mark.parametrize("name", [name for name, (_, code) in DOCUMENTS.items() if "LIMIT" in code])
def test_a_refusal_names_the_limit_and_what_was_asked(
    asked: tuple[Client, CatalogSource], name: str
) -> None:
    client, _ = asked
    document, code = DOCUMENTS[name]
    published = client.data(
        "{ limits { cost depth aliases repeats tokens overlaps documentBytes } }"
    )["limits"]

    (error,) = client.ask(document)["errors"]

    extensions = error["extensions"]
    field = {"LIMIT_DOCUMENT_BYTES": "documentBytes"}.get(code, code[6:].lower())
    assert extensions["limit"] == published[field]
    assert extensions["asked"] > extensions["limit"]
    assert str(extensions["limit"]) in error["message"]


def test_fragments_that_double_at_each_step_are_weighed_once_each(
    asked: tuple[Client, CatalogSource],
) -> None:
    # Opened, it would be 2^60 fields.
    answer = asked[0].ask(FRAGMENT_BOMB)

    assert codes(answer) == {"LIMIT_COST"}
    assert answer["errors"][0]["extensions"]["asked"] == 2**60


FILTER = "query ($where: RunWhere) { runs(where: $where) { totalCount } }"


def nested(depth: int) -> dict[str, Any]:
    where: dict[str, Any] = {"source": {"eq": "x"}}
    for _ in range(depth):
        where = {"and": [where]}
    return where


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"where": {"source": {"in": ["x"] * 101}}}, "BAD_USER_INPUT"),
        ({"where": {"or": [{"source": {"eq": "x"}}] * 201}}, "BAD_USER_INPUT"),
        ({"where": nested(29)}, None),
        ({"where": nested(450)}, "LIMIT_VARIABLES_DEPTH"),
        ({"where": {"source": {"eq": "x" * 70_000}}}, "LIMIT_VARIABLES_BYTES"),
        ({"unused": ["x"] * 20_000}, "LIMIT_VARIABLES_BYTES"),
        ({"where": {"value": {"gt": 1e400}}}, "BAD_REQUEST"),
        ({"where": {f"x{n}": 1 for n in range(3_000)}}, "BAD_USER_INPUT"),
    ],
    ids=["in", "or", "nested", "deeper", "long", "unused", "infinite", "unknown"],
)
def test_variables_made_to_hurt_are_refused(
    asked: tuple[Client, CatalogSource], variables: dict[str, Any], code: str | None
) -> None:
    client, _ = asked

    text = json.dumps({"query": FILTER, "variables": variables})
    answer = client.send(
        "POST", "/graphql", content=text, headers={"content-type": "application/json"}
    ).json()

    if code is None:
        assert answer["data"] == {"runs": {"totalCount": 0}}
    else:
        assert codes(answer) == {code}
        assert len(answer["errors"]) <= 21


def test_json_nested_beyond_reading_is_refused(asked: tuple[Client, CatalogSource]) -> None:
    text = '{"query": "{ catalog { snapshot } }", "variables": {"a": ' + "[" * 20_000

    response = asked[0].send(
        "POST", "/graphql", content=text, headers={"content-type": "application/json"}
    )

    assert response.status_code == 400
    assert codes(response.json()) == {"BAD_REQUEST"}


def test_the_usual_introspection_of_tools_is_within_the_limits(
    asked: tuple[Client, CatalogSource],
) -> None:
    answer = asked[0].ask(get_introspection_query(input_value_deprecation=True))

    assert "errors" not in answer
    assert answer["extensions"]["cost"]["requested"] < answer["extensions"]["cost"]["limit"]
