from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from asgi import Client

COUNT = "query ($where: RunWhere) { runs(where: $where, first: 1) { totalCount } }"


def count(client: Client, where: dict[str, Any] | None) -> int:
    total: int = client.data(COUNT, {"where": where})["runs"]["totalCount"]
    return total


@pytest.fixture(scope="module")
def total(client: Client) -> int:
    return count(client, None)


@pytest.mark.parametrize(
    "where",
    [
        {"status": {"eq": "PASSED"}},
        {"status": {"in": ["PASSED", "TIMEOUT"]}},
        {"source": {"eq": "liger-kernel-bench"}},
        {"evidence": {"gte": "REPORTED"}},
        {"value": {"gt": 0}},
        {"observedAt": {"gte": "2020-01-01T00:00:00Z", "lt": "2030-01-01T00:00:00+02:00"}},
        {},
        {"and": []},
    ],
    ids=str,
)
def test_a_filter_that_all_runs_meet_leaves_all(
    client: Client, total: int, where: dict[str, Any]
) -> None:
    assert count(client, where) == total


@pytest.mark.parametrize(
    "where",
    [
        {"status": {"eq": "REVOKED"}},
        {"hardware": {"eq": "nvidia a100"}},
        {"evidence": {"gte": "VERIFIED"}},
        {"or": []},
        {"not": {}},
        {"status": {"in": []}},
        {"observedAt": {"lt": "2020-01-01T00:00:00Z"}},
    ],
    ids=str,
)
def test_a_filter_that_no_run_meets_leaves_none(client: Client, where: dict[str, Any]) -> None:
    assert count(client, where) == 0


@pytest.mark.parametrize(
    "part",
    [
        {"hardware": {"eq": "NVIDIA A100"}},
        {"title": {"contains": "LIGER"}},
        {"stale": {"eq": True}},
        {"rank": {"lte": 1}},
        {"baseline": {"eq": True}},
        {"language": {"eq": "triton"}},
    ],
    ids=str,
)
def test_a_filter_and_its_negation_share_out_all_runs(
    client: Client, total: int, part: dict[str, Any]
) -> None:
    inside, outside = count(client, part), count(client, {"not": part})

    assert 0 < inside < total
    assert inside + outside == total
    assert count(client, {"or": [part, {"not": part}]}) == total
    assert count(client, {"and": [part, {"not": part}]}) == 0


def test_fields_of_one_filter_must_all_hold(client: Client) -> None:
    fast = {"rank": {"eq": 1}}
    triton = {"language": {"eq": "triton"}}

    assert count(client, {**fast, **triton}) == count(client, {"and": [fast, triton]})


def test_stale_runs_are_those_that_say_so(client: Client, total: int) -> None:
    found = client.data(
        "{ runs(where: { stale: { eq: false } }, first: 200) { totalCount nodes { stale } } }"
    )["runs"]

    assert 0 < found["totalCount"] < total
    assert {node["stale"] for node in found["nodes"]} == {False}


def test_workloads_are_found_by_axis_shape_and_dtype(client: Client) -> None:
    found = client.data(
        """{ workloads(where: { axes: [{ name: "tokens", gte: 2048, lt: 8192 }],
             operation: { eq: "liger-distill-cosine-loss" }, shape: { eq: "target:2048" } }) {
             nodes { axes { name value } tensors { name shape } } } }"""
    )["workloads"]["nodes"]

    assert len(found) == 1
    assert {"name": "tokens", "value": 2048} in found[0]["axes"]
    assert {"name": "target", "shape": [2048]} in found[0]["tensors"]


OF_WORKLOAD = {
    "axes": [{"name": "tokens", "gte": 2048, "lt": 8192}],
    "dtype": {"contains": "BF"},
    "shape": {"eq": "target:2048"},
}


@pytest.mark.parametrize("name", ["runs", "cohorts", "records", "recordHistory", "opportunities"])
@pytest.mark.parametrize("part", OF_WORKLOAD)
def test_what_belongs_to_a_workload_is_found_by_what_that_is(
    client: Client, name: str, part: str
) -> None:
    where = {part: OF_WORKLOAD[part]}
    kind = {"recordHistory": "RecordEvent", "opportunities": "Opportunity"}
    named = kind.get(name, name.capitalize().removesuffix("s"))
    shown = "workload { digest }"
    if name not in {"runs", "cohorts"}:
        shown = f"cohort {{ {shown} }}"
    document = f"""query ($where: {named}Where, $workloads: WorkloadWhere) {{
      workloads(where: $workloads, first: 200) {{ nodes {{ digest }} }}
      {name}(where: $where, first: 200) {{ totalCount nodes {{ {shown} }} }} }}"""

    found = client.data(document, {"where": where, "workloads": where})

    wanted = {node["digest"] for node in found["workloads"]["nodes"]}
    digests = {node.get("cohort", node)["workload"]["digest"] for node in found[name]["nodes"]}
    whole = client.data(f"{{ {name}(first: 1) {{ totalCount }} }}")[name]["totalCount"]
    assert digests
    assert digests <= wanted
    assert 0 < found[name]["totalCount"] < whole


def test_runs_are_found_by_implementation_and_protocol(client: Client, total: int) -> None:
    node = client.data(
        """{ runs(first: 1) { nodes { implementation { digest project { slug } }
             protocol { digest harness { name } } } } }"""
    )["runs"]["nodes"][0]
    implementation, protocol = node["implementation"], node["protocol"]

    of_project = {"project": {"eq": implementation["project"]["slug"]}}
    of_protocol = {"protocol": {"eq": protocol["digest"]}}
    assert 0 < count(client, {"implementation": {"eq": implementation["digest"]}}) < total
    assert 0 < count(client, of_project) <= total
    assert 0 < count(client, of_protocol) <= total
    assert count(client, of_protocol) <= count(
        client, {"harness": {"eq": protocol["harness"]["name"]}}
    )
    for test in ("installable", "deployable", "permissive"):
        yes, no = (count(client, {test: {"eq": value}}) for value in (True, False))
        assert yes + no == total
    known = count(client, {"license": {"isNull": False}})
    assert known + count(client, {"license": {"isNull": True}}) == total


