from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from build import make_attestation, make_correction, make_listing, make_publication
from bundle import (
    AT,
    ENVIRONMENT,
    GROUND,
    IMPLEMENTATION,
    OPERATION,
    PROTOCOL,
    WORKLOAD,
    batch_of,
    named,
    run_of,
    runs_of,
)

from kgraph.importers import RefusedRow, SkippedRows
from kgraph.ingest import (
    PACK_FROM_OBJECTS,
    BadCitationsError,
    LogWrittenByHandError,
    PublishReport,
    publish_batch,
    publish_manifests,
)
from kgraph.log import Log
from kgraph.store import ObjectStore, memory_store, open_store
from kgraph.vocab import Kind, Slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from kgraph.digest import ObjectId
    from kgraph.log import Draft, LogEntry
    from kgraph.manifest import Identified

    Make = Callable[[LogEntry | None], Draft | None]


def publish(
    store: ObjectStore,
    *manifests: Identified,
    is_dry_run: bool = False,
    packed: bool | None = None,
    log: Log | None = None,
) -> PublishReport:
    return publish_manifests(
        store,
        log or Log(store),
        manifests,
        published_by="tester",
        published_at=AT,
        is_dry_run=is_dry_run,
        packed=packed,
    )


def ids_of(manifests: Iterable[Identified]) -> list[ObjectId]:
    return sorted(manifest.object_id for manifest in manifests)


def published_ids(store: ObjectStore) -> list[ObjectId]:
    log = Log(store)
    return sorted(one for entry in log.entries() for one in log.object_ids(entry))


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_a_publication_adds_its_objects_and_one_entry() -> None:
    store = memory_store()

    report = publish_batch(
        store,
        Log(store),
        batch_of(*GROUND, run_of()),
        published_by="tester",
        published_at=AT,
        message="first",
    )

    (entry,) = Log(store).entries()
    assert entry.object_id == report.publication == report.snapshot
    assert entry.publication.source == "example"
    assert entry.publication.published_by == "tester"
    assert entry.publication.published_at == "2026-03-04T05:06:07.000Z"
    assert entry.publication.message == "first"
    assert published_ids(store) == ids_of([*GROUND, run_of()])
    assert (report.objects_added, report.objects_present) == (6, 0)
    assert (report.runs_added, report.runs_present) == (1, 0)
    assert store.get(run_of().object_id) == run_of().content


def test_publishing_twice_adds_nothing_and_appends_no_entry(tmp_path: Path) -> None:
    store = open_store(tmp_path / "objects", create=True)
    first = publish(store, *GROUND, run_of())
    before = files_in(tmp_path)

    again = publish(store, *GROUND, run_of())

    assert again.publication is None
    assert again.snapshot == first.publication
    assert (again.objects_added, again.objects_present) == (0, 6)
    assert (again.runs_added, again.runs_present) == (0, 1)
    assert files_in(tmp_path) == before


def test_only_what_is_new_is_published() -> None:
    store = memory_store()
    publish(store, *GROUND, run_of(1))

    report = publish(store, *GROUND, run_of(1), run_of(2))

    entry = list(Log(store).entries())[-1]
    assert Log(store).object_ids(entry) == (run_of(2).object_id,)
    assert (report.runs_added, report.runs_present) == (1, 1)


def test_a_manifest_given_twice_counts_once() -> None:
    store = memory_store()

    report = publish(store, *GROUND, *GROUND)

    assert report.objects_added == len(GROUND)


def test_an_amendment_with_the_same_meaning_is_a_new_object() -> None:
    store = memory_store()
    publish(store, OPERATION)
    value = OPERATION.manifest.to_json()
    value["metadata"] = {"name": "example", "title": "A better title"}
    amended = named(value)
    assert amended.digest == OPERATION.digest

    report = publish(store, amended)

    assert report.objects_added == 1
    assert published_ids(store) == ids_of([OPERATION, amended])


def test_a_dry_run_gives_the_account_and_writes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "objects", create=True)
    publish(store, *GROUND)
    before = files_in(tmp_path)

    report = publish(store, *GROUND, run_of(), is_dry_run=True)

    assert report.is_dry_run
    assert report.publication is None
    assert (report.runs_added, report.objects_present) == (1, len(GROUND))
    assert files_in(tmp_path) == before


def test_a_dry_run_refuses_what_a_real_one_would() -> None:
    with pytest.raises(BadCitationsError):
        publish(memory_store(), run_of(), is_dry_run=True)


@pytest.mark.parametrize("left_out", GROUND[1:], ids=lambda one: one.kind)
def test_a_run_that_cites_what_is_nowhere_is_refused_by_name(
    left_out: Identified, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "objects", create=True)
    before = files_in(tmp_path)

    with pytest.raises(BadCitationsError) as caught:
        publish(store, *(one for one in GROUND if one is not left_out), run_of())

    (bad,) = caught.value.bad
    assert bad.name == "example"
    assert bad.citation.digest == left_out.digest
    assert bad.found is None
    assert bad.citation.field in str(caught.value)
    assert left_out.digest in str(caught.value)
    assert files_in(tmp_path) == before


def test_every_missing_citation_is_named_at_once() -> None:
    with pytest.raises(BadCitationsError) as caught:
        publish(memory_store(), run_of())

    assert {bad.citation.field for bad in caught.value.bad} == {
        "spec.implementationDigest",
        "spec.workloadDigest",
        "spec.protocolDigest",
        "spec.environmentDigest",
    }


