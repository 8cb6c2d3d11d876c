"""A spec digest says what is meant, an object id which bytes are stored."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from blake3 import blake3
from build import Plain, changed, digest_of, make_listing, make_run
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import manifests

from kgraph.canonical import MAX_BYTES
from kgraph.digest import digest_spec
from kgraph.manifest import (
    ManifestRefusedError,
    identify,
    identify_value,
    make_manifest,
    object_id_of,
    spec_digest_of,
)
from kgraph.vocab import Kind


@given(manifests())
def test_names_are_hashes_of_rfc8785_bytes(value: Plain) -> None:
    identified = identify_value(value, where="test")
    stored = identified.manifest.to_json()

    meaning = {key: stored[key] for key in ("apiVersion", "kind", "spec")}
    assert identified.content == rfc8785.dumps(stored)
    assert identified.digest == digest_spec(rfc8785.dumps(meaning))
    assert identified.object_id == "blake3:" + blake3(rfc8785.dumps(stored)).hexdigest()


@given(manifests())
def test_the_short_ways_to_a_name_agree(value: Plain) -> None:
    manifest = make_manifest(value, where="test")
    identified = identify(manifest)

    assert identified == identify_value(value, where="test")
    assert identified.manifest == manifest
    assert spec_digest_of(manifest) == identified.digest
    assert object_id_of(manifest) == identified.object_id
    assert (identified.kind, identified.name) == (Kind(value["kind"]), value["metadata"]["name"])


def _reversed_keys(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _reversed_keys(value[key]) for key in reversed(value)}
    return [_reversed_keys(each) for each in value] if isinstance(value, list) else value


@given(manifests())
def test_key_order_changes_no_name(value: Plain) -> None:
    one, other = (identify_value(each, where="test") for each in (value, _reversed_keys(value)))

    assert (one.digest, one.object_id) == (other.digest, other.object_id)


@given(manifests(), st.text("abc xyz", min_size=1, max_size=20))
def test_metadata_changes_the_object_id_and_no_spec_digest(value: Plain, title: str) -> None:
    other = changed(value, {"metadata.title": title, "metadata.labels": {"note": "x"}})

    one, amended = (identify_value(each, where="test") for each in (value, other))

    assert one.digest == amended.digest
    assert one.object_id != amended.object_id


@given(manifests(), manifests())
def test_distinct_manifests_have_distinct_names(first: Plain, second: Plain) -> None:
    one, other = (identify_value(each, where="test") for each in (first, second))
    assume(one.manifest.to_json() != other.manifest.to_json())

    assert one.content != other.content
    assert one.object_id != other.object_id


@pytest.mark.parametrize(("whole", "fraction"), [(16, 16.0), (0, -0.0), (-3, -3.0)])
def test_a_whole_float_has_the_name_of_its_integer(whole: int, fraction: float) -> None:
    one, other = (
        identify_value(
            make_run(sourceNative={"source": "x", "metrics": {"a": number}}), where="test"
        )
        for number in (whole, fraction)
    )

    assert one.object_id == other.object_id


def test_a_manifest_too_long_to_be_read_back_is_refused() -> None:
    aliases = [f"{number:0200d}" for number in range(MAX_BYTES // 200)]
    value = make_listing({"subject": digest_of("1"), "aliases": aliases})

    with pytest.raises(ManifestRefusedError, match=f"at most {MAX_BYTES} bytes"):
        identify_value(value, where="test")
