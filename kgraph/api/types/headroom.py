"""Headroom: an estimate of the floor that the hardware sets, never evidence."""

from __future__ import annotations

from kgraph.api.describe import object_type, plain
from kgraph.api.enums import Bound, HeadroomPolicy
from kgraph.api.scalars import BigInt
from kgraph.policy import HardwareRow
from kgraph.policy import Headroom as HeadroomFact


@object_type
class HardwareSource:
    """Datasheet row that an estimate rests on."""

    product: str = plain("Product and form factor of the row.")
    title: str = plain("Title of the vendor's page.")
    url: str = plain("Address of the vendor's page.")
    memory_bandwidth_bytes_per_second: BigInt = plain("Bandwidth of device memory.")

    @classmethod
    def from_fact(cls, fact: HardwareRow) -> HardwareSource:
        """The row as the API shows it."""
        return cls(
            product=fact.name,
            title=fact.source_title,
            url=fact.source_url,
            memory_bandwidth_bytes_per_second=BigInt(fact.memory_bandwidth_bytes_per_second),
        )


@object_type
class Headroom:
    """A lower bound from tensors and datasheet peaks, and how far the record lies above it."""

    policy: HeadroomPolicy = plain("Version of the estimate.")
    floor_ns: float | None = plain(
        "The floor in nanoseconds; null where there is none, see `reason`."
    )
    display: str | None = plain("The floor for people, as `779.1 µs`; null where there is none.")
    bound: Bound | None = plain("The resource that sets it; null where there is none.")
    memory_floor_ns: float | None = plain("By bandwidth; null where bytes cannot be counted.")
    compute_floor_ns: float | None = plain(
        "By arithmetic; null where operations or a peak for them are not known."
    )
    bytes: BigInt | None = plain("Bytes counted; null where they cannot be.")
    flops: BigInt | None = plain("Operations counted; null where they cannot be.")
    record_ratio: float | None = plain(
        "Record over floor, above 1 is slower than the floor; null without a floor or a record."
    )
    assumptions: list[str] = plain("What the estimate takes for granted.", size=4)
    caveat: str | None = plain(
        "Given where data may stay in cache, so that a smaller time is possible."
    )
    reason: str | None = plain("Why there is no floor; null where there is one.")
    hardware_source: HardwareSource | None = plain(
        "Datasheet row in use; null for unknown hardware."
    )

    @classmethod
    def from_fact(cls, fact: HeadroomFact) -> Headroom:
        """The estimate as the API shows it."""
        return cls(
            policy=fact.policy,
            floor_ns=fact.floor_ns,
            display=fact.display,
            bound=fact.bound,
            memory_floor_ns=fact.memory_floor_ns,
            compute_floor_ns=fact.compute_floor_ns,
            bytes=None if fact.bytes is None else BigInt(fact.bytes),
            flops=None if fact.flops is None else BigInt(fact.flops),
            record_ratio=fact.record_ratio,
            assumptions=list(fact.assumptions),
            caveat=fact.caveat,
            reason=fact.reason,
            hardware_source=None
            if fact.hardware is None
            else HardwareSource.from_fact(fact.hardware),
        )
