"""Every list that has an order takes it, also inside objects, and cursors belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLObjectType, get_named_type

from kgraph.api import build_schema
from kgraph.api.schema import core_of
from kgraph.index import LISTS

if TYPE_CHECKING:
    from asgi import Client

SCHEMA = core_of(build_schema())

# Lists that are an order; docs/api.md says why.
RANKINGS = {"Cohort.ranking", "Cohort.strictRanking", "Query.servingRanking"}

OPERATION = 'operation(slug: "liger-distill-cosine-loss")'
FAMILY = 'family(slug: "cosine-similarity-loss")'
COHORT = "cohorts(first: 1, orderBy: [{ field: RECORD_EVENT_COUNT, direction: DESC }])"

# By name: the fields that lead to the list and its other arguments; what of an item says where it
# belongs; the field that it is ordered by.
NESTED = {
    "workloads": (OPERATION, "", "label", "LABEL"),
    "workloads by count": (OPERATION, "", "cohorts { runCount }", "RUN_COUNT"),
    "implementations": (OPERATION, "", "title", "TITLE"),
    "operations": (FAMILY, "", "slug", "SLUG"),
    "coverage": (OPERATION, "", "workload { label }", "LABEL"),
    "coverage of a family": (FAMILY, "", "workload { label }", "LABEL"),
    "acrossHardware": (OPERATION, "", "entries { headroom { recordRatio } }", "BEST_RATIO"),
    "history": (COHORT, "", "at ordinal", "ORDINAL"),
    "search": ("", 'query: "li"', "name", "NAME"),
    "search by runs": ("", 'query: "li"', "runCount", "RUN_COUNT"),
    "records of a query": ('ask(query: "gpu:A100")', "", "value", "VALUE"),
    "places": (
        "implementations(first: 1) { nodes { standing",
        "",
        "ratioToLeader",
        "RATIO_TO_LEADER",
    ),
    "series": (
        'regression(operation: "liger-distill-cosine-loss", implementation: "%s")',
        "",
        "cohort { key }",
        "COHORT",
    ),
}


def ask(client: Client, name: str, arguments: str) -> Any:  # noqa: ANN401 - a page as it is
    """A page of one of `NESTED`."""
    way, own, shown, _ = NESTED[name]
    field = name.partition(" ")[0]
    page = "{ totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor }"
    text = f"{field}({own} {arguments}) {page} nodes {{ {shown} }} }} }}"
    if "%s" in way:
        way %= implementation_of(client)
    if way == COHORT:
        way += " { nodes"
    document = f"{{ {way} {{ {text}" if way else f"{{ {text}"
    document += "}" * (document.count("{") - document.count("}"))
    found = client.data(document)
    while "totalCount" not in found or field in found:
        found = found[field] if field in found else next(iter(found.values()))
        found = found[0] if isinstance(found, list) else found
    return found


def implementation_of(client: Client) -> str:
    """An implementation of the operation, by the name that its history is found by."""
    found = client.data(f"{{ {OPERATION} {{ implementations {{ nodes {{ digest }} }} }} }}")
    digest: str = found["operation"]["implementations"]["nodes"][0]["digest"]
    return digest


def place(node: Any, name: str) -> Any:  # noqa: ANN401 - what is compared
    """What an item is ordered by, absence first."""
    if name == "workloads by count":
        return sum(cohort["runCount"] for cohort in node["cohorts"])
    if name == "acrossHardware":
        ratios = [one["headroom"]["recordRatio"] for one in node["entries"]]
        return min([ratio for ratio in ratios if ratio is not None], default=0.0)
    if name == "history":
        return node["ordinal"]
    while isinstance(node, dict):
        node = next(iter(node.values()))
    return node


def test_every_list_takes_an_order_unless_it_is_one() -> None:
    missing = {
        f"{name}.{field_name}"
        for name, kind in SCHEMA.type_map.items()
        if isinstance(kind, GraphQLObjectType)
        for field_name, field in kind.fields.items()
        if get_named_type(field.type).name.endswith("Connection") and "orderBy" not in field.args
    }

    assert missing == RANKINGS


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_a_nested_list_is_sorted_as_asked(client: Client, name: str, direction: str) -> None:
    field = NESTED[name][3]

    found = ask(
        client, name, f"first: 200, orderBy: [{{ field: {field}, direction: {direction} }}]"
    )

    places = [place(node, name) for node in found["nodes"]]
    assert places == sorted(places, reverse=direction == "DESC")
    assert len(places) == found["totalCount"] > 0


@pytest.mark.parametrize("name", NESTED)
def test_a_sorted_nested_list_pages_alike_whatever_the_size(client: Client, name: str) -> None:
    order = f"orderBy: [{{ field: {NESTED[name][3]}, direction: DESC }}]"
    whole = ask(client, name, f"first: 200, {order}")
    forward: list[Any] = []
    cursor = ""
    while True:
        part = ask(client, name, f"first: 2, {order} {cursor}")
        forward += part["nodes"]
        cursor = f'after: "{part["pageInfo"]["endCursor"]}"'
        if not part["pageInfo"]["hasNextPage"]:
            break
    backward: list[Any] = []
    cursor = ""
    while True:
        part = ask(client, name, f"last: 3, {order} {cursor}")
        backward = part["nodes"] + backward
        cursor = f'before: "{part["pageInfo"]["startCursor"]}"'
        if not part["pageInfo"]["hasPreviousPage"]:
            break

    assert forward == backward == whole["nodes"]


@pytest.mark.parametrize("name", NESTED)
def test_a_cursor_of_another_order_is_refused(client: Client, name: str) -> None:
    way, own, _, field = NESTED[name]
    order = f"orderBy: [{{ field: {field}, direction: DESC }}]"
    cursor = ask(client, name, f"first: 1, {order}")["pageInfo"]["endCursor"]
    listed = name.partition(" ")[0]
    if "%s" in way:
        way %= implementation_of(client)
    if way == COHORT:
        way += " { nodes"
    text = f'{listed}({own} first: 1, after: "{cursor}") {{ totalCount }}'
    document = f"{{ {way} {{ {text}" if way else f"{{ {text}"
    document += "}" * (document.count("{") - document.count("}"))

    error = client.error(document)

    assert error["extensions"] == {"code": "BAD_CURSOR", "argument": "after"}
    assert error["path"][-1] == listed


def test_a_place_in_one_list_is_none_in_another(client: Client) -> None:
    document = """query ($after: String) { implementations(first: 2) { nodes { standing {
      places(first: 1, after: $after) { pageInfo { endCursor } } } } } }"""
    nodes = client.data(document)["implementations"]["nodes"]
    cursors = [one["standing"]["places"]["pageInfo"]["endCursor"] for one in nodes]

    answer = client.ask(document, {"after": cursors[0]})

    assert len(set(cursors)) == 2
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_CURSOR"]


def test_every_order_field_is_a_field_of_its_list() -> None:
    """An order of a list of the catalogue; the others are sorted where they are at hand."""
    named = {
        "Family": "families", "Operation": "operations", "Workload": "workloads",
        "Implementation": "implementations", "Run": "runs", "Cohort": "cohorts",
        "Record": "records", "RecordEvent": "record_events", "Hardware": "hardware",
        "Source": "sources", "Publication": "publications", "ServingRun": "serving_runs",
        "Project": "projects", "Opportunity": "opportunities", "UnmeasuredCell": "challenges",
    }  # fmt: skip
    at_hand = {"Search", "Attestation", "CohortPlace", "FloorRow", "RegressionSeries"}
    orders = {
        name.removesuffix("Order"): kind.fields["field"].type
        for name, kind in SCHEMA.type_map.items()
        if isinstance(kind, GraphQLInputObjectType) and name.endswith("Order")
    }

    assert orders.keys() == named.keys() | at_hand
    for name, list_name in named.items():
        fields = get_named_type(orders[name])
        assert isinstance(fields, GraphQLEnumType)
        for value in fields.values.values():
            assert LISTS[list_name].find_field(value.value).is_orderable, (name, value)
