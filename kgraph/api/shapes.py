"""How the objects of a Strawberry schema look, for the projector."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from graphql import GraphQLObjectType
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY
from strawberry.types.arguments import StrawberryArgument, convert_arguments
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField

from kgraph.api.describe import LINK_ATTRIBUTE
from kgraph.api.scalars import build_scalar_map
from kgraph.api.types.cohort import Cohort
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.implementation import Implementation
from kgraph.api.types.operation import Operation
from kgraph.api.types.run import Run
from kgraph.api.types.workload import Workload
from kgraph.projector import Attribute, Link, ObjectShape, ProjectingExecutor

_DEFINITION = "strawberry-definition"

KEPT: frozenset[type] = frozenset(
    {Cohort, Environment, Implementation, Operation, Protocol, Run, Workload}
)
"""Types whose objects are made once for a snapshot; see `Loaders`."""


class StrawberryProjectingExecutor(ProjectingExecutor, StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor with projections."""


class _Converting:
    """A link whose arguments are what its resolver would be given, inputs as their classes."""

    def __init__(
        self, link: Link, arguments: list[StrawberryArgument], scalars: Mapping[object, Any]
    ) -> None:
        self._link, self._arguments, self._scalars = link, arguments, scalars
        self._config = StrawberryConfig()

    def load(
        self,
        context: Any,  # noqa: ANN401 - as the projector gives it
        sources: Sequence[Any],
        arguments: Mapping[str, Any],
    ) -> Sequence[Any] | Awaitable[Sequence[Any]]:
        given = convert_arguments(dict(arguments), self._arguments, self._scalars, self._config)
        return self._link.load(context, sources, given)


class StrawberryShapes:
    """Shapes of one schema's types, each found once."""

    def __init__(self, kept: frozenset[type] = KEPT) -> None:
        """Shapes of which none is known yet.

        Args:
            kept: Types whose objects come again with later requests, and never change.
        """
        self._kept = kept
        self._known: dict[str, ObjectShape | None] = {}
        self._scalars = {**DEFAULT_SCALAR_REGISTRY, **build_scalar_map()}

    def shape_of(self, kind: GraphQLObjectType) -> ObjectShape | None:
        """The shape of a type's objects; None where it is no type of Strawberry's."""
        if kind.name not in self._known:
            self._known[kind.name] = _find_shape(kind, self._scalars, self._kept)
        return self._known[kind.name]


def _find_shape(
    kind: GraphQLObjectType, scalars: Mapping[object, Any], kept: frozenset[type]
) -> ObjectShape | None:
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
            arguments = found.arguments
            fields[name] = _Converting(link, arguments, scalars) if arguments else link
        elif found.is_basic_field:
            fields[name] = Attribute(found.python_name)
    return ObjectShape(frozenset(classes), fields, is_kept=definition.origin in kept)
