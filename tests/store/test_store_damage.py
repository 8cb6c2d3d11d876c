"""Damaged files are refused, named, and left where they are."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from kgraph.digest import ObjectId, digest_object
from kgraph.errors import DamageError
from kgraph.store import (
    ObjectCorruptError,
    PackCorruptError,
    Severity,
    open_store,
    repack,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgraph.store import ObjectStore


def flip_first(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


def flip_last(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 0x80])


def truncate(data: bytes) -> bytes:
    return data[:-1]


def empty(_: bytes) -> bytes:
    return b""


def add_byte(data: bytes) -> bytes:
    return data + b"\0"


DAMAGES = [flip_first, flip_last, truncate, empty, add_byte]


def make_contents(count: int = 400) -> list[bytes]:
    source = random.Random(count)  # noqa: S311 - test data
    return [
        b'{"kind":"BenchmarkRun","spec":{"digest":"sha256:%s","text":"%s","number":%d}}'
        % (source.randbytes(32).hex().encode(), b"alike " * 120, number)
        for number in range(count)
    ]


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def store(root: Path) -> ObjectStore:
    return open_store(root, create=True)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_loose_object_is_reported_and_left(
    store: ObjectStore, root: Path, damage: Callable[[bytes], bytes]
) -> None:
    object_id = store.put(b'{"a":1}')
    path = root / "loose" / object_id[7:9] / f"{object_id[9:]}.json"
    damaged = damage(path.read_bytes())
    overwrite(path, damaged)

    with pytest.raises(ObjectCorruptError) as caught:
        store.get(object_id)
    with pytest.raises(ObjectCorruptError):
        list(store.get_many([object_id]))
    with pytest.raises(ObjectCorruptError):
        store.put(b'{"a":1}')
    problems = list(store.check())
    repacked = repack(store)

    error = caught.value
    assert (error.where, error.named, error.actual) == (
        str(path),
        object_id,
        digest_object(damaged),
    )
    assert error.exit_code == 3
    assert [(one.where, one.affects, one.severity) for one in problems] == [
        (str(path), object_id, Severity.DAMAGE)
    ]
    assert (repacked.packed, len(repacked.damaged)) == (0, 1)
    assert path.read_bytes() == damaged


def test_a_misnamed_loose_object_is_reported(store: ObjectStore, root: Path) -> None:
    object_id = store.put(b"right")
    wrong = root / "loose" / "00" / f"{'0' * 62}.json"
    wrong.parent.mkdir(exist_ok=True)
    (root / "loose" / object_id[7:9] / f"{object_id[9:]}.json").rename(wrong)

    problems = list(store.check())

    assert [one.affects for one in problems] == ["blake3:" + "0" * 64]
    assert object_id in problems[0].what


def test_files_that_are_no_objects_are_warned_of(store: ObjectStore, root: Path) -> None:
    store.put(b"right")
    strangers = ["README", "loose/note.txt", "packs/half.pack", "loose/AB/" + "0" * 62 + ".json"]
    for name in strangers:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"?")

    problems = list(store.check())

    assert len(list(store.iter_ids())) == 1
    assert sorted(one.where for one in problems) == sorted(str(root / one) for one in strangers)
    assert {one.severity for one in problems} == {Severity.WARNING}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_pack_is_reported_and_left(
    store: ObjectStore, root: Path, damage: Callable[[bytes], bytes]
) -> None:
    pack = store.put_pack(make_contents())
    path = root / "packs" / f"{pack.pack_id[7:]}.pack"
    damaged = damage(path.read_bytes())
    overwrite(path, damaged)
    reader = open_store(root)

    with pytest.raises(PackCorruptError) as caught:
        reader.get(pack.object_ids[0])
    for ask in (
        lambda: reader.has(pack.object_ids[0]),
        lambda: reader.absent(pack.object_ids),
        lambda: list(reader.iter_ids()),
        lambda: list(reader.get_many(pack.object_ids)),
        lambda: reader.find("00000000", limit=1),
        lambda: reader.pack_ids(pack.pack_id),
        lambda: reader.put_pack(make_contents()),
    ):
        with pytest.raises(PackCorruptError):
            ask()

    assert caught.value.where == str(path)
    assert [one.where for one in reader.check()] == [str(path)]
    assert [one.where for one in reader.check_pack(pack.pack_id)] == [str(path)]
    assert list(reader.iter_ids(skip_damaged=True)) == []
    assert path.read_bytes() == damaged


def test_objects_elsewhere_are_read_though_a_pack_is_damaged(
    store: ObjectStore, root: Path
) -> None:
    broken = store.put_pack([b"one"])
    sound = store.put_pack([b"two"])
    loose = store.put(b"three")
    path = root / "packs" / f"{broken.pack_id[7:]}.pack"
    overwrite(path, b"?")

    reader = open_store(root)

    assert reader.get(sound.object_ids[0]) == b"two"
    assert reader.get(loose) == b"three"


def test_a_repaired_pack_is_read_without_reopening_the_store(
    store: ObjectStore, root: Path
) -> None:
    pack = store.put_pack(make_contents())
    path = root / "packs" / f"{pack.pack_id[7:]}.pack"
    sound = path.read_bytes()
    overwrite(path, truncate(sound))
    reader = open_store(root)
    with pytest.raises(PackCorruptError):
        reader.get(pack.object_ids[0])

    overwrite(path, sound)

    assert digest_object(reader.get(pack.object_ids[0])) == pack.object_ids[0]


def test_no_flipped_bit_of_a_pack_goes_unseen(store: ObjectStore, root: Path) -> None:
    pack = store.put_pack(make_contents())
    path = root / "packs" / f"{pack.pack_id[7:]}.pack"
    sound = path.read_bytes()
    source = random.Random(1)  # noqa: S311 - test data
    # Every part is hit: its borders, and places spread over frames, dictionary, index and footer.
    places = {0, 8, 12, 16, 17, len(sound) - 1, len(sound) - 9, len(sound) - 41, len(sound) - 64}
    places |= {source.randrange(len(sound)) for _ in range(200)}

    for place in sorted(places):
        overwrite(
            path, sound[:place] + bytes([sound[place] ^ (1 << (place % 8))]) + sound[place + 1 :]
        )
        reader = open_store(root)
        problems = list(reader.check())
        assert problems, f"byte {place}"
        assert all(one.severity is Severity.DAMAGE for one in problems)
        lost = {one.affects for one in problems if one.affects is not None}
        try:
            found = dict(reader.get_many(set(pack.object_ids) - lost))
        except DamageError:
            # The directory is hit: nothing can be told of single objects.
            assert not lost
        else:
            # What is not named as lost is whole.
            assert all(digest_object(content) == name for name, content in found.items())


def test_a_hit_frame_costs_only_its_own_objects(store: ObjectStore, root: Path) -> None:
    pack = store.put_pack(make_contents())
    path = root / "packs" / f"{pack.pack_id[7:]}.pack"
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    overwrite(path, bytes(data))
    reader = open_store(root)

    lost = {one.affects for one in reader.check() if one.affects is not None}
    readable = 0
    for object_id in pack.object_ids:
        try:
            assert digest_object(reader.get(object_id)) == object_id
            readable += 1
        except DamageError:
            assert object_id in lost

    assert 0 < len(lost) < len(pack.object_ids)
    assert readable == len(pack.object_ids) - len(lost)


def test_a_repack_that_cannot_verify_its_pack_removes_nothing(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = store.put_many(make_contents(20))
    blobs_type = type(store.blobs)
    create = blobs_type.create

    def create_damaged(_: object, key: str, data: bytes) -> bool:
        return create(store.blobs, key, flip_last(data))

    # A disk that stores other bytes than it is given.
    monkeypatch.setattr(blobs_type, "create", create_damaged)
    with pytest.raises(PackCorruptError):
        repack(store)

    assert {store.get(one) for one in ids} == set(make_contents(20))


def test_a_packed_object_that_is_damaged_keeps_its_loose_copy(
    store: ObjectStore, root: Path
) -> None:
    contents = make_contents()
    pack = store.put_pack(contents)
    loose = open_store(root / "other", create=True)
    ids = loose.put_many(contents)
    for path in (root / "other" / "loose").rglob("*.json"):
        target = root / "loose" / path.parent.name / path.name
        target.parent.mkdir(exist_ok=True)
        os.link(path, target)
    pack_path = root / "packs" / f"{pack.pack_id[7:]}.pack"
    data = bytearray(pack_path.read_bytes())
    data[60] ^= 0xFF
    overwrite(pack_path, bytes(data))

    result = repack(open_store(root))

    assert 0 < len(result.damaged) < len(ids)
    kept = {ObjectId("blake3:" + p.parent.name + p.stem) for p in (root / "loose").rglob("*.json")}
    assert kept == {one.affects for one in result.damaged}


def test_leftovers_of_a_killed_writer_are_invisible_reported_and_swept(
    store: ObjectStore, root: Path
) -> None:
    object_id = store.put(b"whole")
    leftover = root / ".tmp" / "123-dead"
    leftover.write_bytes(b"ha")
    fresh = root / ".tmp" / "124-alive"
    fresh.write_bytes(b"ha")
    os.utime(leftover, (1, 1))

    assert list(store.iter_ids()) == [object_id]
    assert [(one.where, one.severity) for one in store.check()] == [
        (str(leftover), Severity.WARNING)
    ]
    result = repack(store)

    assert result.swept == 1
    assert not leftover.exists()
    # One at work may still need its own.
    assert fresh.exists()
    assert repack(store, stray_age_s=-60).swept == 1
