"""The lists that can be filtered, ordered and paged, and the SQL of one page.

`LISTS` names every list with its filterable fields; the same field names order it. A page is cut
by key
(order values, then the list's key), never by offset, so a later publication cannot shift it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from kgraph.errors import KgraphError
from kgraph.facts import AllOf, AnyOf, Condition, Filter, Negation, Order
from kgraph.index import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.index.cursor import SortType

FieldType = Literal["text", "number", "time", "bool", "texts"]

_LOWEST = {"text": "''", "number": "-1e308", "time": "TIMESTAMP '0001-01-01'", "bool": "false"}
_COMPARISONS = {"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_OPERATORS: Mapping[FieldType, tuple[str, ...]] = {
    "text": (*_COMPARISONS, "in", "contains", "is_null"),
    "number": (*_COMPARISONS, "in", "is_null"),
    "time": (*_COMPARISONS, "in", "is_null"),
    "bool": ("eq", "in", "is_null"),
    "texts": ("eq", "in", "contains", "is_null"),
}
_KIND_NAMES = {"texts": "text", "bool": "truth value"} | {
    kind: kind for kind in ("text", "number", "time")
}
_LARGE = 2**63
_LARGEST = sys.float_info.max
AXIS_PREFIX = "axis."
"""`axis.tokens` filters workloads and records by the value of their axis `tokens`."""
_WITH_AXES = frozenset({"workloads", "records"})


class UnknownFieldError(KgraphError):
    """A list was asked for a field or operator it does not have."""

    code = "UNKNOWN_FIELD"

    def __init__(self, list_name: str, name: str, expected: Sequence[str]) -> None:
        self.list_name, self.field, self.expected = list_name, name, tuple(expected)
        super().__init__(f"{list_name}: no field {name!r}, expected one of {', '.join(expected)}")


class FilterValueError(KgraphError):
    """A field is compared with a value of another kind."""

    code = "BAD_FILTER"

    def __init__(self, list_name: str, name: str, found: object, expected: str) -> None:
        self.list_name, self.field, self.found, self.expected = list_name, name, found, expected
        super().__init__(f"{list_name}.{name}: found {str(found)[:60]!r}, expected {expected}")


@dataclass(frozen=True, slots=True)
class Field:
    """A filterable and, unless it holds several texts, orderable column."""

    sql: str
    type: FieldType = "text"
    is_nullable: bool = False

    @property
    def order_sql(self) -> str:
        """The column with absence put first, so that keys compare."""
        return f"coalesce({self.sql}, {_LOWEST[self.type]})" if self.is_nullable else self.sql


@dataclass(frozen=True, slots=True)
class ListSpec:
    """One list: where its rows are, what of them can be asked."""

    name: str
    relation: str
    columns: tuple[str, ...]
    fields: Mapping[str, Field]
    key: str
    """A column that no two rows share."""
    order: tuple[Order, ...] = field(default=())
    key_type: SortType = "text"
    is_stored_sorted: bool = False
    """Whether its rows lie in its own order, so that a page from the front needs no sorting."""

    def find_field(self, name: str) -> Field:
        """The field by its name.

        Raises:
            UnknownFieldError: the list has none of that name.
        """
        found = self.fields.get(name)
        if found is None:
            raise UnknownFieldError(self.name, name, tuple(self.fields))
        return found


def _time(sql: str, *, nullable: bool = False) -> Field:
    return Field(sql, "time", nullable)


def _number(sql: str, *, nullable: bool = False) -> Field:
    return Field(sql, "number", nullable)


_RUN_FIELDS = {
    "digest": Field("digest"),
    "cohort": Field("cohort"),
    "operation": Field("operation"),
    "operation_slug": Field("operation_slug"),
    "family": Field("family"),
    "workload": Field("workload"),
    "implementation": Field("implementation"),
    "protocol": Field("protocol"),
    "environment": Field("environment"),
    "source": Field("source"),
    "status": Field("status"),
    "eligible": Field("is_eligible", "bool"),
    "evidence": Field("evidence"),
    "evidence_order": _number("evidence_order"),
    "hardware": Field("product"),
    "vendor": Field("vendor"),
    "architecture": Field("architecture"),
    "language": Field("language"),
    "project": Field("project_slug", is_nullable=True),
    "license": Field("license", is_nullable=True),
    "permissive": Field("is_permissive", "bool"),
    "deployable": Field("is_deployable", "bool"),
    "metric": Field("metric"),
    "unit": Field("unit", is_nullable=True),
    "value": _number("value", nullable=True),
    "rank": _number("rank", nullable=True),
    "baseline": Field("is_baseline", "bool"),
    "observed_at": _time("observed_at"),
    "published_at": _time("published_at"),
    "title": Field("title"),
}

_LIST_OF_LISTS = (
    ListSpec(
        "families",
        "family",
        rows.FAMILY_COLUMNS,
        {
            "slug": Field("slug"),
            "operation_count": _number("operation_count"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "slug",
        (Order("slug"),),
    ),
    ListSpec(
        "operations",
        "operation",
        rows.OPERATION_COLUMNS,
        {
            "digest": Field("digest"),
            "slug": Field("slug"),
            "title": Field("title"),
            "family": Field("family"),
            "tag": Field("tags", "texts"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "digest",
        (Order("slug"),),
    ),
    ListSpec(
        "workloads",
        "workload",
        rows.WORKLOAD_COLUMNS,
        {
            "digest": Field("digest"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "position": _number("position"),
            "suite": Field("is_suite", "bool"),
            "dtype": Field("dtypes", "texts"),
            "shape": Field("shapes", "texts"),
            "label": Field("label"),
            "comparator": Field("comparator"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
        },
        "digest",
        (Order("operation_slug"), Order("position")),
    ),
    ListSpec(
        "implementations",
        "implementation",
        rows.IMPLEMENTATION_COLUMNS,
        {
            "digest": Field("digest"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "title": Field("title"),
            "language": Field("language"),
            "project": Field("project_slug", is_nullable=True),
            "license": Field("license", is_nullable=True),
            "permissive": Field("is_permissive", "bool"),
            "deployable": Field("is_deployable", "bool"),
            "installable": Field("install_command IS NOT NULL", "bool"),
            "baseline": Field("is_baseline", "bool"),
            "architecture": Field("architectures", "texts"),
            "dtype": Field("dtypes", "texts"),
            "run_count": _number("run_count"),
            "record_count": _number("record_count"),
        },
        "digest",
        (Order("operation_slug"), Order("title")),
    ),
    ListSpec(
        "runs",
        "run_by_time",
        rows.JUDGED_RUN_COLUMNS,
        _RUN_FIELDS,
        "digest",
        (Order("observed_at", is_descending=True),),
        is_stored_sorted=True,
    ),
    ListSpec(
        "cohorts",
        "cohort",
        rows.COHORT_COLUMNS,
        {
            "key": Field("key"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "workload": Field("workload"),
            "protocol": Field("protocol"),
            "environment": Field("environment"),
            "source": Field("source"),
            "profile": Field("profile"),
            "metric": Field("metric"),
            "hardware": Field("product"),
            "vendor": Field("vendor"),
            "architecture": Field("architecture"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
            "record_event_count": _number("record_event_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "key",
        (Order("operation_slug"), Order("workload")),
    ),
    ListSpec(
        "records",
        "record",
        ("cohort", "run", "since"),
        {
            "cohort": Field("cohort"),
            "run": Field("run"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "workload": Field("workload"),
            "implementation": Field("implementation"),
            "environment": Field("environment"),
            "source": Field("source"),
            "hardware": Field("product"),
            "vendor": Field("vendor"),
            "architecture": Field("architecture"),
            "dtype": Field("dtypes", "texts"),
            "language": Field("language"),
            "project": Field("project_slug", is_nullable=True),
            "license": Field("license", is_nullable=True),
            "permissive": Field("is_permissive", "bool"),
            "deployable": Field("is_deployable", "bool"),
            "installable": Field("is_installable", "bool"),
            "evidence": Field("evidence"),
            "evidence_order": _number("evidence_order"),
            "metric": Field("metric"),
            "value": _number("value"),
            "since": _time("since"),
            "observed_at": _time("observed_at"),
            "eligible_run_count": _number("eligible_run_count"),
        },
        "cohort",
        (Order("since", is_descending=True),),
    ),
    ListSpec(
        "record_events",
        "event",
        rows.EVENT_COLUMNS,
        {
            "cohort": Field("cohort"),
            "run": Field("run", is_nullable=True),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "workload": Field("workload"),
            "hardware": Field("product"),
            "source": Field("source"),
            "cause": Field("cause"),
            "at": _time("changed_at"),
            "ordinal": _number("ordinal"),
            "improvement_percent": _number("improvement_percent", nullable=True),
        },
        "(cohort || ':' || ordinal)",
        (Order("at", is_descending=True), Order("ordinal", is_descending=True)),
    ),
    ListSpec(
        "projects",
        "project",
        rows.PROJECT_COLUMNS,
        {
            "slug": Field("slug"),
            "digest": Field("digest"),
            "name": Field("name"),
            "repository": Field("repository", is_nullable=True),
            "implementation_count": _number("implementation_count"),
            "operation_count": _number("operation_count"),
            "family_count": _number("family_count"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
            "record_count": _number("record_count"),
        },
        "digest",
        (Order("slug"),),
    ),
    ListSpec(
        "opportunities",
        "opportunity",
        (
            "cohort",
            "record",
            "policy",
            "floor_ns",
            "record_ns",
            "record_ratio",
            "bound",
            "below_floor",
            "caveat",
        ),
        {
            "cohort": Field("cohort"),
            "policy": Field("policy"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "workload": Field("workload"),
            "environment": Field("environment"),
            "hardware": Field("product"),
            "vendor": Field("vendor"),
            "architecture": Field("architecture"),
            "source": Field("source"),
            "bound": Field("bound", is_nullable=True),
            "below_floor": Field("below_floor", is_nullable=True),
            "ratio": _number("record_ratio"),
            "eligible_run_count": _number("eligible_run_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "(cohort || ':' || policy)",
        (Order("ratio", is_descending=True),),
    ),
    ListSpec(
        "challenges",
        "challenge",
        (
            "workload",
            "operation",
            "family",
            "product",
            "vendor",
            "neighbour_count",
            "product_count",
            "case_count",
        ),
        {
            "workload": Field("workload"),
            "operation": Field("operation"),
            "operation_slug": Field("operation_slug"),
            "family": Field("family"),
            "hardware": Field("product"),
            "vendor": Field("vendor"),
            "neighbour_count": _number("neighbour_count"),
            "product_count": _number("product_count"),
            "case_count": _number("case_count"),
            "position": _number("position"),
        },
        "(workload || ':' || product)",
        (
            Order("neighbour_count", is_descending=True),
            Order("operation_slug"),
            Order("position"),
        ),
    ),
    ListSpec(
        "hardware",
        "hardware",
        rows.HARDWARE_COLUMNS,
        {
            "product": Field("product"),
            "vendor": Field("vendor"),
            "architecture": Field("architectures", "texts"),
            "run_count": _number("run_count"),
            "eligible_run_count": _number("eligible_run_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "product",
        (Order("product"),),
    ),
    ListSpec(
        "sources",
        "source",
        rows.SOURCE_COLUMNS,
        {
            "slug": Field("slug"),
            "name": Field("name"),
            "kind": Field("kind"),
            "run_count": _number("run_count"),
            "last_observed_at": _time("last_observed_at", nullable=True),
        },
        "slug",
        (Order("slug"),),
    ),
    ListSpec(
        "publications",
        "publication",
        rows.PUBLICATION_COLUMNS,
        {
            "sequence": _number("sequence"),
            "snapshot": Field("object_id"),
            "source": Field("source", is_nullable=True),
            "published_at": _time("published_at"),
            "published_by": Field("published_by"),
        },
        "sequence",
        (Order("sequence", is_descending=True),),
        "number",
    ),
    ListSpec(
        "serving_runs",
        "serving_run",
        rows.SERVING_RUN_COLUMNS,
        {
            "digest": Field("digest"),
            "cohort": Field("cohort"),
            "model": Field("model_name"),
            "model_digest": Field("model"),
            "configuration": Field("configuration"),
            "workload": Field("workload"),
            "workload_name": Field("workload_name"),
            "scenario": Field("scenario", is_nullable=True),
            "hardware": Field("accelerator_model"),
            "vendor": Field("accelerator_vendor", is_nullable=True),
            "accelerator_count": _number("accelerator_count"),
            "node_count": _number("node_count"),
            "dtype": Field("dtype", is_nullable=True),
            "quality_policy": Field("quality_policy", is_nullable=True),
            "source": Field("source"),
            "status": Field("status"),
            "observed_at": _time("observed_at"),
        },
        "digest",
        (Order("observed_at", is_descending=True),),
    ),
)

LISTS: Mapping[str, ListSpec] = {item.name: item for item in _LIST_OF_LISTS}
"""Every list by name."""


def compile_filter(spec: ListSpec, where: Filter | None) -> tuple[str, list[Any]]:
    """The condition as SQL, with the values to bind; `true` where there is none."""
    if where is None:
        return "true", []
    if isinstance(where, Condition):
        return _compile_condition(spec, where)
    if isinstance(where, Negation):
        sql, values = compile_filter(spec, where.part)
        # Absence satisfies no test, so it satisfies the negation of one.
        return f"NOT coalesce({sql}, false)", values
    parts = [compile_filter(spec, part) for part in where.parts]
    glue, empty = (" AND ", "true") if isinstance(where, AllOf) else (" OR ", "false")
    if isinstance(where, AnyOf | AllOf) and not parts:
        return empty, []
    return "(" + glue.join(sql for sql, _ in parts) + ")", [
        v for _, values in parts for v in values
    ]


def _compile_condition(spec: ListSpec, where: Condition) -> tuple[str, list[Any]]:
    if where.field.startswith(AXIS_PREFIX) and spec.name in _WITH_AXES:
        sql = "list_extract(axis_values, list_position(axis_names, ?))"
        name = where.field.removeprefix(AXIS_PREFIX)
        test, values = _compile_test(spec, Field(sql, "number", is_nullable=True), where)
        # A test that nothing can pass does not look at the axis.
        return test, [name, *values] if sql in test else values
    return _compile_test(spec, spec.find_field(where.field), where)


def _compile_test(spec: ListSpec, found: Field, where: Condition) -> tuple[str, list[Any]]:
    operator, value, sql = where.operator, where.value, f"({found.sql})"
    if operator not in _OPERATORS[found.type]:
        raise UnknownFieldError(spec.name, f"{where.field} {operator}", _OPERATORS[found.type])
    if operator == "is_null":
        if not isinstance(value, bool):
            raise FilterValueError(spec.name, where.field, value, "true or false")
        return f"{sql} IS {'' if value else 'NOT '}NULL", []
    if operator == "in" and not isinstance(value, tuple):
        raise FilterValueError(spec.name, where.field, value, "a list of values")
    given = value if operator == "in" and isinstance(value, tuple) else (value,)
    values = [_read_value(spec, where.field, found.type, item) for item in given]
    marks = ", ".join("?" * len(values))
    if found.type == "texts":
        return f"list_has_any({sql}, [{marks}]::VARCHAR[])", values
    if operator == "in":
        return (f"{sql} IN ({marks})" if values else "false"), values
    if operator == "contains":
        return f"contains(lower({sql}), lower(?))", values
    return f"{sql} {_COMPARISONS[operator]} ?", values


def _read_value(spec: ListSpec, name: str, kind: FieldType, value: object) -> object:
    """The value as the database compares it, exactly: nothing is converted there."""
    match kind:
        case "text" | "texts" if isinstance(value, str):
            return str(value)
        case "bool" if isinstance(value, bool):
            return value
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            # Counts and values end far below what the database takes for an integer.
            if abs(value) < _LARGE:
                return value
            if abs(value) <= _LARGEST:
                return float(value)
        case "time" if isinstance(value, datetime):
            # A time zone would make the database compare in the zone of its session.
            return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    raise FilterValueError(spec.name, name, value, f"a value to compare a {_KIND_NAMES[kind]} with")


@dataclass(frozen=True, slots=True)
class Sorting:
    """The full sort of a list: its order fields, then its key."""

    expressions: tuple[str, ...]
    is_descending: tuple[bool, ...]
    types: tuple[SortType, ...]

    def order_by(self, *, is_reversed: bool) -> str:
        """The ORDER BY list, turned round to read a page from its end."""
        return ", ".join(
            f"{sql} {'DESC' if down != is_reversed else 'ASC'}"
            for sql, down in zip(self.expressions, self.is_descending, strict=True)
        )

    def beyond(self, values: Sequence[Any], *, is_reversed: bool) -> tuple[str, list[Any]]:
        """The rows after (or, turned round, before) the row with these sort values."""
        options: list[str] = []
        bound: list[Any] = []
        signs = ["<" if down != is_reversed else ">" for down in self.is_descending]
        for index, sign in enumerate(signs):
            same = [f"{sql} = ?" for sql in self.expressions[:index]]
            options.append("(" + " AND ".join([*same, f"{self.expressions[index]} {sign} ?"]) + ")")
            bound.extend(values[: index + 1])
        # Redundant, and what lets the database skip whole blocks of an ordered table.
        return f"{self.expressions[0]} {signs[0]}= ? AND ({' OR '.join(options)})", [
            values[0],
            *bound,
        ]


def make_sorting(spec: ListSpec, order: Sequence[Order]) -> Sorting:
    """The sort that an order asks for, or the list's own where it asks for none."""
    wanted = tuple(order) or spec.order
    fields = [spec.find_field(item.field) for item in wanted]
    types: list[SortType] = []
    for item, found in zip(wanted, fields, strict=True):
        if found.type == "texts":
            raise UnknownFieldError(
                spec.name, f"order by {item.field}", ("a field with one value",)
            )
        types.append(found.type)
    return Sorting(
        (*(found.order_sql for found in fields), spec.key),
        (*(item.is_descending for item in wanted), False),
        (*types, spec.key_type),
    )
