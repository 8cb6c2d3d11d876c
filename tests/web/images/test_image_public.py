"""Images of the public catalogue: every operation of it can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import Client
from image_files import read_png_size, read_svg
from page_catalogs import make_app

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource


@pytest.fixture(scope="module")
def public(public_source: CatalogSource) -> Client:
    return Client(make_app(public_source))


@pytest.mark.parametrize(
    "slug",
    [
        # A ranking of 260, one of 98 with its spread, one run alone, 43 places on an axis.
        "gpumode-amd-moe-mxfp4",
        "gpumode-amd-fp8-mm",
        "gqa-paged-decode-h32-kv4-d128-ps1",
        "gemm-n4096-k4096",
    ],
)
def test_the_largest_and_the_smallest_are_drawn(public: Client, slug: str) -> None:
    for kind in ("ranking", "history", "scaling"):
        drawn = public.send("GET", f"/chart/{kind}/{slug}.svg")
        assert drawn.status_code == 200, drawn.text
        assert len(drawn.content) < 120_000
        assert read_svg(drawn.text).shown
        pixels = public.send("GET", f"/chart/{kind}/{slug}.png?width=600&height=315&scale=2")
        assert read_png_size(pixels.content) == (1200, 630)
        assert len(pixels.content) < 200_000


def test_every_operation_has_a_badge(public: Client) -> None:
    document = "{ operations(first: 200) { nodes { slug } } }"
    slugs = [one["slug"] for one in public.data(document)["operations"]["nodes"]]

    badges = [read_svg(public.send("GET", f"/badge/o/{slug}.svg").text) for slug in slugs]

    assert len(badges) > 50
    assert all(badge.size[0] < 480 for badge in badges)
