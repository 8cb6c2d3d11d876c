"""Devices: what is measured on one, and one operation across several, each beside its own floor."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.facts import HardwareFact
from kgraph.index import (
    query_family_shares,
    query_hardware,
    query_hardware_variants,
    query_record_holders,
)
from kgraph.policy import find_hardware, hardware_rows, matches_device

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.catalog.reader import FactReader
    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        CohortFact,
        FamilyShareFact,
        HardwareVariantFact,
        MeasuredHardwareFact,
        RecordHolderFact,
    )
    from kgraph.index import Index
    from kgraph.policy import HardwareRow, Headroom
    from kgraph.vocab import HeadroomPolicy

_MAX_HOLDERS = 20


@dataclass(frozen=True, slots=True)
class HardwareVariant:
    """A device as environments name it, with the datasheet row that stands for it."""

    fact: HardwareVariantFact
    datasheet: HardwareRow | None
    """Figures with their source; None where the table has no row for this form factor."""


@dataclass(frozen=True, slots=True)
class HardwarePage:
    """What the catalogue knows of one product."""

    product: str
    measured: MeasuredHardwareFact | None
    """None for a product of the datasheet table on which nothing was measured."""
    variants: tuple[HardwareVariant, ...]
    """Most runs first; empty where nothing was measured."""
    datasheets: tuple[HardwareRow, ...]
    """Every row of the product, measured or not; empty where the table does not know it."""
    families: tuple[FamilyShareFact, ...]
    """By family; `record_count` counts cohorts on this product with a standing record."""
    record_count: int
    """Cohorts on this product with a standing record."""
    holders: tuple[RecordHolderFact, ...]
    """Projects whose runs hold them, most records first, at most 20."""


@dataclass(frozen=True, slots=True)
class FloorEntry:
    """The record of one cohort beside the floor of its own device."""

    product: str
    form_factor: str | None
    cohort: CohortFact
    headroom: Headroom
    """With the reason where there is no floor."""


@dataclass(frozen=True, slots=True)
class FloorRow:
    """One workload under one protocol and metric, on each device that measured it."""

    workload: SpecDigest
    protocol: SpecDigest
    metric: str
    entries: tuple[FloorEntry, ...]
    """Nearest to its floor first, those without a ratio last. Records of two devices are not
    comparable; how far each lies above its own floor is."""


@dataclass(frozen=True, slots=True)
class FloorSummary:
    """How near one product's records come to its floors."""

    product: str
    row_count: int
    """Rows of the comparison in which the product has a ratio."""
    geometric_mean_ratio: float | None
    """Over those rows, its best ratio in each; None where there is none."""
    common_row_count: int
    """Rows in which every product of the comparison has a ratio."""
    common_geometric_mean_ratio: float | None
    """Over those alone: the one mean that two products may be compared by."""


@dataclass(frozen=True, slots=True)
class HardwareComparison:
    """One operation across devices."""

    operation: SpecDigest
    policy: HeadroomPolicy
    rows: tuple[FloorRow, ...]
    """Those that most products share first, then by workload in the catalogue's order."""
    products: tuple[FloorSummary, ...]
    """By name."""


def find_hardware_page(index: Index, text: str) -> HardwarePage | None:
    """The page of the product that a text means; None where it means none, or several."""
    measured = {item.product: item for item in query_hardware(index)}
    product = _find_product(text, measured.values())
    if product is None:
        return None
    rows = tuple(row for row in hardware_rows() if _is_of(row, product))
    if product not in measured:
        return HardwarePage(product, None, (), rows, (), 0, ())
    variants = tuple(
        HardwareVariant(fact, find_hardware(fact.hardware))
        for fact in query_hardware_variants(index, product)
    )
    families = query_family_shares(index, "product", product)
    return HardwarePage(
        product,
        measured[product],
        variants,
        rows,
        families,
        sum(share.record_count for share in families),
        query_record_holders(index, product, limit=_MAX_HOLDERS),
    )


def _find_product(text: str, measured: Iterable[MeasuredHardwareFact]) -> str | None:
    found: set[str] = set()
    names: list[str] = []
    for item in measured:
        names.append(item.product)
        if item.product.casefold() == text.strip().casefold():
            return item.product
        # Without the architecture, which products share: it never means one of them.
        if matches_device(text, _plain(item.vendor, item.product, None)):
            found.add(item.product)
    for row in hardware_rows():
        if matches_device(text, _plain(row.vendor, row.product, row.form_factor)):
            found.add(next((name for name in names if _is_of(row, name)), row.product))
    return found.pop() if len(found) == 1 else None


def _plain(vendor: str, product: str, form_factor: str | None) -> HardwareFact:
    return HardwareFact(vendor, product, form_factor, "", None, None, None)


def _is_of(row: HardwareRow, product: str) -> bool:
    return matches_device(product, _plain(row.vendor, row.product, None))


# --- one operation across devices ------------------------------------------------------------


def compare_hardware(
    catalog: FactReader, operation: SpecDigest, policy: HeadroomPolicy
) -> HardwareComparison:
    """The records of one operation on every device, each as a ratio to its own floor."""
    cohorts = [
        cohort
        for cohort in catalog.load_cohorts_of_operations([operation]).get(operation, ())
        if cohort.record is not None
    ]
    environments = catalog.load_environments(cohort.environment for cohort in cohorts)
    headrooms = catalog.load_headrooms([cohort.key for cohort in cohorts], policy)
    workloads = catalog.load_workloads(cohort.workload for cohort in cohorts)
    grouped: defaultdict[tuple[SpecDigest, SpecDigest, str], list[FloorEntry]] = defaultdict(list)
    for cohort in cohorts:
        hardware = environments[cohort.environment].hardware
        entry = FloorEntry(hardware.product, hardware.form_factor, cohort, headrooms[cohort.key])
        metric = ":".join(part or "" for part in (cohort.metric, cohort.statistic, cohort.unit))
        grouped[cohort.workload, cohort.protocol, metric].append(entry)
    rows = [
        FloorRow(workload, protocol, metric, tuple(sorted(entries, key=_nearness)))
        for (workload, protocol, metric), entries in grouped.items()
    ]
    rows.sort(
        key=lambda row: (
            -len({entry.product for entry in row.entries}),
            workloads[row.workload].axes,
            row.workload,
            row.protocol,
            row.metric,
        )
    )
    return HardwareComparison(operation, policy, tuple(rows), _summarise(rows))


def _nearness(entry: FloorEntry) -> tuple[bool, float, str]:
    ratio = entry.headroom.record_ratio
    return ratio is None, ratio or 0.0, entry.cohort.key


def _summarise(rows: Sequence[FloorRow]) -> tuple[FloorSummary, ...]:
    best: list[dict[str, float]] = []
    products: set[str] = set()
    for row in rows:
        ratios: dict[str, float] = {}
        for entry in row.entries:
            products.add(entry.product)
            ratio = entry.headroom.record_ratio
            if ratio is not None:
                ratios[entry.product] = min(ratio, ratios.get(entry.product, math.inf))
        best.append(ratios)
    common = [ratios for ratios in best if ratios.keys() == products]
    return tuple(
        FloorSummary(
            product,
            sum(product in ratios for ratios in best),
            _geometric_mean([ratios[product] for ratios in best if product in ratios]),
            len(common),
            _geometric_mean([ratios[product] for ratios in common]),
        )
        for product in sorted(products)
    )


def _geometric_mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))
