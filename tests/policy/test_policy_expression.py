"""Arithmetic over axes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.policy.expression import MAX_DEPTH, ExpressionError, evaluate_expression, holds

AXES = {"m": 6, "n": 4, "_k": 3, "zero": 0}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7", 7),
        ("2 * m * n", 48),
        ("m - n - 1", 1),
        ("m + n * 2", 14),
        ("(m + n) * 2", 20),
        ("m // 4", 1),
        ("m / 4", Fraction(3, 2)),
        ("m * 17 / 64", Fraction(51, 32)),
        ("min(m, n, _k)", 3),
        ("max(1, m - 10)", 1),
        ("  m*n  ", 24),
        ("max(m, n) // min(2, _k)", 3),
    ],
)
def test_an_expression_has_an_exact_value(expression: str, value: int | Fraction) -> None:
    assert evaluate_expression(expression, AXES) == value


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        ("m == 6", True),
        ("m == 6 and n == 5", False),
        ("m != 6", False),
        ("m >= n and n <= 4 and m > n", True),
        ("m < n", False),
    ],
)
def test_a_condition_needs_every_comparison(condition: str, is_true: bool) -> None:
    assert holds(condition, AXES) is is_true


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", "found the end"),
        ("m +", "found the end"),
        ("m n", "found `n`"),
        ("(m", r"expected `\)`"),
        ("min(m", r"expected `\)`"),
        ("m ** 2", r"found `\*`"),
        ("-m", "found `-`"),
        ("__import__(1)", "calls __import__"),
        ("m.n", "cannot read"),
        ("m[0]", "cannot read"),
        ("'m'", "cannot read"),
        ("1.5", "cannot read"),
        ("q", "axis q is not given"),
        ("m / zero", "divides by zero"),
        ("m // zero", "divides by zero"),
        ("m == n", "found `==`"),
        ("1" * 2000, "longer than"),
        ("(" * (MAX_DEPTH + 1) + "m" + ")" * (MAX_DEPTH + 1), "nested deeper"),
    ],
)
def test_anything_else_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem) as caught:
        evaluate_expression(expression, AXES)

    assert caught.value.code == "BAD_EXPRESSION"
    assert caught.value.expression == expression


@pytest.mark.parametrize("condition", ["m", "m == 6 and", "m == 6 == 7", "m == 6 or n == 4"])
def test_a_malformed_condition_is_refused(condition: str) -> None:
    with pytest.raises(ExpressionError):
        holds(condition, AXES)


def trees() -> st.SearchStrategy[tuple[str, int]]:
    """Expressions over integers beside the value that Python gives them."""
    leaves = st.integers(0, 50).map(lambda number: (str(number), number))

    def grow(children: st.SearchStrategy[tuple[str, int]]) -> st.SearchStrategy[tuple[str, int]]:
        pair = st.tuples(children, children)
        return st.one_of(
            pair.map(lambda two: (f"({two[0][0]} + {two[1][0]})", two[0][1] + two[1][1])),
            pair.map(lambda two: (f"({two[0][0]} - {two[1][0]})", two[0][1] - two[1][1])),
            pair.map(lambda two: (f"({two[0][0]} * {two[1][0]})", two[0][1] * two[1][1])),
            pair.map(lambda two: (f"max({two[0][0]}, {two[1][0]})", max(two[0][1], two[1][1]))),
            pair.map(lambda two: (f"({two[0][0]} // 7)", two[0][1] // 7)),
        )

    return st.recursive(leaves, grow, max_leaves=12)


@given(trees())
def test_values_are_those_of_the_arithmetic(tree: tuple[str, int]) -> None:
    expression, value = tree

    assert evaluate_expression(expression, {}) == value


@given(st.text(max_size=40))
def test_no_text_does_more_than_raise(text: str) -> None:
    try:
        value = evaluate_expression(text, AXES)
    except ExpressionError:
        return
    assert isinstance(value, int | Fraction)
