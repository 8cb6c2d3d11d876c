"""Images byte for byte, as the pinned libraries draw them; `--update-golden` after a wanted change.

Compared are the specifications, the drawings and, by their digests, the pixels.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgraph.web.images.badge import show_leader
from kgraph.web.images.painter import Painter
from kgraph.web.images.specs import Figure, Look, specify_history, specify_ranking, specify_scaling
from kgraph.web.images.svg import name_drawing, place_emoji
from kgraph.web.pages.views.sweep import find_sweeps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parent / "golden"
ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
SNAPSHOT = "blake3:0123456789abcdef"
FIGURES: dict[str, Callable[[Look], Figure]] = {
    "ranking": lambda look: specify_ranking(ANSWERS["ranking"], look),
    "history": lambda look: specify_history(ANSWERS["history"], look),
    "scaling": lambda look: specify_scaling(
        ANSWERS["scaling"]["operation"],
        find_sweeps(
            ANSWERS["scaling"]["operation"]["sweeps"],
            ANSWERS["scaling"]["operation"]["workloads"]["edges"],
            ANSWERS["scaling"]["operation"]["fastest"]["cohort"],
        )[0],
        look,
    ),
}


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    painter = Painter()
    yield painter
    painter.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", sorted(FIGURES))
def test_a_chart_is_drawn_as_before(
    painter: Painter, check_golden: Callable[[Path, bytes], None], kind: str, theme: str
) -> None:
    figure = FIGURES[kind](Look(theme, 640, None, SNAPSHOT))

    async def draw() -> tuple[str, bytes]:
        svg = await painter.draw_svg(kind, figure.spec)
        return svg, await painter.draw_png(kind, place_emoji(svg), 2)

    svg, png = asyncio.run(draw())

    named = name_drawing(svg, figure.title, figure.description)
    check_golden(FOLDER / f"{kind}-{theme}.svg", f"{named}\n".encode())
    digest = f"{hashlib.sha256(png).hexdigest()}\n"
    check_golden(FOLDER / f"{kind}-{theme}.png.sha256", digest.encode())


def test_a_badge_is_written_as_before(check_golden: Callable[[Path, bytes], None]) -> None:
    cohort = ANSWERS["badge"]["cohort"]

    badge = show_leader(cohort, cohort["record"], SNAPSHOT).write()

    check_golden(FOLDER / "badge.svg", f"{badge}\n".encode())
