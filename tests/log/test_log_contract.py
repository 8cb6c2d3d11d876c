"""What every log does, whatever its bytes lie in."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from stores import BACKENDS, make_opener, serve_s3

from kgraph.canonical import encode_canonical
from kgraph.digest import ObjectId, digest_object
from kgraph.errors import KgraphError
from kgraph.log import (
    MAX_LISTED_IDS,
    ChainBrokenError,
    Draft,
    Log,
    LogContentionError,
    LogEntry,
    PublicationTooLargeError,
    check_log,
)
from kgraph.store import ObjectNotFoundError, Severity
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kgraph.store import ObjectStore

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
ABSENT = ObjectId("blake3:" + "5" * 64)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serve_s3() as address:
        yield address


@pytest.fixture(params=BACKENDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], ObjectStore]:
    return make_opener(request.param, tmp_path, lambda: str(request.getfixturevalue("endpoint")))


@pytest.fixture
def store(opener: Callable[[], ObjectStore]) -> ObjectStore:
    return opener()


@pytest.fixture
def log(store: ObjectStore) -> Log:
    return Log(store)


def publish(log: Log, store: ObjectStore, *contents: bytes, at: datetime = NOON) -> LogEntry:
    ids = store.put_many(contents)
    entry = log.append(lambda _: Draft(at, "tester", objects=ids))
    assert entry is not None
    return entry


def rewrite(store: ObjectStore, sequence: int, **changes: object) -> None:
    """Store entry `sequence` anew with other fields, as damage or a forger would."""
    key = f"log/{sequence:08d}.json"
    content = store.blobs.read(key, limit=1 << 20)
    assert content is not None
    value = json.loads(content)
    value["spec"].update(changes)
    store.blobs.remove(key)
    store.blobs.create(key, encode_canonical(value))


def test_an_empty_log_has_no_head(log: Log, store: ObjectStore) -> None:
    assert log.head() is None
    assert list(log.entries()) == []
    assert log.find("00000000") == ()
    assert log.as_of(NOON) is None
    assert log.get(1) is None
    assert list(check_log(log, store)) == []


def test_an_entry_is_a_canonical_publication_named_by_its_bytes(
    log: Log, store: ObjectStore
) -> None:
    ids = store.put_many([b"2", b"1"])

    entry = log.append(
        lambda _: Draft(
            NOON + timedelta(microseconds=678_999),
            "tester",
            objects=(*ids, ids[0]),
            source=Slug("liger"),
            message="first",
        )
    )

    assert entry is not None
    assert store.blobs.read("log/00000001.json", limit=1 << 20) == entry.content
    assert entry.object_id == digest_object(entry.content)
    assert json.loads(entry.content) == {
        "apiVersion": "kgraph.dev/v1",
        "kind": "Publication",
        "metadata": {"name": "publication-00000001"},
        "spec": {
            "sequence": 1,
            "source": "liger",
            "publishedAt": "2026-01-02T12:00:00.678Z",
            "publishedBy": "tester",
            "objectCount": 2,
            "objects": sorted(ids),
            "message": "first",
        },
    }
    assert log.object_ids(entry) == tuple(sorted(ids))


def test_each_entry_names_the_one_before(opener: Callable[[], ObjectStore]) -> None:
    store = opener()
    log = Log(store)

    entries = [publish(log, store, str(number).encode()) for number in range(5)]

    assert [one.sequence for one in entries] == [1, 2, 3, 4, 5]
    assert [one.publication.parent for one in entries] == [
        None,
        *(one.object_id for one in entries[:-1]),
    ]
    reader = Log(opener())
    assert reader.head() == entries[-1]
    assert list(reader.entries()) == entries
    assert list(reader.entries(after=3)) == entries[3:]
    assert list(reader.entries(after=5)) == list(reader.entries(after=9)) == []
    assert reader.get(2) == entries[1]
    assert reader.get(0) is None
    assert list(check_log(reader, store)) == []


def test_a_reader_sees_what_is_appended_later(opener: Callable[[], ObjectStore]) -> None:
    store = opener()
    log, reader = Log(store), Log(opener())
    publish(log, store, b"1")
    assert reader.head() == log.head()

    last = [publish(log, store, one) for one in (b"2", b"3")][-1]

    assert reader.head() == last


def test_a_publication_may_cite_packs(log: Log, store: ObjectStore) -> None:
    one = store.put_pack([b"1", b"2"])
    two = store.put_pack([b"2", b"3"])

    entry = log.append(lambda _: Draft(NOON, "tester", packs=(two.pack_id, one.pack_id)))

    assert entry is not None
    assert entry.publication.packs == tuple(sorted((one.pack_id, two.pack_id)))
    assert entry.publication.object_count == 3
    assert log.object_ids(entry) == tuple(sorted({*one.object_ids, *two.object_ids}))
    assert list(check_log(log, store)) == []


def test_citing_what_is_not_stored_is_refused(log: Log, store: ObjectStore) -> None:
    for draft in (
        Draft(NOON, "tester", objects=(store.put(b"1"), ABSENT)),
        Draft(NOON, "tester", packs=(ABSENT,)),
    ):
        with pytest.raises(ObjectNotFoundError):
            log.append(lambda _, draft=draft: draft)  # type: ignore[misc] # bound at once

    assert log.head() is None


def test_more_ids_than_a_manifest_holds_are_refused(log: Log) -> None:
    ids = tuple(ObjectId(f"blake3:{number:064x}") for number in range(MAX_LISTED_IDS + 1))

    with pytest.raises(PublicationTooLargeError):
        log.append(lambda _: Draft(NOON, "tester", objects=ids))


def test_a_manifest_that_is_refused_is_not_appended(log: Log, store: ObjectStore) -> None:
    with pytest.raises(KgraphError, match="publishedBy"):
        log.append(lambda _: Draft(NOON, "", objects=(store.put(b"1"),)))

    assert log.head() is None


def test_a_writer_may_decide_against_an_entry(log: Log) -> None:
    assert log.append(lambda _: None) is None
    assert log.head() is None


def test_a_lost_race_asks_the_writer_again(opener: Callable[[], ObjectStore]) -> None:
    store = opener()
    log, rival = Log(store), Log(opener())
    ids = store.put_many([b"1", b"2"])
    heads: list[LogEntry | None] = []

    def make(head: LogEntry | None) -> Draft:
        heads.append(head)
        if len(heads) == 1:
            publish(rival, store, b"3")
        return Draft(NOON, "tester", objects=ids)

    entry = log.append(make)

    assert entry is not None
    assert (entry.sequence, len(heads), heads[0]) == (2, 2, None)
    assert heads[1] == rival.get(1)
    assert list(check_log(log, store)) == []


def test_a_race_that_is_always_lost_ends(
    log: Log, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgraph.log.chain.time.sleep", lambda _: None)
    rival = Log(store)

    def make(_: LogEntry | None) -> Draft:
        publish(rival, store, b"rival")
        return Draft(NOON, "tester", objects=store.put_many([b"mine"]))

    with pytest.raises(LogContentionError):
        log.append(make)


def test_an_append_whose_answer_was_lost_is_not_done_twice(
    log: Log, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    object_id = store.put(b"1")
    create = type(store.blobs).create

    def create_unanswered(_: object, key: str, data: bytes) -> bool:
        create(store.blobs, key, data)
        # The client sent the request again, and that one found the key taken.
        return create(store.blobs, key, data)

    monkeypatch.setattr(type(store.blobs), "create", create_unanswered)
    entry = log.append(lambda _: Draft(NOON, "tester", objects=(object_id,)))

    assert entry is not None
    assert [one.sequence for one in Log(store).entries()] == [1]


def test_threads_append_one_chain(store: ObjectStore) -> None:
    log = Log(store)
    ids = store.put_many([str(number).encode() for number in range(12)])

    def work(number: int) -> None:
        log.append(lambda _: Draft(NOON, f"writer {number}", objects=(ids[number],)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    entries = list(Log(store).entries())
    assert [one.sequence for one in entries] == list(range(1, 13))
    assert {one.publication.published_by for one in entries} == {
        f"writer {number}" for number in range(12)
    }
    assert list(check_log(log, store)) == []


def test_time_never_runs_backwards_along_the_chain(log: Log, store: ObjectStore) -> None:
    publish(log, store, b"1", at=NOON)

    entry = publish(log, store, b"2", at=NOON - timedelta(hours=1))

    assert entry.publication.instant == NOON


def test_the_log_is_answered_as_of_an_instant(log: Log, store: ObjectStore) -> None:
    one = publish(log, store, b"1", at=NOON)
    two = publish(log, store, b"2", at=NOON + timedelta(hours=1))

    assert log.as_of(NOON - timedelta(milliseconds=1)) is None
    assert log.as_of(NOON) == one
    assert log.as_of(NOON + timedelta(minutes=59)) == one
    assert log.as_of(NOON + timedelta(days=1)) == two


def test_a_snapshot_is_found_by_prefix(log: Log, store: ObjectStore) -> None:
    entries = [publish(log, store, str(number).encode()) for number in range(3)]

    for entry in entries:
        digits = entry.object_id.removeprefix("blake3:")
        assert log.find(digits[:8]) == log.find(digits) == (entry,)
    assert log.find("0" * 64) == ()


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_missing_entry_breaks_the_chain(opener: Callable[[], ObjectStore], missing: int) -> None:
    store = opener()
    for number in range(4):
        publish(Log(store), store, str(number).encode())
    store.blobs.remove(f"log/{missing:08d}.json")
    log = Log(opener())

    with pytest.raises(ChainBrokenError) as caught:
        log.head()

    assert caught.value.where == store.blobs.where(f"log/{missing:08d}.json")
    assert caught.value.exit_code == 3
    assert [one.where for one in check_log(log, store) if one.severity is Severity.DAMAGE] == [
        caught.value.where
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"not json",
        b'{"apiVersion":"kgraph.dev/v1","kind":"Source","metadata":{"name":"a"},'
        b'"spec":{"kind":"benchmark","name":"a"}}',
    ],
    ids=["empty", "object", "text", "other-kind"],
)
def test_what_is_no_publication_is_no_entry(
    opener: Callable[[], ObjectStore], content: bytes
) -> None:
    store = opener()
    for number in range(3):
        publish(Log(store), store, str(number).encode())
    key = "log/00000002.json"
    store.blobs.remove(key)
    store.blobs.create(key, content)
    log = Log(opener())

    given: list[LogEntry] = []
    with pytest.raises(ChainBrokenError) as caught:
        given.extend(log.entries())
    problems = [one for one in check_log(log, store) if one.severity is Severity.DAMAGE]

    assert [one.sequence for one in given] in ([], [1])
    assert caught.value.where == store.blobs.where(key)
    assert [one.where for one in problems] == [store.blobs.where(key)]
    assert store.blobs.read(key, limit=1 << 20) == content


def test_an_entry_in_another_form_is_refused(store: ObjectStore, log: Log) -> None:
    entry = publish(log, store, b"1")
    store.blobs.remove("log/00000001.json")
    store.blobs.create("log/00000001.json", json.dumps(json.loads(entry.content)).encode())

    with pytest.raises(ChainBrokenError, match="canonical"):
        Log(store).head()


def test_an_entry_under_another_number_is_refused(store: ObjectStore, log: Log) -> None:
    entry = publish(log, store, b"1")
    store.blobs.create("log/00000002.json", entry.content)

    with pytest.raises(ChainBrokenError, match="number 2"):
        Log(store).head()
    # One that has the head in memory comes to the same end.
    with pytest.raises(ChainBrokenError, match="number 2"):
        log.head()


def test_a_forged_entry_breaks_the_link_behind_it(
    opener: Callable[[], ObjectStore],
) -> None:
    store = opener()
    for number in range(4):
        publish(Log(store), store, str(number).encode())
    rewrite(store, 2, publishedBy="somebody else")
    log = Log(opener())

    with pytest.raises(ChainBrokenError) as caught:
        list(log.entries())
    with pytest.raises(ChainBrokenError):
        log.as_of(NOON - timedelta(days=1))
    problems = list(check_log(log, store))

    assert caught.value.where == store.blobs.where("log/00000003.json")
    assert [one.where for one in problems] == [caught.value.where]


def test_a_check_names_what_the_log_cites_in_vain(log: Log, store: ObjectStore) -> None:
    entry = publish(log, store, b"1", b"2")
    gone = entry.publication.objects[0]
    store.blobs.remove(f"loose/{gone[7:9]}/{gone[9:]}.json")

    problems = list(check_log(log, store))

    assert [(one.affects, one.severity) for one in problems] == [(gone, Severity.DAMAGE)]


def test_a_check_names_a_pack_that_is_gone_or_miscounted(log: Log, store: ObjectStore) -> None:
    pack = store.put_pack([b"1", b"2"])
    log.append(lambda _: Draft(NOON, "tester", packs=(pack.pack_id,)))
    rewrite(store, 1, objectCount=3)
    problems = list(check_log(Log(store), store))
    assert ["counts 3 objects and adds 2" in one.what for one in problems] == [True]

    rewrite(store, 1, packs=[ABSENT])
    problems = list(check_log(Log(store), store))
    assert [one.severity for one in problems] == [Severity.DAMAGE, Severity.WARNING]
    assert ABSENT in problems[0].what


def test_a_check_warns_of_what_nobody_sees(log: Log, store: ObjectStore) -> None:
    publish(log, store, b"1")
    publish(log, store, b"1")
    store.put_many([b"2", b"3"])
    store.blobs.create("log/head.json", b"{}")

    problems = list(check_log(log, store))

    assert {one.severity for one in problems} == {Severity.WARNING}
    assert len(problems) == 3
    assert any("holds 2 objects that no publication cites" in one.what for one in problems)
