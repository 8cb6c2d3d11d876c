"""The documents that pages are made of, against the public schema."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from graphql import build_schema, parse, validate
from page_catalogs import COSINE, ROOT, starter
from page_html import read_page

from kgraph.web.pages.ask import DOCUMENTS

NAMES = sorted(path.stem for path in DOCUMENTS.iterdir())
SCHEMA = build_schema((ROOT / "schema.graphql").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_a_document_fits_the_schema(name: str) -> None:
    document = parse((DOCUMENTS / f"{name}.graphql").read_text())

    assert validate(SCHEMA, document) == []


@pytest.mark.parametrize(
    "path",
    ["/", f"/o/{COSINE}", "/records?family=jsd", "/hardware/nvidia-b200", "/search?q=jsd"],
)
def test_a_page_links_to_the_query_that_made_it(path: str) -> None:
    page = read_page(starter().send("GET", path).text)
    asked = parse_qs(urlsplit(page.address("the query that made it")).query)

    answer = starter().send(
        "GET",
        "/graphql",
        params={"query": asked["query"][0], "variables": asked["variables"][0]},
        headers={"accept": "application/json"},
    )

    same = starter().send("GET", page.address("This page as JSON"))
    assert answer.status_code == same.status_code == 200
    assert same.headers["content-type"] == "application/json"
    assert same.json()["data"] == answer.json()["data"]
    assert same.json()["extensions"]["snapshot"] == answer.json()["extensions"]["snapshot"]
    assert page.link("alternate", "application/json") == page.address("This page as JSON")
