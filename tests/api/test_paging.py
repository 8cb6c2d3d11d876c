from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from asgi import Client

LISTS = (
    "families", "operations", "workloads", "implementations", "runs", "cohorts", "records",
    "recordHistory", "hardware", "sources", "publications",
)  # fmt: skip

PAGE = """
query ($first: Int, $after: String, $last: Int, $before: String) {
  page: %s(first: $first, after: $after, last: $last, before: $before) {
    totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor node { __typename %s } }
  }
}
"""
KEYS = {
    "families": "key: slug", "hardware": "key: product", "sources": "key: slug",
    "publications": "key: id", "cohorts": "key: id", "records": "cohort { key }",
    "recordHistory": "cohort { key } key: ordinal",
}  # fmt: skip


def page(client: Client, name: str, **arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = client.data(PAGE % (name, KEYS.get(name, "key: id")), arguments)["page"]
    return found


@pytest.mark.parametrize("name", LISTS)
def test_pages_forward_hold_every_item_once(client: Client, name: str) -> None:
    whole = page(client, name, first=200)
    seen: list[Any] = []
    cursor = None
    while True:
        part = page(client, name, first=7, after=cursor)
        assert part["totalCount"] == whole["totalCount"]
        assert part["pageInfo"]["hasPreviousPage"] is (cursor is not None)
        seen += [edge["node"] for edge in part["edges"]]
        cursor = part["pageInfo"]["endCursor"]
        if not part["pageInfo"]["hasNextPage"]:
            break

    assert seen == [edge["node"] for edge in whole["edges"]]
    assert len(seen) == whole["totalCount"]


@pytest.mark.parametrize("name", LISTS)
def test_pages_backward_hold_every_item_once(client: Client, name: str) -> None:
    whole = page(client, name, first=200)
    seen: list[Any] = []
    cursor = None
    while True:
        part = page(client, name, last=7, before=cursor)
        assert part["pageInfo"]["hasNextPage"] is (cursor is not None)
        seen = [edge["node"] for edge in part["edges"]] + seen
        cursor = part["pageInfo"]["startCursor"]
        if not part["pageInfo"]["hasPreviousPage"]:
            break

    assert seen == [edge["node"] for edge in whole["edges"]]


NESTED = """
query ($first: Int, $after: String) {
  operation(slug: "liger-distill-cosine-loss") {
    workloads(first: $first, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } nodes { digest }
    }
  }
}
"""


def test_a_nested_connection_pages_like_a_list(client: Client) -> None:
    whole = client.data(NESTED, {"first": 200})["operation"]["workloads"]
    seen: list[str] = []
    cursor = None
    while True:
        part = client.data(NESTED, {"first": 1, "after": cursor})["operation"]["workloads"]
        seen += [node["digest"] for node in part["nodes"]]
        cursor = part["pageInfo"]["endCursor"]
        if not part["pageInfo"]["hasNextPage"]:
            break

    assert seen == [node["digest"] for node in whole["nodes"]]
    assert len(seen) == whole["totalCount"] > 1


@pytest.mark.parametrize(
    ("arguments", "argument", "message"),
    [
        ("first: 201", "first", "first: found 201, expected 1 to 200"),
        ("first: 0", "first", "first: found 0, expected 1 to 200"),
        ("last: -1", "last", "last: found -1, expected 1 to 200"),
        ("first: 1, last: 1", "last", "last: found beside first, expected one of the two"),
        (
            'last: 1, after: "x"',
            "after",
            "after: found beside last, expected before, which goes with last",
        ),
        (
            'before: "x"',
            "before",
            "before: found without last, expected after, which goes with first",
        ),
    ],
)
def test_a_page_that_cannot_be_is_refused_by_its_argument(
    client: Client, arguments: str, argument: str, message: str
) -> None:
    error = client.error(f"{{ runs({arguments}) {{ totalCount }} }}")

    assert error["message"] == message
    assert error["path"] == ["runs"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


@pytest.mark.parametrize(
    "other",
    [
        "runs(first: 1, after: $after, where: { status: { eq: PASSED } }) { totalCount }",
        "runs(first: 1, after: $after, orderBy: [{ field: TITLE }]) { totalCount }",
        "records(first: 1, after: $after) { totalCount }",
    ],
    ids=["another filter", "another order", "another list"],
)
def test_a_cursor_of_another_question_is_refused(client: Client, other: str) -> None:
    cursor = client.data("{ runs(first: 1) { pageInfo { endCursor } } }")["runs"]["pageInfo"]

    error = client.error(f"query ($after: String) {{ {other} }}", {"after": cursor["endCursor"]})

    assert error["extensions"] == {"code": "BAD_CURSOR", "argument": "after"}
