"""Two engines over one catalogue: one projects, the other is stock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kgraph.api import Engine, Limits, Moment, Request, build_schema

if TYPE_CHECKING:
    from kgraph.api import Answer
    from kgraph.catalog import Catalog

NOW = datetime(2026, 9, 1, tzinfo=UTC)

# Generated documents ask for more than any page does, in more ways.
LIMITS = Limits(
    document_bytes=10**7,
    tokens=10**6,
    depth=40,
    aliases=10**4,
    repeats=10**4,
    cost=10**9,
    seconds=120,
)


class Pair:
    """Asks both engines the same."""

    def __init__(self, catalog: Catalog) -> None:
        self._moment = Moment(catalog, NOW, "http://kgraph.test", "r-1")
        schema = build_schema()
        self.projecting = Engine(schema, LIMITS)
        self.stock = Engine(schema, LIMITS, projector=False)

    def ask(
        self, document: str, variables: dict[str, Any] | None = None, name: str | None = None
    ) -> tuple[Answer, Answer]:
        """The answers of stock execution and of projections."""
        request = Request(document, variables or {}, name)

        async def both() -> tuple[Answer, Answer]:
            return (
                await self.stock.answer(request, self._moment),
                await self.projecting.answer(request, self._moment),
            )

        return asyncio.run(both())

    def close(self) -> None:
        """Let the threads go."""
        self.projecting.close()
        self.stock.close()
