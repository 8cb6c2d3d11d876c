"""How API types say what they are: one description per type, field and argument, written once.

A type's docstring is its GraphQL description; a field's is the first argument of `plain` or
`linked`. Fields of the latter have a resolver and are no constructor arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal, TypeVar, dataclass_transform

import strawberry
from strawberry.types.field import StrawberryField

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

SIZE_KEY = "kgraph.size"
"""Field metadata: items that an unpaged list is taken to hold when cost is computed."""

LINK_ATTRIBUTE = "kgraph_link"
"""Attribute of a resolver, and field metadata: what answers the field for many objects at once."""


def plain(description: str, *, size: int | None = None, name: str | None = None) -> Any:  # noqa: ANN401 - a dataclass field specifier
    """A field read from the attribute of the same name.

    Args:
        size: what an unpaged list is taken to hold when cost is computed; one item where not given.
        name: GraphQL name where it differs from the attribute in camel case.
    """
    return strawberry.field(description=description, name=name, metadata=_describe_size(size))


def linked(
    resolver: Callable[..., object],
    description: str,
    *,
    size: int | None = None,
    name: str | None = None,
    init: Literal[False] = False,  # noqa: ARG001 - read by type checkers: not a constructor argument
) -> Any:  # noqa: ANN401 - a dataclass field specifier
    """A field that `resolver` answers."""
    metadata: dict[str, object] = {**_describe_size(size)}
    link = getattr(resolver, LINK_ATTRIBUTE, None)
    if link is not None:
        metadata[LINK_ATTRIBUTE] = link
    return strawberry.field(
        resolver=resolver, description=description, name=name, metadata=metadata
    )


def optional(
    description: str, *, name: str | None = None, default: object = strawberry.UNSET
) -> Any:  # noqa: ANN401 - a dataclass field specifier
    """An input field that may be left out."""
    return strawberry.field(description=description, name=name, default=default)


@dataclass_transform(kw_only_default=True, field_specifiers=(plain, linked, StrawberryField))
def object_type(cls: type[T]) -> type[T]:
    """Make `cls` a GraphQL object type described by its docstring."""
    return strawberry.type(cls, description=_read_doc(cls))


@dataclass_transform(kw_only_default=True, field_specifiers=(plain, linked, StrawberryField))
def interface_type(cls: type[T]) -> type[T]:
    """Make `cls` a GraphQL interface described by its docstring."""
    return strawberry.interface(cls, description=_read_doc(cls))


@dataclass_transform(kw_only_default=True, field_specifiers=(plain, optional, StrawberryField))
def input_type(cls: type[T]) -> type[T]:
    """Make `cls` a GraphQL input type described by its docstring."""
    return strawberry.input(cls, description=_read_doc(cls))


@dataclass_transform(kw_only_default=True, field_specifiers=(plain, optional, StrawberryField))
def where_type(cls: type[T]) -> type[T]:
    """Like `input_type`, with `and`, `or` and `not` to combine inputs of the same type."""
    name = cls.__name__
    for attribute, annotation, description in (
        ("and_", f"list[{name}] | None", "All of these hold."),
        ("or_", f"list[{name}] | None", "At least one of these holds."),
        ("not_", f"{name} | None", "This does not hold."),
    ):
        cls.__annotations__[attribute] = annotation
        setattr(cls, attribute, optional(description, name=attribute.rstrip("_")))
    return input_type(cls)


def choice_type(cls: type[E]) -> type[E]:
    """Make `cls` a GraphQL enum described by its docstring, each member by its own name."""
    made = strawberry.enum(cls, description=_read_doc(cls))
    for value in made.__strawberry_definition__.values:  # type: ignore[attr-defined] # set by strawberry.enum
        words = value.name.lower().replace("_", " ")
        value.description = f"By {words}."
    return made


def _read_doc(cls: type[object]) -> str:
    return inspect.cleandoc(cls.__doc__ or "")


def _describe_size(size: int | None) -> dict[str, int]:
    return {} if size is None else {SIZE_KEY: size}
