"""Runs side by side: what differs, which of it forbids to compare them, and who wins if anybody.

Material is what makes a cohort (`domain.md` §3): operation, workload, protocol, environment and
metric. Everything else may differ between runs that compete. A winner is named inside one cohort
alone, by the ranks that stand there; across cohorts the answer is what would have to match. The
order in which runs are given changes nothing but the order in which they are shown.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        EnvironmentFact,
        ImplementationFact,
        JudgedRun,
        OperationFact,
        ProtocolFact,
        TensorFact,
        WorkloadFact,
    )
    from kgraph.vocab import CohortKey

MIN_COMPARED = 2
MAX_COMPARED = 8
"""How many runs are compared at once; more are a ranking."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with all that it depends on."""

    judged: JudgedRun
    operation: OperationFact
    workload: WorkloadFact
    protocol: ProtocolFact
    environment: EnvironmentFact
    implementation: ImplementationFact


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field across the runs."""

    name: str
    """As `workload.axes.tokens`, `environment.software.triton` or `implementation.language`."""
    values: tuple[str | None, ...]
    """Of each run in the order given; None where it states nothing."""
    is_equal: bool
    is_material: bool
    """Whether runs that differ in it may not be compared."""


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """The compared runs of one cohort."""

    cohort: CohortKey
    runs: tuple[SpecDigest, ...]
    """In display order of their ranking; runs without a rank last, by digest."""
    winner: SpecDigest | None
    """The one run of the best rank; None where two share it or fewer than two have a rank."""
    tied: tuple[SpecDigest, ...]
    """Runs that share the best rank; empty where there is a winner or nothing to decide."""
    ratios: tuple[float | None, ...]
    """Of each of `runs` to the best of them, above 1 is worse; None without a rank."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between runs, and what may be said of it."""

    runs: tuple[SpecDigest, ...]
    """In the order given."""
    fields: tuple[ComparedField, ...]
    """In one fixed order: material ones first, parts before the manifest that they are part of."""
    is_comparable: bool
    """Whether all runs are of one cohort."""
    winner: SpecDigest | None
    """Of that cohort's runs; None where the runs are not comparable, tied, or not ranked."""
    first_material_difference: ComparedField | None
    """None where the runs are comparable."""
    must_match: tuple[ComparedField, ...]
    """What would have to be equal for a comparison; empty where the runs are comparable."""
    groups: tuple[ComparedGroup, ...]
    """The runs by cohort, by its key."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What one run states in one field."""

    section: str
    """The manifest that it is part of; the field of that name is its digest."""
    name: str
    value: str | None


def compare_runs(runs: Sequence[ComparedRun]) -> Comparison:
    """The runs field by field, and a winner where the ranking of one cohort has one.

    Args:
        runs: 2 to 8 distinct runs.
    """
    material = _tabulate([list(_state_material(run)) for run in runs], is_material=True)
    other = _tabulate([list(_state_other(run)) for run in runs], is_material=False)
    groups = _group(runs)
    must_match = tuple(_find_needed(material))
    is_comparable = len(groups) == 1
    return Comparison(
        runs=tuple(run.judged.run.digest for run in runs),
        fields=tuple(one for _, one in (*material, *other)),
        is_comparable=is_comparable,
        winner=groups[0].winner if is_comparable else None,
        first_material_difference=must_match[0] if must_match else None,
        must_match=must_match,
        groups=groups,
    )


# --- fields ----------------------------------------------------------------------------------


def _tabulate(
    stated: Sequence[Sequence[_Statement]], *, is_material: bool
) -> list[tuple[str, ComparedField]]:
    """Every field with its section, in the order of the statements; parts by name in a section."""
    by_run = [{one.name: one.value for one in statements} for statements in stated]
    sections: dict[str, dict[str, None]] = {}
    for statements in stated:
        for one in statements:
            sections.setdefault(one.section, {})[one.name] = None
    fields: list[tuple[str, ComparedField]] = []
    for section, names in sections.items():
        # Axes, tensors and software are named by the runs: sorted, so that no run comes first.
        for name in sorted(names, key=lambda name: (name == section, name)):
            values = tuple(values.get(name) for values in by_run)
            is_equal = len(set(values)) == 1
            fields.append((section, ComparedField(name, values, is_equal, is_material)))
    return fields


def _find_needed(fields: Iterable[tuple[str, ComparedField]]) -> Iterator[ComparedField]:
    """Material differences; a manifest's digest only where none of its known parts says why."""
    explained: set[str] = set()
    for section, one in fields:
        if one.is_equal or (one.name == section and section in explained):
            continue
        explained.add(section)
        yield one


def _state_material(run: ComparedRun) -> Iterator[_Statement]:
    yield _Statement("operation", "operation", run.operation.digest)
    for name, value in _list_workload(run.workload):
        yield _Statement("workload", f"workload.{name}", value)
    yield _Statement("workload", "workload", run.workload.digest)
    for name, value in _list_environment(run.environment):
        yield _Statement("environment", f"environment.{name}", value)
    yield _Statement("environment", "environment", run.environment.digest)
    for name, value in _list_protocol(run.protocol):
        yield _Statement("protocol", f"protocol.{name}", value)
    yield _Statement("protocol", "protocol", run.protocol.digest)
    measured = run.judged.run
    yield _Statement("measurement", "metric", measured.metric)
    yield _Statement("measurement", "metric.statistic", measured.statistic)
    yield _Statement("measurement", "metric.unit", measured.unit)


