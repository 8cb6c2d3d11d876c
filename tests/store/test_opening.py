"""From a location to a store, and what the file system may refuse."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from stores import s3_access, serve_s3

from kgraph.digest import digest_object
from kgraph.store import (
    BlobNotFoundError,
    S3Access,
    StoreAccessError,
    StoreNotFoundError,
    memory_store,
    open_store,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_store_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError) as caught:
        open_store(tmp_path / "a" / "objects")
    assert caught.value.exit_code == 2
    assert not (tmp_path / "a").exists()

    open_store(tmp_path / "a" / "objects", create=True)

    assert open_store(str(tmp_path / "a" / "objects")).where == str(tmp_path / "a" / "objects")


def test_a_folder_or_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreNotFoundError, match="a folder without them"):
        open_store(tmp_path)
    with pytest.raises(StoreNotFoundError, match="a file"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreAccessError):
        open_store(tmp_path / "file", create=True)


def test_any_one_part_makes_a_folder_a_store(tmp_path: Path) -> None:
    # A checkout has no empty folders.
    (tmp_path / "log").mkdir()

    store = open_store(tmp_path)

    assert list(store.iter_ids()) == []
    object_id = store.put(b"1")
    assert store.put_pack([b"2"]).object_ids
    assert store.get(object_id) == b"1"


def test_a_store_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("objects", create=True)
    (tmp_path / "elsewhere").mkdir()

    monkeypatch.chdir(tmp_path / "elsewhere")
    store.put(b"1")

    assert (tmp_path / "objects" / "loose" / digest_object(b"1")[7:9]).is_dir()


def test_files_are_readable_by_all_and_writable_by_none(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    store.put(b"1")
    store.put_pack([b"2"])

    files = [one for one in tmp_path.rglob("*") if one.is_file()]

    assert len(files) == 2
    assert {one.stat().st_mode & 0o333 for one in files} == {0}


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path, create=True)

    def write_to_full_disk(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_to_full_disk)
        with pytest.raises(StoreAccessError, match="No space left"):
            store.put(b"1")

    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []
    assert store.get(store.put(b"1")) == b"1"


def test_a_file_system_that_refuses_is_told_with_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path, create=True)
    object_id = store.put(b"1")

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreAccessError) as caught:
        store.get(object_id)

    assert caught.value.where.endswith(f"{object_id[9:]}.json")
    assert "Permission denied" in str(caught.value)


def test_a_short_read_or_write_is_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, pread = os.write, os.pread
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:3]))
    monkeypatch.setattr(os, "pread", lambda fd, length, start: pread(fd, min(length, 2), start))

    store = open_store(tmp_path, create=True)

    assert store.get(store.put(b"0123456789")) == b"0123456789"


def test_a_key_that_would_leave_the_store_is_refused(tmp_path: Path) -> None:
    for store in (open_store(tmp_path / "objects", create=True), memory_store()):
        for key in ("../out", "/etc/passwd", "a/../../b", "", "a//b", "a\nb"):
            with pytest.raises(ValueError, match="no key of a store"):
                store.blobs.create(key, b"1")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["objects"]


def test_a_missing_blob_is_named() -> None:
    with pytest.raises(BlobNotFoundError, match="memory:packs/x"):
        memory_store().blobs.read_range("packs/x", 0, 1)


def test_what_is_no_file_of_ours_is_walked_over(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    store.put(b"1")
    (tmp_path / "a folder" / "deep").mkdir(parents=True)
    (tmp_path / "a folder" / "deep" / "a file").touch()
    (tmp_path / "packs" / "dangling.pack").symlink_to(tmp_path / "nowhere")

    assert len(list(store.check())) == 2
    assert len(list(store.iter_ids())) == 1


def test_a_bucket_needs_a_name() -> None:
    with pytest.raises(StoreNotFoundError):
        open_store("s3:///prefix")


def test_a_missing_s3_client_is_told_and_costs_others_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['obstore'] = None\n"
        "from kgraph.store import StoreAccessError, open_store\n"
        f"open_store({str(tmp_path)!r}, create=True)\n"
        "try: open_store('s3://bucket/prefix')\n"
        "except StoreAccessError as error: print(error)\n"
    )
    answer = subprocess.run(  # noqa: S603 - runs this interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert "pip install 'kgraph[s3]'" in answer


@pytest.mark.parametrize(
    "access",
    [
        None,
        S3Access(anonymous=True, region="eu-central-1"),
        S3Access(access_key_id="a", secret_access_key="b", session_token="c"),  # noqa: S106 - made up
    ],
)
def test_opening_a_bucket_sends_no_request(access: S3Access | None) -> None:
    pytest.importorskip("obstore")

    assert open_store("s3://bucket/pre/fix/", s3=access).where == "s3://bucket/pre/fix"


def test_secrets_are_not_shown() -> None:
    access = S3Access(secret_access_key="hidden", session_token="hidden")  # noqa: S106 - made up

    assert "hidden" not in repr(access)


def test_a_bucket_that_is_missing_or_out_of_reach_is_told() -> None:
    with serve_s3() as endpoint:
        access = s3_access(endpoint)
        with pytest.raises(StoreAccessError, match=r"NoSuchBucket|does not exist|404"):
            open_store("s3://other/prefix", s3=access).put(b"1")
        store = open_store("s3://kgraph", s3=access)
        assert store.get(store.put(b"1")) == b"1"
        assert store.where == "s3://kgraph"
    with pytest.raises(StoreAccessError) as caught:
        store.get(digest_object(b"1"))
    assert "\n" not in str(caught.value)


def test_a_service_that_refuses_a_range_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    obstore = pytest.importorskip("obstore")
    with serve_s3() as endpoint:
        blobs = open_store("s3://kgraph/a", s3=s3_access(endpoint)).blobs
        blobs.create("packs/x", b"0123456789")

        def refuse(*_: object, **__: object) -> bytes:
            raise obstore.exceptions.GenericError("slow down")

        monkeypatch.setattr(obstore, "get_range", refuse)
        with pytest.raises(StoreAccessError, match="slow down"):
            blobs.read_range("packs/x", 0, 5)


def test_a_range_behind_the_end_is_cut() -> None:
    with serve_s3() as endpoint:
        blobs = open_store("s3://kgraph/a", s3=s3_access(endpoint)).blobs
        blobs.create("packs/x", b"0123456789")

        assert blobs.read_range("packs/x", 2, 3) == b"234"
        assert blobs.read_range("packs/x", 8, 5) == b"89"
        assert blobs.read_range("packs/x", 10, 5) == b""
        assert blobs.read_range("packs/x", 99, 5) == b""
        assert blobs.read("packs/x", limit=3) == b"0123"
        with pytest.raises(BlobNotFoundError):
            blobs.read_range("packs/y", 0, 5)
        blobs.remove("packs/x")
        blobs.remove("packs/x")
        assert blobs.size_bytes("packs/x") is None
