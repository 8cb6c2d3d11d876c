"""Reading an index: one read-only connection, one cursor a thread, every value bound."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
from cachetools import LRUCache

from kgraph.digest import ObjectId
from kgraph.errors import DamageError, KgraphError
from kgraph.facts import AggregateFact, FacetCount, Filter, Order, Page, PageRequest
from kgraph.index.cursor import Cursors, decode_cursor, fingerprint
from kgraph.index.filters import compile_filter, goes_via, make_sorting
from kgraph.index.list_spec import UnknownFieldError
from kgraph.index.lists import LISTS
from kgraph.index.schema import TABLE_VERSION
from kgraph.tracing import span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

T = TypeVar("T")

MAX_PAGE = 200
"""The longest page that any list gives."""
_DEFAULT_PAGE = 20

# Lengths of filtered lists that are kept; a filter and its length take some 200 bytes.
_MAX_TOTALS = 4_096

CATALOG = "kgraph"
"""Name of the attached file inside the database that reads or builds it."""

# Pages and look-ups need little; what is not needed again may as well leave memory, since several
# snapshots may be open. Nothing is spilled to disk, loaded from elsewhere or taken from Python.
_CONFIG: dict[str, str | bool | int] = {
    "memory_limit": "1GB",
    "temp_directory": "",
    # The default; a page of a list that lies sorted rests on it.
    "preserve_insertion_order": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


class IndexVersionError(DamageError):
    """An index file of another table version; it is derived, so rebuilding loses nothing."""

    code = "INDEX_VERSION"

    def __init__(self, path: Path, found: str) -> None:
        self.path, self.found = path, found
        super().__init__(
            f"{path.name}: built for table version {found}, this program reads {TABLE_VERSION};"
            " run `kgraph index build`"
        )


class IndexDamagedError(DamageError):
    """An index file that the database cannot read; it is derived, so rebuilding loses nothing."""

    code = "INDEX_DAMAGED"

    def __init__(self, path: Path, problem: str) -> None:
        self.path, self.problem = path, problem
        super().__init__(
            f"{path.name}: {problem}, expected an index; run `kgraph index build --rebuild`"
        )


class PageSizeError(KgraphError):
    """A page that is too long, empty, or asked for from both ends."""

    code = "BAD_PAGE"

    def __init__(self, argument: str, found: str, expected: str) -> None:
        self.argument, self.found, self.expected = argument, found, expected
        super().__init__(f"{argument}: found {found}, expected {expected}")


class QueryCancelledError(KgraphError):
    """The time budget of a request ran out while the database was at work."""

    code = "TIME_BUDGET_EXCEEDED"

    def __init__(self) -> None:
        super().__init__("time budget: the query was stopped, expected a smaller question")


class QueryMemoryError(KgraphError):
    """The statements at work want more memory than the database may take."""

    code = "LIMIT_MEMORY"

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(
            f"memory: {problem}, expected a smaller question; ask for less, or again later"
        )


class Index:
    """One index file, open for reading; safe to use from several threads."""

    def __init__(self, path: Path, *, threads: int = 2) -> None:
        self.path = path
        self._local = threading.local()
        self._count_lock = threading.Lock()
        self.statement_count = 0
        # A snapshot does not change, so that a length once counted stays right.
        self._totals: LRUCache[str, int] = LRUCache(_MAX_TOTALS)
        # A database of its own that the file is attached to: two readers of one file in a process
        # need not agree on settings, and a file made anew under a name in use is really read.
        self._connection = duckdb.connect(":memory:", config={**_CONFIG, "threads": threads})
        try:
            meta = self._open()
        except duckdb.Error as error:
            self._connection.close()
            raise IndexDamagedError(path, _first_line(error)) from error
        except IndexDamagedError:
            self._connection.close()
            raise
        found = meta.get("table_version", "none")
        if found != TABLE_VERSION or not {"snapshot", "sequence", "policies"} <= meta.keys():
            self._connection.close()
            raise IndexVersionError(path, found)
        self.snapshot = ObjectId(meta["snapshot"])
        self.sequence = int(meta["sequence"])
        self.policies = meta["policies"]

    def _open(self) -> dict[str, str]:
        run = self._connection.execute
        run(f"ATTACH {quote_text(str(self.path))} AS {CATALOG} (READ_ONLY)")
        run(f"USE {CATALOG}")
        # From here on nothing but this file can be read, whatever a statement says.
        run("SET enable_external_access = false")
        run("SET lock_configuration = true")
        meta = dict(run("SELECT key, value FROM meta").fetchall())
        # The database notices that a file is cut short only when a query needs what is gone. A file
        # that lost its name meanwhile is open and whole.
        with contextlib.suppress(FileNotFoundError):
            size_bytes = self.path.stat().st_size
            if size_bytes < int(meta.get("size_bytes", "0")):
                raise IndexDamagedError(self.path, f"{size_bytes} of {meta['size_bytes']} bytes")
        return meta

    def close(self) -> None:
        """Let go of the file once the statements that run are done."""
        self._connection.close()

    @property
    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            # A cursor a thread: two threads then run two statements at once.
            cursor = self._local.cursor = self._connection.cursor()
            cursor.execute(f"USE {CATALOG}")
        return cursor

    def fetch(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one statement.

        Raises:
            QueryCancelledError: what `interrupter` gave was called while it ran.
            QueryMemoryError: it and others at work want more memory than there is.
            IndexDamagedError: a part of the file that it needs cannot be read.
        """
        with self._count_lock:
            self.statement_count += 1
        try:
            with span("sql", {"db.system.name": "duckdb", "db.query.text": sql}):
                return self._cursor.execute(sql, list(values)).fetchall()
        except duckdb.InterruptException as error:
            raise QueryCancelledError from error
        except duckdb.OutOfMemoryException as error:
            raise QueryMemoryError(_first_line(error)) from error
        except duckdb.Error as error:
            if not is_damage(error):
                raise
            raise IndexDamagedError(self.path, _first_line(error)) from error

    def open_batches(self, sql: str, size: int) -> Any:  # noqa: ANN401 - Arrow ships no types
        """A reader of one statement's rows, `size` at a time, for what reads whole tables.

        It has a cursor of its own, so that the calling thread may ask other things meanwhile.

        Raises:
            IndexDamagedError: a part of the file that it needs cannot be read.
        """
        with self._count_lock:
            self.statement_count += 1
        cursor = self._connection.cursor()
        try:
            cursor.execute(f"USE {CATALOG}")
            return cursor.sql(sql).to_arrow_reader(size)
        except duckdb.Error as error:
            if not is_damage(error):
                raise
            raise IndexDamagedError(self.path, _first_line(error)) from error

    def interrupter(self) -> Callable[[], None]:
        """A function that stops the statement this thread is running; callable from any thread."""
        return self._cursor.interrupt

    def fetch_by(
        self,
        relation: str,
        columns: Sequence[str],
        key: str,
        keys: Sequence[Any],
        *,
        order: str = "",
    ) -> list[tuple[Any, ...]]:
        """Rows whose `key` is one of `keys`, in `order`; none where there are no keys."""
        if not keys:
            return []
        marks = ", ".join("?" * len(keys))
        suffix = f" ORDER BY {order}" if order else ""
        return self.fetch(
            f"SELECT {', '.join(columns)} FROM {relation} WHERE {key} IN ({marks}){suffix}", keys
        )

    def fetch_page(
        self,
        list_name: str,
        make: Callable[[tuple[Any, ...]], T],
        where: Filter | None,
        order: Sequence[Order],
        request: PageRequest,
        *,
        is_by_key: bool = False,
    ) -> Page[T]:
        """One page of a list, with the length of the whole filtered list.

        Args:
            make: An item from the columns of the list; by key, from the sort values, of which the
                key is the last.
            is_by_key: Whether nothing but the sort values is read of each row.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the request cannot be met.
        """
        spec = LISTS[list_name]
        size, is_reversed = check_page(request)
        sorting = make_sorting(spec, order)
        condition, bound = compile_filter(spec, where)
        question = fingerprint(self.snapshot, list_name, where, tuple(order))
        limits, extra = [condition], list(bound)
        for cursor, turned in ((request.after, False), (request.before, True)):
            if cursor is not None:
                values = decode_cursor(cursor, [question], sorting.types)
                sql, more = sorting.beyond(values, is_reversed=turned)
                limits.append(f"({sql})")
                extra.extend(more)
        columns = () if is_by_key else spec.columns
        is_own_order = tuple(order) in {(), spec.order}
        is_sorted = (
            spec.is_stored_sorted and not is_reversed and is_own_order and not goes_via(spec, where)
        )
        relation = spec.relation
        if is_by_key and where is None and is_own_order and spec.key_relation is not None:
            relation = spec.key_relation
        # The database keeps rows in the order that they lie in and stops at the last one wanted. It
        # would number those first, and join the numbers with the table, unless the test reads it.
        if is_sorted:
            limits.append(f"{spec.key} <> ''")
        sort = "" if is_sorted else f" ORDER BY {sorting.order_by(is_reversed=is_reversed)}"
        rows = self.fetch(
            f"SELECT {', '.join([*columns, *sorting.expressions])} FROM {relation}"
            f" WHERE {' AND '.join(limits)}{sort} LIMIT {size + 1}",
            extra,
        )
        total = self._count(list_name, where, condition, bound)
        has_more = len(rows) > size
        rows = rows[:size]
        if is_reversed:
            rows.reverse()
        count = len(columns)
        return Page(
            items=tuple([make(row if is_by_key else row[:count]) for row in rows]),
            cursors=Cursors(question, [row[count:] for row in rows] if count else rows),
            total_count=total,
            has_next=request.before is not None if is_reversed else has_more,
            has_previous=has_more if is_reversed else request.after is not None,
        )

    def _count(
        self, list_name: str, where: Filter | None, condition: str, bound: Sequence[Any]
    ) -> int:
        name = fingerprint(list_name, where)
        with self._count_lock:
            known = self._totals.get(name)
        if known is None:
            relation = LISTS[list_name].relation
            sql = f"SELECT count(*) FROM {relation} WHERE {condition}"
            known = int(self.fetch(sql, bound)[0][0])
            with self._count_lock:
                self._totals[name] = known
        return known

    def count_facets(
        self, list_name: str, where: Filter | None, name: str
    ) -> tuple[FacetCount, ...]:
        """How many items of the filtered list have each value of a field, most first.

        An item with several values counts for each.
        """
        spec = LISTS[list_name]
        found = spec.find_field(name)
        condition, bound = compile_filter(spec, where)
        value = f"unnest({found.sql})" if found.type == "texts" else found.sql
        counted = f"SELECT ({value})::VARCHAR AS value FROM {spec.relation} WHERE {condition}"
        if found.via is not None:
            distinct = "" if found.via.is_single else "DISTINCT "
            counted = (
                f"SELECT value FROM (SELECT {found.via.column} AS item FROM {spec.relation}"
                f" WHERE {condition}) JOIN (SELECT {distinct}{found.via.key} AS holder,"
                f" ({value})::VARCHAR AS value FROM {found.via.relation}) ON holder = item"
            )
        rows = self.fetch(
            f"SELECT value, count(*) FROM ({counted})"
            " WHERE value IS NOT NULL GROUP BY value ORDER BY 2 DESC, 1",
            bound,
        )
        return tuple(FacetCount(value, count) for value, count in rows)

    def aggregate_runs(
        self, where: Filter | None, list_name: str = "runs"
    ) -> tuple[AggregateFact, ...]:
        """Summaries of the primary values of a list's runs, by metric, statistic and unit.

        Values in different units or statistics are never put together. Source: table `run`.

        Args:
            where: Which items of the list.
            list_name: A list whose items have runs; of runs, they are that themselves.
        """
        spec = LISTS[list_name]
        owned = spec.runs
        if owned is None:
            raise UnknownFieldError(list_name, "runs", tuple(spec.fields))
        condition, bound = compile_filter(spec, where)
        relation, ratio = "run", "ratio_to_leader"
        if owned.ratio is not None:
            relation, ratio = (
                f"run JOIN (SELECT {owned.item} AS item, {owned.ratio} AS item_ratio FROM"
                f" {spec.relation} WHERE {condition}) ON item = {owned.column}",
                "item_ratio",
            )
            condition = "true"
        elif list_name != "runs":
            condition = (
                f"{owned.column} IN (SELECT {owned.item} FROM {spec.relation} WHERE {condition})"
            )
        rows = self.fetch(
            "SELECT metric, statistic, unit, count(*), min(value), median(value), max(value),"
            f" exp(avg(ln({ratio})) FILTER (is_eligible AND {ratio} > 0))"
            f" FROM {relation} WHERE {condition} AND value IS NOT NULL AND unit IS NOT NULL"
            " GROUP BY ALL ORDER BY 4 DESC, 1, 2, 3",
            bound,
        )
        return tuple(AggregateFact(*row) for row in rows)


def quote_text(text: str) -> str:
    """A text as SQL writes it, for the statements that take no bound values."""
    return "'" + text.replace("'", "''") + "'"


def is_damage(error: duckdb.Error) -> bool:
    """Whether the database says that a file is not as it was written."""
    # A block whose checksum is wrong has no class of its own.
    return type(error) is duckdb.Error or isinstance(
        error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).partition("\n")[0][:120]


def check_page(request: PageRequest) -> tuple[int, bool]:
    """How many items a request asks for, and whether from the end.

    Raises:
        PageSizeError: a size below 1 or above `MAX_PAGE`, or both `first` and `last`.
    """
    if request.first is not None and request.last is not None:
        raise PageSizeError("last", "first and last together", "one of them")
    for name, size in (("first", request.first), ("last", request.last)):
        if size is not None and not 1 <= size <= MAX_PAGE:
            raise PageSizeError(name, str(size), f"1 to {MAX_PAGE}")
    if request.last is not None:
        return request.last, True
    return request.first or _DEFAULT_PAGE, False