def test_a_citation_of_the_wrong_kind_is_refused() -> None:
    store = memory_store()
    swapped = run_of(protocolDigest=ENVIRONMENT.digest)

    with pytest.raises(BadCitationsError) as caught:
        publish(store, *GROUND, swapped)

    assert caught.value.bad[0].found is Kind.EXECUTION_ENVIRONMENT
    assert "expected a BenchmarkProtocol" in str(caught.value)


@pytest.mark.parametrize("packed", [True, False])
def test_citations_resolve_in_earlier_publications(packed: bool) -> None:
    store = memory_store()
    publish(store, *GROUND, packed=packed)

    report = publish(store, run_of())

    assert report.runs_added == 1


def test_bytes_that_no_entry_cites_resolve_nothing() -> None:
    store = memory_store()
    store.put_many(one.content for one in GROUND)

    with pytest.raises(BadCitationsError):
        publish(store, run_of())


def test_corrections_attestations_and_listings_are_published_about_known_runs() -> None:
    store = memory_store()
    publish(store, *GROUND, run_of(1), run_of(2))
    about = run_of(1).digest
    manifests = (
        named(make_correction(run=about, action="supersede", replacement=run_of(2).digest)),
        named(make_attestation(run=about)),
        named(make_listing({"subject": OPERATION.digest, "slug": "example"})),
    )

    report = publish(store, *manifests)

    assert {count.kind: count.added for count in report.kinds} == {
        Kind.ATTESTATION: 1,
        Kind.CORRECTION: 1,
        Kind.LISTING: 1,
    }


@pytest.mark.parametrize(
    "value",
    [make_correction(), make_attestation(), make_listing()],
    ids=lambda value: str(value["kind"]),
)
def test_statements_about_nothing_are_refused(value: dict[str, object]) -> None:
    with pytest.raises(BadCitationsError):
        publish(memory_store(), named(value))


def test_a_correction_of_what_is_no_run_is_refused() -> None:
    store = memory_store()
    publish(store, *GROUND)

    with pytest.raises(BadCitationsError, match="BenchmarkRun or ServingRun"):
        publish(store, named(make_correction(run=WORKLOAD.digest)))


def test_a_publication_is_no_object() -> None:
    with pytest.raises(LogWrittenByHandError):
        publish(memory_store(), named(make_publication()))


def test_few_objects_are_stored_loose_and_many_in_a_pack() -> None:
    few, many = memory_store(), memory_store()

    publish(few, *GROUND)
    publish(many, *GROUND, *runs_of(PACK_FROM_OBJECTS))

    assert Log(few).head().publication.packs == ()  # type: ignore[union-attr]  # just published
    assert Log(many).head().publication.objects == ()  # type: ignore[union-attr]  # likewise
    assert list(many.iter_loose()) == []
    assert published_ids(many) == ids_of([*GROUND, *runs_of(PACK_FROM_OBJECTS)])


@pytest.mark.parametrize("packed", [True, False])
def test_the_caller_may_say_how_objects_are_stored(packed: bool) -> None:
    store = memory_store()

    publish(store, *GROUND, packed=packed)

    assert bool(list(store.iter_loose())) is not packed
    assert published_ids(store) == ids_of(GROUND)


def test_a_batch_with_a_refused_row_is_accounted_for_and_not_published() -> None:
    store = memory_store()
    refused = RefusedRow("file.csv:3 column x", "nothing", "a number")
    batch = dataclasses.replace(
        batch_of(run_of()), refused=(refused,), skipped=(SkippedRows("MEMORY_METRIC", 2),)
    )

    report = publish_batch(store, Log(store), batch, published_by="tester", published_at=AT)

    assert report.refused == (refused,)
    assert report.skipped == (SkippedRows("MEMORY_METRIC", 2),)
    assert report.runs_added == 1
    assert not report.is_dry_run
    assert report.publication is None
    assert Log(store).head() is None
    assert list(store.iter_ids()) == []


def test_what_another_writer_published_in_between_is_left_out() -> None:
    store = memory_store()

    class Overtaken(Log):
        def append(self, make: Make) -> LogEntry | None:
            publish(store, *GROUND, run_of(1))
            return super().append(make)

    report = publish(store, *GROUND, run_of(1), run_of(2), log=Overtaken(store))

    assert (report.runs_added, report.runs_present) == (1, 1)
    entries = list(Log(store).entries())
    assert [entry.publication.object_count for entry in entries] == [6, 1]


def test_when_another_writer_published_it_all_no_entry_is_appended() -> None:
    store = memory_store()

    class Overtaken(Log):
        def append(self, make: Make) -> LogEntry | None:
            publish(store, *GROUND)
            return super().append(make)

    report = publish(store, *GROUND, log=Overtaken(store))

    assert report.publication is None
    assert report.objects_added == 0
    assert report.snapshot == Log(store).head().object_id  # type: ignore[union-attr]  # one entry


def test_progress_ends_with_everything_stored() -> None:
    store = memory_store()
    told: list[tuple[int, int | None]] = []

    publish_manifests(
        store,
        Log(store),
        [*GROUND, *runs_of(600)],
        published_by="tester",
        published_at=AT,
        packed=False,
        progress=lambda done, total: told.append((done, total)),
    )

    assert told[-1] == (605, 605)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_source_is_named_in_the_log_where_it_is_given() -> None:
    store = memory_store()

    publish_manifests(
        store,
        Log(store),
        [IMPLEMENTATION, OPERATION, PROTOCOL],
        published_by="tester",
        published_at=AT,
        source=Slug("mine"),
    )

    assert Log(store).head().publication.source == "mine"  # type: ignore[union-attr]  # one entry


def test_publishing_nothing_appends_nothing() -> None:
    store = memory_store()

    report = publish(store)

    assert report.snapshot is None
    assert Log(store).head() is None
