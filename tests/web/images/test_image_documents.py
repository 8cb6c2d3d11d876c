"""The documents that images are made of, against the public schema."""

from __future__ import annotations

import pytest
from graphql import build_schema, parse, validate
from page_catalogs import ROOT

from kgraph.web.images.views import DOCUMENTS

NAMES = sorted(path.stem for path in DOCUMENTS.iterdir())
SCHEMA = build_schema((ROOT / "schema.graphql").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_a_document_fits_the_schema(name: str) -> None:
    document = parse((DOCUMENTS / f"{name}.graphql").read_text())

    assert validate(SCHEMA, document) == []
