"""Operations: what is computed, and who computes it fastest."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import AxisRole, Determinism, Mutation
from kgraph.api.inputs.facet import OperationFacet
from kgraph.api.lazy import (
    LazyCoverageConnection,
    LazyFamily,
    LazyFloorRowConnection,
    LazyImplementation,
    LazyImplementationConnection,
    LazyRun,
    LazyWorkload,
    LazyWorkloadConnection,
)
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import operation as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.scalars import BigInt
from kgraph.api.types.cohort import Cohort, RankedRun
from kgraph.api.types.environment import Environment, Hardware, Protocol
from kgraph.api.types.measure import Aggregate, AxisValue, FacetCount, Metric
from kgraph.api.types.source import Source
from kgraph.api.types.stored import StoredObject
from kgraph.catalog import Crossover as CrossoverFact
from kgraph.catalog import Sweep as SweepFact
from kgraph.catalog import SweepLeader as SweepLeaderFact
from kgraph.catalog import SweepPoint as SweepPointFact
from kgraph.catalog import SweepSeries as SweepSeriesFact
from kgraph.digest import SpecDigest
from kgraph.facts import AxisFact, Filter, OperationFact, TensorFact
from kgraph.units import format_quantity
from kgraph.vocab import Slug


@object_type
class Operand:
    """A declared input or output."""

    name: str = plain("Its name.")
    dtype: str = plain("Element type, as `bf16` or `float`.")
    shape: list[str] | None = plain(
        "Axis names or sizes, outermost first; null for a scalar.", size=4
    )
    layout: str | None = plain("Memory layout; null where not stated.")

    @classmethod
    def from_fact(cls, fact: TensorFact) -> Operand:
        """The operand as the API shows it."""
        return cls(
            name=fact.name,
            dtype=fact.dtype,
            shape=None if fact.shape is None else [str(size) for size in fact.shape],
            layout=fact.layout,
        )


@object_type
class Axis:
    """A named dimension of an operation."""

    name: str = plain("Its name.")
    role: AxisRole = plain("Where its value comes from.")
    expression: str | None = plain("Given for a derived axis only, as `hidden // 2`.")
    value: BigInt | None = plain("Given for a constant axis only.")

    @classmethod
    def from_fact(cls, fact: AxisFact) -> Axis:
        """The axis as the API shows it."""
        return cls(
            name=fact.name,
            role=AxisRole(fact.role),
            expression=fact.expression,
            value=None if fact.value is None else BigInt(fact.value),
        )


@object_type
class Semantics:
    """What an operation means."""

    determinism: Determinism = plain("Whether equal inputs must give equal outputs.")
    mutation: Mutation = plain("What it does to its inputs.")
    expression: str | None = plain("As a formula; null where not stated.")
    inputs: list[Operand] = plain("Inputs, in order.", size=5)
    outputs: list[Operand] = plain("Outputs, in order.", size=2)
    axes: list[Axis] = plain("Dimensions.", size=5)


@object_type
class LanguageEntry:
    """The fastest run of one language."""

    language: str = plain("Language of the kernel.")
    entry: RankedRun = plain("The run.")
    ratio_to_fastest: float = plain("1.0 for the fastest of all; above 1 is worse.")


@object_type
class Fastest:
    """Who is fastest in the operation's headline cohort: the one with most eligible runs."""

    cohort: Cohort = plain("The headline cohort.")
    reported: RankedRun = plain("Fastest of all.")
    deployable: RankedRun | None = plain("Fastest that can be used today; null where none can.")
    by_language: list[LanguageEntry] = plain("Fastest of each language, best first.", size=4)


