"""Questions beyond a thing by its name: what holds of every answer."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client
from hypothesis import given
from hypothesis import strategies as st
from world import Shelf, World, listing

from kgraph.catalog import CatalogSource
from kgraph.policy import ranking_v1
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgraph.log import Log
    from kgraph.store import ReadStore

RESOLVE = """query ($inputs: [ResolveInput!]!) { resolveMany(inputs: $inputs) {
  match operation { slug } unresolved { field }
  cohort { workload { axes { name value } dtypes } hardware { product architecture } }
  best { rank run { evidence { level } implementation {
    language deployability { eligible } license { concluded } install { command } } } }
  nearMatches { differences { field requested observed } } } }"""

COMPARE = """query ($refs: [String!]!) { compare(refs: $refs) {
  comparable runs { digest } winner { digest } mustMatch { name }
  firstMaterialDifference { name } fields { name values equal material }
  groups { cohort { key } runs { digest } winner { digest } tied { digest } ratios } } }"""


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def world_client(world: World, tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A client of the small world, which has serving runs, ties and failures."""
    shelf = Shelf(tmp_path_factory.mktemp("world"))
    entry = {"subject": world.serving_run.digest, "cohort": "sha256:" + "c" * 64}
    shelf.publish([*world.all, listing(entry)])
    source = CatalogSource(
        shelf.log, shelf.store, ranking_v1, folder=shelf.folder, clock=lambda: NOW
    )
    options = WebOptions(answer_cache_bytes=0)
    return Client(build_app(source, options=options, clock=lambda: NOW))


@pytest.fixture(scope="module")
def measured(client: Client) -> list[dict[str, Any]]:
    """Every cohort with what a request may state of it."""
    found: list[dict[str, Any]] = client.data(
        """{ cohorts(first: 200) { nodes { operation { slug }
          hardware { product architecture } workload { axes { name value } dtypes } } } }"""
    )["cohorts"]["nodes"]
    return found


@st.composite
def make_input(draw: st.DrawFn, cohorts: list[dict[str, Any]]) -> dict[str, Any]:
    """A request near something that is measured: some of its facts, some of them changed."""
    cohort = draw(st.sampled_from(cohorts))
    axes = draw(
        st.lists(st.sampled_from(cohort["workload"]["axes"]), unique_by=lambda a: a["name"])
    )
    given: dict[str, Any] = {
        "operation": cohort["operation"]["slug"],
        "axes": [
            {"name": axis["name"], "value": axis["value"] * draw(st.sampled_from([1, 1, 1, 2]))}
            for axis in axes
        ],
    }
    if draw(st.booleans()):
        given["dtypes"] = draw(st.sampled_from([cohort["workload"]["dtypes"], ["fp16"]]))
    if draw(st.booleans()):
        product, architecture = cohort["hardware"]["product"], cohort["hardware"]["architecture"]
        given["hardware"] = draw(st.sampled_from([product, architecture, "NVIDIA B200"]))
    for name in ("deployable", "permissive", "installable"):
        given[name] = draw(st.booleans())
    if draw(st.booleans()):
        given["languages"] = [draw(st.sampled_from(["triton", "pytorch", "python"]))]
    return given


def test_an_exact_answer_satisfies_every_stated_field(
    client: Client, measured: list[dict[str, Any]]
) -> None:
    matches: set[str] = set()

    @given(st.lists(make_input(measured), min_size=1, max_size=20))
    def holds(inputs: list[dict[str, Any]]) -> None:
        answers = client.data(RESOLVE, {"inputs": inputs})["resolveMany"]
        assert len(answers) == len(inputs)
        for asked, answer in zip(inputs, answers, strict=True):
            matches.add(answer["match"])
            assert answer["operation"]["slug"] == asked["operation"]
            if answer["match"] != "EXACT":
                assert answer["cohort"] is answer["best"] is None
                assert all(near["differences"] for near in answer["nearMatches"])
                continue
            check_exact(asked, answer)

    holds()
    assert "EXACT" in matches
    assert len(matches) > 2


