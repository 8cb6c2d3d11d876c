from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from kgraph.facts import Condition, Order, PageRequest
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog

ALL = PageRequest(first=200)
LIGER = Slug("liger-kernel")


# --- implementations -------------------------------------------------------------------------


def test_a_standing_is_over_every_cohort_with_the_best_run_of_each(
    small: Small, tmp_path: Path
) -> None:
    operation = small.operation()
    mine, rival = small.implementation(operation), small.implementation(operation, "rival")
    for rows, ours, theirs in ((1, (30, 20), 10), (2, (10,), 40), (3, (5,), None)):
        case = small.workload(operation, rows=rows, columns=8)
        for day, median in enumerate(ours):
            small.run(mine, case, median, day=day)
        if theirs is not None:
            small.run(rival, case, theirs)
    catalog = small.publish(tmp_path)

    standing = catalog.load_standings([mine])[mine]

    assert [round(place.ratio_to_leader, 6) for place in standing.places].count(1.0) == 2
    assert (standing.all_cohorts.cohort_count, standing.contested.cohort_count) == (3, 2)
    assert standing.all_cohorts.value == pytest.approx(2 ** (1 / 3))
    assert standing.contested.value == pytest.approx(math.sqrt(2))
    assert standing.all_cohorts.set_name != standing.contested.set_name
    assert (standing.first_count, standing.record_count) == (2, 2)
    assert (standing.run_count, standing.failed_run_count, standing.failures) == (4, 0, ())


def test_failures_are_counted_by_reason(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    mine = small.implementation(operation)
    case = small.workload(operation, rows=1, columns=8)
    small.run(mine, case, 10)
    small.run(mine, case, 10, day=1, status="compile_error")
    small.run(mine, case, 10, day=2, status="compile_error")
    small.run(mine, case, 10, day=3, status="timeout")
    catalog = small.publish(tmp_path)

    standing = catalog.load_standings([mine])[mine]

    assert (standing.run_count, standing.failed_run_count) == (4, 3)
    assert standing.failures == (("STATUS_COMPILE_ERROR", 2), ("STATUS_TIMEOUT", 1))
    assert standing.all_cohorts.cohort_count == 1


def test_an_implementation_that_only_failed_has_no_mean(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    mine, unused = small.implementation(operation), small.implementation(operation, "unused")
    small.run(mine, small.workload(operation, rows=1, columns=8), 10, status="timeout")
    catalog = small.publish(tmp_path)

    standings = catalog.load_standings([mine, unused])

    assert standings.keys() == {mine}
    assert standings[mine].places == ()
    assert (standings[mine].all_cohorts.value, standings[mine].all_cohorts.cohort_count) == (
        None,
        0,
    )


def test_places_agree_with_the_rankings(starter: Catalog) -> None:
    implementations = starter.page_implementations(None, (), ALL).items

    standings = starter.load_standings(one.digest for one in implementations)

    places = [place for standing in standings.values() for place in standing.places]
    rankings = starter.load_whole_rankings({place.cohort for place in places})
    cohorts = starter.load_cohorts({place.cohort for place in places})
    for place in places:
        ranked = rankings[place.cohort]
        best = next(one for one in ranked if one.run.implementation == place.implementation)
        assert best.standing is not None
        assert (best.run.digest, best.standing.rank) == (place.run, place.rank)
        assert best.standing.ratio_to_leader == place.ratio_to_leader
        assert place.implementation_count == len({one.run.implementation for one in ranked})
        holder = cohorts[place.cohort].record
        held = {one.run.digest for one in ranked if one.run.implementation == place.implementation}
        assert place.holds_record == (holder in held)
    for standing in standings.values():
        assert standing.record_count <= standing.first_count <= len(standing.places)


def test_many_standings_cost_two_statements(starter: Catalog) -> None:
    implementations = [one.digest for one in starter.page_implementations(None, (), ALL).items]
    for wanted in (implementations[:1], implementations):
        before = starter.statement_count
        starter.load_standings(wanted)
        assert starter.statement_count - before == 2


# --- projects --------------------------------------------------------------------------------


def test_a_project_page_holds_what_the_lists_count(starter: Catalog) -> None:
    page = starter.find_project_page(LIGER)

    assert page is not None
    ours = Condition("project", "eq", LIGER)
    standing = page.standing
    assert standing.project.name == "Liger-Kernel"
    assert standing.run_count == starter.page_runs(ours, (), ALL).total_count
    assert standing.record_count == starter.page_records(ours, (), ALL).total_count
    count = starter.page_implementations(ours, (), ALL).total_count
    assert standing.implementation_count == count
    for shares in (page.families, page.hardware, page.versions):
        assert sum(share.run_count for share in shares) == standing.run_count
        assert sum(share.record_count for share in shares) == standing.record_count
    assert sum(number for _, number in page.licenses) == count
    assert sum(one.implementation_count for one in page.versions) == count
    assert {share.product for share in page.hardware} > {"NVIDIA A100", "NVIDIA H100"}


def test_versions_come_in_the_order_in_which_they_were_measured(starter: Catalog) -> None:
    page = starter.find_project_page(LIGER)

    assert page is not None
    first = [one.first_observed_at for one in page.versions if one.first_observed_at]
    assert first == sorted(first)
    assert len(first) == len(page.versions) > 5
    assert {one.version for one in page.versions} >= {"0.4.2", "0.7.0"}


def test_recipes_and_licences_are_those_of_the_implementations(
    small: Small, tmp_path: Path
) -> None:
    small.project("kernels")
    operation = small.operation()
    revision = {"repository": "https://example.org/kernels", "version": "1.0"}
    install = {"kind": "pip", "command": "pip install kernels"}
    variants = [{"name": "pip", "install": install}]
    mit = {"declared": "MIT"}
    specs: dict[str, dict[str, Any]] = {
        "one": {"buildVariants": variants, "licensing": mit},
        "two": {"buildVariants": variants, "licensing": mit},
        "three": {"licensing": {"declared": "secret"}},
    }
    for title, spec in specs.items():
        small.implementation(operation, title, projectRevision=revision, **spec)
    catalog = small.publish(tmp_path)

    page = catalog.find_project_page(Slug("kernels"))

    assert page is not None
    assert [(one.kind, one.command, one.implementation_count) for one in page.recipes] == [
        ("pip", "pip install kernels", 2)
    ]
    assert page.licenses == (("MIT", 2), (None, 1))
    (version,) = page.versions
    assert (version.version, version.implementation_count, version.run_count) == ("1.0", 3, 0)
    assert version.first_observed_at is None
    assert page.families == ()


def test_projects_can_be_listed_by_what_they_hold(starter: Catalog) -> None:
    order = (Order("record_count", is_descending=True),)
    page = starter.page_projects(None, order, ALL)

    counts = [one.record_count for one in page.items]
    assert counts == sorted(counts, reverse=True)
    assert page.items[0].project.slug == LIGER
    assert starter.load_projects([LIGER, Slug("nobody")]) == {LIGER: page.items[0]}


def test_an_unknown_project_has_no_page(starter: Catalog) -> None:
    assert starter.find_project_page(Slug("nobody")) is None


def test_a_project_page_costs_a_fixed_number_of_statements(starter: Catalog) -> None:
    for slug in (LIGER, Slug("pytorch"), Slug("nobody")):
        before = starter.statement_count
        starter.find_project_page(slug)
        assert starter.statement_count - before <= 6
