"""The floor estimate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import make_hardware, make_operation, make_protocol, make_workload

from kgraph.facts import AxisFact, TensorFact
from kgraph.policy import BelowFloor, Headroom, estimate_headroom, why_below_floor
from kgraph.policy.arithmetic import find_peak
from kgraph.policy.families import dtype_bytes, find_family
from kgraph.policy.hardware import choose_hardware
from kgraph.policy.traffic import resolve_axes
from kgraph.vocab import Bound, HeadroomPolicy, TimedPass

if TYPE_CHECKING:
    from kgraph.facts import HardwareFact, OperationFact, ProtocolFact, WorkloadFact

V1, V2 = HeadroomPolicy.HEADROOM_V1, HeadroomPolicy.HEADROOM_V2


def variable(*names: str) -> tuple[AxisFact, ...]:
    return tuple(AxisFact(name, "variable", None, None) for name in names)


COSINE = make_operation(
    family="cosine-similarity-loss",
    slug="liger-distill-cosine-loss",
    inputs=(
        TensorFact("student_input", "float", ("tokens", "student_hidden")),
        TensorFact("student_weight", "float", ("vocab", "student_hidden")),
        TensorFact("teacher_input", "float", ("tokens", "hidden")),
        TensorFact("teacher_weight", "float", ("vocab", "hidden")),
        TensorFact("target", "int64", ("tokens",)),
    ),
    outputs=(TensorFact("loss", "float", (1,)),),
    axes=(
        *variable("vocab", "hidden", "tokens"),
        AxisFact("student_hidden", "derived", None, "hidden // 2"),
    ),
)


def cosine_workload(tokens: int = 1024) -> WorkloadFact:
    return make_workload(
        tensors=(
            TensorFact("student_input", "bf16", (tokens, 2048)),
            TensorFact("student_weight", "bf16", (128256, 2048)),
            TensorFact("teacher_input", "bf16", (tokens, 4096)),
            TensorFact("teacher_weight", "bf16", (128256, 4096)),
            TensorFact("target", "int64", (tokens,)),
        ),
        vocab=128256,
        hidden=4096,
        tokens=tokens,
    )


def estimate(
    policy: HeadroomPolicy = V1,
    operation: OperationFact | None = None,
    workload: WorkloadFact | None = None,
    protocol: ProtocolFact | None = None,
    hardware: HardwareFact | None = None,
    *,
    record: float | None = None,
    metric: str = "latency",
    statistic: str | None = "median",
    unit: str | None = "ns",
) -> Headroom:
    return estimate_headroom(
        policy,
        operation=operation or make_operation(),
        workload=workload or make_workload(rows=4096, hidden=8192),
        protocol=protocol or make_protocol(TimedPass.FORWARD),
        hardware=hardware or make_hardware(),
        record_value=record,
        metric=metric,
        statistic=statistic,
        unit=unit,
    )


def test_the_reference_page_is_reproduced() -> None:
    headroom = estimate(V1, COSINE, cosine_workload(), record=13_828_096)

    assert headroom.display == "779.1 µs"
    assert headroom.bound is Bound.MEMORY
    assert headroom.floor_ns == headroom.memory_floor_ns
    assert headroom.compute_floor_ns is None
    assert headroom.flops is None
    assert headroom.bytes == 1_588_600_834
    assert headroom.record_ratio == pytest.approx(17.75, abs=0.005)
    assert headroom.reason is None
    assert headroom.caveat is None
    assert headroom.hardware is not None
    assert headroom.hardware.source_url.startswith("https://www.nvidia.com/")
    assert headroom.assumptions == (
        "Every declared input and output tensor crosses device memory exactly once.",
        "Memory bandwidth of NVIDIA A100 SXM4-80GB: 2,039 GB/s, "
        "NVIDIA A100 Tensor Core GPU datasheet.",
        "No arithmetic term: no count is certain for this operation.",
        "Timed pass: forward.",
    )


def test_v2_counts_the_projections_of_a_fused_loss() -> None:
    forward = estimate(V2, COSINE, cosine_workload())
    full = estimate(V2, COSINE, cosine_workload(), make_protocol(TimedPass.FULL))

    assert forward.bound is Bound.COMPUTE
    assert forward.flops == 2 * 1024 * 128256 * (2048 + 4096)
    assert full.flops == 2 * 1024 * 128256 * (3 * 2048 + 4096)
    assert forward.floor_ns == pytest.approx(forward.flops / 312e12 * 1e9)
    assert any("dense bf16 peak" in line for line in forward.assumptions)


def test_a_backward_pass_of_a_loss_has_no_v2_floor() -> None:
    backward = make_protocol(TimedPass.BACKWARD)

    v1 = estimate(V1, COSINE, cosine_workload(), backward, record=1.0)
    v2 = estimate(V2, COSINE, cosine_workload(), backward)

    assert v1.floor_ns == pytest.approx(779.1e3, rel=1e-4)
    assert v1.strict_floor_ns == 0.0
    assert why_below_floor(v1) is BelowFloor.COUNTED_BEYOND_CERTAIN
    assert v2.floor_ns is None
    assert v2.reason is not None
    assert "gradients" in v2.reason


def test_a_scalar_result_without_family_model_has_no_v2_backward_floor() -> None:
    operation = make_operation(family="new-loss", outputs=(TensorFact("loss", "fp32", (1,)),))
    backward = make_protocol(TimedPass.BACKWARD)

    assert estimate(V2, operation, protocol=backward).floor_ns is None
    assert estimate(V2, operation).floor_ns is not None
    assert estimate(V2, protocol=backward).floor_ns is not None


def test_an_unnamed_pass_is_taken_as_forward_and_said_so() -> None:
    named = estimate(V2, COSINE, cosine_workload())
    unnamed = estimate(V2, COSINE, cosine_workload(), make_protocol(None))

    assert unnamed.floor_ns == named.floor_ns
    assert any("does not name the timed pass" in line for line in unnamed.assumptions)


# --- metric, hardware, suites ----------------------------------------------------------------


def test_a_record_in_seconds_is_compared_in_nanoseconds() -> None:
    in_ns = estimate(record=1_000_000, unit="ns")
    in_s = estimate(record=0.001, metric="score", unit="s")

    assert in_s.record_ratio == pytest.approx(in_ns.record_ratio)


@pytest.mark.parametrize(
    ("metric", "unit", "shown"),
    [("throughput", "GB/s", "throughput in GB/s"), ("none", None, "none")],
)
def test_what_is_no_time_has_no_floor(metric: str, unit: str | None, shown: str) -> None:
    headroom = estimate(metric=metric, unit=unit, record=3.0)

    assert headroom.floor_ns is None
    assert headroom.record_ratio is None
    assert headroom.reason is not None
    assert shown in headroom.reason


@pytest.mark.parametrize("record", [None, 0.0, -1.0, 5e-324, math.inf, math.nan])
def test_without_a_record_there_is_a_floor_and_no_ratio(record: float | None) -> None:
    headroom = estimate(record=record)

    assert headroom.floor_ns is not None
    assert headroom.record_ratio is None
    assert why_below_floor(headroom) is None


def test_unknown_hardware_has_no_floor() -> None:
    headroom = estimate(hardware=make_hardware("Intel Gaudi", "3"))

    assert headroom.floor_ns is None
    assert headroom.hardware is None
    assert headroom.reason == "No datasheet row is known for Intel Gaudi 3."
    assert why_below_floor(headroom) is None


def test_several_devices_have_no_floor() -> None:
    headroom = estimate(hardware=make_hardware(count=8))

    assert headroom.floor_ns is None
    assert headroom.reason is not None
    assert "8 devices" in headroom.reason
    assert estimate(hardware=make_hardware(count=1)).floor_ns is not None


def test_a_default_row_is_named_as_an_assumption() -> None:
    headroom = estimate(hardware=make_hardware("NVIDIA H100", None, "sm_90"))

    assert any("form factor is not stated" in line for line in headroom.assumptions)


def test_the_strict_floor_takes_the_fastest_row_of_a_product() -> None:
    unstated = estimate(hardware=make_hardware("NVIDIA H100", None))
    stated = estimate(hardware=make_hardware("NVIDIA H100", "SXM5-80GB"))

    assert unstated.floor_ns == stated.floor_ns
    assert unstated.strict_floor_ns is not None
    assert stated.strict_floor_ns is not None
    # The NVL board is the faster one: 3.9 against 3.35 TB/s.
    assert unstated.strict_floor_ns == pytest.approx(stated.strict_floor_ns * 3.35 / 3.9)


def test_an_unconfirmed_figure_is_called_so() -> None:
    quoted = estimate(hardware=make_hardware("NVIDIA B200", None))
    bare = estimate(hardware=make_hardware("NVIDIA B300", None))
    confirmed = estimate(hardware=make_hardware())

    assert any("quoted alike by two publications" in line for line in quoted.assumptions)
    assert any("(unconfirmed: not read in the sheet)" in line for line in bare.assumptions)
    assert not any("unconfirmed" in line for line in confirmed.assumptions)


SUITE_CASES = ({"rows": 4096, "hidden": 8192}, {"rows": 16384, "hidden": 8192})


def test_a_suite_with_a_geometric_mean_has_the_mean_of_its_floors() -> None:
    suite = make_workload(cases=SUITE_CASES, statistic="geomean")

    headroom = estimate(workload=suite, statistic="geomean", metric="score", unit="s")
    floors = [estimate(workload=make_workload(given=case)).floor_ns for case in SUITE_CASES]

    assert headroom.floor_ns == pytest.approx(math.sqrt(math.prod(one or 0 for one in floors)))
    assert headroom.memory_floor_ns == headroom.floor_ns
    assert headroom.bytes == sum(2 * 2 * case["rows"] * case["hidden"] for case in SUITE_CASES)
    assert headroom.assumptions[-1] == "Geometric mean of the floors of 2 cases."


@pytest.mark.parametrize("statistic", ["mean", "unspecified", None])
def test_a_suite_with_another_statistic_has_none(statistic: str | None) -> None:
    suite = make_workload(cases=SUITE_CASES, statistic="mean")

    headroom = estimate(workload=suite, statistic=statistic)

    assert headroom.floor_ns is None
    assert headroom.reason is not None
    assert "geometric mean" in headroom.reason


def test_a_suite_falls_back_on_its_own_statistic() -> None:
    suite = make_workload(cases=SUITE_CASES, statistic="geomean")

    assert estimate(workload=suite, statistic=None).floor_ns is not None


def test_a_suite_without_cases_has_none() -> None:
    suite = make_workload(cases=(), statistic="geomean")

    assert estimate(workload=suite, statistic="geomean").reason == (
        "The suite does not list its cases."
    )


# --- bytes -----------------------------------------------------------------------------------


def test_a_scalar_argument_moves_no_bytes() -> None:
    scalar = TensorFact("eps", "fp32", None)
    plain = make_operation()

    with_scalar = replace(plain, inputs=(scalar, *plain.inputs))

    assert estimate(operation=with_scalar).bytes == estimate(operation=plain).bytes


def test_concrete_tensors_win_over_the_declaration() -> None:
    workload = make_workload(
        tensors=(TensorFact("x", "fp32", (10, 10)), TensorFact("y", "fp32", None)), rows=4, hidden=2
    )

    assert estimate(workload=workload).bytes == 10 * 10 * 4 + 4 * 2 * 4


@pytest.mark.parametrize(
    ("operation", "workload", "reason"),
    [
        pytest.param(
            make_operation(inputs=(TensorFact("x", "posit16", ("rows",)),)),
            make_workload(rows=1, hidden=1),
            "element size of x (posit16)",
            id="unknown-dtype",
        ),
        pytest.param(
            make_operation(inputs=(TensorFact("x", "float", ("rows",)),)),
            make_workload(rows=1, hidden=1),
            "element size of x (float)",
            id="generic-dtype-nowhere-chosen",
        ),
        pytest.param(
            make_operation(), make_workload(rows=1), "axis hidden of x", id="unknown-length"
        ),
        pytest.param(
            make_operation(), make_workload(rows=0, hidden=8), "no byte is certain", id="no-bytes"
        ),
    ],
)
def test_what_cannot_be_counted_has_no_floor(
    operation: OperationFact, workload: WorkloadFact, reason: str
) -> None:
    headroom = estimate(operation=operation, workload=workload)

    assert headroom.floor_ns is None
    assert headroom.reason is not None
    assert reason in headroom.reason


def test_a_generic_dtype_is_ambiguous_where_the_tensors_differ() -> None:
    operation = make_operation(
        inputs=(TensorFact("x", "float", ("rows",)), TensorFact("w", "float", ("rows",))),
        outputs=(TensorFact("y", "float", ("rows",)),),
    )
    agreed = (TensorFact("x", "bf16", (4,)), TensorFact("w", "bf16", (4,)))
    mixed = (TensorFact("x", "bf16", (4,)), TensorFact("w", "fp32", (4,)))

    assert estimate(operation=operation, workload=make_workload(agreed, rows=4)).bytes == 24
    assert estimate(operation=operation, workload=make_workload(mixed, rows=4)).floor_ns is None


def test_packed_values_take_half_a_byte() -> None:
    operation = make_operation(
        inputs=(TensorFact("x", "nvfp4", ("rows",)),), outputs=(TensorFact("y", "int8", ("rows",)),)
    )

    assert estimate(operation=operation, workload=make_workload(rows=3)).bytes == 4


PAGED = make_operation(
    family="gqa-paged",
    slug="gqa-paged-decode",
    inputs=(
        TensorFact("q", "bf16", ("batch_size", "num_qo_heads", "head_dim")),
        TensorFact("k_cache", "bf16", ("num_pages", "page_size", "num_kv_heads", "head_dim")),
        TensorFact("v_cache", "bf16", ("num_pages", "page_size", "num_kv_heads", "head_dim")),
        TensorFact("kv_indptr", "int32", ("len_indptr",)),
        TensorFact("kv_indices", "int32", ("num_kv_indices",)),
    ),
    outputs=(TensorFact("output", "bf16", ("batch_size", "num_qo_heads", "head_dim")),),
    axes=(
        *variable("batch_size", "num_pages", "len_indptr", "num_kv_indices"),
        AxisFact("page_size", "constant", 1, None),
        AxisFact("num_qo_heads", "constant", 32, None),
        AxisFact("num_kv_heads", "constant", 8, None),
        AxisFact("head_dim", "constant", 128, None),
    ),
)
PAGED_CASE = make_workload(batch_size=1, num_pages=9316, len_indptr=2, num_kv_indices=73)


def test_v2_counts_the_used_pages_of_a_cache() -> None:
    small = 2 * 32 * 128 * 2 + 2 * 4 + 73 * 4

    v1 = estimate(V1, PAGED, PAGED_CASE)
    v2 = estimate(V2, PAGED, PAGED_CASE)

    assert v1.bytes == small + 2 * 9316 * 8 * 128 * 2
    assert v2.bytes == small + 2 * 73 * 8 * 128 * 2
    assert v2.flops == 4 * 32 * 128 * 73
    assert v2.assumptions[0].endswith("count only what must move:")
    assert any(line.startswith("k_cache: Only the listed pages") for line in v2.assumptions)


def test_a_record_below_what_v1_counts_is_explained() -> None:
    pool = make_workload(batch_size=1, num_pages=93160, len_indptr=2, num_kv_indices=73)

    headroom = estimate(V1, PAGED, pool, record=10_000)

    assert headroom.record_ratio is not None
    assert headroom.record_ratio < 1
    assert why_below_floor(headroom) is BelowFloor.COUNTED_BEYOND_CERTAIN


def test_a_model_whose_axes_are_missing_leaves_v2_without_bytes() -> None:
    operation = replace(
        PAGED,
        inputs=tuple(one for one in PAGED.inputs if one.name != "kv_indptr"),
        axes=tuple(axis for axis in PAGED.axes if axis.name != "len_indptr"),
    )
    workload = make_workload(batch_size=1, num_pages=64, num_kv_indices=8)

    v1 = estimate(V1, operation, workload)
    v2 = estimate(V2, operation, workload)

    assert v1.bytes is not None
    assert v2.floor_ns is None
    assert v2.reason is not None
    assert "how much of k_cache must move" in v2.reason


def test_a_condition_whose_axis_is_missing_does_not_hold() -> None:
    operation = make_operation(
        family="mla-ragged",
        inputs=(TensorFact("q", "bf16", ("total_q",)),),
        outputs=(TensorFact("o", "bf16", ("total_q",)),),
        axes=variable("total_q"),
    )

    headroom = estimate(V2, operation, make_workload(total_q=1024))

    assert headroom.flops is None
    assert headroom.bytes == 4096


EMBEDDING = make_operation(
    family="embedding",
    slug="liger-embedding",
    inputs=(
        TensorFact("input_ids", "int64", ("batch", "seq")),
        TensorFact("weight", "fp32", ("vocab", "hidden")),
    ),
    outputs=(TensorFact("y", "fp32", ("batch", "seq", "hidden")),),
    axes=variable("batch", "seq", "vocab", "hidden"),
)


@pytest.mark.parametrize(
    ("timed_pass", "rows"),
    [(TimedPass.FORWARD, 32), (TimedPass.FULL, 32 + 1000), (TimedPass.BACKWARD, 1000)],
)
def test_elements_may_depend_on_the_pass(timed_pass: TimedPass, rows: int) -> None:
    workload = make_workload(batch=4, seq=8, vocab=1000, hidden=64)

    headroom = estimate(V2, EMBEDDING, workload, make_protocol(timed_pass))

    assert headroom.bytes == 32 * 8 + rows * 64 * 4 + 32 * 64 * 4


def moe(
    weight: str = "gate_weight", leading: str = "num_experts", tokens: str = "tokens"
) -> OperationFact:
    return make_operation(
        family="moe",
        slug="moe-layer",
        inputs=(TensorFact(weight, "bf16", (leading, "hidden", "inner")),),
        outputs=(TensorFact("y", "bf16", (tokens, "hidden")),),
        axes=variable(leading, tokens, "top_k", "hidden", "inner"),
    )


def moe_bytes(operation: OperationFact, **axes: int) -> int:
    workload = make_workload(given={"hidden": 4, "inner": 8, **axes})
    counted = estimate(V2, operation, workload).bytes
    assert counted is not None
    rows = axes.get("tokens") or axes.get("seq_len") or axes["frames"]
    return counted - rows * 4 * 2


def test_only_experts_that_some_token_chose_are_read() -> None:
    one = 4 * 8 * 2

    assert moe_bytes(moe(), num_experts=64, tokens=3, top_k=2) == 6 * one
    assert moe_bytes(moe(), num_experts=64, tokens=300, top_k=2) == 64 * one
    by_sequence = moe(tokens="seq_len")
    assert moe_bytes(by_sequence, num_experts=64, seq_len=3, top_k=2) == 6 * one
    assert moe_bytes(by_sequence, num_experts=64, seq_len=3, top_k=2, batch_size=2) == 12 * one


def test_whole_expert_tensors_are_read_where_the_rule_says_nothing() -> None:
    whole = 64 * 4 * 8 * 2

    assert moe_bytes(moe(weight="mask"), num_experts=64, tokens=3, top_k=2) == whole
    assert moe_bytes(moe(leading="groups"), groups=64, tokens=3, top_k=2) == whole
    assert moe_bytes(moe(), num_experts=64, tokens=3) == whole
    assert moe_bytes(moe(tokens="frames"), num_experts=64, frames=3, top_k=2) == whole


def test_of_local_experts_none_is_certain() -> None:
    flushed = make_protocol(TimedPass.FORWARD, flushes_cache=True)
    routed = make_workload(num_experts=64, tokens=3, top_k=2, hidden=4, inner=8)
    local = make_workload(num_local_experts=64, tokens=3, top_k=2, hidden=4, inner=8)
    part = make_workload(num_experts=64, n_routed_experts=256, tokens=3, top_k=2, hidden=4, inner=8)

    assert (estimate(V2, moe(), routed, flushed).strict_floor_ns or 0) > 0
    assert estimate(V2, moe(leading="num_local_experts"), local, flushed).strict_floor_ns == 0
    assert estimate(V2, moe(), part, flushed).strict_floor_ns == 0


def test_an_unreviewed_family_counts_declared_bytes_and_says_so() -> None:
    headroom = estimate(V2, make_operation(family="brand-new"))

    assert headroom.bytes == 2 * 2 * 4096 * 8192
    assert "no reviewed bytes model" in headroom.assumptions[0]
    assert any("no reviewed floor model" in line for line in headroom.assumptions)


# --- arithmetic ------------------------------------------------------------------------------


def gemm(dtype: str = "fp16", slug: str = "gemm-n4096-k4096") -> OperationFact:
    return make_operation(
        family="gemm",
        slug=slug,
        inputs=(
            TensorFact("alpha", "fp32", None),
            TensorFact("a", dtype, ("m", "k")),
            TensorFact("b", dtype, ("n", "k")),
        ),
        outputs=(TensorFact("c", "bf16", ("m", "n")),),
        axes=variable("m", "n", "k"),
    )


GEMM_CASE = make_workload(m=8192, n=4096, k=4096)


def test_a_product_is_bound_by_arithmetic() -> None:
    headroom = estimate(V1, gemm(), GEMM_CASE)

    assert headroom.bound is Bound.COMPUTE
    assert headroom.flops == 2 * 8192 * 4096 * 4096
    assert headroom.compute_floor_ns == pytest.approx(2 * 8192 * 4096 * 4096 / 312e12 * 1e9)


def test_a_pass_without_expression_has_no_arithmetic() -> None:
    headroom = estimate(V1, gemm(), GEMM_CASE, make_protocol(TimedPass.BACKWARD))

    assert headroom.flops is None
    assert headroom.bound is Bound.MEMORY
    assert "No arithmetic term: no count is certain for a backward pass." in headroom.assumptions


def test_integer_operands_have_no_floating_peak() -> None:
    headroom = estimate(V1, gemm("int8"), GEMM_CASE)

    assert headroom.flops is None
    assert any("at which width" in line for line in headroom.assumptions)


def test_a_width_without_published_peak_has_no_arithmetic_term() -> None:
    headroom = estimate(V1, gemm("bf16"), GEMM_CASE, hardware=make_hardware("NVIDIA V100", None))

    assert headroom.flops is not None
    assert headroom.compute_floor_ns is None
    assert any("no bf16 peak is published" in line for line in headroom.assumptions)


def test_neither_term_names_both_reasons() -> None:
    operation = replace(gemm("bf16"), outputs=(TensorFact("c", "posit8", ("m", "n")),))

    headroom = estimate(V1, operation, GEMM_CASE, hardware=make_hardware("NVIDIA V100", None))

    assert headroom.reason == (
        "Memory: the element size of c (posit8) is not known. "
        "Arithmetic: no peak is published for the width of its operands."
    )


def test_arithmetic_alone_sets_a_floor_where_bytes_are_unknown() -> None:
    operation = replace(gemm(), outputs=(TensorFact("c", "posit8", ("m", "n")),))

    headroom = estimate(V1, operation, GEMM_CASE)

    assert headroom.floor_ns == headroom.compute_floor_ns
    assert headroom.memory_floor_ns is None
    assert headroom.bytes is None
    assert headroom.assumptions[0].startswith("No memory term: the element size of c")


def test_a_count_over_unknown_axes_is_not_made() -> None:
    concrete = (
        TensorFact("a", "fp16", (4, 4)),
        TensorFact("b", "fp16", (4, 4)),
        TensorFact("c", "bf16", (4, 4)),
    )

    headroom = estimate(V1, gemm(), make_workload(concrete))

    assert headroom.flops is None
    assert "No arithmetic term: the count cannot be made: axis m is not given." in (
        headroom.assumptions
    )


def test_a_suite_is_bound_by_what_binds_most_of_its_cases() -> None:
    large, small = {"m": 8192, "n": 4096, "k": 4096}, {"m": 1, "n": 4096, "k": 4096}

    def bound(*cases: dict[str, int]) -> Bound | None:
        suite = make_workload(cases=cases, statistic="geomean")
        return estimate(V1, gemm(), suite, statistic="geomean").bound

    assert bound(large, large, small) is Bound.COMPUTE
    assert bound(large, small, small) is Bound.MEMORY


@pytest.mark.parametrize(
    ("product", "width", "served_by"),
    [
        ("NVIDIA A100", "fp32", "tf32"),
        ("NVIDIA V100", "fp32", "fp32"),
        ("NVIDIA A100", "fp64", "fp64_tensor"),
        ("NVIDIA A100", "fp8", "fp16"),
        ("NVIDIA H100", "fp4", "fp8"),
        ("NVIDIA B200", "fp4", "fp4"),
        ("NVIDIA B200", "fp6", "fp6"),
        ("NVIDIA H100", "fp6", "fp8"),
        ("NVIDIA A100", "fp6", "fp16"),
        ("NVIDIA V100", "bf16", None),
    ],
)
def test_operands_run_at_the_fastest_peak_that_may_serve_them(
    product: str, width: str, served_by: str | None
) -> None:
    row, _ = choose_hardware(make_hardware(product, None))
    assert row is not None

    peak = find_peak(row, width)

    assert (peak and peak.dtype) == served_by


def test_sparse_and_mixed_products_take_their_rule() -> None:
    b200 = make_hardware("NVIDIA B200", None)

    mixed = estimate(V1, gemm("int8", "gemm-fp4-fp6-n2048"), GEMM_CASE, hardware=b200)
    dense = estimate(V1, gemm("bf16"), GEMM_CASE, hardware=b200)

    assert any("fp6 operands" in line for line in mixed.assumptions)
    assert (mixed.compute_floor_ns or 0) < (dense.compute_floor_ns or 0)


# --- caches ----------------------------------------------------------------------------------


SMALL = make_workload(rows=64, hidden=1024)


def test_data_that_fit_the_cache_carry_the_caveat() -> None:
    headroom = estimate(workload=SMALL, record=1.0)

    assert headroom.caveat is not None
    assert headroom.caveat.startswith("All data fit")
    assert why_below_floor(headroom) is BelowFloor.CACHE_RESIDENT_POSSIBLE


def test_a_stated_flush_lets_the_floor_stand() -> None:
    flushed = make_protocol(TimedPass.FORWARD, flushes_cache=True)

    headroom = estimate(workload=SMALL, protocol=flushed, record=1.0)

    assert headroom.caveat is None
    # The input must be read; the output may still sit in the cache.
    assert headroom.strict_floor_ns == pytest.approx((headroom.floor_ns or 0) / 2)
    assert why_below_floor(headroom) is BelowFloor.IMPOSSIBLE


def test_a_suite_says_how_many_of_its_cases_fit() -> None:
    cases = ({"rows": 64, "hidden": 1024}, {"rows": 65536, "hidden": 8192})
    suite = make_workload(cases=cases, statistic="geomean")

    headroom = estimate(workload=suite, statistic="geomean")

    assert headroom.caveat is not None
    assert headroom.caveat.startswith("The data of 1 of 2 cases fit")
    assert headroom.strict_floor_ns == 0.0


def test_up_to_one_cache_may_be_saved_above_the_threshold() -> None:
    workload = make_workload(rows=16384, hidden=8192)
    floor = estimate(workload=workload).floor_ns
    assert floor is not None
    saved = 41_943_040 / 2_039e9 * 1e9

    within = estimate(workload=workload, record=floor - 0.9 * saved)
    beyond = estimate(workload=workload, record=floor - 5 * saved)
    above = estimate(workload=workload, record=floor + 1)

    assert within.caveat is not None
    assert "one cache" in within.caveat
    assert why_below_floor(within) is BelowFloor.CACHE_RESIDENT_POSSIBLE
    assert beyond.caveat is None
    assert why_below_floor(beyond) is BelowFloor.IMPOSSIBLE
    assert above.caveat is None
    assert why_below_floor(above) is None


def test_datasheets_round() -> None:
    workload = make_workload(rows=65536, hidden=8192)
    floor = estimate(workload=workload).floor_ns or 0

    headroom = estimate(workload=workload, record=floor * 0.985)

    assert why_below_floor(headroom) is BelowFloor.DATASHEET_ROUNDING


# --- axes, data, properties ------------------------------------------------------------------


def test_derived_axes_build_on_each_other_in_any_order() -> None:
    operation = make_operation(
        axes=(
            AxisFact("quarter", "derived", None, "half // 2"),
            AxisFact("half", "derived", None, "hidden // 2"),
            AxisFact("hidden", "variable", None, None),
            AxisFact("heads", "constant", 8, None),
            AxisFact("exact", "derived", None, "hidden / 4"),
            AxisFact("lost", "derived", None, "nowhere + 1"),
        )
    )

    assert resolve_axes(operation, {"hidden": 64}) == {
        "hidden": 64,
        "heads": 8,
        "half": 32,
        "quarter": 16,
    }


def test_a_given_axis_is_not_derived_again() -> None:
    operation = make_operation(axes=(AxisFact("half", "derived", None, "hidden // 2"),))

    assert resolve_axes(operation, {"half": 7, "hidden": 64})["half"] == 7


def test_every_model_can_be_read() -> None:
    assert find_family("gemm") is not None
    assert find_family("no-such-family") is None
    assert dtype_bytes()["nvfp4"] * 2 == 1


lengths = st.integers(1, 5000)


@given(lengths, lengths, lengths, st.sampled_from(HeadroomPolicy))
def test_a_floor_never_falls_when_bytes_grow(
    rows: int, hidden: int, more: int, policy: HeadroomPolicy
) -> None:
    smaller = estimate(policy, workload=make_workload(rows=rows, hidden=hidden))
    larger = estimate(policy, workload=make_workload(rows=rows + more, hidden=hidden))

    assert (smaller.bytes or 0) < (larger.bytes or 0)
    assert (smaller.floor_ns or 0) < (larger.floor_ns or 0)
    assert (smaller.strict_floor_ns or 0) <= (larger.strict_floor_ns or 0)


@given(lengths, lengths, lengths, lengths)
def test_v2_never_counts_more_pages_than_v1(
    pages: int, indices: int, requests: int, batch: int
) -> None:
    workload = make_workload(
        batch_size=batch, num_pages=pages, len_indptr=requests + 1, num_kv_indices=indices
    )

    v1, v2 = estimate(V1, PAGED, workload), estimate(V2, PAGED, workload)

    assert (v2.bytes or 0) <= (v1.bytes or 0)
    assert v1.strict_floor_ns is not None
    assert v1.strict_floor_ns <= (v1.floor_ns or 0)


@given(lengths, lengths, st.booleans(), st.sampled_from(["SXM4-80GB", None]))
def test_the_strict_floor_is_never_above_the_floor(
    rows: int, hidden: int, is_flushed: bool, form_factor: str | None
) -> None:
    headroom = estimate(
        V2,
        workload=make_workload(rows=rows, hidden=hidden),
        protocol=make_protocol(TimedPass.FORWARD, flushes_cache=is_flushed),
        hardware=make_hardware("NVIDIA A100", form_factor),
    )

    assert headroom.floor_ns is not None
    assert headroom.strict_floor_ns is not None
    assert headroom.strict_floor_ns <= headroom.floor_ns
