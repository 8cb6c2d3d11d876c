"""Charts: what is drawn, what is said in words, and that hard names and counts are safe."""

from __future__ import annotations

import json
from typing import Any

import pytest
from image_files import get, get_hostile, read_png_size, read_svg, starter_images
from page_catalogs import ARABIC, COSINE, EMOJI, LONG, MARKUP, hostile

from kgraph.web.images.specs import Look, specify_history, specify_ranking

KINDS = ("history", "ranking", "scaling")
LOOK = Look("light", 640, None, "blake3:0123456789abcdef")


def load_spec(path: str) -> dict[str, Any]:
    response = get(path)
    assert response.status_code == 200, response.text
    spec: dict[str, Any] = response.json()
    return spec


def find_cohorts(count: int) -> list[dict[str, Any]]:
    """Comparisons of the hard cases with so many eligible runs."""
    document = """query Cohorts($where: CohortWhere) {
      cohorts(where: $where, first: 9) { nodes { key } }
    }"""
    where = {"eligibleRunCount": {"eq": count}}
    found = hostile().client.data(document, {"where": where})["cohorts"]["nodes"]
    nodes: list[dict[str, Any]] = found
    return nodes


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_has_a_title_a_description_and_the_theme_s_ground(kind: str, theme: str) -> None:
    chart = read_svg(get(f"/chart/{kind}/{COSINE}.svg", params={"theme": theme}).text)

    assert chart.title.startswith("Chunked distillation cosine loss: ")
    assert "NVIDIA A100" in chart.description
    assert "Liger" in chart.description
    assert any("Reported by its source; not independently reproduced" in one for one in chart.shown)
    assert any("stale" in one for one in chart.shown)
    assert ("#0f1317" in chart.text) == (theme == "dark")
    assert chart.size[0] == 640


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_charts_share_an_id(kind: str) -> None:
    one = read_svg(get(f"/chart/{kind}/{COSINE}.svg").text)
    other = read_svg(get(f"/chart/{kind}/{COSINE}.svg", params={"theme": "dark"}).text)

    assert len(set(one.ids)) == len(one.ids) >= 2
    assert set(one.ids).isdisjoint(other.ids)


def test_a_ranking_has_a_bar_for_each_run_with_its_value_and_spread() -> None:
    spec = load_spec(f"/chart/ranking/{COSINE}.vl.json")
    rows = spec["data"]["values"]

    assert [row["row"] for row in rows] == ["1. Liger", "2. PyTorch eager"]
    assert [row["told"] for row in rows] == ["13.8 ms", "16.5 ms · 1.19× · baseline"]
    assert rows[0]["value"] == 13_828_096
    assert (rows[0]["low"], rows[0]["high"]) == (13_821_133, 13_885_850)
    assert spec["layer"][0]["mark"]["type"] == "bar"
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"][0] == 0
    assert "lines from p20 to p80" in " ".join(spec["title"]["subtitle"])


def test_a_history_is_a_staircase_to_the_edge_with_every_eligible_run() -> None:
    spec = load_spec(f"/chart/history/{COSINE}.vl.json")
    runs, steps, changes = (layer["data"]["values"] for layer in spec["layer"])

    assert spec["layer"][1]["mark"]["interpolate"] == "step-after"
    assert {row["implementation"] for row in runs} == {"Liger", "PyTorch eager"}
    assert [row["value"] for row in changes] == [13_828_096]
    assert steps[-1]["value"] == 13_828_096
    assert steps[-1]["at"] == spec["layer"][0]["encoding"]["x"]["scale"]["domain"][1]


def test_scaling_has_logarithmic_axes_and_the_floor_as_a_dashed_line() -> None:
    spec = load_spec(f"/chart/scaling/{COSINE}.vl.json")
    lines, points = spec["layer"]
    encoding = lines["encoding"]

    assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"
    names = encoding["strokeDash"]["scale"]["domain"]
    assert names == ["Liger", "PyTorch eager", "estimated floor, not evidence"]
    assert encoding["strokeDash"]["scale"]["range"] == [[1, 0], [1, 0], [4, 3]]
    floors = [row for row in lines["data"]["values"] if row["series"] == names[-1]]
    assert [row["place"] for row in floors] == [1024, 2048, 4096, 8192]
    # The floor is a line alone: no run measured it.
    assert {row["series"] for row in points["data"]["values"]} == set(names[:-1])
    fastest = [row for row in lines["data"]["values"] if row["series"] == "Liger"]
    assert all(floor["value"] < row["value"] for floor, row in zip(floors, fastest, strict=True))


def test_scaling_is_that_of_the_page_for_each_comparison() -> None:
    document = """{ operation(slug: "liger-distill-cosine-loss") { workloads(first: 1) {
      nodes { cohorts { key protocol { digest } } } } } }"""
    cohorts = starter_images().data(document)["operation"]["workloads"]["nodes"][0]["cohorts"]
    assert len(cohorts) > 1

    drawn = {
        load_spec(f"/chart/scaling/{COSINE}.vl.json?cohort={one['key']}")["usermeta"]["kgraph"][
            "protocol"
        ]
        for one in cohorts
    }

    assert drawn == {one["protocol"]["digest"] for one in cohorts}


