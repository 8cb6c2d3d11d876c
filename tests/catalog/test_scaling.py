from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import Small

from kgraph.facts import PageRequest

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.catalog import Catalog, Sweep
    from kgraph.digest import SpecDigest

Curves = dict[str, dict[int, int]]
"""Median by implementation and axis value."""


def sweep_of(small: Small, folder: Path, curves: Curves) -> tuple[Sweep, dict[SpecDigest, str]]:
    """The sweep along `rows` of some curves, and what its implementations are called."""
    operation, names = add_curves(small, "op", curves)
    (sweep,) = small.publish(folder).load_sweeps([operation])[operation]
    assert sweep.axis == "rows"
    return sweep, names


def add_curves(small: Small, slug: str, curves: Curves) -> tuple[SpecDigest, dict[SpecDigest, str]]:
    """An operation with the runs of some curves, and what its implementations are called."""
    operation = small.operation(slug)
    names: dict[SpecDigest, str] = {}
    for name, points in curves.items():
        implementation = small.implementation(operation, name)
        names[implementation] = name
        for rows, median in points.items():
            case = small.workload(operation, rows=rows, columns=8)
            small.run(implementation, case, median)
    return operation, names


def crossings(sweep: Sweep, names: dict[SpecDigest, str]) -> list[tuple[object, ...]]:
    return [
        (
            one.below,
            one.above,
            "+".join(sorted(names[leader] for leader in one.leaders_below)),
            "+".join(sorted(names[leader] for leader in one.leaders_above)),
            one.is_confirmed,
        )
        for one in sweep.crossovers
    ]


@pytest.mark.parametrize(
    ("curves", "expected"),
    [
        ({"a": {1: 10, 2: 20, 4: 40}, "b": {1: 20, 2: 30, 4: 35}}, [(2, 4, "a", "b", True)]),
        ({"a": {1: 10, 2: 20}, "b": {1: 20, 2: 30}}, []),
        (
            {"a": {1: 10, 2: 30, 4: 40}, "b": {1: 20, 2: 20, 4: 50}},
            [(1, 2, "a", "b", True), (2, 4, "b", "a", True)],
        ),
        # A shared lead does not pass on until somebody leads alone.
        ({"a": {1: 10, 2: 20, 4: 40}, "b": {1: 20, 2: 20, 4: 30}}, [(2, 4, "a", "b", True)]),
        ({"a": {1: 10, 2: 20, 4: 30}, "b": {1: 20, 2: 20, 4: 40}}, []),
        # Whether b would have led at 1 is not known: it was not measured there.
        ({"a": {1: 10, 2: 20, 4: 40}, "b": {2: 15, 4: 30}}, [(1, 2, "a", "b", False)]),
        # An implementation with one point leads there like any other.
        ({"a": {1: 10, 2: 20}, "c": {2: 5}}, [(1, 2, "a", "c", False)]),
    ],
    ids=["once", "never", "twice", "tie", "tie-undone", "unmeasured", "single"],
)
def test_the_lead_passes_on_between_measured_values(
    small: Small, tmp_path: Path, curves: Curves, expected: list[tuple[object, ...]]
) -> None:
    sweep, names = sweep_of(small, tmp_path, curves)

    assert crossings(sweep, names) == expected


def test_leaders_are_named_at_every_measured_value(small: Small, tmp_path: Path) -> None:
    curves = {"a": {1: 10, 2: 20, 4: 40}, "b": {1: 20, 2: 20}}

    sweep, names = sweep_of(small, tmp_path, curves)

    led = [sorted(names[leader] for leader in one.implementations) for one in sweep.leaders]
    assert led == [["a"], ["a", "b"], ["a"]]
    assert [(one.axis_value, one.value) for one in sweep.leaders] == [(1, 10), (2, 20), (4, 40)]
    assert [one.measured_count for one in sweep.leaders] == [2, 2, 1]


curves_drawn = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from([1, 2, 4, 8]), st.integers(1, 5), min_size=2),
    min_size=1,
)


# Few and long examples: making a catalogue is what costs.
@settings(max_examples=3)
@given(drawn=st.lists(curves_drawn, min_size=20, max_size=40))
def test_a_confirmed_crossover_is_seen_in_the_values_themselves(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Curves]
) -> None:
    small = Small()
    added = [add_curves(small, f"op {number}", curves) for number, curves in enumerate(drawn)]
    catalog = small.publish(tmp_path_factory.mktemp("drawn"))
    sweeps = catalog.load_sweeps(operation for operation, _ in added)

    for (operation, names), curves in zip(added, drawn, strict=True):
        (sweep,) = sweeps[operation]
        check_crossovers(sweep, names, curves)


def check_crossovers(sweep: Sweep, names: dict[SpecDigest, str], curves: Curves) -> None:
    values = sorted({rows for points in curves.values() for rows in points})
    assert [leader.axis_value for leader in sweep.leaders] == values
    for one in sweep.crossovers:
        assert values.index(one.above) == values.index(one.below) + 1
        before = {names[leader] for leader in one.leaders_below}
        after = {names[leader] for leader in one.leaders_above}
        assert not before & after
        best = {
            rows: min(points[rows] for points in curves.values() if rows in points)
            for rows in (one.below, one.above)
        }
        assert all(curves[name][one.below] == best[one.below] for name in before)
        assert all(curves[name][one.above] == best[one.above] for name in after)
        is_whole = all(
            one.below in curves[name] and one.above in curves[name] for name in before | after
        )
        assert one.is_confirmed == is_whole
        if one.is_confirmed:
            for early in before:
                for late in after:
                    assert curves[early][one.below] <= curves[late][one.below]
                    assert curves[early][one.above] > curves[late][one.above]


def test_sweeps_of_the_starter_lead_to_runs_that_are_there(starter: Catalog) -> None:
    operations = starter.page_operations(None, (), PageRequest(first=200)).items
    found = starter.load_sweeps(one.digest for one in operations)

    crossed = [sweep for sweeps in found.values() for sweep in sweeps if sweep.crossovers]
    assert crossed
    leaders = [leader for sweep in crossed for leader in sweep.leaders]
    runs = starter.load_runs(leader.run for leader in leaders)
    for leader in leaders:
        assert runs[leader.run].run.value == leader.value
        assert runs[leader.run].run.implementation in leader.implementations
