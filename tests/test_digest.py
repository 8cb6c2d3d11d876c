"""Names of known manifests, and how names are written and typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from build import one_of_each_kind
from hypothesis import given
from places import SHARED
from strategies import spec_digests

from kgraph.digest import (
    BadDigestError,
    DigestPrefix,
    parse_object_id,
    parse_ref,
    parse_spec_digest,
    short,
)
from kgraph.manifest import (
    cohort_key,
    correctness_key,
    identify_value,
    metric_key,
    primary_measurement,
)

if TYPE_CHECKING:
    from pathlib import Path

ACCEPTANCE = SHARED / "acceptance" / "digests.json"


@pytest.fixture(scope="module")
def golden(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401 - vectors as JSON has them
    path: Path = request.path.parent / "golden" / "digests.json"
    return json.loads(path.read_bytes())


def test_golden_manifests_keep_both_names(golden: Any) -> None:  # noqa: ANN401 - vectors
    for vector in golden["manifests"]:
        identified = identify_value(vector["manifest"], where="golden")

        assert identified.digest == vector["specDigest"], vector["manifest"]["kind"]
        assert identified.object_id == vector["objectId"], vector["manifest"]["kind"]


def test_golden_manifests_cover_every_kind(golden: Any) -> None:  # noqa: ANN401 - vectors
    manifests = [vector["manifest"] for vector in golden["manifests"]]

    assert [each for each in one_of_each_kind() if each not in manifests] == []


def test_the_golden_cohort_keeps_its_key(golden: Any) -> None:  # noqa: ANN401 - vectors
    cohort = golden["cohort"]
    parts = {name: part for name, part in cohort["parts"].items() if name != "v"}

    assert correctness_key(cohort["correctness"]) == parts["correctness"]
    assert cohort_key(**parts) == cohort["key"]


@pytest.mark.skipif(not ACCEPTANCE.exists(), reason="the acceptance vectors are not beside us")
def test_the_reference_run_page_keeps_its_names_and_its_cohort() -> None:
    vectors = json.loads(ACCEPTANCE.read_bytes())
    specs: dict[str, Any] = {}
    for vector in vectors["manifests"]:
        identified = identify_value(vector["manifest"], where="acceptance")
        assert identified.digest == vector["specDigest"]
        assert identified.object_id == vector["objectId"]
        specs[identified.digest] = vector["manifest"]["spec"]
    cohort = vectors["cohort"]
    run = specs[cohort["run"]]
    workload = specs[run["workloadDigest"]]
    correctness = correctness_key(workload["correctness"])
    primary = primary_measurement(run, specs[run["protocolDigest"]])

    key = cohort_key(
        operation=parse_spec_digest(workload["operationSpecDigest"]),
        workload=parse_spec_digest(run["workloadDigest"]),
        protocol=parse_spec_digest(run["protocolDigest"]),
        environment=parse_spec_digest(run["environmentDigest"]),
        correctness=correctness,
        metric=metric_key(primary),
    )

    assert correctness == cohort["correctnessKey"]
    assert metric_key(primary) == cohort["metric"]
    assert key == cohort["key"]


@given(spec_digests())
def test_a_full_name_parses_as_itself(text: str) -> None:
    hex_digits = text.removeprefix("sha256:")

    assert parse_spec_digest(text) == text
    assert parse_object_id("blake3:" + hex_digits) == "blake3:" + hex_digits
    assert parse_ref(text) == DigestPrefix("sha256", hex_digits)
    assert parse_ref(text).is_full
    assert short(text) == hex_digits[:8]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sha256:",
        "sha256:" + "a" * 63,
        "sha256:" + "a" * 65,
        "sha256:" + "A" * 64,
        "sha256:" + "a" * 64 + "\n",
        "md5:" + "a" * 64,
        "a" * 64,
        "../" + "a" * 61,
    ],
)
def test_text_that_is_no_full_name_is_refused(text: str) -> None:
    with pytest.raises(BadDigestError):
        parse_spec_digest(text)
    with pytest.raises(BadDigestError):
        parse_object_id(text)


def test_the_two_names_never_swap() -> None:
    with pytest.raises(BadDigestError):
        parse_spec_digest("blake3:" + "a" * 64)
    with pytest.raises(BadDigestError):
        parse_object_id("sha256:" + "a" * 64)


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("01234567", DigestPrefix(None, "01234567")),
        ("sha256:0123456789", DigestPrefix("sha256", "0123456789")),
        (" blake3:01234567 ", DigestPrefix("blake3", "01234567")),
    ],
)
def test_a_prefix_of_eight_digits_names_what_it_starts(text: str, prefix: DigestPrefix) -> None:
    assert parse_ref(text) == prefix
    assert not parse_ref(text).is_full


@pytest.mark.parametrize(
    "text", ["0123456", "sha256:0123456", "0123456g", "sha1:01234567", "a" * 65]
)
def test_what_is_no_prefix_is_refused(text: str) -> None:
    with pytest.raises(BadDigestError, match="8 to 64 lower-case hex digits"):
        parse_ref(text)
