from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.web.negotiate import (
    GRAPHQL_RESPONSE,
    JSON,
    choose_coding,
    choose_media_type,
    is_json,
    takes_event_stream,
)


@given(st.text(max_size=60))
def test_any_accept_value_is_understood_or_refused(accept: str) -> None:
    assert choose_media_type(accept) in {JSON, GRAPHQL_RESPONSE, None}


@given(
    st.floats(0.001, 1).map(lambda weight: round(weight, 3)),
    st.floats(0.001, 1).map(lambda weight: round(weight, 3)),
)
def test_the_heavier_media_type_is_chosen(first: float, second: float) -> None:
    accept = f"{JSON};q={first}, {GRAPHQL_RESPONSE};q={second}"

    assert choose_media_type(accept) == (JSON if first >= second else GRAPHQL_RESPONSE)


def test_an_unreadable_weight_is_no_wish() -> None:
    assert choose_media_type(f"{JSON};q=much, {GRAPHQL_RESPONSE};q=0.1") == GRAPHQL_RESPONSE


@pytest.mark.parametrize(
    "text",
    ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf8"'],
)
def test_json_in_utf8_is_known_as_such(text: str) -> None:
    assert is_json(text)


@pytest.mark.parametrize(
    "text", ["", "text/json", "application/json; charset=utf-16", "application/jsonx"]
)
def test_anything_else_is_no_json_in_utf8(text: str) -> None:
    assert not is_json(text)


@given(st.text(max_size=60))
def test_any_accept_encoding_is_understood(accept: str) -> None:
    assert choose_coding(accept) in {"zstd", "gzip", None}


@pytest.mark.parametrize(
    ("accept", "coding"),
    [
        ("", None),
        ("identity", None),
        ("br", None),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip;q=0.8", "gzip"),
        ("zstd;q=0, *", "gzip"),
        ("*", "zstd"),
        ("*;q=0", None),
        ("gzip;q=0", None),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=much", None),
    ],
)
def test_the_wanted_coding_is_chosen(accept: str, coding: str | None) -> None:
    assert choose_coding(accept) == coding


@pytest.mark.parametrize(
    ("accept", "taken"),
    [
        (None, False),
        ("*/*", False),
        ("text/event-stream", True),
        ("application/json, text/event-stream;q=0.1", True),
        ("text/event-stream;q=0", False),
    ],
)
def test_events_are_streamed_to_whoever_names_them(accept: str | None, *, taken: bool) -> None:
    assert takes_event_stream(accept) is taken
