"""The public catalogue, through our own store and index: every figure against the published rows.

The rules are written here again from `domain.md`, over the rows of the file alone, so that
importer, index and policy are checked together and by other code than theirs.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from kgraph.exporters import iter_lines
from kgraph.facts import Condition, PageRequest
from kgraph.importers import import_kernelindex
from kgraph.index import MAX_PAGE
from kgraph.policy import ServingObjective
from kgraph.vocab import CohortKey, EvidenceLevel, Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kgraph.catalog import Catalog, CatalogSource
    from kgraph.facts import JudgedRun, Page, RecordEventFact
    from kgraph.importers import ImportBatch

Row = dict[str, Any]

# The file that the fixtures of the public export read, which skip where it is absent.
_EXPORT = (
    Path(__file__).resolve().parents[2]
    / "shared"
    / "data"
    / "kernelindex-export"
    / "catalog-2026-08-16.jsonl.zst"
)
_KEYS_A_QUESTION = 500


@pytest.fixture(scope="module")
def tables(public_rows: list[Row]) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for item in public_rows:
        found[item["table"]].append(item["row"])
    return found


@pytest.fixture(scope="module")
def runs(tables: dict[str, list[Row]]) -> list[Row]:
    return tables["benchmark_runs"]


@pytest.fixture(scope="module")
def judged(public_catalog: Catalog, runs: list[Row]) -> dict[Any, JudgedRun]:
    found: dict[Any, JudgedRun] = {}
    for some in parts([run["runDigest"] for run in runs]):
        found.update(public_catalog.load_runs(some))
    return found


@pytest.fixture(scope="module")
def events(public_catalog: Catalog) -> list[RecordEventFact]:
    return list(every(lambda page: public_catalog.page_record_events(None, (), page)))


def parts(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(keys), _KEYS_A_QUESTION):
        yield keys[start : start + _KEYS_A_QUESTION]


def every(load: Callable[[PageRequest], Page[Any]]) -> Iterator[Any]:
    after = None
    while True:
        page = load(PageRequest(first=MAX_PAGE, after=after))
        yield from page.items
        if not page.has_next:
            return
        after = page.cursors[-1]


def is_eligible(run: Row) -> bool:
    # Nothing is superseded in this file, which `test_the_file_corrects_nothing` holds.
    return (
        run["status"] == "passed" and run["retractedAt"] is None and run["primaryValue"] is not None
    )


@cache
def instant(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_the_file_corrects_nothing(runs: list[Row]) -> None:
    assert all(run["supersedesId"] is None and run["retractedAt"] is None for run in runs)


def test_the_catalogue_holds_as_much_as_the_file(
    public_catalog: Catalog, tables: dict[str, list[Row]], runs: list[Row]
) -> None:
    counts = public_catalog.counts()

    assert counts.operations == len(tables["operations"]) == 449
    assert counts.families == len({row["family"] for row in tables["operations"]}) == 36
    assert counts.workloads == len(tables["workloads"]) == 5627
    assert counts.implementations == len(tables["implementations"]) == 4250
    assert counts.sources == len(tables["sources"]) == 4
    assert counts.runs == len(runs) == 7857
    assert counts.eligible_runs == sum(map(is_eligible, runs)) == 7771
    assert counts.cohorts == len({run["comparisonKey"] for run in runs}) == 1912
    assert counts.record_events == len(tables["record_events"]) == 2948
    assert counts.hardware == len({run["hardwareModel"] for run in runs}) == 7
    assert counts.serving_runs == len(tables["serving_runs"]) == 722


def test_every_run_is_eligible_or_not_as_the_file_implies(
    judged: dict[str, JudgedRun], runs: list[Row]
) -> None:
    assert len(judged) == len(runs)
    for run in runs:
        verdict = judged[run["runDigest"]].verdict
        assert verdict.is_eligible == is_eligible(run), run["runDigest"]
        if not verdict.is_eligible:
            expected = set()
            if run["status"] != "passed":
                expected.add("STATUS_" + run["status"].upper())
            if run["primaryValue"] is None:
                expected.add("MISSING_PRIMARY_METRIC")
            assert set(verdict.reasons) == expected


def test_evidence_level_is_the_one_that_the_published_columns_imply(
    judged: dict[str, JudgedRun], runs: list[Row]
) -> None:
    levels: Counter[EvidenceLevel] = Counter()
    for run in runs:
        implied = EvidenceLevel.REPORTED
        if run["hasRawEvidence"] and run["sourceAvailable"]:
            implied = EvidenceLevel.REPRODUCIBLE
        level = judged[run["runDigest"]].verdict.evidence
        assert level is implied, run["runDigest"]
        levels[level] += 1
    assert levels == {EvidenceLevel.REPORTED: 7682, EvidenceLevel.REPRODUCIBLE: 175}


def rank(cohort: list[Row]) -> list[tuple[str, int, bool, float]]:
    """Digest, rank, tied, ratio to the leader of the eligible runs of one cohort, as displayed.

    All metrics of the file are times, so lower is better; no run declares an interval.
    """
    eligible = [run for run in cohort if is_eligible(run)]
    by_value: defaultdict[float, list[Row]] = defaultdict(list)
    for run in eligible:
        by_value[run["primaryValue"]].append(run)
    found: list[tuple[str, int, bool, float]] = []
    leader = min(by_value, default=0.0)
    for number, value in enumerate(sorted(by_value), start=1):
        tie = sorted(
            by_value[value],
            key=lambda run: (
                not (run["hasRawEvidence"] and run["sourceAvailable"]),
                -instant(run["observedAt"]),
                run["runDigest"],
            ),
        )
        found += [(run["runDigest"], number, len(tie) > 1, value / leader) for run in tie]
    return found


def test_ranks_ties_sizes_and_ratios_follow_the_rules_in_every_cohort(
    public_catalog: Catalog, runs: list[Row]
) -> None:
    cohorts: defaultdict[str, list[Row]] = defaultdict(list)
    for run in runs:
        assert run["primaryUnit"] in {"ns", "s", None}
        assert run["uncertaintyLow"] is None
        cohorts[run["comparisonKey"]].append(run)
    facts: dict[Any, Any] = {}
    rankings: dict[Any, Sequence[JudgedRun]] = {}
    for some in parts(list(cohorts)):
        facts.update(public_catalog.load_cohorts(some))
        rankings.update(public_catalog.load_whole_rankings(some))

    for key, members in cohorts.items():
        fact, ranked = facts[key], rankings.get(key, ())
        expected = rank(members)
        assert fact.profile is Profile.SOURCE_NATIVE
        assert (fact.run_count, fact.eligible_run_count) == (len(members), len(expected))
        standings = [one.standing for one in ranked if one.standing is not None]
        assert len(standings) == len(ranked)
        assert [(one.run, one.rank, one.is_tied) for one in standings] == [
            (digest, number, is_tied) for digest, number, is_tied, _ in expected
        ]
        assert [one.position for one in standings] == list(range(1, len(expected) + 1))
        ratios = [ratio for *_, ratio in expected]
        assert [one.ratio_to_leader for one in standings] == pytest.approx(ratios, rel=1e-12)


def test_equal_values_tie(public_catalog: Catalog, runs: list[Row]) -> None:
    values = Counter(
        (run["comparisonKey"], run["primaryValue"]) for run in runs if is_eligible(run)
    )
    equal = {place: count for place, count in values.items() if count > 1}
    ranked = public_catalog.load_whole_rankings({key for key, _ in equal})

    for (key, value), count in equal.items():
        tied = [one for one in ranked[key] if one.run.value == value]
        assert len(tied) == count
        assert len({one.standing.rank for one in tied if one.standing}) == 1
        assert all(one.standing is not None and one.standing.is_tied for one in tied)
    assert sum(count - 1 for count in equal.values()) == 25


def test_baselines_give_the_speedup_that_the_file_implies(
    judged: dict[str, JudgedRun], tables: dict[str, list[Row]], runs: list[Row]
) -> None:
    baselines = {
        row["id"]
        for row in tables["implementations"]
        if row.get("role") == "baseline"
        or row["manifest"]["metadata"].get("labels", {}).get("role") == "baseline"
    }
    best: dict[str, float] = {}
    for run in filter(is_eligible, runs):
        if run["implementationId"] in baselines:
            key, value = run["comparisonKey"], run["primaryValue"]
            best[key] = min(value, best.get(key, value))

    for run in filter(is_eligible, runs):
        standing = judged[run["runDigest"]].standing
        assert standing is not None
        base = best.get(run["comparisonKey"])
        if base is None:
            assert standing.speedup_over_baseline is None
        else:
            assert standing.speedup_over_baseline == pytest.approx(base / run["primaryValue"])


def test_suites_are_ranked_apart_from_cases(
    public_catalog: Catalog, tables: dict[str, list[Row]], runs: list[Row]
) -> None:
    suites = {
        row["id"]: row["workloadDigest"]
        for row in tables["workloads"]
        if row["manifest"]["kind"] == "WorkloadSuite"
    }
    assert len(suites) == 256
    cohorts: dict[Any, Any] = {}
    for some in parts(sorted({run["comparisonKey"] for run in runs})):
        cohorts.update(public_catalog.load_cohorts(some))
    for run in runs:
        cohort = cohorts[run["comparisonKey"]]
        if run["workloadId"] in suites:
            assert cohort.workload == suites[run["workloadId"]]
        else:
            assert cohort.workload not in suites.values()


def test_derived_record_history_is_the_published_one(
    events: list[RecordEventFact], tables: dict[str, list[Row]], runs: list[Row]
) -> None:
    digests = {run["id"]: run["runDigest"] for run in runs}
    published = {
        (row["comparisonKey"], digests[row["runId"]], digests.get(row["previousRunId"]))
        for row in tables["record_events"]
    }
    times = {digests[row["runId"]]: instant(row["at"]) for row in tables["record_events"]}

    assert {(one.cohort, one.run, one.previous_run) for one in events} == published
    assert len(events) == len(published) == 2948
    assert all(one.run is not None and one.at.timestamp() == times[one.run] for one in events)


def test_deepest_history_has_34_events_and_each_is_better(
    public_catalog: Catalog, events: list[RecordEventFact]
) -> None:
    ((key, depth),) = Counter(one.cohort for one in events).most_common(1)
    assert depth == 34

    history = public_catalog.load_histories([key], PageRequest(first=MAX_PAGE))[key].items

    values = [one.value for one in history]
    assert values == sorted({value for value in values if value is not None}, reverse=True)
    assert [one.ordinal for one in history] == list(range(1, 35))


def test_runs_of_two_operations_are_told_apart_and_keep_their_ranks(
    public_catalog: Catalog, judged: dict[str, JudgedRun]
) -> None:
    pairs = {
        digest
        for digest, one in judged.items()
        if public_catalog.load_implementations([one.run.implementation])[
            one.run.implementation
        ].operation_digest
        != one.run.operation
    }
    found = public_catalog.page_runs(
        Condition("mismatched", "eq", value=True), (), PageRequest(first=MAX_PAGE)
    )

    assert {one.run.digest for one in found.items} == pairs
    assert len(pairs) == 43
    assert sum(one.standing is not None for one in found.items) == 9
    records = public_catalog.page_records(
        Condition("mismatched", "eq", value=True), (), PageRequest(first=MAX_PAGE)
    )
    assert [record.run.run.digest in pairs for record in records.items] == [True]


def test_values_keep_all_their_digits(judged: dict[str, JudgedRun], runs: list[Row]) -> None:
    assert max(run["primaryValue"] for run in runs if run["primaryUnit"] == "ns") > 2**31
    for run in runs:
        fact = judged[run["runDigest"]].run
        assert (fact.value, fact.unit) == (run["primaryValue"], run["primaryUnit"])
        assert fact.observed_at.timestamp() == instant(run["observedAt"])
        assert fact.published_at.timestamp() == instant(run["publishedAt"])
        assert fact.sample_count == run["sampleCount"]


def test_runs_keep_their_source_and_hardware(
    judged: dict[str, JudgedRun], public_catalog: Catalog, tables: dict[str, list[Row]]
) -> None:
    slugs = {row["id"]: row["slug"] for row in tables["sources"]}
    environments = public_catalog.load_environments(
        row["environmentKey"] for row in tables["benchmark_runs"]
    )
    for row in tables["benchmark_runs"]:
        assert judged[row["runDigest"]].run.source == slugs[row["sourceId"]]
        hardware = environments[row["environmentKey"]].hardware
        assert hardware.product == row["hardwareModel"]
        assert hardware.architecture == row["hardwareArchitecture"]


def test_serving_runs_keep_cohort_and_figures(
    public_catalog: Catalog, tables: dict[str, list[Row]]
) -> None:
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for row in tables["serving_measurements"]:
        figures[row["runId"]].append(row["value"])
    found: dict[Any, Any] = {}
    for some in parts([row["runDigest"] for row in tables["serving_runs"]]):
        found.update(public_catalog.load_serving_runs(some))

    assert len(found) == 722
    for row in tables["serving_runs"]:
        fact = found[row["runDigest"]]
        assert fact.cohort == row["cohortKey"]
        assert [one.value for one in fact.measurements] == figures[row["id"]]
        assert (fact.accelerator_model, fact.node_count) == (
            row["acceleratorModel"],
            row["nodeCount"],
        )
    assert len({fact.cohort for fact in found.values()}) == 341


_SECOND_IMPORT = """
import json, pathlib, sys
from kgraph.cli.main import run
status = run(["import", "kernelindex", sys.argv[1], "--json"])
# Not the usage of the process, which starts from that of the one it was forked from.
lines = pathlib.Path("/proc/self/status").read_text().splitlines()
(peak,) = (int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
print(json.dumps({"status": status, "peakBytes": peak}), file=sys.stderr)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads its memory from /proc")
def test_importing_it_again_adds_nothing_within_a_gigabyte(
    public_source: CatalogSource, public_store: Path, public_batch: ImportBatch, tmp_path: Path
) -> None:
    settings = {
        "KGRAPH_STORE": str(public_store),
        "KGRAPH_CACHE": str(tmp_path),
        "HOME": str(tmp_path),
    }
    before = public_source.current().snapshot

    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _SECOND_IMPORT, str(_EXPORT)],
        env=settings,
        capture_output=True,
        check=True,
        timeout=300,
    )

    account = orjson.loads(done.stdout)
    outcome = orjson.loads(done.stderr.splitlines()[-1])
    assert outcome["status"] == 0
    assert account["publication"] is None
    assert account["snapshot"] == before
    assert (account["objectsAdded"], account["objectsPresent"]) == (0, len(public_batch.manifests))
    assert account["recordHistory"] == {
        "published": 2948,
        "derived": 2948,
        "matched": 2948,
        "differences": [],
    }
    assert outcome["peakBytes"] < 1_000_000_000


