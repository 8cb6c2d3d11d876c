"""Names that fit several operations, and runs of two operations, as the API tells them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client
from build import changed
from world import Shelf, World, listing

from kgraph.catalog import CatalogSource
from kgraph.policy import ranking_v1
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from kgraph.manifest import Identified

RUNS = """query ($where: RunWhere) { runs(where: $where, first: 200) { totalCount nodes {
  digest warnings { code message } operation { slug }
  implementation { operation { digest } } standing { rank } } } }"""


@dataclass(frozen=True)
class Crossed:
    """A catalogue of two operations of one slug, with a run that is of both."""

    client: Client
    world: World
    run: Identified


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> Crossed:
    world = World()
    value = changed(
        world.runs[0].manifest.to_json(),
        {
            "spec.implementationDigest": world.other_implementation.digest,
            "spec.observedAt": "2026-03-01T14:00:00.000Z",
        },
    )
    run = world.add(value, name="crossed", title="Of two operations")
    world.all.append(listing({"subject": world.other_operation.digest, "slug": "double"}))
    folder = tmp_path_factory.mktemp("crossed")
    shelf = Shelf(folder)
    shelf.publish(world.all)
    source = CatalogSource(
        shelf.log, shelf.store, ranking_v1, folder=folder / "cache", clock=lambda: NOW
    )
    app = build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
    return Crossed(Client(app), world, run)


@pytest.mark.parametrize(
    "document",
    [
        '{ operation(slug: "double") { digest } }',
        '{ resolve(input: { operation: "double" }) { match } }',
        '{ regression(operation: "double", implementation: "fast kernel") { policy } }',
    ],
)
def test_a_slug_of_several_operations_is_an_error_that_names_them(
    crossed: Crossed, document: str
) -> None:
    error = crossed.client.error(document)

    digests = sorted((crossed.world.operation.digest, crossed.world.other_operation.digest))
    assert error["extensions"] == {"code": "AMBIGUOUS_SLUG", "candidates": digests}
    assert error["message"] == (
        f"operation 'double': found 2 of that name ({digests[0][:23]}, {digests[1][:23]}), "
        "expected one; ask by digest"
    )


def test_operations_of_one_slug_are_told_apart_by_digest(crossed: Crossed) -> None:
    for operation in (crossed.world.operation, crossed.world.other_operation):
        found = crossed.client.data(
            """query ($digest: String!, $where: RunWhere) {
                 operation(slug: $digest) { digest slug runCount }
                 runs(where: $where) { totalCount } }""",
            {
                "digest": operation.digest,
                "where": {"operationDigest": {"eq": operation.digest}},
            },
        )

        assert found["operation"]["digest"] == operation.digest
        assert found["operation"]["slug"] == "double"
        assert found["runs"]["totalCount"] == found["operation"]["runCount"] > 0


def test_a_run_of_two_operations_says_so_and_keeps_its_rank(crossed: Crossed) -> None:
    found = crossed.client.data(RUNS, {"where": None})["runs"]["nodes"]

    warned = {node["digest"]: node for node in found if node["warnings"]}
    assert set(warned) == {crossed.run.digest}
    node = warned[crossed.run.digest]
    assert node["warnings"] == [
        {
            "code": "OPERATION_MISMATCH",
            "message": "Its implementation is of operation double, its workload of double.",
        }
    ]
    assert node["implementation"]["operation"]["digest"] == crossed.world.other_operation.digest
    assert node["standing"]["rank"] >= 1


def test_runs_and_records_of_two_operations_are_found(crossed: Crossed) -> None:
    found = crossed.client.data(RUNS, {"where": {"mismatched": {"eq": True}}})["runs"]
    others = crossed.client.data(RUNS, {"where": {"mismatched": {"eq": False}}})["runs"]
    whole = crossed.client.data(RUNS)["runs"]
    records = crossed.client.data(
        "{ all: records { totalCount }"
        " records(where: { mismatched: { eq: false } }) { totalCount } }"
    )

    assert [node["digest"] for node in found["nodes"]] == [crossed.run.digest]
    assert found["totalCount"] + others["totalCount"] == whole["totalCount"]
    assert 0 < records["records"]["totalCount"] <= records["all"]["totalCount"]
