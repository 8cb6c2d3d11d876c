"""Text that fits a terminal, and plots of dots."""

from __future__ import annotations

import io
import os
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.cli.output import clean, print_table
from kgraph.cli.plot import Axis, Series, draw_scaling, draw_staircase
from kgraph.cli.terminal import (
    TableColumn,
    Terminal,
    cut,
    fit_table,
    measure,
    pad,
    read_terminal,
    say,
    wrap,
)

WIDTHS = (20, 40, 60, 100, 200)
COLUMNS = (
    TableColumn("value", is_number=True),
    TableColumn("implementation", least=10),
    TableColumn("hardware", least=8, rank=1),
    TableColumn("run", rank=2),
)
ROW = (
    "13.8 ms",
    "A kernel with a rather long title of its own",
    "NVIDIA A100 SXM4-80GB",
    "3de24dde",
)


def terminal(width: int = 80, **changes: bool) -> Terminal:
    given = {"is_interactive": True, "has_color": False, "has_unicode": True, **changes}
    return Terminal(width=width, **given)


def axis(label: str) -> Axis:
    return Axis(label, lambda value: f"{value:g}")


def test_a_table_without_a_limit_is_as_wide_as_it_is() -> None:
    assert fit_table(COLUMNS, [ROW, ("1.0 s", None, "L4", "")], None) == [
        "  value  implementation                                hardware               run",
        "13.8 ms  A kernel with a rather long title of its own  NVIDIA A100 SXM4-80GB  3de24dde",
        "  1.0 s                                                L4",
    ]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (60, "13.8 ms  A kernel with a rat…  NVIDIA A100 SXM4-8…  3de24dde"),
        (40, "13.8 ms  A kernel …  NVIDIA A…  3de24dde"),
        (30, "13.8 ms  A kernel …  NVIDIA A…"),
        (23, "13.8 ms  A kernel with…"),
        # Where even the least does not fit, the terminal breaks the line.
        (5, "13.8 ms  A kernel …"),
    ],
)
def test_columns_are_cut_first_and_left_out_then(width: int, expected: str) -> None:
    heading, line = fit_table(COLUMNS, [ROW], width)

    assert line == expected
    assert heading.startswith("  value  implement")


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.text(max_size=40))] * 4), max_size=4),
    st.integers(20, 120),
)
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str | None, ...]], width: int) -> None:
    columns = [TableColumn(f"c{place}", least=2, rank=place) for place in range(4)]

    lines = fit_table(columns, rows, width)

    assert len(lines) == len(rows) + 1
    for line in lines:
        assert measure(line) <= width
        assert line == clean(line)


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("Ω µs", 4), ("漢字", 4), ("🚀", 2), ("e\u0301", 1), ("عربي", 4), ("a\u200db", 2)],
)
def test_wide_signs_take_two_columns_and_marks_none(text: str, width: int) -> None:
    assert measure(text) == width
    assert measure(pad(text, 10)) == measure(pad(text, 10, is_right=True)) == 10


def test_a_wide_sign_is_not_cut_in_half() -> None:
    assert cut("漢字漢字", 4) == "漢…"
    assert cut("abc", 0) == ""


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    assert clean("\x1b[31mred\x1b[0m\r\nnext\t\u202etxt") == " [31mred [0m  next txt"


def test_no_table_holds_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(
        ("value", "title"),
        [(1, "\x1b]0;taken\x07\x9b2J"), (20, "two\r\nlines"), (None, "\u202eturned")],
    )

    out = capsys.readouterr().out
    assert out == "value  title\n    1   ]0;taken  2J\n   20  two  lines\n       turned\n"


def test_lines_break_between_words_on_a_terminal_alone() -> None:
    text = "one two three four five"

    assert wrap(text, terminal(20)) == ["one two three four", "  five"]
    assert wrap(text, terminal(20, is_interactive=False)) == [text]


def test_signs_that_an_encoding_lacks_are_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    say(["13.8 µs · 1.19× → 漢"], terminal(has_unicode=False))

    assert capsys.readouterr().out == "13.8 us - 1.19x > ?\n"


def test_a_file_is_no_terminal() -> None:
    found = read_terminal(io.TextIOWrapper(io.BytesIO(), encoding="ascii"))

    assert not found.is_interactive
    assert not found.has_color
    assert not found.has_unicode


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("variables", "has_color"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *, has_color: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "93")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    leader, follower = os.openpty()
    with os.fdopen(follower, "w", encoding="utf-8") as stream:
        found = read_terminal(stream)
    os.close(leader)

    assert found == Terminal(is_interactive=True, width=93, has_color=has_color, has_unicode=True)


SERIES = (
    Series("fast", [(1024, 10.0), (2048, 20.0), (4096, 40.0)]),
    Series("slow", [(1024, 30.0), (4096, 35.0)]),
)
FLOOR = [(1024, 5.0), (4096, 20.0)]


