"""Canonical JSON equals RFC 8785, and the reader takes nothing that could be taken two ways."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import finite_floats, json_values, readable_floats, texts

from kgraph.canonical import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_INTEGER,
    JsonRefusedError,
    NotCanonicalError,
    Refusal,
    decode_json,
    encode_canonical,
    join_path,
    read_json,
    show,
)

if TYPE_CHECKING:
    from kgraph.canonical import JsonValue


def refusals_of(content: bytes) -> tuple[Refusal, ...]:
    with pytest.raises(JsonRefusedError) as caught:
        decode_json(content, where="sample.json")
    return caught.value.refusals


# --- writing ---


@given(json_values())
def test_any_value_is_written_as_rfc8785_writes_it(value: JsonValue) -> None:
    assert encode_canonical(value) == rfc8785.dumps(value)


@given(finite_floats())
def test_any_double_is_written_as_ecmascript_writes_it(value: float) -> None:
    assert encode_canonical(value) == rfc8785.dumps(value)
    assert encode_canonical([value]) == rfc8785.dumps([value])
    assert encode_canonical({"a": value, "b": 1}) == rfc8785.dumps({"a": value, "b": 1})


@pytest.mark.parametrize("exponent", range(-324, 309))
def test_doubles_of_every_decimal_exponent_are_written_as_ecmascript_writes_them(
    exponent: int,
) -> None:
    values = [float(f"{digits}e{exponent}") for digits in ("1", "-1.5", "9.007199254740993")]
    values = [value for value in values if math.isfinite(value)]

    assert encode_canonical(values) == rfc8785.dumps(values)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, b"1"),
        (-0.0, b"0"),
        (1e-6, b"0.000001"),
        (1e-7, b"1e-7"),
        (1e16, b"10000000000000000"),
        (1e20, b"100000000000000000000"),
        (1e21, b"1e+21"),
        (5e-324, b"5e-324"),
        (333333333.33333329, b"333333333.3333333"),
        ('\u20ac$\x0f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()),
        ({}, b"{}"),
        ([], b"[]"),
        (None, b"null"),
        ((1, True), b"[1,true]"),
    ],
    ids=str,
)
def test_known_forms(value: JsonValue, written: bytes) -> None:
    assert encode_canonical(value) == written


def test_keys_are_ordered_by_utf16_code_units() -> None:
    # U+1F600 is the surrogate pair D83D DE00, so it precedes U+FB33.
    value = {"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3, "1": 4}

    assert encode_canonical(value) == '{"1":4,"€":3,"\U0001f600":2,"\ufb33":1}'.encode()


def test_text_that_looks_like_a_number_changes_nothing() -> None:
    value: JsonValue = {"a": ",1e+20", "b": "[1.0,", "c": "null", "d": '":1e-6', "e-6": "e+"}

    assert encode_canonical(value) == rfc8785.dumps(value)


@given(st.dictionaries(texts(), st.integers(-9, 9), min_size=2))
def test_order_of_keys_makes_no_difference(value: dict[str, int]) -> None:
    assert encode_canonical(dict(reversed(value.items()))) == encode_canonical(value)


@given(json_values(readable_floats()), json_values(readable_floats()))
def test_different_values_have_different_bytes(first: JsonValue, second: JsonValue) -> None:
    assume(first != second)
    # True == 1 in Python, so the bytes of equal values may differ; of unequal ones they must.
    assert encode_canonical(first) != encode_canonical(second)


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": [1, math.nan]}, "a[1]", "a finite number"),
        ({"a": math.inf}, "a", "a finite number"),
        (-math.inf, "", "a finite number"),
        ({"a": 2**53}, "a", "a whole number from -(2^53 - 1) to 2^53 - 1"),
        ([-(2**53)], "[0]", "a whole number from -(2^53 - 1) to 2^53 - 1"),
        ({"a": {"b": "\ud800"}}, "a.b", "text without lone surrogates"),
        ({"\udc00": 1}, "", "text without lone surrogates"),
        ({1: 2}, "", "keys that are text"),
        ({"a": {1, 2}}, "a", "a JSON value"),
        ({"a": b"bytes"}, "a", "a JSON value"),
    ],
    ids=[
        "nan",
        "inf",
        "-inf",
        "2^53",
        "-2^53",
        "surrogate",
        "surrogate-key",
        "key",
        "set",
        "bytes",
    ],
)
def test_what_has_no_canonical_form_is_refused(value: Any, path: str, expected: str) -> None:  # noqa: ANN401 - no JSON
    with pytest.raises(NotCanonicalError) as caught:
        encode_canonical(value)

    assert (caught.value.refusal.path, caught.value.refusal.expected) == (path, expected)
    assert expected in str(caught.value)


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER])
def test_the_largest_exact_integers_are_kept(value: int) -> None:
    assert decode_json(encode_canonical([value]), where="") == [value]


def test_a_writer_of_floats_in_the_older_style_is_caught_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Releases of orjson wrote 1e16 without a sign; the quick marks would overlook that.
    def dump_older(value: object, option: int | None = None) -> bytes:
        return dump(value, option=option).replace(b"e+", b"e")

    dump = orjson.dumps
    monkeypatch.setattr("kgraph.canonical._MARKED", False)
    monkeypatch.setattr("kgraph.canonical.orjson.dumps", dump_older)
    for value in ([1e16], {"a": -1.5e300}, [1e-6], [1e-60]):
        assert encode_canonical(value) == rfc8785.dumps(value)


# --- reading ---


@given(json_values(readable_floats()))
def test_what_is_written_reads_back_equal(value: JsonValue) -> None:
    assert decode_json(encode_canonical(value), where="") == value


@given(json_values(readable_floats()), st.sampled_from([None, 1]), st.booleans())
def test_any_spelling_reads_as_its_value(
    value: JsonValue, indent: int | None, is_ascii: bool
) -> None:
    content = json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode()

    assert decode_json(content, where="") == value


@given(json_values(readable_floats()))
def test_reading_makes_a_value_of_plain_types(value: JsonValue) -> None:
    again = decode_json(json.dumps({"v": value}, indent=1).encode(), where="")

    assert type(again) is dict
    assert encode_canonical(again) == encode_canonical({"v": value})


@pytest.mark.parametrize(
    ("content", "path", "found", "expected"),
    [
        (b'{"a":{"b":1,"b":1}}', "a.b", "the key a second time", "each key once"),
        (b'{"a":NaN}', "a", "NaN", "a finite number"),
        (b"[-Infinity]", "[0]", "-Infinity", "a finite number"),
        (b'{"a":1e400}', "a", "1e400", "a number within the range of a double"),
        (b'{"a":9007199254740992}', "a", "9007199254740992", "a whole number from"),
        (b'{"a":-9007199254740992}', "a", "-9007199254740992", "a whole number from"),
        (b'{"a":1e20}', "a", "1e20", "a whole number from"),
        (b'{"a b":{"":"\\ud800"}}', '["a b"][""]', '"\\ud800"', "text without lone surrogates"),
        (b'{"\\udc00":1}', "", '"\\udc00"', "text without lone surrogates"),
        (b"\xef\xbb\xbf{}", "", "a byte order mark", "UTF-8 without a byte order mark"),
        (b'{"a":"\xff"}', "", "byte 0xff at offset 6", "UTF-8 text"),
        (b'{"a":', "", "the end of the document at line 1, column 6", "JSON"),
        (b'{"a":1,}', "", '"}" at line 1, column 8', "JSON"),
        (b"{}{}", "", '"{" at line 1, column 3', "JSON"),
        (b"{'a':1}", "", "\"'\" at line 1, column 2", "JSON"),
        (b"[01]", "", '"1" at line 1, column 3', "JSON"),
        (b"", "", "the end of the document at line 1, column 1", "JSON"),
        (b"[" * 65 + b"]" * 65, "", "65 levels", "at most 64 levels of nesting"),
        (b'{"a":' * 65 + b"1.0" + b"}" * 65, "", "65 levels", "at most 64 levels of nesting"),
        (b"[" * 100_000, "", "100000 levels", "at most 64 levels of nesting"),
        (b" " * (MAX_BYTES + 1), "", f"{MAX_BYTES + 1} bytes", f"at most {MAX_BYTES} bytes"),
        (b"[" + b"9" * 500_000 + b"]", "[0]", "9" * 79 + "…", "a whole number from"),
    ],
    ids=[
        "duplicate-key", "nan", "infinity", "beyond-double", "2^53", "-2^53", "1e20",
        "surrogate", "surrogate-key", "byte-order-mark", "not-utf8", "truncated",
        "trailing-comma", "two-documents", "single-quotes", "leading-zero", "empty",
        "deep-list", "deep-object", "very-deep", "too-large", "long-number",
    ],
)  # fmt: skip
def test_a_document_is_refused_with_path_and_reason(
    content: bytes, path: str, found: str, expected: str
) -> None:
    (refusal,) = refusals_of(content)

    assert (refusal.path, refusal.found) == (path, found)
    assert refusal.expected.startswith(expected)


def test_all_refusals_of_a_document_are_reported_together() -> None:
    content = b'{"a": 1, "a": 2, "b": [NaN, 1e400, {"c": 9007199254740993}]}'

    refusals = refusals_of(content)

    assert [refusal.path for refusal in refusals] == ["a", "b[0]", "b[1]", "b[2].c"]
    with pytest.raises(JsonRefusedError, match=r"sample\.json: a: .*; b\[0\]: .*; b\[2\]\.c: "):
        decode_json(content, where="sample.json")


@pytest.mark.parametrize("depth", [1, MAX_DEPTH])
@pytest.mark.parametrize("blank", [b"", b" "], ids=["canonical", "spaced"])
def test_nesting_up_to_the_limit_is_taken(depth: int, blank: bytes) -> None:
    content = b"[" * depth + blank + b"]" * depth

    assert encode_canonical(decode_json(content, where="")) == b"[" * depth + b"]" * depth


def test_brackets_in_text_are_no_levels() -> None:
    value = ["[" * 100, '\\"[{' * 50]

    assert decode_json(json.dumps(value, indent=1).encode(), where="") == value
    assert decode_json(encode_canonical(value), where="") == value


def test_a_document_of_exactly_the_limit_is_taken() -> None:
    content = b'"' + b"a" * (MAX_BYTES - 2) + b'"'

    assert decode_json(content, where="") == "a" * (MAX_BYTES - 2)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    reading = read_json(content)

    if not reading.refusals:
        assert encode_canonical(reading.value) == encode_canonical(json.loads(content))


@given(json_values(readable_floats()), st.data())
def test_a_truncated_document_is_refused(value: JsonValue, data: st.DataObject) -> None:
    content = encode_canonical({"value": value})
    end = data.draw(st.integers(0, len(content) - 1))

    assert refusals_of(content[:end])


# --- messages ---


def test_paths_quote_keys_that_are_no_words() -> None:
    assert join_path(join_path(join_path("", "spec"), "a.b"), 3) == 'spec["a.b"][3]'


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 200, '"' + "x" * 78 + "…"),
        ({"a": 1}, "an object of 1 fields"),
        ([1, 2], "a list of 2 items"),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
    ],
    ids=["long", "object", "list", "null", "true", "number"],
)
def test_values_are_shown_short(value: object, shown: str) -> None:
    assert show(value) == shown
