"""Small values that several types hold: metrics, axes, tensors, evidence."""

from __future__ import annotations

from kgraph.api.describe import object_type, plain
from kgraph.api.enums import EvidenceLevel
from kgraph.api.scalars import BigInt, Json
from kgraph.facts import AggregateFact, MeasurementFact, RunVerdict, TensorFact
from kgraph.units import format_quantity


@object_type
class Metric:
    """What a cohort is ranked by."""

    name: str = plain("Name of the metric, as `latency`; `none` where runs have no primary value.")
    statistic: str | None = plain("Over the samples of a run, as `median`; null where not stated.")
    unit: str | None = plain("Unit of the value, as `ns`; null where the metric has none.")


@object_type
class Quantity:
    """A primary measurement."""

    metric: str = plain("Name of the metric, as `latency`.")
    statistic: str | None = plain("Over the samples, as `median`; null where not stated.")
    unit: str | None = plain("Unit of the value; null where the metric has none.")
    value: float = plain("The number, in `unit`; integer nanoseconds for latencies.")
    display: str = plain("For people: unit and one decimal, as `59.2 ms`.")


@object_type
class Measurement:
    """One number that a source reports beside the primary measurement."""

    metric: str = plain("Name of the metric.")
    statistic: str | None = plain("Over the samples, as `p20`; null where not stated.")
    unit: str = plain("Unit of the value.")
    value: float = plain("The number, in `unit`.")
    display: str = plain("For people, with its unit.")
    sample_count: int | None = plain("Samples it was made from; null where not stated.")

    @classmethod
    def from_fact(cls, fact: MeasurementFact) -> Measurement:
        """The measurement as the API shows it."""
        return cls(
            metric=fact.metric,
            statistic=fact.statistic,
            unit=fact.unit,
            value=fact.value,
            display=format_quantity(fact.value, fact.unit),
            sample_count=fact.sample_count,
        )


@object_type
class Evidence:
    """How well a run is supported; derived by this catalogue, never submitted."""

    level: EvidenceLevel = plain("The level.")
    reasons: list[str] = plain("Codes of what was found and what is missing.", size=3)

    @classmethod
    def from_verdict(cls, verdict: RunVerdict) -> Evidence:
        """What policy found."""
        return cls(level=verdict.evidence, reasons=list(verdict.evidence_reasons))


@object_type
class Eligibility:
    """Whether a run takes part in ranking."""

    eligible: bool = plain("Whether it does.")
    reasons: list[str] = plain(
        "Codes of why it does not, as `STATUS_COMPILE_ERROR`; else of the rules it meets.",
        size=4,
    )

    @classmethod
    def from_verdict(cls, verdict: RunVerdict) -> Eligibility:
        """What policy found."""
        return cls(eligible=verdict.is_eligible, reasons=list(verdict.reasons))


@object_type
class AxisValue:
    """An axis of an operation with the size that a workload gives it."""

    name: str = plain("Name of the axis, as `tokens`.")
    value: BigInt = plain("Its size.")

    @classmethod
    def from_pairs(cls, pairs: tuple[tuple[str, int], ...]) -> list[AxisValue]:
        """One for each name and value, in order."""
        return [cls(name=name, value=BigInt(value)) for name, value in pairs]


@object_type
class Tensor:
    """A concrete tensor of a workload."""

    name: str = plain("Name of the operand it stands for.")
    dtype: str = plain("Element type, as `bf16`.")
    shape: list[BigInt] | None = plain(
        "Sizes, outermost first; null where the workload does not state them.", size=4
    )
    layout: str | None = plain("Memory layout; null where not stated.")

    @classmethod
    def from_fact(cls, fact: TensorFact) -> Tensor:
        """The tensor as the API shows it."""
        shape = None if fact.shape is None else [BigInt(int(size)) for size in fact.shape]
        return cls(name=fact.name, dtype=fact.dtype, shape=shape, layout=fact.layout)


@object_type
class Scalar:
    """A scalar argument that a workload fixes."""

    name: str = plain("Name of the operand.")
    dtype: str = plain("Its type.")
    value: Json = plain("The value: a number, a truth value or text.")


@object_type
class Software:
    """Something installed in an environment."""

    name: str = plain("What it is, as `driver`.")
    version: str = plain("Its version, as the source states it.")


@object_type
class FacetCount:
    """How many items of a list share a value; the list's filter counts, the page does not."""

    value: str = plain("The shared value.")
    count: int = plain("How many items have it.")


@object_type
class Aggregate:
    """Summary of the primary values of a list; its filter counts, its page does not."""

    metric: Metric = plain("What is summarised; values of different metrics are never mixed.")
    count: int = plain("How many runs.")
    minimum: float = plain("Smallest value, in the metric's unit.")
    median: float = plain("Median value.")
    maximum: float = plain("Largest value.")
    geometric_mean_ratio: float | None = plain(
        "Geometric mean of eligible runs' ratios to their cohort's leader; null without any."
    )

    @classmethod
    def from_fact(cls, fact: AggregateFact) -> Aggregate:
        """The summary as the API shows it."""
        return cls(
            metric=Metric(name=fact.metric, statistic=fact.statistic, unit=fact.unit),
            count=fact.count,
            minimum=fact.minimum,
            median=fact.median,
            maximum=fact.maximum,
            geometric_mean_ratio=fact.geometric_mean_ratio,
        )
