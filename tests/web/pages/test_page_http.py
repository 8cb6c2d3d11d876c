"""Pages over HTTP: validators, encodings, headers, and addresses that lead nowhere."""

from __future__ import annotations

import gc
import gzip
import json
from typing import TYPE_CHECKING

import pytest
from asgi import BASE_URL, Client
from page_catalogs import COSINE, NOW, TWINS, hostile, starter
from page_html import read_page

from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    import httpx

    from kgraph.catalog import CatalogSource

PATH = f"/o/{COSINE}"
FORGED = "sha256:" + "0" * 64


def get(path: str, **headers: str) -> httpx.Response:
    return starter().send("GET", path, headers=headers)


def test_an_unchanged_page_is_not_sent_again() -> None:
    first = get(PATH, **{"accept-encoding": "identity"})
    etag = first.headers["etag"]

    again = get(PATH, **{"if-none-match": f'"other", W/{etag}'})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == etag
    assert again.headers["cache-control"] == first.headers["cache-control"] == "no-cache"
    assert get(PATH, **{"if-none-match": '"other"'}).status_code == 200


def test_pages_differ_in_their_validators() -> None:
    tags = {
        get(path, **{"accept-encoding": "identity"}).headers["etag"]
        for path in (PATH, f"{PATH}?format=json", "/records", "/records?family=jsd", "/")
    }

    assert len(tags) == 5


@pytest.mark.parametrize("blank", ["%09", "%0D"])
def test_a_page_is_that_of_the_very_name(blank: str) -> None:
    assert starter().send("GET", f"/o/{COSINE}").status_code == 200

    # Where an address is taken apart, such letters are dropped from it.
    other = starter().send("GET", f"/o/{COSINE.replace('cosine', f'cos{blank}ine')}")

    assert other.status_code == 404


def test_what_pages_do_not_read_makes_no_other_page() -> None:
    plain = get(PATH, **{"accept-encoding": "identity"})
    tracked = get(f"{PATH}?utm_source=somewhere", **{"accept-encoding": "identity"})

    assert tracked.headers["etag"] == plain.headers["etag"]
    assert tracked.content == plain.content


