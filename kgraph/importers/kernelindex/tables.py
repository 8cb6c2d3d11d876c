"""First pass over an export: every row by itself, manifests identified and digests compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import orjson

from kgraph.canonical import show
from kgraph.importers.batch import RefusalCause
from kgraph.importers.kernelindex.columns import KNOWN_COLUMNS
from kgraph.importers.kernelindex.listings import listed_artifact, listed_columns, source_manifest
from kgraph.importers.kernelindex.rows import Row, RowRefusedError, pick
from kgraph.manifest import Identified, ManifestRefusedError, identify_value
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.canonical import JsonValue
    from kgraph.digest import SpecDigest
    from kgraph.importers.kernelindex.ledger import Ledger


@dataclass(frozen=True, slots=True)
class _ManifestTable:
    digest_column: str | None
    """None where the export gives no digest of the manifest."""
    kinds: frozenset[Kind]


def _holds(digest_column: str | None, *kinds: Kind) -> _ManifestTable:
    return _ManifestTable(digest_column, frozenset(kinds))


_MANIFEST_TABLES: Final = {
    "projects": _holds(None, Kind.SOFTWARE_PROJECT),
    "operations": _holds("semanticDigest", Kind.OPERATION_SPEC),
    "workloads": _holds("workloadDigest", Kind.WORKLOAD_CASE, Kind.WORKLOAD_SUITE),
    "implementations": _holds("implementationDigest", Kind.IMPLEMENTATION_REVISION),
    "model_revisions": _holds("modelDigest", Kind.MODEL_REVISION),
    "serving_stack_revisions": _holds("stackDigest", Kind.SERVING_STACK_REVISION),
    "serving_configurations": _holds("configurationDigest", Kind.SERVING_CONFIGURATION),
    "serving_workloads": _holds("workloadDigest", Kind.SERVING_WORKLOAD),
    "serving_runs": _holds("runDigest", Kind.SERVING_RUN),
}

_RUN_KINDS: Final = {
    "run": Kind.BENCHMARK_RUN,
    "protocol": Kind.BENCHMARK_PROTOCOL,
    "environment": Kind.EXECUTION_ENVIRONMENT,
}


@dataclass(frozen=True, slots=True)
class Published:
    """A manifest as the export holds it."""

    identified: Identified
    spec: Mapping[str, JsonValue]
    """As written, so that columns are compared with what was published."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row that stands by itself, before its references are looked at."""

    row: Row
    """Without the manifest."""
    manifests: tuple[Published, ...]
    """Three for a kernel run (itself, its protocol, its environment), else one."""
    listed: Mapping[str, JsonValue]
    """What a Listing says of the first of them."""

    @property
    def digest(self) -> SpecDigest:
        """Spec digest of the manifest that the row publishes."""
        return self.manifests[0].identified.digest

    @property
    def spec(self) -> Mapping[str, JsonValue]:
        """Spec of the manifest that the row publishes."""
        return self.manifests[0].spec


