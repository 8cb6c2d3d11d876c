"""End-to-end serving: listed, never ranked beside kernels."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import Direction, ServingObjective
from kgraph.api.inputs.facet import ServingRunFacet
from kgraph.api.lazy import LazyStoredObject
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import serving as resolve
from kgraph.api.resolvers.facets import count_by
from kgraph.api.types.measure import FacetCount, Measurement
from kgraph.api.types.source import Source
from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import Filter, ServingRunFact
from kgraph.vocab import CohortKey, Slug


@object_type
class ServedModel:
    """A model that is served."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    name: str = plain("Its name.")


@object_type
class ServingLoad:
    """The load that a served model is put under."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    name: str = plain("Its name.")


@object_type
class Accelerators:
    """The devices of a serving run."""

    vendor: str | None = plain("Maker; null where not stated.")
    model: str = plain("Product name; what hardware filters match.")
    per_node: int = plain("Devices in each node.")
    nodes: int = plain("Nodes.")
    total: int = plain("Devices in all.")


@object_type
class ServingRun(Node):
    """One end-to-end serving measurement; a surface of its own, never ranked beside kernels."""

    digest: SpecDigest = plain("Spec digest: what the run means.")
    object_id: ObjectId = plain("Object id of the manifest now shown for it.")
    title: str = plain("Name for people.")
    status: str = plain("How it ended, in the source's words, as `valid`.")
    observed_at: datetime = plain("When it was measured.")
    published_at: datetime = plain("When it was made public.")
    cohort_key: CohortKey | None = plain(
        "Names what comparable serving runs share; null where it is not known."
    )
    model: ServedModel = plain("What is served.")
    load: ServingLoad = plain("The load that it is put under.")
    scenario: str | None = plain("Scenario of the benchmark, as `offline`; null where not stated.")
    quality_policy: str | None = plain("Accuracy rule it meets; null where not stated.")
    stack_version: str | None = plain("Version of the serving software; null where not stated.")
    dtype: str | None = plain("Element type in use; null where not stated.")
    accelerators: Accelerators = plain("The devices.")
    measurements: list[Measurement] = plain("What the source reports.", size=4)
    source: Source = linked(resolve.resolve_source_of_serving_run, "Where it comes from.")
    object: LazyStoredObject = linked(resolve.resolve_object_of_serving_run, "The stored manifest.")
    source_slug: strawberry.Private[Slug]

    @classmethod
    def from_fact(cls, fact: ServingRunFact) -> ServingRun:
        """The serving run as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.SERVING_RUN, fact.digest),
            digest=fact.digest,
            object_id=fact.object_id,
            title=fact.title,
            status=fact.status,
            observed_at=fact.observed_at,
            published_at=fact.published_at,
            cohort_key=fact.cohort or None,
            model=ServedModel(digest=fact.model, name=fact.model_name),
            load=ServingLoad(digest=fact.workload, name=fact.workload_name),
            scenario=fact.scenario,
            quality_policy=fact.quality_policy,
            stack_version=fact.stack_version,
            dtype=fact.dtype,
            accelerators=Accelerators(
                vendor=fact.accelerator_vendor,
                model=fact.accelerator_model,
                per_node=fact.accelerator_count,
                nodes=fact.node_count,
                total=fact.accelerator_count * fact.node_count,
            ),
            measurements=[Measurement.from_fact(item) for item in fact.measurements],
            source_slug=fact.source,
        )


@object_type
class ServingRunConnection(Connection[ServingRun]):
    """A page of serving runs."""

    facets: list[FacetCount] = linked(
        count_by("serving_runs", ServingRunFacet),
        "How many serving runs share a value of one field.",
        size=20,
    )
    where: strawberry.Private[Filter | None]


@object_type
class RankedServingRun:
    """A serving run where it stands in its cohort under one objective."""

    rank: int = plain("Dense rank, 1 best; equal runs share it.")
    tied: bool = plain("Whether another run shares the rank.")
    position: int = plain("Place in display order, 1 first; inside a tie it is never a claim.")
    value: float = plain("What it is compared by, in the ranking's unit.")
    statistic: str = plain("Statistic that the value is read from.")
    ratio_to_leader: float = plain("1.0 for the leader; above 1 is worse whatever the direction.")
    run: ServingRun = plain("The serving run.")


@object_type
class UnrankedServingRun:
    """A serving run that has no standing."""

    run: ServingRun = plain("The serving run.")
    reasons: list[str] = plain("Code of every reason that holds.", size=1)


@object_type
class ServingRankingConnection(Connection[RankedServingRun]):
    """A page of one serving cohort under one objective; never put beside one of kernels."""

    objective: ServingObjective = plain("What the runs are compared by.")
    policy: str = plain("Version of the rules, as `serving-ranking-v1`.")
    direction: Direction = plain("Which of two values is the better one.")
    unit: str = plain("Unit of every value.")
    unranked_count: int = plain("Runs of the cohort without a standing.")
    unranked: list[UnrankedServingRun] = plain("Those runs, by digest, at most 100.", size=5)
