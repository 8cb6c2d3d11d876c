"""Documents over a schema, generated: any selection that validation passes, and then some."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLObjectType,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_required_argument,
)

if TYPE_CHECKING:
    from random import Random

    from graphql import GraphQLField, GraphQLNamedType, GraphQLSchema

Composite = GraphQLObjectType | GraphQLInterfaceType

DIRECTIVES = (
    "@include(if: $yes)",
    "@skip(if: $no)",
    "@include(if: $maybe)",
    "@skip(if: $maybe)",
    "@include(if: true)",
    "@skip(if: true)",
    "@include(if: $yes) @skip(if: $maybe)",
)


def can_be_asked(field: GraphQLField) -> bool:
    """Whether all required arguments are texts, numbers or enums, or lists of them."""
    return all(
        is_leaf_type(get_named_type(argument.type))
        for argument in field.args.values()
        if is_required_argument(argument)
    )


@dataclass
class Generator:
    """Writes one document."""

    random: Random
    schema: GraphQLSchema
    ids: list[str]
    """Global ids of things that are there, and of some that are not."""
    depth: int = 4
    fragments: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By name: the type that it is on, and its text."""
    _aliases: int = 0

    def document(self) -> str:
        """An operation with one to three root fields, among others of the document."""
        query = self.schema.query_type
        assert query is not None
        fields = [item for item in query.fields.items() if can_be_asked(item[1])]
        chosen = [self.random.choice(fields) for _ in range(self.random.randint(1, 3))]
        parts = [self._field(name, definition, self.depth) for name, definition in chosen]
        used = "u1: __typename @include(if: $yes) u2: __typename @skip(if: $no)"
        used += " u3: __typename @include(if: $maybe) u4: runs(first: $n) { totalCount }"
        text = (
            "query Asked($yes: Boolean = true, $no: Boolean! = false, $maybe: Boolean!, $n: Int) "
            f"{{ {used} {' '.join(parts)} }}\nquery Other($yes: Int) {{ runs(first: $yes) "
            "{ totalCount } }"
        )
        return "\n".join([text, *(body for _, body in self.fragments.values())])

    def variables(self) -> dict[str, Any]:
        """Values for the operation."""
        values: dict[str, Any] = {"maybe": self.random.random() < 0.5}
        if self._chance(0.5):
            values["yes"] = self._chance(0.5)
        if self._chance(0.5):
            values["n"] = self.random.choice([1, 2, 3, None])
        return values

    def _chance(self, share: float) -> bool:
        return self.random.random() < share

    def _selection(self, kind: Composite, depth: int) -> str:
        fields = [
            item
            for item in kind.fields.items()
            if can_be_asked(item[1]) and (depth > 0 or is_leaf_type(get_named_type(item[1].type)))
        ]
        parts = ["__typename"] if self._chance(0.3) or not fields else []
        for _ in range(self.random.randint(1, 5)):
            if not fields:
                break
            name, definition = self.random.choice(fields)
            parts.append(self._wrap(kind, self._field(name, definition, depth), depth))
        if isinstance(kind, GraphQLInterfaceType) and depth > 0:
            possible = self.schema.get_possible_types(kind)
            parts += [
                f"... on {concrete.name} {self._selection(concrete, depth - 1)}"
                for concrete in self.random.sample(list(possible), 3)
            ]
        known = [name for name, (on, _) in self.fragments.items() if on == kind.name]
        if known and self._chance(0.5):
            parts.append(f"...{self.random.choice(known)}")
        return f"{{ {' '.join(parts)} }}"

    def _wrap(self, kind: Composite, text: str, depth: int) -> str:
        directive = self.random.choice(DIRECTIVES) if self._chance(0.2) else ""
        if self._chance(0.15):
            return f"... on {kind.name} {directive} {{ {text} }}"
        if self._chance(0.05) and isinstance(kind, GraphQLObjectType) and kind.interfaces:
            return f"... on {kind.interfaces[0].name} {{ id }} {text}"
        if self._chance(0.08) and depth > 0:
            name = f"F{len(self.fragments)}"
            self.fragments[name] = (kind.name, f"fragment {name} on {kind.name} {{ {text} }}")
            return f"...{name} {directive} ...{name}"
        return f"... {directive} {{ {text} }}" if directive and self._chance(0.5) else text

    def _field(self, name: str, definition: GraphQLField, depth: int) -> str:
        arguments = self._arguments(definition)
        text = name + (f"({', '.join(arguments)})" if arguments else "")
        # A field with arguments always has a name of its own: two of one name must have the same.
        if arguments or self._chance(0.2):
            self._aliases += 1
            text = f"a{self._aliases}: {text}"
        if self._chance(0.1):
            text += " " + self.random.choice(DIRECTIVES)
        inner = get_named_type(definition.type)
        if isinstance(inner, Composite):
            text += " " + self._selection(inner, depth - 1)
        return text

    def _arguments(self, definition: GraphQLField) -> list[str]:
        arguments: list[str] = []
        if "first" in definition.args:
            choices = ("first: 2", "first: 1", "last: 2", "first: 3", "first: $n", "first: 201")
            weights = (6, 4, 3, 3, 3, 0.1)
            arguments.append(self.random.choices(choices, weights)[0])
        for argument, given in definition.args.items():
            inner = get_named_type(given.type)
            is_required = is_required_argument(given)
            if isinstance(inner, GraphQLEnumType) and (is_required or self._chance(0.3)):
                value = self.random.choice(list(inner.values))
                is_list = isinstance(get_nullable_type(given.type), GraphQLList)
                arguments.append(f"{argument}: [{value}]" if is_list else f"{argument}: {value}")
            elif argument == "orderBy" and self._chance(0.3):
                arguments.append(f"orderBy: [{self._order(inner)}]")
            elif argument == "ids":
                chosen = self.random.choices(self.ids, k=3)
                arguments.append("ids: [" + ", ".join(f'"{item}"' for item in chosen) + "]")
            elif is_required and isinstance(get_nullable_type(given.type), GraphQLList):
                arguments.append(
                    f'{argument}: ["{self._name(argument)}", "{self._name(argument)}"]'
                )
            elif is_required and inner.name == "Int":
                arguments.append(f"{argument}: 3")
            elif is_required:
                arguments.append(f'{argument}: "{self._name(argument)}"')
        return arguments

    def _order(self, kind: GraphQLNamedType) -> str:
        assert isinstance(kind, GraphQLInputObjectType)
        fields = get_named_type(kind.fields["field"].type)
        assert isinstance(fields, GraphQLEnumType)
        chosen = self.random.choice(list(fields.values))
        direction = self.random.choice(("", ", direction: DESC"))
        return f"{{ field: {chosen}{direction} }}"

    def _name(self, argument: str) -> str:
        chosen = self.random.choice(self.ids)
        return chosen if argument == "id" else chosen.partition(":")[2]
