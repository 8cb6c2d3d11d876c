"""Integer expressions over named values, as curated tables and derived axes write them.

The grammar is integers, names, dotted names such as `config.B`, and `+ - * //`, with the usual
precedence and no brackets needed. A division that leaves a remainder is an error: a shape that does
not divide evenly is not the shape that was measured.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExpressionError(KgraphError):
    """An expression that is outside the grammar, or has no value for the names at hand."""

    code = "BAD_EXPRESSION"

    def __init__(self, text: str, found: str, expected: str) -> None:
        self.text, self.found, self.expected = text, found, expected
        super().__init__(f"expression {text!r}: {found}, expected {expected}")


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; made by `parse_expression`."""

    text: str
    names: frozenset[str]
    """Every name it reads, dotted ones written out."""
    tree: ast.expr

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value for the given names.

        Raises:
            ExpressionError: a name has no value, a division leaves a remainder or is by zero.
        """
        return self._evaluate(self.tree, values)

    def _evaluate(self, node: ast.expr, values: Mapping[str, int]) -> int:
        if isinstance(node, ast.Constant):
            return int(str(node.value))
        if not isinstance(node, ast.BinOp):
            name = _dotted(node)
            if name not in values:
                raise ExpressionError(self.text, f"no value for {name}", "every name to have one")
            return values[name]
        left, right = self._evaluate(node.left, values), self._evaluate(node.right, values)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case _:
                if right == 0:
                    raise ExpressionError(self.text, f"{left} // 0", "a divisor other than zero")
                quotient, remainder = divmod(left, right)
                if remainder:
                    raise ExpressionError(
                        self.text, f"{left} // {right} leaves {remainder}", "no remainder"
                    )
                return quotient


def parse_expression(text: str) -> Expression:
    """The expression that `text` writes.

    Raises:
        ExpressionError: the text is outside the grammar.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ExpressionError(text, "a syntax error", "integers, names and + - * //") from error
    names: set[str] = set()
    _check(text, tree, names)
    return Expression(text, frozenset(names), tree)


def _check(text: str, node: ast.expr, names: set[str]) -> None:
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv
    ):
        _check(text, node.left, names)
        _check(text, node.right, names)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        return
    elif name := _dotted(node):
        names.add(name)
    else:
        raise ExpressionError(text, f"a {type(node).__name__}", "integers, names and + - * //")


def _dotted(node: ast.expr) -> str:
    """The name that `node` writes, or an empty text where it writes none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""