def test_an_axis_is_chosen_by_its_name() -> None:
    spec = load_spec(f"/chart/scaling/{COSINE}.vl.json?axis=tokens")

    assert spec["usermeta"]["kgraph"]["axis"] == "tokens"
    assert get(f"/chart/scaling/{COSINE}.svg?axis=rows").status_code == 404


def test_the_specification_is_the_one_that_is_drawn_and_says_where_it_is_from() -> None:
    key = load_spec(f"/chart/ranking/{COSINE}.vl.json")["usermeta"]["kgraph"]["cohort"]

    spec = load_spec(f"/chart/ranking/{key}.vl.json?theme=dark&width=500&height=300")
    drawn = read_svg(get(f"/chart/ranking/{key}.svg?theme=dark&width=500&height=300").text)

    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert list(drawn.size) == [500, 300]
    padding = spec["padding"]
    assert spec["width"] + padding["left"] + padding["right"] == 500
    assert spec["height"] + padding["top"] + padding["bottom"] == 300
    assert spec["description"] == drawn.description
    assert spec["usermeta"]["kgraph"]["snapshot"].startswith("blake3:")
    for row in spec["data"]["values"]:
        assert row["row"] in drawn.shown
        assert row["told"] in drawn.shown


@pytest.mark.parametrize("kind", KINDS)
def test_altair_reads_and_draws_the_specification(kind: str) -> None:
    altair = pytest.importorskip("altair")
    vl_convert = pytest.importorskip("vl_convert")

    chart = altair.Chart.from_dict(load_spec(f"/chart/{kind}/{COSINE}.vl.json"))

    assert vl_convert.vegalite_to_svg(chart.to_dict(), vl_version="6.4").startswith("<svg")


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("width=600&height=315&scale=2", (1200, 630)),
        ("width=320&height=240&scale=1", (320, 240)),
        ("width=401&height=301&scale=1.5", (601, 451)),
        ("height=360", (1280, 720)),
    ],
)
def test_pixels_are_as_many_as_asked_for(query: str, size: tuple[int, int]) -> None:
    response = get(f"/chart/history/{COSINE}.png?{query}")

    width, height = read_png_size(response.content)

    assert response.headers["content-type"] == "image/png"
    assert abs(width - size[0]) <= 1
    assert abs(height - size[1]) <= 1


@pytest.mark.parametrize(
    "title", [MARKUP, ARABIC, EMOJI, LONG], ids=["markup", "arabic", "emoji", "long"]
)
def test_a_marked_run_is_shown_behind_those_before_it(title: str) -> None:
    run = hostile().names[title]

    response = get_hostile("/chart/ranking/double.svg", params={"run": run, "height": 315})
    spec = get_hostile("/chart/ranking/double.vl.json", params={"run": run, "height": 315}).json()

    marked = spec["data"]["values"][-1]
    assert marked["run"] == run
    assert marked["role"] == "this run"
    assert "this run" in marked["told"]
    assert marked["row"] in read_svg(response.text).shown
    assert "<script" not in response.text
    assert get_hostile(f"/chart/ranking/double.png?run={run}").status_code == 200


def test_a_run_that_is_not_ranked_is_said_to_be_none() -> None:
    run = hostile().names["retracted"]
    (key,) = (one["key"] for one in find_cohorts(1))

    spec = get_hostile(f"/chart/ranking/{key}.vl.json?run={run}").json()

    assert "this run is not ranked" in " ".join(spec["title"]["subtitle"])
    assert "retracted" in spec["description"]
    assert [row["role"] for row in spec["data"]["values"]] == ["first"]


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (1, 1), (260, 25)])
def test_no_run_one_run_and_hundreds_are_drawn(count: int, shown: int) -> None:
    cohorts = find_cohorts(count)
    assert cohorts

    for cohort in cohorts:
        for kind in ("ranking", "history"):
            chart = read_svg(get_hostile(f"/chart/{kind}/{cohort['key']}.svg").text)
            counted = f"{count} eligible run{'' if count == 1 else 's'}"
            assert any(counted in one for one in chart.shown)
        spec = get_hostile(f"/chart/ranking/{cohort['key']}.vl.json").json()
        assert len(spec.get("data", {"values": []})["values"]) == shown
    assert ("No record stands in this comparison." in chart.shown) == (count == 0)


def test_runs_that_are_not_eligible_are_counted_and_not_drawn() -> None:
    (key,) = (one["key"] for one in find_cohorts(1))

    spec = get_hostile(f"/chart/history/{key}.vl.json").json()

    drawn = {
        row["run"] for layer in spec["layer"] for row in layer["data"]["values"] if "run" in row
    }
    assert drawn == {hostile().names["alone"]}
    assert "1 eligible run of 2" in " ".join(spec["title"]["subtitle"])


