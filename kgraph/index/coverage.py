"""What is measured where: cohorts by workload and device, and how many workloads a device has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kgraph.facts import ChallengeFact, Filter, MeasuredCohortFact, Order, Page, PageRequest
from kgraph.index import rows
from kgraph.vocab import EvidenceLevel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.index.read import Index

CoverageOwner = Literal["operation", "family"]
"""Whose workloads a matrix is over."""

_LEVELS = tuple(EvidenceLevel)


def query_measured_cohorts(
    index: Index, owner: str, keys: Iterable[str], *, policy: str
) -> tuple[MeasuredCohortFact, ...]:
    """Cohorts of some owner with device and strongest evidence, by workload, device and key.

    Args:
        owner: A column of `cohort`: `workload`, `operation`, `family`, `product` or `key`.

    Source: tables `cohort` and `run`.
    """
    wanted = list(dict.fromkeys(keys))
    if not wanted:
        return ()
    found = index.fetch(
        f"WITH c AS (SELECT * FROM cohort WHERE {owner} IN ({', '.join('?' * len(wanted))}))"
        f" SELECT {', '.join(f'c.{column}' for column in rows.COHORT_COLUMNS)}, c.product,"
        " e.evidence_order FROM c LEFT JOIN (SELECT cohort, max(evidence_order) AS evidence_order"
        " FROM run WHERE is_eligible AND cohort IN (SELECT key FROM c) GROUP BY cohort) e"
        " ON e.cohort = c.key ORDER BY c.workload, c.product, c.key",
        wanted,
    )
    return tuple(
        MeasuredCohortFact(
            rows.make_cohort(row[:-2], policy),
            row[-2],
            None if row[-1] is None else _LEVELS[row[-1]],
        )
        for row in found
    )


def query_measured_workload_counts(
    index: Index, owner: CoverageOwner, key: SpecDigest | str
) -> tuple[tuple[str, str, int], ...]:
    """Device, vendor, and how many workloads of an operation or family have an eligible run there.

    By device. Source: table `cohort`.
    """
    return tuple(
        index.fetch(
            "SELECT product, min(vendor), count(DISTINCT workload) FROM cohort"
            f" WHERE {owner} = ? AND eligible_run_count > 0 GROUP BY product ORDER BY product",
            [key],
        )
    )


def query_challenge_page(
    index: Index, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[ChallengeFact]:
    """One page of unmeasured workloads by device, most measured neighbours first.

    Raises:
        PageSizeError, CursorError, UnknownFieldError: the request cannot be met.

    Source: table `challenge`.
    """
    return index.fetch_page("challenges", lambda row: ChallengeFact(*row), where, order, request)
