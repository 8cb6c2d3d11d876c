"""The process that draws: the same bytes from each, and what happens where one fails."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from image_files import PNG_BEGIN, read_svg

from kgraph.web.images.painter import BusyError, DrawingError, Painter
from kgraph.web.images.svg import name_drawing, place_emoji
from kgraph.web.images.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

SPEC: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "data": {"values": [{"name": "نواة 🚀 fi", "value": 3}, {"name": "<b>&", "value": 5}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "value", "type": "quantitative"},
        "y": {"field": "name", "type": "nominal"},
    },
}


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    painter = Painter()
    yield painter
    painter.close()


async def draw(painter: Painter) -> tuple[str, bytes]:
    svg = await painter.draw_svg("one", SPEC)
    return svg, await painter.draw_png("one", place_emoji(svg), 2)


def test_two_processes_draw_the_same_bytes(painter: Painter) -> None:
    other = Painter()
    try:
        first, second = asyncio.run(draw(painter)), asyncio.run(draw(other))
    finally:
        other.close()

    assert first == second
    assert painter.process_id != other.process_id
    assert first[1].startswith(PNG_BEGIN)


def test_no_process_runs_before_it_is_asked_for_and_none_after_it_is_closed() -> None:
    painter = Painter()
    seen = [painter.process_id]

    asyncio.run(painter.draw_svg("one", SPEC))
    seen.append(painter.process_id)
    painter.close()
    seen.append(painter.process_id)

    before, process, after = seen
    assert before is after is None
    assert process is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_process_that_ended_is_replaced(painter: Painter) -> None:
    before = asyncio.run(painter.draw_svg("one", SPEC))
    first = painter.process_id
    assert first is not None

    os.kill(first, signal.SIGKILL)

    assert asyncio.run(painter.draw_svg("one", SPEC)) == before
    assert painter.process_id not in {None, first}


def test_what_is_no_specification_is_refused_and_the_process_stays(painter: Painter) -> None:
    asyncio.run(painter.draw_svg("one", SPEC))
    process = painter.process_id

    with pytest.raises(DrawingError, match="image: not drawn"):
        asyncio.run(painter.draw_svg("bad", {"mark": {"type": "no such mark"}}))

    assert painter.process_id == process


def test_a_drawing_that_takes_too_long_is_given_up() -> None:
    sleeping = (sys.executable, "-c", "import time; time.sleep(600)")
    painter = Painter(seconds=0.2, command=sleeping)

    with pytest.raises(DrawingError, match=r"more than 0\.2 s"):
        asyncio.run(painter.draw_svg("one", SPEC))

    assert painter.process_id is None


def test_a_process_that_ends_at_once_is_not_tried_for_ever() -> None:
    painter = Painter(command=(sys.executable, "-c", "pass"))

    with pytest.raises(DrawingError, match="the drawing process ended"):
        asyncio.run(painter.draw_svg("one", SPEC))


def test_those_that_ask_for_one_drawing_together_wait_for_one() -> None:
    painter = Painter(seconds=0.3, command=(sys.executable, "-c", "import time; time.sleep(600)"))

    async def ask() -> list[object]:
        same = [painter.draw_svg("same", SPEC) for _ in range(60)]
        return list(await asyncio.gather(*same, return_exceptions=True))

    answers = asyncio.run(ask())

    # Sixty drawings would be more than may wait.
    assert all(isinstance(one, DrawingError) for one in answers)


def test_more_drawings_than_can_be_made_in_time_are_refused() -> None:
    painter = Painter(seconds=0.3, command=(sys.executable, "-c", "import time; time.sleep(600)"))

    async def ask() -> list[object]:
        many = [asyncio.ensure_future(painter.draw_svg(f"{place}", SPEC)) for place in range(40)]
        await asyncio.wait(many, return_when=asyncio.FIRST_COMPLETED)
        painter.close()
        return list(await asyncio.gather(*many, return_exceptions=True))

    answers = asyncio.run(ask())

    assert sum(isinstance(one, BusyError) for one in answers) == 16
    assert sum(isinstance(one, DrawingError) for one in answers) == 24


def test_nothing_is_fetched_whatever_a_specification_says(painter: Painter) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/data.json"
        with pytest.raises(DrawingError):
            asyncio.run(painter.draw_svg("outside", {**SPEC, "data": {"url": address}}))

        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_ends_the_process_of_the_engine_ends_no_other(painter: Painter) -> None:
    values = {"values": [{"name": "a control character: \b", "value": 1}]}

    with pytest.raises(DrawingError, match="the drawing process ended"):
        asyncio.run(painter.draw_svg("broken", {**SPEC, "data": values}))

    assert asyncio.run(painter.draw_svg("one", SPEC)).startswith("<svg")


@settings(max_examples=30)
@given(st.text(max_size=40), st.sampled_from(["start", "middle", "end"]))
def test_every_cleaned_text_becomes_pixels(given: str, anchor: str) -> None:
    text = clean_text(given)
    spec = {
        "data": {"values": [{"name": text}]},
        "mark": {"type": "text", "align": {"start": "left", "end": "right"}.get(anchor, "center")},
        "encoding": {"text": {"field": "name", "type": "nominal"}},
    }

    async def paint() -> bytes:
        svg = name_drawing(await _shared().draw_svg("text", spec), text, text)
        read_svg(svg)
        return await _shared().draw_png("text", place_emoji(svg), 1)

    assert asyncio.run(paint()).startswith(PNG_BEGIN)


_painters: list[Painter] = []


def _shared() -> Painter:
    """One for all examples of a property, which fixtures cannot be."""
    if not _painters:
        _painters.append(Painter())
    return _painters[0]


@pytest.fixture(scope="module", autouse=True)
def _end_shared() -> Iterator[None]:
    yield
    while _painters:
        _painters.pop().close()
