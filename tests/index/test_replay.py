"""An index is what the log says, however it was come by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import (
    RUN_COUNT,
    Shelf,
    World,
    amended,
    attestation,
    listing,
    read_rows,
    retraction,
    split,
    supersession,
)

from kgraph.index import Index, query_dangling

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.importers import ImportBatch
    from kgraph.manifest import Identified

# What a publication's number and hour go into; nothing else may depend on them.
OF_PUBLICATION = ("sequence", "ordinal", "published_at", "parent", "object_id", "message")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "grown")


def publish_in_steps(shelf: Shelf, world: World) -> None:
    """Every kind of change that later publications make, an index carried over each."""
    runs = [item for item in world.all if item.kind == "BenchmarkRun"]
    others = [item for item in world.all if item.kind != "BenchmarkRun"]
    leader = world.runs[3]
    steps: list[list[Identified]] = [
        others,
        runs[:9],
        runs[9:],
        [
            amended(world.operation, title="Doubling, amended"),
            amended(world.baseline, labels={}),
            amended(leader, title="the leader, amended"),
            amended(world.environments[0], title="A100 box"),
        ],
        [
            listing(
                {"subject": world.operation.digest, "slug": "twice", "aliases": ["times-two"]},
                {"subject": world.plain.digest, "role": "baseline"},
                {"subject": world.runs[0].digest, "publishedAt": "2026-03-01T12:30:00Z"},
            )
        ],
        [listing({"subject": world.operation.digest, "tags": ["elementwise"]})],
        [retraction(leader), attestation(leader), attestation(world.runs[1], "Run again.")],
        [supersession(world.runs[2], world.runs[1])],
        [amended(world.operation, title="Doubling, once more")],
    ]
    for number, step in enumerate(steps):
        shelf.publish(step, packed=number % 2 == 1)
        built = shelf.build()
        assert built.is_incremental == (number > 0)
        assert built.applied == 1


def test_an_index_carried_forward_equals_one_replayed_from_the_log(
    world: World, shelf: Shelf, tmp_path: Path
) -> None:
    publish_in_steps(shelf, world)

    replayed = shelf.build(folder=tmp_path / "replayed")

    assert replayed.applied == 9
    assert not replayed.is_incremental
    grown = read_rows(shelf.build().path)
    assert grown == read_rows(replayed.path)
    assert len(grown["run"]) == RUN_COUNT
    assert len(grown["correction"]) == 2
    assert len(grown["attestation"]) == 2


def test_later_publications_change_what_is_shown(world: World, shelf: Shelf) -> None:
    publish_in_steps(shelf, world)
    index = Index(shelf.build().path)

    def fetch(sql: str) -> list[tuple[object, ...]]:
        return index.fetch(sql, [world.operation.digest] if "?" in sql else [])

    assert fetch("SELECT slug, title, aliases, tags FROM operation WHERE digest = ?") == [
        ("twice", "Doubling, once more", ["times-two"], ["elementwise"])
    ]
    # The source no longer calls torch the baseline; the catalogue calls plain so.
    assert fetch("SELECT slug FROM implementation WHERE is_baseline") == [("plain",)]
    assert index.fetch(
        "SELECT title, is_eligible, reasons FROM run WHERE digest = ?", [world.runs[3].digest]
    ) == [("the leader, amended", False, ["RETRACTED"])]
    assert index.fetch(
        "SELECT count(*), count(*) FILTER (is_current) FROM object WHERE digest = ?",
        [world.operation.digest],
    ) == [(3, 1)]
    # Retracting the leader, which came last, gives the record back to who held it before; that
    # one of its equals is superseded later is no event.
    assert index.fetch(
        "SELECT ordinal, cause, run FROM event WHERE cohort ="
        " (SELECT cohort FROM run WHERE digest = ?) ORDER BY ordinal",
        [world.runs[3].digest],
    ) == [
        (1, "new_run", world.runs[0].digest),
        (2, "new_run", world.runs[1].digest),
        (3, "new_run", world.runs[3].digest),
        (4, "retraction", world.runs[1].digest),
    ]


def test_an_amended_run_keeps_the_time_of_its_first_publication(world: World, shelf: Shelf) -> None:
    first = shelf.publish(world.all)
    shelf.publish([amended(world.runs[3], title="amended")])

    found = Index(shelf.build().path).fetch(
        "SELECT title, published_at FROM run WHERE digest = ?", [world.runs[3].digest]
    )

    assert found == [("amended", first.publication.instant.replace(tzinfo=None))]


def test_many_publications_say_what_one_says(world: World, tmp_path: Path) -> None:
    said = [
        retraction(world.runs[3]),
        attestation(world.runs[1]),
        listing({"subject": world.operation.digest, "slug": "twice", "tags": ["elementwise"]}),
    ]
    one, many = Shelf(tmp_path / "one"), Shelf(tmp_path / "many")
    one.publish([*world.all, *said])

    for start in range(0, len(world.all), 12):
        many.publish(world.all[start : start + 12])
        many.build()
    many.publish(said)

    rows = [read_rows(shelf.build().path, without=OF_PUBLICATION) for shelf in (one, many)]
    for table in ("publication", "meta"):
        del rows[0][table], rows[1][table]
    assert rows[0] == rows[1]


def test_runs_published_before_what_they_cite_come_in_with_it(world: World, tmp_path: Path) -> None:
    runs = [item for item in world.all if item.kind == "BenchmarkRun"]
    others = [item for item in world.all if item.kind != "BenchmarkRun"]
    backwards, forwards = Shelf(tmp_path / "backwards"), Shelf(tmp_path / "forwards")
    backwards.publish(runs)
    early = Index(backwards.build().path)
    assert early.fetch("SELECT count(*) FROM run") == [(0,)]
    assert len(query_dangling(early)) == 4 * len(runs)

    others.reverse()
    for start in range(0, len(others), 5):
        backwards.publish(others[start : start + 5])
        backwards.build()
    forwards.publish(others)
    forwards.publish(runs)

    rows = [
        read_rows(shelf.build().path, without=OF_PUBLICATION) for shelf in (backwards, forwards)
    ]
    for table in ("publication", "meta"):
        del rows[0][table], rows[1][table]
    assert rows[0] == rows[1]
    assert rows[0]["dangling"] == []
    assert read_rows(backwards.build().path) == read_rows(backwards.build(is_fresh=True).path)


def test_a_run_that_cites_another_kind_stays_out(world: World, shelf: Shelf) -> None:
    wrong = world.add_run("fast", 0, 0, 1, 90, workloadDigest=world.protocol.digest)
    world.all.pop()
    shelf.publish([*world.all, wrong])
    shelf.publish([attestation(world.runs[0])])

    index = Index(shelf.build().path)

    assert query_dangling(index) == ((wrong.digest, "spec.workloadDigest", world.protocol.digest),)
    assert index.fetch("SELECT count(*) FROM run WHERE digest = ?", [wrong.digest]) == [(0,)]


# Each example builds several indexes.
@settings(max_examples=8)
@given(data=st.data())
def test_order_and_split_of_publications_change_no_verdict(
    data: st.DataObject, liger_batch: ImportBatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    others, runs = split(liger_batch)
    folder = tmp_path_factory.mktemp("orders")
    whole = Shelf(folder / "whole")
    whole.publish([*others, *runs, retraction(runs[0])])
    order = data.draw(st.permutations([*others, *runs, retraction(runs[0])]))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(order) - 1), max_size=4)))

    parts = Shelf(folder / "parts")
    for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True):
        parts.publish(order[start:end])
        if data.draw(st.booleans()):
            parts.build()

    expected = read_rows(whole.build().path, without=OF_PUBLICATION)
    found = read_rows(parts.build().path, without=OF_PUBLICATION)
    for table in ("verdict", "record_event", "cohort", "event", "record", "run", "workload"):
        assert found[table] == expected[table], table
    assert found["run"] != []


def test_an_empty_log_has_an_index(shelf: Shelf) -> None:
    built = shelf.build()

    assert (built.sequence, built.applied) == (0, 0)
    index = Index(built.path)
    assert index.fetch("SELECT runs, operations FROM counts") == [(0, 0)]
    assert query_dangling(index) == ()