def check_exact(asked: dict[str, Any], answer: dict[str, Any]) -> None:
    workload, hardware = answer["cohort"]["workload"], answer["cohort"]["hardware"]
    assert all(axis in workload["axes"] for axis in asked["axes"])
    assert set(asked.get("dtypes", ())) <= set(workload["dtypes"])
    if "hardware" in asked:
        assert asked["hardware"] in (hardware["product"], hardware["architecture"])
    assert answer["nearMatches"] == []
    if answer["best"] is None:
        assert "filters" in {one["field"] for one in answer["unresolved"]}
        return
    implementation = answer["best"]["run"]["implementation"]
    if "languages" in asked:
        assert implementation["language"] in asked["languages"]
    if asked["deployable"]:
        assert implementation["deployability"]["eligible"]
    if asked["permissive"]:
        assert implementation["license"]["concluded"] is not None
    if asked["installable"]:
        assert implementation["install"] is not None


def test_many_requests_are_answered_as_each_alone(
    client: Client, measured: list[dict[str, Any]]
) -> None:
    inputs = [{"operation": one["operation"]["slug"]} for one in measured[:5]]
    inputs += [{"operation": "no-such-operation"}, inputs[0]]

    together = client.data(RESOLVE, {"inputs": inputs})["resolveMany"]

    assert together == [client.data(RESOLVE, {"inputs": [one]})["resolveMany"][0] for one in inputs]


def test_a_hundred_workloads_cost_no_more_statements_than_two(
    catalogue: tuple[Log, ReadStore], tmp_path: Path, measured: list[dict[str, Any]]
) -> None:
    log, store = catalogue
    spent: list[int] = []
    for length in (2, 100):
        # Each in a source of its own, whose memory of facts is empty.
        source = CatalogSource(log, store, ranking_v1, folder=tmp_path, clock=lambda: NOW)
        options = WebOptions(answer_cache_bytes=0)
        client = Client(build_app(source, options=options, clock=lambda: NOW))
        cases = (measured * length)[:length]
        inputs = [
            {
                "operation": one["operation"]["slug"],
                "axes": one["workload"]["axes"],
                "hardware": one["hardware"]["product"],
            }
            for one in cases
        ]
        before = source.current().statement_count
        answers = client.data(RESOLVE, {"inputs": inputs})["resolveMany"]
        spent.append(source.current().statement_count - before)
        assert [answer["match"] for answer in answers] == ["EXACT"] * length

    # Links of one relation may meet in one statement or two, as threads happen to finish.
    assert spent[1] <= spent[0] + 5


def test_resolving_many_is_charged_for_as_many_as_are_given(client: Client) -> None:
    document = "query ($inputs: [ResolveInput!]!) { resolveMany(inputs: $inputs) { match } }"

    def cost(length: int) -> int:
        answer = client.ask(document, {"inputs": [{"operation": "x"}] * length})
        charged: int = answer["extensions"]["cost"]["requested"]
        return charged

    assert cost(100) == 50 * cost(2)


FACT_NAMES = ["language", "project", "license", "stale", "permissive", "deployable", "hardware"]


@given(
    name=st.sampled_from(FACT_NAMES),
    value=st.sampled_from(["triton", "liger-kernel", "BSD-2-Clause", "NVIDIA A100"]),
    truth=st.booleans(),
    first=st.integers(1, 200),
)
def test_a_filter_never_changes_a_rank(
    client: Client, name: str, value: str, truth: bool, first: int
) -> None:
    is_text = name in {"language", "project", "license", "hardware"}
    where = {name: {"eq": value if is_text else truth}}
    document = """query ($where: RunWhere, $first: Int) { runs(where: $where, first: $first) {
      nodes { digest standing { rank ratioToLeader } } } }"""

    found = client.data(document, {"where": where, "first": first})["runs"]["nodes"]

    digests = [node["digest"] for node in found]
    again = client.data(
        "query ($where: RunWhere) { runs(where: $where, first: 200) "
        "{ nodes { digest standing { rank ratioToLeader } } } }",
        {"where": {"digest": {"in": digests[:100]}}},
    )["runs"]["nodes"]
    by_digest = {node["digest"]: node for node in again}
    assert all(by_digest[node["digest"]] == node for node in found[:100])


# --- comparing