def make_cohort(**changes: object) -> dict[str, Any]:
    return {
        "key": "sha256:00",
        "metric": {"name": "latency", "statistic": "median", "unit": "ns"},
        "runCount": 2,
        "eligibleRunCount": 2,
        "operation": {"title": "sum", "digest": "sha256:01"},
        "workload": {"label": "rows = 1"},
        "protocol": {"title": "protocol"},
        "hardware": {"vendor": "amd", "product": "AMD X", "formFactor": None, "count": 4},
        "record": None,
        **changes,
    }


def make_entry(title: str, value: float, rank: int, **changes: object) -> dict[str, Any]:
    return {
        "rank": rank,
        "tied": False,
        "value": value,
        "unit": "ns",
        "display": f"{value} ns",
        "ratioToLeader": 1.0 + rank,
        "isBaseline": False,
        "stale": False,
        "evidence": {"level": "REPORTED"},
        "run": {
            "digest": f"sha256:{rank:064}",
            "observedAt": "2026-01-02T03:04:05Z",
            "implementation": {"title": title, "language": "cuda"},
            "measurements": [],
        },
        **changes,
    }


def rank(*entries: dict[str, Any], look: Look = LOOK) -> dict[str, Any]:
    ranking = {"totalCount": len(entries), "nodes": list(entries)}
    spec: dict[str, Any] = specify_ranking({"cohort": make_cohort(ranking=ranking)}, look).spec
    return spec


def test_values_far_apart_are_points_on_a_logarithmic_axis() -> None:
    spec = rank(make_entry("a", 10, 1), make_entry("b", 1_000_000, 2))

    assert spec["layer"][0]["mark"]["type"] == "point"
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


def test_rows_that_are_cut_to_the_same_name_stay_two_rows() -> None:
    entries = [make_entry(LONG, 10 + place, 1, tied=True) for place in range(3)]

    rows = [row["row"] for row in rank(*entries)["data"]["values"]]

    assert len(set(rows)) == 3
    assert all(row.startswith("1=. xxx") for row in rows)


def test_levels_that_differ_stand_beside_each_bar() -> None:
    spec = rank(
        make_entry("a", 10, 1, evidence={"level": "VERIFIED"}), make_entry("b", 20, 2, stale=True)
    )

    told = [row["told"] for row in spec["data"]["values"]]
    assert told == ["10 ns · verified", "20 ns · 3.00× · reported"]
    assert "Evidence: 1 reported, 1 verified · 1 stale" in " ".join(spec["title"]["subtitle"])


def test_the_ratio_gives_way_to_words_where_there_is_no_room() -> None:
    entry = make_entry("b", 12_345_678, 2, isBaseline=True)

    wide = rank(entry)["data"]["values"][0]["told"]
    narrow = rank(entry, look=Look("light", 320, None, "blake3:00"))["data"]["values"][0]["told"]

    assert wide == "12345678 ns · 3.00× · baseline"
    assert narrow.endswith("…") or "3.00×" not in narrow


def event(day: int, value: float | None, cause: str = "NEW_RUN") -> dict[str, Any]:
    run = None if value is None else {"digest": "sha256:02", "implementation": {"title": "kernel"}}
    at = f"2026-01-{day:02}T00:00:00Z"
    return {"at": at, "cause": cause, "value": value, "improvementPercent": None, "run": run}


def test_a_correction_that_leaves_no_record_ends_the_line() -> None:
    events = [event(1, 50.0), event(3, 40.0), event(5, None, "RETRACTION"), event(9, 45.0)]
    cohort = make_cohort(
        ranking={"totalCount": 0, "nodes": []}, history={"totalCount": 4, "nodes": events}
    )

    spec = specify_history({"cohort": cohort}, LOOK).spec

    steps = spec["layer"][1]["data"]["values"]
    assert [(row["stretch"], row["value"]) for row in steps] == [
        (0, 50.0),
        (0, 40.0),
        (0, 40.0),
        (1, 45.0),
        (1, 45.0),
    ]
    assert steps[2]["at"] == "2026-01-05T00:00:00Z"
    assert [row["cause"] for row in spec["layer"][2]["data"]["values"]] == ["new run"] * 3
    assert "crosses: after a correction" in " ".join(spec["title"]["subtitle"])


def test_text_of_a_catalogue_is_never_an_expression() -> None:
    unit = "'] + alert(1) + ['"
    entries = [make_entry("datum.value", 10 + place, place + 1, unit=unit) for place in range(2)]
    cohort = make_cohort(
        metric={"name": "score", "statistic": None, "unit": unit},
        ranking={"totalCount": 2, "nodes": entries},
    )

    spec = specify_ranking({"cohort": cohort}, LOOK).spec

    told = spec["layer"][0]["encoding"]["x"]["axis"]["labelExpr"]
    labels, _, rest = told.partition("[indexof(")
    assert unit in json.loads(labels)[1]
    assert "alert" not in rest
