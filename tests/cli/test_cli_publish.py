from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from build import (
    changed,
    make_attestation,
    make_correction,
    make_environment,
    make_implementation,
    make_operation,
    make_protocol,
    make_run,
    make_workload,
)

from kgraph.manifest import identify_value

if TYPE_CHECKING:
    from pathlib import Path

    from command import Command


def digest(value: dict[str, Any]) -> str:
    return identify_value(value, where="test").digest


@pytest.fixture
def bundle(tmp_path: Path) -> dict[str, Path]:
    """Files of a run and everything that it cites, by kind; the run is YAML."""
    operation = make_operation()
    workload = make_workload(operationSpecDigest=digest(operation))
    implementation = changed(
        make_implementation(), {"spec.operation.specDigest": digest(operation)}
    )
    protocol, environment = make_protocol(), make_environment()
    run = make_run(
        median="0.008 ms",
        implementationDigest=digest(implementation),
        workloadDigest=digest(workload),
        protocolDigest=digest(protocol),
        environmentDigest=digest(environment),
    )
    files = {}
    for value in (operation, workload, implementation, protocol, environment):
        files[value["kind"]] = tmp_path / f"{value['kind']}.json"
        files[value["kind"]].write_text(json.dumps(value), encoding="utf-8")
    files["BenchmarkRun"] = tmp_path / "run.yaml"
    spec = "\n".join(f"  {key}: {json.dumps(value)}" for key, value in run["spec"].items())
    files["BenchmarkRun"].write_text(
        f"apiVersion: {run['apiVersion']}\nkind: BenchmarkRun\n"
        f"metadata:\n  name: example\nspec:\n{spec}\n",
        encoding="utf-8",
    )
    return files


def names_of(kgraph: Command, *files: Path) -> list[dict[str, Any]]:
    names: list[dict[str, Any]] = kgraph("digest", *files, "--json").json()
    return names


def test_a_bundle_of_files_is_published_as_one(kgraph: Command, bundle: dict[str, Path]) -> None:
    outcome = kgraph("publish", *bundle.values(), "--source", "mine", "--json")

    assert outcome.status == 0
    assert outcome.json()["objectsAdded"] == 6
    (entry,) = kgraph("log", "--json").json()
    assert (entry["objectCount"], entry["source"]) == (6, "mine")
    assert kgraph("verify").status == 0


def test_a_run_whose_ground_is_missing_is_refused_by_name(
    kgraph: Command, bundle: dict[str, Path]
) -> None:
    outcome = kgraph("publish", bundle["BenchmarkRun"])

    assert outcome.status == 1
    assert outcome.err.count("\n") == 4
    assert "spec.workloadDigest" in outcome.err
    assert outcome.out == ""
    assert kgraph("log", "--json").json() == []


def test_a_run_follows_what_it_cites(kgraph: Command, bundle: dict[str, Path]) -> None:
    run = bundle.pop("BenchmarkRun")

    assert kgraph("publish", *bundle.values()).status == 0
    assert kgraph("publish", run).status == 0
    assert kgraph("publish", run, "--json").json()["runsAdded"] == 0


def test_a_dry_run_of_publish_writes_nothing(kgraph: Command, bundle: dict[str, Path]) -> None:
    outcome = kgraph("publish", *bundle.values(), "--dry-run", "--json")

    assert outcome.json()["runsAdded"] == 1
    assert not kgraph.store.exists()


def test_a_correction_takes_a_run_from_the_ranking_and_keeps_it_readable(
    kgraph: Command, bundle: dict[str, Path], tmp_path: Path
) -> None:
    kgraph("publish", *bundle.values())
    run = names_of(kgraph, bundle["BenchmarkRun"])[0]
    query = tmp_path / "query.graphql"
    query.write_text("{ catalog { counts { runs eligibleRuns } } }", encoding="utf-8")
    before = kgraph("query", query).json()["data"]["catalog"]["counts"]
    files = []
    for value in (make_correction(run=run["digest"]), make_attestation(run=run["digest"])):
        files.append(tmp_path / f"{value['kind']}.json")
        files[-1].write_text(json.dumps(value), encoding="utf-8")

    outcome = kgraph("publish", *files)

    assert outcome.status == 0
    after = kgraph("query", query).json()["data"]["catalog"]["counts"]
    assert before == {"runs": 1, "eligibleRuns": 1}
    assert after == {"runs": 1, "eligibleRuns": 0}
    assert kgraph("show", run["digest"]).status == 0


def test_every_fault_of_every_file_is_named(kgraph: Command, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(make_run(median=-1, outcome="passed")), encoding="utf-8")
    twice = tmp_path / "twice.json"
    twice.write_text('{"kind": "Source", "kind": "Source"}', encoding="utf-8")

    outcome = kgraph("publish", broken, twice)

    assert outcome.status == 1
    assert "spec.timing.latencyNs.median" in outcome.err
    assert "spec.outcome" in outcome.err
    assert "twice.json" in outcome.err
    assert not kgraph.store.exists()


def test_validate_says_which_files_are_refused(
    kgraph: Command, bundle: dict[str, Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("kind: BenchmarkRun\nspec: {status: 3}\n", encoding="utf-8")

    good = kgraph("validate", *bundle.values(), "--json")
    mixed = kgraph("validate", bundle["BenchmarkRun"], broken, "--json")

    assert good.status == 0
    assert all(one["isValid"] for one in good.json())
    assert mixed.status == 1
    assert [one["isValid"] for one in mixed.json()] == [True, False]
    refusals = {refusal["path"]: refusal for refusal in mixed.json()[1]["refusals"]}
    assert refusals["spec.status"]["line"] == 2
    assert kgraph("validate", broken).out.count("broken.yaml: ") == len(refusals)
    assert not kgraph.store.exists()


def test_digest_prints_both_names_and_the_cohort_of_a_whole_bundle(
    kgraph: Command, bundle: dict[str, Path]
) -> None:
    whole = names_of(kgraph, *bundle.values())
    alone = names_of(kgraph, bundle["BenchmarkRun"])

    assert [one["kind"] for one in whole] == list(bundle)
    assert whole[-1]["cohort"].startswith("sha256:")
    assert alone[0]["cohort"] is None
    assert alone[0]["digest"] == whole[-1]["digest"]
    assert alone[0]["objectId"].startswith("blake3:")
    text = kgraph("digest", *bundle.values()).out
    assert all(one["digest"] in text and one["objectId"] in text for one in whole)


def test_the_cohort_that_digest_prints_is_the_catalogues(
    kgraph: Command, bundle: dict[str, Path], tmp_path: Path
) -> None:
    kgraph("publish", *bundle.values())
    query = tmp_path / "query.graphql"
    query.write_text("{ cohorts { nodes { key } } }", encoding="utf-8")

    answer = kgraph("query", query).json()

    cohort = names_of(kgraph, *bundle.values())[-1]["cohort"]
    assert answer["data"]["cohorts"]["nodes"] == [{"key": cohort}]


@pytest.mark.parametrize("command", ["publish", "validate", "digest"])
def test_a_missing_file_is_wrong_usage(kgraph: Command, command: str) -> None:
    outcome = kgraph(command, "nowhere.json")

    assert outcome.status == 2
    assert "nowhere.json" in outcome.err


@pytest.mark.parametrize("command", ["publish", "validate", "digest", "import"])
def test_a_command_without_its_files_is_wrong_usage(kgraph: Command, command: str) -> None:
    assert kgraph(command).status == 2