def compare(client: Client, refs: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = client.data(COMPARE, {"refs": list(refs)})["compare"]
    return found


def test_the_order_of_runs_changes_nothing_but_their_order(
    world_client: Client, world: World
) -> None:
    refs = [world.runs[0].digest, world.runs[3].digest, world.runs[4].digest]
    one = compare(world_client, refs)
    assert not one["comparable"]
    assert one["winner"] is None

    for order in permutations(range(3)):
        other = compare(world_client, [refs[place] for place in order])

        assert [run["digest"] for run in other["runs"]] == [refs[place] for place in order]
        assert [[field["values"][place] for place in order] for field in one["fields"]] == [
            field["values"] for field in other["fields"]
        ]
        for part in ("comparable", "winner", "groups", "mustMatch", "firstMaterialDifference"):
            assert other[part] == one[part]


def test_a_winner_is_named_inside_one_cohort(world_client: Client, world: World) -> None:
    slow, fast = world.runs[0].digest, world.runs[3].digest

    found = compare(world_client, [slow, fast])

    assert found["comparable"]
    assert found["mustMatch"] == []
    assert found["winner"]["digest"] == fast
    assert found["groups"][0]["ratios"][0] == 1.0


@pytest.mark.parametrize(
    "refs", [[], ["sha256:" + "0" * 64] * 2, ["no digest", "x"], ["sha256:" + "0" * 64] * 9]
)
def test_runs_that_cannot_be_compared_are_refused(client: Client, refs: list[str]) -> None:
    error = client.error(COMPARE, {"refs": refs})

    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "refs"}


# --- searching and asking


def test_a_search_leads_to_the_thing_itself(client: Client) -> None:
    document = """query ($query: String!, $kinds: [SearchKind!]) {
      search(query: $query, kinds: $kinds, first: 3) {
        totalCount nodes { kind name match node { __typename ... on Operation { slug } } } } }"""

    def first(text: str, kinds: list[str] | None = None) -> dict[str, Any]:
        found = client.data(document, {"query": text, "kinds": kinds})["search"]["nodes"]
        hit: dict[str, Any] = found[0]
        return hit

    exact = first("liger-distill-cosine-loss")
    typo = first("liger-distill-cosine-los", ["OPERATION"])
    assert exact["node"] == {"__typename": "Operation", "slug": "liger-distill-cosine-loss"}
    assert (exact["match"], typo["node"]) == ("EXACT", exact["node"])
    device = first("a100", ["HARDWARE"])
    assert (device["name"], device["node"]) == ("NVIDIA A100", None)
    assert client.data(document, {"query": "zzzzqqqq"})["search"]["totalCount"] == 0


ASK = """query ($query: String!, $first: Int, $after: String) { ask(query: $query) {
  query { canonical problems { code start end nearest } intent { text hardware axes { name value }
    dtypes licenses permissive installable minimumEvidence } }
  chosen { name } resolution { match cohort { key } }
  records(first: $first, after: $after) { totalCount pageInfo { endCursor hasNextPage }
    nodes { cohort { key hardware { product } } } facets(field: HARDWARE) { value count } } } }"""


def test_a_line_is_echoed_and_answered(client: Client) -> None:
    line = "liger-distill-cosine-loss gpu:A100 tokens=1024 license:permissive installable:true"

    answer = client.data(ASK, {"query": line})["ask"]

    intent = answer["query"]["intent"]
    assert intent["text"] == "liger-distill-cosine-loss"
    assert intent["axes"] == [{"name": "tokens", "value": 1024}]
    assert (intent["hardware"], intent["permissive"], intent["installable"]) == ("A100", True, True)
    assert answer["chosen"]["name"] == "liger-distill-cosine-loss"
    assert answer["resolution"]["match"] == "EXACT"
    records = answer["records"]
    assert {node["cohort"]["hardware"]["product"] for node in records["nodes"]} == {"NVIDIA A100"}
    assert records["facets"] == [{"value": "NVIDIA A100", "count": records["totalCount"]}]
    again = client.data(ASK, {"query": answer["query"]["canonical"]})["ask"]
    assert again == answer


def test_records_of_a_line_are_read_page_by_page(client: Client) -> None:
    seen: list[str] = []
    after, more = None, True
    while more:
        page = client.data(ASK, {"query": "gpu:A100", "first": 3, "after": after})["ask"]["records"]
        seen += [node["cohort"]["key"] for node in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]

    assert len(set(seen)) == len(seen) == page["totalCount"] > 3


def test_what_a_line_does_not_say_is_named_by_its_place(client: Client) -> None:
    answer = client.data(ASK, {"query": "gpu:A100 lisence:MIT"})["ask"]

    assert answer["query"]["problems"] == [
        {"code": "UNKNOWN_KEY", "start": 9, "end": 20, "nearest": ["license", "evidence"]}
    ]
    assert answer["resolution"] is answer["records"] is None


