"""Images over HTTP: validators, memory, headers, and what is said where there is no image."""

from __future__ import annotations

import pytest
from asgi import Client
from image_files import get, read_png_size, read_svg, starter_images
from page_catalogs import COSINE, make_app, starter_source
from page_html import read_page

CHART = f"/chart/ranking/{COSINE}"
PATHS = (f"/badge/o/{COSINE}.svg", f"{CHART}.svg", f"{CHART}.png", f"{CHART}.vl.json")
TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json"}


def snapshot() -> str:
    return starter_source().current().snapshot


@pytest.mark.parametrize("path", PATHS)
def test_an_image_that_the_client_has_is_not_sent_again(path: str) -> None:
    first = get(path)
    again = get(path, headers={"if-none-match": f'"other", {first.headers["etag"]}'})

    assert first.status_code == 200
    assert first.headers["content-type"] == TYPES[path[path.rindex(".") :]]
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["kgraph-snapshot"] == snapshot()
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize("path", PATHS)
def test_a_pinned_image_is_kept_for_good(path: str) -> None:
    pinned = get(path, params={"snapshot": snapshot()})

    assert pinned.status_code == 200
    assert pinned.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_an_image_is_made_once_and_then_kept() -> None:
    app = make_app(starter_source())
    client = Client(app)
    first = client.send("GET", f"{CHART}.svg")
    app.state.painter.close()

    again = client.send("GET", f"{CHART}.svg")

    assert again.content == first.content
    assert app.state.painter.process_id is None


def test_every_parameter_makes_another_image() -> None:
    queries = ("", "?theme=dark", "?width=500", "?height=300", "?width=500&height=300")

    tags = {get(f"{CHART}.png{query}").headers["etag"] for query in (*queries, "?scale=3")}

    assert len(tags) == len(queries) + 1


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("blank", ["%09", "%0D"])
def test_an_image_is_that_of_the_very_name(path: str, blank: str) -> None:
    assert get(path).status_code == 200

    # Where an address is taken apart, such letters are dropped from it.
    assert get(path.replace("loss", f"lo{blank}ss")).status_code == 404


@pytest.mark.parametrize("path", PATHS)
def test_a_host_that_holds_a_path_does_not_put_one_image_in_the_place_of_another(path: str) -> None:
    client = Client(make_app(starter_source()))
    other = path.replace(COSINE, "liger-rms-norm")
    client.send("GET", other, headers={"host": f"kgraph.test{path}?"})
    client.send("GET", other, headers={"host": "kgraph.test?"})

    assert client.send("GET", path).content == get(path).content


def test_what_no_image_depends_on_makes_no_other() -> None:
    assert get(f"{CHART}.svg?v=2").headers["etag"] == get(f"{CHART}.svg").headers["etag"]


def test_texts_are_compressed_and_pixels_are_not() -> None:
    plain = get(f"{CHART}.svg", headers={"accept-encoding": "identity"})
    coded = get(f"{CHART}.svg", headers={"accept-encoding": "gzip"})
    pixels = get(f"{CHART}.png", headers={"accept-encoding": "gzip"})

    assert coded.headers["content-encoding"] == "gzip"
    assert coded.content == plain.content
    assert coded.headers["etag"] != plain.headers["etag"]
    assert "content-encoding" not in pixels.headers


