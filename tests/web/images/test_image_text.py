"""Texts of images: what is left of them, how wide they are, and where they are cut."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.web.images.text import (
    clean_text,
    find_emoji,
    fit_name,
    fit_text,
    isolate_text,
    measure_text,
    wrap_text,
)

SCIENTIST = "\U0001f469\U0001f3fd\u200d\U0001f52c"
ARABIC = "نواة الانتباه"


@given(st.text(max_size=80), st.floats(12, 400))
def test_a_text_fits_the_room_that_it_is_given(text: str, room: float) -> None:
    assert measure_text(fit_text(text, room, 11), 11) <= room
    assert measure_text(fit_name(text, room, 11), 11) <= room


@given(st.text(max_size=80))
def test_a_text_that_has_room_is_left_as_it_is(text: str) -> None:
    cleaned = clean_text(text)

    assert fit_text(text, 10_000, 11) == fit_name(text, 10_000, 11) == cleaned
    assert clean_text(cleaned) == cleaned


@given(st.text(max_size=60))
def test_no_text_turns_or_breaks_what_stands_beside_it(text: str) -> None:
    cleaned = clean_text(text)

    assert not any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in cleaned)
    assert not set(cleaned) & set(
        "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028"
    )
    assert "\n" not in cleaned


def test_widths_are_those_of_the_shipped_font() -> None:
    # DejaVu Sans 2.37: 1,303 of 2,048 units for each digit, 651 for a blank.
    assert measure_text("0", 2048) == 1303
    assert measure_text("1 1", 2048) == 1303 * 2 + 651


def test_joined_emoji_are_one_letter_and_are_never_parted() -> None:
    alone = measure_text("\U0001f469", 11)

    assert measure_text(SCIENTIST, 11) == alone
    for room in range(10, 90):
        for cut in (fit_text(SCIENTIST * 6, room, 11), fit_name(SCIENTIST * 6, room, 11)):
            assert cut.replace(SCIENTIST, "") in {"", "…"}


def test_a_name_keeps_its_end_where_it_is_cut() -> None:
    name = "amd-moe-mxfp4 · submission 745202"

    cut = fit_name(name, 130, 11)

    assert cut.startswith("amd-moe")
    assert cut.endswith("745202")
    assert "…" in cut


def test_only_text_that_runs_from_right_to_left_is_isolated() -> None:
    assert isolate_text("Liger") == "Liger"
    assert isolate_text(ARABIC) == f"\u2068{ARABIC}\u2069"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kernel", []),
        (f"a {SCIENTIST} b", [SCIENTIST]),
        ("\U0001f680\U0001f525", ["\U0001f680\U0001f525"]),
        (ARABIC, []),
    ],
)
def test_emoji_are_found_together_with_what_joins_them(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in find_emoji(text)] == found


def test_a_line_is_broken_between_words_and_its_last_piece_cut() -> None:
    lines = wrap_text("one two three four five six seven eight", 60, 11, most=3)

    assert len(lines) == 3
    assert lines[0] == "one two"
    assert lines[-1].endswith("…")
    assert all(measure_text(line, 11) <= 60 for line in lines)