# --- what is measured, and what is not


def test_coverage_counts_what_cohorts_hold(client: Client) -> None:
    document = """{ operations(first: 5) { nodes { slug eligibleRunCount
      coverage(first: 200) { totalCount cellCount measuredCount columns { product measuredCount }
        nodes { workload { digest } cells { product measured eligibleRunCount best { rank }
          cohort { hardware { product } } lastObservedAt ageDays stale } } } } } }"""

    for operation in client.data(document)["operations"]["nodes"]:
        matrix = operation["coverage"]
        products = [column["product"] for column in matrix["columns"]]
        cells = [cell for row in matrix["nodes"] for cell in row["cells"]]
        assert matrix["cellCount"] == matrix["totalCount"] * len(products) == len(cells)
        assert sum(cell["measured"] for cell in cells) == matrix["measuredCount"] > 0
        assert sum(cell["eligibleRunCount"] for cell in cells) == operation["eligibleRunCount"]
        for row in matrix["nodes"]:
            assert [cell["product"] for cell in row["cells"]] == products
        for cell in cells:
            assert (cell["best"] is None) is (not cell["measured"])
            assert cell["stale"] is ((cell["ageDays"] or 0) >= 180)
            if cell["cohort"] is not None:
                assert cell["cohort"]["hardware"]["product"] == cell["product"]
                assert cell["best"]["rank"] == 1


def test_a_challenge_is_measured_nowhere_and_has_neighbours(client: Client) -> None:
    found = client.data(
        """{ challenges(first: 20) { totalCount facets(field: HARDWARE) { count }
          nodes { product neighbourCount productCount caseCount operation { slug }
            workload { cohorts { hardware { product } eligibleRunCount } } } } }"""
    )["challenges"]

    assert found["totalCount"] == sum(facet["count"] for facet in found["facets"]) > 0
    counts = [node["neighbourCount"] for node in found["nodes"]]
    assert counts == sorted(counts, reverse=True)
    for node in found["nodes"]:
        assert node["neighbourCount"] == node["productCount"] + node["caseCount"] > 0
        measured = {
            cohort["hardware"]["product"]
            for cohort in node["workload"]["cohorts"]
            if cohort["eligibleRunCount"]
        }
        assert node["product"] not in measured


def test_stale_records_are_those_that_a_filter_finds(client: Client) -> None:
    found = client.data(
        """{ staleRecords(first: 200) { totalCount nodes { run { stale observedAt } } }
             records(where: { stale: { eq: true } }) { totalCount }
             fresh: records(where: { stale: { eq: false } }) { totalCount }
             all: records { totalCount } }"""
    )

    nodes = found["staleRecords"]["nodes"]
    assert 0 < found["staleRecords"]["totalCount"] == found["records"]["totalCount"]
    assert (
        found["records"]["totalCount"] + found["fresh"]["totalCount"]
        == (found["all"]["totalCount"])
    )
    assert all(node["run"]["stale"] for node in nodes)
    instants = [node["run"]["observedAt"] for node in nodes]
    assert instants == sorted(instants)


# --- records beside their floors


@pytest.mark.parametrize("policy", ["HEADROOM_V1", "HEADROOM_V2"])
def test_opportunities_are_the_headrooms_of_cohorts(client: Client, policy: str) -> None:
    document = """query ($policy: HeadroomPolicy!) {
      opportunities(policy: $policy, first: 200) { totalCount facets(field: BOUND) { count }
        nodes { recordRatio floorNs run { digest } cohort { record { run { digest } }
          headroom(policy: $policy) { floorNs recordRatio } } } }
      headroomAudit(policy: $policy) { totalCount ratioCount cohortCount floorCount policy
        belowCounts { count } nodes { recordRatio belowFloor } } }"""

    found = client.data(document, {"policy": policy})

    nodes = found["opportunities"]["nodes"]
    ratios = [node["recordRatio"] for node in nodes]
    assert ratios == sorted(ratios, reverse=True)
    for node in nodes:
        assert node["cohort"]["headroom"]["recordRatio"] == pytest.approx(node["recordRatio"])
        assert node["cohort"]["record"]["run"] == node["run"]
    audit = found["headroomAudit"]
    assert audit["ratioCount"] == found["opportunities"]["totalCount"] > 0
    assert sum(one["count"] for one in audit["belowCounts"]) == audit["totalCount"]
    assert audit["totalCount"] == sum(ratio < 1 for ratio in ratios)
    assert all(node["belowFloor"] for node in audit["nodes"])


