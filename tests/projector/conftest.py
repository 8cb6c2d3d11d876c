"""The pair of engines that answers are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog


@pytest.fixture(scope="session")
def pair(built_catalog: Catalog) -> Iterator[Pair]:
    """Both engines over the small Liger fixture."""
    made = Pair(built_catalog)
    yield made
    made.close()
