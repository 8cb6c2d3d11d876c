from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.catalog import (
    KnownValues,
    ParsedQuery,
    ProblemCode,
    QueryIntent,
    TokenRole,
    parse_query,
    write_query,
)
from kgraph.facts import PageRequest
from kgraph.policy import MatchRequest, TensorRequest
from kgraph.vocab import EvidenceLevel, Match, SearchKind, SearchMatch

if TYPE_CHECKING:
    from kgraph.catalog import Catalog

EXAMPLE = "rmsnorm gpu:H100 dtype:bf16 hidden=4096 tokens=2048 license:permissive installable:true"
KNOWN = KnownValues(frozenset({"bf16", "fp16", "fp32"}), frozenset({"triton", "cuda"}))
FIRST = PageRequest(first=20)

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(
    lambda text: text.strip() == text and text != ""
)
intents = st.builds(
    QueryIntent,
    text=st.none() | texts,
    is_family=st.just(value=False),
    match=st.builds(
        MatchRequest,
        axes=st.dictionaries(
            names.filter(lambda name: parse_query(f"{name}=1").intent.match.axes != ()),
            st.integers(1, 2**53 - 1),
            max_size=4,
        ).map(lambda axes: tuple(sorted(axes.items()))),
        dtypes=st.sets(st.sampled_from(["bf16", "fp16", "fp8"])).map(
            lambda found: tuple(sorted(found))
        ),
        tensors=st.dictionaries(
            names, st.lists(st.integers(1, 10**6), min_size=1, max_size=3), max_size=2
        ).map(
            lambda found: tuple(
                TensorRequest(name, tuple(shape)) for name, shape in sorted(found.items())
            )
        ),
        hardware=st.none() | texts,
        software=st.dictionaries(
            texts.filter(lambda text: "@" not in text), st.just("") | texts, max_size=2
        ).map(lambda found: tuple(sorted(found.items()))),
    ),
    minimum_evidence=st.sampled_from(EvidenceLevel),
    licenses=st.sets(st.sampled_from(["MIT", "Apache-2.0"])).map(lambda x: tuple(sorted(x))),
    languages=st.sets(st.sampled_from(["triton", "cuda"])).map(lambda x: tuple(sorted(x))),
    is_permissive=st.booleans(),
    is_installable=st.booleans(),
    is_deployable=st.booleans(),
)


def problem(query: ParsedQuery) -> tuple[ProblemCode, str, tuple[str, ...]]:
    """The one problem of a query: code, text it covers, nearest."""
    (found,) = query.problems
    return found.code, query.text[found.start : found.end], found.nearest


# --- reading ---------------------------------------------------------------------------------


def test_the_example_is_read_as_it_says() -> None:
    query = parse_query(EXAMPLE, KNOWN)

    assert query.problems == ()
    assert query.intent == QueryIntent(
        text="rmsnorm",
        is_family=False,
        match=MatchRequest(
            axes=(("hidden", 4096), ("tokens", 2048)), dtypes=("bf16",), hardware="H100"
        ),
        minimum_evidence=EvidenceLevel.REPORTED,
        licenses=(),
        languages=(),
        is_permissive=True,
        is_installable=True,
        is_deployable=False,
    )
    assert query.canonical == EXAMPLE
    assert [token.role for token in query.tokens] == [
        TokenRole.WORD,
        *[TokenRole.KEY] * 2,
        *[TokenRole.AXIS] * 2,
        *[TokenRole.KEY] * 2,
    ]


@given(intents)
def test_an_intent_written_and_read_is_the_same(intent: QueryIntent) -> None:
    written = write_query(intent)
    query = parse_query(written)

    assert query.problems == ()
    assert query.intent == intent
    assert query.canonical == written


@given(st.text(st.characters(codec="utf-8"), max_size=80) | st.text('ab :=,."\\ 1x', max_size=40))
def test_any_text_is_accounted_for(text: str) -> None:
    query = parse_query(text, KNOWN)

    covered = [False] * len(text)
    for token in query.tokens:
        assert query.text[token.start : token.end] == token.text
        covered[token.start : token.end] = [True] * (token.end - token.start)
        is_blamed = any(one.start <= token.start and token.end <= one.end for one in query.problems)
        assert token.is_understood != is_blamed
    assert all(is_covered or char.isspace() for char, is_covered in zip(text, covered, strict=True))
    again = parse_query(query.canonical, KNOWN)
    assert again.intent == query.intent
    assert again.problems == ()
    assert parse_query(text, KNOWN) == query


