"""Following a digest to what it names: one definition for one object and for many at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from kgraph.api.describe import LINK_ATTRIBUTE
from kgraph.projector import Later

if TYPE_CHECKING:
    from kgraph.api.batch import BatchLoader
    from kgraph.api.context import Context, Info
    from kgraph.api.loaders import Loaders

R = TypeVar("R")
T = TypeVar("T")
Resolver = TypeVar("Resolver", bound=Callable[..., object])


class DanglingError(Exception):
    """Something cites what the catalogue does not hold; the index should have kept it out."""

    def __init__(self, name: object) -> None:
        super().__init__(f"{name} is cited and not held")


async def require_all(loader: BatchLoader[Any, T | None], keys: Sequence[Hashable]) -> list[T]:
    """What a loader finds for each key, of things that must be there.

    Raises:
        DanglingError: one is not; the fault is ours, not the client's.
    """
    found = loader.load_many(keys)
    values: list[T] = []
    for key, value in zip(keys, found if isinstance(found, list) else await found, strict=True):
        if value is None:
            raise DanglingError(key)
        values.append(value)
    return values


async def load_each(loader: BatchLoader[Any, T | None], keys: Sequence[Hashable]) -> list[T]:
    """What a loader finds for each key, in order, of things that must be there.

    Raises:
        DanglingError: one is not; the fault is ours, not the client's.
    """
    found = loader.load_many(keys)
    values = found if isinstance(found, list) else await found
    held: list[T] = []
    for key, value in zip(keys, values, strict=True):
        if value is None:
            raise DanglingError(key)
        held.append(value)
    return held


class Link(Generic[R, T]):
    """A field that a batch loader answers by a key that each object holds."""

    def __init__(
        self,
        loader: Callable[[Loaders], BatchLoader[Any, Any]],
        key: Callable[[R], Hashable | None],
        *,
        absent: Callable[[Hashable], Any] | None = None,
        then: Callable[[Loaders, Any], T] | None = None,
        part: Callable[..., Hashable] | None = None,
    ) -> None:
        """A link without state of its own.

        Args:
            loader: Picks the relation.
            key: What an object is looked up by; None where it leads nowhere, which is null.
            absent: What stands for a key that names nothing; where not given, that is our fault.
            then: What the field is of what the loader found; that itself where not given.
            part: The second part of the key, of the context and the field's arguments by name.
        """
        self._loader, self._key, self._part = loader, key, part
        self._absent, self._then = absent, then

    async def follow(self, root: R, info: Info, **arguments: object) -> T:
        """The field of one object.

        Raises:
            DanglingError: the key must name something and does not.
        """
        found = self.load(info.context, (root,), arguments)
        return cast("T", found[0] if isinstance(found, list) else (await found)[0])

    def load(
        self, context: Context, sources: Sequence[R], arguments: Mapping[str, Any]
    ) -> list[Any] | Awaitable[list[Any]]:
        """The field of each object, in order; a list where all is at hand; errors as `follow`."""
        loaders, find_key = context.loaders, self._key
        keys: list[Hashable | None] = [find_key(source) for source in sources]
        if self._part is not None:
            part = self._part(context, **arguments)
            keys = [None if key is None else (key, part) for key in keys]
        found = self._loader(loaders).load_many([key for key in keys if key is not None])
        if isinstance(found, list):
            return self._complete(loaders, keys, found)
        return Later(self._await, loaders, keys, found)

    async def _await(
        self, loaders: Loaders, keys: list[Hashable | None], found: Awaitable[list[Any]]
    ) -> list[Any]:
        return self._complete(loaders, keys, await found)

    def _complete(
        self, loaders: Loaders, keys: list[Hashable | None], found: list[Any]
    ) -> list[Any]:
        if any(value is None for value in found):
            found = [
                self._replace(key) if value is None else value
                for key, value in zip((key for key in keys if key is not None), found, strict=True)
            ]
        if self._then is not None:
            found = [None if value is None else self._then(loaders, value) for value in found]
        if len(found) == len(keys):
            return found
        rest = iter(found)
        return [None if key is None else next(rest) for key in keys]

    def _replace(self, key: Hashable) -> object:
        if self._absent is None:
            raise DanglingError(key[0] if isinstance(key, tuple) else key)
        return self._absent(key)


class Gathered(Generic[R, T]):
    """A field that is made of what several relations hold, for many objects at once."""

    def __init__(self, load: Callable[[Context, Sequence[R]], Awaitable[list[T]]]) -> None:
        """A field without state of its own.

        Args:
            load: The field of each object, in order.
        """
        self._load = load

    async def follow(self, root: R, info: Info) -> T:
        """The field of one object; errors as its relations'."""
        return (await self._load(info.context, (root,)))[0]

    def load(
        self,
        context: Context,
        sources: Sequence[R],
        arguments: Mapping[str, Any],  # noqa: ARG002 - as links have it
    ) -> Awaitable[list[T]]:
        """The field of each object, in order; errors as `follow`."""
        return Later(self._load, context, sources)


class AtHand(Generic[R, T]):
    """A field that is made of its object alone."""

    def __init__(self, make: Callable[[Loaders, R], T]) -> None:
        self._make = make

    def load(
        self,
        context: Context,
        sources: Sequence[R],
        arguments: Mapping[str, Any],  # noqa: ARG002 - as links have it
    ) -> list[T]:
        """The field of each object, in order."""
        loaders, make = context.loaders, self._make
        return [make(loaders, source) for source in sources]

    def follow(self, root: R, info: Info) -> T:
        """The field of one object."""
        return self._make(info.context.loaders, root)


def null(_: Hashable) -> None:
    """What stands for a key that may name nothing."""


def empty(_: Hashable) -> list[Any]:
    """The list of a key that owns nothing."""
    return []


def answered_by(
    link: Link[Any, Any] | Gathered[Any, Any] | AtHand[Any, Any],
) -> Callable[[Resolver], Resolver]:
    """Marks a resolver that does nothing but follow `link`, which then answers many objects."""

    def mark(resolver: Resolver) -> Resolver:
        setattr(resolver, LINK_ATTRIBUTE, link)
        return resolver

    return mark
