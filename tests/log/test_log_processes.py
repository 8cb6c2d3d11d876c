"""Writers that race one another, and writers that are killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgraph.log import Draft, Log, LogEntry, check_log
from kgraph.store import ObjectStore, Severity, open_store, repack

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.store import Problem

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SHARED = [f"shared {number}".encode() for number in range(30)]


def append_in_process(root: str, writer: int, barrier_path: str) -> None:
    store = open_store(root)
    log = Log(store)
    # Both are awake before either writes.
    Path(barrier_path, str(writer)).touch()
    while len(os.listdir(barrier_path)) < 2:
        pass
    for turn in range(15):
        own = [f"{writer} {turn} {number}".encode() for number in range(5)]
        ids = store.put_many([*own, *SHARED])[: len(own)]
        if turn % 5 == 4:
            packs = (store.put_pack(own).pack_id,)
            log.append(lambda _, packs=packs: Draft(NOON, f"writer {writer}", packs=packs))  # type: ignore[misc] # bound at once
        else:
            log.append(lambda _, ids=ids: Draft(NOON, f"writer {writer}", objects=ids))  # type: ignore[misc] # bound at once


def test_two_processes_write_one_chain(tmp_path: Path) -> None:
    root, barrier = tmp_path / "objects", tmp_path / "barrier"
    barrier.mkdir()
    store = open_store(root, create=True)
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=append_in_process, args=(str(root), number, str(barrier)))
        for number in range(2)
    ]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)

    assert [writer.exitcode for writer in writers] == [0, 0]
    log = Log(store)
    entries = list(log.entries())
    assert [entry.sequence for entry in entries] == list(range(1, 31))
    by_writer = {f"writer {number}": 15 for number in range(2)}
    assert {
        name: sum(entry.publication.published_by == name for entry in entries) for name in by_writer
    } == by_writer
    assert damage_of(store) == []
    assert list((root / ".tmp").iterdir()) == []
    # Two that repack at once do not hurt one another either.
    repackers = [context.Process(target=repack_in_process, args=(str(root),)) for _ in range(2)]
    for repacker in repackers:
        repacker.start()
    for repacker in repackers:
        repacker.join(timeout=60)
    assert [repacker.exitcode for repacker in repackers] == [0, 0]
    assert damage_of(open_store(root)) == []
    assert list(open_store(root).iter_loose()) == []


def repack_in_process(root: str) -> None:
    repack(open_store(root))


def damage_of(store: ObjectStore) -> list[Problem]:
    found = [*store.check(), *check_log(Log(store), store)]
    return [one for one in found if one.severity is Severity.DAMAGE]


# --- a writer killed at each of its system calls ----------------------------------------------

LOOSE = [f'{{"loose":{number}}}'.encode() for number in range(3)]
PACKED = [f'{{"packed":{number},"pad":"{"x" * 900}"}}'.encode() for number in range(20)]
CALLS = ("open", "write", "fsync", "link", "unlink", "makedirs", "mkdir")


def publish_all(root: Path) -> None:
    """What an import does, then a repack; done again, it adds only what is missing."""
    store = open_store(root, create=True)
    log = Log(store)

    def published() -> set[str]:
        return {one for entry in log.entries() for one in log.object_ids(entry)}

    ids = store.put_many(LOOSE)

    def draft_loose(_: LogEntry | None) -> Draft | None:
        fresh = tuple(one for one in ids if one not in published())
        return Draft(NOON, "tester", objects=fresh) if fresh else None

    log.append(draft_loose)
    pack = store.put_pack(PACKED)

    def draft_packed(_: LogEntry | None) -> Draft | None:
        if published().issuperset(pack.object_ids):
            return None
        return Draft(NOON, "tester", packs=(pack.pack_id,))

    log.append(draft_packed)
    repack(store)


def die_at(last: int) -> list[str]:
    """Make call `last` of those that touch the disk kill this process; half of a write is done."""
    made: list[str] = []

    def wrap(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **options: object) -> object:
            made.append(name)
            if len(made) == last:
                if name == "write":
                    data = args[1]
                    assert isinstance(data, memoryview)
                    call(args[0], data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return counted

    for name in CALLS:
        setattr(os, name, wrap(name, getattr(os, name)))
    return made


def run_killed_writers(folder: Path) -> None:
    """One child for each call; prints how each ended and what it left, as JSON."""
    counted = folder / "counted"
    pid = os.fork()
    if pid == 0:
        made = die_at(0)
        publish_all(counted)
        (folder / "calls.json").write_text(json.dumps(made))
        os._exit(0)
    os.waitpid(pid, 0)
    made = json.loads((folder / "calls.json").read_text())

    ends = []
    for last in range(1, len(made) + 1):
        root = folder / str(last)
        pid = os.fork()
        if pid == 0:
            die_at(last)
            publish_all(root)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        end: dict[str, object] = {"at": last, "call": made[last - 1]}
        end["signal"] = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if root.exists():
            store = open_store(root, create=True)
            end["damage"] = [one.what for one in damage_of(store)]
            counts = [entry.publication.object_count for entry in Log(store).entries()]
            end["visible"] = sum(counts)
        publish_all(root)
        store = open_store(root)
        log = Log(store)
        end["damage after"] = [one.what for one in damage_of(store)]
        end["visible after"] = sum(len(log.object_ids(entry)) for entry in log.entries())
        end["entries after"] = len(list(log.entries()))
        end["loose after"] = len(list(store.iter_loose()))
        repack(store, stray_age_s=-60)
        end["left in .tmp"] = len(os.listdir(root / ".tmp"))
        ends.append(end)
    print(json.dumps(ends))  # noqa: T201 - the answer to the process that started this one


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_writer_killed_at_any_call_loses_nothing_and_can_be_run_again(tmp_path: Path) -> None:
    # A process of its own: it forks, which a test runner with threads must not.
    here = Path(__file__).resolve()
    code = (
        f"import sys, pathlib; sys.path[:0] = [{str(here.parents[2])!r}, {str(here.parent)!r}]; "
        f"import {here.stem} as t; t.run_killed_writers(pathlib.Path({str(tmp_path)!r}))"
    )
    finished = subprocess.run(  # noqa: S603 - runs this interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )
    assert finished.returncode == 0, finished.stderr
    ends = json.loads(finished.stdout)

    assert len(ends) > 50
    assert {end["call"] for end in ends} >= {"open", "write", "fsync", "link", "unlink", "mkdir"}
    for end in ends:
        assert end["signal"] == signal.SIGKILL, end
        assert end.get("damage", []) == [], end
        # All of a publication is seen, or nothing.
        assert end.get("visible", 0) in {0, len(LOOSE), len(LOOSE) + len(PACKED)}, end
        assert end["damage after"] == [], end
        assert end["visible after"] == len(LOOSE) + len(PACKED), end
        assert end["entries after"] == 2, end
        assert end["loose after"] == 0, end
        assert end["left in .tmp"] == 0, end
    assert {end.get("visible", 0) for end in ends} == {0, len(LOOSE), len(LOOSE) + len(PACKED)}
