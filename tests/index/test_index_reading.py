"""One open index asked from several threads, stopped, and asked by key."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from world import RUN_COUNT

from kgraph.digest import parse_ref
from kgraph.facts import PageRequest
from kgraph.index import (
    LISTS,
    Index,
    QueryCancelledError,
    query_attestations,
    query_cohorts_of,
    query_current_objects,
    query_object_ids,
    query_objects,
    query_operation_names,
    query_operations,
    query_runs,
    query_serving_runs,
    query_workloads,
)
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from world import Shelf, World

ROOT = Path(__file__).resolve().parents[2]

ENDLESS = (
    "SELECT count(*) FROM range(1000000000) a, range(1000) b WHERE (a.range * b.range) % 7 = 3"
)


def test_a_statement_is_stopped_from_another_thread(index: Index) -> None:
    interrupts: list[object] = []
    ready = threading.Event()

    def ask() -> list[tuple[object, ...]]:
        interrupts.append(index.interrupter())
        ready.set()
        return index.fetch(ENDLESS)

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        ready.wait()
        while not asked.done():
            # The statement may not have begun yet; an interrupt before it is forgotten.
            interrupts[0]()  # type: ignore[operator]  # the function just put there
        with pytest.raises(QueryCancelledError):
            asked.result()
        # The thread's next question is answered.
        assert pool.submit(index.fetch, "SELECT 1").result() == [(1,)]


def test_stopping_one_thread_stops_no_other(index: Index) -> None:
    interrupt = index.interrupter()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(
            index.fetch, "SELECT count(*) FROM range(3000000) a WHERE a.range % 7 = 3"
        )
        while not asked.done():
            interrupt()
        assert asked.result() == [(428571,)]


def test_threads_ask_at_once_and_every_statement_is_counted(index: Index) -> None:
    before = index.statement_count

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: index.fetch("SELECT count(*) FROM run"), range(400)))

    assert found == [[(RUN_COUNT,)]] * 400
    assert index.statement_count == before + 400


def test_two_readers_of_a_file_need_not_agree_on_settings(world_shelf: Shelf) -> None:
    path = world_shelf.build().path

    one, other = Index(path, threads=1), Index(path, threads=3)

    threads = [reader.fetch("SELECT current_setting('threads')") for reader in (one, other)]
    assert threads == [[(1,)], [(3,)]]
    (limit,) = one.fetch("SELECT current_setting('memory_limit')")[0]
    assert limit == "953.6 MiB"  # a gigabyte


def test_reading_needs_no_arrow_and_no_numpy(world_shelf: Shelf) -> None:
    path = world_shelf.build().path
    script = (
        "import sys; from pathlib import Path; from kgraph.index import *;"
        "index = Index(Path(sys.argv[1]));"
        "from kgraph.facts import PageRequest;"
        "assert query_page(index, 'runs', None, (), PageRequest()).total_count == 25;"
        "print(sorted({'pyarrow', 'numpy', 'pandas'} & set(sys.modules)))"
    )

    done = subprocess.run(  # noqa: S603 - this interpreter and a script of ours
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stderr, done.stdout) == ("", "[]\n")


def test_a_local_of_a_table_s_name_is_not_read(index: Index) -> None:
    unknown = [(1,)]

    with pytest.raises(Exception, match="unknown does not exist"):
        index.fetch("SELECT * FROM unknown")
    assert unknown == [(1,)]


def test_large_and_small_values_are_exact(index: Index, world: World) -> None:
    runs = query_runs(index, [world.slow_run.digest, world.score_runs[0].digest])

    assert runs[world.slow_run.digest].run.value == 2**40 + 1
    score = runs[world.score_runs[0].digest]
    assert (score.run.metric, score.run.value, score.run.unit) == ("score", 1e-5, "points")


def test_higher_scores_lead(index: Index, world: World) -> None:
    runs = query_runs(index, [run.digest for run in world.score_runs])

    positions = [runs[run.digest].standing for run in world.score_runs]
    assert [item and (item.rank, round(item.ratio_to_leader, 6)) for item in positions] == [
        (3, 3.0),
        (1, 1.0),
        (2, 1.5),
    ]


def test_overlapping_intervals_tie_where_they_are_declared(index: Index, world: World) -> None:
    runs = query_runs(index, [run.digest for run in world.strict_runs])

    standings = [runs[run.digest].standing for run in world.strict_runs]
    assert [item and (item.rank, item.is_tied) for item in standings] == [
        (1, True),
        (1, True),
        (2, False),
    ]
    assert runs[world.strict_runs[0].digest].run.interval_low == 950


def test_titles_of_any_script_come_back(index: Index, world: World) -> None:
    found = query_operations(index, [world.operation.digest])[world.operation.digest]

    assert (found.slug, found.title) == ("twice", "Doubling Ω")
    assert found.tags == ("elementwise", "o'clock; DROP TABLE run; --")


def test_a_label_names_axes_that_vary_and_dtypes_that_matter(index: Index, world: World) -> None:
    found = query_workloads(
        index, [world.workloads[0].digest, world.other_workload.digest, world.suite.digest]
    )

    assert found[world.workloads[0].digest].label == "rows = 64 · columns = 8 · bf16"
    assert found[world.other_workload.digest].label == "m = 5 · fp32"
    assert found[world.suite.digest].label == "All"


def test_a_suite_lists_its_cases(index: Index, world: World) -> None:
    suite = query_workloads(index, [world.suite.digest])[world.suite.digest]

    assert suite.is_suite
    assert suite.axes == ()
    assert suite.case_axes == (
        (("rows", 2), ("columns", 4)),
        (("rows", 1), ("columns", 4)),
    )
    assert (suite.aggregation_metric, suite.aggregation_statistic) == ("score", "geomean")
    run = query_runs(index, [world.suite_run.digest])[world.suite_run.digest]
    assert run.run.workload == world.suite.digest
    assert run.standing is not None


def test_a_serving_run_names_its_parts(index: Index, world: World) -> None:
    found = query_serving_runs(index, [world.serving_run.digest])[world.serving_run.digest]

    assert (found.model, found.model_name) == (world.model.digest, "Example 7B")
    assert (found.stack, found.stack_version) == (world.stack.digest, "1.0")
    assert (found.dtype, found.workload_name) == ("fp8", "offline")
    (measurement,) = found.measurements
    assert (measurement.metric, measurement.value) == ("output_token_throughput_tps", 8840.42)


def test_a_slug_wins_over_an_alias(index: Index, world: World) -> None:
    assert query_operation_names(index, "twice") == [world.operation.digest]
    assert query_operation_names(index, "times-two") == [world.operation.digest]
    # Renamed by the catalogue: its own name no longer leads to it.
    assert query_operation_names(index, "double") == []
    assert query_operation_names(index, "'; DROP TABLE run; --") == []


def test_objects_are_found_by_either_name(index: Index, world: World) -> None:
    run = world.runs[0]

    for ref in (run.digest, run.object_id, run.digest[7:], run.object_id[7:17], run.digest[:20]):
        (found,) = query_objects(index, parse_ref(ref))
        assert (found.digest, found.object_id) == (run.digest, run.object_id)
    assert query_objects(index, parse_ref(run.digest), [Kind.OPERATION_SPEC]) == []
    assert query_objects(index, parse_ref("sha256:" + run.object_id[7:])) == []
    assert query_objects(index, parse_ref("blake3:" + run.digest[7:20])) == []


def test_every_object_of_the_log_is_known(index: Index, world: World) -> None:
    ids = query_object_ids(index)

    assert {item.object_id for item in world.all} < ids
    assert len(ids) == len(world.all) + 4
    shown = query_current_objects(index, [item.digest for item in world.all])
    assert {item.digest: item.object_id for item in world.all} == {
        digest: found.object_id for digest, found in shown.items()
    }


def test_attestations_come_oldest_first(index: Index, world: World) -> None:
    found = query_attestations(index, [world.runs[1].digest, world.runs[0].digest])

    assert list(found) == [world.runs[1].digest]
    assert [item.statement for item in found[world.runs[1].digest]] == ["Clocks were not locked."]


def test_ranked_cohorts_come_before_those_without_a_ranking(index: Index, world: World) -> None:
    (cohorts,) = query_cohorts_of(
        index, "workload", [world.workloads[0].digest], policy="ranking-v1"
    ).values()

    ranked = [cohort.eligible_run_count > 0 for cohort in cohorts]
    assert ranked == sorted(ranked, reverse=True)
    assert not ranked[-1]


def test_a_page_is_one_statement_and_a_length_one_more_that_is_asked_once(index: Index) -> None:
    for name in LISTS:
        for size in (1, 200):
            before = index.statement_count
            first = index.fetch_page(name, tuple, None, (), PageRequest(first=size))
            assert before < index.statement_count <= before + 2

            before = index.statement_count
            again = index.fetch_page(name, tuple, None, (), PageRequest(first=size))
            assert index.statement_count == before + 1
            assert again.total_count == first.total_count
