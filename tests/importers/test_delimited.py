from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.importers.delimited import parse_delimited

COLUMNS = ("a", "b")
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)


def write(rows: list[list[str]], end: str = "\r\n") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    return text.getvalue().encode()


def test_cells_come_in_the_order_asked_for_whatever_the_header_order() -> None:
    parsed = parse_delimited("f.csv", b"b,a\r\n1,2\r\n", COLUMNS)

    assert [row.cells for row in parsed.rows] == [("2", "1")]
    assert parsed.refused == ()


def test_a_row_knows_its_file_line_and_column() -> None:
    parsed = parse_delimited("f.csv", b'a,b\n"x\ny",2\n3,4\n', COLUMNS)

    assert [row.where() for row in parsed.rows] == ["f.csv:2", "f.csv:4"]
    assert parsed.rows[1].where("b") == "f.csv:4 column b"


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order-mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_both_line_ends_and_a_byte_order_mark_are_read(prefix: bytes, end: str) -> None:
    parsed = parse_delimited("f.csv", prefix + write([["a", "b"], ["1", "2"]], end), COLUMNS)

    assert [row.cells for row in parsed.rows] == [("1", "2")]


@pytest.mark.parametrize(
    ("content", "where", "found"),
    [
        (b"", "f.csv", "an empty file"),
        (b'"a,b\n1,2\n', "f.csv:1", "unexpected end of data"),
        (b"a\n1\n", "f.csv:1 column b", "no such column"),
        (b"a,b,a\n1,2,3\n", "f.csv:1 column a", "2 columns of this name"),
        (b"a,b,c\n1,2,3\n", "f.csv:1 column c", "an unknown column"),
        (b"a,b,\n1,2,3\n", "f.csv:1 column (blank)", "an unknown column"),
        (b"a,b\n1,\xff\n", "f.csv:2", "byte 0xff"),
        (b"a,b\n1\n", "f.csv:2", "1 cells"),
        (b"a,b\n1,2,3\n", "f.csv:2", "3 cells"),
        (b"a,b\n\n", "f.csv:2", "0 cells"),
        (b"a,b\n1,2", "f.csv:2", "no line end after the last row"),
        (b'a,b\n1,"2\n', "f.csv:2", "unexpected end of data"),
        (b'a,b\n1,"2"3\n', "f.csv:2", "',' expected after '\"'"),
    ],
)
def test_a_wrong_form_is_refused_with_its_place(content: bytes, where: str, found: str) -> None:
    parsed = parse_delimited("f.csv", content, COLUMNS)

    assert (parsed.refused[0].where, parsed.refused[0].found) == (where, found)
    assert parsed.refused[0].expected


def test_all_problems_of_a_header_are_reported() -> None:
    parsed = parse_delimited("f.csv", b"c,c\n", COLUMNS)

    assert [entry.where for entry in parsed.refused] == [
        "f.csv:1 column a",
        "f.csv:1 column b",
        "f.csv:1 column c",
    ]


def test_rows_around_a_wrong_one_are_still_read_and_counted() -> None:
    parsed = parse_delimited("f.csv", b"a,b\n1,2\n3\n4,5\n", COLUMNS)

    assert [row.cells for row in parsed.rows] == [("1", "2"), ("4", "5")]
    assert parsed.row_count == 3


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_what_a_writer_quotes_is_read_back(rows: list[tuple[str, str]]) -> None:
    parsed = parse_delimited("f.csv", write([["a", "b"], *map(list, rows)]), COLUMNS)

    assert [row.cells for row in parsed.rows] == rows
    assert parsed.refused == ()


@given(st.data())
def test_a_cut_file_is_refused_unless_cut_between_rows(data: st.DataObject) -> None:
    content = write([["a", "b"], ["1", 'x"y'], ["2", "z"]])
    cut = data.draw(st.integers(min_value=0, max_value=len(content)))

    parsed = parse_delimited("f.csv", content[:cut], COLUMNS)

    is_between_rows = cut > 0 and content[:cut].endswith(b"\n")
    assert (parsed.refused == ()) == is_between_rows