def draw(width: int, **changes: bool) -> list[str]:
    return draw_scaling(
        SERIES,
        floor=FLOOR,
        crossovers=[(2048, 4096)],
        x=axis("tokens"),
        y=axis("latency"),
        terminal=terminal(width, **changes),
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_a_plot_is_as_wide_as_the_terminal(width: int) -> None:
    lines = draw(width)

    assert width - 3 <= max(map(measure, (line for line in lines if "└" in line))) <= width
    assert all(measure(line) <= width for line in lines[1:])
    assert lines[0] == "latency by tokens, both axes logarithmic"


def test_every_point_has_a_letter_and_every_size_a_tick() -> None:
    lines = draw(100)
    frame = [line.partition("│")[2] or line.partition("┤")[2] for line in lines[1:]]
    plot = "".join(frame)

    assert (plot.count("A"), plot.count("B")) == (3, 2)
    (labels,) = (line for line in lines if "1024" in line)
    assert labels.split() == ["1024", "2048", "4096"]
    assert any(line.split() == ["A", "fast", "B", "slow"] for line in lines)
    (bottom,) = (line for line in lines if "└" in line)
    assert bottom.count("┬") == 3
    assert "━" in bottom


def test_the_floor_lies_below_the_lines() -> None:
    with_floor = draw(100)
    rows = [place for place, line in enumerate(with_floor) if "A" in line and "│" in line]

    lowest = max(place for place, line in enumerate(with_floor) if "⠁" in line or "⠂" in line)
    assert lowest > max(rows)
    assert any("dashed: the floor" in line for line in with_floor)


def test_lines_go_up_where_values_do() -> None:
    lines = [line for line in draw(100) if "│" in line or "┤" in line]
    places = [(row, line.index("A")) for row, line in enumerate(lines) if "A" in line]

    # From above: the larger, the higher and the farther right.
    assert [column for _, column in places] == sorted((c for _, c in places), reverse=True)
    assert len(places) == 3


@pytest.mark.parametrize("width", WIDTHS)
def test_without_unicode_a_plot_is_ascii(width: int) -> None:
    lines = draw(width, has_unicode=False)

    assert all(line.isascii() for line in lines)
    assert any(set(line) & set(".:'") for line in lines)


def test_colours_come_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert "\x1b[" not in "".join(draw(100))
    coloured = draw(100, has_color=True)
    assert "\x1b[94m" in "".join(coloured)
    assert "\x1b[91m" in "".join(coloured)


def test_a_letter_that_covers_another_is_told_of() -> None:
    same = (Series("one", [(1, 1.0), (2, 2.0)]), Series("two", [(1, 1.0), (2, 2.0)]))

    lines = draw_scaling(
        same, floor=[], crossovers=[], x=axis("x"), y=axis("y"), terminal=terminal(100)
    )

    assert any("a letter covers others" in line for line in lines)
    assert not any("a letter covers others" in line for line in draw(100))


@given(
    st.lists(
        st.tuples(st.integers(1, 2**53), st.floats(1e-9, 1e15)),
        min_size=1,
        max_size=8,
        unique_by=lambda point: point[0],
    ),
    st.integers(20, 200),
)
def test_any_numbers_can_be_drawn(points: list[tuple[float, float]], width: int) -> None:
    lines = draw_scaling(
        [Series("x", sorted(points))],
        floor=[(at, value / 2) for at, value in sorted(points)],
        crossovers=[],
        x=axis("x"),
        y=axis("y"),
        terminal=terminal(width),
    )

    assert any("A" in line for line in lines[1:])
    assert all(measure(line) <= width for line in lines[1:])


BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def stairs(values: list[float], width: int = 80, **changes: bool) -> list[str]:
    steps = [(BEGIN + timedelta(days=10 * place), value) for place, value in enumerate(values)]
    return draw_staircase(
        steps,
        until=BEGIN + timedelta(days=10 * len(values)),
        y=axis("latency"),
        lower_is_better=values[-1] < values[0],
        terminal=terminal(width, **changes),
    )


def test_a_staircase_goes_down_at_each_record() -> None:
    lines = stairs([40.0, 30.0, 10.0])

    marks = [(row, line.index("●")) for row, line in enumerate(lines) if "●" in line]
    assert len(marks) == 3
    assert marks == sorted(marks)
    assert lines[0] == "latency over time, lower is better"
    assert lines[-1].split()[0] == "2026-01-01"
    assert lines[-1].split()[-1] == "2026-01-31"


def test_a_staircase_of_scores_goes_up() -> None:
    assert stairs([1.0, 2.0])[0] == "latency over time, higher is better"


@pytest.mark.parametrize("values", [[5.0, 5.0], [1e-9, 1e-12], [1e15, 1.0], [3.0, 0.0]])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_staircase_of_any_numbers_can_be_drawn(values: list[float], width: int) -> None:
    lines = stairs(values, width)
    plain = stairs(values, width, has_unicode=False)

    assert all(measure(line) <= width for line in lines[1:])
    assert all(line.isascii() for line in plain)
    assert any("o" in line for line in plain[1:])
