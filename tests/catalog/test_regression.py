from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgraph.catalog import UnknownLineageError
from kgraph.policy import ChangeVerdict

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.catalog import Catalog, RegressionView
    from kgraph.digest import SpecDigest

HOME = "https://example.org/kernels"


def revise(small: Small, operation: SpecDigest, version: str, title: str = "fast") -> SpecDigest:
    revision = {"repository": HOME, "version": version}
    return small.implementation(operation, title, projectRevision=revision)


def history(small: Small) -> dict[int, SpecDigest]:
    """Three versions over two cases: one gets slower with 0.8, one was not measured then."""
    small.project("kernels")
    operation = small.operation()
    cases = {rows: small.workload(operation, rows=rows, columns=8) for rows in (1, 2)}
    versions = {name: revise(small, operation, name) for name in ("0.6", "0.7", "0.8")}
    for day, (name, medians) in enumerate(
        {"0.6": {1: 100, 2: 100}, "0.7": {1: 100, 2: 150}, "0.8": {1: 120}}.items()
    ):
        for rows, median in medians.items():
            small.run(versions[name], cases[rows], median, day=day)
    small.run(small.implementation(operation, "rival"), cases[1], 10, day=9)
    return cases


def ask(catalog: Catalog, implementation: str = "fast", **named: object) -> RegressionView:
    options = {"threshold": 0.05, **named}
    return catalog.find_regression("double", implementation, **options)  # type: ignore[arg-type]  # named by each test


def test_the_newest_version_is_held_against_the_one_before(small: Small, tmp_path: Path) -> None:
    history(small)
    view = ask(small.publish(tmp_path))

    assert [one.version for one in view.revisions] == ["0.6", "0.7", "0.8"]
    assert [one.version for one in view.candidate] == ["0.8"]
    assert (view.compared_count, view.slower_count, view.faster_count) == (1, 1, 0)
    first, second = view.series
    assert first.change is not None
    assert first.change.verdict is ChangeVerdict.SLOWER
    assert first.change.ratio == pytest.approx(1.2)
    # What got slower with 0.7 is no news of 0.8.
    assert second.change is None
    assert second.reason == "The revision that is asked about was not measured here."


def test_an_earlier_version_can_be_asked_about(small: Small, tmp_path: Path) -> None:
    history(small)
    catalog = small.publish(tmp_path)

    view = ask(catalog, version="0.7")
    against = ask(catalog, version="0.8", baseline="0.6")

    changes = [one.change for one in view.series if one.change]
    assert [change.ratio for change in changes] == [1.5, 1.0]
    assert (against.compared_count, against.slower_count) == (1, 1)


def test_other_implementations_are_no_part_of_the_lineage(small: Small, tmp_path: Path) -> None:
    history(small)
    view = ask(small.publish(tmp_path))

    lineage = {one.digest for one in view.revisions}
    points = [point for series in view.series for point in series.points]
    assert {point.implementation for point in points} == lineage
    assert len(points) == 5


def test_cohorts_of_one_setting_are_summed_up(small: Small, tmp_path: Path) -> None:
    small.project("kernels")
    operation = small.operation()
    old, new = (revise(small, operation, version) for version in ("1", "2"))
    for rows, (before, after) in {1: (100, 200), 2: (100, 50)}.items():
        case = small.workload(operation, rows=rows, columns=8)
        small.run(old, case, before)
        small.run(new, case, after, day=1)
    view = ask(small.publish(tmp_path))

    (setting,) = view.settings
    assert len(setting.cohorts) == 2
    assert setting.geometric_mean_ratio == pytest.approx(1.0)
    assert setting.worst_ratio == 2.0
    assert (view.slower_count, view.faster_count) == (1, 1)


def test_only_the_cohorts_that_are_named_are_looked_at(small: Small, tmp_path: Path) -> None:
    history(small)
    catalog = small.publish(tmp_path)
    whole = ask(catalog)

    part = ask(catalog, cohorts=[whole.series[0].cohort])

    assert part.series == whole.series[:1]
    assert part.revisions == whole.revisions


@pytest.mark.parametrize("name", ["fast", "FAST", "kernels/fast"])
def test_a_lineage_is_named_by_title(small: Small, tmp_path: Path, name: str) -> None:
    history(small)
    view = ask(small.publish(tmp_path), name)

    assert len(view.revisions) == 3


def test_a_lineage_is_named_by_the_digest_of_any_revision(small: Small, tmp_path: Path) -> None:
    history(small)
    catalog = small.publish(tmp_path)
    whole = ask(catalog)

    for revision in whole.revisions:
        assert ask(catalog, revision.digest) == whole
        assert ask(catalog, revision.digest.partition(":")[2][:12]) == whole


def test_a_name_that_means_nothing_or_several_is_refused(small: Small, tmp_path: Path) -> None:
    small.project("kernels")
    operation = small.operation()
    revise(small, operation, "1")
    small.implementation(operation)
    catalog = small.publish(tmp_path)

    with pytest.raises(UnknownLineageError, match="one implementation: fast, kernels/fast"):
        ask(catalog)
    with pytest.raises(UnknownLineageError, match=r"implementation: found 'fats', .*fast"):
        ask(catalog, "fats")
    with pytest.raises(UnknownLineageError, match=r"a version of the lineage: 1"):
        ask(catalog, "kernels/fast", baseline="9")
    with pytest.raises(UnknownLineageError, match="double"):
        catalog.find_regression("doubel", "fast", threshold=0.05)


def test_a_regression_costs_a_fixed_number_of_statements(starter: Catalog) -> None:
    for slug in ("liger-rope", "liger-fused-neighborhood-attention"):
        before = starter.statement_count
        starter.find_regression(slug, "liger-kernel/Liger", threshold=0.05)
        assert starter.statement_count - before <= 6