def test_one_operation_is_set_beside_the_floor_of_each_device(client: Client) -> None:
    document = """{ operations(first: 5) { nodes { acrossHardware(first: 200) { totalCount
      products { product rowCount geometricMeanRatio }
      nodes { metric workload { digest } protocol { digest } entries { product
        cohort { workload { digest } hardware { product } } headroom { recordRatio } } } } } } }"""

    for operation in client.data(document)["operations"]["nodes"]:
        found = operation["acrossHardware"]
        assert found["totalCount"] == len(found["nodes"]) > 0
        for row in found["nodes"]:
            ratios = [entry["headroom"]["recordRatio"] for entry in row["entries"]]
            known = [ratio for ratio in ratios if ratio is not None]
            assert ratios == sorted(known) + [None] * (len(ratios) - len(known))
            for entry in row["entries"]:
                assert entry["cohort"]["workload"] == row["workload"]
                assert entry["cohort"]["hardware"]["product"] == entry["product"]


def test_a_device_is_found_by_any_of_its_names(client: Client) -> None:
    document = """query ($product: String!) { hardwareProduct(product: $product) { product
      measured { runCount } recordCount variants { runCount datasheet { name sourceUrl } }
      datasheets { name memoryBandwidthBytesPerSecond sourceUrl peaks { dtype } }
      families { recordCount family { slug } } holders { recordCount project { slug } } } }"""

    def ask(product: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = client.data(document, {"product": product})[
            "hardwareProduct"
        ]
        return found

    page = ask("NVIDIA A100")
    assert page == ask("a100")
    assert page is not None
    assert sum(variant["runCount"] for variant in page["variants"]) == page["measured"]["runCount"]
    assert sum(share["recordCount"] for share in page["families"]) == page["recordCount"] > 0
    assert sum(holder["recordCount"] for holder in page["holders"]) == page["recordCount"]
    assert all(row["sourceUrl"].startswith("https://") for row in page["datasheets"])
    unmeasured = ask("MI355X")
    assert unmeasured is not None
    assert (unmeasured["measured"], unmeasured["recordCount"]) == (None, 0)
    assert ask("abacus") is None


# --- projects, standings, regressions


def test_a_project_holds_what_its_parts_add_up_to(client: Client) -> None:
    document = """{ projects(orderBy: [{ field: RECORD_COUNT, direction: DESC }]) { nodes {
      id slug counts { runs records eligibleRuns implementations } holdings {
        families { runCount recordCount } hardware { runCount recordCount }
        licenses { license implementationCount } versions { version runCount } } } } }"""

    projects = client.data(document)["projects"]["nodes"]

    records = [project["counts"]["records"] for project in projects]
    assert records == sorted(records, reverse=True)
    for project in projects:
        counts, holdings = project["counts"], project["holdings"]
        for part in ("families", "hardware"):
            assert sum(share["runCount"] for share in holdings[part]) == counts["runs"]
            assert sum(share["recordCount"] for share in holdings[part]) == counts["records"]
        assert sum(one["runCount"] for one in holdings["versions"]) == counts["runs"]
        assert (
            sum(one["implementationCount"] for one in holdings["licenses"])
            == (counts["implementations"])
        )
        named = client.data(
            "query ($slug: String!, $id: ID!) { project(slug: $slug) { id } node(id: $id) { id } }",
            {"slug": project["slug"], "id": project["id"]},
        )
        assert named["project"] == named["node"] == {"id": project["id"]}


def test_a_standing_counts_failures_and_names_its_sets(world_client: Client) -> None:
    found = world_client.data(
        """{ implementations(first: 10) { nodes { title standing { runCount failedRunCount
          firstCount recordCount failures { reason count } allCohorts { value cohortCount setName }
          places(first: 20) { totalCount nodes { rank holdsRecord ratioToLeader
            run { standing { rank } } cohort { record { run { implementation { title } } } } } } }
        } } }"""
    )["implementations"]["nodes"]

    standings = {node["title"]: node["standing"] for node in found if node["standing"]}
    assert standings["plain kernel"]["failedRunCount"] >= 2
    for title, standing in standings.items():
        places = standing["places"]
        assert places["totalCount"] == standing["allCohorts"]["cohortCount"]
        assert sum(place["rank"] == 1 for place in places["nodes"]) == standing["firstCount"]
        for place in places["nodes"]:
            assert place["rank"] == place["run"]["standing"]["rank"]
            holder = place["cohort"]["record"]["run"]["implementation"]["title"]
            assert place["holdsRecord"] is (holder == title)


def test_a_regression_is_read_over_dates(world_client: Client) -> None:
    document = """query ($implementation: String!, $threshold: Float!) {
      regression(operation: "double", implementation: $implementation, threshold: $threshold) {
        policy comparedCount slowerCount fasterCount operation { slug } candidate { title }
        revisions { title } settings { cohortCount geometricMeanRatio environment { title } }
        series(first: 200) { totalCount nodes { reason cohort { key } points { value observedAt
          run { cohort { key } } } change { verdict ratio after { title } } } } } }"""

    view = world_client.data(document, {"implementation": "fast kernel", "threshold": 0.05})[
        "regression"
    ]

    assert view["policy"] == "regression-v1"
    assert {one["title"] for one in view["revisions"]} == {"fast kernel"}
    changes = [series["change"] for series in view["series"]["nodes"] if series["change"]]
    assert len(changes) == view["comparedCount"] > 0
    assert sum(change["verdict"] == "FASTER" for change in changes) == view["fasterCount"] > 0
    for series in view["series"]["nodes"]:
        assert (series["change"] is None) is (series["reason"] is not None)
        instants = [point["observedAt"] for point in series["points"]]
        assert instants == sorted(instants)
        assert all(point["run"]["cohort"] == series["cohort"] for point in series["points"])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ('operation: "doubel", implementation: "fast kernel"', "operation"),
        ('operation: "double", implementation: "slow kernel"', "implementation"),
        ('operation: "double", implementation: "fast kernel", threshold: -1', "threshold"),
        ('operation: "double", implementation: "fast kernel", version: "9"', "version"),
        ('operation: "double", implementation: "fast kernel", cohorts: ["x"]', "cohorts[0]"),
    ],
)
def test_a_regression_of_nothing_names_what_is_wrong(
    world_client: Client, arguments: str, argument: str
) -> None:
    error = world_client.error(f"{{ regression({arguments}) {{ policy }} }}")

    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


