from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.api.scalars import MAX_SAFE_INTEGER, encode_instant, parse_big_int, parse_instant

INSTANTS = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2999, 1, 1),  # noqa: DTZ001 - likewise
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
).map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000))


@given(INSTANTS)
def test_an_instant_reads_back_as_itself(instant: datetime) -> None:
    assert parse_instant(encode_instant(instant)) == instant


@pytest.mark.parametrize("text", ["2026-01-02", "2026-01-02T03:04:05", "yesterday", "", 17, None])
def test_text_that_names_no_instant_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="expected RFC 3339 with a zone"):
        parse_instant(text)


@given(st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER))
def test_a_big_integer_is_taken_as_number_and_as_text(number: int) -> None:
    assert parse_big_int(number) == number
    assert parse_big_int(str(number)) == number


@pytest.mark.parametrize(
    "value", [1.5, "x", "", None, True, [], float("inf"), float("nan"), 2**53 + 1, "1e3"]
)
def test_a_value_that_is_no_safe_integer_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="BigInt: found"):
        parse_big_int(value)
