"""How the objects of a Strawberry schema look, for the projector."""

from __future__ import annotations

from graphql import GraphQLObjectType
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField

from kgraph.api.describe import LINK_ATTRIBUTE
from kgraph.projector import Attribute, Link, ObjectShape, ProjectingExecutor

_DEFINITION = "strawberry-definition"


class StrawberryProjectingExecutor(ProjectingExecutor, StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor with projections."""


class StrawberryShapes:
    """Shapes of one schema's types, each found once."""

    def __init__(self) -> None:
        self._known: dict[str, ObjectShape | None] = {}

    def shape_of(self, kind: GraphQLObjectType) -> ObjectShape | None:
        """The shape of a type's objects; None where it is no type of Strawberry's."""
        if kind.name not in self._known:
            self._known[kind.name] = _find_shape(kind)
        return self._known[kind.name]


def _find_shape(kind: GraphQLObjectType) -> ObjectShape | None:
    definition = (kind.extensions or {}).get(_DEFINITION)
    if not isinstance(definition, StrawberryObjectDefinition) or definition.is_type_of is not None:
        return None
    # Of a generic type, objects are also made under its general name.
    general = definition.concrete_of
    classes = {definition.origin} if general is None else {definition.origin, general.origin}
    fields: dict[str, Attribute | Link] = {}
    for name, field in kind.fields.items():
        found = (field.extensions or {}).get(_DEFINITION)
        if not isinstance(found, StrawberryField) or found.extensions:
            continue
        link: Link | None = found.metadata.get(LINK_ATTRIBUTE)
        if link is not None:
            fields[name] = link
        elif found.is_basic_field:
            fields[name] = Attribute(found.python_name)
    return ObjectShape(frozenset(classes), fields)