@pytest.mark.parametrize(
    ("text", "code", "covered", "nearest"),
    [
        ("rope gpuu:H100", ProblemCode.UNKNOWN_KEY, "gpuu:H100", ("gpu",)),
        ("licnese:MIT", ProblemCode.UNKNOWN_KEY, "licnese:MIT", ("license",)),
        ("qqqqq:1", ProblemCode.UNKNOWN_KEY, "qqqqq:1", ()),
        ("rope gpu=H100", ProblemCode.UNKNOWN_KEY, "gpu=H100", ("gpu:H100",)),
        ("x.shap=1", ProblemCode.UNKNOWN_KEY, "x.shap=1", ("x.shape",)),
        ("a-b=1", ProblemCode.UNKNOWN_KEY, "a-b=1", ()),
        ("tokens=many", ProblemCode.BAD_VALUE, "tokens=many", ()),
        ("tokens=0", ProblemCode.BAD_VALUE, "tokens=0", ()),
        ("tokens=-4", ProblemCode.BAD_VALUE, "tokens=-4", ()),
        ("tokens=", ProblemCode.BAD_VALUE, "tokens=", ()),
        ("tokens=1e3", ProblemCode.BAD_VALUE, "tokens=1e3", ()),
        ("tokens=٣", ProblemCode.BAD_VALUE, "tokens=٣", ()),
        ("x.shape=4x", ProblemCode.BAD_VALUE, "x.shape=4x", ()),
        ("rope dtype:bf61", ProblemCode.BAD_VALUE, "dtype:bf61", ("bf16", "fp16")),
        ("dtype:", ProblemCode.BAD_VALUE, "dtype:", ()),
        ("dtype:bf16,", ProblemCode.BAD_VALUE, "dtype:bf16,", ()),
        ("license:MITT", ProblemCode.BAD_VALUE, "license:MITT", ("MIT", "MIT-0")),
        ("lang:tritn", ProblemCode.BAD_VALUE, "lang:tritn", ("triton",)),
        ("evidence:verifed", ProblemCode.BAD_VALUE, "evidence:verifed", ("verified",)),
        ("installable:maybe", ProblemCode.BAD_VALUE, "installable:maybe", ()),
        ("tokens=1 tokens=2", ProblemCode.REPEATED, "tokens=2", ()),
        ("gpu:H100 gpu:A100", ProblemCode.REPEATED, "gpu:A100", ()),
        ("op:rope family:rope", ProblemCode.REPEATED, "family:rope", ()),
        ("family:rope norm", ProblemCode.REPEATED, "norm", ()),
        ("torch:2.9 with:pytorch@2.8", ProblemCode.REPEATED, "with:pytorch@2.8", ()),
        ('rope gpu:"RTX 3090', ProblemCode.UNCLOSED_QUOTE, 'gpu:"RTX 3090', ()),
        ('""', ProblemCode.BAD_VALUE, '""', ()),
    ],
)
def test_what_is_not_understood_is_named_with_its_place(
    text: str, code: ProblemCode, covered: str, nearest: tuple[str, ...]
) -> None:
    found = problem(parse_query(text, KNOWN))

    assert found[:2] == (code, covered)
    assert set(nearest) <= set(found[2])
    assert bool(found[2]) == bool(nearest)


def test_an_axis_written_as_a_key_is_told_how_it_is_written() -> None:
    (found,) = parse_query("rope tokens:4096").problems

    assert "An axis is written tokens=4096." in found.message


def test_a_line_that_is_too_long_is_named_and_not_read_on() -> None:
    query = parse_query("a=1 " * 61)

    assert ProblemCode.TOO_LONG in {one.code for one in query.problems}
    assert parse_query("x" * 2000).problems[0].code is ProblemCode.TOO_LONG


def test_quotes_keep_blanks_and_signs() -> None:
    query = parse_query(r'"fused add" gpu:"RTX 3090" with:"a b@1:2","c\"d"')

    assert query.problems == ()
    assert query.intent.text == "fused add"
    assert query.intent.match.hardware == "RTX 3090"
    assert query.intent.match.software == (("a b", "1:2"), ('c"d', ""))


def test_words_and_keys_have_other_names() -> None:
    one = parse_query("operation:rope hardware:A100 framework:pytorch@2.9 language:TRITON", KNOWN)
    other = parse_query("rope gpu:A100 torch:2.9 lang:triton", KNOWN)

    assert one.problems == ()
    assert one.intent == other.intent


def test_names_of_dtypes_become_the_catalogues_own() -> None:
    assert parse_query("dtype:bfloat16,HALF", KNOWN).intent.match.dtypes == ("bf16", "fp16")


def test_false_requires_nothing() -> None:
    query = parse_query("rope installable:false deployable:no")

    assert query.problems == ()
    assert query.canonical == "rope"