def _list_workload(workload: WorkloadFact) -> Iterator[tuple[str, str | None]]:
    for name, value in workload.axes:
        yield f"axes.{name}", str(value)
    for tensor in workload.tensors:
        yield f"tensors.{tensor.name}", _show_tensor(tensor)
    for scalar in workload.scalars:
        yield f"scalars.{scalar.name}", f"{scalar.dtype} {scalar.value}"
    yield "comparator", workload.comparator
    if workload.is_suite:
        cases = (
            ", ".join(f"{name}={value}" for name, value in case) for case in workload.case_axes
        )
        yield "cases", "; ".join(cases)
        yield "aggregation.metric", workload.aggregation_metric
        yield "aggregation.statistic", workload.aggregation_statistic


def _show_tensor(tensor: TensorFact) -> str:
    shape = "scalar" if tensor.shape is None else f"[{', '.join(map(str, tensor.shape))}]"
    return " ".join(part for part in (tensor.dtype, shape, tensor.layout) if part)


def _list_environment(environment: EnvironmentFact) -> Iterator[tuple[str, str | None]]:
    hardware = environment.hardware
    yield "hardware.vendor", hardware.vendor
    yield "hardware.product", hardware.product
    yield "hardware.formFactor", hardware.form_factor
    yield "hardware.architecture", hardware.architecture
    yield "hardware.memoryBytes", _show(hardware.memory_bytes)
    yield "hardware.count", _show(hardware.count)
    yield "hardware.interconnect", hardware.interconnect
    for name, version in environment.software:
        yield f"software.{name}", version


def _list_protocol(protocol: ProtocolFact) -> Iterator[tuple[str, str | None]]:
    yield "harness.name", protocol.harness_name
    yield "harness.repository", protocol.harness_repository
    yield "harness.version", protocol.harness_version
    yield "timer", protocol.timer
    yield "primaryStatistic", protocol.primary_statistic
    yield "timedPass", protocol.timed_pass
    yield "cacheFlush", _show(protocol.flushes_cache)
    yield "comparability.family", protocol.comparability_family


def _state_other(run: ComparedRun) -> Iterator[_Statement]:
    implementation, measured = run.implementation, run.judged.run
    project = implementation.project
    for name, value in (
        ("title", implementation.title),
        ("language", implementation.language),
        ("version", implementation.version),
        ("commit", implementation.commit),
        ("project", None if project is None else project.name),
        ("license", implementation.license_concluded or implementation.license_declared),
        ("install", implementation.install_command),
        ("role", "baseline" if implementation.is_baseline else None),
    ):
        yield _Statement("implementation", f"implementation.{name}", value)
    yield _Statement("implementation", "implementation", implementation.digest)
    for name, value in (
        ("source", measured.source),
        ("status", measured.status.value),
        ("evidence", run.judged.verdict.evidence.value),
        ("observedAt", measured.observed_at.isoformat()),
        ("value", _show(measured.value)),
        ("interval", _show_interval(measured.interval_low, measured.interval_high)),
        ("samples", _show(measured.sample_count)),
    ):
        yield _Statement("run", f"run.{name}", value)
    yield _Statement("run", "run", measured.digest)


def _show(value: float | bool | None) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else f"{value:.17g}"


def _show_interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.17g} to {high:.17g}"


# --- winners ---------------------------------------------------------------------------------


def _group(runs: Iterable[ComparedRun]) -> tuple[ComparedGroup, ...]:
    cohorts: defaultdict[CohortKey, list[JudgedRun]] = defaultdict(list)
    for run in runs:
        cohorts[run.judged.run.cohort].append(run.judged)
    return tuple(_make_group(key, members) for key, members in sorted(cohorts.items()))


def _make_group(key: CohortKey, members: list[JudgedRun]) -> ComparedGroup:
    members.sort(
        key=lambda one: (one.standing.position if one.standing else 1 << 62, one.run.digest)
    )
    standings = [one.standing for one in members]
    ranked = [standing for standing in standings if standing is not None]
    # The ranks of the whole cohort: leaving runs out never turns a tie into a win.
    best = [standing.run for standing in ranked if standing.rank == ranked[0].rank]
    is_decided = len(ranked) >= MIN_COMPARED
    return ComparedGroup(
        cohort=key,
        runs=tuple(one.run.digest for one in members),
        winner=best[0] if is_decided and len(best) == 1 else None,
        tied=tuple(sorted(best)) if is_decided and len(best) > 1 else (),
        ratios=tuple(
            None
            if standing is None
            else standing.ratio_to_leader / min(one.ratio_to_leader for one in ranked)
            for standing in standings
        ),
    )
