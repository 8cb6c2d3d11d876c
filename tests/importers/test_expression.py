from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.importers.expression import ExpressionError, parse_expression

SIZES = st.integers(min_value=1, max_value=2**31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", 6),
        ("config.B * config.T", 32),
        ("2 * x", 12),
        ("x + config.B * 3 - 1", 17),
        ("x // 2", 3),
        ("config.T // config.B // 2", 1),
        ("(x + config.B) * 2", 20),
    ],
)
def test_an_expression_has_the_usual_value(text: str, expected: int) -> None:
    values = {"x": 6, "config.B": 4, "config.T": 8}

    assert parse_expression(text).evaluate(values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x +",
        "x / 2",
        "x % 2",
        "x ** 2",
        "-x",
        "f(x)",
        "x.y.z",
        "1.5",
        "True",
        "'x'",
        "x if x else 1",
    ],
)
def test_what_is_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="expression"):
        parse_expression(text)


def test_a_remainder_is_refused_and_named() -> None:
    with pytest.raises(ExpressionError, match=r"7 // 2 leaves 1, expected no remainder"):
        parse_expression("x // 2").evaluate({"x": 7})


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ExpressionError, match="a divisor other than zero"):
        parse_expression("x // y").evaluate({"x": 7, "y": 0})


def test_a_name_without_a_value_is_named() -> None:
    with pytest.raises(ExpressionError, match=r"no value for config\.T"):
        parse_expression("x * config.T").evaluate({"x": 7})


def test_the_names_of_an_expression_are_known_before_its_value() -> None:
    assert parse_expression("config.B * x + x").names == {"config.B", "x"}


@given(SIZES, SIZES)
def test_a_product_divided_by_a_factor_gives_the_other(a: int, b: int) -> None:
    assert parse_expression("a * b // a").evaluate({"a": a, "b": b}) == b