@object_type
class SweepPoint:
    """One run on a sweep."""

    axis_value: BigInt = plain("Where on the axis.")
    value: float = plain("Primary measurement of the run, in the sweep's unit.")
    display: str = plain("The value for people.")
    run: LazyRun = linked(resolve.resolve_run_of_point, "The run.")
    workload: LazyWorkload = linked(resolve.resolve_workload_of_point, "Its workload.")
    run_digest: strawberry.Private[SpecDigest]
    workload_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: SweepPointFact, unit: str) -> SweepPoint:
        """The point as the API shows it."""
        return cls(
            axis_value=BigInt(fact.axis_value),
            value=fact.value,
            display=format_quantity(fact.value, unit),
            run_digest=fact.run,
            workload_digest=fact.workload,
        )


@object_type
class SweepSeries:
    """One implementation along a sweep."""

    implementation: LazyImplementation = linked(
        resolve.resolve_implementation_of_series, "The implementation."
    )
    points: list[SweepPoint] = plain("Its best run at each place, along the axis.", size=6)
    implementation_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: SweepSeriesFact, unit: str) -> SweepSeries:
        """The series as the API shows it."""
        return cls(
            points=[SweepPoint.from_fact(point, unit) for point in fact.points],
            implementation_digest=fact.implementation,
        )


@object_type
class SweepLeader:
    """Who is fastest at one measured value of the axis."""

    axis_value: BigInt = plain("Where on the axis.")
    value: float = plain("Primary measurement of the best run, in the sweep's unit.")
    display: str = plain("The value for people.")
    measured_count: int = plain("Implementations measured there, those with one point included.")
    run: LazyRun = linked(resolve.resolve_run_of_leader, "The best run.")
    implementations: list[LazyImplementation] = linked(
        resolve.resolve_implementations_of_leader, "Who leads; several where they tie.", size=1
    )
    run_digest: strawberry.Private[SpecDigest]
    implementation_digests: strawberry.Private[tuple[SpecDigest, ...]]

    @classmethod
    def from_fact(cls, fact: SweepLeaderFact, unit: str) -> SweepLeader:
        """The leader as the API shows it."""
        return cls(
            axis_value=BigInt(fact.axis_value),
            value=fact.value,
            display=format_quantity(fact.value, unit),
            measured_count=fact.measured_count,
            run_digest=fact.run,
            implementation_digests=fact.implementations,
        )


@object_type
class Crossover:
    """Two measured values between which the lead passes on; where between them is not known."""

    below: BigInt = plain("Largest measured value at which the earlier leaders still lead.")
    above: BigInt = plain("The next measured value.")
    confirmed: bool = plain(
        "Whether all of them are measured at both values; where not, the lead may pass on only "
        "because one was not measured."
    )
    leaders_below: list[LazyImplementation] = linked(
        resolve.resolve_leaders_below, "Who leads up to there.", size=1
    )
    leaders_above: list[LazyImplementation] = linked(
        resolve.resolve_leaders_above, "Who leads from there.", size=1
    )
    digests_below: strawberry.Private[tuple[SpecDigest, ...]]
    digests_above: strawberry.Private[tuple[SpecDigest, ...]]

    @classmethod
    def from_fact(cls, fact: CrossoverFact) -> Crossover:
        """The crossover as the API shows it."""
        return cls(
            below=BigInt(fact.below),
            above=BigInt(fact.above),
            confirmed=fact.is_confirmed,
            digests_below=fact.leaders_below,
            digests_above=fact.leaders_above,
        )


