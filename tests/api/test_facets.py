"""Counts and summaries beside the lists: their filter counts, their page does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphql import GraphQLEnumType, GraphQLObjectType, get_named_type

from kgraph.api import build_schema
from kgraph.api.schema import core_of
from kgraph.index import LISTS

if TYPE_CHECKING:
    from asgi import Client

SCHEMA = core_of(build_schema())

# By list of the root: the list of the catalogue, and a filter that some items meet.
LISTED: dict[str, tuple[str, str]] = {
    "families": ("families", '{ hardware: { eq: "NVIDIA A100" } }'),
    "operations": ("operations", '{ family: { eq: "cosine-similarity-loss" } }'),
    "workloads": ("workloads", '{ axes: [{ name: "tokens", gte: 2048 }] }'),
    "implementations": ("implementations", '{ language: { eq: "triton" } }'),
    "runs": ("runs", '{ axes: [{ name: "tokens", gte: 2048 }] }'),
    "cohorts": ("cohorts", '{ language: { eq: "triton" } }'),
    "records": ("records", '{ shape: { contains: "target:" } }'),
    "recordHistory": ("record_events", '{ language: { eq: "triton" } }'),
    "hardware": ("hardware", '{ vendor: { contains: "nvidia" } }'),
    "sources": ("sources", '{ hardware: { eq: "NVIDIA A100" } }'),
    "projects": ("projects", '{ language: { eq: "triton" } }'),
    "opportunities": ("opportunities", '{ dtype: { contains: "bf" } }'),
    "publications": ("publications", "{ sequence: { eq: 1 } }"),
}
WITHOUT_RUNS = {"publications"}


def facets_of(name: str) -> list[tuple[str, str]]:
    """The facets of a list of the root, each with the field of the catalogue's list."""
    assert SCHEMA.query_type is not None
    connection = get_named_type(SCHEMA.query_type.fields[name].type)
    assert isinstance(connection, GraphQLObjectType)
    choices = get_named_type(connection.fields["facets"].args["field"].type)
    assert isinstance(choices, GraphQLEnumType)
    return [(member, value.value) for member, value in choices.values.items()]


def test_every_filtered_list_has_facets() -> None:
    assert SCHEMA.query_type is not None
    for name, field in SCHEMA.query_type.fields.items():
        if "where" in field.args:
            connection = get_named_type(field.type)
            assert isinstance(connection, GraphQLObjectType)
            assert "facets" in connection.fields, name


@pytest.mark.parametrize("name", LISTED)
def test_facets_count_what_the_filter_leaves_whatever_the_page(client: Client, name: str) -> None:
    list_name, where = LISTED[name]
    facets = facets_of(name)
    asked = " ".join(f"{member}: facets(field: {member}) {{ value count }}" for member, _ in facets)

    def count(arguments: str) -> tuple[int, dict[str, Any]]:
        found = client.data(f"{{ {name}({arguments}) {{ totalCount {asked} }} }}")[name]
        return found.pop("totalCount"), found

    total, counted = count(f"where: {where}, first: 1")
    again, same = count(f"where: {where}, last: 7")
    _, whole = count("first: 1")

    assert total == again > 0
    assert counted == same
    for member, field in facets:
        found = LISTS[list_name].find_field(field)
        counts = [one["count"] for one in counted[member]]
        assert counts == sorted(counts, reverse=True), member
        if found.type != "texts" and (found.via is None or found.via.is_single):
            # Each item has one value, or none.
            assert sum(counts) <= total, member
            assert sum(counts) == total or found.is_nullable or found.via is not None, member
        else:
            assert all(one <= total for one in counts), member
        known = {one["value"]: one["count"] for one in whole[member]}
        assert all(one["count"] <= known[one["value"]] for one in counted[member]), member


@pytest.mark.parametrize("name", sorted(LISTED.keys() - WITHOUT_RUNS))
def test_aggregates_sum_up_the_runs_of_what_the_filter_leaves(client: Client, name: str) -> None:
    _, where = LISTED[name]
    shown = "aggregates { metric { name unit } count minimum median maximum geometricMeanRatio }"

    def summarise(arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.data(f"{{ {name}({arguments}) {{ {shown} }} }}")[name][
            "aggregates"
        ]
        return found

    some, whole = summarise(f"where: {where}, first: 1"), summarise("last: 3")

    assert some
    assert sum(one["count"] for one in some) <= sum(one["count"] for one in whole)
    for one in some:
        assert one["minimum"] <= one["median"] <= one["maximum"]
        assert one["geometricMeanRatio"] is None or one["geometricMeanRatio"] > 0
    assert summarise("where: { or: [] }, first: 1") == []


def test_the_mean_of_opportunities_is_that_of_ratios_to_floors(client: Client) -> None:
    found = client.data(
        "{ opportunities(first: 200) { nodes { recordRatio } aggregates"
        " { count geometricMeanRatio } } }"
    )["opportunities"]
    product = 1.0
    for node in found["nodes"]:
        product *= node["recordRatio"]

    assert [one["count"] for one in found["aggregates"]] == [len(found["nodes"])]
    mean = product ** (1 / len(found["nodes"]))
    assert found["aggregates"][0]["geometricMeanRatio"] == pytest.approx(mean)
