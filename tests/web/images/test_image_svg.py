"""Drawings on their way out: their names, their ids, and the places of emoji."""

from __future__ import annotations

import pytest
from image_files import read_svg

from kgraph.web.images.svg import name_drawing, place_emoji
from kgraph.web.images.text import measure_text

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
    '<defs><clipPath id="clip0"><path d=""/></clipPath></defs>'
    '<g clip-path="url(#clip0)" role="graphics-object" aria-label="a > b &lt;c&gt; role=&quot;">'
    '<text role="graphics-symbol">role="img" aria-label="kept"</text></g></svg>'
)


def test_a_drawing_is_one_image_with_a_name_and_no_named_parts() -> None:
    drawing = read_svg(name_drawing(DRAWING, "A <title>", 'A "description" & more'))

    assert drawing.title == "A <title>"
    assert drawing.description == 'A "description" & more'
    parts = list(drawing.root.iter())[1:]
    assert not [one for one in parts if "role" in one.attrib or "aria-label" in one.attrib]
    assert drawing.shown == ['role="img" aria-label="kept"']


def test_ids_and_what_refers_to_them_are_renamed_together() -> None:
    drawing = read_svg(name_drawing(DRAWING, "one", ""))
    other = read_svg(name_drawing(DRAWING, "two", ""))

    clip = next(one for one in drawing.ids if one.endswith("-clip0"))
    assert f"url(#{clip})" in drawing.text
    assert "#clip0" not in drawing.text
    assert set(drawing.ids).isdisjoint(other.ids)


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="without an svg element"):
        name_drawing("<p></p>", "", "")


@pytest.mark.parametrize(("anchor", "share"), [("start", 0), ("middle", 0.5), ("end", 1)])
def test_emoji_are_put_where_the_whole_text_would_have_them(anchor: str, share: float) -> None:
    text = "a \U0001f680 &amp; b"
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" role="img">'
        f'<text text-anchor="{anchor}" font-size="20px">{text}</text></svg>'
    )

    drawing = read_svg(place_emoji(svg))

    (whole,) = drawing.root.iter("{http://www.w3.org/2000/svg}text")
    pieces = [(one.text, float(one.attrib["x"]), one.get("font-family")) for one in whole]
    start = -measure_text("a \U0001f680 & b", 20) * share
    assert [piece[0] for piece in pieces] == ["a ", "\U0001f680", " & b"]
    assert [piece[2] for piece in pieces] == [None, "Noto Emoji", None]
    assert pieces[0][1] == pytest.approx(start, abs=0.01)
    assert pieces[1][1] == pytest.approx(start + measure_text("a ", 20), abs=0.01)
    assert whole.attrib["text-anchor"] == "start"


def test_a_text_without_emoji_is_left_as_it_is() -> None:
    assert place_emoji(DRAWING) == DRAWING
