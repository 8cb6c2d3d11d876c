"""Names that people type: digests, prefixes, slugs, aliases, near misses; and what they cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from build import make_project
from world import Shelf, World, amended, attestation, listing, name

from kgraph.catalog import Catalog, CatalogSource
from kgraph.digest import BadDigestError, SpecDigest
from kgraph.facts import PageRequest
from kgraph.index import AmbiguousRefError, query_runs
from kgraph.policy import ranking_v1
from kgraph.vocab import HeadroomPolicy, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgraph.manifest import Identified

NOW = datetime(2026, 9, 1, tzinfo=UTC)
ABSENT = SpecDigest("sha256:" + "0" * 64)
TWINS = (46085, 91147)
PAGE = PageRequest(first=3)


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def later(world: World) -> Identified:
    return amended(world.runs[0], title="amended")


@pytest.fixture(scope="module")
def alike() -> tuple[Identified, Identified]:
    """Two projects whose spec digests share eight digits; one in some 100,000 names has a twin."""
    first, second = (name(make_project(name=f"project {number}"), name="twin") for number in TWINS)
    return first, second


@pytest.fixture(scope="module")
def source(
    world: World,
    later: Identified,
    alike: tuple[Identified, Identified],
    tmp_path_factory: pytest.TempPathFactory,
) -> CatalogSource:
    shelf = Shelf(tmp_path_factory.mktemp("lookup"))
    shelf.publish(world.all)
    shelf.publish(
        [
            later,
            listing(
                {"subject": world.operation.digest, "slug": "twice", "aliases": ["times-two"]},
                {"subject": world.other_operation.digest, "aliases": ["twice", "total"]},
            ),
            attestation(world.runs[1]),
            *alike,
        ]
    )
    return CatalogSource(shelf.log, shelf.store, ranking_v1, folder=shelf.folder, clock=lambda: NOW)


@pytest.fixture
def catalog(source: CatalogSource) -> Catalog:
    return source.current()


def test_a_run_is_found_by_every_way_to_write_its_name(catalog: Catalog, world: World) -> None:
    run = world.runs[1]

    for ref in (
        run.digest,
        run.object_id,
        run.digest[7:],
        run.object_id[7:],
        run.digest[:15],
        run.digest[7:15],
        run.object_id[:15],
        run.object_id[7:15],
        f"  {run.digest}  ",
    ):
        found = catalog.find_run(ref)
        assert found is not None
        assert found.run.digest == run.digest


def test_what_names_nothing_is_none(catalog: Catalog, world: World) -> None:
    run = world.runs[1]

    for ref in (ABSENT, "blake3:" + "0" * 64, "0" * 64, "00000000"):
        assert catalog.find_object(ref) is None
        assert catalog.find_run(ref) is None
        assert catalog.find_operation(ref) is None
    # Each algorithm names its own: digits of one are not tried as the other.
    assert catalog.find_object("sha256:" + run.object_id[7:]) is None
    assert catalog.find_object("blake3:" + run.digest[7:20]) is None
    # A name of another kind is no run.
    assert catalog.find_run(world.operation.digest) is None
    assert catalog.find_object(world.operation.digest, (Kind.BENCHMARK_RUN,)) is None


@pytest.mark.parametrize(
    "ref",
    ["", "abc", "1234567", "sha256:1234567", "md5:12345678", "g" * 64, "A" * 64, "0" * 65, "'; --"],
)
def test_what_is_no_name_is_refused(catalog: Catalog, ref: str) -> None:
    with pytest.raises(BadDigestError):
        catalog.find_run(ref)
    assert catalog.find_operation(ref) is None


def test_an_amended_object_is_found_by_its_own_id_and_shown_by_its_meaning(
    catalog: Catalog, world: World, later: Identified
) -> None:
    first = world.runs[0]

    shown, old, new = (
        catalog.find_object(ref) for ref in (first.digest, first.object_id, later.object_id)
    )

    assert shown is not None
    assert old is not None
    assert new is not None
    assert (shown.object_id, shown.is_current) == (later.object_id, True)
    assert (old.object_id, old.is_current, old.sequence) == (first.object_id, False, 1)
    assert (new.object_id, new.is_current, new.sequence) == (later.object_id, True, 2)
    for ref in (first.digest, first.object_id, later.object_id, first.object_id[7:20]):
        run = catalog.find_run(ref)
        assert run is not None
        assert run.run.title == "amended"


def test_a_prefix_of_several_manifests_is_refused(
    catalog: Catalog, world: World, alike: tuple[Identified, Identified]
) -> None:
    one, other = alike
    assert one.digest[:15] == other.digest[:15]

    for ref in (one.digest[:15], one.digest[7:15]):
        with pytest.raises(AmbiguousRefError, match="give more digits") as caught:
            catalog.find_object(ref)
        assert caught.value.names == tuple(sorted((one.digest, other.digest)))
        assert catalog.find_object(ref, (Kind.BENCHMARK_RUN,)) is None

    longer = next(n for n in range(15, 72) if one.digest[:n] != other.digest[:n])
    for manifest in alike:
        found = catalog.find_object(manifest.digest[:longer])
        assert found is not None
        assert found.digest == manifest.digest
    assert catalog.find_run(world.runs[0].digest[:15]) is not None


def test_an_operation_is_found_by_slug_alias_and_digest(catalog: Catalog, world: World) -> None:
    digest = world.operation.digest

    for ref in ("twice", "times-two", digest, digest[7:], digest[:16], world.operation.object_id):
        found = catalog.find_operation(ref)
        assert found is not None
        # The slug of one wins over the alias of another.
        assert found.digest == digest
    other = catalog.find_operation("total")
    assert other is not None
    assert other.digest == world.other_operation.digest
    for ref in ("double", "TWICE", "twice ", world.runs[0].digest):
        assert catalog.find_operation(ref) is None


def test_a_misspelt_slug_has_suggestions(catalog: Catalog) -> None:
    assert catalog.suggest_slugs("twise") == ("twice",)
    assert catalog.suggest_slugs("row-sums") == ("row-sum",)
    assert catalog.suggest_slugs("sum") == ("row-sum",)
    assert catalog.suggest_slugs("entirely-different-words") == ()
    assert catalog.suggest_slugs("'; DROP TABLE operation; --") == ()
    assert catalog.suggest_slugs("x" * 100_000) == ()
    assert len(catalog.suggest_slugs("w", limit=1)) == 1


def _digests(*manifests: Identified) -> list[Any]:
    return [item.digest for item in manifests]


def _operations(world: World) -> list[Any]:
    return _digests(world.operation, world.other_operation)


def _workloads(world: World) -> list[Any]:
    return _digests(*world.workloads, world.other_workload, world.suite)


def _runs(world: World) -> list[Any]:
    return _digests(*(item for item in world.all if item.kind == Kind.BENCHMARK_RUN))


def _environments(world: World) -> list[Any]:
    return _digests(*world.environments)


def _cohorts(_: World) -> list[Any]:
    """Their keys are asked of the catalogue."""
    return []


def _rankings(catalog: Catalog, keys: Sequence[Any]) -> Any:  # noqa: ANN401 - as any batch method
    return catalog.load_rankings(keys, PAGE)


def _histories(catalog: Catalog, keys: Sequence[Any]) -> Any:  # noqa: ANN401 - likewise
    return catalog.load_histories(keys, PAGE)


def _headrooms(catalog: Catalog, keys: Sequence[Any]) -> Any:  # noqa: ANN401 - likewise
    return catalog.load_headrooms(keys, HeadroomPolicy.HEADROOM_V1)


# Each batch method, keys that it knows, and most statements it may cost however many they are.
BATCHES: dict[str, tuple[Callable[..., Any], Callable[[World], list[Any]], int]] = {
    "operations": (Catalog.load_operations, _operations, 1),
    "families": (Catalog.load_families, lambda _: ["elementwise", "gemm"], 1),
    "workloads": (Catalog.load_workloads, _workloads, 1),
    "implementations": (
        Catalog.load_implementations,
        lambda world: _digests(world.baseline, world.fast, world.plain),
        1,
    ),
    "protocols": (
        Catalog.load_protocols,
        lambda world: _digests(world.protocol, world.score_protocol),
        1,
    ),
    "environments": (Catalog.load_environments, _environments, 1),
    "sources": (Catalog.load_sources, lambda _: ["example-bench"], 1),
    "runs": (Catalog.load_runs, _runs, 1),
    "cohorts": (Catalog.load_cohorts, _cohorts, 1),
    "serving_runs": (Catalog.load_serving_runs, lambda world: _digests(world.serving_run), 1),
    "objects": (Catalog.load_objects, _runs, 1),
    "references": (Catalog.load_references, _runs, 1),
    "attestations": (Catalog.load_attestations, _runs, 1),
    "cohorts_of_workloads": (Catalog.load_cohorts_of_workloads, _workloads, 1),
    "rankings": (_rankings, _cohorts, 3),
    "histories": (_histories, _cohorts, 2),
    "leaders": (Catalog.load_leaders, _cohorts, 2),
    "headrooms": (_headrooms, _cohorts, 5),
    "challenges": (Catalog.load_challenges, _workloads, 3),
    "fastest": (Catalog.load_fastest, _operations, 3),
    "sweeps": (Catalog.load_sweeps, _operations, 3),
    "sources_of_operations": (Catalog.load_sources_of_operations, _operations, 2),
}


@pytest.fixture
def ask(
    request: pytest.FixtureRequest, source: CatalogSource
) -> Callable[[Sequence[Any]], tuple[Any, int]]:
    """A batch method on a catalogue that remembers nothing yet, with the statements it costs."""
    method, _, _ = BATCHES[request.param]
    index = source.current()._index
    store = source.current()._store

    def ask(keys: Sequence[Any]) -> tuple[Any, int]:
        catalog = Catalog(index, store, clock=lambda: NOW)
        before = catalog.statement_count
        return method(catalog, keys), catalog.statement_count - before

    return ask


@pytest.fixture
def keys(request: pytest.FixtureRequest, source: CatalogSource, world: World) -> list[Any]:
    cohorts = source.current().page_cohorts(None, (), PageRequest(first=200)).items
    return BATCHES[request.param][1](world) or [cohort.key for cohort in cohorts]


def each_batch(*fixtures: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        fixtures, [(name,) * len(fixtures) for name in BATCHES], ids=list(BATCHES), indirect=True
    )


@pytest.fixture
def most(request: pytest.FixtureRequest) -> int:
    return BATCHES[request.param][2]


@each_batch("ask", "keys", "most")
def test_many_keys_cost_no_more_statements_than_few(
    ask: Callable[[Sequence[Any]], tuple[Any, int]], keys: list[Any], most: int
) -> None:
    found, cost = ask(keys)

    assert set(found) <= set(keys)
    assert found
    assert 1 <= cost <= most
    # Repetitions and names of nothing change neither the answer nor its cost.
    assert ask([*keys * 40, *(f"sha256:{number:064x}" for number in range(60))]) == (found, cost)
    one, cost_of_one = ask(keys[:1])
    assert cost_of_one <= cost
    assert all(found[key] == item for key, item in one.items())


@each_batch("ask")
def test_no_keys_and_unknown_keys_have_no_answer(
    ask: Callable[[Sequence[Any]], tuple[Any, int]],
) -> None:
    assert ask([])[0] == {}
    assert ask([ABSENT])[0] == {}
    assert ask(["'; DROP TABLE run; --", ""])[0] == {}


def test_what_is_remembered_is_not_asked_again(source: CatalogSource, world: World) -> None:
    catalog = source.current()
    digests = _runs(world)
    first = catalog.load_runs(digests)
    before = catalog.statement_count

    assert catalog.load_runs(digests) == first
    assert catalog.load_runs([ABSENT]) == {}
    once = catalog.statement_count
    assert catalog.load_runs([ABSENT]) == {}
    assert once <= before + 1
    assert catalog.statement_count == once


def test_staleness_depends_on_the_clock(source: CatalogSource) -> None:
    catalog = source.current()

    assert catalog.is_stale(NOW - timedelta(days=181))
    assert not catalog.is_stale(NOW - timedelta(days=180))


def test_facts_that_are_read_ahead_are_those_that_are_asked_for(built_catalog: Catalog) -> None:
    page = built_catalog.page_runs(None, (), PageRequest(first=50))
    runs = [item.run.digest for item in page.items]

    assert built_catalog.preload()

    before = built_catalog.statement_count
    loaded = built_catalog.load_runs(runs)
    assert built_catalog.statement_count == before
    assert loaded == query_runs(built_catalog._index, runs)
