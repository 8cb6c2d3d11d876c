"""Publishers that race one another, and publishers that are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle import AT, GROUND, batch_of, run_of, runs_of

from kgraph.ingest import publish_batch, verify_store
from kgraph.log import Log
from kgraph.store import Severity, open_store

if TYPE_CHECKING:
    from kgraph.ingest import PublishReport
    from kgraph.manifest import Identified
    from kgraph.store import ObjectStore

COUNT = 400
HERE = Path(__file__).parent

# Publishes runs START to START + COUNT. With DIE_AT, the process kills itself on that step of its
# writing, which no clean-up of ours can see coming.
PUBLISHER = f"""
import os, signal, sys
sys.path[:0] = {[str(HERE), str(HERE.parent)]!r}
from bundle import AT, GROUND, batch_of, runs_of
from kgraph.ingest import publish_batch
from kgraph.log import Log
from kgraph.store import open_store

root, start, count, packed, die_at = sys.argv[1], *map(int, sys.argv[2:6])
store = open_store(root)
steps = 0

def create_many(items, original=store.blobs.create_many):
    def watched():
        global steps
        for item in items:
            steps += 1
            if steps == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield item
    return original(watched())

def create(key, data, original=store.blobs.create):
    global steps
    steps += 1
    if steps == die_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(key, data)

store.blobs.create_many, store.blobs.create = create_many, create
print("ready", flush=True)
sys.stdin.readline()
batch = batch_of(*GROUND, *runs_of(count, start=start))
report = publish_batch(
    store, Log(store), batch, published_by="p", published_at=AT, packed=bool(packed)
)
print(report.runs_added, flush=True)
"""


def begin(
    root: Path, *, start: int, count: int = COUNT, packed: bool = False, die_at: int = 0
) -> subprocess.Popen[str]:
    arguments = [str(root), str(start), str(count), str(int(packed)), str(die_at)]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", PUBLISHER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def publish_all(store: ObjectStore, *manifests: Identified) -> PublishReport:
    return publish_batch(
        store, Log(store), batch_of(*manifests), published_by="p", published_at=AT, packed=False
    )


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_two_publishers_of_overlapping_runs_add_each_run_once(tmp_path: Path, packed: bool) -> None:
    root = tmp_path / "objects"
    store = open_store(root, create=True)
    publishers = [begin(root, start=start, packed=packed) for start in (1000, 1000 + COUNT // 2)]

    for publisher in publishers:
        assert publisher.stdin is not None
        publisher.stdin.write("go\n")
        publisher.stdin.flush()
    added = [int(publisher.communicate(timeout=60)[0]) for publisher in publishers]

    assert [publisher.returncode for publisher in publishers] == [0, 0]
    assert sum(added) == COUNT + COUNT // 2
    entries = list(Log(store).entries())
    cited = [one for entry in entries for one in Log(store).object_ids(entry)]
    assert len(cited) == len(set(cited)) == len(GROUND) + COUNT + COUNT // 2
    assert verify_store(store, Log(store)).is_intact


@pytest.mark.parametrize(
    ("packed", "die_at"),
    [(False, 1), (False, 200), (False, COUNT), (False, COUNT + 1), (True, 1), (True, 2)],
    ids=["first-object", "mid-objects", "last-object", "log-entry", "pack", "log-entry-of-pack"],
)
def test_a_publisher_that_is_killed_leaves_nothing_visible(
    tmp_path: Path,
    packed: bool,
    die_at: int,
) -> None:
    root = tmp_path / "objects"
    store = open_store(root, create=True)
    first = publish_all(store, *GROUND, run_of(1))
    process = begin(root, start=1000, packed=packed, die_at=die_at)

    process.communicate("go\n", timeout=60)

    assert process.returncode == -signal.SIGKILL
    reopened = open_store(root)
    head = Log(reopened).head()
    assert head is not None
    assert head.object_id == first.snapshot
    found = verify_store(reopened, Log(reopened))
    assert found.is_intact
    assert found.object_count == len(GROUND) + 1
    assert all(problem.severity is Severity.WARNING for problem in found.problems)

    again = publish_all(reopened, *GROUND, *runs_of(COUNT, start=1000))

    assert again.runs_added == COUNT
    assert verify_store(reopened, Log(reopened)).object_count == len(GROUND) + 1 + COUNT
