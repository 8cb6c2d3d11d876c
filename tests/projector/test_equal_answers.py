"""Projections answer what stock execution answers, over generated documents."""

from __future__ import annotations

import gc
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from generated import Generator
from graphql import parse, validate
from hypothesis import given
from hypothesis import strategies as st

from kgraph.api import build_schema
from kgraph.api.schema import core_of

if TYPE_CHECKING:
    from pair import Pair

    from kgraph.api import Answer

SCHEMA = core_of(build_schema())

MAX_LUCK = 20


@pytest.fixture(scope="session")
def ids(pair: Pair) -> list[str]:
    """Global ids of things of every kind, and three that name nothing."""
    lists = ("sources", "families", "operations", "workloads", "implementations", "cohorts", "runs")
    document = " ".join(f"{name}(first: 3) {{ nodes {{ id }} }}" for name in lists)
    stock, _ = pair.ask(f"{{ {document} }}")
    found = [node["id"] for page in stock.body["data"].values() for node in page["nodes"]]
    return [*found, "Run:sha256:" + "0" * 64, "Family:no-such-family", "nonsense"]


def tell(answer: Answer) -> tuple[str, list[str]]:
    """Data and errors as text.

    Equal dicts may differ in order, and the order of the selection is part of the answer; equal
    numbers may differ in class, and an integer is written without a point. Errors of fields that
    run at once come in any order, from stock execution too.
    """
    errors = sorted(json.dumps(error) for error in answer.body.get("errors", ()))
    return json.dumps(answer.body.get("data")), errors


def check_same(stock: Answer, projected: Answer, document: str) -> None:
    assert projected.is_refused == stock.is_refused, document
    assert tell(projected) == tell(stock), document
    assert projected.body["extensions"] == stock.body["extensions"]


@given(seed=st.integers(0, 2**32))
def test_generated_documents_are_answered_alike(pair: Pair, ids: list[str], seed: int) -> None:
    generator = Generator(Random(seed), SCHEMA, ids)  # noqa: S311 - test data
    document, variables = generator.document(), generator.variables()
    problems = validate(SCHEMA, parse(document))
    # Two selections under one name may not merge, and a fragment need not be used.
    assert all("conflict" in problem.message for problem in problems), problems

    for _ in range(2):
        stock, projected = pair.ask(document, variables, "Asked")
        for _ in range(MAX_LUCK if stock.has_errors else 0):
            if tell(stock) == tell(projected):
                break
            # Of two fields that fail at once, luck says which one takes the other along.
            stock, projected = pair.ask(document, variables, "Asked")
        check_same(stock, projected, document)
        if stock.has_errors:
            # What was dropped is noticed here, not in a later test.
            gc.collect()
        variables = generator.variables()


@pytest.mark.parametrize(
    ("document", "variables"),
    [
        ("{ runs(first: 0) { totalCount } }", {}),
        ('{ runs(after: "x") { totalCount } b: runs(last: 999) { totalCount } }', {}),
        ("{ cohorts { nodes { ranking(first: 999) { totalCount } } } }", {}),
        ('{ cohorts(first: 3) { nodes { ranking(after: "x") { totalCount } } } }', {}),
        (
            "query ($x: Boolean = true) { runs(first: 2) { nodes { title @include(if: $x) id } } }",
            {"x": None},
        ),
        (
            "query ($o: [WorkloadOrder!], $w: WorkloadWhere) { operations(first: 2) { nodes {"
            " workloads(first: 2, orderBy: $o, where: $w) { totalCount nodes { label } } } } }",
            {
                "o": [{"field": "LABEL", "direction": "DESC"}, {"field": "RUN_COUNT"}],
                "w": {"or": [{"axes": [{"name": "tokens", "gte": 1}]}, {"suite": {"eq": True}}]},
            },
        ),
        (
            "{ operations(first: 2) { nodes { workloads(orderBy: [{ field: LABEL },"
            " { field: LABEL }]) { totalCount } } } }",
            {},
        ),
        ('{ run(ref: "sha256:00000000") { title } run2: run(ref: "?") { title } }', {}),
        ('{ nodes(ids: ["nonsense"]) { id } }', {}),
        (
            "{ runs(first: 2) { nodes { ...A ...A title } } } fragment A on Run { title id }",
            {},
        ),
        ("{ families(first: 2) { edges { cursor node { slug } } pageInfo { endCursor } } }", {}),
    ],
)
def test_what_goes_wrong_goes_wrong_alike(
    pair: Pair, document: str, variables: dict[str, Any]
) -> None:
    check_same(*pair.ask(document, variables), document)


def test_a_document_is_answered_anew_for_each_choice_of_what_is_skipped(pair: Pair) -> None:
    document = """query ($x: Boolean!) { runs(first: 2) { nodes {
      title @skip(if: $x) implementation { title @include(if: $x) id } } } }"""

    shown = []
    for choice in (True, False, True):
        stock, projected = pair.ask(document, {"x": choice})
        check_same(stock, projected, document)
        shown.append("title" in projected.body["data"]["runs"]["nodes"][0])
    assert shown == [False, True, False]
