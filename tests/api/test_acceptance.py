"""The acceptance documents and cases that stand beside the repository."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asgi import NOW, Client

from kgraph.catalog import CatalogSource
from kgraph.importers import import_liger
from kgraph.log import Draft, Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from types import ModuleType

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
ACCEPTANCE = SHARED / "acceptance"
LIGER_CSV = SHARED / "data" / "liger" / "all_benchmark_data.csv"

pytestmark = pytest.mark.skipif(
    not ACCEPTANCE.is_dir(), reason="the acceptance cases are not beside the repository"
)


def load_cases(name: str) -> list[Any]:
    path = ACCEPTANCE / name
    return json.loads(path.read_text()) if path.exists() else []


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    """The acceptance program itself, which says how an expectation is compared."""
    spec = importlib.util.spec_from_file_location("acceptance_check", ACCEPTANCE / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """The application over the catalogue that the published CSV makes."""
    folder = tmp_path_factory.mktemp("starter")
    batch = import_liger([(LIGER_CSV.name, LIGER_CSV.read_bytes())])
    store = open_store(folder / "objects", create=True)
    log = Log(store)
    ids = store.put_many([item.content for item in batch.manifests])
    draft = Draft(NOW, "tests", objects=tuple(ids), source=batch.source)
    log.append(lambda _: draft)
    source = CatalogSource(log, store, ranking_v1, folder=folder / "cache", clock=lambda: NOW)
    return Client(build_app(source, options=WebOptions(refresh_seconds=0), clock=lambda: NOW))


@pytest.fixture(scope="module")
def public(public_source: CatalogSource) -> Client:
    """The application over the catalogue that the public export makes."""
    options = WebOptions(refresh_seconds=0)
    return Client(build_app(public_source, options=options, clock=lambda: NOW))


def check(checker: ModuleType, client: Client, case: dict[str, Any]) -> None:
    document = (ACCEPTANCE / case["document"]).read_text()

    answer = client.ask(document, case.get("variables"), case.get("operation"))

    assert "errors" not in answer
    failed = [
        (path, how, wanted, got)
        for path, how, wanted in case["expect"]
        if not checker.holds(how, got := checker.walk(answer["data"], path), wanted)
    ]
    assert failed == []


@pytest.mark.parametrize("case", load_cases("starter-cases.json"), ids=lambda case: case["name"])
def test_the_starter_catalogue_answers_as_expected(
    checker: ModuleType, starter: Client, case: dict[str, Any]
) -> None:
    check(checker, starter, case)


@pytest.mark.parametrize("case", load_cases("export-cases.json"), ids=lambda case: case["name"])
def test_the_public_catalogue_answers_as_expected(
    checker: ModuleType, public: Client, case: dict[str, Any]
) -> None:
    check(checker, public, case)


def test_the_family_page_shows_what_the_reference_page_shows(starter: Client) -> None:
    document = (ACCEPTANCE / "family-page.graphql").read_text()

    page = starter.data(document, {"slug": "liger-distill-cosine-loss"})["operation"]

    assert page["eligibleRunCount"] == 16
    assert page["workloads"]["totalCount"] == 4
    smallest = page["workloads"]["nodes"][0]
    assert {"name": "tokens", "value": 1024} in smallest["axes"]
    forward, full = smallest["cohorts"]
    assert forward["hardware"]["formFactor"] == "SXM4-80GB"
    first, second = forward["ranking"]["nodes"]
    assert (first["rank"], first["display"]) == (1, "13.8 ms")
    assert (second["rank"], second["display"]) == (2, "16.5 ms")
    assert second["isBaseline"]
    assert round(second["ratioToLeader"], 2) == 1.19
    assert round(first["speedupOverBaseline"], 2) == 1.19
    implementation = first["run"]["implementation"]
    assert implementation["language"] == "triton"
    assert implementation["license"]["concluded"] == "BSD-2-Clause"
    assert implementation["install"]["command"] == 'pip install "liger-kernel==0.5.10"'
    assert full["record"]["display"] == "14.7 ms"
    headroom = forward["headroom"]
    assert (headroom["display"], headroom["bound"]) == ("779.1 µs", "MEMORY")
    assert round(headroom["recordRatio"], 2) == 17.75
    missing = {challenge["hardware"]["product"] for challenge in smallest["challenges"]}
    assert {"NVIDIA H100", "NVIDIA B200"} <= missing
    forward_sweep = page["sweeps"][0]
    assert forward_sweep["axis"] == "tokens"
    assert [len(series["points"]) for series in forward_sweep["series"]] == [4, 4]
    assert [source["license"] for source in page["sources"]] == ["BSD-2-Clause"]
