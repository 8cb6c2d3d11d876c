"""An execution that is called off leaves nothing behind that complains."""

from __future__ import annotations

import asyncio
import gc
import time
import warnings
from typing import TYPE_CHECKING

from asgi import NOW
from live_server import OBJECTS

from kgraph.api import Engine, Moment, Request, build_schema
from kgraph.catalog import CatalogSource
from kgraph.log import Log
from kgraph.policy import ranking_v1
from kgraph.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.catalog import Catalog

# Links beside and below each other, none of whose facts are in memory yet.
DOCUMENT = """{ cohorts(first: 5) { nodes {
  protocol { title } environment { title } hardware { product }
  workload { label operation { title family { slug } } }
  record { run { title implementation { title project { name } } object { objectId } } }
  headroom { floorNs } ranking(first: 2) { nodes { run { workload { label } } } } } } }"""


async def call_off(engine: Engine, moment: Moment, seconds: float, turns: int) -> bool:
    """Whether the execution was still going on after so long and so many turns of the loop."""
    task = asyncio.create_task(engine.answer(Request(DOCUMENT), moment))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and not task.done():
        await asyncio.sleep(0)
    for _ in range(turns):
        await asyncio.sleep(0)
    is_going_on = not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return is_going_on


def open_anew(folder: Path) -> Catalog:
    """The starter catalogue with nothing in memory, its index in a folder."""
    store = open_store(OBJECTS)
    return CatalogSource(Log(store), store, ranking_v1, folder=folder, clock=lambda: NOW).current()


def test_what_is_called_off_complains_of_nothing(tmp_path: Path) -> None:
    engine = Engine(build_schema())
    seen = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(80):
            moment = Moment(open_anew(tmp_path), NOW, "http://kgraph.test", "r-1")
            seen += asyncio.run(call_off(engine, moment, number / 2_000, number % 3))
            gc.collect()
    engine.close()

    assert seen > 5
    assert [str(one.message) for one in caught] == []
