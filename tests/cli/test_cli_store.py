from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import LIGER_CSV, Command

from kgraph.digest import digest_object

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def filled(kgraph: Command) -> Command:
    """A command line whose store holds the small Liger file, loose."""
    assert kgraph("import", "liger", LIGER_CSV, "--loose").status == 0
    return kgraph


def loose_file(command: Command, object_id: str) -> Path:
    digits = object_id.partition(":")[2]
    return command.store / "loose" / digits[:2] / f"{digits[2:]}.json"


def object_of(command: Command, kind: str) -> str:
    """Id of a loose object of a kind."""
    for name, content in sorted(command.files().items()):
        if name.startswith("loose/") and f'"kind":"{kind}"'.encode() in content[:80]:
            return digest_object(content)
    raise AssertionError(kind)


def flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.chmod(0o600)
    file.write_bytes(content)


def test_show_prints_the_stored_bytes_by_every_name(filled: Command) -> None:
    object_id = object_of(filled, "WorkloadCase")
    stored = loose_file(filled, object_id).read_text(encoding="utf-8")

    by_id = filled("show", object_id)
    by_prefix = filled("show", object_id.partition(":")[2][:12])

    assert by_id.status == by_prefix.status == 0
    assert by_id.out == by_prefix.out == stored + "\n"


def test_show_takes_a_spec_digest(filled: Command) -> None:
    run = json.loads(filled("show", object_of(filled, "BenchmarkRun")).out)
    workload = filled("show", run["spec"]["workloadDigest"])

    assert json.loads(workload.out)["kind"] == "WorkloadCase"


def test_show_prints_a_publication_by_its_snapshot(filled: Command) -> None:
    (entry,) = filled("log", "--json").json()

    outcome = filled("show", entry["snapshot"][:20])

    assert json.loads(outcome.out)["kind"] == "Publication"
    assert digest_object(outcome.out.rstrip("\n").encode()) == entry["snapshot"]


@pytest.mark.parametrize("ref", ["0" * 64, "sha256:" + "0" * 64, "00000000"])
def test_show_refuses_a_name_of_nothing(filled: Command, ref: str) -> None:
    outcome = filled("show", ref)

    assert outcome.status == 1
    assert ref in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("ref", ["abc", "md5:" + "0" * 32, "../../etc/passwd"])
def test_show_refuses_what_is_no_name(filled: Command, ref: str) -> None:
    outcome = filled("show", ref)

    assert outcome.status == 1
    assert "expected" in outcome.err


def test_show_does_not_print_damaged_bytes(filled: Command) -> None:
    object_id = object_of(filled, "WorkloadCase")
    filled("index", "build")
    flip_a_byte(loose_file(filled, object_id))

    outcome = filled("show", object_id)

    assert outcome.status == 3
    assert object_id in outcome.err
    assert outcome.out == ""


def test_verify_finds_a_sound_store_intact(filled: Command) -> None:
    outcome = filled("verify", "--json")

    assert outcome.status == 0
    assert outcome.json()["isIntact"]
    assert outcome.json()["objectCount"] == len(filled.files()) - 1
    assert filled("verify").out.startswith("intact: ")


def test_verify_names_what_damage_affects(filled: Command) -> None:
    environment = object_of(filled, "ExecutionEnvironment")
    flip_a_byte(loose_file(filled, environment))

    outcome = filled("verify", "--json")

    assert outcome.status == 3
    report = outcome.json()
    assert not report["isIntact"]
    assert [one["object"] for one in report["affected"] if one["isLost"]] == [environment]
    assert report["runs"]
    assert report["cohorts"]
    text = filled("verify")
    assert text.status == 3
    assert f"lost: {environment}" in text.out
    assert report["cohorts"][0] in text.out


@pytest.mark.parametrize("kind", ["BenchmarkRun", "WorkloadCase", "BenchmarkProtocol"])
def test_an_earlier_index_names_what_can_no_longer_be_read(filled: Command, kind: str) -> None:
    filled("index", "build")
    lost = object_of(filled, kind)
    manifest = json.loads(loose_file(filled, lost).read_bytes())
    loose_file(filled, lost).unlink()

    report = filled("verify", "--json").json()

    (one,) = [one for one in report["affected"] if one["isLost"]]
    assert (one["object"], one["kind"], one["name"]) == (lost, kind, manifest["metadata"]["name"])
    assert one["digest"].startswith("sha256:")
    assert report["runs"]
    assert report["cohorts"]


def test_repack_keeps_every_name(filled: Command) -> None:
    run = object_of(filled, "BenchmarkRun")
    shown = filled("show", run).out
    log = filled("log", "--json").json()

    outcome = filled("repack", "--json")

    assert outcome.status == 0
    assert outcome.json()["packed"] == log[0]["objectCount"]
    assert not any(name.startswith("loose/") for name in filled.files())
    assert filled("log", "--json").json() == log
    assert filled("show", run).out == shown
    assert filled("verify").status == 0
    assert filled("repack", "--json").json()["packed"] == 0


def test_repack_leaves_a_damaged_object_where_it_is(filled: Command) -> None:
    damaged = loose_file(filled, object_of(filled, "BenchmarkRun"))
    flip_a_byte(damaged)

    outcome = filled("repack", "--json")

    assert outcome.status == 3
    assert len(outcome.json()["damaged"]) == 1
    assert damaged.exists()


