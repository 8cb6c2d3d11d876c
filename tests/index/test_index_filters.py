"""Filters of every list, facets and aggregates, against the same tests made in Python."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import RUN_COUNT

from kgraph.facts import AllOf, AnyOf, Condition, Filter, Negation, PageRequest
from kgraph.index import LISTS, FilterValueError, Index, UnknownFieldError
from kgraph.index.filters import MAX_LOOKS, compile_filter
from kgraph.index.list_spec import FilterSizeError
from kgraph.index.read import QueryMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from world import World

COMPARISONS = ("eq", "gt", "gte", "lt", "lte")
OPERATORS = {
    "text": (*COMPARISONS, "in", "contains", "is_null"),
    "number": (*COMPARISONS, "in", "is_null"),
    "time": (*COMPARISONS, "in", "is_null"),
    "bool": ("eq", "in", "is_null"),
    "texts": ("eq", "in", "contains", "is_null"),
}
FIELDS = [(name, field) for name, spec in LISTS.items() for field in spec.fields]

AWKWARD: dict[str, list[Any]] = {
    "text": [
        "",
        "'",
        "'; DROP TABLE run; --",
        '" OR ""="',
        "%",
        "_",
        "?",
        "$1",
        "\\",
        "\x00",
        "Ω",
        "x" * 5000,
    ],
    "number": [0, -1, 2**31, 2**53, 2**63, -(2**63), 2**200, 1e-5, 1e300, -0.0, 0.5],
    "time": [
        datetime(1, 1, 1),  # noqa: DTZ001 - what the database gives back is without zone, and UTC
        datetime(9999, 12, 31),  # noqa: DTZ001 - likewise
        datetime(2026, 3, 1, 14, 5, tzinfo=timezone(timedelta(hours=2))),
    ],
    "bool": [True, False],
    "texts": ["", "'", "o'clock; DROP TABLE run; --", "%"],
}


@dataclass
class Elsewhere:
    """The cells of a field that stands in another table: one for each row there."""

    cells: list[Any]


class Table:
    """All rows of a list, by field, as the database holds them."""

    def __init__(self, index: Index, name: str) -> None:
        spec = LISTS[name]
        self.name, self.fields = name, dict(spec.fields)
        picked = ", ".join(
            f"({field.via.column if field.via else field.sql})" for field in spec.fields.values()
        )
        self.rows = [
            dict(zip(spec.fields, row, strict=True))
            for row in index.fetch(f"SELECT {picked} FROM {spec.relation}")
        ]
        for named, field in spec.fields.items():
            if field.via is not None:
                held: defaultdict[str, list[Any]] = defaultdict(list)
                for key, cell in index.fetch(
                    f"SELECT {field.via.key}, ({field.sql}) FROM {field.via.relation}"
                ):
                    held[key].append(cell)
                for row in self.rows:
                    row[named] = Elsewhere(held[row[named]])

    def values(self, field: str) -> list[Any]:
        found: list[Any] = []
        for row in self.rows:
            cells = row[field].cells if isinstance(row[field], Elsewhere) else [row[field]]
            flat = [
                value
                for cell in cells
                for value in (cell if isinstance(cell, list) else [cell])
                if value is not None
            ]
            found.extend(dict.fromkeys(flat) if isinstance(row[field], Elsewhere) else flat)
        return found

    def holds(self, row: dict[str, Any], where: Filter) -> bool | None:
        """Whether a row passes; None where a missing value leaves it open."""
        if isinstance(where, Negation):
            return self.holds(row, where.part) is not True
        if isinstance(where, Condition):
            return passes(self.fields[where.field].type, row[where.field], where)
        parts = [self.holds(row, part) for part in where.parts]
        decisive = not isinstance(where, AllOf)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive

    def count(self, where: Filter) -> int:
        return sum(self.holds(row, where) is True for row in self.rows)


def passes(kind: str, cell: Any, where: Condition) -> bool | None:  # noqa: ANN401 - any cell
    if isinstance(cell, Elsewhere):
        return any(passes(kind, one, where) for one in cell.cells)
    value: Any = where.value
    if where.operator == "is_null":
        return (cell is None) is value
    if cell is None:
        return None if value != () else False
    if kind == "time":
        value = tuple(map(_naive, value)) if isinstance(value, tuple) else _naive(value)
    if kind == "texts":
        # A list passes where one of its texts does.
        return any(compares(item, where.operator, value) for item in cell)
    return compares(cell, where.operator, value)


def compares(cell: Any, operator: str, value: Any) -> bool:  # noqa: ANN401 - any cell
    if operator == "in":
        return bool(cell in value)
    if operator == "contains":
        return str(value).lower() in str(cell).lower()
    compare: dict[str, Callable[[], bool]] = {
        "eq": lambda: cell == value,
        "gt": lambda: cell > value,
        "gte": lambda: cell >= value,
        "lt": lambda: cell < value,
        "lte": lambda: cell <= value,
    }
    return compare[operator]()


def _naive(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at


def count(index: Index, name: str, where: Filter | None) -> int:
    page = index.fetch_page(name, tuple, where, (), PageRequest(first=200))
    assert len(page.items) == page.total_count
    return page.total_count


@pytest.fixture(scope="session")
def tables(index: Index) -> dict[str, Table]:
    return {name: Table(index, name) for name in LISTS}


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=str)
def test_every_operator_of_every_field_tests_what_it_says(
    index: Index, tables: dict[str, Table], name: str, field: str
) -> None:
    table = tables[name]
    kind = LISTS[name].fields[field].type
    known = sorted(set(table.values(field)))
    values = [*known[:3], *known[-1:], *AWKWARD[kind]]
    conditions: list[Condition] = []
    for operator in OPERATORS[kind]:
        tried: list[Any] = values
        if operator == "is_null":
            tried = [True, False]
        elif operator == "in":
            tried = [(), tuple(values[:2]), tuple(values)]
        conditions += [Condition(field, operator, value) for value in tried]

    # All in one statement: there are some hundred for each of some hundred fields.
    spec = LISTS[name]
    compiled = [compile_filter(spec, condition) for condition in conditions]
    (counts,) = index.fetch(
        f"SELECT {', '.join(f'count(*) FILTER (WHERE {sql})' for sql, _ in compiled)}"
        f" FROM {spec.relation}",
        [value for _, bound in compiled for value in bound],
    )

    expected = [table.count(condition) for condition in conditions]
    assert list(zip(conditions, counts, strict=True)) == list(
        zip(conditions, expected, strict=True)
    )


@st.composite
def filters(draw: st.DrawFn, table: Table, depth: int = 3) -> Filter:
    shape = draw(st.sampled_from(("test", "test", "all", "any", "not"))) if depth else "test"
    if shape == "not":
        return Negation(draw(filters(table, depth - 1)))
    if shape != "test":
        parts = tuple(draw(st.lists(filters(table, depth - 1), max_size=3)))
        return AllOf(parts) if shape == "all" else AnyOf(parts)
    field = draw(st.sampled_from(sorted(table.fields)))
    kind = table.fields[field].type
    operator = draw(st.sampled_from(OPERATORS[kind]))
    value = st.sampled_from([*AWKWARD[kind], *table.values(field)])
    if operator == "is_null":
        return Condition(field, operator, draw(st.booleans()))
    if operator == "in":
        return Condition(field, operator, tuple(draw(st.lists(value, max_size=3))))
    return Condition(field, operator, draw(value))


@given(data=st.data())
def test_nested_filters_select_what_their_parts_say(
    index: Index, tables: dict[str, Table], data: st.DataObject
) -> None:
    table = tables[data.draw(st.sampled_from(sorted(tables)))]
    where = data.draw(filters(table))

    assert count(index, table.name, where) == table.count(where)


def test_tests_of_one_other_table_look_into_it_once(index: Index) -> None:
    # Each look takes the database megabytes; as many as a request may hold took more than it has.
    axes = [Condition("axis.rows", "gte", number) for number in range(200)]
    mixed = [part for test in axes for part in (test, Negation(AllOf((test, axes[0]))))]
    spec = LISTS["runs"]

    for parts in (tuple(axes), tuple(map(Negation, axes)), tuple(mixed)):
        for where in (AnyOf(parts), AllOf(parts), Negation(AnyOf((AllOf(parts),)))):
            sql, values = compile_filter(spec, where)
            assert sql.count("SELECT") == 1
            assert sql.count("?") == len(values)
    assert count(index, "runs", AnyOf(tuple(axes))) == count(index, "runs", axes[0])
    assert count(index, "runs", AllOf(tuple(axes))) == count(index, "runs", axes[-1])


def test_what_lacks_the_other_table_s_row_passes_negations_alone(index: Index) -> None:
    rows = Condition("axis.rows", "gte", 0)
    nothing = AllOf((rows, Negation(rows)))
    whatever = AnyOf((rows, Negation(rows)))

    assert count(index, "runs", nothing) == 0
    assert count(index, "runs", whatever) == RUN_COUNT
    assert count(index, "runs", Negation(Negation(rows))) == count(index, "runs", rows)


def test_a_filter_without_parts(index: Index) -> None:
    assert count(index, "runs", AllOf(())) == RUN_COUNT
    assert count(index, "runs", AnyOf(())) == 0
    assert count(index, "runs", Negation(AnyOf(()))) == RUN_COUNT
    assert count(index, "runs", None) == RUN_COUNT


def test_absence_satisfies_the_negation_of_a_test(index: Index) -> None:
    below = Condition("value", "lt", 0)

    assert count(index, "runs", below) == 0
    assert count(index, "runs", Negation(below)) == RUN_COUNT
    assert count(index, "runs", Condition("value", "is_null", value=True)) == 1


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("eq", 128, [128]),
        ("gt", 64, [128, 4096]),
        ("gte", 64, [64, 128, 4096]),
        ("lt", 128, [64]),
        ("lte", 128, [64, 128]),
        ("in", (64, 4096), [64, 4096]),
        ("in", (), []),
        ("is_null", False, [64, 128, 4096]),
    ],
)
def test_workloads_are_found_by_an_axis(
    index: Index, operator: str, value: int | bool | tuple[int, ...], expected: list[int]
) -> None:
    where = Condition("axis.rows", operator, value)  # type: ignore[arg-type]  # numbers, for an axis

    page = index.fetch_page("workloads", tuple, where, (), PageRequest())

    axes = LISTS["workloads"].columns.index("axes_json")
    assert [f'["rows",{rows}]' for rows in expected] == [
        row[axes].removeprefix("[").partition("]")[0] + "]" for row in page.items
    ]


def test_an_axis_that_a_workload_has_not_is_absent(index: Index) -> None:
    total = count(index, "workloads", None)

    assert count(index, "workloads", Condition("axis.nothing", "eq", 1)) == 0
    assert count(index, "workloads", Condition("axis.nothing", "is_null", value=True)) == total
    assert count(index, "workloads", Negation(Condition("axis.rows", "eq", 64))) == total - 1
    assert count(index, "workloads", Condition("axis.'; DROP TABLE run; --", "eq", 1)) == 0
    both = AllOf((Condition("axis.rows", "gte", 64), Condition("axis.columns", "eq", 8)))
    assert count(index, "workloads", both) == 3
    with pytest.raises(UnknownFieldError):
        count(index, "sources", Condition("axis.rows", "eq", 64))


@pytest.mark.parametrize(
    "name", [name for name, spec in LISTS.items() if spec.axis is not None and name != "workloads"]
)
def test_what_belongs_to_a_workload_is_found_by_its_axes(index: Index, name: str) -> None:
    wanted = {
        row[0]
        for row in index.fetch("SELECT digest FROM workload WHERE axes_json LIKE '[[\"rows\",64]%'")
    }
    cells = index.fetch(f"SELECT workload FROM {LISTS[name].relation}")

    assert len(wanted) == 1
    assert count(index, name, Condition("axis.rows", "eq", 64)) == sum(
        cell in wanted for (cell,) in cells
    )
    assert count(index, name, Negation(Condition("axis.rows", "gt", 0))) == sum(
        not row[0]
        for row in index.fetch(
            f"SELECT list_contains(axis_names, 'rows') FROM {LISTS[name].relation} i"
            " JOIN workload w ON w.digest = i.workload"
            if name != "records"
            else "SELECT list_contains(axis_names, 'rows') FROM record"
        )
    )


def test_times_are_compared_as_instants(index: Index, world: World) -> None:
    east = timezone(timedelta(hours=9))
    at = datetime(2026, 3, 1, 21, 4, tzinfo=east)  # 12:04 UTC

    found = index.fetch_page("runs", tuple, Condition("observed_at", "eq", at), (), PageRequest())

    assert [row[0] for row in found.items] == [world.runs[3].digest]


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("runs", Condition("nothing", "eq", "x")),
        ("runs", Condition("digest; --", "eq", "x")),
        ("runs", Condition("value", "contains", "1")),
        ("runs", Condition("eligible", "gt", value=True)),
        ("runs", Condition("observed_at", "contains", "2026")),
        ("runs", Condition("digest", "like", "x")),
        ("runs", Condition("digest", "= '' OR", "x")),
        ("operations", Condition("tag", "gt", "x")),
    ],
    ids=str,
)
def test_an_unknown_field_or_operator_is_refused(
    index: Index, name: str, condition: Condition
) -> None:
    with pytest.raises(UnknownFieldError) as caught:
        count(index, name, condition)

    assert caught.value.expected != ()
    with pytest.raises(UnknownFieldError):
        count(index, name, Negation(AnyOf((condition,))))


@pytest.mark.parametrize(
    "condition",
    [
        Condition("digest", "eq", 5),
        Condition("digest", "eq", None),
        Condition("digest", "in", "sha256"),
        Condition("digest", "in", (None,)),  # type: ignore[arg-type]  # what no caller may do
        Condition("digest", "eq", ("a",)),
        Condition("value", "eq", "5"),
        Condition("value", "eq", value=True),
        Condition("value", "gt", math.nan),
        Condition("eligible", "eq", "true"),
        Condition("eligible", "eq", 1),
        Condition("observed_at", "gt", "2026-01-01"),
        Condition("value", "is_null", 1),
        Condition("value", "is_null", None),
    ],
    ids=str,
)
def test_a_value_of_another_kind_is_refused(index: Index, condition: Condition) -> None:
    with pytest.raises(FilterValueError) as caught:
        count(index, "runs", condition)

    assert caught.value.code == "BAD_USER_INPUT"


def test_a_filter_looks_into_other_tables_so_often_and_no_more(index: Index) -> None:
    def ask(number: int) -> int:
        # Each run of a product is another one, so that these cannot look together.
        test = Condition("family", "contains", "a")
        return count(index, "hardware", AllOf((test,) * number))

    assert ask(MAX_LOOKS) >= 0
    with pytest.raises(FilterSizeError, match=f"found {MAX_LOOKS + 1} tests") as caught:
        ask(MAX_LOOKS + 1)
    assert caught.value.code == "BAD_USER_INPUT"


def test_a_statement_that_wants_more_memory_than_there_is_says_so(index: Index) -> None:
    with pytest.raises(QueryMemoryError, match="expected a smaller question") as caught:
        index.fetch("SELECT list(a.range) FROM range(500_000_000) a")

    assert caught.value.code == "LIMIT_MEMORY"


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=str)
def test_facets_count_the_values_of_the_filtered_list(
    index: Index, tables: dict[str, Table], name: str, field: str
) -> None:
    table = tables[name]
    where = Negation(AnyOf(()))

    facets = index.count_facets(name, where, field)

    expected = Counter(table.values(field))
    assert sum(facet.count for facet in facets) == expected.total()
    assert sorted(facet.count for facet in facets) == sorted(expected.values())
    assert [facet.count for facet in facets] == sorted(expected.values(), reverse=True)
    if table.fields[field].type in {"text", "texts"}:
        assert {facet.value: facet.count for facet in facets} == expected


def test_facets_take_the_filter(index: Index, tables: dict[str, Table]) -> None:
    where = Condition("hardware", "eq", "NVIDIA H100")

    facets = index.count_facets("runs", where, "language")

    rows = [row for row in tables["runs"].rows if row["hardware"] == "NVIDIA H100"]
    assert {f.value: f.count for f in facets} == Counter(row["language"] for row in rows)
    with pytest.raises(UnknownFieldError):
        index.count_facets("runs", None, "nothing")


def test_aggregates_never_mix_units(index: Index, world: World) -> None:
    latency, score = index.aggregate_runs(Condition("cohort", "in", _cohorts(index)))

    values = [row[0] for row in index.fetch("SELECT value FROM run WHERE unit = 'ns'")]
    assert (latency.metric, latency.statistic, latency.unit) == ("latency", "median", "ns")
    assert (latency.count, latency.minimum, latency.maximum) == (19, 5.0, 2**40 + 1)
    assert (score.metric, score.unit, score.count, score.maximum) == ("score", "points", 3, 3e-5)
    assert latency.median == statistics.median(values)
    ratios = [
        row[0]
        for row in index.fetch("SELECT ratio_to_leader FROM run WHERE is_eligible AND unit = 'ns'")
    ]
    assert latency.geometric_mean_ratio == pytest.approx(statistics.geometric_mean(ratios))
    assert world.slow_run.digest in index.fetch("SELECT digest FROM run ORDER BY value DESC")[0]


@pytest.mark.parametrize(
    "name", [name for name, spec in LISTS.items() if spec.runs is not None and name != "runs"]
)
def test_the_runs_of_every_list_are_summed_up(
    index: Index, tables: dict[str, Table], name: str
) -> None:
    spec = LISTS[name]
    assert spec.runs is not None
    items = {row[0] for row in index.fetch(f"SELECT {spec.runs.item} FROM {spec.relation}")}
    values = [
        value
        for owner, value in index.fetch(
            f"SELECT {spec.runs.column}, value FROM run WHERE unit = 'ns'"
        )
        if owner in items
    ]

    found = {one.unit: one for one in index.aggregate_runs(AllOf(()), name)}

    assert values == [] if "ns" not in found else found["ns"].count >= len(values) > 0
    if "ns" in found:
        assert (found["ns"].minimum, found["ns"].maximum) == (min(values), max(values))
    assert index.aggregate_runs(AnyOf(()), name) == ()
    assert tables[name].rows


def test_what_has_no_runs_has_no_aggregates(index: Index) -> None:
    with pytest.raises(UnknownFieldError):
        index.aggregate_runs(None, "publications")


def _cohorts(index: Index) -> tuple[str, ...]:
    return tuple(row[0] for row in index.fetch("SELECT key FROM cohort"))


def test_nothing_that_was_asked_changed_the_tables(index: Index) -> None:
    for statement in ("DROP TABLE run", "DELETE FROM run", "CREATE TABLE other (a INTEGER)"):
        with pytest.raises(Exception, match="read-only"):
            index.fetch(statement)
    with pytest.raises(Exception, match="disabled"):
        index.fetch("SELECT * FROM read_text('/etc/hostname')")