# --- and out again ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(public_catalog: Catalog) -> bytes:
    return b"".join(iter_lines(public_catalog))


# What the site writes beside a manifest in words of its own, and no manifest of ours carries.
_NOT_KEPT = {
    "projects": {"name": 331, "normalizedName": 331},
    "serving_configurations": {"summary": 130},
}

_NAMED_BY = {
    "sources": "slug",
    "projects": "slug",
    "operations": "semanticDigest",
    "workloads": "workloadDigest",
    "implementations": "implementationDigest",
    "benchmark_runs": "runDigest",
    "artifacts": "contentDigest",
    "model_revisions": "modelDigest",
    "serving_stack_revisions": "stackDigest",
    "serving_configurations": "configurationDigest",
    "serving_workloads": "workloadDigest",
    "serving_runs": "runDigest",
}


def name_rows(tables: dict[str, list[Row]]) -> dict[str, dict[tuple[Any, ...], Row]]:
    """Rows by what they are about, with references written as what they refer to."""
    names = {
        row["id"]: (table, row[column])
        for table, column in _NAMED_BY.items()
        for row in tables[table]
    }
    named: dict[str, dict[tuple[Any, ...], Row]] = {}
    for table, rows in tables.items():
        found = named[table] = {}
        for row in rows:
            kept = {
                column: names.get(value, value) if isinstance(value, str) else value
                for column, value in row.items()
                if column not in {"id", "createdAt"}
            }
            if "tags" in kept:
                kept["tags"] = sorted(kept["tags"])  # a set, which the site writes in any order
            key = [kept[_NAMED_BY[table]]] if table in _NAMED_BY else []
            key += [kept[c] for c in ("operationId", "runId", "metric", "statistic") if c in kept]
            if "alias" in kept:
                key.append(kept["alias"])
            assert tuple(key) not in found
            found[tuple(key)] = kept
    return named