def test_the_log_lists_the_newest_first(filled: Command, tmp_path: Path) -> None:
    source = json.loads(loose_file(filled, object_of(filled, "Source")).read_bytes())
    source["metadata"]["title"] = "Another title"
    file = tmp_path / "source.json"
    file.write_text(json.dumps(source), encoding="utf-8")
    filled("publish", file, "--message", "a better title")

    entries = filled("log", "--json").json()
    table = filled("log").out.splitlines()

    assert [entry["sequence"] for entry in entries] == [2, 1]
    assert entries[0]["parent"] == entries[1]["snapshot"]
    assert "a better title" in table[1]
    assert len(table) == 3
    assert filled("log", "--first", "1", "--json").json() == entries[:1]


def test_the_index_is_built_once_and_rebuilt_on_request(filled: Command) -> None:
    before = filled("index", "status", "--json").json()
    built = filled("index", "build", "--json").json()
    again = filled("index", "build", "--json").json()
    rebuilt = filled("index", "build", "--rebuild", "--json").json()
    after = filled("index", "status", "--json").json()

    assert before["state"] == "missing"
    assert (built["applied"], again["applied"], rebuilt["applied"]) == (1, 0, 1)
    assert built["path"] == again["path"] == rebuilt["path"] == after["path"]
    assert after["state"] == "current"


def test_a_broken_index_is_told(filled: Command, tmp_path: Path) -> None:
    path = filled("index", "build", "--json").json()["path"]
    index = tmp_path / path
    index.write_bytes(b"no database" * 1000)

    outcome = filled("index", "status")

    assert outcome.status == 3
    assert "damaged" in outcome.out
    assert filled("index", "build", "--rebuild").status == 0
    assert filled("index", "status").status == 0


def test_the_index_lies_outside_the_store(filled: Command) -> None:
    files = filled.files()

    filled("index", "build")

    assert filled.files() == files


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify",),
        ("log",),
        ("repack",),
        ("index", "build"),
        ("index", "status"),
        ("show", "0" * 8),
        ("serve", "--port", "0"),
    ],
    ids=" ".join,
)
def test_a_missing_store_is_one_clear_line(kgraph: Command, arguments: tuple[str, ...]) -> None:
    outcome = kgraph(*arguments)

    assert outcome.status == 2
    assert outcome.err.startswith("kgraph: ")
    assert outcome.err.count("\n") == 1
    assert str(kgraph.store) in outcome.err
    assert outcome.out == ""
    assert not kgraph.store.exists()


def test_a_gap_in_the_log_is_damage(filled: Command) -> None:
    entry = filled.store / "log" / "00000001.json"
    entry.rename(filled.store / "log" / "00000002.json")

    assert filled("log").status == 3
    assert filled("verify").status == 3
    assert filled("index", "build").status == 3


def test_a_log_that_was_cut_short_is_told_to_who_knows_where_it_ended(
    filled: Command, tmp_path: Path
) -> None:
    source = json.loads(loose_file(filled, object_of(filled, "Source")).read_bytes())
    source["metadata"]["title"] = "Another title"
    file = tmp_path / "source.json"
    file.write_text(json.dumps(source), encoding="utf-8")
    filled("publish", file)
    last, first = (entry["snapshot"] for entry in filled("log", "--json").json())
    assert filled("verify", "--snapshot", last).status == 0
    assert filled("verify", "--snapshot", first).status == 0

    (filled.store / "log" / "00000002.json").unlink()

    assert filled("verify").status == 0
    assert filled("verify", "--snapshot", first).status == 0
    outcome = filled("verify", "--snapshot", last)
    assert outcome.status == 3
    assert f"damage: {filled.store / 'log'}: found no entry {last}" in outcome.out
    wrong = filled("verify", "--snapshot", "blake3:00")
    assert wrong.status == 2
    assert wrong.err.startswith("kgraph: --snapshot: found 'blake3:00', expected blake3: and 64")


def test_a_query_that_meets_damage_exits_with_3(filled: Command) -> None:
    object_id = object_of(filled, "WorkloadCase")
    file = filled.folder / "query.graphql"
    file.write_text(f'{{ object(ref: "{object_id}") {{ manifest }} }}', encoding="utf-8")
    assert filled("query", file).status == 0

    flip_a_byte(loose_file(filled, object_id))

    outcome = filled("query", file)
    assert outcome.status == 3
    assert json.loads(outcome.out)["errors"][0]["extensions"]["code"] == "OBJECT_CORRUPT"


def test_the_store_named_on_the_command_line_wins(filled: Command, tmp_path: Path) -> None:
    other = tmp_path / "other"

    assert filled("import", "liger", LIGER_CSV, "--store", other).status == 0
    assert len(filled("log", "--store", other, "--json").json()) == 1
    assert (other / "log" / "00000001.json").exists()


def test_an_index_of_another_snapshot_is_not_current_under_this_name(
    filled: Command, tmp_path: Path
) -> None:
    earlier = (tmp_path / filled("index", "build", "--json").json()["path"]).read_bytes()
    run = json.loads(filled("show", object_of(filled, "BenchmarkRun")).out)
    run["metadata"]["title"] = "Another title"
    amended = tmp_path / "run.json"
    amended.write_text(json.dumps(run), encoding="utf-8")
    assert filled("publish", amended).status == 0
    status = filled("index", "status", "--json").json()

    (tmp_path / status["path"]).write_bytes(earlier)

    assert status["state"] == "outdated"
    assert filled("index", "status", "--json").json()["state"] == "outdated"