# --- rankings by other rules


def test_a_strict_ranking_holds_the_same_runs_and_leaves_the_standing_alone(
    world_client: Client,
) -> None:
    document = """{ cohorts(first: 20) { nodes { eligibleRunCount metric { unit }
      strictRanking(first: 50) { policy totalCount nodes { rank tied position ratioToLeader
        run { digest standing { rank } } againstPrevious { verdict method ratio reason policy } } }
      ranking(first: 50) { nodes { rank run { digest } } } } } }"""

    for cohort in world_client.data(document)["cohorts"]["nodes"]:
        strict = cohort["strictRanking"]
        assert strict["policy"] == "ranking-v2"
        if cohort["metric"]["unit"] is None:
            # Nobody knows which way a bare score goes.
            assert strict["nodes"] == []
            continue
        assert strict["totalCount"] == cohort["eligibleRunCount"]
        plain = {node["run"]["digest"]: node["rank"] for node in cohort["ranking"]["nodes"]}
        assert {
            node["run"]["digest"]: node["run"]["standing"]["rank"] for node in strict["nodes"]
        } == plain
        for before, node in pairwise(strict["nodes"]):
            assert before["rank"] <= node["rank"]
            assert node["againstPrevious"]["reason"]
        assert all(node["againstPrevious"] is None for node in strict["nodes"][:1])


def test_sweeps_say_who_leads_where(client: Client) -> None:
    sweeps = [
        sweep
        for operation in client.data(
            """{ operations(first: 20) { nodes { sweeps {
              series { implementation { digest } points { axisValue value } }
              leaders { axisValue value measuredCount implementations { digest } }
              crossovers { below above leadersBelow { digest } leadersAbove { digest } } } } } }"""
        )["operations"]["nodes"]
        for sweep in operation["sweeps"]
    ]

    assert sweeps
    for sweep in sweeps:
        best = {leader["axisValue"]: leader["value"] for leader in sweep["leaders"]}
        for series in sweep["series"]:
            assert all(best[point["axisValue"]] <= point["value"] for point in series["points"])
        for crossover in sweep["crossovers"]:
            assert crossover["below"] < crossover["above"]
            below = {one["digest"] for one in crossover["leadersBelow"]}
            assert below.isdisjoint(one["digest"] for one in crossover["leadersAbove"])