class Tables:
    """Rows of an export by table and row id; row ids hold the file together and go no further."""

    def __init__(self, ledger: Ledger, *, is_listed: bool = False) -> None:
        """Start empty; `is_listed` where Listings come along, so that none is made from columns."""
        self._ledger, self._is_listed = ledger, is_listed
        self._by_id: dict[str, dict[str, Entry]] = {}
        self._refused_ids: dict[tuple[str, str], int] = {}
        self._lines_by_digest: dict[tuple[str, str], int] = {}
        self._known: dict[bytes, Published] = {}
        self.aliases: list[Row] = []
        self.measurements: list[Row] = []
        self.record_events: list[Row] = []
        self.artifacts: dict[str, Mapping[str, JsonValue]] = {}
        """What a Listing says of each artifact, by content digest."""
        self._readers: dict[str, Callable[[Row], None]] = {
            **dict.fromkeys(_MANIFEST_TABLES, self._add_manifest),
            "sources": self._add_source,
            "benchmark_runs": self._add_run,
            "operation_aliases": self.aliases.append,
            "measurements": self.measurements.append,
            "serving_measurements": self.measurements.append,
            "record_events": self.record_events.append,
            "artifacts": self._add_artifact,
        }

    def add(self, row: Row) -> None:
        """Take in one row.

        Raises:
            RowRefusedError: the row is wrong by itself; rows that refer to it will be refused too.
        """
        reader = self._readers.get(row.table)
        if reader is None:
            expected = "one of " + ", ".join(sorted(self._readers))
            raise RowRefusedError("line", f"the table {show(row.table)}", expected)
        for column in row.columns.keys() - KNOWN_COLUMNS[row.table]:
            self._ledger.leave_out(f"{row.table} column {column}, which is not understood,")
        try:
            reader(row)
        except RowRefusedError:
            self._mark_refused(row)
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """Tables that have a row, in the order in which the file begins them."""
        return tuple(self._by_id)

    def entries(self, table: str) -> tuple[Entry, ...]:
        """Rows of a table that stand, in the order of the file."""
        return tuple(self._by_id.get(table, {}).values())

    def drop(self, entry: Entry) -> None:
        """Take a row out again, because a reference or a key of it is wrong."""
        row = entry.row
        del self._by_id[row.table][row.text("id")]
        self._mark_refused(row)

    def find(self, row: Row, column: str, table: str) -> Entry:
        """The row of `table` whose id stands in `column`.

        Raises:
            RowRefusedError: there is none, or it is refused.
        """
        row_id = row.text(column)
        entry = self._by_id.get(table, {}).get(row_id)
        if entry is not None:
            return entry
        line = self._refused_ids.get((table, row_id))
        if line is None:
            raise row.refuse(column, f"{row_id}, which no row has", f"the id of a row of {table}")
        found = f"{row_id}, the row of line {line}, which is refused"
        expected = f"the id of an accepted row of {table}"
        raise row.refuse(column, found, expected, RefusalCause.DEPENDENCE)

    def _add_source(self, row: Row) -> None:
        value = source_manifest(row, self._ledger)
        published = self.identify(row, "policy", value, frozenset({Kind.SOURCE}))
        self._file(Entry(row, (published,), {}), "slug", row.text("slug"))

    def _add_manifest(self, row: Row) -> None:
        table = _MANIFEST_TABLES[row.table]
        published = self.identify(row, "manifest", row.members("manifest"), table.kinds)
        digest = published.identified.digest
        if table.digest_column is not None:
            self._ledger.compare(row, table.digest_column, digest, "the manifest")
        entry = Entry(_without_manifest(row), (published,), self._list(row))
        self._file(entry, table.digest_column or "manifest", digest)

    def _add_run(self, row: Row) -> None:
        manifests = row.members("manifest")
        if manifests.keys() != _RUN_KINDS.keys():
            found = f"the keys {', '.join(sorted(manifests))}"
            raise row.refuse("manifest", found, "the manifests run, protocol and environment")
        run, protocol, environment = (
            self.identify(row, f"manifest.{role}", manifests[role], frozenset({kind}))
            for role, kind in _RUN_KINDS.items()
        )
        for role, cited in (("protocol", protocol), ("environment", environment)):
            field = f"{role}Digest"
            if run.spec[field] != cited.identified.digest:
                expected = f"{cited.identified.digest}, the digest of the {role} beside it"
                found = str(run.spec[field])
                raise row.refuse(f"manifest.run.spec.{field}", found, expected, RefusalCause.PARITY)
        for column, manifest, source in (
            ("runDigest", run, "the run manifest"),
            ("protocolKey", protocol, "the protocol manifest"),
            ("environmentKey", environment, "the environment manifest"),
        ):
            self._ledger.compare(row, column, manifest.identified.digest, source)
        published = (run, protocol, environment)
        entry = Entry(_without_manifest(row), published, self._list(row))
        self._file(entry, "runDigest", entry.digest)

    def _list(self, row: Row) -> Mapping[str, JsonValue]:
        return {} if self._is_listed else listed_columns(row)

    def _add_artifact(self, row: Row) -> None:
        listed = listed_artifact(row)
        digest = row.digest("contentDigest")
        if self.artifacts.setdefault(digest, listed) is not listed:
            raise row.refuse("contentDigest", f"{digest} a second time", "each artifact once")

    def identify(self, row: Row, place: str, value: JsonValue, kinds: frozenset[Kind]) -> Published:
        """The manifest that stands at `place` of a row, and is of one of `kinds`.

        Raises:
            RowRefusedError: it is no manifest, or one of another kind.
        """
        # The protocol and environment of a run are repeated in every row; six of each serve
        # 7,857 runs of the public export.
        content = orjson.dumps(value)
        published = self._known.get(content)
        if published is None:
            if not isinstance(value, Mapping):
                raise row.refuse(place, show(value), "a manifest")
            try:
                identified = identify_value(value, where=place)
            except ManifestRefusedError as error:
                first = error.refusals[0]
                path = f"{place}.{first.path}" if first.path else place
                raise row.refuse(path, first.found, first.expected) from error
            published = Published(identified, _spec_of(value))
            if identified.kind in _REPEATED_KINDS:
                self._known[content] = published
        if published.identified.kind not in kinds:
            expected = " or ".join(sorted(kinds))
            raise row.refuse(f"{place}.kind", published.identified.kind, expected)
        return published

    def _file(self, entry: Entry, column: str, name: str) -> None:
        row = entry.row
        row_id = row.text("id")
        rows = self._by_id.setdefault(row.table, {})
        if row_id in rows:
            found = f"{row_id}, which line {rows[row_id].row.line} has"
            raise row.refuse("id", found, "an id of its own")
        line = self._lines_by_digest.setdefault((row.table, name), row.line)
        if line != row.line:
            raise row.refuse(column, f"{name}, which line {line} publishes", "each once")
        rows[row_id] = entry

    def _mark_refused(self, row: Row) -> None:
        row_id = row.columns.get("id")
        if isinstance(row_id, str):
            self._refused_ids.setdefault((row.table, row_id), row.line)


_REPEATED_KINDS: Final = frozenset({Kind.BENCHMARK_PROTOCOL, Kind.EXECUTION_ENVIRONMENT})


def _without_manifest(row: Row) -> Row:
    columns: Mapping[str, JsonValue] = {
        column: value for column, value in row.columns.items() if column != "manifest"
    }
    return Row(row.table, row.line, columns)


def _spec_of(value: JsonValue) -> Mapping[str, JsonValue]:
    spec = pick(value, "spec")
    assert isinstance(spec, Mapping)  # noqa: S101 - the manifest was just identified
    return spec
