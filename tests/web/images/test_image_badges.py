"""Badges: what they say, of which run, and what they say where there is none."""

from __future__ import annotations

import pytest
from image_files import get, get_hostile, read_svg, starter_images
from page_catalogs import ARABIC, COSINE, EMOJI, LONG, MARKUP, hostile

from kgraph.web.images.badge import Badge, show_leader
from kgraph.web.images.text import measure_text

FASTEST = """query Fastest($slug: String!) {
  operation(slug: $slug) { fastest { cohort { key hardware { product } } reported { display } } }
}"""


def find_key(slug: str) -> str:
    fastest = starter_images().data(FASTEST, {"slug": slug})["operation"]["fastest"]
    return str(fastest["cohort"]["key"])


def test_a_badge_says_who_is_fastest_where_and_how_well_it_is_supported() -> None:
    response = get(f"/badge/{find_key(COSINE)}.svg")
    badge = read_svg(response.text)

    assert response.status_code == 200
    assert response.headers["content-type"] == "image/svg+xml"
    assert badge.shown == ["fastest on A100", "13.8 ms · Liger · stale"]
    assert badge.size[1] == 20
    for told in (
        "Fastest on A100: 13.8 ms, Liger (triton).",
        "Chunked distillation cosine loss",
        "vocab = 128256 · hidden = 4096 · tokens = 1024 · bf16",
        "Liger-Kernel benchmark scripts · forward pass",
        "Evidence: reported. Reported by its source; not independently reproduced.",
        "observed 2025-06-27, stale",
        "best of 2 eligible runs of 2",
    ):
        assert told in badge.title


def test_an_operation_s_badge_is_that_of_its_headline_comparison() -> None:
    by_key = get(f"/badge/{find_key(COSINE)}.svg")
    by_slug = get(f"/badge/o/{COSINE}.svg")

    assert by_slug.text == by_key.text


@pytest.mark.parametrize("device", ["nvidia-a100", "a100", "NVIDIA A100"])
def test_a_device_is_named_by_its_slug_or_product(device: str) -> None:
    badge = get(f"/badge/o/{COSINE}.svg", params={"hardware": device})

    assert badge.text == get(f"/badge/o/{COSINE}.svg").text


def test_on_its_own_device_every_headline_is_what_the_api_calls_fastest() -> None:
    document = """{ operations(first: 200) {
      nodes { slug fastest { cohort { key hardware { product } } } }
    } }"""
    operations = starter_images().data(document)["operations"]["nodes"]
    headlines = {one["slug"]: one["fastest"]["cohort"] for one in operations if one["fastest"]}
    assert len(headlines) > 20

    for slug, cohort in headlines.items():
        own = get(f"/badge/o/{slug}.svg", params={"hardware": cohort["hardware"]["product"]})
        assert own.text == get(f"/badge/{cohort['key']}.svg").text, slug


def test_an_operation_that_a_device_has_no_run_of_says_so() -> None:
    response = get(f"/badge/o/{COSINE}.svg", params={"hardware": "b200"})
    badge = read_svg(response.text)

    assert response.status_code == 200
    assert badge.shown == ["fastest on NVIDIA B200", "no eligible run"]
    assert badge.title.startswith(
        "No eligible run of Chunked distillation cosine loss on NVIDIA B200."
    )


def test_a_comparison_without_an_eligible_run_says_so() -> None:
    document = "{ cohorts(where: {eligibleRunCount: {eq: 0}}, first: 1) { nodes { key } } }"
    key = hostile().client.data(document)["cohorts"]["nodes"][0]["key"]

    badge = read_svg(get_hostile(f"/badge/{key}.svg").text)

    assert badge.shown == ["fastest on A100", "no eligible run"]
    assert "1 recorded" in badge.title
    assert read_svg(get_hostile("/badge/o/bare.svg").text).shown == ["fastest", "no eligible run"]


@pytest.mark.parametrize(
    ("path", "status", "message", "told"),
    [
        ("/badge/nothing.svg", 404, "no such comparison", "found no 'nothing', expected sha256:"),
        (f"/badge/sha256:{'0' * 64}.svg", 404, "no such comparison", "64 hex digits"),
        ("/badge/o/cosine.svg", 404, "no such operation", f"did you mean {COSINE}?"),
        (f"/badge/o/{COSINE}.svg?hardware=b20", 404, "no such hardware", "NVIDIA B200"),
        (f"/badge/o/{COSINE}.svg?hardware={'x' * 301}", 400, "bad request", "at most 300 letters"),
        (f"/badge/o/{COSINE}.svg?snapshot=blake3:{'0' * 64}", 400, "bad request", "snapshot"),
    ],
)
def test_what_cannot_be_shown_is_a_badge_all_the_same(
    path: str, status: int, message: str, told: str
) -> None:
    response = get(path)
    badge = read_svg(response.text)

    assert response.status_code == status
    assert response.headers["content-type"] == "image/svg+xml"
    assert response.headers["cache-control"] == "no-store"
    assert badge.shown == ["kgraph", message]
    assert told in badge.title


def make_cohort(title: str, *, level: str = "REPORTED", stale: bool = False) -> dict[str, object]:
    leader = {
        "display": "1.0 ms",
        "stale": stale,
        "evidence": {"level": level},
        "run": {
            "observedAt": "2026-01-02T03:04:05Z",
            "source": {"name": "bench"},
            "implementation": {"title": title, "language": "cuda"},
        },
    }
    return {
        "metric": {"name": "latency", "statistic": "median", "unit": "ns"},
        "runCount": 3,
        "eligibleRunCount": 2,
        "operation": {"title": MARKUP},
        "workload": {"label": ARABIC},
        "protocol": {"title": None},
        "hardware": {"vendor": "nvidia", "product": "NVIDIA H100", "count": 8},
        "record": leader,
    }


@pytest.mark.parametrize("title", [MARKUP, ARABIC, EMOJI, LONG, "", "\x00\u202e\n tab"])
def test_any_name_is_safe_and_fits(title: str) -> None:
    cohort = make_cohort(title)
    badge = show_leader(cohort, cohort["record"], "blake3:0123456789")  # type: ignore[arg-type]  # as the API gives it

    drawn = read_svg(badge.write())

    label, message = drawn.shown
    assert label == "fastest on 8 × H100"
    assert message.startswith("1.0 ms · ")
    assert measure_text(message, 11) + measure_text(label, 11) < drawn.size[0] - 20
    assert drawn.size[0] < 480
    assert "<script" not in drawn.text


def test_words_say_what_colours_do() -> None:
    fresh, stale = make_cohort("kernel"), make_cohort("kernel", stale=True)

    one = show_leader(fresh, fresh["record"], "blake3:01")  # type: ignore[arg-type]  # as the API gives it
    other = show_leader(stale, stale["record"], "blake3:01")  # type: ignore[arg-type]  # as the API gives it

    assert one.color != other.color
    assert one.message == "1.0 ms · kernel"
    assert other.message == "1.0 ms · kernel · stale"


def test_two_badges_on_one_page_share_no_id() -> None:
    one = read_svg(Badge("a", "b", "#000", "first").write())
    other = read_svg(Badge("a", "b", "#000", "second").write())

    assert set(one.ids).isdisjoint(other.ids)
    assert len(one.ids) == 2