def test_a_page_is_compressed_for_those_who_take_it() -> None:
    plain = get(PATH, **{"accept-encoding": "identity"})
    zipped = get(PATH, **{"accept-encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.headers["etag"] != plain.headers["etag"]
    assert zipped.text == plain.text
    assert len(gzip.compress(plain.content)) < len(plain.content) / 3
    assert zipped.headers["vary"] == "Accept-Encoding"


def test_the_same_page_is_the_same_bytes_in_another_process(catalog_source: CatalogSource) -> None:
    def ask() -> httpx.Response:
        app = build_app(catalog_source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW)
        return Client(app).send("GET", "/records")

    first, second = ask(), ask()

    assert first.content == second.content
    assert first.headers["etag"] == second.headers["etag"]


def test_no_page_may_run_a_script_or_load_from_elsewhere() -> None:
    for path in (PATH, "/", "/o/nobody", "/r/zz"):
        headers = get(path).headers
        policy = dict(
            part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
        )
        assert policy == {
            "default-src": "'none'",
            "style-src": "'self'",
            "img-src": "'self'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"


def test_files_are_kept_for_good_under_the_name_of_their_content() -> None:
    page = read_page(get(PATH).text)
    address = page.link("stylesheet")

    sheet = get(address)

    assert sheet.status_code == 200
    assert sheet.headers["content-type"] == "text/css; charset=utf-8"
    assert sheet.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert get(page.link("icon", "image/svg+xml")).headers["content-type"] == "image/svg+xml"
    version = address.split("/")[2]
    assert get(address.replace(version, "0" * 16)).status_code == 404
    assert get(f"/pages/{version}/routes.py").status_code == 404


def test_the_head_says_what_the_page_is() -> None:
    page = read_page(get(PATH).text)

    assert page.link("canonical") == f"{BASE_URL}{PATH}"
    assert page.meta("og:url") == f"{BASE_URL}{PATH}"
    assert page.meta("og:title") == "Chunked distillation cosine loss"
    assert page.meta("og:description").startswith(
        "Fastest reported on NVIDIA A100: 13.8 ms, Liger. 16 eligible runs."
    )
    assert page.meta("twitter:card") == "summary_large_image"
    assert page.meta("og:image").startswith(f"{BASE_URL}/chart/ranking/sha256:")


def test_a_page_is_a_data_set_to_search_engines() -> None:
    text = get(PATH).text
    start = text.index('<script type="application/ld+json">')
    told = json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])

    assert told["@type"] == "Dataset"
    assert told["name"] == "Chunked distillation cosine loss"
    assert told["url"] == f"{BASE_URL}{PATH}"
    assert told["license"] == ["BSD-2-Clause"]
    assert told["identifier"].startswith("sha256:3afad1b6dfc5")
    assert told["creator"][0]["name"] == "Liger-Kernel benchmarks"
    assert told["variableMeasured"] == [
        {"@type": "PropertyValue", "name": "median latency", "unitText": "ns"}
    ]
    assert 50 <= len(told["description"]) <= 5000
    [download] = told["distribution"]
    assert get(download["contentUrl"]).json()["data"]["operation"]["slug"] == COSINE


def test_behind_a_proxy_links_keep_its_path(catalog_source: CatalogSource) -> None:
    options = WebOptions(refresh_seconds=0, public_url="https://bench.example/kgraph")
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    page = read_page(client.send("GET", "/records").text)

    assert page.link("canonical") == "https://bench.example/kgraph/records"
    assert page.link("stylesheet").startswith("/kgraph/pages/")
    inner = [href for href, _ in page.links if href.startswith("/")]
    assert inner
    assert all(href.startswith("/kgraph/") for href in inner)


def test_without_a_playground_no_page_leads_to_it(catalog_source: CatalogSource) -> None:
    options = WebOptions(has_playground=False, refresh_seconds=0)
    client = Client(build_app(catalog_source, options=options, clock=lambda: NOW))

    for path in ("/", "/records"):
        assert "playground" not in client.send("GET", path).text


def test_a_pinned_page_says_so_and_stays_pinned() -> None:
    snapshot = get("/readyz").json()["snapshot"]

    response = get(f"{PATH}?snapshot={snapshot}")

    page = read_page(response.text)
    page.has(f"The catalogue as of snapshot {snapshot[:19]}.")
    inner = [href for href, _ in page.links if href.startswith(("/o/", "/r/", "/w/"))]
    assert inner
    assert all(f"snapshot={snapshot}" in href for href in inner)
    assert get(f"{PATH}?snapshot=blake3:{'0' * 64}").status_code == 400


@pytest.mark.parametrize(
    ("path", "kind", "hint"),
    [
        ("/o/liger-distil-cosine-loss", "operation", "Chunked distillation cosine loss"),
        ("/o/cosine", "operation", "Chunked distillation cosine loss"),
        ("/o/a/b%2Fc", "operation", "Search for it"),
        (f"{PATH}?cohort={FORGED}", "comparison", "Chunked distillation cosine loss"),
        (f"{PATH}?cohort=sha256:12", "comparison", "Chunked distillation cosine loss"),
        ("/hardware/nvidia-h1000", "hardware", "NVIDIA H100"),
        ("/hardware/abacus/" + "x" * 300, "hardware", "Search for it"),
        ("/r/nonsense", "run", "8 or more of its hex digits"),
        (f"/r/{FORGED}", "run", "Search for it"),
        ("/w/12", "workload", "8 or more of its hex digits"),
        (f"/w/{FORGED}", "workload", "Search for it"),
    ],
)
def test_an_unknown_name_is_met_with_help(path: str, kind: str, hint: str) -> None:
    response = get(path)

    assert response.status_code == 404
    assert response.headers["cache-control"] == "no-store"
    page = read_page(response.text)
    assert page.faults == []
    page.has(f"No such {kind}", hint)
    assert page.meta("robots") == "noindex"


def test_a_comparison_of_another_operation_is_not_shown_here() -> None:
    keys = starter().data(
        '{ cohorts(where: { operation: { eq: "liger-jsd" } }, first: 1) { nodes { key } } }'
    )

    response = get(f"{PATH}?cohort={keys['cohorts']['nodes'][0]['key']}")

    assert response.status_code == 404


def test_a_digest_in_place_of_a_slug_leads_to_the_slug() -> None:
    digest = get(f"{PATH}?format=json").json()["data"]["operation"]["digest"]

    response = get(f"/o/{digest}?cohort=")

    assert response.status_code == 302
    assert response.headers["location"].startswith(PATH)


def test_a_prefix_of_several_digests_lists_them() -> None:
    one, other = (hostile().names[f"twin {place}"] for place in range(len(TWINS)))
    prefix = one.partition(":")[2][:8]
    assert other.partition(":")[2].startswith(prefix)

    response = hostile().client.send("GET", f"/r/{prefix}")

    assert response.status_code == 300
    page = read_page(response.text)
    assert page.faults == []
    addresses = {href for href, _ in page.links}
    assert {f"/r/{one}", f"/r/{other}"} <= addresses


def test_a_cursor_that_is_none_leads_back_to_the_first_page() -> None:
    response = get("/records?after=gone")
    gc.collect()

    assert response.status_code == 400
    page = read_page(response.text)
    page.has("This page is not there any more")
    assert page.address("Start this page from the beginning") == "/records"
