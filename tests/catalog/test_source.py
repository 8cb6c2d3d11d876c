"""Which snapshot is answered from, while the log grows and requests run."""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from world import Shelf, World, amended, attestation

from kgraph.catalog import Catalog, CatalogSource, UnknownSnapshotError
from kgraph.digest import BadDigestError
from kgraph.facts import Order, PageRequest
from kgraph.index import EMPTY_SNAPSHOT, AmbiguousRefError, CursorError
from kgraph.policy import ranking_v1

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = Path("/proc/self/fd")
NOW = datetime(2026, 9, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture
def shelf(world: World, tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path / "indexes")
    made.publish(world.all)
    return made


def open_source(shelf: Shelf) -> CatalogSource:
    return CatalogSource(shelf.log, shelf.store, ranking_v1, folder=shelf.folder, clock=lambda: NOW)


def open_files() -> Iterator[str]:
    """Paths of the files that this process has open."""
    for link in FILES.iterdir():
        # The listing itself is a file, open no more.
        with contextlib.suppress(FileNotFoundError):
            yield str(link.readlink())


def titles(catalog: Catalog) -> list[str]:
    page = catalog.page_operations(None, (Order("slug"),), PageRequest())
    return [operation.title for operation in page.items]


def test_an_empty_log_is_an_empty_catalogue(tmp_path: Path) -> None:
    source = open_source(Shelf(tmp_path))

    catalog = source.current()

    assert catalog.snapshot == EMPTY_SNAPSHOT
    assert catalog.head is None
    assert catalog.counts().runs == 0
    assert not source.refresh()
    assert source.at(EMPTY_SNAPSHOT) is catalog
    with pytest.raises(UnknownSnapshotError, match="first publication, and there is none yet"):
        source.as_of(NOW)


def test_a_refresh_answers_from_what_was_published_since(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    before = source.current()
    assert not source.refresh()
    entry = shelf.publish([amended(world.operation, title="Tripling")])
    assert source.current() is before

    assert source.refresh()

    assert titles(source.current()) == ["Tripling", "row-sum"]
    assert source.current().snapshot == entry.object_id
    assert source.current().head is not None
    # A request that began before goes on with what it has.
    assert titles(before) == ["Doubling Ω", "row-sum"]


def test_no_request_fails_while_the_catalogue_is_exchanged(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    stop = threading.Event()
    key = next(iter(source.current().page_cohorts(None, (), PageRequest(first=1)).items)).key

    def ask() -> list[int]:
        seen: list[int] = []
        while not stop.is_set():
            catalog = source.current()
            first = catalog.page_runs(None, (), PageRequest(first=10))
            rest = catalog.page_runs(None, (), PageRequest(first=50, after=first.cursors[-1]))
            assert len(first.items) + len(rest.items) == first.total_count
            assert catalog.load_rankings([key], PageRequest(first=5))[key].items
            head = catalog.head
            assert head is not None
            seen.append(head.sequence)
        return seen

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask) for _ in range(3)]
        try:
            for number in range(4):
                shelf.publish([attestation(world.runs[0], f"Note {number}.")])
                assert source.refresh()
                # The files of what is no longer newest may go at any time.
                for path in shelf.folder.glob("*.duckdb"):
                    path.unlink()
        finally:
            stop.set()
        seen = [one.result() for one in asked]

    for sequences in seen:
        assert sequences == sorted(sequences)
    head = source.current().head
    assert head is not None
    assert head.sequence == 5


def test_a_snapshot_is_answered_as_it_was(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    first = source.current().snapshot
    second = shelf.publish([amended(world.operation, title="Second")]).object_id
    third = shelf.publish([amended(world.operation, title="Third")]).object_id
    source.refresh()

    for snapshot, title in ((first, "Doubling Ω"), (second, "Second"), (third, "Third")):
        for ref in (snapshot, snapshot[7:], snapshot[:15], snapshot[7:15]):
            catalog = source.at(ref)
            assert catalog.snapshot == snapshot
            assert titles(catalog)[0] == title
    assert source.at(third) is source.current()
    # Asked again, it is not opened again.
    assert source.at(second) is source.at(second[7:17])


def test_a_date_is_answered_with_what_was_published_by_then(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    first = shelf.log.head()
    assert first is not None
    second = shelf.publish([amended(world.operation, title="Second")])
    source.refresh()
    at = [entry.publication.instant for entry in (first, second)]

    assert source.as_of(at[0]).snapshot == first.object_id
    assert source.as_of(at[1] - timedelta(milliseconds=1)).snapshot == first.object_id
    assert source.as_of(at[1]) is source.current()
    assert source.as_of(NOW) is source.current()
    began = at[0].isoformat().replace("+", r"\+")
    with pytest.raises(UnknownSnapshotError, match=f"expected {began} or later, when the first"):
        source.as_of(at[0] - timedelta(milliseconds=1))


def test_what_names_no_snapshot_is_refused(shelf: Shelf) -> None:
    source = open_source(shelf)
    snapshot = source.current().snapshot

    for ref in ("blake3:" + "0" * 64, "00000000", "sha256:" + snapshot[7:], EMPTY_SNAPSHOT):
        with pytest.raises(UnknownSnapshotError):
            source.at(ref)
    for ref in ("", "latest", snapshot[7:14], snapshot.upper()):
        with pytest.raises(BadDigestError):
            source.at(ref)


def test_a_prefix_of_two_snapshots_is_refused(
    shelf: Shelf, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody finds two entries that share eight digits, so the log finds those that share one.
    source = open_source(shelf)
    for number in range(20):
        shelf.publish([attestation(world.runs[0], f"Note {number}.")])
    digits = [entry.object_id[7:] for entry in shelf.log.entries()]
    shared = next(
        one[:1] for one, other in itertools.combinations(digits, 2) if one[:1] == other[:1]
    )
    found = shelf.log.find(shared)
    assert len(found) > 1

    monkeypatch.setattr(shelf.log, "find", lambda _: found)

    with pytest.raises(AmbiguousRefError) as caught:
        source.at(found[0].object_id[7:15])

    assert len(caught.value.names) == len(found)


def test_a_cursor_of_an_earlier_snapshot_is_answered_there(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    page = source.current().page_runs(None, (), PageRequest(first=3))
    pinned = source.current().snapshot
    shelf.publish([world.add_run("fast", 0, 0, 1, 1000)])
    world.all.pop()
    source.refresh()
    after = PageRequest(first=3, after=page.cursors[-1])

    with pytest.raises(CursorError):
        source.current().page_runs(None, (), after)

    rest = source.at(pinned).page_runs(None, (), after)
    assert not set(rest.items) & set(page.items)
    assert rest.total_count == page.total_count


def test_earlier_snapshots_are_made_again_after_they_were_let_go_of(
    shelf: Shelf, world: World
) -> None:
    entries = [shelf.publish([amended(world.operation, title=f"T{n}")]) for n in range(10)]
    source = open_source(shelf)
    held = source.at(entries[0].object_id)

    for entry in entries[1:]:
        source.at(entry.object_id)

    assert len(list(shelf.folder.glob("*.duckdb"))) <= 5
    # Its file is gone, and its catalogue is no longer kept; who holds it reads on.
    assert titles(held)[0] == "T0"
    again = source.at(entries[0].object_id)
    assert again is not held
    assert titles(again)[0] == "T0"


@pytest.mark.skipif(not FILES.is_dir(), reason="this system does not say which files are open")
def test_a_catalogue_that_nobody_holds_lets_go_of_its_file(shelf: Shelf, world: World) -> None:
    source = open_source(shelf)
    for number in range(10):
        shelf.publish([attestation(world.runs[0], f"Note {number}.")])
        source.refresh()
    gc.collect()

    # The newest and the eight before it.
    assert len({path for path in open_files() if path.startswith(str(shelf.folder))}) == 9


def test_a_file_that_was_damaged_since_is_made_again(shelf: Shelf, world: World) -> None:
    entry = shelf.log.head()
    assert entry is not None
    shelf.publish([attestation(world.runs[0])])
    shelf.build(until=entry).path.write_bytes(b"no index")

    assert open_source(shelf).at(entry.object_id).counts().runs > 0
