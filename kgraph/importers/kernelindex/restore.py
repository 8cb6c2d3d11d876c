"""A file that `kgraph export` made: its own tables say what is stored, and when it was published.

Every manifest is taken as it stands, from the row that holds it, under the object id that the file
gives. Sources, Listings and Corrections are among them, so none is made from columns here, and
columns beside a manifest are not read. The file counts what it holds: one that is cut short between
two lines is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kgraph.canonical import show
from kgraph.digest import BadDigestError, ObjectId, parse_object_id
from kgraph.importers.batch import EarlierPublication, PublishedRecord, RefusalCause
from kgraph.importers.kernelindex.rows import Row, RowRefusedError
from kgraph.vocab import CohortKey, Kind, Slug

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.digest import SpecDigest
    from kgraph.importers.kernelindex.ledger import Ledger
    from kgraph.importers.kernelindex.tables import Tables
    from kgraph.manifest import Identified

HEAD_TABLE: Final = "kgraph_catalogue"
"""Table of the first line of an exported catalogue."""

EXPORT_FORMAT: Final = "kgraph-catalogue-1"
"""What `kgraph export` calls the form that is read here."""

_MANIFEST_TABLES: Final = {
    "kgraph_sources": frozenset({Kind.SOURCE}),
    "kgraph_listings": frozenset({Kind.LISTING}),
    "kgraph_corrections": frozenset({Kind.CORRECTION}),
    "kgraph_attestations": frozenset({Kind.ATTESTATION}),
    "kgraph_manifests": frozenset(Kind) - {Kind.PUBLICATION},
}


@dataclass(frozen=True, slots=True)
class Restored:
    """What an exported catalogue holds, in the order of its publications."""

    manifests: tuple[Identified, ...]
    history: tuple[EarlierPublication, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an object belongs."""

    line: int
    publication: int


class OwnTables:
    """Rows of kgraph's own tables; `tables` holds those of the site's."""

    def __init__(self, head: Row, tables: Tables, ledger: Ledger) -> None:
        self._tables, self._ledger, self._head = tables, ledger, head
        self._publications: list[EarlierPublication] = []
        self._places: dict[ObjectId, _Place] = {}
        self._manifests: dict[ObjectId, Identified] = {}
        self._events: list[Row] = []
        if head.text("format") != EXPORT_FORMAT:
            found = show(head.columns["format"])
            raise head.refuse("format", found, f"{EXPORT_FORMAT}, which this version reads")
        self._readers: dict[str, Callable[[Row], None]] = {
            "kgraph_publications": self._add_publication,
            "kgraph_objects": self._add_object,
            **dict.fromkeys(_MANIFEST_TABLES, self._add_manifest),
        }

    def takes(self, table: str) -> bool:
        """Whether a table is one of kgraph's own."""
        return table in self._readers

    def add(self, row: Row) -> None:
        """Take in one row of a table that `takes` says is ours.

        Raises:
            RowRefusedError: the row is wrong by itself.
        """
        self._readers[row.table](row)

    def restore(self) -> Restored:
        """Everything that the file holds; what does not fit together is written into the ledger."""
        held = {
            published.identified.object_id: published.identified
            for table in self._tables.names
            for entry in self._tables.entries(table)
            for published in entry.manifests
        }
        held.update(self._manifests)
        ordered: dict[int, list[Identified]] = {
            number: [] for number in range(1, len(self._publications) + 1)
        }
        for object_id, place in sorted(self._places.items()):
            manifest = held.pop(object_id, None)
            if manifest is None:
                found = f"{object_id}, which no row holds"
                self._refuse(place.line, "column objectId", found, "the id of a manifest here")
            elif place.publication not in ordered:
                self._refuse(
                    place.line,
                    "column publication",
                    str(place.publication),
                    f"1 to {len(self._publications)}, the publications here",
                )
            else:
                ordered[place.publication].append(manifest)
        for object_id in sorted(held):
            found = f"{object_id}, which no publication brought"
            self._refuse(self._head.line, "objects", found, "a row of kgraph_objects for it")
        for number, publication in enumerate(self._publications, start=1):
            if publication.object_count != len(ordered[number]):
                self._refuse(
                    self._head.line,
                    f"publication {number}",
                    f"{len(ordered[number])} objects",
                    f"{publication.object_count}, as it counts",
                )
        self._check_head()
        return Restored(
            tuple(manifest for manifests in ordered.values() for manifest in manifests),
            tuple(self._publications),
        )

    def read_record(self, row: Row) -> PublishedRecord:
        """The event that a row publishes; it may be a correction that leaves no record.

        Raises:
            RowRefusedError: the row refers to a run that is not here.
        """
        run, previous = self._run_of(row, "runId"), self._run_of(row, "previousRunId")
        return PublishedRecord(
            CohortKey(row.digest("comparisonKey")), run, previous, row.instant("at")
        )

    def _run_of(self, row: Row, column: str) -> SpecDigest | None:
        if row.columns.get(column) is None:
            return None
        return self._tables.find(row, column, "benchmark_runs").digest

    def _add_publication(self, row: Row) -> None:
        number = len(self._publications) + 1
        if row.whole("sequence") != number:
            raise row.refuse("sequence", str(row.columns["sequence"]), f"{number}, the next")
        self._publications.append(
            EarlierPublication(
                source=None if row.columns.get("source") is None else Slug(row.slug("source")),
                published_at=row.instant("publishedAt"),
                published_by=row.short("publishedBy"),
                message=None if row.columns.get("message") is None else row.text("message"),
                object_count=row.whole("objectCount"),
            )
        )

    def _add_manifest(self, row: Row) -> None:
        kinds = _MANIFEST_TABLES[row.table]
        published = self._tables.identify(row, "manifest", row.members("manifest"), kinds)
        identified = published.identified
        object_id = self._add_place(row)
        self._ledger.compare(row, "objectId", identified.object_id, "the manifest")
        self._manifests[object_id] = identified

    def _add_object(self, row: Row) -> None:
        self._add_place(row)

    def _add_place(self, row: Row) -> ObjectId:
        text = row.text("objectId")
        try:
            object_id = parse_object_id(text)
        except BadDigestError as error:
            raise row.refuse("objectId", show(text), error.expected) from error
        place = _Place(row.line, row.whole("publication"))
        if self._places.setdefault(object_id, place) is not place:
            found = f"{object_id}, which line {self._places[object_id].line} has"
            raise row.refuse("objectId", found, "each object once")
        return object_id

    def _check_head(self) -> None:
        counted = {"publications": len(self._publications), "objects": len(self._places)}
        for column, count in counted.items():
            if self._head.columns.get(column) != count:
                expected = f"{show(self._head.columns.get(column))}, as the first line counts"
                self._refuse(self._head.line, column, f"{count} rows", expected)

    def _refuse(self, line: int, place: str, found: str, expected: str) -> None:
        self._ledger.refuse(line, RowRefusedError(place, found, expected, RefusalCause.FORM))