def test_runs_found_by_their_workload_keep_the_order_of_the_list(client: Client) -> None:
    document = """query ($where: RunWhere) { runs(where: $where, first: 200) {
      nodes { observedAt digest } } }"""
    where = {"axes": [{"name": "tokens", "gte": 0}]}

    nodes = client.data(document, {"where": where})["runs"]["nodes"]

    whole = client.data(document)["runs"]["nodes"]
    digests = {node["digest"] for node in nodes}
    assert nodes == [node for node in whole if node["digest"] in digests]


def test_records_and_history_take_the_same_filters(client: Client) -> None:
    where = {"hardware": {"eq": "NVIDIA A100"}, "family": {"eq": "cosine-similarity-loss"}}
    document = """query ($records: RecordWhere, $events: RecordEventWhere) {
      records(where: $records, first: 200) {
        totalCount nodes { cohort { key hardware { product } } } }
      recordHistory(where: $events, first: 200) { nodes { cohort { key } } }
    }"""

    data = client.data(document, {"records": where, "events": where})

    held = {node["cohort"]["key"] for node in data["records"]["nodes"]}
    assert {node["cohort"]["hardware"]["product"] for node in data["records"]["nodes"]} == {
        "NVIDIA A100"
    }
    assert {node["cohort"]["key"] for node in data["recordHistory"]["nodes"]} == held
    assert len(held) == data["records"]["totalCount"] > 0


@pytest.mark.parametrize(
    ("where", "argument", "problem"),
    [
        (
            {"status": {"eq": None}},
            "where.status.eq",
            "found null, expected a value; leave it out not to filter",
        ),
        ({"status": {}}, "where.status", "found no test, expected at least one operator"),
        (
            {"cohort": {"eq": "sha256:12"}},
            "where.cohort.eq",
            "found 'sha256:12', expected sha256: and 64 lower-case hex digits",
        ),
        (
            {"or": [{"title": {"in": ["x"] * 101}}]},
            "where.or[0].title.in",
            "found 101 values, expected at most 100",
        ),
        (
            {"axes": [{"name": "tokens", "eq": 1}] * 21},
            "where.axes",
            "found 21 axes, expected at most 20",
        ),
        (
            {"and": [{"title": {"eq": "x"}}] * 201},
            "where",
            "found more than 200 tests, expected at most that many",
        ),
    ],
    ids=["null", "empty", "digest", "choices", "axes", "tests"],
)
def test_a_filter_that_means_nothing_is_refused_by_its_place(
    client: Client, where: dict[str, Any], argument: str, problem: str
) -> None:
    error = client.error(COUNT, {"where": where})

    assert error["message"] == f"{argument}: {problem}"
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


def test_a_field_that_is_null_is_a_field_left_out(client: Client, total: int) -> None:
    assert count(client, {"status": None, "and": None}) == total


def test_facets_honour_the_filter_and_ignore_the_page(client: Client) -> None:
    document = """{ runs(where: { hardware: { eq: "NVIDIA A100" } }, first: 1) {
      totalCount facets(field: HARDWARE) { value count }
      languages: facets(field: LANGUAGE) { value count }
      aggregates { metric { name unit } count minimum median maximum }
    } }"""

    runs = client.data(document)["runs"]

    assert runs["facets"] == [{"value": "NVIDIA A100", "count": runs["totalCount"]}]
    assert sum(facet["count"] for facet in runs["languages"]) == runs["totalCount"]
    assert sum(one["count"] for one in runs["aggregates"]) == runs["totalCount"]
    assert all(one["minimum"] <= one["median"] <= one["maximum"] for one in runs["aggregates"])


def test_lists_are_sorted_as_asked(client: Client) -> None:
    document = """query ($direction: OrderDirection!) {
      runs(first: 200, orderBy: [{ field: VALUE, direction: $direction }]) {
        nodes { primary { value } } }
    }"""

    def values(direction: str) -> list[float]:
        nodes = client.data(document, {"direction": direction})["runs"]["nodes"]
        return [node["primary"]["value"] for node in nodes]

    assert values("ASC") == sorted(values("ASC"))
    assert values("DESC") == values("ASC")[::-1]


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ("[{ field: VALUE }, { field: VALUE }]", "found one field twice, expected each field once"),
        (
            "[{ field: VALUE }, { field: TITLE }, { field: RANK }, { field: HARDWARE }]",
            "found 4 fields, expected at most 3",
        ),
    ],
)
def test_an_order_that_means_nothing_is_refused(client: Client, order: str, problem: str) -> None:
    error = client.error(f"{{ runs(orderBy: {order}) {{ totalCount }} }}")

    assert error["message"] == f"orderBy: {problem}"
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "orderBy"}


def test_publications_are_found_by_their_snapshot(client: Client) -> None:
    document = (
        "query ($where: PublicationWhere) { publications(where: $where, first: 1)"
        " { totalCount nodes { snapshot } } }"
    )
    newest = client.data(document, {"where": None})["publications"]["nodes"][0]["snapshot"]

    found = client.data(document, {"where": {"snapshot": {"eq": newest}}})["publications"]

    assert found == {"totalCount": 1, "nodes": [{"snapshot": newest}]}
