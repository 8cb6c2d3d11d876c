"""Pages of the public catalogue, whose largest lists are hundreds of rows long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import Client
from page_catalogs import make_app
from page_html import read_page

if TYPE_CHECKING:
    from kgraph.catalog import CatalogSource


@pytest.fixture(scope="module")
def public(public_source: CatalogSource) -> Client:
    return Client(make_app(public_source))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        # A ranking of 260, one of 98 beside 18 workloads, 48 workloads, 43 places on an axis.
        "/o/gpumode-amd-moe-mxfp4",
        "/o/gpumode-amd-fp8-mm",
        "/o/gqa-paged-decode-h32-kv4-d128-ps1",
        "/o/gemm-n4096-k4096",
        "/records",
        "/hardware/nvidia-b200",
        "/search?q=gemm",
    ],
)
def test_the_largest_pages_are_sound_and_light(public: Client, path: str) -> None:
    response = public.send("GET", path)

    assert response.status_code == 200
    assert len(response.content) < 100_000
    assert read_page(response.text).faults == []


def test_runs_that_failed_are_listed_with_their_reasons(public: Client) -> None:
    page = read_page(public.send("GET", "/o/gemm-n4096-k4096").text)

    page.has("52 eligible runs of 86", "Not ranked", "runtime error, no primary value")
