"""How closely measured cases answer a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_facts import (
    make_environment,
    make_hardware,
    make_implementation,
    make_operation,
    make_workload,
)

from kgraph.facts import AxisFact, TensorFact
from kgraph.policy import (
    BracketEnd,
    Difference,
    MatchCandidate,
    MatchRequest,
    MatchVerdict,
    TensorRequest,
    judge_match,
)
from kgraph.vocab import CohortKey, Match

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from kgraph.facts import HardwareFact, ImplementationFact

OPERATION = make_operation(
    inputs=(
        TensorFact("x", "float", ("tokens", "hidden"), "row_major"),
        TensorFact("w", "float", ("half", 2)),
    ),
    outputs=(TensorFact("y", "float", ("tokens", "hidden")),),
    axes=(
        AxisFact("tokens", "variable", None, None),
        AxisFact("hidden", "variable", None, None),
        AxisFact("half", "derived", None, "hidden // 2"),
        AxisFact("heads", "constant", 8, None),
    ),
)
A100 = make_hardware()
TORCH = (("torch", "2.7.1+cu128"), ("triton", "3.3"))


def candidate(
    key: str,
    tokens: int,
    hidden: int = 4096,
    dtype: str = "bf16",
    hardware: HardwareFact = A100,
) -> MatchCandidate:
    tensors = (
        TensorFact("x", dtype, (tokens, hidden), "row_major"),
        TensorFact("w", dtype, (hidden // 2, 2)),
    )
    workload = make_workload(tensors, tokens=tokens, hidden=hidden)
    return MatchCandidate(CohortKey(key), workload, make_environment(hardware, TORCH))


SWEEP = [candidate(f"t{tokens}", tokens) for tokens in (1024, 2048, 4096, 8192)]


def judge(
    request: MatchRequest,
    candidates: Sequence[MatchCandidate] = SWEEP,
    *implementations: ImplementationFact,
) -> MatchVerdict:
    return judge_match(
        request, operation=OPERATION, candidates=candidates, implementations=implementations
    )


def ask(**axes: int) -> MatchRequest:
    return MatchRequest(axes=tuple(axes.items()), dtypes=("bf16",), hardware="NVIDIA A100")


# --- levels ----------------------------------------------------------------------------------


def test_a_case_that_satisfies_every_field_is_exact() -> None:
    verdict = judge(ask(tokens=4096, hidden=4096))

    assert verdict.match is Match.EXACT
    assert verdict.exact == ("t4096",)
    assert verdict.bracket is None
    assert verdict.unresolved == ()
    assert len(verdict.near) == 3


def test_a_request_that_states_nothing_is_answered_by_every_case() -> None:
    verdict = judge(MatchRequest())

    assert verdict.match is Match.EXACT
    assert verdict.exact == ("t1024", "t2048", "t4096", "t8192")


def test_the_same_problem_on_the_same_architecture_is_compatible() -> None:
    pcie = make_hardware("NVIDIA A100", "PCIe-80GB")

    verdict = judge(
        MatchRequest(axes=(("tokens", 1024),), hardware="A100 SXM4"),
        [candidate("pcie", 1024, hardware=pcie)],
    )

    assert verdict.match is Match.COMPATIBLE
    assert verdict.exact == ()
    assert verdict.near[0].is_compatible
    assert verdict.near[0].differences == (
        Difference("hardware", "A100 SXM4", "NVIDIA A100 PCIe-80GB"),
    )


def test_other_software_or_layout_is_compatible_and_listed() -> None:
    request = MatchRequest(
        axes=(("tokens", 1024),),
        tensors=(TensorRequest("x", layout="col_major"), TensorRequest("y", layout="row_major")),
        software=(("Torch", "2.8"), ("cuda", ""), ("triton", "3.3"), ("torch", "2.7.1")),
    )

    verdict = judge(request)

    assert verdict.match is Match.COMPATIBLE
    assert verdict.near[0].cohort == "t1024"
    assert verdict.near[0].differences == (
        Difference("tensors.x.layout", "col_major", "row_major"),
        Difference("tensors.y.layout", "row_major", None),
        Difference("software.Torch", "2.8", "2.7.1+cu128"),
        Difference("software.cuda", "any version", None),
    )


def test_another_architecture_is_never_promoted() -> None:
    request = MatchRequest(axes=(("tokens", 1024),), hardware="NVIDIA H100")

    verdict = judge(request)

    assert verdict.match is Match.NONE
    assert verdict.near[0].cohort == "t1024"
    assert not verdict.near[0].is_compatible
    assert verdict.near[0].differences[-1] == Difference(
        "hardware", "NVIDIA H100", "NVIDIA A100 SXM4-80GB"
    )
    assert verdict.bracket is None


def test_declared_support_makes_it_supported_but_unmeasured() -> None:
    supporting = make_implementation(architectures=("sm_80", "sm_90a"), dtypes=("bf16", "fp16"))
    h100 = MatchRequest(axes=(("tokens", 1024),), dtypes=("bf16",), hardware="NVIDIA H100")

    assert judge(h100, SWEEP, supporting).match is Match.SUPPORTED_UNMEASURED
    assert judge(h100, SWEEP, make_implementation(dtypes=("bf16",))).match is Match.NONE
    assert judge(h100, SWEEP, make_implementation(architectures=("sm_90",))).match is Match.NONE


def test_declared_dtypes_answer_a_request_without_hardware() -> None:
    request = MatchRequest(dtypes=("fp16",))

    assert (
        judge(request, SWEEP, make_implementation(dtypes=("fp16",))).match
        is Match.SUPPORTED_UNMEASURED
    )
    assert judge(request, SWEEP, make_implementation()).match is Match.NONE


def test_a_size_between_measured_ones_is_unmeasured() -> None:
    assert judge(ask(tokens=3000, hidden=4096)).match is Match.SUPPORTED_UNMEASURED


def test_sizes_alone_are_no_declared_support() -> None:
    request = MatchRequest(axes=(("tokens", 1),))

    assert judge(request, [], make_implementation()).match is Match.NONE


def test_a_suite_answers_no_axis() -> None:
    suite = MatchCandidate(
        CohortKey("suite"),
        make_workload(cases=({"tokens": 1024},), statistic="geomean"),
        make_environment(A100),
    )

    verdict = judge(MatchRequest(axes=(("tokens", 1024),)), [suite])

    assert verdict.match is Match.NONE
    assert verdict.near[0].differences == (Difference("axes.tokens", "1024", None),)
    assert verdict.bracket is None
    assert judge(MatchRequest(hardware="A100"), [suite]).match is Match.EXACT


# --- dtypes and tensors ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "observed", "is_exact"),
    [
        ("bf16", "bf16", True),
        ("bfloat16", "bf16", True),
        ("torch.bfloat16", "bf16", True),
        ("fp8", "fp8_e4m3", True),
        ("fp8_e4m3", "fp8_e5m2", False),
        ("fp16", "bf16", False),
    ],
)
def test_a_dtype_is_met_by_its_own_names(dtype: str, observed: str, is_exact: bool) -> None:
    cases = [candidate("only", 1024, dtype=observed)]
    by_dtype = judge(MatchRequest(dtypes=(dtype,)), cases)
    by_tensor = judge(MatchRequest(tensors=(TensorRequest("x", dtype=dtype),)), cases)

    assert (by_dtype.match is Match.EXACT) is is_exact
    assert (by_tensor.match is Match.EXACT) is is_exact
    if not is_exact:
        assert by_dtype.near[0].differences == (Difference("dtypes", dtype, observed),)
        assert by_tensor.near[0].differences == (Difference("tensors.x.dtype", dtype, observed),)


def test_a_tensor_that_the_workload_leaves_out_is_as_declared() -> None:
    request = MatchRequest(tensors=(TensorRequest("y", dtype="bf16"),))

    assert judge(request).near[0].differences == (Difference("tensors.y.dtype", "bf16", "float"),)


def test_a_shape_binds_the_axes_of_its_operation() -> None:
    request = MatchRequest(tensors=(TensorRequest("x", shape=(3000, 4096)),))

    verdict = judge(request)

    assert verdict.match is Match.SUPPORTED_UNMEASURED
    assert verdict.bracket is not None
    assert verdict.bracket.axis == "tokens"
    assert judge(MatchRequest(tensors=(TensorRequest("x", shape=(2048, 4096)),))).exact == (
        "t2048",
    )


def test_a_derived_length_that_follows_from_the_others_hides_no_bracket() -> None:
    cases = [candidate(f"h{hidden}", 1024, hidden) for hidden in (2048, 8192)]
    tensors = (TensorRequest("x", shape=(1024, 4096)), TensorRequest("w", shape=(2048, 2)))

    verdict = judge(MatchRequest(tensors=tensors), cases)

    assert verdict.bracket is not None
    assert verdict.bracket.axis == "hidden"


def test_a_derived_length_alone_is_compared_with_what_cases_derive() -> None:
    assert judge(MatchRequest(axes=(("half", 2048),))).match is Match.EXACT
    assert judge(MatchRequest(axes=(("half", 64),))).match is Match.SUPPORTED_UNMEASURED


# --- brackets --------------------------------------------------------------------------------


def test_the_nearest_measured_cases_below_and_above_are_named() -> None:
    verdict = judge(ask(tokens=3000, hidden=4096), [*SWEEP, candidate("twin", 2048)])

    assert verdict.bracket is not None
    assert (verdict.bracket.axis, verdict.bracket.requested) == ("tokens", 3000)
    assert verdict.bracket.below == BracketEnd(2048, (CohortKey("t2048"), CohortKey("twin")))
    assert verdict.bracket.above == BracketEnd(4096, (CohortKey("t4096"),))


def test_beyond_the_measured_range_one_side_is_open() -> None:
    above = judge(ask(tokens=100_000)).bracket
    below = judge(ask(tokens=1)).bracket

    assert above is not None
    assert below is not None
    assert (above.below, above.above) == (BracketEnd(8192, (CohortKey("t8192"),)), None)
    assert (below.below, below.above) == (None, BracketEnd(1024, (CohortKey("t1024"),)))


def test_cases_with_another_dtype_bracket_nothing() -> None:
    cases = [candidate("low", 2048), candidate("high", 4096, dtype="fp16")]

    bracket = judge(ask(tokens=3000), cases).bracket

    assert bracket is not None
    assert bracket.above is None


def test_two_differing_axes_bracket_nothing() -> None:
    assert judge(ask(tokens=3000, hidden=8192)).bracket is None


def test_the_axis_bracketed_on_both_sides_comes_first() -> None:
    cases = [
        candidate("near", 3000, hidden=4097),
        candidate("low", 1024),
        candidate("high", 8192),
    ]

    bracket = judge(ask(tokens=3000, hidden=4096), cases).bracket

    assert bracket is not None
    assert bracket.axis == "tokens"


def test_near_matches_come_nearest_first() -> None:
    verdict = judge(ask(tokens=3000), [*SWEEP, candidate("other", 3000, dtype="fp16")])

    assert [near.cohort for near in verdict.near] == ["other", "t4096", "t2048", "t8192", "t1024"]


def test_a_length_of_nothing_is_far_from_all() -> None:
    assert judge(ask(tokens=0)).near[0].differences[0].requested == "0"


# --- what makes no sense ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "field", "message"),
    [
        pytest.param(
            MatchRequest(axes=(("token", 1024),)), "axes.token", "Nearest: tokens.", id="axis"
        ),
        pytest.param(
            MatchRequest(axes=(("zzz", 1024),)),
            "axes.zzz",
            "it has half, heads, hidden, tokens.",
            id="axis-like-none",
        ),
        pytest.param(
            MatchRequest(axes=(("tokens", 1), ("tokens", 2))),
            "axes.tokens",
            "Stated as 1 and as 2.",
            id="axis-twice",
        ),
        pytest.param(MatchRequest(axes=(("heads", 16),)), "axes.heads", "Always 8", id="constant"),
        pytest.param(
            MatchRequest(axes=(("hidden", 4096), ("half", 4096))),
            "axes.half",
            "The other axes make it 2048, not 4096.",
            id="derived",
        ),
        pytest.param(
            MatchRequest(tensors=(TensorRequest("q"),)), "tensors.q", "has no tensor q", id="tensor"
        ),
        pytest.param(
            MatchRequest(tensors=(TensorRequest("x", shape=(4096,)),)),
            "tensors.x.shape",
            "The tensor has 2 axes, not 1.",
            id="rank",
        ),
        pytest.param(
            MatchRequest(tensors=(TensorRequest("w", shape=(4, 3)),)),
            "tensors.w.shape",
            "2 is 2, not 3.",
            id="fixed-length",
        ),
        pytest.param(
            MatchRequest(axes=(("tokens", 8),), tensors=(TensorRequest("x", shape=(4, 4096)),)),
            "tensors.x.shape",
            "tokens is 8, not 4.",
            id="shape-against-axis",
        ),
        pytest.param(
            MatchRequest(hardware="H10O"), "hardware", "Nearest: NVIDIA H100", id="hardware"
        ),
        pytest.param(
            MatchRequest(hardware="zzzz"),
            "hardware",
            "No device is known as zzzz.",
            id="hardware-like-none",
        ),
    ],
)
def test_a_field_that_means_nothing_is_named_and_matches_nothing(
    request_: MatchRequest, field: str, message: str
) -> None:
    verdict = judge(request_)

    assert verdict.match is Match.NONE
    assert verdict.exact == ()
    assert verdict.bracket is None
    assert [one.field for one in verdict.unresolved] == [field]
    assert message in verdict.unresolved[0].message


def test_hardware_outside_the_table_is_known_where_it_is_measured() -> None:
    gaudi = make_hardware("Intel Gaudi", "3", "unknown")

    verdict = judge(MatchRequest(hardware="Intel Gaudi"), [candidate("g", 1, hardware=gaudi)])

    assert verdict.match is Match.EXACT


def test_a_stated_constant_changes_nothing() -> None:
    assert judge(MatchRequest(axes=(("heads", 8), ("tokens", 1024)))).exact == ("t1024",)


# --- properties ------------------------------------------------------------------------------

requests = st.builds(
    MatchRequest,
    axes=st.dictionaries(
        st.sampled_from(["tokens", "hidden"]), st.sampled_from([1024, 2048, 3000, 4096])
    ).map(lambda axes: tuple(axes.items())),
    dtypes=st.lists(st.sampled_from(["bf16", "fp16"]), max_size=1).map(tuple),
    hardware=st.sampled_from([None, "A100", "A100 PCIe", "H100"]),
)
measured = st.lists(
    st.tuples(
        st.sampled_from([1024, 2048, 4096]),
        st.sampled_from([2048, 4096]),
        st.sampled_from(["bf16", "fp16"]),
        st.sampled_from([A100, make_hardware("NVIDIA A100", "PCIe-80GB")]),
    ),
    max_size=6,
).map(
    lambda rows: [
        candidate(f"c{number}", tokens, hidden, dtype, hardware)
        for number, (tokens, hidden, dtype, hardware) in enumerate(rows)
    ]
)


@given(requests, measured)
def test_exact_cases_satisfy_every_stated_field(
    request_: MatchRequest, candidates: list[MatchCandidate]
) -> None:
    verdict = judge(request_, candidates)
    by_key = {one.cohort: one for one in candidates}

    assert (verdict.match is Match.EXACT) is bool(verdict.exact)
    for key in verdict.exact:
        workload = by_key[key].workload
        form_factor = by_key[key].environment.hardware.form_factor or ""
        assert set(request_.axes) <= set(workload.axes)
        assert set(request_.dtypes) <= set(workload.dtypes)
        assert request_.hardware != "H100"
        assert request_.hardware != "A100 PCIe" or form_factor.startswith("PCIe")
    assert len(verdict.exact) + len(verdict.near) == len(candidates)
    assert all(near.differences for near in verdict.near)


@given(requests, measured, st.randoms(use_true_random=False))
def test_the_answer_ignores_the_order_of_the_candidates(
    request_: MatchRequest, candidates: list[MatchCandidate], random: Random
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)

    assert judge(request_, shuffled) == judge(request_, candidates)


@given(requests, measured)
def test_a_bracket_surrounds_the_request(
    request_: MatchRequest, candidates: list[MatchCandidate]
) -> None:
    bracket = judge(request_, candidates).bracket

    if bracket is not None:
        assert bracket.below is not None or bracket.above is not None
        assert bracket.below is None or bracket.below.value < bracket.requested
        assert bracket.above is None or bracket.above.value > bracket.requested