@object_type
class Sweep:
    """How implementations scale along one axis, everything else equal."""

    axis: str = plain("The axis that varies.")
    held_axes: list[AxisValue] = plain("Axes that do not.", size=4)
    dtypes: list[str] = plain("Element types of the tensors.", size=2)
    metric: Metric = plain("What is measured.")
    unit: str = plain("Unit of the values.")
    series: list[SweepSeries] = plain("One for each implementation.", size=4)
    leaders: list[SweepLeader] = plain(
        "Who is fastest at each measured value, along the axis; empty where it is not known which "
        "way the metric goes.",
        size=6,
    )
    crossovers: list[Crossover] = plain(
        "Where the lead passes from one implementation to another, along the axis.", size=2
    )
    protocol: Protocol = linked(resolve.resolve_protocol_of_sweep, "How it is measured.")
    environment: Environment = linked(resolve.resolve_environment_of_sweep, "Where it is measured.")
    hardware: Hardware = linked(resolve.resolve_hardware_of_sweep, "Device of the environment.")
    protocol_digest: strawberry.Private[SpecDigest]
    environment_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: SweepFact) -> Sweep:
        """The sweep as the API shows it."""
        return cls(
            axis=fact.axis,
            held_axes=AxisValue.from_pairs(fact.held_axes),
            dtypes=list(fact.dtypes),
            metric=Metric(name=fact.metric, statistic=fact.statistic, unit=fact.unit),
            unit=fact.unit,
            series=[SweepSeries.from_fact(series, fact.unit) for series in fact.series],
            leaders=[SweepLeader.from_fact(leader, fact.unit) for leader in fact.leaders],
            crossovers=[Crossover.from_fact(crossover) for crossover in fact.crossovers],
            protocol_digest=fact.protocol,
            environment_digest=fact.environment,
        )


@object_type
class Operation(Node):
    """What is computed: axes, inputs, outputs and meaning, whoever implements it."""

    slug: str = plain("Name in addresses and filters.")
    digest: SpecDigest = plain("Spec digest of its manifest.")
    title: str = plain("Name for people.")
    description: str | None = plain("What it computes; null where not stated.")
    aliases: list[str] = plain("Other names that find it.", size=2)
    tags: list[str] = plain("Tags that the catalogue gives it.", size=2)
    run_count: int = plain("Runs of it, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing eligible is stored."
    )
    semantics: Semantics = plain("What it means.")
    family: LazyFamily = linked(resolve.resolve_family_of_operation, "Family that it belongs to.")
    fastest: Fastest | None = linked(
        resolve.resolve_fastest, "Who is fastest; null where nothing eligible is stored."
    )
    workloads: LazyWorkloadConnection = linked(
        resolve.resolve_workloads_of_operation, "Its measured instances, measured ones first."
    )
    implementations: LazyImplementationConnection = linked(
        resolve.resolve_implementations_of_operation, "Code that computes it, by title."
    )
    sweeps: list[Sweep] = linked(
        resolve.resolve_sweeps, "How implementations scale along an axis.", size=4
    )
    coverage: LazyCoverageConnection = linked(
        resolve.resolve_coverage_of_operation,
        "Which of its workloads are measured on which devices, measured ones first.",
    )
    across_hardware: LazyFloorRowConnection = linked(
        resolve.resolve_across_hardware,
        "Its records on every device, each as a ratio to the floor of its own device.",
    )
    sources: list[Source] = linked(
        resolve.resolve_sources_of_operation, "Where its runs come from.", size=3
    )
    object: StoredObject = linked(resolve.resolve_object_of_operation, "The stored manifest.")
    family_slug: strawberry.Private[Slug]

    @classmethod
    def from_fact(cls, fact: OperationFact) -> Operation:
        """The operation as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.OPERATION, fact.digest),
            slug=fact.slug,
            digest=fact.digest,
            title=fact.title,
            description=fact.description,
            aliases=list(fact.aliases),
            tags=list(fact.tags),
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            last_observed_at=fact.last_observed_at,
            semantics=Semantics(
                determinism=Determinism(fact.determinism),
                mutation=Mutation(fact.mutation),
                expression=fact.expression,
                inputs=[Operand.from_fact(operand) for operand in fact.inputs],
                outputs=[Operand.from_fact(operand) for operand in fact.outputs],
                axes=[Axis.from_fact(axis) for axis in fact.axes],
            ),
            family_slug=fact.family,
        )


@object_type
class OperationConnection(Connection[Operation]):
    """A page of operations."""

    facets: list[FacetCount] = linked(
        count_by("operations", OperationFacet),
        "How many operations share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("operations"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
