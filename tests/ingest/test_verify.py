from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from build import make_correction
from bundle import (
    AT,
    ENVIRONMENT,
    GROUND,
    IMPLEMENTATION,
    OPERATION,
    PROTOCOL,
    WORKLOAD,
    named,
    run_of,
    runs_of,
)

from kgraph.ingest import VerifyReport, publish_manifests, verify_store
from kgraph.log import Draft, Log
from kgraph.manifest import Identified, cohort_key, correctness_key
from kgraph.store import Severity, open_store

if TYPE_CHECKING:
    from pathlib import Path

RUNS = runs_of(3)
COHORT = cohort_key(
    operation=OPERATION.digest,
    workload=WORKLOAD.digest,
    protocol=PROTOCOL.digest,
    environment=ENVIRONMENT.digest,
    correctness=correctness_key({"comparator": "not_asserted"}),
    metric="latency:median:ns",
)


def make_store(root: Path, *, packed: bool = False) -> None:
    store = open_store(root, create=True)
    for manifests in (GROUND, RUNS):
        publish_manifests(
            store, Log(store), manifests, published_by="p", published_at=AT, packed=packed
        )


def verify(root: Path) -> VerifyReport:
    store = open_store(root)
    return verify_store(store, Log(store))


def loose_file(root: Path, item: Identified) -> Path:
    digits = item.object_id.partition(":")[2]
    return root / "loose" / digits[:2] / f"{digits[2:]}.json"


