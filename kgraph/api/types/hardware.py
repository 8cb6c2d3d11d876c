"""Devices: what is measured on one, and one operation across several."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import HeadroomPolicy
from kgraph.api.lazy import LazyProject, LazyWorkload
from kgraph.api.resolvers import hardware as resolve
from kgraph.api.scalars import BigInt
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.environment import Hardware, MeasuredHardware, Protocol
from kgraph.api.types.headroom import Headroom
from kgraph.api.types.share import FamilyShare
from kgraph.catalog import FloorEntry as FloorEntryFact
from kgraph.catalog import FloorRow as FloorRowFact
from kgraph.catalog import FloorSummary as FloorSummaryFact
from kgraph.catalog import HardwarePage as HardwarePageFact
from kgraph.catalog import HardwareVariant as HardwareVariantFact
from kgraph.digest import SpecDigest
from kgraph.facts import RecordHolderFact
from kgraph.policy import HardwareRow
from kgraph.vocab import Slug


@object_type
class PeakRate:
    """Arithmetic peak for one element type."""

    dtype: str = plain("Element type, as `bf16`.")
    flops_per_second: BigInt = plain("Dense operations a second.")
    confirmed: bool = plain("Whether the figure stands in the vendor's own text.")


@object_type
class Datasheet:
    """Datasheet figures of one product in one form factor."""

    name: str = plain("Product and form factor.")
    vendor: str = plain("Maker.")
    product: str = plain("Product.")
    form_factor: str | None = plain("Null where the product is sold in one only.")
    architecture: str = plain("Architecture, as `sm_90`.")
    memory_bytes: BigInt = plain("Device memory in bytes.")
    memory_bandwidth_bytes_per_second: BigInt = plain("Bandwidth of device memory.")
    peaks: list[PeakRate] = plain(
        "Arithmetic peaks; a type without a published one is absent.", size=6
    )
    l2_cache_bytes: BigInt | None = plain("Second-level cache in bytes; null where not known.")
    last_level_cache_bytes: BigInt | None = plain(
        "A cache beyond that, which also serves memory reads; null where there is none."
    )
    power_watts: int | None = plain("Power limit; null where not known.")
    is_default: bool = plain("Whether it stands for the product where the form factor is unknown.")
    confirmed: list[str] = plain("Figures found in the vendor's own text.", size=4)
    source_title: str = plain("Title of the vendor's page.")
    source_url: str = plain("Address of the vendor's page.")
    notes: str = plain("What a reader of the figures should know; may be empty.")

    @classmethod
    def from_fact(cls, fact: HardwareRow) -> Datasheet:
        """The row as the API shows it."""
        return cls(
            name=fact.name,
            vendor=fact.vendor,
            product=fact.product,
            form_factor=fact.form_factor,
            architecture=fact.architecture,
            memory_bytes=BigInt(fact.memory_bytes),
            memory_bandwidth_bytes_per_second=BigInt(fact.memory_bandwidth_bytes_per_second),
            peaks=[
                PeakRate(
                    dtype=dtype,
                    flops_per_second=BigInt(peak),
                    confirmed=fact.is_confirmed(dtype),
                )
                for dtype, peak in fact.peak_flops
            ],
            l2_cache_bytes=None if fact.l2_cache_bytes is None else BigInt(fact.l2_cache_bytes),
            last_level_cache_bytes=None
            if fact.last_level_cache_bytes is None
            else BigInt(fact.last_level_cache_bytes),
            power_watts=fact.power_watts,
            is_default=fact.is_default,
            confirmed=list(fact.confirmed),
            source_title=fact.source_title,
            source_url=fact.source_url,
            notes=fact.notes,
        )


@object_type
class HardwareVariant:
    """A device as environments name it, with the datasheet row that stands for it."""

    hardware: Hardware = plain("The device.")
    environment_count: int = plain("Environments with it.")
    run_count: int = plain("Runs on it, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    datasheet: Datasheet | None = plain("Null where no row is known for this form factor.")

    @classmethod
    def from_fact(cls, fact: HardwareVariantFact) -> HardwareVariant:
        """The variant as the API shows it."""
        return cls(
            hardware=Hardware.from_fact(fact.fact.hardware),
            environment_count=fact.fact.environment_count,
            run_count=fact.fact.run_count,
            eligible_run_count=fact.fact.eligible_run_count,
            datasheet=None if fact.datasheet is None else Datasheet.from_fact(fact.datasheet),
        )


@object_type
class RecordHolder:
    """How many standing records on a device the runs of one project hold."""

    name: str | None = plain("Name of the project; null for implementations of none.")
    record_count: int = plain("How many.")
    project: LazyProject | None = linked(
        resolve.resolve_project_of_holder, "The project; null likewise."
    )
    project_slug: strawberry.Private[Slug | None]

    @classmethod
    def from_fact(cls, fact: RecordHolderFact) -> RecordHolder:
        """The holder as the API shows it."""
        return cls(
            name=fact.project_name,
            record_count=fact.record_count,
            project_slug=fact.project_slug,
        )


@object_type
class HardwareProduct:
    """What the catalogue knows of one product."""

    product: str = plain("Product name, as hardware filters take it.")
    measured: MeasuredHardware | None = plain(
        "How much is measured on it; null for a product that only the datasheet table has."
    )
    variants: list[HardwareVariant] = plain(
        "As environments name it, most runs first; empty where nothing was measured.", size=3
    )
    datasheets: list[Datasheet] = plain(
        "Every datasheet row of the product, measured or not; empty where none is known.", size=3
    )
    families: list[FamilyShare] = plain("What is measured on it, by family.", size=20)
    record_count: int = plain("Cohorts on it with a standing record.")
    holders: list[RecordHolder] = plain(
        "Projects whose runs hold them, most records first, at most 20.", size=20
    )

    @classmethod
    def from_fact(cls, fact: HardwarePageFact) -> HardwareProduct:
        """The product as the API shows it."""
        return cls(
            product=fact.product,
            measured=None if fact.measured is None else MeasuredHardware.from_fact(fact.measured),
            variants=[HardwareVariant.from_fact(variant) for variant in fact.variants],
            datasheets=[Datasheet.from_fact(row) for row in fact.datasheets],
            families=[FamilyShare.from_fact(share) for share in fact.families],
            record_count=fact.record_count,
            holders=[RecordHolder.from_fact(holder) for holder in fact.holders],
        )


@object_type
class FloorEntry:
    """The record of one cohort beside the floor of its own device."""

    product: str = plain("Product name of the device.")
    form_factor: str | None = plain("Its variant; null where not stated.")
    cohort: Cohort = plain("Where the record stands.")
    headroom: Headroom = plain("The floor, with the reason where there is none.")

    @classmethod
    def from_fact(cls, fact: FloorEntryFact) -> FloorEntry:
        """The entry as the API shows it."""
        return cls(
            product=fact.product,
            form_factor=fact.form_factor,
            cohort=Cohort.from_fact(fact.cohort),
            headroom=Headroom.from_fact(fact.headroom),
        )


@object_type
class FloorRow:
    """One workload under one protocol and metric, on each device that measured it."""

    metric: str = plain("The metric, its statistic and its unit.")
    entries: list[FloorEntry] = plain(
        "Nearest to its floor first, those without a ratio last. Records of two devices are not "
        "comparable; how far each lies above its own floor is.",
        size=4,
    )
    workload: LazyWorkload = linked(resolve.resolve_workload_of_floors, "The workload.")
    protocol: Protocol = linked(resolve.resolve_protocol_of_floors, "How it is measured.")
    workload_digest: strawberry.Private[SpecDigest]
    protocol_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: FloorRowFact) -> FloorRow:
        """The row as the API shows it."""
        return cls(
            metric=fact.metric,
            entries=[FloorEntry.from_fact(entry) for entry in fact.entries],
            workload_digest=fact.workload,
            protocol_digest=fact.protocol,
        )


@object_type
class FloorSummary:
    """How near one product's records come to its floors."""

    product: str = plain("Product name.")
    row_count: int = plain("Rows in which the product has a ratio.")
    geometric_mean_ratio: float | None = plain(
        "Over those rows, its best ratio in each; null where there is none."
    )
    common_row_count: int = plain("Rows in which every product of the comparison has a ratio.")
    common_geometric_mean_ratio: float | None = plain(
        "Over those alone: the one mean that two products may be compared by; null where there is "
        "none."
    )

    @classmethod
    def from_fact(cls, fact: FloorSummaryFact) -> FloorSummary:
        """The summary as the API shows it."""
        return cls(
            product=fact.product,
            row_count=fact.row_count,
            geometric_mean_ratio=fact.geometric_mean_ratio,
            common_row_count=fact.common_row_count,
            common_geometric_mean_ratio=fact.common_geometric_mean_ratio,
        )


@object_type
class FloorRowConnection(Connection[FloorRow]):
    """A page of one operation across devices: what most of them share first."""

    policy: HeadroomPolicy = plain("Version of the floor's estimate.")
    products: list[FloorSummary] = plain("Over all rows, by product.", size=5)
