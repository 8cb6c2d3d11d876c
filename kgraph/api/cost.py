"""How many objects an answer may hold, from the page sizes that its document asks for.

An object counts where it has a place of its own in the catalogue, as a run or a cohort has.
Values inside one come along free. A page counts as full, an unpaged list as what
it usually holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
)
from strawberry.types.field import StrawberryField

from kgraph.api.connection import DEFAULT_PAGE, MAX_PAGE
from kgraph.api.describe import SIZE_KEY

DEFAULT_LIST = 10
"""What an unpaged list is taken to hold where its field says nothing."""

# Lists of introspection: what this schema's types hold on average. Its single fields are free.
_INTROSPECTION_SIZES = {
    "fields": 10,
    "args": 2,
    "inputFields": 2,
    "interfaces": 1,
    "enumValues": 3,
    "possibleTypes": 1,
    "directives": 5,
    "locations": 0,
}

_PAGE_FIELDS = frozenset({"nodes", "edges"})

# Fields that answer one item for each in an argument, by the argument's name.
_GIVEN = {"nodes": "ids", "resolveMany": "inputs"}


@dataclass(frozen=True, slots=True)
class _Weight:
    """What one field of a type adds to an answer."""

    type: GraphQLObjectType | GraphQLInterfaceType | None
    """None where it holds no object."""
    size: int
    """Items of a list; 1 where it is none. For a page's items the page size takes its place."""
    counts: bool
    """Whether each of its objects has a place of its own."""
    is_connection: bool


class CostModel:
    """Computes costs against one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._weights: dict[tuple[str, str], _Weight] = {}
        for name, kind in schema.type_map.items():
            if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
                for field_name, field in kind.fields.items():
                    self._weights[name, field_name] = self._weigh(name, field_name, field)

    def measure(
        self,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        variables: Mapping[str, Any],
    ) -> int:
        """Objects that an answer to the operation may hold."""
        fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        root = self._schema.get_root_type(operation.operation)
        return (
            0
            if root is None
            else _Walk(self, fragments, variables).cost(operation.selection_set, root, 1)
        )

    def weight_of(self, type_name: str, field_name: str) -> _Weight | None:
        """What a field adds; None for one that is free whatever is below it."""
        if field_name == "__schema":
            return _Weight(_object(self._schema.type_map["__Schema"]), 1, False, False)
        if field_name == "__type":
            return _Weight(_object(self._schema.type_map["__Type"]), 1, True, False)
        return self._weights.get((type_name, field_name))

    def find_type(self, name: str) -> GraphQLObjectType | GraphQLInterfaceType | None:
        """The type that a fragment is on."""
        return _object(self._schema.type_map.get(name))

    def _weigh(self, type_name: str, field_name: str, field: GraphQLField) -> _Weight:
        kind = _object(get_named_type(field.type))
        inner = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
        is_list = isinstance(inner, GraphQLList)
        if type_name.startswith("__"):
            size = (
                len(self._schema.type_map)
                if field_name == "types"
                else _INTROSPECTION_SIZES.get(field_name, 1)
            )
            return _Weight(kind, size, is_list, False)
        definition = (field.extensions or {}).get("strawberry-definition")
        size = DEFAULT_LIST if is_list else 1
        if isinstance(definition, StrawberryField):
            size = definition.metadata.get(SIZE_KEY, size)
        is_connection = kind is not None and kind.name.endswith("Connection")
        # An edge stands for its node, which counts below it.
        counts = (
            kind is not None
            and not is_connection
            and not kind.name.endswith("Edge")
            and _has_links(kind)
        )
        return _Weight(kind, size, counts, is_connection)


class _Walk:
    def __init__(
        self,
        model: CostModel,
        fragments: Mapping[str, FragmentDefinitionNode],
        variables: Mapping[str, Any],
    ) -> None:
        self._model, self._fragments, self._variables = model, fragments, variables
        self._known: dict[tuple[str, int], int] = {}

    def cost(
        self,
        selections: SelectionSetNode,
        kind: GraphQLObjectType | GraphQLInterfaceType,
        page: int,
    ) -> int:
        """Objects below one object of `kind`; a connection has `page` items on its page."""
        total = 0
        for node in selections.selections:
            match node:
                case FieldNode():
                    total += self._cost_of_field(node, kind, page)
                case InlineFragmentNode(type_condition=condition, selection_set=inner):
                    found = (
                        kind if condition is None else self._model.find_type(condition.name.value)
                    )
                    if found is not None:
                        total += self.cost(inner, found, page)
                case FragmentSpreadNode(name=name):
                    total += self._cost_of_fragment(name.value, page)
                case _:
                    pass
        return total

    def _cost_of_fragment(self, name: str, page: int) -> int:
        known = self._known.get((name, page))
        if known is None:
            fragment = self._fragments[name]
            found = self._model.find_type(fragment.type_condition.name.value)
            known = 0 if found is None else self.cost(fragment.selection_set, found, page)
            self._known[name, page] = known
        return known

    def _cost_of_field(
        self, node: FieldNode, kind: GraphQLObjectType | GraphQLInterfaceType, page: int
    ) -> int:
        weight = self._model.weight_of(kind.name, node.name.value)
        if weight is None or weight.type is None or node.selection_set is None:
            return 0
        if weight.is_connection:
            return self.cost(node.selection_set, weight.type, self._page_size(node))
        is_paged = kind.name.endswith("Connection") and node.name.value in _PAGE_FIELDS
        size = page if is_paged else weight.size
        if not is_paged:
            size = self._length_of_given(node, size)
        return size * (weight.counts + self.cost(node.selection_set, weight.type, page))

    def _page_size(self, node: FieldNode) -> int:
        sizes = [
            value
            for argument in node.arguments or ()
            if argument.name.value in {"first", "last"}
            and isinstance(value := self._value_of(argument.value), int)
        ]
        # A size out of bounds is refused by the field itself; here it only must not lower the cost.
        return min(max(sizes), MAX_PAGE) if sizes and min(sizes) > 0 else DEFAULT_PAGE

    def _length_of_given(self, node: FieldNode, default: int) -> int:
        """Items of a list that has one for each of those that an argument names."""
        wanted = _GIVEN.get(node.name.value)
        for argument in node.arguments or ():
            if argument.name.value == wanted:
                values = getattr(argument.value, "values", None)
                given = self._value_of(argument.value) if values is None else values
                return len(given) if isinstance(given, list | tuple) else 1
        return default

    def _value_of(self, node: object) -> object:
        if isinstance(node, VariableNode):
            return self._variables.get(node.name.value)
        if isinstance(node, IntValueNode):
            return int(node.value)
        return None


def _object(kind: object) -> GraphQLObjectType | GraphQLInterfaceType | None:
    return kind if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) else None


def _has_links(kind: GraphQLObjectType | GraphQLInterfaceType) -> bool:
    """Whether the type has a place of its own: a global id, or fields that lead elsewhere."""
    if kind.name == "Node" or any(parent.name == "Node" for parent in kind.interfaces):
        return True
    definitions = (
        (field.extensions or {}).get("strawberry-definition") for field in kind.fields.values()
    )
    return any(
        isinstance(definition, StrawberryField) and definition.base_resolver is not None
        for definition in definitions
    )
