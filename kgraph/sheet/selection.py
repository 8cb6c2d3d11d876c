"""What a document selects on a type, its fragments opened and its conditions decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import (
    BooleanValueNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLUnionType,
    InlineFragmentNode,
    VariableNode,
    is_abstract_type,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphql import DocumentNode, GraphQLOutputType, GraphQLSchema, SelectionSetNode

Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType
"""A type that something is selected on."""

_SKIP, _INCLUDE = "skip", "include"


@dataclass(frozen=True, slots=True)
class Selected:
    """One name of an answer: the field that is under it, and every place that selects it."""

    key: str
    """Name in the answer: the alias, where there is one."""
    definition: GraphQLField
    nodes: tuple[FieldNode, ...]
    """More than one where several places select the same; their selections add up."""

    @property
    def name(self) -> str:
        """Name of the field."""
        return self.nodes[0].name.value

    @property
    def selections(self) -> tuple[SelectionSetNode, ...]:
        """What is selected below it."""
        return tuple(node.selection_set for node in self.nodes if node.selection_set is not None)


class Selector:
    """Reads the selections of one operation with its variables."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]
    ) -> None:
        """A reader of a document that was validated.

        Args:
            variables: Coerced.
        """
        self.schema, self._variables = schema, variables
        self.fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }

    def concrete(self, kind: Composite) -> tuple[GraphQLObjectType, ...]:
        """The types that an object of this type may have, by name."""
        if isinstance(kind, GraphQLObjectType):
            return (kind,)
        return tuple(sorted(self.schema.get_possible_types(kind), key=lambda each: each.name))

    def select(
        self, kind: GraphQLObjectType, selections: Iterable[SelectionSetNode]
    ) -> tuple[Selected, ...]:
        """What the selections ask of an object of this type, in the order of the answer."""
        found: dict[str, list[FieldNode]] = {}
        for selection in selections:
            self._collect(kind, selection, found)
        result = []
        for key, nodes in found.items():
            definition = self.schema.get_field(kind, nodes[0].name.value)
            if definition is not None:
                result.append(Selected(key, definition, tuple(nodes)))
        return tuple(result)

    def _collect(
        self,
        kind: GraphQLObjectType,
        selections: SelectionSetNode,
        found: dict[str, list[FieldNode]],
    ) -> None:
        for node in selections.selections:
            if not self._is_included(node.directives or ()):
                continue
            match node:
                case FieldNode(alias=alias, name=name):
                    found.setdefault((alias or name).value, []).append(node)
                case InlineFragmentNode(type_condition=condition, selection_set=inner):
                    if condition is None or self._fits(kind, condition.name.value):
                        self._collect(kind, inner, found)
                case FragmentSpreadNode(name=name):
                    fragment = self.fragments[name.value]
                    if self._fits(kind, fragment.type_condition.name.value):
                        self._collect(kind, fragment.selection_set, found)
                case _:
                    pass

    def _fits(self, kind: GraphQLObjectType, condition: str) -> bool:
        if kind.name == condition:
            return True
        named = self.schema.get_type(condition)
        return is_abstract_type(named) and self.schema.is_sub_type(named, kind)

    def _is_included(self, directives: Sequence[Any]) -> bool:
        for directive in directives:
            if directive.name.value in {_SKIP, _INCLUDE}:
                (argument,) = directive.arguments
                if self.value_of(argument.value) is not (directive.name.value == _INCLUDE):
                    return False
        return True

    def value_of(self, node: object) -> object:
        """The value of a literal truth value or of a variable; other literals as they stand."""
        if isinstance(node, VariableNode):
            return self._variables.get(node.name.value)
        return node.value if isinstance(node, BooleanValueNode) else node


def strip_required(kind: GraphQLOutputType) -> tuple[GraphQLOutputType, bool]:
    """The type without its mark of being required, and whether it had one."""
    if isinstance(kind, GraphQLNonNull):
        return kind.of_type, True
    return kind, False
