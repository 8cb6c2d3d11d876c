"""How loaders are made: one question for all keys of a relation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeVar

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import Connection, ListRequest, build_connection, naming_cursor
from kgraph.api.worker import Worker
from kgraph.catalog import Catalog, own
from kgraph.digest import SpecDigest
from kgraph.errors import KgraphError
from kgraph.facts import Filter, Order, Page, PageRequest

K = TypeVar("K", bound=Hashable)
F = TypeVar("F")
T = TypeVar("T")
C = TypeVar("C", bound=Connection[Any])
D = TypeVar("D", bound="Named")


class Named(Protocol):
    """A fact that has a digest."""

    @property
    def digest(self) -> SpecDigest:
        """Spec digest of what it is about."""


class PageLoad(Protocol[F]):
    """What finds a page of a list for each owner."""

    def __call__(
        self,
        owners: Iterable[Any],
        page: PageRequest,
        /,
        *,
        where: Filter | None,
        order: tuple[Order, ...],
    ) -> Mapping[Any, Page[F]]:
        """The pages, by owner."""


class LoaderBase:
    """What every group of relations is made with."""

    def __init__(self, catalog: Catalog, worker: Worker, now: datetime) -> None:
        self._catalog, self._worker, self._now = catalog, worker, now

    def _kept(
        self,
        relation: str,
        load: Callable[[Iterable[K]], Mapping[K, F]],
        build: Callable[[F], T],
    ) -> BatchLoader[K, T | None]:
        """Like `_by_key` for what stays the same while the snapshot stands: made once for all."""
        memory = self._catalog.derived

        def make(keys: list[K]) -> dict[K, T]:
            return {key: build(fact) for key, fact in load(keys).items()}

        async def find(keys: list[K]) -> list[T | None]:
            found = await self._worker.run(lambda: memory.load(relation, keys, make))
            return [found.get(key) for key in keys]

        return BatchLoader(find, lambda keys: memory.peek(relation, keys)[0])

    def _remembering(self, relation: str, build: Callable[[D], T]) -> Callable[[D], T]:
        """What `_kept` keeps of a relation by digest, for facts that come from elsewhere."""
        memory = self._catalog.derived
        return lambda fact: memory.remember(relation, fact.digest, lambda: build(fact))

    def _by_key(
        self, load: Callable[[Iterable[K]], Mapping[K, F]], build: Callable[[F], T]
    ) -> BatchLoader[K, T | None]:
        async def answer(keys: list[K]) -> list[T | None]:
            found = await self._worker.run(lambda: load(keys))
            return [build(found[key]) if key in found else None for key in keys]

        return BatchLoader(answer)

    def _by_owner(
        self, load: Callable[[Iterable[K], Any], Mapping[K, F]], build: Callable[[F], T]
    ) -> BatchLoader[Any, T | None]:
        """Like `_by_key` for keys with one more part: one question for each value of that part."""

        async def answer(keys: list[tuple[K, Hashable]]) -> list[T | KgraphError | None]:
            groups: defaultdict[Hashable, list[K]] = defaultdict(list)
            for owner, part in keys:
                groups[part].append(owner)
            found: dict[Hashable, Mapping[K, F] | KgraphError] = {}
            for part, owners in groups.items():
                found[part] = await self._ask_part(load, owners, part)
            answers: list[T | KgraphError | None] = []
            for owner, part in keys:
                held = found[part]
                if isinstance(held, KgraphError):
                    answers.append(held)
                else:
                    answers.append(build(held[owner]) if owner in held else None)
            return answers

        return BatchLoader(answer)

    async def _ask_part(
        self, load: Callable[[Iterable[K], Any], Mapping[K, F]], owners: list[K], part: Hashable
    ) -> Mapping[K, F] | KgraphError:
        """What is found for one part; a refusal of it leaves the other parts alone."""
        try:
            page = _find_page(part)
            if page is None:
                return await self._worker.run(lambda: load(owners, part))
            with naming_cursor(page):
                return await self._worker.run(lambda: load(owners, part))
        except KgraphError as error:
            return error

    def _owned_pages(
        self,
        load: PageLoad[F],
        field: str,
        kind: type[C],
        build: Callable[[F], object],
    ) -> BatchLoader[Any, C | None]:
        """A page of a list for each owner, whose name stands in `field` of the list."""

        def load_named(
            keys: Iterable[str], asked: ListRequest
        ) -> Mapping[str, tuple[Filter, Page[F]]]:
            found = load(keys, asked.page, where=asked.where, order=asked.order)
            return {key: (own(field, key, asked.where), items) for key, items in found.items()}

        return self._by_owner(
            load_named,
            lambda owned: build_connection(kind, owned[1], build, {"where": owned[0]}),
        )


def _find_page(part: Hashable) -> PageRequest | None:
    """The page that a part of a key asks for; None where it asks for none."""
    for each in part if isinstance(part, tuple) else (part,):
        if isinstance(each, ListRequest):
            return each.page
    return None
