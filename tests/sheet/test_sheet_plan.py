"""Which connection of a document is read, by which document, in which columns."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from graphql import GraphQLSchema, OperationDefinitionNode, get_variable_values, parse, validate

from kgraph.api import build_schema
from kgraph.api.schema import core_of
from kgraph.sheet import Kind, SheetError, SheetPlan, plan_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def schema() -> GraphQLSchema:
    return core_of(build_schema())


def plan(
    text: str, variables: Mapping[str, Any] | None = None, path: str | None = None
) -> SheetPlan:
    document, given = parse(text), dict(variables or {})
    assert validate(schema(), document) == []
    (operation,) = (one for one in document.definitions if isinstance(one, OperationDefinitionNode))
    coerced = get_variable_values(schema(), operation.variable_definitions or (), given)
    assert not isinstance(coerced, list)
    made = plan_sheet(schema(), document, operation, coerced.coerced, given=given, path=path)
    assert validate(schema(), parse(made.document)) == []
    return made


def names(made: SheetPlan) -> list[str]:
    return [column.name for column in made.columns]


PAGING = "first:$pageFirst after:$pageAfter"
WANTED = "totalCount pageInfo{hasNextPage endCursor}"


def test_a_page_asks_for_the_items_and_where_the_next_page_begins() -> None:
    made = plan('query Q { runs(first: 7, after: "x") { totalCount nodes { digest title } } }')

    assert made.document == (
        "query Q($pageFirst:Int$pageAfter:String)"
        f"{{runs({PAGING}){{{WANTED}nodes{{digest title}}}}}}"
    )
    assert (made.path, made.page_size, made.after) == ("runs", 7, "x")
    assert made.ask(3, "y") == {"pageFirst": 3, "pageAfter": "y"}


def test_what_is_beside_the_connection_is_not_asked_for() -> None:
    made = plan(
        """
        query ($slug: String!, $n: Int!, $family: String!) {
          catalog { snapshot }
          families(first: $n) { totalCount }
          family(slug: $family) { name }
          operation(slug: $slug) { title w: workloads(first: $n) { nodes { label } } }
        }
        """,
        {"slug": "x", "n": 9, "family": "y"},
        path="operation.w",
    )

    assert made.document == (
        "query($slug:String!$pageFirst:Int$pageAfter:String)"
        f"{{operation(slug:$slug){{w:workloads({PAGING}){{{WANTED}nodes{{label}}}}}}}}"
    )
    assert made.variables == {"slug": "x"}
    assert made.page_size == 9


def test_filters_and_orders_stay_as_they_are() -> None:
    made = plan(
        """
        query ($where: RunWhere!) {
          runs(where: $where, orderBy: [{ field: OBSERVED_AT, direction: DESC }]) {
            nodes { title }
          }
        }
        """,
        {"where": {"operation": {"eq": "x"}}},
    )

    assert "where:$where orderBy:[{field:OBSERVED_AT direction:DESC}]" in made.document
    assert made.variables == {"where": {"operation": {"eq": "x"}}}
    assert made.page_size is None


def test_fragments_are_opened_on_the_way_and_kept_in_the_items() -> None:
    made = plan(
        """
        query ($own: Int) { ...Root }
        fragment Root on Query { operation(slug: "x") { ...Page } operation(slug: "x") { ...More } }
        fragment Page on Operation { workloads(first: 2) { nodes { ...Row } } }
        fragment More on Operation { workloads(first: 2) { nodes { label } } }
        fragment Row on Workload { digest cohorts { ranking(first: $own) { nodes { rank } } } }
        """,
        {"own": 4},
    )

    assert made.document.endswith(
        f'{{operation(slug:"x"){{workloads({PAGING}){{{WANTED}nodes{{...Row label}}}}}}}}'
        "fragment Row on Workload{digest cohorts{ranking(first:$own){nodes{rank}}}}"
    )
    assert made.variables == {"own": 4}
    assert names(made) == ["digest", "cohorts", "label"]


def test_one_fragment_at_two_places_is_two_connections() -> None:
    text = """
    { a: operation(slug: "x") { ...Page } b: operation(slug: "y") { ...Page } }
    fragment Page on Operation { workloads { nodes { label } } }
    """

    made = plan(text, path="b.workloads")

    assert 'b:operation(slug:"y")' in made.document
    assert 'operation(slug:"x")' not in made.document
    with pytest.raises(SheetError) as caught:
        plan(text)
    assert caught.value.candidates == ("a.workloads", "b.workloads")


def test_names_of_the_documents_own_variables_are_not_taken() -> None:
    made = plan(
        """
        query ($pageFirst: String!) {
          operation(slug: $pageFirst) { workloads { nodes { label } } }
        }
        """,
        {"pageFirst": "x"},
    )

    assert made.ask(5, None) == {"pageFirst": "x", "pageFirst_": 5, "pageAfter": None}


@pytest.mark.parametrize(
    ("given", "columns"),
    [({"all": True}, ["digest", "title"]), ({"all": False}, ["digest"]), ({}, ["digest"])],
)
def test_conditions_decide_columns(given: dict[str, bool], columns: list[str]) -> None:
    text = "query ($all: Boolean = false) { runs { nodes { digest title @include(if: $all) } } }"

    assert names(plan(text, given)) == columns


def test_a_connection_that_is_skipped_is_none() -> None:
    text = """
    query ($no: Boolean!) {
      runs @skip(if: $no) { nodes { digest } }
      records { nodes { value } }
    }
    """

    assert plan(text, {"no": True}).path == "records"


def test_columns_follow_the_schema() -> None:
    made = plan(
        """
        { runs { nodes {
          id digest status observedAt stale primary { value unit }
          environment { hardware { memoryBytes count } } labels { name } manifest
          attestations(first: 3) { nodes { statement } } measured: measurements { value }
        } } }
        """
    )

    found = {column.name: (column.kind, column.is_required) for column in made.columns}
    assert found == {
        "id": (Kind.TEXT, True),
        "digest": (Kind.TEXT, True),
        "status": (Kind.TEXT, True),
        "observedAt": (Kind.INSTANT, True),
        "stale": (Kind.TRUTH, True),
        "primary.value": (Kind.NUMBER, False),
        "primary.unit": (Kind.TEXT, False),
        "environment.hardware.memoryBytes": (Kind.INTEGER, False),
        "environment.hardware.count": (Kind.INTEGER, False),
        "labels": (Kind.JSON, True),
        "manifest": (Kind.JSON, True),
        "attestations": (Kind.JSON, True),
        "measured": (Kind.JSON, True),
    }
    types = {column.name: column.graphql_type for column in made.columns}
    assert types["environment.hardware.memoryBytes"] == "BigInt"
    assert types["primary.value"] == "Float!"


def test_the_columns_of_several_types_stand_beside_each_other() -> None:
    made = plan(
        """
        { search(query: "x") { nodes { name node {
          __typename
          ... on Operation { slug runCount }
          ... on Family { slug name }
        } } } }
        """
    )

    assert sorted(names(made)) == [
        "name",
        "node.__typename",
        "node.name",
        "node.runCount",
        "node.slug",
    ]
    assert [one.is_required for one in made.columns] == [True, False, False, False, False]


def test_edges_give_cursors_and_nodes() -> None:
    made = plan("{ runs { edges { cursor node { digest } } } }")

    assert names(made) == ["cursor", "node.digest"]
    assert made.items == "edges"


def test_a_connection_below_an_interface_is_found() -> None:
    made = plan('{ node(id: "x") { ... on Operation { workloads { nodes { label } } } } }')

    assert made.path == "node.workloads"
    assert f"...on Operation{{workloads({PAGING})" in made.document


@pytest.mark.parametrize(
    ("text", "path", "argument", "message"),
    [
        ("{ catalog { snapshot } }", None, "query", "found no connection"),
        ("{ runs { totalCount } }", None, "query", "runs: found neither, expected nodes or edges"),
        (
            "{ runs { nodes { digest } edges { cursor } } }",
            None,
            "query",
            "runs: found nodes and edges, expected",
        ),
        (
            "{ runs { nodes { digest } } records { nodes { value } } }",
            None,
            "path",
            "found several connections, expected one of records, runs",
        ),
        ("{ runs { nodes { digest } } }", "run", "path", "found 'run', expected runs"),
        (
            "{ runs { nodes { digest attestations { nodes { at } } } } }",
            "runs.nodes.attestations",
            "path",
            "runs.nodes.attestations lies in a list",
        ),
        (
            '{ workload(ref: "x") { cohorts { ranking { nodes { rank } } } } }',
            None,
            "path",
            "workload.cohorts.ranking lies in a list",
        ),
        ("{ runs(last: 3) { nodes { digest } } }", None, "last", "runs is read from its start"),
        ('{ runs(before: "x") { nodes { digest } } }', None, "before", "runs is read from its"),
        ("{ runs { nodes { digest @skip(if: true) } } }", None, "query", "runs: no field of its"),
        (
            '{ node(id: "x") { ... on Operation { coverage { nodes { __typename } } } '
            "... on Family { coverage { nodes { __typename } } } } }",
            None,
            "path",
            "node.coverage stands for connections of several types",
        ),
        ("subscription { published { at } }", None, "query", "found a subscription"),
    ],
    ids=lambda value: None if value is None else str(value)[:40],
)
def test_what_cannot_be_a_sheet_is_refused(
    text: str, path: str | None, argument: str, message: str
) -> None:
    with pytest.raises(SheetError) as caught:
        plan(text, path=path)

    assert caught.value.argument == argument
    assert message in str(caught.value)
    assert (caught.value.code, caught.value.exit_code) == ("BAD_USER_INPUT", 2)


def test_every_root_connection_of_the_schema_can_be_planned() -> None:
    query = schema().query_type
    assert query is not None
    found = [
        name
        for name, field in query.fields.items()
        if "after" in field.args and not {"query", "objective"} & field.args.keys()
    ]

    for name in found:
        made = plan(f"{{ {name} {{ nodes {{ __typename }} }} }}")
        assert (made.path, names(made)) == (name, ["__typename"])
    assert len(found) >= 15
