from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.api.errors import BadArgumentError
from kgraph.api.node import NodeType, encode_node_id, parse_node_id

if TYPE_CHECKING:
    from asgi import Client

HOLDERS = {
    "Source": "{ sources(first: 1) { nodes { id } } }",
    "Family": "{ families(first: 1) { nodes { id } } }",
    "Operation": "{ operations(first: 1) { nodes { id } } }",
    "Workload": "{ workloads(first: 1) { nodes { id } } }",
    "Implementation": "{ implementations(first: 1) { nodes { id } } }",
    "Run": "{ runs(first: 1) { nodes { id } } }",
    "Cohort": "{ cohorts(first: 1) { nodes { id } } }",
    "Publication": "{ publications(first: 1) { nodes { id } } }",
    "Protocol": "{ cohorts(first: 1) { nodes { node: protocol { id } } } }",
    "Environment": "{ cohorts(first: 1) { nodes { node: environment { id } } } }",
    "StoredObject": "{ runs(first: 1) { nodes { node: object { id } } } }",
}


@pytest.mark.parametrize("kind", HOLDERS)
def test_whatever_has_an_id_is_found_again_by_it(client: Client, kind: str) -> None:
    [found] = next(iter(client.data(HOLDERS[kind]).values()))["nodes"]
    node_id = found.get("node", found)["id"]

    data = client.data(
        "query ($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id, $id]) { id } }",
        {"id": node_id},
    )

    assert data["node"] == {"__typename": kind, "id": node_id}
    assert data["nodes"] == [{"id": node_id}] * 2


@given(st.sampled_from(NodeType), st.text(min_size=1))
def test_a_global_id_names_its_kind_and_key(kind: NodeType, key: str) -> None:
    assert parse_node_id("id", encode_node_id(kind, key)) == (kind, key)


@given(st.text())
def test_text_is_a_global_id_or_refused_by_its_argument(text: str) -> None:
    try:
        kind, key = parse_node_id("id", text)
    except BadArgumentError:
        return

    assert text == (key if kind is None else f"{kind}:{key}")