SWEEPS = """query ($slug: String!, $axis: String, $hardware: String, $protocol: Digest,
    $environment: Digest, $workload: Digest) { operation(slug: $slug) {
  sweeps(axis: $axis, hardware: $hardware, protocol: $protocol, environment: $environment,
    workload: $workload) {
    axis hardware { product } protocol { digest } environment { digest }
    series { points { workload { digest } } } } } }"""


def test_sweeps_are_chosen_by_all_that_is_given(client: Client) -> None:
    slug = "liger-distill-cosine-loss"

    def ask(**choice: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.data(SWEEPS, {"slug": slug, **choice})["operation"][
            "sweeps"
        ]
        return found

    everything = ask()
    assert len(everything) > 1
    for sweep in everything:
        workloads = [
            point["workload"]["digest"] for series in sweep["series"] for point in series["points"]
        ]
        for choice, holds in (
            ({"axis": sweep["axis"]}, lambda one, sweep=sweep: one["axis"] == sweep["axis"]),
            (
                {"protocol": sweep["protocol"]["digest"]},
                lambda one, sweep=sweep: one["protocol"] == sweep["protocol"],
            ),
            (
                {
                    "hardware": sweep["hardware"]["product"],
                    "environment": sweep["environment"]["digest"],
                },
                lambda one, sweep=sweep: one["environment"] == sweep["environment"],
            ),
            (
                {"workload": workloads[0]},
                lambda one, name=workloads[0]: any(
                    point["workload"]["digest"] == name
                    for series in one["series"]
                    for point in series["points"]
                ),
            ),
        ):
            assert ask(**choice) == [one for one in everything if holds(one)]
    assert ask(axis="no such axis") == ask(hardware="NVIDIA Nothing") == []
    assert ask(workload="sha256:" + "0" * 64) == []


@pytest.mark.parametrize("argument", ["protocol", "environment", "workload"])
def test_a_sweep_is_chosen_by_a_whole_digest(client: Client, argument: str) -> None:
    variables = {"slug": "liger-distill-cosine-loss", argument: "sha256:00"}

    error = client.error(SWEEPS, variables)

    assert error["extensions"]["argument"] == argument
    assert "expected" in error["message"]


def test_serving_runs_rank_by_a_named_objective_in_their_cohort(world_client: Client) -> None:
    run = world_client.data("{ servingRuns { nodes { digest cohortKey } } }")["servingRuns"][
        "nodes"
    ][0]
    document = """query ($cohort: String!, $objective: ServingObjective!) {
      servingRanking(cohort: $cohort, objective: $objective) { objective policy direction unit
        unrankedCount unranked { reasons run { digest } }
        nodes { rank value ratioToLeader run { digest } } } }"""

    for objective in ("OUTPUT_TOKEN_THROUGHPUT", "TIME_TO_FIRST_TOKEN_P99"):
        found = world_client.data(document, {"cohort": run["cohortKey"], "objective": objective})[
            "servingRanking"
        ]
        assert found["objective"] == objective
        ranked = [node["run"]["digest"] for node in found["nodes"]]
        left_out = [node["run"]["digest"] for node in found["unranked"]]
        assert sorted(ranked + left_out) == [run["digest"]]
        assert found["unrankedCount"] == len(left_out)
        assert all(node["reasons"] for node in found["unranked"])
    unknown = {"cohort": "sha256:" + "0" * 64, "objective": "OUTPUT_TOKEN_THROUGHPUT"}
    assert world_client.data(document, unknown) == {"servingRanking": None}


def test_more_than_a_hundred_workloads_are_refused(client: Client) -> None:
    error = client.error(RESOLVE, {"inputs": [{"operation": "x"}] * 101})

    assert error["message"] == "inputs: found 101 items, expected at most 100"


def test_a_fault_in_one_of_many_requests_is_named_by_its_place(client: Client) -> None:
    bad = {"operation": "x", "axes": [{"name": "tokens", "value": 0}]}

    error = client.error(RESOLVE, {"inputs": [{"operation": "x"}, bad]})

    assert error["extensions"]["argument"] == "inputs[1].axes[0].value"
