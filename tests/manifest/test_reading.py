"""JSON and YAML documents that say the same are the same manifest."""

from __future__ import annotations

import json

import pytest
from build import Plain, digest_of, make_run, one_of_each_kind
from hypothesis import given
from strategies import manifests

from kgraph.manifest import identify, make_manifest, read_manifest

YAML_RUN = f"""\
# A run as a person writes it.
apiVersion: kernelindex.dev/v1alpha1
kind: BenchmarkRun
metadata:
  name: example
  title: 2026-01-02            # no date: text
  labels: {{role: yes, liger_version: "0.10"}}
spec:
  implementationDigest: {digest_of("1")}
  workloadDigest: {digest_of("2")}
  protocolDigest: {digest_of("3")}
  environmentDigest: '{digest_of("4")}'
  status: passed
  timing:
    primaryStatistic: median
    samples: 200
    latencyNs:
      median: 8.12 us
      confidence95: [8095, 8151]
  correctness:
    comparator: elementwise_close
    maximumAbsoluteError: 4.2e-3
    matchedRatio: 1.0
  sourceNative:
    source: example
    externalId: !!str 12
    metrics: {{a: -0.5, b: .5, c: +7, d: 0}}
  observedAt: 2026-01-02T03:04:05.678Z
"""


@pytest.mark.parametrize("value", one_of_each_kind(), ids=lambda value: value["kind"])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_whatever_its_spacing(value: Plain, indent: int | None) -> None:
    content = json.dumps(value, indent=indent).encode()

    assert read_manifest(content, where="sample").to_json() == value


@given(manifests())
def test_json_is_yaml(value: Plain) -> None:
    content = json.dumps(value, ensure_ascii=True).encode()

    from_yaml = read_manifest(content, where="sample", format="yaml")

    assert identify(from_yaml).content == identify(make_manifest(value, where="sample")).content


def test_yaml_is_read_with_the_types_of_its_core_schema() -> None:
    run = read_manifest(YAML_RUN.encode(), where="sample", format="yaml").to_json()

    expected = make_run(median=8120)
    expected["metadata"] |= {
        "title": "2026-01-02",
        "labels": {"role": "yes", "liger_version": "0.10"},
    }
    expected["spec"]["timing"]["samples"] = 200
    expected["spec"]["timing"]["latencyNs"]["confidence95"] = [8095, 8151]
    expected["spec"]["correctness"] = {
        "comparator": "elementwise_close",
        "maximumAbsoluteError": 0.0042,
        "matchedRatio": 1.0,
    }
    expected["spec"]["sourceNative"] = {
        "source": "example",
        "externalId": "12",
        "metrics": {"a": -0.5, "b": 0.5, "c": 7, "d": 0},
    }
    assert run == expected


def test_yaml_with_explicit_document_marks_is_one_document() -> None:
    content = b"---\n" + YAML_RUN.encode() + b"...\n"

    assert identify(read_manifest(content, where="a", format="yaml")) == identify(
        read_manifest(YAML_RUN.encode(), where="b", format="yaml")
    )
