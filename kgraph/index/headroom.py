"""Floors of cohorts: judged when an index is made, asked for when it is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from kgraph.facts import (
    Filter,
    HeadroomCountsFact,
    MeasuredRecord,
    OpportunityFact,
    Order,
    Page,
    PageRequest,
)
from kgraph.index import rows
from kgraph.vocab import BelowFloor, Bound, HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from kgraph.facts import Derivation, HeadroomVerdict
    from kgraph.index.extract import Row
    from kgraph.index.load import Loader
    from kgraph.index.read import Index

# Cohorts whose facts are in memory at once.
_COHORTS_A_PART = 10_000
# A floor depends on facts that a cohort's key fixes, on the operation's slug and on the record.
_FIND_DUE = f"""
CREATE OR REPLACE TEMP TABLE headroom_due AS
SELECT key, ((row_number() OVER (ORDER BY key) - 1) // {_COHORTS_A_PART})::INTEGER AS part
FROM cohort c WHERE NOT EXISTS (
    SELECT 1 FROM headroom h WHERE h.cohort = c.key AND h.operation_slug = c.operation_slug
    AND h.record_value IS NOT DISTINCT FROM c.record_value
);
DELETE FROM headroom WHERE cohort IN (SELECT key FROM headroom_due)
OR cohort NOT IN (SELECT key FROM cohort);
"""
_MEASURED = ("record_value", "metric", "statistic", "unit")
_OWNERS = ("operation", "protocol", "environment", "operation_slug", "key")
_WIDTH = len(_MEASURED)


def judge_headrooms(
    connection: duckdb.DuckDBPyConnection, loader: Loader, derivation: Derivation
) -> None:
    """Judge the floors of the cohorts that are new or whose record changed; keep the others."""
    connection.execute(_FIND_DUE)
    operations = _read_owners(connection, "operation", rows.OPERATION_COLUMNS, rows.make_operation)
    protocols = _read_owners(connection, "protocol", rows.PROTOCOL_COLUMNS, rows.make_protocol)
    environments = _read_owners(
        connection, "environment", rows.ENVIRONMENT_COLUMNS, rows.make_environment
    )
    part = 0
    while found := _read_part(connection, part):
        judged: list[Row] = []
        for row in found:
            operation, protocol, environment, slug, key = row[_WIDTH : _WIDTH + len(_OWNERS)]
            verdicts = derivation.judge_headroom(
                operation=operations[operation],
                workload=rows.make_workload(row[_WIDTH + len(_OWNERS) :]),
                protocol=protocols[protocol],
                hardware=environments[environment].hardware,
                measured=MeasuredRecord(*row[:_WIDTH]),
            )
            judged.extend(_make_row(key, slug, row[0], verdict) for verdict in verdicts)
        loader.insert("headroom", judged)
        part += 1
    connection.execute("DROP TABLE headroom_due")


def _read_part(connection: duckdb.DuckDBPyConnection, part: int) -> list[tuple[Any, ...]]:
    names = [f"c.{name}" for name in (*_MEASURED, *_OWNERS)]
    names += [f"w.{name}" for name in rows.WORKLOAD_COLUMNS]
    return connection.execute(
        f"SELECT {', '.join(names)} FROM cohort c JOIN headroom_due d ON d.key = c.key"
        " JOIN workload w ON w.digest = c.workload WHERE d.part = ? ORDER BY c.key",
        [part],
    ).fetchall()


def _read_owners(
    connection: duckdb.DuckDBPyConnection,
    owner: str,
    columns: Sequence[str],
    make: Callable[[tuple[Any, ...]], Any],
) -> dict[str, Any]:
    """What the cohorts that are due were measured with, by digest."""
    found = connection.execute(
        f"SELECT {', '.join(columns)} FROM {owner} WHERE digest IN"
        f" (SELECT c.{owner} FROM cohort c JOIN headroom_due d ON d.key = c.key)"
    ).fetchall()
    return {row[0]: make(row) for row in found}


def _make_row(key: str, slug: str, value: float | None, verdict: HeadroomVerdict) -> Row:
    return {
        "cohort": key,
        "policy": verdict.policy.value,
        "operation_slug": slug,
        "record_value": value,
        "floor_ns": verdict.floor_ns,
        "strict_floor_ns": verdict.strict_floor_ns,
        "record_ratio": verdict.record_ratio,
        "bound": verdict.bound and verdict.bound.value,
        "below_floor": verdict.below_floor and verdict.below_floor.value,
        "caveat": verdict.caveat,
        "reason": verdict.reason,
    }


# --- reading ---------------------------------------------------------------------------------


def query_opportunity_page(
    index: Index, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[OpportunityFact]:
    """One page of records beside their floors, largest ratio first.

    Raises:
        PageSizeError, CursorError, UnknownFieldError: the request cannot be met.

    Source: table `opportunity`.
    """
    return index.fetch_page("opportunities", _make_opportunity, where, order, request)


def _make_opportunity(row: tuple[Any, ...]) -> OpportunityFact:
    cells = list(row)
    cells[2] = HeadroomPolicy(row[2])
    cells[6] = Bound(row[6]) if row[6] else None
    cells[7] = BelowFloor(row[7]) if row[7] else None
    return OpportunityFact(*cells)


def query_headroom_counts(index: Index) -> dict[HeadroomPolicy, HeadroomCountsFact]:
    """How many cohorts have a floor and lie below it, by version. Source: table `headroom`."""
    cohorts: Counter[str] = Counter()
    floors: Counter[str] = Counter()
    ratios: Counter[str] = Counter()
    below: Counter[tuple[str, str]] = Counter()
    reasons: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for policy, explanation, reason, cohort_count, floor_count, ratio_count in index.fetch(
        "SELECT policy, below_floor, reason, count(*), count(floor_ns), count(record_ratio)"
        " FROM headroom GROUP BY policy, below_floor, reason ORDER BY count(*) DESC, reason"
    ):
        cohorts[policy] += cohort_count
        floors[policy] += floor_count
        ratios[policy] += ratio_count
        if explanation is not None:
            below[policy, explanation] += cohort_count
        if reason is not None:
            reasons[policy].append((reason, cohort_count))
    return {
        policy: HeadroomCountsFact(
            policy,
            cohorts[policy],
            floors[policy],
            ratios[policy],
            tuple((one, below[policy, one]) for one in BelowFloor if below[policy, one]),
            tuple(reasons[policy]),
        )
        for policy in HeadroomPolicy
    }
