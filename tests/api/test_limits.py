from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client
from graphql import get_introspection_query, parse
from hypothesis import given
from hypothesis import strategies as st

from kgraph.api import Limits, build_schema
from kgraph.api.cost import CostModel
from kgraph.api.limits import measure_structure
from kgraph.api.schema import core_of
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from kgraph.catalog import Catalog, CatalogSource


def refusal(
    client: Client, document: str, variables: dict[str, Any] | None = None
) -> dict[str, Any]:
    answer = client.ask(document, variables)
    assert set(answer) == {"errors", "extensions"}
    error: dict[str, Any]
    [error] = answer["errors"]
    return error


def test_a_document_that_is_too_long_is_refused_with_its_length(client: Client) -> None:
    document = "{ catalog { snapshot } } #" + "é" * 40_000

    error = refusal(client, document)

    asked = len(document.encode())
    assert error["extensions"] == {"code": "LIMIT_DOCUMENT_BYTES", "limit": 65_536, "asked": asked}
    assert str(asked) in error["message"]


def test_a_document_of_too_many_tokens_is_refused_with_their_number(client: Client) -> None:
    error = refusal(client, "{ catalog { " + "snapshot " * 4_000 + "} }")

    assert error["extensions"] == {"code": "LIMIT_TOKENS", "limit": 4_000, "asked": 4_005}


@pytest.mark.parametrize("levels", [17, 200])
def test_a_document_that_is_too_deep_is_refused_with_its_depth(client: Client, levels: int) -> None:
    document = "{ a " * levels + "}" * levels

    error = refusal(client, document)

    assert error["extensions"] == {"code": "LIMIT_DEPTH", "limit": 16, "asked": levels}


def test_depth_counts_through_fragments(client: Client) -> None:
    spreads = " ".join(f"fragment F{n} on Query {{ a {{ ...F{n + 1} }} }}" for n in range(20))

    error = refusal(client, f"{{ ...F0 }} {spreads} fragment F20 on Query {{ a }}")

    assert error["extensions"] == {"code": "LIMIT_DEPTH", "limit": 16, "asked": 21}


def test_fragments_in_a_circle_are_refused_by_validation(client: Client) -> None:
    error = refusal(client, "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }")

    assert error["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED"}


def test_too_many_aliases_are_refused_with_their_number(client: Client) -> None:
    aliases = " ".join(f"a{n}: catalog {{ snapshot }}" for n in range(61))

    error = refusal(client, f"{{ {aliases} }}")

    assert error["extensions"] == {"code": "LIMIT_ALIASES", "limit": 60, "asked": 61}


def test_fields_repeated_too_often_are_refused_with_their_number(client: Client) -> None:
    error = refusal(client, "{ catalog { " + "snapshot " * 62 + "} }")

    assert error["extensions"] == {"code": "LIMIT_REPEATS", "limit": 60, "asked": 61}


def test_an_answer_that_may_be_too_large_is_refused_with_its_cost(client: Client) -> None:
    document = """query ($first: Int) {
      operations(first: 200) { nodes { workloads(first: $first) { nodes { digest } } } }
    }"""

    error = refusal(client, document, {"first": 100})

    asked = 200 * (1 + 100)
    assert error["extensions"] == {"code": "LIMIT_COST", "limit": 20_000, "asked": asked}
    assert client.ask(document, {"first": 50})["extensions"]["cost"] == {
        "requested": 200 * (1 + 50),
        "limit": 20_000,
    }


def test_variables_that_are_too_long_are_refused_with_their_length(client: Client) -> None:
    error = refusal(client, "{ catalog { snapshot } }", {"unused": "x" * 70_000})

    assert error["extensions"] == {
        "code": "LIMIT_VARIABLES_BYTES",
        "limit": 65_536,
        "asked": 70_000 + len('{"unused":""}'),
    }


def test_the_introspection_of_tools_is_within_every_limit(client: Client) -> None:
    document = get_introspection_query(
        specified_by_url=True, directive_is_repeatable=True, input_value_deprecation=True
    )

    answer = client.ask(document)

    assert "errors" not in answer
    assert answer["extensions"]["cost"]["requested"] <= answer["extensions"]["cost"]["limit"]


def test_introspection_in_circles_is_refused(client: Client) -> None:
    document = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }"

    error = refusal(client, document)

    assert error["extensions"]["code"] in {"GRAPHQL_VALIDATION_FAILED", "LIMIT_COST"}


def test_an_answer_that_takes_too_long_is_stopped(
    catalog_source: CatalogSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []

    def ask_slowly(_: Catalog) -> None:
        while not stopped:
            time.sleep(0.005)

    catalog = type(catalog_source.current())
    monkeypatch.setattr(catalog, "counts", ask_slowly)
    monkeypatch.setattr(catalog, "interrupter", lambda _: lambda: stopped.append("counts"))
    options = WebOptions(limits=Limits(seconds=0.05), answer_cache_bytes=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    answer = client.ask("{ catalog { counts { runs } } }")

    assert answer["data"] is None
    assert answer["errors"] == [
        {
            "message": "time: the budget of 0.05 s is spent; ask for fewer or smaller lists",
            "extensions": {"code": "LIMIT_TIME", "limit": 0.05, "asked": 0.05},
        }
    ]
    assert stopped == ["counts"]


SCHEMA = core_of(build_schema())
COSTS = CostModel(SCHEMA)


def cost(document: str, variables: dict[str, Any] | None = None) -> int:
    parsed = parse(document)
    return COSTS.measure(parsed, parsed.definitions[0], variables or {})  # type: ignore[arg-type] # the first is the operation


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("{ catalog { snapshot counts { runs } } }", 1),
        ("{ runs { totalCount } }", 0),
        ("{ runs { nodes { digest } } }", 20),
        ("{ runs(first: 7) { nodes { digest } } }", 7),
        ("{ runs(last: 7) { edges { cursor node { digest } } } }", 7),
        ("{ runs(first: 7) { nodes { digest implementation { title } } } }", 14),
        ("{ runs(first: 7) { ...P } } fragment P on RunConnection { nodes { digest } }", 7),
        ("{ runs(first: 7) { ... on RunConnection { nodes { digest } } } }", 7),
        ("{ a: runs(first: 7) { nodes { digest } } b: runs(first: 3) { nodes { digest } } }", 10),
        ('{ nodes(ids: ["a", "b"]) { id } }', 2),
        ("{ runs(first: 1000000) { nodes { digest } } }", 200),
        ("{ runs(first: -5) { nodes { digest } } }", 20),
        ("{ cohorts(first: 2) { nodes { ranking(first: 3) { nodes { run { digest } } } } } }", 14),
    ],
)
def test_cost_counts_objects_by_page_sizes(document: str, expected: int) -> None:
    assert cost(document) == expected


@given(first=st.integers(1, 200), more=st.integers(0, 50))
def test_cost_never_falls_when_a_page_grows(first: int, more: int) -> None:
    document = """query ($n: Int) {
      runs(first: $n) { nodes { cohort { ranking(first: $n) { nodes { rank } } } } }
    }"""

    assert cost(document, {"n": min(first + more, 200)}) >= cost(document, {"n": first})


@given(
    st.recursive(
        st.just("f"), lambda inner: inner.map(lambda text: f"f {{ {text} }}"), max_leaves=1
    )
)
def test_depth_is_the_number_of_nested_fields(fields: str) -> None:
    assert measure_structure(parse(f"{{ {fields} }}")).depth == fields.count("f")
