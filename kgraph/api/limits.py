"""What one request may ask for, checked before anything is executed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSyntaxError,
    InlineFragmentNode,
    ListValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
)
from graphql.language import Lexer, Source, TokenKind

from kgraph.api.errors import LimitError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Most that one request is given; defaults are far above what the product's pages need."""

    document_bytes: int = 65_536
    """Length of a document in UTF-8; the longest page document has 4 kB."""
    variables_bytes: int = 65_536
    """Length of the variables as JSON."""
    tokens: int = 4_000
    """Words, signs and comments in a document; the longest page document has 400."""
    depth: int = 16
    """Nested fields, fragments opened; tools' introspection needs 15."""
    aliases: int = 60
    """Renamed fields."""
    repeats: int = 60
    """Fields that a selection names again, as it is written."""
    overlaps: int = 10_000
    """Fields, fragments and variables, and pairs of fields of one name that must be compared, once
    every fragment is opened wherever it is named. A client whose parts each bring a fragment has
    some hundred; validating ten thousand takes 0.1 s."""
    cost: int = 20_000
    """Objects that an answer may hold, from the page sizes asked for."""
    seconds: float = 10.0
    """Time that an answer may take."""


# What a parser takes for one token, comments among them. Text that does not end reaches to the end,
# so that no place is looked at twice; the parser refuses it.
_TOKEN = re.compile(
    r"""[_A-Za-z][_0-9A-Za-z]*+|[!$&()\[\]{}:=@|]|\.\.\.|-?[0-9][0-9.eE+-]*+|\#[^\n\r]*+"""
    r'''|"""(?:[^"\\]|\\"""|\\|"(?!""))*+(?:"""|\Z)|"(?:[^"\\\n\r]|\\.)*+"?'''
)


@dataclass(frozen=True, slots=True)
class Structure:
    """How a document is built."""

    depth: int
    """Deepest nesting of fields in any operation, fragments opened."""
    aliases: int
    """Fields with an alias, each counted once where it is written."""
    repeats: int
    """Fields beyond the first of their name in one written selection."""


def check_length(text: str, limits: Limits) -> None:
    """Refuse a document that is too long to be parsed.

    Raises:
        LimitError: it has more bytes or tokens than `limits` allow.
    """
    length = len(text.encode("utf-8", "surrogatepass"))
    if length > limits.document_bytes:
        raise LimitError(
            "DOCUMENT_BYTES", limits.document_bytes, length, "send several shorter documents"
        )
    # Counted by an expression in a tenth of the time that a lexer takes to say the same.
    tokens = len(_TOKEN.findall(text))
    if tokens > limits.tokens:
        raise LimitError("TOKENS", limits.tokens, tokens, "send several shorter documents")


def why_not_parsed(text: str, error: GraphQLSyntaxError, limits: Limits) -> LimitError | None:
    """The limit that the parser ran into; None where the document is simply no GraphQL."""
    tokens, nesting = _count_tokens(text)
    if tokens > limits.tokens:
        return LimitError("TOKENS", limits.tokens, tokens, "send several shorter documents")
    if "nested too deeply" in error.message:
        return LimitError("DEPTH", limits.depth, nesting, "ask for nested fields separately")
    return None


def check_structure(document: DocumentNode, limits: Limits) -> None:
    """Refuse a document that is too deep or too repetitive to be validated at a bounded price.

    Raises:
        LimitError: which names the limit and what was asked.
    """
    found = measure_structure(document)
    if found.depth > limits.depth:
        raise LimitError("DEPTH", limits.depth, found.depth, "ask for nested fields separately")
    if found.aliases > limits.aliases:
        raise LimitError("ALIASES", limits.aliases, found.aliases, "use a list field")
    if found.repeats > limits.repeats:
        raise LimitError("REPEATS", limits.repeats, found.repeats, "name each field once")
    overlaps = _Overlaps(document, limits).count()
    if overlaps > limits.overlaps:
        raise LimitError("OVERLAPS", limits.overlaps, overlaps, "name each field in one place")


def measure_structure(document: DocumentNode) -> Structure:
    """How the document is built; fragments in a cycle count once, validation refuses them."""
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    measure = _Measure(fragments)
    depth = max(
        (
            measure.depth_of(node.selection_set)
            for node in document.definitions
            if isinstance(node, OperationDefinitionNode)
        ),
        default=0,
    )
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode | FragmentDefinitionNode):
            measure.count(node.selection_set)
    return Structure(depth, measure.aliases, measure.repeats)


