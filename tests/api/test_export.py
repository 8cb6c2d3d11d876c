"""Exports as the API plans and reads them, and what becomes of a request that nobody waits for."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from asgi import NOW

from kgraph.api import (
    Engine,
    ExportRefusedError,
    Limits,
    Moment,
    Request,
    build_schema,
    export,
    plan_export,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog

RUNS = "{ runs { nodes { digest } } }"


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine(build_schema(), Limits())
    yield made
    made.close()


@pytest.fixture
def moment(built_catalog: Catalog) -> Moment:
    return Moment(built_catalog, NOW, base_url="", request_id="test")


def read(engine: Engine, moment: Moment, document: str, limit: int | None = None) -> list[int]:
    """Rows of each page."""

    async def run() -> list[int]:
        planned = await plan_export(engine, Request(document), limit=limit, request_id="test")
        return [page.row_count async for page in planned.pages(moment)]

    return asyncio.run(run())


def test_a_list_that_is_too_long_is_refused_before_its_first_row(
    engine: Engine, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = sum(read(engine, moment, RUNS))
    monkeypatch.setattr(export, "MAX_ROWS", total - 1)

    with pytest.raises(ExportRefusedError) as caught:
        read(engine, moment, RUNS)

    assert caught.value.code == "LIMIT_ROWS"
    extensions = caught.value.errors[0]["extensions"]
    assert (extensions["limit"], extensions["asked"]) == (total - 1, total)
    assert sum(read(engine, moment, RUNS, limit=total - 1)) == total - 1
    monkeypatch.setattr(export, "MAX_ROWS", total)
    assert sum(read(engine, moment, RUNS)) == total


@pytest.mark.parametrize(
    ("first", "limit", "pages"),
    [(3, 7, [3, 3, 1]), (3, 6, [3, 3]), (3, 2, [2]), (None, 7, [7])],
)
def test_the_last_page_is_as_long_as_the_limit_leaves(
    engine: Engine, moment: Moment, first: int | None, limit: int, pages: list[int]
) -> None:
    document = RUNS if first is None else RUNS.replace("runs", f"runs(first: {first})")

    assert read(engine, moment, document, limit) == pages


def test_a_page_is_shorter_where_its_cost_is_too_high(built_catalog: Catalog) -> None:
    moment = Moment(built_catalog, NOW, base_url="", request_id="test")
    engine = Engine(build_schema(), Limits(cost=90))

    assert read(engine, moment, RUNS, limit=25) == [25]
    wide = "{ runs { nodes { cohort { record { run { digest } } } } } }"
    assert read(engine, moment, wide, limit=25) == [20, 5]
    with pytest.raises(ExportRefusedError) as caught:
        read(engine, moment, wide.replace("runs {", "runs(first: 25) {", 1))
    engine.close()

    assert caught.value.code == "LIMIT_COST"


def test_a_question_to_the_database_is_stopped_when_its_client_leaves(
    engine: Engine, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    stopped: list[str] = []

    def ask_slowly(_: Catalog) -> None:
        asked.append("counts")
        while not stopped:
            time.sleep(0.005)

    catalog = type(moment.catalog)
    monkeypatch.setattr(catalog, "counts", ask_slowly)
    monkeypatch.setattr(catalog, "interrupter", lambda _: lambda: stopped.append("counts"))

    async def leave() -> None:
        answering = asyncio.create_task(
            engine.answer(Request("{ catalog { counts { runs } } }"), moment)
        )
        while not asked:
            await asyncio.sleep(0.005)
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering

    asyncio.run(leave())

    assert stopped == ["counts"]