def test_export_writes_every_row_of_the_site_as_it_was(
    exported: bytes, tables: dict[str, list[Row]]
) -> None:
    ours: defaultdict[str, list[Row]] = defaultdict(list)
    for line in exported.splitlines():
        item = orjson.loads(line)
        if not item["table"].startswith("kgraph_"):
            ours[item["table"]].append(item["row"])

    published, written = name_rows(tables), name_rows(ours)

    assert written.keys() == published.keys()
    for table, rows in published.items():
        assert written[table].keys() == rows.keys(), table
        differing = Counter(
            column
            for key, row in rows.items()
            for column in {*row, *written[table][key]}
            if written[table][key].get(column, ...) != row.get(column, ...)
        )
        assert differing == _NOT_KEPT.get(table, {}), table


def test_export_read_back_is_the_same_catalogue(exported: bytes, public_batch: ImportBatch) -> None:
    batch = import_kernelindex(io.BytesIO(exported), name="export.jsonl")

    assert batch.refused == ()
    assert {one.object_id for one in batch.manifests} == {
        one.object_id for one in public_batch.manifests
    }
    assert len(batch.published_records) == 2948


def test_a_serving_cohort_is_ranked_by_what_is_asked_for(
    public_catalog: Catalog, tables: dict[str, list[Row]]
) -> None:
    figures = {row["runId"]: row["value"] for row in tables["serving_measurements"]}
    cohorts: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in tables["serving_runs"]:
        cohorts[row["cohortKey"]].append(row)
    assert max(map(len, cohorts.values())) == 13

    for key, rows in cohorts.items():
        for objective, devices in (
            (ServingObjective.OUTPUT_TOKEN_THROUGHPUT, lambda _: 1),
            (
                ServingObjective.OUTPUT_TOKEN_THROUGHPUT_PER_ACCELERATOR,
                lambda row: row["totalAccelerators"],
            ),
        ):
            values = {row["runDigest"]: figures[row["id"]] / devices(row) for row in rows}
            found = public_catalog.rank_serving_cohort(key, objective)
            assert found is not None
            order = sorted(set(values.values()), reverse=True)
            assert {one.run: (one.value, one.rank) for one in found.ranking.standings} == {
                run: (value, order.index(value) + 1) for run, value in values.items()
            }
            assert found.ranking.unranked == ()
            assert found.runs.keys() == values.keys()


def test_a_kernel_cohort_is_no_serving_cohort(public_catalog: Catalog, runs: list[Row]) -> None:
    kernel = CohortKey(runs[0]["comparisonKey"])
    objective = ServingObjective.OUTPUT_TOKEN_THROUGHPUT
    assert public_catalog.rank_serving_cohort(kernel, objective) is None
    assert public_catalog.rank_serving_cohort(CohortKey(""), objective) is None
