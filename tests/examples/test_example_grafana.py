"""The Grafana dashboard, asked as Infinity asks, over the starter catalogue."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest
from graphql import build_schema, parse, validate
from graphql.language import OperationDefinitionNode
from infinity import Frame, Option, Viewer, make_frame, select_root
from ruamel.yaml import YAML

from kgraph.client import Client, RankedRow

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "grafana"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboards/kgraph.json").read_text("utf-8"))
VARIABLES: list[dict[str, Any]] = DASHBOARD["templating"]["list"]
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
ASKING = [variable for variable in VARIABLES if variable["type"] == "query"]
QUERIES: dict[str, dict[str, Any]] = {
    **{each["name"]: each["query"]["infinityQuery"] for each in ASKING},
    **{panel["title"]: target for panel in PANELS for target in panel["targets"]},
}


def panel_named(start: str) -> dict[str, Any]:
    (found,) = [panel for panel in PANELS if panel["title"].startswith(start)]
    return found


def target_of(start: str) -> dict[str, Any]:
    (target,) = panel_named(start)["targets"]
    found: dict[str, Any] = target
    return found


def rows_of(frame: Frame) -> list[dict[str, Any]]:
    return [dict(zip(frame, values, strict=True)) for values in zip(*frame.values(), strict=True)]


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def viewer(server: str, http: httpx.Client) -> Viewer:
    """Somebody who has just opened the dashboard."""
    viewer = Viewer(server, http)
    viewer.choose(VARIABLES)
    return viewer


@pytest.fixture(scope="module")
def kgraph(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


def ranking_of(kgraph: Client, viewer: Viewer) -> list[RankedRow]:
    return list(kgraph.ranking(viewer.chosen["cohort"].value))


@pytest.mark.parametrize("name", QUERIES)
def test_every_document_fits_the_schema(name: str) -> None:
    schema = build_schema((ROOT / "schema.graphql").read_text("utf-8"))

    document = parse(QUERIES[name]["url_options"]["body_graphql_query"])

    assert validate(schema, document) == []


@pytest.mark.parametrize("name", QUERIES)
def test_no_variable_of_a_document_is_taken_for_one_of_the_dashboard(name: str) -> None:
    # Grafana puts values in place of every `$name` that it knows, in GraphQL too.
    document = parse(QUERIES[name]["url_options"]["body_graphql_query"])
    (operation,) = document.definitions
    assert isinstance(operation, OperationDefinitionNode)
    used = {each.variable.name.value for each in operation.variable_definitions or ()}

    assert used & {variable["name"] for variable in VARIABLES} == set()


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_goes_to_the_provisioned_source(name: str) -> None:
    yaml = YAML(typ="safe")
    (source,) = yaml.load(FOLDER / "provisioning/datasources/kgraph.yaml")["datasources"]

    assert QUERIES[name]["datasource"] == {"type": source["type"], "uid": source["uid"]}
    assert source["url"] == "$KGRAPH_URL"
    # A relative address is put behind that of the source.
    assert QUERIES[name]["url"] == "/graphql"


def test_the_dashboard_is_provisioned_from_where_it_is_mounted() -> None:
    (provider,) = YAML(typ="safe").load(FOLDER / "provisioning/dashboards/kgraph.yaml")["providers"]

    assert provider["type"] == "file"
    assert f":{provider['options']['path']}" in (FOLDER / "README.md").read_text("utf-8")


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable["name"])
def test_the_dashboard_opens_on_something_that_is_there(
    viewer: Viewer, variable: dict[str, Any]
) -> None:
    current = Option(variable["current"]["text"], variable["current"]["value"])

    assert current in viewer.options(variable)
    assert viewer.chosen[variable["name"]] == current


def test_the_request_is_the_one_that_the_plugin_documents(viewer: Viewer, server: str) -> None:
    request = viewer.make_request(target_of("Ranking"))

    assert request.method == "POST"
    assert str(request.url) == f"{server}/graphql?snapshot="
    assert request.headers["content-type"] == "application/json"
    body = json.loads(request.content)
    assert body.keys() == {"query", "variables"}
    assert body["variables"] == {"cohortKey": viewer.chosen["cohort"].value}
    assert body["query"].startswith("query Ranking($cohortKey: String!)")


def test_families_operations_and_devices_are_those_of_the_catalogue(
    viewer: Viewer, kgraph: Client
) -> None:
    variables = {variable["name"]: variable for variable in VARIABLES}
    data = kgraph.execute(
        "{ families(first: 200) { nodes { slug operations(first: 50) { nodes { slug } } } } }"
    )
    families = {family["slug"]: family for family in data["families"]["nodes"]}
    swiglu = {each["slug"] for each in families["swiglu"]["operations"]["nodes"]}

    assert {option.value for option in viewer.options(variables["family"])} == families.keys()
    assert {option.value for option in viewer.options(variables["operation"])} == swiglu
    assert [option.value for option in viewer.options(variables["hardware"])] == ["NVIDIA H100"]


def test_the_counts_are_those_of_the_catalogue(viewer: Viewer, kgraph: Client) -> None:
    counts = kgraph.catalog().counts

    (row,) = rows_of(viewer.ask(target_of("In the catalogue")))

    assert row == {
        "Runs": counts.runs,
        "Eligible": counts.eligible_runs,
        "Operations": counts.operations,
        "Workloads": counts.workloads,
        "Cohorts": counts.cohorts,
        "Record changes": counts.record_events,
        "Devices": counts.hardware,
        "Sources": counts.sources,
    }


def test_the_snapshot_is_shown_and_pins_every_panel(viewer: Viewer, kgraph: Client) -> None:
    catalog = kgraph.catalog()

    (row,) = rows_of(viewer.ask(target_of("Snapshot")))

    assert row["Snapshot"] == catalog.snapshot
    assert row["Published"] == catalog.published_at
    pinned = Viewer(viewer.server, viewer.http)
    pinned.choose(VARIABLES)
    pinned.chosen["snapshot"] = Option(catalog.snapshot, catalog.snapshot)
    for query in QUERIES.values():
        answer = pinned.http.send(pinned.make_request(query))
        assert "immutable" in answer.headers["cache-control"]
    pinned.chosen["snapshot"] = Option("blake3:" + "0" * 64, "blake3:" + "0" * 64)
    refused = pinned.http.send(pinned.make_request(target_of("Ranking"))).json()
    assert refused["errors"][0]["extensions"]["code"] == "UNKNOWN_SNAPSHOT"


def test_the_ranking_is_that_of_the_cohort(viewer: Viewer, kgraph: Client) -> None:
    ranked = ranking_of(kgraph, viewer)

    rows = rows_of(viewer.ask(target_of("Ranking")))

    assert len(rows) == len(ranked) == 4
    assert [
        (row["Rank"], row["Implementation"], row["Time"], row["Over baseline"], row["Run"])
        for row in rows
    ] == [
        (
            each.rank,
            each.run.implementation.title,
            each.value,
            each.speedup_over_baseline,
            each.run.digest,
        )
        for each in ranked
    ]


def test_the_history_steps_down_to_the_record_and_ends_at_the_snapshot(
    viewer: Viewer, kgraph: Client
) -> None:
    changed = Viewer(viewer.server, viewer.http)
    # Its cohorts on one device have up to three records.
    changed.choose(VARIABLES, family="embedding")
    busiest = kgraph.execute(
        '{ cohorts(where: {family: {eq: "embedding"}}, first: 1,'
        " orderBy: [{field: RECORD_EVENT_COUNT, direction: DESC}]) { nodes { key } } }"
    )["cohorts"]["nodes"][0]["key"]
    changed.chosen["cohort"] = Option("", busiest)
    events = sorted(kgraph.record_history(cohort=busiest), key=lambda event: event.ordinal)

    rows = rows_of(changed.ask(target_of("Record history")))

    assert len(events) == 3
    assert [(row["Time"], row["Record"]) for row in rows] == [
        *((event.at, event.value) for event in events),
        (kgraph.catalog().published_at, events[-1].value),
    ]
    assert [row["Record"] for row in rows[:-1]] == sorted(
        (row["Record"] for row in rows[:-1]), reverse=True
    )


def test_the_scaling_is_the_sweep_that_holds_the_cohort_with_its_floor(
    viewer: Viewer, kgraph: Client
) -> None:
    protocol = viewer.chosen["protocol"].text
    sweep = [
        row for row in kgraph.sweep("liger-megatron-swiglu", "ffn") if row.protocol == protocol
    ]
    page = kgraph.operation("liger-megatron-swiglu")
    assert page is not None
    floors = {
        (axis.value, cohort.headroom.floor_ns)
        for workload in page.workloads.nodes
        for axis in workload.axes
        for cohort in workload.cohorts
        if axis.name == "ffn" and cohort.protocol.title == protocol and cohort.headroom
    }

    rows = rows_of(viewer.ask(target_of("Scaling")))

    measured = [row for row in rows if not row["Series"].startswith("Floor")]
    assert {(row["Series"], row["Size"], row["Time"]) for row in measured} == {
        (each.implementation, each.axis_value, each.value) for each in sweep
    }
    assert len(measured) == 24
    assert {(row["Size"], row["Time"]) for row in rows if row not in measured} == floors
    assert all(
        row["Time"] > floor for row in measured for size, floor in floors if size == row["Size"]
    )


def test_the_headroom_has_every_workload_of_the_protocol(viewer: Viewer) -> None:
    rows = rows_of(viewer.ask(target_of("Headroom")))

    assert len(rows) == 6
    for row in rows:
        assert row["Record to floor"] == pytest.approx(row["Record"] / row["Floor"])
        assert row["Bound"] == "MEMORY"


def test_the_standing_record_agrees_with_ranking_and_headroom(viewer: Viewer) -> None:
    (standing,) = rows_of(viewer.ask(target_of("Standing record ·")))
    first = rows_of(viewer.ask(target_of("Ranking")))[0]
    headroom = {row["Workload"]: row for row in rows_of(viewer.ask(target_of("Headroom")))}
    row = headroom[viewer.chosen["workload"].text]

    assert (standing["Record"], standing["Held by"]) == (first["Time"], first["Implementation"])
    assert (standing["Floor"], standing["Record to floor"]) == (
        row["Floor"],
        row["Record to floor"],
    )


def test_the_facets_add_up_to_the_runs_of_the_family(viewer: Viewer, kgraph: Client) -> None:
    runs = kgraph.runs(family="swiglu").count()

    for title in ("Runs of the family by hardware", "Runs of the family by language"):
        assert sum(row["Runs"] for row in rows_of(viewer.ask(target_of(title)))) == runs


def test_the_records_of_the_family_come_latest_first(viewer: Viewer, kgraph: Client) -> None:
    rows = rows_of(viewer.ask(target_of("Standing records of the family")))

    assert len(rows) == min(50, kgraph.records(family="swiglu").count())
    assert [row["Since"] for row in rows] == sorted((row["Since"] for row in rows), reverse=True)


def test_every_panel_answers_for_every_family(server: str, http: httpx.Client) -> None:
    viewer = Viewer(server, http)
    viewer.choose(VARIABLES)
    families = [option.value for option in viewer.options(VARIABLES[0])]
    assert len(families) == 23

    for family in families:
        # Of what does not fit any more, Grafana takes the first option.
        viewer.choose(VARIABLES, family=family)
        for panel in PANELS:
            for target in panel["targets"]:
                assert rows_of(viewer.ask(target)), f"{family}: {panel['title']}"


def test_names_with_quotation_marks_stay_json(viewer: Viewer) -> None:
    odd = Viewer(viewer.server, viewer.http, dict(viewer.chosen))
    odd.chosen["hardware"] = Option('GPU "X"', 'GPU "X"')

    body = json.loads(odd.make_request(target_of("Headroom")).content)

    assert body["variables"]["product"] == 'GPU "X"'


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_what_a_panel_formats_and_orders_is_among_its_columns(panel: dict[str, Any]) -> None:
    columns = {column["text"] for target in panel["targets"] for column in target["columns"]}
    named: set[str] = set()
    for override in panel["fieldConfig"]["overrides"]:
        if override["matcher"]["id"] == "byName":
            named.add(override["matcher"]["options"])
    for step in panel.get("transformations", []):
        options = step["options"]
        named |= options.get("indexByName", {}).keys() | options.get("excludeByName", {}).keys()
        named |= {sort["field"] for sort in options.get("sort", [])}
        # Of a list of fields; sorting has an empty object of that name.
        named |= set(options.get("fields", ()))
    named |= set(re.findall(r"__data\.fields\.(\w+)", json.dumps(panel)))

    assert named <= columns


def test_every_link_leads_to_a_page(viewer: Viewer, server: str) -> None:
    reader = Viewer(server, viewer.http, dict(viewer.chosen))
    reader.chosen["kgraph"] = Option(server, server)
    addresses = {reader.interpolate(link["url"]) for link in DASHBOARD["links"]}
    for panel in PANELS:
        addresses |= {reader.interpolate(link["url"]) for link in panel.get("links", [])}
        (row, *_) = rows_of(reader.ask(panel["targets"][0]))
        for override in panel["fieldConfig"]["overrides"]:
            for item in override["properties"]:
                if item["id"] == "links":
                    row["__value"] = row[override["matcher"]["options"]]
                    addresses |= {reader.interpolate(link["url"], row) for link in item["value"]}
    inside = {address for address in addresses if address.startswith(f"{server}/")}

    assert len(inside) >= 7
    for address in inside:
        assert httpx.get(address, follow_redirects=True, timeout=60).status_code == 200, address
    (pin,) = addresses - inside
    snapshot = httpx.get(f"{server}/readyz").json()["snapshot"]
    assert pin.startswith("/d/kgraph?var-family=swiglu&")
    assert pin.endswith(f"&var-snapshot={quote(snapshot, safe='')}")


def test_panels_stand_beside_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_a_frame_keeps_what_is_missing_apart_from_what_is_nought() -> None:
    columns = [
        {"selector": "a.b", "text": "B", "type": "number"},
        {"selector": "c", "text": "C", "type": "boolean"},
    ]

    frame = make_frame(
        select_root({"data": {"rows": [{"a": {"b": 0}, "c": False}, {"a": None}]}}, "data.rows"),
        columns,
    )

    assert frame == {"B": [0.0, None], "C": [False, None]}
