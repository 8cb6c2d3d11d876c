"""Arithmetic over axes as manifests and the floor models write it; no code is ever run.

Grammar: integers, axis names, `+ - * /` and `//`, `min(...)`, `max(...)`, parentheses; a condition
joins comparisons with `and`. Values are exact: integers, and fractions after `/`. There is no power
and no repetition, so a value never has more digits than the text and its axes together.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Published expressions stay under 200 characters and four levels.
MAX_LENGTH: Final = 1000
MAX_DEPTH: Final = 32

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,19})|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>//|==|!=|<=|>=|[-+*/(),<>]))"
)

Value: TypeAlias = int | Fraction
_Node: TypeAlias = "_Number | _Name | _Call | _Binary"


class ExpressionError(KgraphError):
    """An expression cannot be read, or has no value for the axes given."""

    code = "BAD_EXPRESSION"

    def __init__(self, expression: str, problem: str) -> None:
        self.expression, self.problem = expression, problem
        super().__init__(f"expression {expression[:90]!r}: {problem}")


@dataclass(frozen=True, slots=True)
class _Number:
    value: int


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _Call:
    function: Callable[[list[Value]], Value]
    arguments: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Binary:
    sign: str
    left: _Node
    right: _Node


@dataclass(frozen=True, slots=True)
class _Comparison:
    compare: Callable[[Value, Value], bool]
    left: _Node
    right: _Node


_FUNCTIONS: Final[dict[str, Callable[[list[Value]], Value]]] = {"min": min, "max": max}
_DIVISIONS: Final = ("/", "//")
_BINARY: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "/": lambda left, right: Fraction(left) / right,
}
_COMPARE: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate_expression(expression: str, axes: Mapping[str, int]) -> Value:
    """The exact value of an expression.

    Raises:
        ExpressionError: it cannot be read, names an axis that is not given, or divides by zero.
    """
    return _value_of(_parse_arithmetic(expression), axes, expression)


def holds(condition: str, axes: Mapping[str, int]) -> bool:
    """Whether every comparison of a condition is true.

    Raises:
        ExpressionError: as `evaluate_expression`.
    """
    return all(
        part.compare(_value_of(part.left, axes, condition), _value_of(part.right, axes, condition))
        for part in _parse_condition(condition)
    )


def _value_of(node: _Node, axes: Mapping[str, int], expression: str) -> Value:
    if isinstance(node, _Number):
        return node.value
    if isinstance(node, _Name):
        if node.name not in axes:
            raise ExpressionError(expression, f"axis {node.name} is not given")
        return axes[node.name]
    if isinstance(node, _Call):
        return node.function([_value_of(one, axes, expression) for one in node.arguments])
    left = _value_of(node.left, axes, expression)
    right = _value_of(node.right, axes, expression)
    if node.sign in _DIVISIONS and right == 0:
        raise ExpressionError(expression, "divides by zero")
    return _BINARY[node.sign](left, right)


@lru_cache(maxsize=2048)
def _parse_arithmetic(expression: str) -> _Node:
    parser = _Parser(expression)
    node = parser.read_sum(0)
    parser.expect_end()
    return node


@lru_cache(maxsize=256)
def _parse_condition(condition: str) -> tuple[_Comparison, ...]:
    parser = _Parser(condition)
    parts = [parser.read_comparison()]
    while parser.take("and"):
        parts.append(parser.read_comparison())
    parser.expect_end()
    return tuple(parts)


class _Parser:
    """Reads one expression from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split(text)
        self.at = 0

    def read_comparison(self) -> _Comparison:
        left = self.read_sum(0)
        compare = _COMPARE.get(self.peek())
        if compare is None:
            raise self._error("a comparison")
        self.at += 1
        return _Comparison(compare, left, self.read_sum(0))

    def read_sum(self, depth: int) -> _Node:
        node = self.read_product(depth)
        while self.peek() in {"+", "-"}:
            sign = self.next()
            node = _Binary(sign, node, self.read_product(depth))
        return node

    def read_product(self, depth: int) -> _Node:
        node = self.read_operand(depth)
        while self.peek() in {"*", "/", "//"}:
            sign = self.next()
            node = _Binary(sign, node, self.read_operand(depth))
        return node

    def read_operand(self, depth: int) -> _Node:
        if depth >= MAX_DEPTH:
            raise ExpressionError(self.text, f"nested deeper than {MAX_DEPTH} levels")
        token = self.peek()
        if token.isdigit():
            self.at += 1
            return _Number(int(token))
        if self.take("("):
            node = self.read_sum(depth + 1)
            self._expect(")")
            return node
        if token[:1].isalpha() or token[:1] == "_":
            self.at += 1
            return self._read_call(token, depth) if self.take("(") else _Name(token)
        raise self._error("a number, an axis or a parenthesis")

    def _read_call(self, name: str, depth: int) -> _Node:
        function = _FUNCTIONS.get(name)
        if function is None:
            raise ExpressionError(self.text, f"calls {name}, expected min or max")
        arguments = [self.read_sum(depth + 1)]
        while self.take(","):
            arguments.append(self.read_sum(depth + 1))
        self._expect(")")
        return _Call(function, tuple(arguments))

    def peek(self) -> str:
        """The token ahead; empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def take(self, token: str) -> bool:
        """Whether the token ahead is this one; it is then passed."""
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect_end(self) -> None:
        if self.at < len(self.tokens):
            raise self._error("an operator or the end")

    def _expect(self, token: str) -> None:
        if not self.take(token):
            raise self._error(f"`{token}`")

    def _error(self, expected: str) -> ExpressionError:
        found = f"`{self.peek()}`" if self.peek() else "the end"
        return ExpressionError(self.text, f"found {found}, expected {expected}")

    @staticmethod
    def _split(text: str) -> tuple[str, ...]:
        if len(text) > MAX_LENGTH:
            raise ExpressionError(text, f"longer than {MAX_LENGTH} characters")
        tokens = []
        at = 0
        end = len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise ExpressionError(text, f"cannot read {text[at : at + 20].strip()!r}")
            tokens.append(match.group(match.lastgroup or 0))
            at = match.end()
        return tuple(tokens)
