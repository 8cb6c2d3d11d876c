"""Pages of operations that share a slug, and of runs of two operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client
from build import changed
from page_catalogs import make_app
from page_html import read_page
from world import Shelf, World, listing

from kgraph.catalog import CatalogSource
from kgraph.policy import ranking_v1

if TYPE_CHECKING:
    from kgraph.manifest import Identified

MARK = "of another operation"


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
        world.runs[3].manifest.to_json(),
        {
            "spec.implementationDigest": world.other_implementation.digest,
            "spec.observedAt": "2026-03-01T14:00:00.000Z",
        },
    )
    run = world.add(value, name="crossed", title="Of two operations")
    world.all.append(listing({"subject": world.other_operation.digest, "slug": "double"}))
    folder = tmp_path_factory.mktemp("crossed-pages")
    shelf = Shelf(folder)
    shelf.publish(world.all)
    source = CatalogSource(
        shelf.log, shelf.store, ranking_v1, folder=folder / "cache", clock=lambda: NOW
    )
    return Crossed(Client(make_app(source)), world, run)


def test_a_slug_of_several_operations_leads_to_each(crossed: Crossed) -> None:
    response = crossed.client.send("GET", "/o/double")

    assert response.status_code == 300
    page = read_page(response.text)
    assert page.faults == []
    page.has("Several operations have this name")
    addresses = {href for href, _ in page.links}
    for operation in (crossed.world.operation, crossed.world.other_operation):
        assert f"/o/{operation.digest}" in addresses
        shown = crossed.client.send("GET", f"/o/{operation.digest}")
        assert shown.status_code == 200
        read_page(shown.text).has(operation.manifest.metadata.title or "")


def test_a_page_by_digest_stays_there(crossed: Crossed) -> None:
    digest = crossed.world.operation.digest

    page = read_page(crossed.client.send("GET", f"/o/{digest}").text)
    prefix = crossed.client.send("GET", f"/o/{digest[7:19]}")

    assert prefix.status_code == 302
    assert prefix.headers["location"] == f"/o/{digest}"
    own = {href for href, _ in page.links if href.startswith("/o/")}
    assert own
    assert all(href.startswith(f"/o/{digest}") for href in own)
    for href in own:
        assert crossed.client.send("GET", href.partition("#")[0]).status_code == 200


def test_a_run_of_two_operations_is_marked_wherever_it_stands(crossed: Crossed) -> None:
    run = crossed.client.send("GET", f"/r/{crossed.run.digest}")
    operation = crossed.client.send("GET", f"/o/{crossed.world.operation.digest}")
    workload = crossed.client.send("GET", f"/w/{crossed.world.workloads[0].digest}")
    other = crossed.client.send("GET", f"/r/{crossed.world.runs[0].digest}")

    read_page(run.text).has("Its implementation is of operation double, its workload of double.")
    for response in (operation, workload):
        assert response.status_code == 200
        read_page(response.text).has(MARK)
    assert MARK not in other.text
