"""The small world of `world.py`, and an index of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from world import Shelf, World, attestation, listing, retraction, supersession

from kgraph.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def world() -> World:
    """Manifests of a small catalogue."""
    return World()


@pytest.fixture(scope="session")
def world_shelf(world: World, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Two publications: the small catalogue, then what is said about it."""
    shelf = Shelf(tmp_path_factory.mktemp("world"))
    shelf.publish(world.all)
    shelf.publish(
        [
            listing(
                {
                    "subject": world.operation.digest,
                    "slug": "twice",
                    "aliases": ["times-two"],
                    "tags": ["elementwise", "o'clock; DROP TABLE run; --"],
                }
            ),
            retraction(world.runs[3]),
            supersession(world.runs[2], world.runs[1]),
            attestation(world.runs[1]),
        ]
    )
    return shelf


@pytest.fixture(scope="session")
def index(world_shelf: Shelf) -> Iterator[Index]:
    """The index of `world_shelf`."""
    opened = Index(world_shelf.build().path)
    yield opened
    opened.close()
