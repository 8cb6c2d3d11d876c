"""Where and how runs are measured: hardware, environments, protocols."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import TimedPass
from kgraph.api.inputs.facet import HardwareFacet
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.scalars import BigInt
from kgraph.api.types.measure import Aggregate, FacetCount, Software
from kgraph.digest import SpecDigest
from kgraph.facts import EnvironmentFact, Filter, HardwareFact, MeasuredHardwareFact, ProtocolFact


@object_type
class Hardware:
    """The device of an environment, as its source names it."""

    vendor: str = plain("Maker, as `nvidia`.")
    product: str = plain("Product name, as `NVIDIA A100`; what hardware filters match.")
    form_factor: str | None = plain("Variant, as `SXM4-80GB`; null where not stated.")
    architecture: str = plain("Architecture, as `sm_80`; `unknown` where the source does not say.")
    memory_bytes: BigInt | None = plain("Device memory in bytes; null where not stated.")
    count: int | None = plain("Devices used; null where not stated.")
    interconnect: str | None = plain("Link between the devices; null where not stated.")

    @classmethod
    def from_fact(cls, fact: HardwareFact) -> Hardware:
        """The hardware as the API shows it."""
        return cls(
            vendor=fact.vendor,
            product=fact.product,
            form_factor=fact.form_factor,
            architecture=fact.architecture,
            memory_bytes=None if fact.memory_bytes is None else BigInt(fact.memory_bytes),
            count=fact.count,
            interconnect=fact.interconnect,
        )


@object_type
class MeasuredHardware:
    """A device product with how much is measured on it."""

    product: str = plain("Product name, as hardware filters take it.")
    vendor: str = plain("Maker.")
    architectures: list[str] = plain("Architectures that sources state for it.", size=2)
    form_factors: list[str] = plain("Variants that were measured.", size=2)
    run_count: int = plain("Kernel runs on it, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    cohort_count: int = plain("Cohorts measured on it.")
    family_count: int = plain("Families measured on it.")
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing eligible is stored."
    )

    @classmethod
    def from_fact(cls, fact: MeasuredHardwareFact) -> MeasuredHardware:
        """The product as the API shows it."""
        return cls(
            product=fact.product,
            vendor=fact.vendor,
            architectures=list(fact.architectures),
            form_factors=list(fact.form_factors),
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            cohort_count=fact.cohort_count,
            family_count=fact.family_count,
            last_observed_at=fact.last_observed_at,
        )


@object_type
class MeasuredHardwareConnection(Connection[MeasuredHardware]):
    """A page of hardware products."""

    facets: list[FacetCount] = linked(
        count_by("hardware", HardwareFacet),
        "How many products share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("hardware"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]


@object_type
class Environment(Node):
    """Where a run is measured; runs are compared only where it is equal."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    title: str = plain("Name for people.")
    hardware: Hardware = plain("The device.")
    software: list[Software] = plain("Everything the source states, by name.", size=6)

    @classmethod
    def from_fact(cls, fact: EnvironmentFact) -> Environment:
        """The environment as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.ENVIRONMENT, fact.digest),
            digest=fact.digest,
            title=fact.title,
            hardware=Hardware.from_fact(fact.hardware),
            software=[Software(name=name, version=version) for name, version in fact.software],
        )


@object_type
class Harness:
    """The program that measures."""

    name: str = plain("Its name.")
    repository: str | None = plain("Where its code is; null where not stated.")
    version: str | None = plain("Its version; null where not stated.")


@object_type
class Protocol(Node):
    """How a run is measured; runs are compared only where it is equal."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    title: str = plain("Name for people.")
    primary_statistic: str = plain("Statistic that runs are ranked by, as `median`.")
    harness: Harness = plain("The program that measures.")
    timer: str | None = plain("Clock in use, as `cuda_events`; null where not stated.")
    timed_pass: TimedPass | None = plain("Which pass is timed; null where not stated.")
    flushes_cache: bool | None = plain(
        "Whether caches are flushed before each timed call; null where not stated."
    )
    comparability_family: str | None = plain("Group of like protocols; null where not stated.")
    notes: str | None = plain("What the source says of comparability; null where nothing.")

    @classmethod
    def from_fact(cls, fact: ProtocolFact) -> Protocol:
        """The protocol as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.PROTOCOL, fact.digest),
            digest=fact.digest,
            title=fact.title,
            primary_statistic=fact.primary_statistic,
            harness=Harness(
                name=fact.harness_name,
                repository=fact.harness_repository,
                version=fact.harness_version,
            ),
            timer=fact.timer,
            timed_pass=fact.timed_pass,
            flushes_cache=fact.flushes_cache,
            comparability_family=fact.comparability_family,
            notes=fact.notes,
        )
