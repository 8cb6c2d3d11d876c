"""The derived tables of an index: what is shown now, and what policy says of it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from kgraph.index.headroom import judge_headrooms
from kgraph.index.rows import (
    IMPLEMENTATION_COLUMNS,
    RUN_FACT_COLUMNS,
    make_implementation,
    make_run_fact,
)
from kgraph.index.schema import load_sql
from kgraph.vocab import EvidenceLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from kgraph.facts import (
        Derivation,
        ImplementationVerdict,
        RecordEventFact,
        RunFact,
        RunVerdict,
        StandingFact,
    )
    from kgraph.index.extract import Row
    from kgraph.index.load import Loader

# Facts of that many runs are in memory at once, and no fewer than those of one cohort.
RUNS_A_PART = 20_000
"""About how many runs are judged at once."""

_LEVEL_ORDER = {level: level.order for level in EvidenceLevel}
_COUNTED = {
    "families": "family",
    "operations": "operation",
    "workloads": "workload",
    "implementations": "implementation",
    "runs": "run",
    "eligible_runs": "run WHERE is_eligible",
    "cohorts": "cohort",
    "record_events": "record_event",
    "hardware": "hardware",
    "serving_runs": "serving_run",
    "sources": "source",
}


def derive_tables(
    connection: duckdb.DuckDBPyConnection, loader: Loader, derivation: Derivation
) -> None:
    """Make every table that queries read, judging again only the cohorts whose facts changed."""
    connection.execute(load_sql("current"))
    _judge_implementations(connection, loader, derivation)
    part_count = _find_affected(connection)
    for part in range(part_count):
        _judge_part(connection, loader, derivation, part)
    connection.execute(load_sql("final"))
    connection.execute(load_sql("search"))
    connection.execute(load_sql("coverage"))
    judge_headrooms(connection, loader, derivation)
    connection.execute(load_sql("headroom"))
    _count(connection)


def _find_affected(connection: duckdb.DuckDBPyConnection) -> int:
    """Note the cohorts to judge, in parts; forget what was said of them. Returns how many parts."""
    columns = ", ".join(RUN_FACT_COLUMNS)
    has_old = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'run' AND NOT temporary"
    ).fetchone() != (0,)
    changed = "SELECT DISTINCT cohort FROM run_fact"
    if has_old:
        # Policy sees a run only through these columns, so a cohort none of whose rows changed
        # keeps its verdicts.
        changed = (
            f"SELECT DISTINCT cohort FROM ((SELECT {columns} FROM run_fact EXCEPT"
            f" SELECT {columns} FROM run) UNION ALL (SELECT {columns} FROM run EXCEPT"
            f" SELECT {columns} FROM run_fact))"
        )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE affected AS SELECT cohort, (sum(count(f.digest)) OVER"
        f" (ORDER BY cohort) // {RUNS_A_PART})::INTEGER AS part"
        f" FROM ({changed}) LEFT JOIN run_fact f USING (cohort) GROUP BY cohort"
    )
    if has_old:
        for table in ("verdict", "record_event", "cohort_profile"):
            connection.execute(f"DELETE FROM {table} WHERE cohort IN (SELECT cohort FROM affected)")
    found = connection.execute("SELECT coalesce(max(part) + 1, 0) FROM affected").fetchall()
    return int(found[0][0])


def _judge_part(
    connection: duckdb.DuckDBPyConnection, loader: Loader, derivation: Derivation, part: int
) -> None:
    facts = connection.execute(
        f"SELECT {', '.join(RUN_FACT_COLUMNS)} FROM run_fact WHERE cohort IN"
        " (SELECT cohort FROM affected WHERE part = ?) ORDER BY cohort, observed_at, digest",
        [part],
    )
    verdicts: list[Row] = []
    events: list[Row] = []
    profiles: list[Row] = []
    for cohort, group in groupby(map(make_run_fact, _fetch_all(facts)), lambda run: run.cohort):
        runs = tuple(group)
        profiles.append({"cohort": cohort, "profile": derivation.judge_profile(runs).value})
        judged = {run.digest: derivation.judge_run(run) for run in runs}
        standings = {item.run: item for item in derivation.rank_cohort(runs, judged)}
        verdicts.extend(
            _verdict_row(run, judged[run.digest], standings.get(run.digest)) for run in runs
        )
        events.extend(map(_event_row, derivation.derive_records(runs, judged)))
    loader.insert("verdict", verdicts)
    loader.insert("record_event", events)
    loader.insert("cohort_profile", profiles)


def _judge_implementations(
    connection: duckdb.DuckDBPyConnection, loader: Loader, derivation: Derivation
) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE implementation_verdict"
        " (digest VARCHAR, license VARCHAR, is_permissive BOOLEAN, is_deployable BOOLEAN)"
    )
    found = connection.execute(
        f"SELECT {', '.join(IMPLEMENTATION_COLUMNS)} FROM current_implementation"
    )
    implementations = map(make_implementation, _fetch_all(found))
    verdicts = map(derivation.judge_implementation, implementations)
    loader.insert("implementation_verdict", list(map(_implementation_row, verdicts)))


def _fetch_all(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(10_000):
        yield from rows


def _implementation_row(verdict: ImplementationVerdict) -> Row:
    return {
        "digest": verdict.digest,
        "license": verdict.license,
        "is_permissive": verdict.is_permissive,
        "is_deployable": verdict.is_deployable,
    }


def _verdict_row(run: RunFact, verdict: RunVerdict, standing: StandingFact | None) -> Row:
    return {
        "digest": run.digest,
        "cohort": run.cohort,
        "is_eligible": verdict.is_eligible,
        "reasons": verdict.reasons,
        "evidence": verdict.evidence.value,
        "evidence_order": _LEVEL_ORDER[verdict.evidence],
        "evidence_reasons": verdict.evidence_reasons,
        "rank": standing and standing.rank,
        "is_tied": standing and standing.is_tied,
        "position": standing and standing.position,
        "ratio_to_leader": standing and standing.ratio_to_leader,
        "speedup_over_baseline": standing and standing.speedup_over_baseline,
    }


def _event_row(event: RecordEventFact) -> Row:
    return {
        "cohort": event.cohort,
        "ordinal": event.ordinal,
        "changed_at": event.at.replace(tzinfo=None),
        "cause": event.cause.value,
        "policy": event.policy,
        "run": event.run,
        "previous_run": event.previous_run,
        "value": event.value,
        "previous_value": event.previous_value,
        "improvement_percent": event.improvement_percent,
    }


def _count(connection: duckdb.DuckDBPyConnection) -> None:
    # One statement each: planning them as eleven subqueries of one takes longer than counting.
    counts = [
        connection.execute(f"SELECT count(*)::INTEGER FROM {relation}").fetchall()[0][0]
        for relation in _COUNTED.values()
    ]
    columns = ", ".join(f"{name} INTEGER NOT NULL" for name in _COUNTED)
    connection.execute(f"CREATE OR REPLACE TABLE counts ({columns})")
    connection.execute(f"INSERT INTO counts VALUES ({', '.join('?' * len(counts))})", counts)
