from __future__ import annotations

import csv
import io
import json
import pathlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.importers.liger import import_liger
from kgraph.importers.liger.manifest import operation_document
from kgraph.importers.liger.row import COLUMNS
from kgraph.importers.liger.table import load_table
from kgraph.manifest import identify, make_manifest
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.importers import ImportBatch

HERE = pathlib.Path(__file__).resolve().parent
FIXTURE = HERE / "sources" / "liger" / "all_benchmark_data.csv"
SHARED = HERE.parents[1] / ".." / "shared"
PUBLISHED = SHARED / "data" / "liger" / "all_benchmark_data.csv"
REVISIONS = [
    SHARED / "data" / "liger" / f"rev-{name}" / "all_benchmark_data.csv"
    for name in ("8e2f3a47", "6817c2d3")
]
VECTORS = SHARED / "acceptance" / "digests.json"

needs_published = pytest.mark.skipif(
    not PUBLISHED.exists(), reason="the whole published file is not beside the repository"
)
needs_revisions = pytest.mark.skipif(
    not all(path.exists() for path in REVISIONS),
    reason="two revisions of the published file are not beside the repository",
)

NAME = "all_benchmark_data.csv"
ROW = {
    "kernel_name": "distill_cosine_loss",
    "kernel_provider": "torch",
    "kernel_operation_mode": "forward",
    "metric_name": "speed",
    "metric_unit": "ms",
    "x_name": "BT",
    "x_label": "B x T",
    "x_value": "4096",
    "y_value_50": "59.177982330322266",
    "y_value_20": "59.177982330322266",
    "y_value_80": "59.177982330322266",
    "extra_benchmark_config_str": json.dumps(
        {
            "H": 4096,
            "V": 128256,
            "mode": "forward",
            "dtype": "torch.bfloat16",
            "bias": False,
            "weight_hard_loss": 0.5,
            "weight_soft_loss": 0.5,
            "ignore_index": -100,
        }
    ),
    "gpu_name": "NVIDIA A100-SXM4-80GB",
    "timestamp": "2025-06-27 09:20:34",
    "liger_version": "0.5.10",
}
ROPE = {
    "kernel_name": "rope",
    "kernel_provider": "liger",
    "x_name": "H",
    "x_value": "8192",
    "extra_benchmark_config_str": json.dumps(
        {"dtype": "torch.bfloat16", "seq_len": 2048, "num_q_heads": 32, "num_kv_heads": 8}
    ),
}


