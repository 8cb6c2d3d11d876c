from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.web.negotiate import GRAPHQL_RESPONSE, JSON, choose_media_type, is_json


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
