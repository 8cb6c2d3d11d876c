"""What every store does, whatever its bytes lie in."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from stores import BACKENDS, make_opener, serve_s3

from kgraph.digest import ObjectId, digest_object
from kgraph.errors import UsageError
from kgraph.store import (
    MAX_OBJECT_BYTES,
    ObjectNotFoundError,
    ObjectStore,
    ObjectTooLargeError,
    RepackResult,
    repack,
)
from kgraph.store.memory import MemoryBlobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

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


def make_contents(count: int) -> list[bytes]:
    """Alike documents with a part that does not compress, as manifests have."""
    source = random.Random(count)  # noqa: S311 - test data
    return [
        b'{"apiVersion":"kernelindex.dev/v1alpha1","kind":"BenchmarkRun","spec":{"observedAt":'
        b'"2026-01-02T03:04:05Z","status":"passed","digest":"sha256:%s","number":%d}}'
        % (source.randbytes(32).hex().encode(), number)
        for number in range(count)
    ]


def test_what_is_put_is_got_under_its_own_hash(store: ObjectStore) -> None:
    object_id = store.put(b'{"a":1}')

    assert object_id == digest_object(b'{"a":1}')
    assert store.get(object_id) == b'{"a":1}'


def test_putting_twice_succeeds_and_stores_once(store: ObjectStore) -> None:
    assert store.put(b"same") == store.put(b"same")

    assert len(list(store.blobs.iter_blobs(""))) == len(list(store.iter_ids())) == 1


def test_putting_what_a_pack_holds_writes_nothing(store: ObjectStore) -> None:
    contents = make_contents(3)
    store.put_pack(contents)

    store.put_many(contents)

    assert list(store.blobs.iter_blobs("loose/")) == []


def test_another_opening_sees_loose_objects_and_packs(opener: Callable[[], ObjectStore]) -> None:
    writer, reader = opener(), opener()
    assert list(reader.iter_ids()) == []
    contents = make_contents(5)

    loose = writer.put(contents[0])
    packed = writer.put_pack(contents[1:]).object_ids

    assert reader.get(loose) == contents[0]
    assert dict(reader.get_many(packed)) == {digest_object(one): one for one in contents[1:]}
    assert all(reader.has(one) for one in (loose, *packed))
    assert list(reader.iter_ids()) == sorted([loose, *packed])


def test_an_absent_object_is_an_error_that_names_it(store: ObjectStore) -> None:
    with pytest.raises(ObjectNotFoundError) as caught:
        store.get(ABSENT)
    assert caught.value.object_id == ABSENT
    with pytest.raises(ObjectNotFoundError):
        list(store.get_many([ABSENT]))
    with pytest.raises(ObjectNotFoundError):
        store.pack_ids(ABSENT)
    with pytest.raises(ObjectNotFoundError):
        list(store.check_pack(ABSENT))
    assert not store.has(ABSENT)


def test_absent_tells_loose_packed_and_missing_apart(store: ObjectStore) -> None:
    loose, packed = store.put(b"loose"), store.put_pack([b"packed"]).object_ids[0]

    assert store.absent([packed, ABSENT, loose, ABSENT]) == (ABSENT,)
    assert store.absent([packed]) == store.absent([packed, loose]) == ()
    assert store.absent([]) == ()


def test_put_many_gives_ids_in_the_order_asked_with_repeats(store: ObjectStore) -> None:
    contents = [*make_contents(40), b"x", b"x"]

    ids = store.put_many(contents)

    assert ids == tuple(digest_object(one) for one in contents)
    assert dict(store.get_many(ids)) == dict(zip(ids, contents, strict=True))


def test_get_many_gives_each_object_once_from_loose_and_packs(store: ObjectStore) -> None:
    contents = make_contents(2000)
    packed = store.put_pack(contents[:1900]).object_ids
    loose = store.put_many(contents[1900:])
    wanted = [*packed[::3], *loose, *packed[:5], loose[0]]

    found = list(store.get_many(wanted))

    assert len(found) == len(set(wanted))
    assert all(digest_object(content) == object_id for object_id, content in found)
    assert {object_id for object_id, _ in found} == set(wanted)


def test_an_object_both_loose_and_packed_is_listed_once(store: ObjectStore) -> None:
    object_id = store.put(b"twice")
    store.put_pack([b"twice", b"once"])

    assert list(store.iter_ids()) == sorted([object_id, digest_object(b"once")])


def test_ids_are_found_by_prefix_in_loose_and_packs(store: ObjectStore) -> None:
    contents = make_contents(60)
    packed = store.put_pack(contents[:30]).object_ids
    loose = store.put_many(contents[30:])

    for object_id in (packed[0], packed[-1], loose[0], loose[-1]):
        digits = object_id.removeprefix("blake3:")
        assert store.find(digits[:8], limit=2) == (object_id,)
        assert store.find(digits, limit=2) == (object_id,)
    first = sorted(one for one in (*packed, *loose) if one[7:9] == packed[0][7:9])
    assert store.find(packed[0][7:9], limit=100) == tuple(first)
    assert store.find(packed[0][7:9], limit=1) == (first[0],)
    assert store.find("5" * 64, limit=2) == ()


def test_equal_contents_give_an_equal_pack_in_any_order(store: ObjectStore) -> None:
    contents = make_contents(500)
    one = store.put_pack(contents)

    two = store.put_pack([*reversed(contents), *contents[:7]])

    assert one == two
    assert len(list(store.blobs.iter_blobs("packs/"))) == 1
    assert store.pack_ids(one.pack_id) == one.object_ids == tuple(sorted(one.object_ids))


def test_a_pack_of_nothing_is_refused(store: ObjectStore) -> None:
    with pytest.raises(UsageError):
        store.put_pack([])


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    loose = store.put(b"")
    assert store.get(loose) == b""

    repack(store)

    assert store.get(loose) == b""
    assert list(store.check()) == []


def test_the_largest_object_is_taken_and_a_larger_one_refused(store: ObjectStore) -> None:
    largest = bytes(MAX_OBJECT_BYTES)

    assert store.get(store.put_pack([largest]).object_ids[0]) == largest
    with pytest.raises(ObjectTooLargeError):
        store.put(largest + b"x")
    with pytest.raises(ObjectTooLargeError):
        store.put_pack([largest + b"x"])


def test_a_sound_store_has_no_problem_and_shows_each_object(store: ObjectStore) -> None:
    contents = make_contents(300)
    store.put_pack(contents[:200])
    store.put_many(contents[200:])
    store.blobs.create("log/00000001.json", b"the log's own matter")
    seen: dict[ObjectId, bytes] = {}

    problems = list(store.check(visit=seen.__setitem__))

    assert problems == []
    assert seen == {digest_object(content): content for content in contents}


def test_repack_moves_loose_objects_into_one_pack(opener: Callable[[], ObjectStore]) -> None:
    store, reader = opener(), opener()
    contents = make_contents(50)
    ids = store.put_many(contents)
    assert list(reader.iter_ids()) == sorted(ids)

    result = repack(store)

    assert result.packed == 50
    assert result.pack_id is not None
    assert store.pack_ids(result.pack_id) == tuple(sorted(ids))
    assert list(store.blobs.iter_blobs("loose/")) == []
    # A reader that listed the packs before still finds all.
    assert dict(reader.get_many(ids)) == dict(zip(ids, contents, strict=True))
    assert list(store.check()) == []


def test_what_another_packed_is_still_there(opener: Callable[[], ObjectStore]) -> None:
    store, one, two = opener(), opener(), opener()
    object_id = store.put(b"1")
    assert one.has(object_id)
    assert two.has(object_id)

    repack(store)

    assert one.has(object_id)
    assert two.get(object_id) == b"1"


def test_a_blob_is_created_once_even_within_a_batch(store: ObjectStore) -> None:
    created = store.blobs.create_many([("log/a", b"1"), ("log/b", b"2"), ("log/a", b"3")])

    assert sorted(created) == [False, True, True]
    assert created[1]
    first = b"1" if created[0] else b"3"
    assert store.blobs.read("log/a", limit=9) == first
    assert not store.blobs.create("log/a", b"4")
    assert store.blobs.read("log/a", limit=9) == first


def test_a_check_walks_on_where_a_repack_takes_files_away(store: ObjectStore) -> None:
    store.put_many(make_contents(5))
    seen: list[ObjectId] = []

    def take_away(object_id: ObjectId, _: bytes) -> None:
        seen.append(object_id)
        for info in list(store.blobs.iter_blobs("loose/")):
            store.blobs.remove(info.key)

    assert list(store.check(visit=take_away)) == []
    assert len(seen) == 1


def test_repack_again_changes_nothing(store: ObjectStore) -> None:
    store.put_many(make_contents(5))
    repack(store)
    before = list(store.blobs.iter_blobs(""))

    assert repack(store) == RepackResult(None, 0, 0, 0, ())
    assert list(store.blobs.iter_blobs("")) == before


def test_repack_ends_what_a_killed_repack_left(opener: Callable[[], ObjectStore]) -> None:
    store = opener()
    contents = make_contents(9)
    ids = store.put_many(contents)
    # Killed after the pack was written and before loose files went.
    store.put_pack(contents)

    result = repack(opener())

    assert (result.packed, result.already_packed, result.pack_id) == (0, 9, None)
    assert list(store.blobs.iter_blobs("loose/")) == []
    assert {one for one, _ in opener().get_many(ids)} == set(ids)


def test_a_present_object_that_a_repack_takes_meanwhile_is_no_error() -> None:
    class Repacked(MemoryBlobs):
        """Answers that a key exists, which is gone when it is looked at."""

        def create_many(self, items: Iterable[tuple[str, bytes]]) -> list[bool]:
            return [False for _ in items]

    store = ObjectStore(Repacked())

    assert store.put(b"1") == digest_object(b"1")