def write(*changes: dict[str, str]) -> bytes:
    """The bytes of a file whose rows are `ROW` with each of the changes."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(ROW))
    writer.writeheader()
    writer.writerows([ROW | change for change in changes])
    return text.getvalue().encode()


def load(*changes: dict[str, str]) -> ImportBatch:
    return import_liger([(NAME, write(*changes))])


def of_kind(batch: ImportBatch, kind: Kind) -> list[dict[str, Any]]:
    return [json.loads(entry.content) for entry in batch.manifests if entry.kind == kind]


def skipped(batch: ImportBatch) -> dict[str, int]:
    return {entry.reason: entry.count for entry in batch.skipped}


def run_ids(batch: ImportBatch) -> list[str]:
    return [run["spec"]["sourceNative"]["externalId"] for run in of_kind(batch, Kind.BENCHMARK_RUN)]


# --- what comes out ----------------------------------------------------------------------------


def test_the_fixture_gives_the_golden_manifests(
    check_golden: Callable[[pathlib.Path, bytes], None],
) -> None:
    batch = import_liger([(NAME, FIXTURE.read_bytes())])

    assert batch.refused == ()
    content = b"[\n" + b",\n".join(entry.content for entry in batch.manifests) + b"\n]\n"
    check_golden(HERE / "expected" / "liger.json", content)


def test_the_account_of_the_fixture_adds_up() -> None:
    batch = import_liger([(NAME, FIXTURE.read_bytes())])

    assert batch.source == "liger-kernel-bench"
    assert batch.rows_read == 83
    assert batch.run_count == len(of_kind(batch, Kind.BENCHMARK_RUN)) == 73
    assert skipped(batch) == {"MEMORY_METRIC": 10}
    assert batch.notes == ("timestamps carry no time zone and are taken as UTC",)


def test_a_row_keeps_the_names_that_other_catalogues_give_it() -> None:
    batch = load({})

    digests = {entry.kind: entry.digest for entry in batch.manifests}
    assert digests[Kind.OPERATION_SPEC] == (
        "sha256:3afad1b6dfc51eed16f7ad0bbdaf0cd0d0166699ad3a123d7727fb06417e702d"
    )
    assert digests[Kind.WORKLOAD_CASE] == (
        "sha256:b6b0f73190009c110fe27fcd61ffe75d36c2215e884a4b747c87eb92eda35ac4"
    )
    assert digests[Kind.IMPLEMENTATION_REVISION] == (
        "sha256:8d3c47e7f80026f2aea3b6e664877bc71e2f9fd7bac39cbb81c7a4f47f6af064"
    )
    assert digests[Kind.EXECUTION_ENVIRONMENT] == (
        "sha256:90c9e2764222f592477cfccf3373519add5a1b881563956ad058c4f99e41b6b9"
    )


def test_a_row_becomes_a_run_with_its_numbers_labels_and_instant() -> None:
    (run,) = of_kind(load({"y_value_20": "59.1", "y_value_80": "59.2"}), Kind.BENCHMARK_RUN)

    assert run["metadata"] == {
        "name": (
            "liger-distill-cosine-loss-forward-torch-nvidia-a100-sxm4-80gb-"
            "hidden4096-tokens4096-vocab128256-bf16"
        ),
        "title": "Chunked distillation cosine loss · torch · forward",
        "labels": {"liger_version": "0.5.10", "observed_at_zone": "assumed-utc"},
    }
    spec = run["spec"]
    assert spec["status"] == "passed"
    assert spec["observedAt"] == "2025-06-27T09:20:34.000Z"
    assert spec["timing"] == {"primaryStatistic": "median", "latencyNs": {"median": 59177982}}
    assert spec["measurements"] == [
        {"metric": "latency", "statistic": "p20", "unit": "ns", "value": 59100000},
        {"metric": "latency", "statistic": "p80", "unit": "ns", "value": 59200000},
    ]
    assert spec["sourceNative"] == {
        "source": "liger-kernel-bench",
        "benchmark": "distill_cosine_loss/forward",
        "externalId": (
            "distill_cosine_loss/forward/torch/nvidia-a100-sxm4-80gb/"
            "hidden4096-tokens4096-vocab128256-bf16/2025-06-27-09-20-34"
        ),
        "metrics": {"ms_20": 59.1, "ms_50": 59.177982330322266, "ms_80": 59.2},
    }


def test_milliseconds_round_half_to_even_nanoseconds() -> None:
    batch = load({"y_value_20": "0.0000025", "y_value_50": "0.0000035", "y_value_80": "1e-05"})

    (run,) = of_kind(batch, Kind.BENCHMARK_RUN)
    assert run["spec"]["timing"]["latencyNs"]["median"] == 4
    assert [entry["value"] for entry in run["spec"]["measurements"]] == [2, 10]


def test_every_manifest_comes_after_those_it_cites() -> None:
    batch = import_liger([(NAME, FIXTURE.read_bytes())])

    known: set[str] = set()
    for entry in batch.manifests:
        cited = {
            value
            for value in json.dumps(json.loads(entry.content)["spec"]).split('"')
            if value.startswith("sha256:")
        }
        assert cited <= known, entry.name
        known.add(entry.digest)


def test_a_liger_row_carries_its_release_as_revision_and_install_recipe() -> None:
    (entry,) = of_kind(load({"kernel_provider": "liger"}), Kind.IMPLEMENTATION_REVISION)

    assert entry["metadata"]["title"] == "Liger"
    assert "torch.compile" in entry["metadata"]["description"]
    assert "labels" not in entry["metadata"]
    assert entry["spec"]["projectRevision"] == {
        "repository": "https://github.com/linkedin/Liger-Kernel",
        "version": "0.5.10",
    }
    assert entry["spec"]["callable"] == {"language": "triton"}
    assert entry["spec"]["licensing"] == {"declared": "BSD-2-Clause", "concluded": "BSD-2-Clause"}
    assert entry["spec"]["buildVariants"] == [
        {
            "name": "pip",
            "install": {
                "kind": "pip",
                "package": "liger-kernel",
                "version": "0.5.10",
                "command": 'pip install "liger-kernel==0.5.10"',
            },
        }
    ]


def test_a_baseline_is_labelled_and_has_no_install_recipe() -> None:
    (entry,) = of_kind(load({}), Kind.IMPLEMENTATION_REVISION)

    assert entry["metadata"]["title"] == "PyTorch eager"
    assert entry["metadata"]["labels"] == {"role": "baseline"}
    assert "buildVariants" not in entry["spec"]


@pytest.mark.parametrize("version", ["0.5.10.dev20250601", "0.5.10+cu124"])
def test_a_version_that_no_index_serves_gets_no_install_recipe(version: str) -> None:
    batch = load({"kernel_provider": "liger", "liger_version": version})

    (entry,) = of_kind(batch, Kind.IMPLEMENTATION_REVISION)
    assert entry["spec"]["projectRevision"]["version"] == version
    assert "buildVariants" not in entry["spec"]


def test_a_version_older_than_its_operation_gets_no_install_recipe() -> None:
    entries = of_kind(import_liger([(NAME, FIXTURE.read_bytes())]), Kind.IMPLEMENTATION_REVISION)

    (entry,) = [
        entry for entry in entries if entry["metadata"]["name"].endswith("attention-liger-0-1-1")
    ]
    assert "buildVariants" not in entry["spec"]
    assert "no install recipe" in entry["metadata"]["description"]


def test_every_implementation_is_listed_with_its_project() -> None:
    batch = import_liger([(NAME, FIXTURE.read_bytes())])

    listed = {
        entry["subject"]: entry["project"]
        for listing in of_kind(batch, Kind.LISTING)
        for entry in listing["spec"]["entries"]
    }
    digests = {
        kind: {entry.digest for entry in batch.manifests if entry.kind == kind} for kind in Kind
    }
    assert listed.keys() == digests[Kind.IMPLEMENTATION_REVISION]
    assert set(listed.values()) == digests[Kind.SOFTWARE_PROJECT]


def test_forward_backward_and_full_are_three_protocols() -> None:
    batch = load(*({"kernel_operation_mode": mode} for mode in ("forward", "backward", "full")))

    protocols = of_kind(batch, Kind.BENCHMARK_PROTOCOL)
    assert [entry["spec"]["measurement"]["timedPass"] for entry in protocols] == [
        "forward",
        "backward",
        "full",
    ]
    assert all(entry["spec"]["measurement"]["cacheFlush"] for entry in protocols)


def test_a_backward_row_that_reruns_forward_has_a_protocol_of_its_own() -> None:
    change = {
        "kernel_name": "megatron_rms_norm",
        "x_name": "H",
        "extra_benchmark_config_str": '{"S": 4096, "B": 1}',
    }
    batch = load(
        change | {"kernel_operation_mode": "backward"}, change | {"kernel_operation_mode": "full"}
    )

    backward, full = of_kind(batch, Kind.BENCHMARK_PROTOCOL)
    assert backward["spec"]["measurement"]["timedPass"] == "full"
    assert "forward is rerun" in backward["spec"]["comparability"]["notes"]
    assert backward["spec"] != full["spec"]


def test_every_pass_that_the_table_overrides_times_forward_and_backward() -> None:
    overrides = {
        text
        for kernel in load_table().kernels
        for mode, text in kernel.mode_overrides.items()
        if mode == "backward"
    }

    assert overrides
    assert all(text.startswith("forward plus backward") for text in overrides)


def test_a_kernel_with_its_own_timing_states_no_cache_flush() -> None:
    batch = load(
        {
            "kernel_name": "megatron_cross_entropy",
            "kernel_provider": "megatron-fused",
            "x_name": "V",
            "extra_benchmark_config_str": '{"S": 2048, "B": 4, "TP": 1}',
        }
    )

    (protocol,) = of_kind(batch, Kind.BENCHMARK_PROTOCOL)
    assert "cacheFlush" not in protocol["spec"]["measurement"]
    assert "Not triton do_bench" in protocol["spec"]["comparability"]["notes"]


def test_an_unknown_gpu_is_kept_as_written_and_noted() -> None:
    batch = load({"gpu_name": "NVIDIA A100-SXM4-40GB"})

    (environment,) = of_kind(batch, Kind.EXECUTION_ENVIRONMENT)
    assert environment["spec"]["hardware"] == {
        "vendor": "nvidia",
        "product": "NVIDIA A100-SXM4-40GB",
        "architecture": "unknown",
    }
    assert any("A100-SXM4-40GB" in note for note in batch.notes)


def test_a_gpu_of_an_unknown_vendor_has_no_guessed_one() -> None:
    (environment,) = of_kind(load({"gpu_name": "Tesla T4"}), Kind.EXECUTION_ENVIRONMENT)

    assert environment["spec"]["hardware"]["vendor"] == "unknown"


# --- one row, one run --------------------------------------------------------------------------


def test_two_sweeps_that_meet_at_one_point_stay_two_runs() -> None:
    runs = of_kind(import_liger([(NAME, FIXTURE.read_bytes())]), Kind.BENCHMARK_RUN)

    rope = [run for run in runs if run["spec"]["sourceNative"]["benchmark"] == "rope/forward"]
    assert len(rope) == 4
    assert len({run["spec"]["workloadDigest"] for run in rope}) == 1


def test_sweeps_that_meet_within_one_second_are_told_apart_whatever_their_order() -> None:
    other = ROPE | {
        "x_name": "T",
        "x_value": "2048",
        "extra_benchmark_config_str": json.dumps(
            {"dtype": "torch.bfloat16", "hidden_size": 8192, "num_q_heads": 32, "num_kv_heads": 8}
        ),
    }

    batch, reverse = load(ROPE, other), load(other, ROPE)

    assert batch.run_count == 2
    assert len(set(run_ids(batch))) == 2
    assert sorted(run_ids(batch)) == sorted(run_ids(reverse))
    assert run_ids(load(ROPE))[0] in run_ids(batch)


def test_a_repeated_row_is_counted_once() -> None:
    batch = load({}, {}, {"x_label": "another label"})

    assert batch.run_count == 1
    assert skipped(batch) == {"DUPLICATE_ROW": 2}


def test_key_order_of_the_config_makes_no_other_row() -> None:
    config = dict(reversed(json.loads(ROW["extra_benchmark_config_str"]).items()))

    batch = load({}, {"extra_benchmark_config_str": json.dumps(config)})

    assert skipped(batch) == {"DUPLICATE_ROW": 1}


def test_a_rerun_of_a_case_is_a_new_run_and_the_old_one_stays() -> None:
    batch = load({}, {"timestamp": "2025-06-28 09:20:34"})

    assert batch.run_count == 2
    assert skipped(batch) == {}


def test_two_results_for_one_case_and_second_are_refused() -> None:
    batch = load({}, {"y_value_80": "60.0"})

    (refused,) = batch.refused
    assert refused.where == f"{NAME}:3"
    assert f"{NAME}:2" in refused.found


def test_rows_of_several_providers_share_one_workload() -> None:
    batch = load({}, {"kernel_provider": "liger"}, {"kernel_operation_mode": "full"})

    assert len(of_kind(batch, Kind.WORKLOAD_CASE)) == 1


def test_the_same_file_gives_the_same_manifests_in_the_same_order() -> None:
    content = FIXTURE.read_bytes()

    first, second = import_liger([("a", content)]), import_liger([("b", content)])

    assert [entry.content for entry in first.manifests] == [
        entry.content for entry in second.manifests
    ]


def test_no_files_give_an_empty_batch() -> None:
    batch = import_liger([])

    assert (batch.manifests, batch.rows_read, batch.run_count) == ((), 0, 0)


def test_progress_is_told_from_the_first_row_to_the_last() -> None:
    told: list[tuple[int, int | None]] = []

    import_liger(
        [(NAME, write(*({"x_value": str(n)} for n in range(1, 451))))],
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(0, 450), (200, 450), (400, 450), (450, 450)]


# --- what is left out ----------------------------------------------------------------------------

NAN = {"y_value_50": "nan", "y_value_20": "nan", "y_value_80": "NaN"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"metric_name": "memory", "metric_unit": "MB"}, "MEMORY_METRIC"),
        (NAN, "NOT_MEASURED"),
        ({"kernel_operation_mode": ""}, "PASS_NOT_STATED"),
        ({"kernel_name": "new_kernel"}, "UNKNOWN_KERNEL"),
        ({"kernel_provider": "new_provider"}, "UNKNOWN_PROVIDER"),
        ({"x_name": "V"}, "UNBOUND_CASE"),
        ({"extra_benchmark_config_str": "{}"}, "UNBOUND_CASE"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_row_that_is_no_run_is_left_out_with_its_reason(
    change: dict[str, str], reason: str
) -> None:
    batch = load(change, {})

    assert (batch.rows_read, batch.run_count) == (2, 1)
    assert skipped(batch) == {reason: 1}
    assert batch.refused == ()


def change_config(**changes: object) -> dict[str, str]:
    config = json.loads(ROW["extra_benchmark_config_str"]) | changes
    return {"extra_benchmark_config_str": json.dumps(config)}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"kernel_name": "new_kernel"}, '"new_kernel"'),
        ({"kernel_provider": "new_provider"}, '"new_provider" of distill_cosine_loss'),
        (change_config(extra=1), "extra=1"),
        (change_config(bias=True), "bias=true"),
        (change_config(bias=0), "bias=0"),
        (change_config(H=None), "H=null"),
        (change_config(dtype="torch.float8_e4m3fn"), "torch.float8_e4m3fn"),
    ],
)
def test_a_row_that_the_table_does_not_know_is_named_with_what_is_unknown(
    change: dict[str, str], named: str
) -> None:
    batch = load({}, change, change)

    (note,) = batch.notes[1:]
    assert f"{NAME}:3 and 1 more" in note
    assert named in note


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("metric_name", "throughput"),
        ("metric_unit", "us"),
        ("metric_unit", ""),
        ("kernel_operation_mode", "inference"),
        ("x_value", "4096.0"),
        ("x_value", "0"),
        ("x_value", "-1"),
        ("x_value", "many"),
        ("x_value", "9007199254740992"),
        ("y_value_50", "fast"),
        ("y_value_50", ""),
        ("y_value_50", "nan"),
        ("y_value_50", "inf"),
        ("y_value_50", "0"),
        ("y_value_50", "0.0"),
        ("y_value_50", "1e-7"),
        ("y_value_50", "-59.1"),
        ("y_value_50", "1_0"),
        ("y_value_50", "1e300"),
        ("y_value_20", "nan"),
        ("y_value_80", "-1"),
        ("y_value_50", "60.0"),
        ("extra_benchmark_config_str", "{"),
        ("extra_benchmark_config_str", "[]"),
        ("extra_benchmark_config_str", '{"H": 1, "H": 2}'),
        ("extra_benchmark_config_str", '{"H": NaN}'),
        ("gpu_name", " "),
        ("timestamp", "2025-06-27T09:20:34"),
        ("timestamp", "2025-02-30 09:20:34"),
        ("timestamp", ""),
        ("liger_version", ""),
        ("liger_version", '0.5.10"; true'),
    ],
)
def test_a_cell_that_is_not_understood_is_refused_with_its_place(column: str, text: str) -> None:
    batch = load({}, {column: text})

    (refused,) = batch.refused
    assert refused.where == f"{NAME}:3 column {column}"
    assert refused.found
    assert refused.expected
    assert batch.run_count == 1


@pytest.mark.parametrize(
    ("change", "column"),
    [
        (change_config(H="4096"), "extra_benchmark_config_str"),
        (change_config(H=0), "extra_benchmark_config_str"),
        (change_config(V=True), "extra_benchmark_config_str"),
        (change_config(weight_hard_loss="half"), "extra_benchmark_config_str"),
        (change_config(H=4095), "x_value"),
        (
            ROPE
            | {
                "x_name": "T",
                "extra_benchmark_config_str": json.dumps(
                    {
                        "dtype": "torch.bfloat16",
                        "hidden_size": 100,
                        "num_q_heads": 32,
                        "num_kv_heads": 8,
                    }
                ),
            },
            "x_value",
        ),
        (
            {
                "kernel_name": "kl_div",
                "x_name": "V",
                "extra_benchmark_config_str": '{"B": 9007199254740991, "T": 2}',
            },
            "extra_benchmark_config_str",
        ),
    ],
    ids=["text", "zero", "boolean", "scalar-text", "remainder", "heads-remainder", "too-large"],
)
def test_parameters_that_make_no_shape_are_refused(change: dict[str, str], column: str) -> None:
    batch = load(change)

    (refused,) = batch.refused
    assert refused.where == f"{NAME}:2 column {column}"
    assert batch.run_count == 0


def test_all_refusals_of_all_files_are_reported_together() -> None:
    first = write({"x_value": "0", "timestamp": "?"}, {}, {"metric_unit": "s"})
    second = b"kernel_name\r\n"

    batch = import_liger([("a.csv", first), ("b.csv", second)])

    where = [entry.where for entry in batch.refused]
    assert where[:2] == ["b.csv:1 column kernel_provider", "b.csv:1 column kernel_operation_mode"]
    assert len([place for place in where if place.startswith("b.csv")]) == len(COLUMNS) - 1
    assert where[-3:] == [
        "a.csv:2 column x_value",
        "a.csv:2 column timestamp",
        "a.csv:4 column metric_unit",
    ]


def test_a_gpu_name_that_no_manifest_can_hold_refuses_its_row() -> None:
    batch = load({"gpu_name": "x" * 300})

    assert batch.run_count == 0
    assert batch.manifests == ()
    assert batch.refused
    assert all(entry.where.startswith(f"{NAME}:2 ") for entry in batch.refused)


@given(st.integers(min_value=0))
def test_a_truncated_file_never_gives_a_run_that_the_whole_one_lacks(cut: int) -> None:
    content = write({}, {"timestamp": "2025-06-28 00:00:00"}, {"x_value": "8192"})
    cut %= len(content)

    part = import_liger([(NAME, content[:cut])])

    whole = {entry.object_id for entry in import_liger([(NAME, content)]).manifests}
    runs = {entry.object_id for entry in part.manifests if entry.kind == Kind.BENCHMARK_RUN}
    assert part.refused or content[:cut].endswith(b"\n")
    assert part.refused or runs <= whole


# --- the table --------------------------------------------------------------------------------


def test_every_kernel_of_the_table_is_an_operation_of_its_own() -> None:
    table = load_table()

    digests = Counter(
        identify(make_manifest(operation_document(kernel, table), where=kernel.slug)).digest
        for kernel in table.kernels
    )
    assert len(digests) == 35


def test_shapes_and_derived_axes_of_the_table_name_known_axes() -> None:
    for kernel in load_table().kernels:
        for binding in kernel.bind:
            given_axes = binding.axes.keys()
            assert all(entry.names <= given_axes for entry in kernel.derived.values())
            axes = given_axes | kernel.derived.keys()
            for operand in (*kernel.inputs, *kernel.outputs):
                assert {size for size in operand.shape if isinstance(size, str)} <= axes
            asked = {
                name.removeprefix("config.")
                for entry in binding.axes.values()
                for name in entry.names - {"x"}
            } | {
                source.removeprefix("config.")
                for source in binding.scalars.values()
                if isinstance(source, str)
            }
            assert asked <= binding.requires.keys(), kernel.csv_name
            assert all(entry.provider in load_table().providers for entry in kernel.providers)


# --- the whole published file --------------------------------------------------------------------


@needs_published
def test_every_speed_row_of_the_published_file_becomes_a_run_of_its_own() -> None:
    batch = import_liger([(NAME, PUBLISHED.read_bytes())])

    assert batch.refused == ()
    assert (batch.rows_read, batch.run_count) == (2448, 1649)
    assert skipped(batch) == {"MEMORY_METRIC": 799}
    assert batch.notes == ("timestamps carry no time zone and are taken as UTC",)
    assert len(set(run_ids(batch))) == 1649
    assert len({entry.digest for entry in batch.manifests}) == len(batch.manifests)
    counts = Counter(entry.kind for entry in batch.manifests)
    assert counts[Kind.OPERATION_SPEC] == counts[Kind.LISTING] == 35
    assert counts[Kind.SOFTWARE_PROJECT] == 5
    assert counts[Kind.EXECUTION_ENVIRONMENT] == 6
    assert counts[Kind.BENCHMARK_PROTOCOL] == 7


@needs_published
def test_the_reference_run_differs_by_its_protocol_alone() -> None:
    (reference, *others) = json.loads(VECTORS.read_bytes())["manifests"]
    wanted = reference["manifest"]["spec"]

    batch = import_liger([(NAME, PUBLISHED.read_bytes())])

    (spec,) = [
        run["spec"]
        for run in of_kind(batch, Kind.BENCHMARK_RUN)
        if run["spec"]["sourceNative"]["externalId"] == wanted["sourceNative"]["externalId"]
    ]
    assert {key for key in wanted if wanted[key] != spec[key]} == {"protocolDigest"}
    digests = {entry.digest for entry in batch.manifests}
    agreed = {entry["manifest"]["kind"] for entry in others if entry["specDigest"] in digests}
    assert agreed == {
        "OperationSpec",
        "WorkloadCase",
        "ImplementationRevision",
        "ExecutionEnvironment",
    }


@needs_revisions
def test_two_revisions_give_the_same_manifests_in_either_order() -> None:
    contents = [(path.parent.name, path.read_bytes()) for path in REVISIONS]
    older, newer = (import_liger([entry]) for entry in contents)

    ids = [{entry.object_id for entry in batch.manifests} for batch in (older, newer)]
    runs = [
        {entry.object_id for entry in batch.manifests if entry.kind == Kind.BENCHMARK_RUN}
        for batch in (older, newer)
    ]
    together, reverse = import_liger(contents), import_liger(contents[::-1])
    assert len(runs[1] - runs[0]) == len(runs[0] - runs[1]) == 24
    assert together.run_count == len(runs[0] | runs[1]) == 344
    assert {entry.object_id for entry in together.manifests} == {
        entry.object_id for entry in reverse.manifests
    }
    is_run_of_both = {entry.object_id for entry in together.manifests if entry.kind != Kind.LISTING}
    assert is_run_of_both <= ids[0] | ids[1]
