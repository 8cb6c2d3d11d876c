"""What a person publishes is looked at more closely than what a source hands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from build import make_implementation, make_listing, make_operation, make_workload
from bundle import AT, GROUND, IMPLEMENTATION, OPERATION, WORKLOAD, named, run_of

from kgraph.ingest import (
    OperationMismatchError,
    PublishReport,
    publish_manifests,
    verify_store,
)
from kgraph.log import Log
from kgraph.manifest import identify_value
from kgraph.store import Severity, memory_store

if TYPE_CHECKING:
    from build import Plain

    from kgraph.manifest import Identified
    from kgraph.store import ObjectStore

SEMANTICS = {"expression": "x + x", "mutation": "none", "determinism": "unspecified"}


def of_name(value: Plain, name: str) -> Identified:
    return identify_value({**value, "metadata": {"name": name}}, where="test")


OTHER = of_name(make_operation(semantics=SEMANTICS), OPERATION.name)
OTHER_WORKLOAD = named(make_workload(operationSpecDigest=OTHER.digest))
OTHER_IMPLEMENTATION = named(make_implementation(operation={"specDigest": OTHER.digest}))
LISTED = named(make_listing({"subject": OTHER.digest, "slug": "apart"}))


@pytest.fixture
def store() -> ObjectStore:
    return memory_store()


def publish(store: ObjectStore, *manifests: Identified, is_own: bool = True) -> PublishReport:
    return publish_manifests(
        store, Log(store), manifests, published_by="p", published_at=AT, is_own=is_own
    )


@pytest.mark.parametrize("is_together", [True, False], ids=["with it", "before it"])
def test_a_run_of_two_operations_is_refused_by_name(
    store: ObjectStore, *, is_together: bool
) -> None:
    run = run_of(implementationDigest=OTHER_IMPLEMENTATION.digest)
    cited = (*GROUND, OTHER, OTHER_IMPLEMENTATION)
    if not is_together:
        publish(store, *cited)
    before = Log(store).head()

    with pytest.raises(OperationMismatchError) as caught:
        publish(store, run, *(cited if is_together else ()))

    assert str(caught.value) == (
        f"{run.name}: spec.implementationDigest cites an implementation of operation "
        f"{OTHER.digest}, expected one of {OPERATION.digest}, which spec.workloadDigest is of"
    )
    assert caught.value.code == "OPERATION_MISMATCH"
    assert Log(store).head() == before


def test_what_a_source_says_is_published_as_it_is(store: ObjectStore) -> None:
    run = run_of(implementationDigest=OTHER_IMPLEMENTATION.digest)

    report = publish(store, run, *GROUND, OTHER, OTHER_IMPLEMENTATION, is_own=False)

    assert report.runs_added == 1


def test_a_run_of_one_operation_is_published(store: ObjectStore) -> None:
    run = run_of(
        implementationDigest=OTHER_IMPLEMENTATION.digest, workloadDigest=OTHER_WORKLOAD.digest
    )

    publish(store, *GROUND, OTHER, OTHER_IMPLEMENTATION, OTHER_WORKLOAD)

    assert publish(store, run).runs_added == 1
    assert publish(store, run_of()).runs_added == 1
    assert IMPLEMENTATION.digest != OTHER_IMPLEMENTATION.digest
    assert WORKLOAD.digest != OTHER_WORKLOAD.digest


def test_a_slug_that_operations_share_is_noted_by_who_makes_it_so(store: ObjectStore) -> None:
    assert publish(store, *GROUND).notes == ()

    (note,) = publish(store, OTHER).notes

    assert note.startswith(f"operation {OPERATION.name}: found 2 operations of that slug (")
    for digest in (OPERATION.digest, OTHER.digest):
        assert digest[:23] in note
    # Whoever has nothing to do with it hears nothing of it.
    assert publish(store, run_of()).notes == ()
    assert publish(store, LISTED).notes == ()


def test_verify_warns_of_a_shared_slug_and_finds_nothing_damaged(store: ObjectStore) -> None:
    publish(store, *GROUND, OTHER)

    report = verify_store(store, Log(store))

    assert report.is_intact
    (warning,) = report.problems
    assert warning.severity is Severity.WARNING
    assert warning.where == f"operation {OPERATION.name}"
    assert "found 2 operations of that slug" in warning.what

    publish(store, LISTED)
    assert verify_store(store, Log(store)).problems == ()


def test_a_slug_moved_onto_another_is_warned_of(store: ObjectStore) -> None:
    third = of_name(make_operation(semantics={**SEMANTICS, "expression": "3 * x"}), "third")
    publish(store, *GROUND, third)

    (note,) = publish(
        store, named(make_listing({"subject": third.digest, "slug": OPERATION.name}))
    ).notes

    assert "found 2 operations of that slug" in note
    assert [one.severity for one in verify_store(store, Log(store)).problems] == [Severity.WARNING]
