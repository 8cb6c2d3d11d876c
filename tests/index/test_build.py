"""Index files: made whole or not at all, made anew where they cannot be read."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from world import NOON, SOURCE, Shelf, World, attestation, read_rows

from kgraph.errors import DamageError
from kgraph.index import (
    TABLE_VERSION,
    Index,
    IndexDamagedError,
    IndexFolderError,
    IndexVersionError,
    build_index,
    name_index,
)
from kgraph.index.folder import BUILDING, hold_folder
from kgraph.index.schema import SQL_FILES
from kgraph.log import Draft, Log
from kgraph.policy import RankingV1, ranking_v1
from kgraph.store import ObjectStrangeError, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


class OtherPolicies(RankingV1):
    """The same rules under another name."""

    @property
    def version(self) -> str:
        return "ranking-v1 under-test"


@pytest.fixture
def shelf(world: World, tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path / "indexes")
    made.publish(world.all)
    return made


def age(path: Path, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(path, (then, then))


def test_what_is_there_is_not_made_again(shelf: Shelf) -> None:
    built = shelf.build()
    made = built.path.stat().st_ino

    again = shelf.build()

    assert (again.path, again.applied, again.is_incremental) == (built.path, 0, False)
    assert built.path.stat().st_ino == made


def test_a_cohort_is_one_range_of_rows(shelf: Shelf) -> None:
    index = Index(shelf.build().path)

    rows = index.fetch("SELECT cohort, position, digest FROM run ORDER BY rowid")

    cohorts = [row[0] for row in rows]
    changes = sum(before != after for before, after in itertools.pairwise(cohorts))
    assert changes + 1 == len(set(cohorts)) > 5
    assert rows == sorted(rows, key=lambda row: (row[0], row[1] or 10**9, row[2]))


@pytest.mark.parametrize("table", ["run_by_time", "run_order"])
def test_the_other_copies_of_the_runs_are_ordered_by_time(shelf: Shelf, table: str) -> None:
    index = Index(shelf.build().path)

    rows = index.fetch(f"SELECT observed_at, digest FROM {table} ORDER BY rowid")

    assert rows == sorted(rows, key=lambda row: (-row[0].timestamp(), row[1]))
    assert len(rows) == index.fetch("SELECT count(*) FROM run")[0][0]


def test_an_index_under_other_policies_is_another_file(shelf: Shelf) -> None:
    one = shelf.build()

    other = build_index(shelf.log, shelf.store, OtherPolicies(), folder=shelf.folder)

    assert other.path != one.path
    assert other.applied == 1
    assert Index(other.path).policies == "ranking-v1 under-test"
    assert Index(one.path).policies == ranking_v1.version


def cut_to(length: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, length)


def cut_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_last_kilobyte(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1024)


def write_garbage(path: Path) -> None:
    path.write_bytes(b"garbage " * 10_000)


def change_version(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'table_version'")


def forget_snapshot(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'snapshot'")


def make_other_database(path: Path) -> None:
    path.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE meta (other INTEGER)")


def claim_other_snapshot(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE meta SET value = 'blake3:0' WHERE key = 'snapshot'")


DAMAGES = {
    "empty": cut_to(0),
    "header only": cut_to(12_288),
    "half": cut_half,
    "last kilobyte": cut_last_kilobyte,
    "garbage": write_garbage,
    "another version": change_version,
    "no snapshot": forget_snapshot,
    "another database": make_other_database,
    "another snapshot": claim_other_snapshot,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_file_that_is_not_this_index_is_made_anew(
    shelf: Shelf, damage: Callable[[Path], None]
) -> None:
    built = shelf.build()
    count = Index(built.path).fetch("SELECT * FROM counts")
    damage(built.path)

    again = shelf.build()

    assert (again.path, again.applied) == (built.path, 1)
    assert Index(again.path).fetch("SELECT * FROM counts") == count


@pytest.mark.parametrize("name", ["half", "garbage", "another version", "another snapshot"])
def test_a_base_that_is_not_an_index_is_not_built_on(
    shelf: Shelf, world: World, name: str, tmp_path: Path
) -> None:
    DAMAGES[name](shelf.build().path)
    shelf.publish([attestation(world.runs[0])])

    built = shelf.build()

    assert (built.applied, built.is_incremental) == (2, False)
    assert read_rows(built.path) == read_rows(shelf.build(folder=tmp_path / "fresh").path)


def test_a_base_with_a_damaged_block_is_not_built_on(shelf: Shelf, world: World) -> None:
    path = shelf.build().path
    content = bytearray(path.read_bytes())
    # Behind the headers, in the blocks of the first tables; the file still opens.
    for start in range(20_000, 1_500_000, 4096):
        content[start] ^= 0xFF
    path.write_bytes(content)
    shelf.publish([attestation(world.runs[0])])

    built = shelf.build()

    assert (built.applied, built.is_incremental) == (2, False)
    assert Index(built.path).fetch("SELECT count(*) FROM attestation") == [(1,)]


def test_a_damaged_block_is_an_error_of_the_index(shelf: Shelf) -> None:
    path = shelf.build().path
    index = Index(path)
    length = path.stat().st_size
    # In place: the same file, as a failing disk would have it.
    with path.open("r+b") as file:
        file.seek(20_000)
        file.write(b"\xff" * (length - 300_000))

    with pytest.raises(IndexDamagedError) as caught:
        index.fetch("SELECT * FROM run")

    assert caught.value.code == "INDEX_DAMAGED"
    assert path.name in str(caught.value)


def test_every_script_counts_for_the_table_version() -> None:
    scripts = (ROOT / "kgraph" / "index").glob("*.sql")

    assert sorted(path.stem for path in scripts) == sorted(SQL_FILES)
    assert re.fullmatch(r"[0-9]+\.[0-9a-f]{8}", TABLE_VERSION)


def test_opening_names_what_is_wrong(shelf: Shelf) -> None:
    path = shelf.build().path

    with pytest.raises(IndexDamagedError, match="run `kgraph index build"):
        Index(path.with_name("absent.duckdb"))
    change_version(path)
    with pytest.raises(IndexVersionError, match="built for table version 0"):
        Index(path)


def test_what_a_killed_process_left_is_removed(shelf: Shelf) -> None:
    shelf.folder.mkdir(parents=True)
    left = shelf.folder / f"kgraph-1-abcdef12-0000{BUILDING}"
    left.mkdir()
    (left / "kgraph-1.duckdb").write_bytes(b"half")
    older = shelf.folder / f"kgraph-1-abcdef12-1111{BUILDING}"
    older.write_bytes(b"half")

    built = shelf.build()

    assert sorted(path.name for path in shelf.folder.iterdir()) == sorted(
        ["building.lock", built.path.name]
    )


def test_a_building_file_is_never_taken_for_an_index(shelf: Shelf, world: World) -> None:
    built = shelf.build()
    snapshot = shelf.publish([attestation(world.runs[0])]).object_id
    half = shelf.folder / f"{name_index(snapshot, ranking_v1)}{BUILDING}"
    half.write_bytes(built.path.read_bytes())

    assert shelf.build().applied == 1
    assert not half.exists()


def test_builders_take_turns_and_the_others_find_the_work_done(shelf: Shelf) -> None:
    with ThreadPoolExecutor(3) as pool:
        built = list(pool.map(lambda _: shelf.build(), range(3)))

    assert sorted(one.applied for one in built) == [0, 0, 1]
    assert list(shelf.folder.glob("*.duckdb")) == [built[0].path]


BUILDER = """
import os, signal, sys
from pathlib import Path
from kgraph.index import build_index
from kgraph.log import Log
from kgraph.policy import RankingV1
from kgraph.store import open_store