def damage(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    file.chmod(0o600)
    match how:
        case "flipped":
            content[len(content) // 2] ^= 1
        case "cut":
            del content[-1]
        case "grown":
            content += b"\n"
        case "emptied":
            content.clear()
    if how == "removed":
        file.unlink()
    else:
        file.write_bytes(content)


def damages(report: VerifyReport) -> list[str]:
    return [
        f"{problem.where}: {problem.what}"
        for problem in report.problems
        if problem.severity is Severity.DAMAGE
    ]


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_sound_store_is_intact(tmp_path: Path, packed: bool) -> None:
    make_store(tmp_path, packed=packed)

    report = verify(tmp_path)

    assert report.is_intact
    assert report.problems == ()
    assert report.affected == ()
    assert (report.object_count, report.publication_count) == (8, 2)


def test_an_empty_store_is_intact(tmp_path: Path) -> None:
    open_store(tmp_path, create=True)

    assert verify(tmp_path).is_intact


@pytest.mark.parametrize("how", ["flipped", "cut", "grown", "emptied", "removed"])
def test_a_damaged_run_is_lost_and_touches_nothing_else(tmp_path: Path, how: str) -> None:
    make_store(tmp_path)
    damage(loose_file(tmp_path, RUNS[1]), how)

    report = verify(tmp_path)

    assert not report.is_intact
    (one,) = report.affected
    assert one.object_id == RUNS[1].object_id
    assert one.is_lost
    assert any(RUNS[1].object_id in line for line in damages(report))
    assert how == "removed" or loose_file(tmp_path, RUNS[1]).exists()


@pytest.mark.parametrize("how", ["flipped", "removed"])
@pytest.mark.parametrize("part", [IMPLEMENTATION, ENVIRONMENT], ids=lambda one: one.kind)
def test_damage_to_what_runs_cite_names_the_runs_and_their_cohort(
    tmp_path: Path, part: Identified, how: str
) -> None:
    make_store(tmp_path)
    damage(loose_file(tmp_path, part), how)

    report = verify(tmp_path)

    assert [one.object_id for one in report.affected if one.is_lost] == [part.object_id]
    assert report.runs == tuple(sorted(run.digest for run in RUNS))
    assert report.cohorts == (COHORT,)
    assert {one.object_id for one in report.affected if not one.is_lost} == {
        run.object_id for run in RUNS
    }


def test_damage_spreads_to_everything_that_builds_on_it(tmp_path: Path) -> None:
    make_store(tmp_path)
    damage(loose_file(tmp_path, OPERATION), "flipped")

    report = verify(tmp_path)

    assert {one.name for one in report.affected if not one.is_lost} == {"example"}
    assert {one.object_id for one in report.affected} == {
        OPERATION.object_id,
        WORKLOAD.object_id,
        IMPLEMENTATION.object_id,
        *(run.object_id for run in RUNS),
    }
    assert report.cohorts == (COHORT,)


def test_a_correction_of_a_lost_run_is_affected(tmp_path: Path) -> None:
    make_store(tmp_path)
    store = open_store(tmp_path)
    correction = named(make_correction(run=RUNS[0].digest))
    publish_manifests(store, Log(store), [correction], published_by="p", published_at=AT)
    damage(loose_file(tmp_path, RUNS[0]), "removed")

    report = verify(tmp_path)

    assert correction.object_id in {one.object_id for one in report.affected}


@pytest.mark.parametrize("how", ["flipped", "cut", "removed"])
def test_damage_to_a_pack_is_found(tmp_path: Path, how: str) -> None:
    make_store(tmp_path, packed=True)
    for pack in (tmp_path / "packs").iterdir():
        damage(pack, how)

    report = verify(tmp_path)

    assert not report.is_intact
    assert damages(report)


def test_every_flipped_byte_of_a_pack_is_found(tmp_path: Path) -> None:
    make_store(tmp_path, packed=True)
    pack = max((tmp_path / "packs").iterdir(), key=lambda file: file.stat().st_size)
    pack.chmod(0o600)
    sound = pack.read_bytes()

    for position in range(0, len(sound), max(1, len(sound) // 60)):
        content = bytearray(sound)
        content[position] ^= 0x40
        pack.write_bytes(content)
        assert not verify(tmp_path).is_intact, position

    pack.write_bytes(sound)
    assert verify(tmp_path).is_intact


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("how", ["flipped", "cut", "emptied"])
def test_damage_to_a_log_entry_is_found(tmp_path: Path, number: int, how: str) -> None:
    make_store(tmp_path)
    entry = tmp_path / "log" / f"{number:08d}.json"
    damage(entry, how)

    report = verify(tmp_path)

    assert not report.is_intact
    assert any(entry.name in line for line in damages(report))


def test_a_gap_in_the_log_is_found(tmp_path: Path) -> None:
    make_store(tmp_path)
    damage(tmp_path / "log" / "00000001.json", "removed")

    report = verify(tmp_path)

    assert any("00000001.json" in line for line in damages(report))


def test_bytes_that_are_no_manifest_are_found_though_their_name_is_right(tmp_path: Path) -> None:
    make_store(tmp_path)
    store = open_store(tmp_path)
    strange = store.put_many((b'{"kind":"Poem"}', b'{"apiVersion": "spaced out"}'))
    Log(store).append(lambda _: Draft(AT, "p", objects=strange))

    report = verify(tmp_path)

    assert {problem.affects for problem in report.problems} == set(strange)
    assert {one.object_id for one in report.affected} == set(strange)


def test_a_manifest_in_another_form_is_found(tmp_path: Path) -> None:
    make_store(tmp_path)
    store = open_store(tmp_path)
    strange = store.put(named(make_correction(run=RUNS[0].digest)).content + b" ")
    Log(store).append(lambda _: Draft(AT, "p", objects=(strange,)))

    report = verify(tmp_path)

    assert any("canonical" in line for line in damages(report))


def test_a_citation_that_never_resolved_is_found(tmp_path: Path) -> None:
    make_store(tmp_path)
    store = open_store(tmp_path)
    stray = run_of(5, environmentDigest="sha256:" + "0" * 64)
    store.put(stray.content)
    Log(store).append(lambda _: Draft(AT, "p", objects=(stray.object_id,)))

    report = verify(tmp_path)

    (problem,) = report.problems
    assert problem.affects == stray.object_id
    assert "spec.environmentDigest" in problem.what
    assert report.runs == (stray.digest,)


def test_unpublished_bytes_are_a_warning_and_no_part_of_the_catalogue(tmp_path: Path) -> None:
    make_store(tmp_path)
    stray = run_of(5, environmentDigest="sha256:" + "0" * 64)
    open_store(tmp_path).put(stray.content)

    report = verify(tmp_path)

    assert report.is_intact
    assert [problem.severity for problem in report.problems] == [Severity.WARNING]
    assert report.object_count == 8


def test_a_strangers_file_is_a_warning(tmp_path: Path) -> None:
    make_store(tmp_path)
    (tmp_path / "loose" / "notes.txt").write_text("mine")

    report = verify(tmp_path)

    assert report.is_intact
    assert "notes.txt" in report.problems[0].where


def test_verify_changes_nothing(tmp_path: Path) -> None:
    make_store(tmp_path)
    damage(loose_file(tmp_path, RUNS[0]), "flipped")
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}

    verify(tmp_path)

    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


def test_a_lost_object_is_named_by_its_id_alone(tmp_path: Path) -> None:
    make_store(tmp_path)
    damage(loose_file(tmp_path, PROTOCOL), "removed")

    lost = [one for one in verify(tmp_path).affected if one.is_lost]

    assert [one.object_id for one in lost] == [PROTOCOL.object_id]
    assert lost[0].digest is None


def publish_strange(root: Path, item: Identified) -> None:
    """A log entry of its own for a manifest that `publish_manifests` would refuse."""
    store = open_store(root)
    store.put(item.content)
    Log(store).append(lambda _: Draft(AT, "p", objects=(item.object_id,)))


def test_a_run_that_cites_another_kind_is_found(tmp_path: Path) -> None:
    make_store(tmp_path)
    stray = run_of(5, workloadDigest=PROTOCOL.digest)
    publish_strange(tmp_path, stray)

    report = verify(tmp_path)

    assert [problem.affects for problem in report.problems] == [stray.object_id]
    assert report.runs == (stray.digest,)
    assert report.cohorts == ()


@pytest.mark.parametrize("target", ["nowhere", "itself"])
def test_a_link_that_leads_nowhere_is_no_object(tmp_path: Path, target: str) -> None:
    make_store(tmp_path)
    file = loose_file(tmp_path, RUNS[0])
    file.unlink()
    file.symlink_to(file if target == "itself" else tmp_path / "nowhere.json")

    report = verify(tmp_path)

    assert not report.is_intact
    assert [one.object_id for one in report.affected] == [RUNS[0].object_id]


def test_a_file_that_cannot_be_read_does_not_end_the_check(tmp_path: Path) -> None:
    make_store(tmp_path)
    log = tmp_path / "log" / "00000002.json"
    log.unlink()
    log.mkdir()
    damage(loose_file(tmp_path, PROTOCOL), "flipped")

    report = verify(tmp_path)

    assert any("00000002.json" in line for line in damages(report))
    assert PROTOCOL.object_id in {one.object_id for one in report.affected}


def test_a_long_gap_in_the_log_is_one_finding(tmp_path: Path) -> None:
    make_store(tmp_path)
    last = tmp_path / "log" / "00000002.json"
    last.rename(tmp_path / "log" / "99999999.json")

    report = verify(tmp_path)

    gaps = [line for line in damages(report) if "found nothing" in line]
    assert len(gaps) == 1
    assert "entries 2 to 99999998" in gaps[0]


def test_a_strangers_file_in_the_log_is_no_publication(tmp_path: Path) -> None:
    make_store(tmp_path)
    (tmp_path / "log" / "notes.txt").write_text("mine")

    assert verify(tmp_path).publication_count == 2
