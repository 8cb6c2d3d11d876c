from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from kgraph.client import AsyncClient, AsyncRows, Client, Rows

SLUG = "liger-distill-cosine-loss"


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_")}


@pytest.mark.parametrize(("blocking", "awaiting"), [(Client, AsyncClient), (Rows, AsyncRows)])
def test_both_clients_take_the_same_questions(blocking: type, awaiting: type) -> None:
    assert public(blocking).keys() == public(awaiting).keys()
    for name, method in public(blocking).items():
        twin = public(awaiting)[name]
        ours, theirs = inspect.signature(method), inspect.signature(twin)
        assert list(ours.parameters.values()) == list(theirs.parameters.values()), name
        assert inspect.getdoc(method) == inspect.getdoc(twin), name


def test_both_clients_get_the_same_answers(server: str, client: Client) -> None:
    cohort = next(iter(client.records(operation=SLUG, limit=1))).cohort.key

    async def ask() -> list[object]:
        async with AsyncClient(server) as other:
            pinned = await other.pinned()
            return [
                *await asyncio.gather(
                    other.catalog(),
                    other.operation(SLUG),
                    pinned.sweep(SLUG),
                    other.resolve(SLUG, axes={"tokens": 4096}),
                    other.runs(operation=SLUG, page_size=5).table(),
                    other.records(operation=SLUG).table(),
                    other.record_history(operation=SLUG).table(),
                    other.ranking(cohort).table(),
                    other.records().count(),
                    other.execute("{ catalog { snapshot } }"),
                ),
                [run.digest async for run in other.runs(operation=SLUG, limit=3)],
                await other.run((await other.runs(limit=1).table())[0].digest),
            ]

    assert asyncio.run(ask()) == [
        client.catalog(),
        client.operation(SLUG),
        client.sweep(SLUG),
        client.resolve(SLUG, axes={"tokens": 4096}),
        client.runs(operation=SLUG).table(),
        client.records(operation=SLUG).table(),
        client.record_history(operation=SLUG).table(),
        client.ranking(cohort).table(),
        client.records().count(),
        client.execute("{ catalog { snapshot } }"),
        [run.digest for run in client.runs(operation=SLUG, limit=3)],
        client.run(client.runs(limit=1).table()[0].digest),
    ]


def test_frames_can_be_awaited(server: str, client: Client) -> None:
    async def ask() -> tuple[Any, Any]:
        async with AsyncClient(server) as other:
            rows = other.runs(operation=SLUG)
            return await rows.to_pandas(), await rows.to_polars()

    wide, other = asyncio.run(ask())

    assert wide.equals(client.runs(operation=SLUG).to_pandas())
    assert other.equals(client.runs(operation=SLUG).to_polars())
