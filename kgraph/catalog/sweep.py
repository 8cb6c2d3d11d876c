"""Sweeps: which measured workloads differ in one axis and nothing else."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgraph.catalog.answers import Sweep, SweepPoint, SweepSeries
from kgraph.catalog.crossover import find_crossovers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgraph.digest import SpecDigest
    from kgraph.facts import JudgedRun, WorkloadFact

_MIN_POINTS = 2


def find_sweeps(
    runs: Iterable[JudgedRun], workloads: Mapping[SpecDigest, WorkloadFact]
) -> tuple[Sweep, ...]:
    """Every sweep among the eligible runs of one operation.

    Two workloads are on one sweep when they have the same axes, dtypes, scalars and comparator
    and differ
    in the value of exactly one axis, and their runs share environment, protocol and metric.

    Returns:
        By axis, held axes, environment and protocol; none where no axis has two measured values.
    """
    groups: defaultdict[tuple[object, ...], list[tuple[int, JudgedRun]]] = defaultdict(list)
    for judged in runs:
        run = judged.run
        workload = workloads.get(run.workload)
        if workload is None or workload.is_suite or run.value is None or run.unit is None:
            continue
        dtypes = tuple(sorted((tensor.name, tensor.dtype) for tensor in workload.tensors))
        rest = (run.environment, run.protocol, run.metric, run.statistic, run.unit)
        for axis, value in workload.axes:
            held = tuple(item for item in workload.axes if item[0] != axis)
            alike = (axis, held, dtypes, workload.scalars, workload.comparator, workload.dtypes)
            groups[(*alike, *rest)].append((value, judged))
    sweeps = [
        sweep for key, members in groups.items() if (sweep := _make_sweep(key, members)) is not None
    ]
    return tuple(sorted(sweeps, key=_sort_key))


def _sort_key(sweep: Sweep) -> tuple[object, ...]:
    fastest = min(point.value for series in sweep.series for point in series.points)
    return (sweep.axis, sweep.held_axes, sweep.dtypes, sweep.environment, fastest, sweep.protocol)


def _make_sweep(key: tuple[object, ...], members: list[tuple[int, JudgedRun]]) -> Sweep | None:
    if len({value for value, _ in members}) < _MIN_POINTS:
        return None
    best: dict[SpecDigest, dict[int, JudgedRun]] = defaultdict(dict)
    for value, judged in members:
        at = best[judged.run.implementation]
        if value not in at or _position(judged) < _position(at[value]):
            at[value] = judged
    series = tuple(
        SweepSeries(
            implementation,
            tuple(
                SweepPoint(value, judged.run.workload, judged.run.digest, judged.run.value or 0.0)
                for value, judged in sorted(points.items())
            ),
        )
        for implementation, points in best.items()
        if len(points) >= _MIN_POINTS
    )
    if not series:
        return None
    # The implementation that leads at the largest common size comes first.
    ordered = sorted(
        series, key=lambda item: (-len(item.points), item.points[-1].value, item.implementation)
    )
    first = members[0][1].run
    leaders, crossovers = find_crossovers(members)
    return Sweep(
        axis=str(key[0]),
        held_axes=key[1],  # type: ignore[arg-type]  # a key is built just above, field by field
        dtypes=key[5],  # type: ignore[arg-type]  # likewise
        environment=first.environment,
        protocol=first.protocol,
        metric=first.metric,
        statistic=first.statistic,
        unit=first.unit or "",
        series=tuple(ordered),
        leaders=leaders,
        crossovers=crossovers,
    )


def _position(judged: JudgedRun) -> int:
    return judged.standing.position if judged.standing else 1 << 30