class _Measure:
    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._depths: dict[str, int] = {}
        self.aliases = 0
        self.repeats = 0

    def depth_of(self, selections: SelectionSetNode) -> int:
        """Levels of fields below, this one included."""
        deepest = 0
        for node in selections.selections:
            match node:
                case FieldNode(selection_set=None):
                    depth = 1
                case FieldNode(selection_set=SelectionSetNode() as inner):
                    depth = 1 + self.depth_of(inner)
                case InlineFragmentNode(selection_set=inner):
                    depth = self.depth_of(inner)
                case FragmentSpreadNode(name=name):
                    depth = self._depth_of_fragment(name.value)
                case _:
                    continue
            deepest = max(deepest, depth)
        return deepest

    def _depth_of_fragment(self, name: str) -> int:
        known = self._depths.get(name)
        if known is not None:
            return known
        fragment = self._fragments.get(name)
        if fragment is None:
            return 0
        # Stands for the fragment inside itself, so that a cycle ends.
        self._depths[name] = 0
        depth = self._depths[name] = self.depth_of(fragment.selection_set)
        return depth

    def count(self, selections: SelectionSetNode) -> None:
        """Add the aliases and repeats that are written here and below."""
        names: Counter[str] = Counter()
        for node in selections.selections:
            if isinstance(node, FieldNode):
                names[node.alias.value if node.alias else node.name.value] += 1
                self.aliases += node.alias is not None
            if isinstance(node, FieldNode | InlineFragmentNode) and node.selection_set:
                self.count(node.selection_set)
        self.repeats += sum(names.values()) - len(names)


class _Overlaps:
    """Counts what opening fragments and comparing fields of one name costs, and stops at too much.

    Validation looks at all that a document names once for each operation and fragment that leads
    there, however short it is written.
    """

    def __init__(self, document: DocumentNode, limits: Limits) -> None:
        self._roots = [
            node.selection_set
            for node in document.definitions
            if isinstance(node, OperationDefinitionNode | FragmentDefinitionNode)
        ]
        self._fragments = {
            node.name.value: node.selection_set
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self._limit, self._deepest = limits.overlaps, limits.depth
        self._found = 0
        self._variables: dict[int, int] = {}

    def count(self) -> int:
        """The count; where it is above the limit, as far as it came."""
        for selections in self._roots:
            if self._found <= self._limit:
                self._merge([selections], 0)
        return self._found

    def _merge(self, selections: list[SelectionSetNode], depth: int) -> None:
        # Deeper there is only what validation refuses: fragments in a cycle.
        if depth > self._deepest:
            return
        for nodes in self._group(selections).values():
            length = len(nodes)
            self._found += length + length * (length - 1) // 2
            if self._found > self._limit:
                return
            below = [node.selection_set for node in nodes if node.selection_set is not None]
            if below:
                self._merge(below, depth + 1)

    def _group(self, selections: list[SelectionSetNode]) -> dict[str, list[FieldNode]]:
        """The fields of selections on one object, by the name that they are answered under."""
        groups: dict[str, list[FieldNode]] = {}
        opened: set[str] = set()
        waiting = list(selections)
        while waiting:
            for node in waiting.pop().selections:
                match node:
                    case FieldNode(alias=alias, name=name):
                        groups.setdefault((alias or name).value, []).append(node)
                        self._found += self._count_variables(node)
                    case InlineFragmentNode(selection_set=inner):
                        waiting.append(inner)
                    case FragmentSpreadNode(name=name) if name.value not in opened:
                        opened.add(name.value)
                        self._found += 1
                        if name.value in self._fragments:
                            waiting.append(self._fragments[name.value])
                    case _:
                        pass
        return groups

    def _count_variables(self, field: FieldNode) -> int:
        """Variables in a field's arguments and directives; looked for once."""
        known = self._variables.get(id(field))
        if known is None:
            given = [*(field.arguments or ())]
            for directive in field.directives or ():
                given.extend(directive.arguments or ())
            known = self._variables[id(field)] = _count_nodes([one.value for one in given])
        return known


def _count_nodes(waiting: list[ValueNode]) -> int:
    """Variables in values and in what they hold."""
    found = 0
    while waiting:
        match waiting.pop():
            case VariableNode():
                found += 1
            case ListValueNode(values=values):
                waiting.extend(values)
            case ObjectValueNode(fields=fields):
                waiting.extend(each.value for each in fields)
            case _:
                pass
    return found


def _count_tokens(text: str) -> tuple[int, int]:
    """Tokens up to the end or the first that is none, and the deepest nesting of brackets."""
    lexer = Lexer(Source(text))
    tokens = nesting = deepest = 0
    opening = {TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L}
    closing = {TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R}
    try:
        while (kind := lexer.advance().kind) is not TokenKind.EOF:
            tokens += 1
            nesting += (kind in opening) - (kind in closing)
            deepest = max(deepest, nesting)
    except GraphQLSyntaxError:
        # What follows cannot be counted; what came before may already be too much.
        pass
    return tokens, deepest
