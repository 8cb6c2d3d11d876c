"""What a schema says of its fields so that they can be projected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence

    from graphql import GraphQLObjectType


class Link(Protocol):
    """A field that is answered for many objects at once."""

    def load(
        self,
        context: Any,  # noqa: ANN401 - whatever the schema resolves with
        sources: Sequence[Any],
        arguments: Mapping[str, Any],
    ) -> Sequence[Any] | Awaitable[Sequence[Any]]:
        """The field's value of each source, in order.

        Args:
            context: The context value of the request.
            arguments: As graphql-core coerced them; the same for all sources.

        Raises:
            Exception: whatever the field's own resolver would raise for any of the sources.
        """


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field whose value is an attribute of the object, read without side effects."""

    name: str


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """How objects of one GraphQL type look."""

    classes: frozenset[type]
    """Exactly these classes; an object of any other is left to stock execution."""
    fields: Mapping[str, Attribute | Link] = field(default_factory=dict)
    """By GraphQL name; a field that is missing here is left to stock execution."""
    is_kept: bool = False
    """Whether the same objects come again with later requests, and never change: what is made of
    one is then kept."""


class Description(Protocol):
    """Says how the objects of a schema look."""

    def shape_of(self, kind: GraphQLObjectType) -> ObjectShape | None:
        """The shape of a type's objects; None where nothing is known of them."""
