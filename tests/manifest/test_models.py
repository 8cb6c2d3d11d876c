"""What a manifest takes, how it is normalised, and what its JSON Schema says."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pytest
from build import (
    Plain,
    changed,
    digest_of,
    make_environment,
    make_implementation,
    make_listing,
    make_operation,
    make_protocol,
    make_publication,
    make_run,
    make_stack,
    object_id_of_digit,
    one_of_each_kind,
)
from hypothesis import given
from pydantic import ValidationError
from strategies import implementations, manifests

from kgraph.canonical import decode_json
from kgraph.manifest import (
    BenchmarkRun,
    Manifest,
    ManifestRefusedError,
    identify,
    json_schema,
    make_manifest,
    read_manifest,
)
from kgraph.vocab import KGRAPH_API_VERSION, KGRAPH_KINDS, Kind, RunStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

EACH_KIND = one_of_each_kind()


def normal(value: Mapping[str, Any]) -> Plain:
    """The manifest as it is stored."""
    return make_manifest(value, where="test").to_json()


@pytest.mark.parametrize("value", EACH_KIND, ids=lambda value: value["kind"])
def test_the_smallest_manifest_of_each_kind_is_taken_as_it_is(value: Plain) -> None:
    manifest = make_manifest(value, where="test")

    assert manifest.to_json() == value
    assert manifest.as_kind() == value["kind"]
    assert manifest.name == "example"


def test_every_kind_of_the_vocabulary_has_a_model() -> None:
    assert {value["kind"] for value in EACH_KIND} == set(Kind)
    own = {value["kind"] for value in EACH_KIND if value["apiVersion"] == KGRAPH_API_VERSION}
    assert own == KGRAPH_KINDS


@pytest.mark.parametrize("status", RunStatus)
def test_every_run_status_of_the_vocabulary_is_taken(status: RunStatus) -> None:
    assert normal(make_run(status=status.value))["spec"]["status"] == status


@given(manifests())
def test_decoding_what_was_encoded_gives_the_same_manifest(value: Plain) -> None:
    manifest = make_manifest(value, where="test")
    content = identify(manifest).content

    again = read_manifest(content, where="test")

    assert again == manifest
    assert identify(again).content == content
    assert decode_json(content, where="test") == manifest.to_json()


@given(implementations())
def test_set_like_lists_are_sorted_and_deduplicated(value: Plain) -> None:
    support = normal(value)["spec"]["support"]

    for name in ("dtypes", "hardwareArchitectures"):
        assert support[name] == sorted(set(value["spec"]["support"][name]))


def test_ordered_lists_are_left_alone() -> None:
    figures = [
        {"metric": "b", "unit": "ns", "statistic": "p80", "value": 2},
        {"metric": "a", "unit": "ns", "statistic": "p20", "value": 1},
        {"metric": "a", "unit": "ns", "statistic": "p20", "value": 1},
    ]
    samples = [3, 1, 2, 1]
    value = changed(make_run(measurements=figures), {"spec.timing.rawSamples": samples})

    spec = normal(value)["spec"]

    assert spec["measurements"] == figures
    assert spec["timing"]["rawSamples"] == samples


def test_other_lists_whose_order_says_nothing_are_sorted() -> None:
    entry = {"subject": digest_of("2"), "aliases": ["b", "a", "b"], "tags": ["y", "x"]}
    listing = normal(make_listing(entry, {"subject": digest_of("1")}))
    packs = [object_id_of_digit("3"), object_id_of_digit("2")]
    artifacts = [{"contentDigest": digest_of(each), "kind": "log"} for each in "21"]
    cited = changed(make_listing(), {"spec.artifacts": artifacts})
    value = make_publication(objectCount=9, packs=packs)
    del value["spec"]["objects"]

    assert [each["subject"] for each in listing["spec"]["entries"]] == [
        digest_of("1"),
        digest_of("2"),
    ]
    assert listing["spec"]["entries"][1]["aliases"] == ["a", "b"]
    assert normal(cited)["spec"]["artifacts"] == artifacts[::-1]
    assert normal(value)["spec"]["packs"] == sorted(packs)
    assert normal(make_stack(backends=["b", "a"]))["spec"]["backends"] == ["a", "b"]


def test_durations_become_integer_nanoseconds() -> None:
    latency = {
        "median": "0.008 ms",
        "mean": "13.8 us",
        "p05": "5 ns",
        "maximum": "1 s",
        "mad": "0 ns",
        "confidence95": ["7.9 µs", 8100],
    }
    value = changed(
        make_run(), {"spec.timing.latencyNs": latency, "spec.timing.rawSamples": ["8 us", 8001]}
    )
    protocol = make_protocol()
    protocol["spec"]["measurement"]["warmupDuration"] = "25 ms"

    timing = normal(value)["spec"]["timing"]

    assert timing["latencyNs"] == {
        "median": 8000,
        "mean": 13_800,
        "p05": 5,
        "maximum": 10**9,
        "mad": 0,
        "confidence95": [7900, 8100],
    }
    assert timing["rawSamples"] == [8000, 8001]
    assert normal(protocol)["spec"]["measurement"]["warmupDuration"] == 25_000_000


def test_a_duration_written_with_its_unit_has_the_digest_of_its_nanoseconds() -> None:
    written, counted = (
        identify(make_manifest(make_run(median=median), where="test"))
        for median in ("8.12 us", 8120)
    )

    assert written.object_id == counted.object_id


@pytest.mark.parametrize(
    "instant",
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.000Z",
        "2026-01-02T03:04Z",
        "2024-02-29T23:59:59.123456789Z",
    ],
)
def test_instants_keep_their_spelling(instant: str) -> None:
    assert normal(make_run(observedAt=instant))["spec"]["observedAt"] == instant


def test_what_is_unset_stays_unset() -> None:
    content = identify(make_manifest(make_run(), where="test")).content

    assert b"null" not in content
    assert b"measurements" not in content


def test_numbers_keep_their_type_and_digits() -> None:
    metrics = {"ms": 59.177982330322266, "score": 1.0048658277929109e-05, "count": 3, "unit": "s"}
    native = {"source": "example", "metrics": metrics}

    kept = normal(make_run(sourceNative=native))["spec"]["sourceNative"]["metrics"]

    assert kept == metrics
    assert type(kept["count"]) is int


def test_raw_samples_may_be_a_file() -> None:
    artifact = {"uri": "https://example.org/samples.json", "digest": digest_of("9")}
    value = changed(make_run(), {"spec.timing.rawSamples": artifact})

    assert normal(value)["spec"]["timing"]["rawSamples"] == artifact


def test_text_of_any_script_is_taken() -> None:
    value = changed(make_run(), {"metadata.title": "Größe · 大小 · 😀"})
    environment = make_environment()
    environment["spec"]["software"] = {
        "framework": {"name": "pytorch", "version": "2.11.0+cu130"},
        "environmentVariables": None,
    }
    del environment["spec"]["software"]["environmentVariables"]

    assert normal(value)["metadata"]["title"] == "Größe · 大小 · 😀"
    assert normal(environment) == environment


def test_policy_fields_of_a_protocol_are_taken() -> None:
    protocol = make_protocol()
    protocol["spec"]["measurement"] |= {"timedPass": "backward", "cacheFlush": False}

    assert normal(protocol) == protocol


def test_labels_mark_a_baseline() -> None:
    value = changed(make_implementation(), {"metadata.labels": {"role": "baseline"}})

    assert normal(value)["metadata"]["labels"] == {"role": "baseline"}


def test_a_derived_axis_and_a_constant_one_are_taken() -> None:
    axes = {
        "rows": {"role": "variable", "type": "integer", "minimum": 1, "maximum": 4096},
        "columns": {"role": "constant", "type": "integer", "value": 128},
        "half": {"role": "derived", "type": "integer", "expression": "(rows + 1) // 2"},
    }
    assert normal(make_operation(axes=axes))["spec"]["axes"] == axes


def test_manifests_are_frozen() -> None:
    manifest = make_manifest(make_run(), where="test")

    with pytest.raises(ValidationError):
        manifest.kind = "OperationSpec"
    assert isinstance(manifest, BenchmarkRun)
    with pytest.raises(ValidationError):
        manifest.spec.status = "revoked"


@pytest.mark.parametrize("value", EACH_KIND, ids=lambda value: value["kind"])
def test_null_is_refused_wherever_a_field_may_be_left_out(value: Plain) -> None:
    with_null = {**value, "metadata": {**value["metadata"], "title": None}}

    with pytest.raises(ManifestRefusedError, match=r"metadata\.title: found null") as caught:
        make_manifest(with_null, where="test")

    assert [refusal.path for refusal in caught.value.refusals] == ["metadata.title"]


@pytest.mark.parametrize("value", [None, 1, "text", [], {}], ids=str)
def test_what_is_no_object_of_a_kind_is_refused(value: Any) -> None:  # noqa: ANN401 - no manifest
    with pytest.raises(ManifestRefusedError):
        make_manifest(value, where="test")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, "an integer or a finite number"),
        (math.inf, "an integer or a finite number"),
        (2**53, "a number not above 2^53 - 1"),
        (-(2**70), "a number not below -(2^53 - 1)"),
        (1e22, "an integer or a number not above 2^53 - 1"),
        (True, "an integer or a number"),
        ("1", "an integer or a number"),
    ],
    ids=str,
)
def test_a_figure_that_json_cannot_hold_is_refused(value: Any, expected: str) -> None:  # noqa: ANN401 - any
    figure = {"metric": "a", "unit": "b", "statistic": "c", "value": value}

    with pytest.raises(ManifestRefusedError) as caught:
        make_manifest(make_run(measurements=[figure]), where="test")

    (refusal,) = caught.value.refusals
    assert (refusal.path, refusal.expected) == ("spec.measurements[0].value", expected)


def test_a_key_that_is_no_text_is_refused() -> None:
    value: Any = {**make_run(), 1: 2}

    with pytest.raises(ManifestRefusedError):
        make_manifest(value, where="test")


def test_a_mapping_that_is_no_dict_is_taken() -> None:
    from types import MappingProxyType  # noqa: PLC0415 - nowhere else needed

    assert make_manifest(MappingProxyType(make_run()), where="test").to_json() == make_run()


# --- JSON Schema ---


def test_the_schema_has_every_kind_and_describes_every_field() -> None:
    schema: Any = json_schema()

    assert [each["$ref"] for each in schema["oneOf"]] == [f"#/$defs/{kind}" for kind in Kind]
    for name, part in schema["$defs"].items():
        assert part["additionalProperties"] is False, name
        assert part["description"], name
        for field, described in part["properties"].items():
            # A field described in the very words of the part it holds refers to that part alone.
            assert described.get("description") or "$ref" in described, f"{name}.{field}"


def test_field_names_in_the_schema_are_camel_case() -> None:
    schema: Any = json_schema()

    names = {name for part in schema["$defs"].values() for name in part["properties"]}

    assert not [name for name in names if not re.fullmatch(r"[a-z][a-zA-Z0-9]*", name)]
    assert {"apiVersion", "latencyNs", "requiredMatchedRatio", "p05", "kvCache"} <= names


def test_the_schema_uses_keywords_of_json_schema_alone() -> None:
    known = {
        "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "format", "items",
        "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "exclusiveMinimum",
        "oneOf", "pattern", "patternProperties", "properties",
        "propertyNames", "required", "title", "type",
    }  # fmt: skip

    def keywords(node: Any) -> set[str]:  # noqa: ANN401 - a schema
        if isinstance(node, list):
            return set().union(*map(keywords, node))
        if not isinstance(node, dict):
            return set()
        below: set[str] = set(node)
        for key, value in node.items():
            parts = value.values() if key in {"properties", "patternProperties"} else [value]
            if key not in {"enum", "const", "required"}:
                below |= set().union(*map(keywords, parts))
        return below

    schema: Any = json_schema()
    found = set().union(*(keywords(part) for part in schema["$defs"].values()))

    assert found - known == set()


def test_every_model_is_a_manifest() -> None:
    for value in EACH_KIND:
        assert isinstance(make_manifest(value, where="test"), Manifest)