def test_tensors_are_stated_by_attribute() -> None:
    query = parse_query("rope q.shape=[1,32,4096] q.dtype=bf16 q.layout=row", KNOWN)

    assert query.intent.match.tensors == (TensorRequest("q", (1, 32, 4096), "bf16", "row"),)


# --- answering -------------------------------------------------------------------------------


def test_a_query_is_resolved_exactly(starter: Catalog) -> None:
    answer = starter.answer_query(
        "liger-distill-cosine-loss tokens=1024 hidden=4096 vocab=128256 gpu:A100 dtype:bf16", FIRST
    )

    assert answer.resolution is not None
    assert answer.resolution.match is Match.EXACT
    assert answer.records is not None
    held = {record.cohort.key for record in answer.records.items}
    assert answer.resolution.cohort is not None
    assert answer.resolution.cohort.key in held


def test_every_listed_record_meets_every_stated_field(starter: Catalog) -> None:
    answer = starter.answer_query("gpu:A100 dtype:bf16 license:BSD-2-Clause lang:triton", FIRST)

    assert answer.resolution is None
    assert answer.records is not None
    assert answer.records.items
    workloads = starter.load_workloads(one.cohort.workload for one in answer.records.items)
    environments = starter.load_environments(one.cohort.environment for one in answer.records.items)
    implementations = starter.load_implementations(
        one.run.run.implementation for one in answer.records.items
    )
    for record in answer.records.items:
        assert "A100" in environments[record.cohort.environment].hardware.product
        assert "bf16" in workloads[record.cohort.workload].dtypes
        implementation = implementations[record.run.run.implementation]
        assert implementation.language == "triton"
        assert starter.conclude_license(implementation).concluded == "BSD-2-Clause"


def test_installable_leaves_only_what_has_a_recipe(starter: Catalog) -> None:
    whole = starter.answer_query("gpu:H100", FIRST)
    less = starter.answer_query("gpu:H100 installable:true", FIRST)
    kept = starter.answer_query("liger-rope installable:true license:permissive", FIRST)

    assert whole.records is not None
    assert less.records is not None
    assert 0 < less.records.total_count < whole.records.total_count
    assert kept.resolution is not None
    assert kept.resolution.best is not None
    best = kept.resolution.best.run.implementation
    assert starter.load_implementations([best])[best].install_command is not None


def test_words_name_the_most_exact_choice(starter: Catalog) -> None:
    answer = starter.answer_query("rope", FIRST)

    assert answer.chosen is not None
    assert (answer.chosen.kind, answer.chosen.match) == (SearchKind.FAMILY, SearchMatch.EXACT)
    assert {hit.name for hit in answer.choices} > {"liger-rope"}


def test_a_misspelt_operation_is_offered_and_not_taken(starter: Catalog) -> None:
    answer = starter.answer_query("liger-ropee", FIRST)

    assert answer.chosen is None
    assert "liger-rope" in {hit.name for hit in answer.choices}
    assert answer.resolution is not None
    assert answer.resolution.match is Match.NONE
    assert "liger-rope" in answer.resolution.unresolved[0].message
    assert answer.records is not None
    assert answer.records.items == ()


def test_a_query_with_a_problem_is_not_answered(starter: Catalog) -> None:
    answer = starter.answer_query("liger-rope gpuu:A100", FIRST)

    assert answer.resolution is None
    assert answer.records is None
    assert problem(answer.query)[1] == "gpuu:A100"


def test_an_unknown_device_is_named_with_the_nearest(starter: Catalog) -> None:
    answer = starter.answer_query("liger-rope gpu:H10", FIRST)

    code, covered, nearest = problem(answer.query)
    assert (code, covered) == (ProblemCode.BAD_VALUE, "gpu:H10")
    assert "NVIDIA H100" in nearest


def test_a_known_device_without_runs_lists_nothing(starter: Catalog) -> None:
    answer = starter.answer_query("liger-rope gpu:MI300X", FIRST)

    assert answer.query.problems == ()
    assert answer.records is not None
    assert answer.records.total_count == 0
    assert answer.resolution is not None
    assert answer.resolution.match is not Match.EXACT


def test_the_number_of_statements_does_not_grow(starter: Catalog) -> None:
    starter.answer_query("liger-rope", FIRST)
    counts = []
    for text in ("rope", "rope gpu:A100 dtype:bf16", "liger-cross-entropy gpu:H100"):
        before = starter.statement_count
        starter.answer_query(text, FIRST)
        counts.append(starter.statement_count - before)

    assert max(counts) <= 16
