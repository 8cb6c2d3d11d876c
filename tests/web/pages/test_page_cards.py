"""What other sites are told of a page: oEmbed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import BASE_URL
from page_catalogs import COSINE, hostile, starter
from page_html import read_page

if TYPE_CHECKING:
    import httpx


def ask(url: str, **parameters: str) -> httpx.Response:
    return starter().send("GET", "/oembed", params={"url": url, **parameters})


def read_size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG, which stand behind its signature."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


@pytest.mark.parametrize(
    ("most", "size"), [("640", (640, 336)), ("1200", (1200, 630)), ("319", None)]
)
def test_a_thumbnail_fits_the_width_that_there_is(most: str, size: tuple[int, int] | None) -> None:
    card = ask(f"{BASE_URL}/o/{COSINE}", maxwidth=most).json()

    if size is None:
        assert not any(name.startswith("thumbnail") for name in card)
        return
    assert (card["thumbnail_width"], card["thumbnail_height"]) == size
    assert read_size(starter().send("GET", card["thumbnail_url"]).content) == size


def test_a_page_leads_to_its_card() -> None:
    page = read_page(starter().send("GET", f"/o/{COSINE}").text)

    response = starter().send("GET", page.link("alternate", "application/json+oembed"))

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["access-control-allow-origin"] == "*"
    card = response.json()
    picture = starter().send("GET", card.pop("thumbnail_url"))
    assert picture.headers["content-type"] == "image/png"
    assert {name: card[name] for name in card if name != "html"} == {
        "version": "1.0",
        "type": "rich",
        "title": "Chunked distillation cosine loss",
        "provider_name": "kgraph",
        "provider_url": f"{BASE_URL}/",
        "author_name": "Liger-Kernel benchmarks",
        "cache_age": 3600,
        "width": 640,
        "height": 220,
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
    }
    assert read_size(picture.content) == (1200, 630)
    shown = read_page(card["html"])
    assert shown.faults == []
    shown.has(
        "Fastest reported: 13.8 ms · Liger (triton) · NVIDIA A100",
        "16 eligible runs. Liger-Kernel benchmarks, BSD-2-Clause.",
    )
    assert shown.links == [(f"{BASE_URL}/o/{COSINE}", "Chunked distillation cosine loss")]


def test_a_run_has_a_card() -> None:
    run = starter().data("{ runs(first: 1) { nodes { digest shortId } } }")["runs"]["nodes"][0]

    card = ask(f"{BASE_URL}/r/{run['shortId']}", maxwidth="300").json()

    assert card["width"] == 300
    shown = read_page(card["html"])
    assert shown.links[0][0] == f"{BASE_URL}/r/{run['digest']}"
    shown.has("rank ", "Observed ", "Liger-Kernel benchmarks, BSD-2-Clause.")


def test_a_failed_run_says_how_it_ended() -> None:
    url = f"{BASE_URL}/r/{hostile().names['failed']}"

    response = hostile().client.send("GET", "/oembed", params={"url": url})

    read_page(response.json()["html"]).has("compile error")


def test_markup_in_names_stays_text_in_a_card() -> None:
    response = hostile().client.send("GET", "/oembed", params={"url": f"{BASE_URL}/o/double"})

    shown = read_page(response.json()["html"])
    assert {tag for tag, _ in shown.tags} == {"blockquote", "p", "a", "strong"}
    shown.has("<script>alert(1)</script>")


def test_an_unchanged_card_is_not_sent_again() -> None:
    first = ask(f"{BASE_URL}/o/{COSINE}")

    again = starter().send(
        "GET",
        "/oembed",
        params={"url": f"{BASE_URL}/o/{COSINE}"},
        headers={"if-none-match": first.headers["etag"]},
    )

    assert (again.status_code, again.content) == (304, b"")


def test_what_has_no_card_is_refused() -> None:
    assert ask("").status_code == 404
    assert ask("https://elsewhere.example/o/double").status_code == 404
    assert ask(f"{BASE_URL}/records").status_code == 404
    assert ask(f"{BASE_URL}/o/no-such-operation").status_code == 404
    assert ask(f"{BASE_URL}/r/zz").status_code == 404
    assert ask("http://[").status_code == 404
    assert ask(f"{BASE_URL}/o/{COSINE}", format="xml").status_code == 501


@pytest.mark.parametrize("width", ["9" * 5_000, "٣٠٠", "-1", "3e2", ""], ids=lambda text: text[:3])
def test_a_width_that_is_none_of_a_screen_leaves_the_usual_one(width: str) -> None:
    url = f"{BASE_URL}/o/{COSINE}"

    card = ask(url, maxwidth=width)

    assert card.status_code == 200
    assert card.json()["width"] == ask(url).json()["width"]
