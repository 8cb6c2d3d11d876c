"""What of the catalogue belongs to a device or a project: families, variants, record holders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kgraph.facts import (
    FamilyShareFact,
    HardwareFact,
    HardwareVariantFact,
    MeasuredHardwareFact,
    RecordHolderFact,
)
from kgraph.index import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgraph.index.read import Index

ShareOwner = Literal["product", "project_slug"]
"""Whose share is asked for: a column of `run`."""


def query_measured_hardware(
    index: Index, products: Iterable[str]
) -> dict[str, MeasuredHardwareFact]:
    """Measured products by name. Source: table `hardware`."""
    found = index.fetch_by("hardware", rows.HARDWARE_COLUMNS, "product", list(products))
    return {row[0]: rows.make_hardware(row) for row in found}


def query_hardware_variants(index: Index, product: str) -> tuple[HardwareVariantFact, ...]:
    """Form factors and other variants of a product, most runs first.

    Source: tables `environment` and `run`.
    """
    names = "vendor, product, form_factor, architecture, memory_bytes, device_count, interconnect"
    found = index.fetch(
        f"SELECT {names}, count(*), coalesce(sum(runs), 0), coalesce(sum(eligible), 0)"
        " FROM environment e LEFT JOIN (SELECT environment, count(*) AS runs,"
        " count(*) FILTER (is_eligible) AS eligible FROM run GROUP BY environment) r"
        f" ON r.environment = e.digest WHERE product = ? GROUP BY {names}"
        f" ORDER BY 9 DESC, {names}",
        [product],
    )
    return tuple(
        HardwareVariantFact(HardwareFact(*row[:7]), *(int(count) for count in row[7:]))
        for row in found
    )


def query_family_shares(index: Index, owner: ShareOwner, key: str) -> tuple[FamilyShareFact, ...]:
    """What a device or project holds of each family, by family. Source: tables `run`, `record`."""
    found = index.fetch(
        f"SELECT r.family, count(DISTINCT r.operation), count(DISTINCT r.workload), count(*),"
        " count(*) FILTER (r.is_eligible), count(c.run),"
        " max(r.observed_at) FILTER (r.is_eligible)"
        f" FROM run r LEFT JOIN record c ON c.run = r.digest WHERE r.{owner} = ?"
        " GROUP BY r.family ORDER BY r.family",
        [key],
    )
    return tuple(
        FamilyShareFact(
            family, operations, workloads, runs, eligible, records, last and rows.make_instant(last)
        )
        for family, operations, workloads, runs, eligible, records, last in found
    )


def query_record_holders(index: Index, product: str, *, limit: int) -> tuple[RecordHolderFact, ...]:
    """Projects that hold standing records on a device, most records first.

    Source: tables `record` and `project`.
    """
    return tuple(
        RecordHolderFact(*row)
        for row in index.fetch(
            "SELECT c.project_slug, any_value(p.name), count(*) FROM record c"
            " LEFT JOIN project p ON p.slug = c.project_slug WHERE c.product = ?"
            f" GROUP BY c.project_slug ORDER BY 3 DESC, 1 NULLS LAST LIMIT {limit}",
            [product],
        )
    )