@pytest.mark.parametrize("path", [*PATHS, "/chart/ranking/nothing.svg", "/badge/nothing.svg"])
def test_an_image_may_stand_on_other_sites_and_loads_nothing(path: str) -> None:
    headers = get(path).headers

    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert "x-frame-options" not in headers


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("theme=blue", "theme: found 'blue', expected light or dark"),
        ("width=319", "width: found '319', expected a whole number from 320 to 1600"),
        ("width=1e3", "width: found '1e3', expected a whole number from 320 to 1600"),
        ("height=-1", "height: found '-1', expected a whole number from 240 to 1200"),
        ("width=400.5", "width: found '400.5', expected a whole number from 320 to 1600"),
        ("scale=5", "scale: found '5', expected a number from 1 to 4"),
        (
            "width=1600&height=1200&scale=4",
            "scale: found '4', expected at most 2.04 for 1600 by 1200",
        ),
        (f"run={'x' * 301}", "expected a name of at most 300 letters"),
        ("asOf=never", "asOf: found 'never'"),
    ],
)
@pytest.mark.parametrize("suffix", [".png", ".vl.json"])
def test_a_bad_parameter_is_named_with_what_was_expected(
    query: str, told: str, suffix: str
) -> None:
    response = get(f"{CHART}{suffix}?{query}")

    if "scale" in query and suffix != ".png":
        # Other images have no pixels to count.
        assert response.status_code == 200
        return
    assert response.status_code == 400
    assert response.headers["cache-control"] == "no-store"
    message = response.json()["errors"][0]["message"] if suffix == ".vl.json" else response.text
    assert told in message


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/chart/ranking/cosine.png", "operation: found no 'cosine'"),
        ("/chart/scaling/cosine.svg", f"did you mean {COSINE}?"),
        (f"/chart/history/sha256:{'0' * 64}.svg", "comparison: found no 'sha256:0000"),
        (f"{CHART}.svg?run=sha256:{'0' * 64}", "run: found no 'sha256:0000"),
        (f"{CHART}.svg?run=nothing", "run: found no 'nothing', expected a digest of a run"),
        (f"/chart/scaling/{COSINE}.svg?cohort=nothing", "comparison: found no 'nothing'"),
        (f"/chart/scaling/{COSINE}.svg?axis=rows", "axis: found no 'rows'"),
    ],
)
def test_an_unknown_name_is_named_with_what_was_expected(path: str, told: str) -> None:
    response = get(path)

    assert response.status_code == 404
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert told in response.text
    assert "expected" in response.text


def test_an_unknown_name_of_a_specification_is_an_error_in_json() -> None:
    response = get("/chart/ranking/cosine.vl.json")

    assert response.status_code == 404
    error = response.json()["errors"][0]
    assert error["extensions"]["code"] == "NOT_FOUND"
    assert COSINE in error["message"]


@pytest.mark.parametrize("path", ["/chart/ranking/x.gif", "/chart/pie/x.svg", "/badge/x.png"])
def test_there_are_no_other_kinds(path: str) -> None:
    assert get(path).status_code == 404


def test_an_operation_is_named_by_its_alias_or_digest_too() -> None:
    document = "query Digest($slug: String!) { operation(slug: $slug) { digest } }"
    digest = starter_images().data(document, {"slug": COSINE})["operation"]["digest"]

    assert get(f"/chart/ranking/{digest}.svg").text == get(f"{CHART}.svg").text
    assert get(f"/badge/o/{digest}.svg").text == get(f"/badge/o/{COSINE}.svg").text


@pytest.mark.parametrize("kind", ["operation", "run", "workload"])
def test_a_page_names_a_picture_of_the_size_that_it_says(kind: str) -> None:
    document = """query Fastest($slug: String!) { operation(slug: $slug) { fastest {
      reported { run { digest } } cohort { workload { digest } }
    } } }"""
    fastest = starter_images().data(document, {"slug": COSINE})["operation"]["fastest"]
    path = {
        "operation": f"/o/{COSINE}",
        "run": f"/r/{fastest['reported']['run']['digest']}",
        "workload": f"/w/{fastest['cohort']['workload']['digest']}",
    }[kind]

    page = read_page(get(path).text)
    picture = get(page.meta("og:image").removeprefix("http://kgraph.test"))

    assert picture.status_code == 200
    size = read_png_size(picture.content)
    assert size == (int(page.meta("og:image:width")), int(page.meta("og:image:height")))
    assert size == (1200, 630)
    assert page.meta("og:image:type") == picture.headers["content-type"]
    assert page.meta("og:image:alt").startswith("Ranking. ")
    assert page.meta("twitter:card") == "summary_large_image"


def test_pages_without_a_chart_name_no_picture() -> None:
    page = read_page(get("/records").text)

    assert page.meta("twitter:card") == "summary"
    assert not [tag for tag, named in page.tags if named.get("property") == "og:image"]


def test_the_operation_s_page_offers_its_images() -> None:
    page = read_page(get(f"/o/{COSINE}").text)

    page.has(f"[![fastest: {COSINE}](http://kgraph.test/badge/o/{COSINE}.svg)]")
    charts = [href for href, _ in page.links if href.startswith("/chart/")]
    assert len(charts) == 9
    for href in charts:
        assert get(href).status_code == 200, href
    assert read_svg(get(f"/badge/o/{COSINE}.svg").text).shown[0] == "fastest on A100"
