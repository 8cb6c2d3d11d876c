from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgraph.facts import Condition, Order, PageRequest
from kgraph.policy import why_below_floor
from kgraph.vocab import HeadroomPolicy

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog
    from kgraph.vocab import CohortKey

ALL = PageRequest(first=200)
V1, V2 = HeadroomPolicy.HEADROOM_V1, HeadroomPolicy.HEADROOM_V2


def every_cohort(catalog: Catalog) -> list[CohortKey]:
    keys: list[CohortKey] = []
    page = catalog.page_cohorts(None, (), ALL)
    keys += [cohort.key for cohort in page.items]
    while page.has_next:
        page = catalog.page_cohorts(None, (), PageRequest(first=200, after=page.cursors[-1]))
        keys += [cohort.key for cohort in page.items]
    return keys


@pytest.mark.parametrize("policy", list(HeadroomPolicy))
def test_the_audit_counts_what_the_estimates_say(starter: Catalog, policy: HeadroomPolicy) -> None:
    estimates = starter.load_headrooms(every_cohort(starter), policy)

    audit = starter.audit_headroom(policy, ALL)

    below = {key: why_below_floor(found) for key, found in estimates.items()}
    explained = [one for one in below.values() if one is not None]
    counts = audit.counts
    assert counts.cohort_count == len(estimates)
    assert counts.floor_count == sum(one.floor_ns is not None for one in estimates.values())
    assert counts.ratio_count == sum(one.record_ratio is not None for one in estimates.values())
    assert sum(count for _, count in counts.below_counts) == len(explained)
    assert sum(count for _, count in counts.reason_counts) == len(estimates) - counts.floor_count
    assert {one.cohort: one.below_floor for one in audit.below.items} == {
        key: why for key, why in below.items() if why is not None
    }


def test_no_record_of_the_starter_lies_below_its_newer_floor(starter: Catalog) -> None:
    assert starter.audit_headroom(V2, ALL).below.total_count == 0


def test_opportunities_come_farthest_from_the_floor_first(starter: Catalog) -> None:
    page = starter.page_opportunities(V2, None, (), ALL)

    ratios = [one.record_ratio for one in page.items]
    assert ratios == sorted(ratios, reverse=True)
    assert {one.policy for one in page.items} == {V2}
    assert page.total_count == starter.audit_headroom(V2, ALL).counts.ratio_count
    first = page.items[0]
    estimate = starter.load_headrooms([first.cohort], V2)[first.cohort]
    assert estimate.record_ratio == first.record_ratio
    assert starter.load_leaders([first.cohort])[first.cohort].run.digest == first.record


def test_opportunities_are_filtered_by_hardware_and_family(starter: Catalog) -> None:
    families = [Condition("family", "eq", "rope"), Condition("hardware", "eq", "NVIDIA H100")]

    for where in families:
        found = starter.page_opportunities(V1, where, (), ALL)
        whole = starter.page_opportunities(V1, None, (), ALL)
        assert 0 < found.total_count < whole.total_count
        cohorts = starter.load_cohorts(one.cohort for one in found.items)
        if where.field == "family":
            assert {cohort.family for cohort in cohorts.values()} == {"rope"}
    least = starter.page_opportunities(V1, None, (Order("ratio"),), PageRequest(first=1))
    assert least.items[0].record_ratio == min(
        one.record_ratio
        for one in starter.page_opportunities(V1, None, (Order("ratio"),), ALL).items
    )


def test_a_record_below_its_floor_is_listed_with_what_explains_it(
    small: Small, tmp_path: Path
) -> None:
    operation = small.operation()
    fast = small.implementation(operation)
    huge = small.workload(operation, rows=1 << 15, columns=1 << 15)
    impossible = small.run(fast, huge, 1000)
    small.run(fast, small.workload(operation, rows=1 << 14, columns=1 << 15), 10**9)
    catalog = small.publish(tmp_path)

    audit = catalog.audit_headroom(V2, ALL)

    (found,) = audit.below.items
    assert found.record == impossible
    assert found.below_floor is not None
    assert found.below_floor.value == "IMPOSSIBLE"
    assert found.record_ratio < 1
    assert found.record_ns == pytest.approx(1000)
    assert list(audit.counts.below_counts) == [(found.below_floor, 1)]


def test_an_audit_is_sorted_as_asked(small: Small, tmp_path: Path) -> None:
    operation = small.operation()
    fast = small.implementation(operation)
    for rows, value in ((1 << 13, 1000), (1 << 14, 1000), (1 << 15, 1000)):
        small.run(fast, small.workload(operation, rows=rows, columns=1 << 15), value)
    catalog = small.publish(tmp_path)

    def ratios(*order: Order) -> list[float]:
        return [one.record_ratio for one in catalog.audit_headroom(V2, ALL, order).below.items]

    assert len(ratios()) == 3
    assert ratios() == sorted(ratios()) == ratios(Order("ratio"))
    assert ratios(Order("ratio", is_descending=True)) == ratios()[::-1]


def test_floors_are_kept_where_nothing_changed_and_judged_where_a_record_did(
    small: Small, tmp_path: Path
) -> None:
    operation = small.operation()
    fast, slow = small.implementation(operation), small.implementation(operation, "slow")
    one, other = (small.workload(operation, rows=rows, columns=8) for rows in (1024, 2048))
    small.run(slow, one, 10**6)
    small.run(slow, other, 10**6)
    source = small.open(tmp_path)
    before = {
        item.cohort: item.record_ratio
        for item in source.current().page_opportunities(V2, None, (), ALL).items
    }

    better = small.run(fast, one, 10**5, day=1)
    small.append()
    assert source.refresh()
    after = source.current().page_opportunities(V2, None, (), ALL).items

    changed = next(item for item in after if item.record == better)
    kept = next(item for item in after if item.record != better)
    assert changed.record_ratio == pytest.approx(before[changed.cohort] / 10)
    assert kept.record_ratio == before[kept.cohort]


def test_an_audit_costs_a_fixed_number_of_statements(starter: Catalog) -> None:
    for policy in HeadroomPolicy:
        before = starter.statement_count
        starter.audit_headroom(policy, ALL)
        assert starter.statement_count - before <= 3
