"""Workloads: exactly which instance of an operation is measured."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.inputs.facet import WorkloadFacet
from kgraph.api.lazy import LazyCohort, LazyOperation, LazyStoredObject
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import workload as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.scalars import Json
from kgraph.api.types.environment import Hardware
from kgraph.api.types.measure import Aggregate, AxisValue, FacetCount, Scalar, Tensor
from kgraph.catalog import Challenge as ChallengeFact
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, WorkloadFact


@object_type
class Challenge:
    """A device that an operation is measured on, but not this workload."""

    hardware: Hardware = plain("The device.")
    reason: str = plain("Why it is listed.")

    @classmethod
    def from_fact(cls, fact: ChallengeFact) -> Challenge:
        """The challenge as the API shows it."""
        return cls(hardware=Hardware.from_fact(fact.hardware), reason=fact.reason)


@object_type
class Aggregation:
    """How a suite makes one score of its cases."""

    metric: str = plain("What is aggregated.")
    statistic: str | None = plain("How; null where not stated.")


@object_type
class SuiteCase:
    """One case of a suite."""

    axes: list[AxisValue] = plain("Its axes.", size=4)


@object_type
class Workload(Node):
    """One instance of an operation with all sizes given, or a suite of such cases."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    is_suite: bool = plain("Whether it is a suite; suites are never ranked beside cases.")
    name: str = plain("Its `metadata.name`.")
    title: str | None = plain("Name that its source gives it; null where none.")
    label: str = plain("For people: `vocab = 128256 · hidden = 4096 · tokens = 1024 · bf16`.")
    axes: list[AxisValue] = plain("Axes with their sizes; empty for a suite.", size=4)
    dtypes: list[str] = plain("Element types of its tensors.", size=2)
    tensors: list[Tensor] = plain("Its tensors.", size=5)
    scalars: list[Scalar] = plain("Scalar arguments that it fixes.", size=1)
    comparator: str = plain(
        "How outputs are compared; `not_asserted` where the policy was not published."
    )
    cases: list[SuiteCase] = plain("Cases of a suite, in its order; empty for a case.", size=10)
    aggregation: Aggregation | None = plain("How a suite is scored; null for a case.")
    operation: LazyOperation = linked(
        resolve.resolve_operation_of_workload, "What it is an instance of."
    )
    cohorts: list[LazyCohort] = linked(
        resolve.resolve_cohorts_of_workload,
        "Groups of comparable runs of it, one for each protocol, environment and metric.",
        size=3,
    )
    challenges: list[Challenge] = linked(
        resolve.resolve_challenges,
        "Devices that its operation or family is measured on, but not this workload.",
        size=3,
    )
    object: LazyStoredObject = linked(resolve.resolve_object_of_workload, "The stored manifest.")
    operation_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: WorkloadFact) -> Workload:
        """The workload as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.WORKLOAD, fact.digest),
            digest=fact.digest,
            is_suite=fact.is_suite,
            name=fact.name,
            title=fact.title,
            label=fact.label,
            axes=AxisValue.from_pairs(fact.axes),
            dtypes=list(fact.dtypes),
            tensors=[Tensor.from_fact(tensor) for tensor in fact.tensors],
            scalars=[
                Scalar(name=scalar.name, dtype=scalar.dtype, value=Json(scalar.value))
                for scalar in fact.scalars
            ],
            comparator=fact.comparator,
            cases=[SuiteCase(axes=AxisValue.from_pairs(axes)) for axes in fact.case_axes],
            aggregation=None
            if fact.aggregation_metric is None
            else Aggregation(metric=fact.aggregation_metric, statistic=fact.aggregation_statistic),
            operation_digest=fact.operation_digest,
        )


@object_type
class WorkloadConnection(Connection[Workload]):
    """A page of workloads."""

    facets: list[FacetCount] = linked(
        count_by("workloads", WorkloadFacet),
        "How many workloads share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("workloads"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