stop = sys.argv[2]

def pause():
    print("paused", flush=True)
    signal.pause()

class Pausing(RankingV1):
    def judge_run(self, run):
        if stop == "judging":
            pause()
        return super().judge_run(run)

def watch(event, arguments):
    if event == "os.rename" and stop == "renaming":
        pause()

sys.addaudithook(watch)
folder = Path(sys.argv[1])
store = open_store(folder / "objects")
print(build_index(Log(store), store, Pausing(), folder=folder / "cache").applied)
"""


@pytest.fixture
def on_disk(world: World, tmp_path: Path) -> Path:
    store = open_store(tmp_path / "objects", create=True)
    ids = store.put_many([item.content for item in world.all])
    draft = Draft(NOON, "tests", objects=ids, source=SOURCE)
    Log(store).append(lambda _: draft)
    return tmp_path


def start_builder(folder: Path, stop: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - this interpreter and a script of ours
        [sys.executable, "-c", BUILDER, str(folder), stop],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("stop", ["judging", "renaming"])
def test_a_builder_that_is_killed_leaves_nothing_that_is_read(on_disk: Path, stop: str) -> None:
    cache = on_disk / "cache"
    with start_builder(on_disk, stop) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "paused\n"
        assert list(cache.glob(f"*{BUILDING}/*.duckdb")) != []
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert list(cache.glob("*.duckdb")) == []

    store = open_store(on_disk / "objects")
    built = build_index(Log(store), store, ranking_v1, folder=cache)

    assert built.applied == 1
    assert sorted(path.name for path in cache.iterdir()) == sorted(
        ["building.lock", built.path.name]
    )
    assert Index(built.path).fetch("SELECT count(*) > 20 FROM run") == [(True,)]


def test_two_processes_that_build_at_once_end_with_one_good_file(on_disk: Path) -> None:
    with start_builder(on_disk, "nowhere") as one, start_builder(on_disk, "nowhere") as other:
        said = sorted(process.communicate()[0] for process in (one, other))

    assert (one.returncode, other.returncode) == (0, 0)
    assert said == ["0\n", "1\n"]
    (path,) = (on_disk / "cache").glob("*.duckdb")
    store = open_store(on_disk / "objects")
    fresh = build_index(Log(store), store, ranking_v1, folder=on_disk / "fresh")
    assert read_rows(path) == read_rows(fresh.path)


def test_pruning_keeps_the_newest_and_what_was_used_last(shelf: Shelf, world: World) -> None:
    entries = [shelf.publish([attestation(world.runs[0], f"Note {n}.")]) for n in range(6)]
    newest = shelf.build()
    age(newest.path, hours=50)

    for hours, entry in enumerate(reversed(entries[:-1])):
        age(shelf.build(until=entry).path, hours=40 - hours)

    kept = set(shelf.folder.glob("*.duckdb"))
    assert newest.path in kept
    assert kept == {
        newest.path,
        *(shelf.folder / name_index(entry.object_id, ranking_v1) for entry in entries[:3]),
    }


def test_what_is_let_go_of_is_read_on_by_who_has_it_open(shelf: Shelf, world: World) -> None:
    first = shelf.build()
    index = Index(first.path)
    expected = index.fetch("SELECT * FROM run")

    first.path.unlink()
    shelf.publish([attestation(world.runs[0])])
    shelf.build()

    assert index.fetch("SELECT * FROM run") == expected


def test_an_earlier_snapshot_is_made_again_from_the_nearest_one_before(
    shelf: Shelf, world: World
) -> None:
    entries = [shelf.publish([attestation(world.runs[0], f"Note {n}.")]) for n in range(3)]
    first = shelf.build(until=entries[0])
    shelf.build()

    again = shelf.build(until=entries[1])

    assert (again.sequence, again.applied, again.is_incremental) == (3, 1, True)
    assert Index(again.path).fetch("SELECT count(*) FROM attestation") == [(2,)]
    assert Index(first.path).fetch("SELECT count(*) FROM attestation") == [(1,)]


def test_an_index_of_another_log_in_the_folder_is_not_built_on(
    world: World, tmp_path: Path
) -> None:
    one, other = Shelf(tmp_path), Shelf(tmp_path)
    one.publish(world.all)
    one.build()
    other.publish(world.all[:-1])
    other.publish(world.all[-1:])

    assert (other.build().applied, one.build().applied) == (2, 0)


def test_a_file_made_anew_under_its_name_is_read_anew(shelf: Shelf) -> None:
    built = shelf.build()
    old = Index(built.path)

    again = shelf.build(is_fresh=True, folder=shelf.folder / "again")
    claim_other_snapshot(again.path)
    again.path.replace(built.path)

    assert old.fetch("SELECT count(*) FROM publication") == [(1,)]
    assert Index(built.path, threads=3).snapshot == "blake3:0"
    assert old.snapshot == built.snapshot


def test_a_folder_made_ahead_is_served_without_being_written_to(shelf: Shelf) -> None:
    built = shelf.build()
    with hold_folder(shelf.folder):
        assert shelf.build().applied == 0  # nobody waits for the lock where nothing is made
    assert shelf.build().path == built.path


def test_a_folder_that_cannot_be_made_is_named(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(IndexFolderError, match="expected a folder to write the index to"):
        shelf.build(folder=tmp_path / "file" / "indexes")


def test_a_path_with_a_quote_is_only_a_path(shelf: Shelf, tmp_path: Path) -> None:
    built = shelf.build(folder=tmp_path / "o'clock; --")

    assert Index(built.path).snapshot == built.snapshot


def test_a_publication_larger_than_memory_holds_is_read_in_chunks(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read_rows(shelf.build().path)
    monkeypatch.setattr("kgraph.index.load.RUNS_A_CHUNK", 4)
    monkeypatch.setattr("kgraph.index.load.HELD_BYTES", 9_000)
    monkeypatch.setattr("kgraph.index.derive.RUNS_A_PART", 3)

    chunked = shelf.build(folder=tmp_path / "chunked")

    assert read_rows(chunked.path) == whole


@pytest.mark.parametrize(
    "content", [b"\x00\xff", b"[]", b'{"kind":"Poem"}', b'{"apiVersion":"a","kind":"Poem"}']
)
def test_published_bytes_that_are_no_manifest_are_damage(shelf: Shelf, content: bytes) -> None:
    strange = shelf.store.put(content)
    shelf.log.append(lambda _: Draft(NOON, "p", objects=(strange,)))

    with pytest.raises(ObjectStrangeError, match=strange):
        shelf.build()


def test_a_published_object_that_is_gone_is_damage(shelf: Shelf) -> None:
    first = next(iter(shelf.store.blobs.iter_blobs("loose/")))
    shelf.store.blobs.remove(first.key)

    with pytest.raises(DamageError, match="holds no object"):
        shelf.build()
