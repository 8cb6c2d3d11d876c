"""The application over the small Liger catalogue, as a server on a public address has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from kgraph.catalog import CatalogSource


@pytest.fixture
def app(catalog_source: CatalogSource) -> Starlette:
    """The application at `NOW`, its memory of answers empty."""
    options = WebOptions(refresh_seconds=0)
    return build_app(catalog_source, options=options, clock=lambda: NOW)


@pytest.fixture
def client(app: Starlette) -> Client:
    """A client of `app`."""
    return Client(app)
