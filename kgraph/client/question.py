"""What the clients ask, apart from how they send it: filters, requests and rows of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

from kgraph.client.errors import NOT_FOUND, KgraphClientError
from kgraph.client.generated.enums import EvidenceLevel
from kgraph.client.generated.input_types import (
    AxisInput,
    DigestTest,
    ResolveInput,
    SoftwareInput,
    StringTest,
    TensorInput,
)
from kgraph.client.rows import Page, Table, make_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgraph.client.generated.fragments import RankedRow, SweepPart
    from kgraph.client.generated.ranking import Ranking
    from kgraph.client.generated.sweeps import Sweeps

W = TypeVar("W", bound=BaseModel)


class SweepRow(BaseModel):
    """One run on a sweep: one implementation at one place of the axis."""

    model_config = ConfigDict(frozen=True)

    axis: str
    """The axis that varies."""
    axis_value: int
    """Where on it."""
    value: float
    """Primary measurement, in `unit`."""
    unit: str
    display: str
    """The value for people."""
    metric: str
    statistic: str | None
    implementation: str
    """Its title."""
    language: str
    hardware: str
    """Product that it is measured on."""
    protocol: str
    """Title of how it is measured."""
    held: str
    """The axes that do not vary, as `hidden = 4096 · vocab = 128256`."""
    dtypes: list[str]
    run: str
    """Spec digest of the run."""
    workload: str
    """Spec digest of its workload."""


def narrow(
    kind: type[W],
    where: W | None,
    *,
    operation: str | None = None,
    family: str | None = None,
    hardware: str | None = None,
    cohort: str | None = None,
) -> W | None:
    """The filter with the tests added that are named; None where nothing narrows the list."""
    texts = {"operation": operation, "family": family, "hardware": hardware}
    tests: dict[str, Any] = {
        name: StringTest(eq=value) for name, value in texts.items() if value is not None
    }
    if cohort is not None:
        tests["cohort"] = DigestTest(eq=cohort)
    if not tests:
        return where
    if where is not None:
        tests["and_"] = [where]
    return kind(**tests)


def make_request(
    operation: str,
    *,
    axes: Mapping[str, int] | None,
    dtypes: Sequence[str] | None,
    tensors: Sequence[TensorInput] | None,
    hardware: str | None,
    software: Mapping[str, str | None] | None,
    minimum_evidence: EvidenceLevel | str | None,
    licenses: Sequence[str] | None,
    languages: Sequence[str] | None,
    deployable: bool | None,
) -> ResolveInput:
    """What `resolve` is asked; what is left out may be anything."""
    given: dict[str, Any] = {
        "dtypes": _as_list(dtypes),
        "tensors": _as_list(tensors),
        "hardware": hardware,
        "licenses": _as_list(licenses),
        "languages": _as_list(languages),
        "deployable": deployable,
    }
    if axes is not None:
        given["axes"] = [AxisInput(name=name, value=value) for name, value in axes.items()]
    if software is not None:
        given["software"] = [
            SoftwareInput(name=name, **({} if version is None else {"version": version}))
            for name, version in software.items()
        ]
    if minimum_evidence is not None:
        given["minimum_evidence"] = EvidenceLevel(minimum_evidence)
    stated = {name: value for name, value in given.items() if value is not None}
    return ResolveInput(operation=operation, **stated)


def read_ranking(answer: Ranking, cohort: str) -> Page[RankedRow]:
    """A page of a cohort's ranking.

    Raises:
        KgraphClientError: there is no such cohort.
    """
    if answer.cohort is None:
        raise KgraphClientError(NOT_FOUND, f"cohort: found no {cohort!r} in this catalogue")
    return make_page(answer.catalog.snapshot, answer.cohort.ranking)


def read_sweeps(answer: Sweeps, slug: str, axis: str | None) -> Table[SweepRow]:
    """A row for each point of an operation's sweeps, along all axes or one.

    Raises:
        KgraphClientError: there is no such operation.
    """
    if answer.operation is None:
        raise KgraphClientError(NOT_FOUND, f"operation: found no {slug!r} in this catalogue")
    chosen = [sweep for sweep in answer.operation.sweeps if axis in {None, sweep.axis}]
    return Table(SweepRow, [row for sweep in chosen for row in _read_points(sweep)])


def _read_points(sweep: SweepPart) -> Iterable[SweepRow]:
    held = " · ".join(f"{axis.name} = {axis.value}" for axis in sweep.held_axes)
    for series in sweep.series:
        for point in series.points:
            yield SweepRow(
                axis=sweep.axis,
                axis_value=point.axis_value,
                value=point.value,
                unit=sweep.unit,
                display=point.display,
                metric=sweep.metric.name,
                statistic=sweep.metric.statistic,
                implementation=series.implementation.title,
                language=series.implementation.language,
                hardware=sweep.hardware.product,
                protocol=sweep.protocol.title,
                held=held,
                dtypes=sweep.dtypes,
                run=point.run.digest,
                workload=point.workload.digest,
            )


def _as_list(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else list(values)
