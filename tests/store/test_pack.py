"""The pack format: exact, deterministic, and safe to open whoever wrote the file."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import pytest
import zstandard
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from kgraph.digest import ObjectId, digest_object
from kgraph.errors import DamageError
from kgraph.store import Pack, PackCorruptError, encode_pack, memory_store, repack

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER = struct.pack("<8sII", b"KGRAPHPK", 1, 0)
CONTENTS = st.lists(st.binary(max_size=300) | st.binary(max_size=3).map(lambda one: one * 30_000))


def open_pack(data: bytes) -> Pack:
    return Pack("some.pack", len(data), lambda start, length: data[start : start + length])


def make_alike(count: int, size_bytes: int = 800) -> list[bytes]:
    source = random.Random(count)  # noqa: S311 - test data
    pad = b"alike, as manifests are; " * (size_bytes // 25)
    return [b"%s%d %s" % (source.randbytes(16), number, pad) for number in range(count)]


def forge(
    frames: Sequence[bytes],
    table: Sequence[tuple[int, int]],
    objects: Sequence[tuple[bytes, int, int, int]],
    *,
    dictionary: bytes = b"",
    start: int | None = None,
    frame_count: int | None = None,
    object_count: int | None = None,
    dictionary_length: int | None = None,
) -> bytes:
    """A pack with any claims, its digests right: what a hostile writer can make."""
    tables = b"".join(
        (
            *(struct.pack("<II", *row) for row in table),
            *(raw_id for raw_id, _, _, _ in objects),
            *(struct.pack("<III", *place) for _, *place in objects),
        )
    )
    signed = struct.pack(
        "<QIIII",
        len(HEADER) + sum(map(len, frames)) if start is None else start,
        len(dictionary) if dictionary_length is None else dictionary_length,
        len(table) if frame_count is None else frame_count,
        len(objects) if object_count is None else object_count,
        0,
    )
    digest = blake3(HEADER + dictionary + tables + signed).digest()
    return b"".join((HEADER, *frames, dictionary, tables, signed, digest, b"KGPKEND1"))


def compress(raw: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(raw)


RAW = b"abcdef"
RAW_ID = blake3(RAW).digest()
FRAME = compress(RAW)


def test_a_forged_pack_with_true_claims_is_read() -> None:
    pack = open_pack(forge([FRAME], [(len(FRAME), 6)], [(RAW_ID, 0, 0, 6)]))

    assert pack.read(0) == RAW
    assert [one.what for one in pack.check("0" * 64)] != []


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"KGRAPHPK", id="short"),
        pytest.param(b"PK\3\4" + b"\0" * 200, id="another format"),
        pytest.param(HEADER + b"\0" * 200, id="no end mark"),
        pytest.param(
            forge([FRAME], [(len(FRAME), 6)], []).replace(
                HEADER, struct.pack("<8sII", b"KGRAPHPK", 2, 0)
            ),
            id="another version",
        ),
        pytest.param(forge([FRAME], [(len(FRAME), 6)], [], start=8), id="directory in the header"),
        pytest.param(forge([FRAME], [(len(FRAME), 6)], [], start=2**63), id="directory far away"),
        pytest.param(forge([FRAME], [], [], frame_count=2**32 - 1), id="claims many frames"),
        pytest.param(forge([FRAME], [], [], object_count=2**32 - 1), id="claims many objects"),
        pytest.param(
            forge([FRAME], [], [], dictionary_length=2**32 - 1), id="claims a large dictionary"
        ),
        pytest.param(
            forge([FRAME], [(len(FRAME), 6)], [], dictionary=bytes((1 << 20) + 1)),
            id="brings a large dictionary",
        ),
        pytest.param(forge([FRAME], [(len(FRAME) + 1, 6)], []), id="frames too long together"),
        pytest.param(forge([FRAME], [(len(FRAME) - 1, 6)], []), id="frames too short together"),
        pytest.param(forge([FRAME], [(len(FRAME), 2**32 - 1)], []), id="claims a large frame"),
    ],
)
def test_a_pack_with_false_claims_is_not_opened(data: bytes) -> None:
    with pytest.raises(PackCorruptError):
        open_pack(data)


@pytest.mark.parametrize(
    ("frame", "raw_bytes", "place"),
    [
        pytest.param(FRAME, 6, (1, 0, 6), id="no such frame"),
        pytest.param(FRAME, 6, (0, 1, 6), id="behind the frame"),
        pytest.param(FRAME, 6, (0, 2**32 - 1, 2**32 - 1), id="far behind the frame"),
        pytest.param(FRAME, 7, (0, 0, 6), id="size of the frame differs from the table"),
        pytest.param(compress(bytes(1 << 30)), 6, (0, 0, 6), id="a bomb"),
        pytest.param(b"no frame at all", 6, (0, 0, 6), id="no frame"),
        pytest.param(FRAME + FRAME, 6, (0, 0, 6), id="two frames in one"),
        pytest.param(b"", 6, (0, 0, 6), id="nothing"),
        pytest.param(
            zstandard.ZstdCompressor(write_content_size=False).compress(RAW),
            6,
            (0, 0, 6),
            id="no size in the frame",
        ),
    ],
)
def test_a_place_or_frame_with_false_claims_is_refused(
    frame: bytes, raw_bytes: int, place: tuple[int, int, int]
) -> None:
    pack = open_pack(forge([frame], [(len(frame), raw_bytes)], [(RAW_ID, *place)]))

    with pytest.raises(PackCorruptError):
        pack.read(0)
    with pytest.raises(PackCorruptError):
        list(pack.read_many([0]))
    assert any(one.affects == digest_object(RAW) for one in pack.check("0" * 64))


def test_another_object_under_a_name_is_refused() -> None:
    pack = open_pack(forge([FRAME], [(len(FRAME), 6)], [(RAW_ID, 0, 0, 5)]))

    for _ in range(2):
        with pytest.raises(DamageError):
            pack.read(0)


def test_ids_out_of_order_are_reported() -> None:
    objects = sorted([(RAW_ID, 0, 0, 6), (blake3(b"abc").digest(), 0, 0, 3)], reverse=True)
    pack = open_pack(forge([FRAME], [(len(FRAME), 6)], objects))

    assert any("out of order" in one.what for one in pack.check("0" * 64))


def test_a_damaged_frame_that_nothing_points_into_is_reported() -> None:
    pack = open_pack(forge([FRAME, b"?"], [(len(FRAME), 6), (1, 1)], [(RAW_ID, 0, 0, 6)]))

    assert [one.affects for one in pack.check("0" * 64)] == [None, None]


def test_a_file_that_shrinks_while_open_is_an_error() -> None:
    data = bytearray(encode_pack(make_alike(200)).data)
    pack = Pack("some.pack", len(data), lambda start, length: bytes(data[start : start + length]))
    del data[20:]

    with pytest.raises(PackCorruptError):
        pack.read(0)


def test_a_dictionary_is_trained_where_it_pays_and_only_there() -> None:
    def dictionary_bytes(contents: list[bytes]) -> int:
        data = encode_pack(contents).data
        return int(struct.unpack_from("<I", data, len(data) - 56)[0])

    assert dictionary_bytes(make_alike(1000)) > 0
    assert dictionary_bytes(make_alike(20)) == 0
    source = random.Random(3)  # noqa: S311 - test data
    for unlike in (
        [source.randbytes(40_000) for _ in range(9)],
        [bytes(300_000) + b"%d" % n for n in range(9)],
    ):
        sealed = encode_pack(unlike)
        assert dict(open_pack(sealed.data).read_many(range(9))) == {
            blake3(one).digest(): one for one in unlike
        }


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([b"", *(bytes([one]) for one in range(200)), bytes(300_000)], id="tiny"),
        pytest.param([b"x" * one for one in range(60)] + [bytes(300_000)], id="short"),
        pytest.param([bytes(100 + one) for one in range(3000)], id="zeros"),
        pytest.param([bytes([one]) * 300_000 for one in range(5)], id="few"),
    ],
)
def test_what_makes_no_good_samples_is_packed_all_the_same(contents: list[bytes]) -> None:
    sealed = encode_pack(contents)

    assert list(open_pack(sealed.data).check(sealed.name)) == []


def test_a_trainer_that_finds_nothing_leaves_frames_without_a_dictionary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find_nothing(*_: object, **__: object) -> None:
        raise zstandard.ZstdError("cannot train dict: Src size is incorrect")

    monkeypatch.setattr(zstandard, "train_dictionary", find_nothing)
    sealed = encode_pack(make_alike(1000))

    assert list(open_pack(sealed.data).check(sealed.name)) == []


def test_alike_objects_take_a_fraction_of_their_size() -> None:
    contents = make_alike(2000)

    sealed = encode_pack(contents)

    # An id, a place and 16 random bytes are 60 that nothing can save.
    assert len(sealed.data) / len(contents) < 100
    assert sum(map(len, contents)) / len(contents) > 800


@given(CONTENTS.filter(bool), st.randoms(use_true_random=False))
def test_a_pack_gives_back_what_it_was_made_of(
    contents: list[bytes], source: random.Random
) -> None:
    sealed = encode_pack(contents)
    shuffled = [*contents, contents[0]]
    source.shuffle(shuffled)
    pack = open_pack(sealed.data)
    expected = {digest_object(content): content for content in contents}

    assert encode_pack(shuffled) == sealed
    assert sealed.name == blake3(sealed.data).hexdigest()
    assert sealed.object_ids == tuple(sorted(expected))
    assert list(pack.check(sealed.name)) == []
    for object_id, content in expected.items():
        position = pack.find(bytes.fromhex(object_id[7:]))
        assert position is not None
        assert pack.read(position) == content
    assert {
        ObjectId(f"blake3:{raw_id.hex()}"): content
        for raw_id, content in pack.read_many(range(pack.object_count))
    } == expected


@given(CONTENTS, CONTENTS)
@settings(max_examples=30)
def test_loose_and_packed_objects_come_back_through_a_repack(
    loose: list[bytes], packed: list[bytes]
) -> None:
    store = memory_store()
    ids = {*store.put_many(loose), *(store.put_pack(packed).object_ids if packed else ())}

    for _ in range(2):
        assert dict(store.get_many(ids)) == {digest_object(one): one for one in (*loose, *packed)}
        assert list(store.iter_ids()) == sorted(ids)
        repack(store)


@given(st.data())
@settings(max_examples=100)
def test_any_other_byte_is_noticed(data: st.DataObject) -> None:
    sealed = encode_pack(make_alike(300))
    place = data.draw(st.integers(0, len(sealed.data) - 1))
    other = data.draw(st.integers(1, 255))
    hit = bytearray(sealed.data)
    hit[place] ^= other

    try:
        problems = list(open_pack(bytes(hit)).check(sealed.name))
    except PackCorruptError:
        return
    assert problems
