"""`Walk`: a snapshot read whole, in an order that depends on nothing but its content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from kgraph.index import (
    MEASUREMENTS,
    ListedFact,
    describe_measurements,
    describe_table,
    query_listed,
    query_superseded,
    walk_current_objects,
    walk_objects,
    walk_publications,
    walk_record_events,
    write_measurements,
    write_parquet,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.facts import ObjectFact, PublicationFact, RecordEventFact
    from kgraph.index import AnalysisTable, Index
    from kgraph.store import ReadStore
    from kgraph.vocab import Kind


class Walk:
    """Everything that one snapshot holds, some hundred rows at a time.

    Nothing is remembered from one chunk to the next, so that memory does not grow with the
    catalogue.
    """

    def __init__(self, index: Index, store: ReadStore) -> None:
        self._index, self._store = index, store

    def iter_current(self, kind: Kind) -> Iterator[list[ObjectFact]]:
        """The objects of a kind that are shown, by spec digest."""
        return walk_current_objects(self._index, kind)

    def iter_objects(self, kinds: Sequence[Kind]) -> Iterator[list[ObjectFact]]:
        """Every object of these kinds, shown or not, by publication and object id."""
        return walk_objects(self._index, kinds)

    def iter_publications(self) -> Iterator[list[PublicationFact]]:
        """Every publication, first to last."""
        return walk_publications(self._index)

    def iter_record_events(self) -> Iterator[list[RecordEventFact]]:
        """The whole record history, by cohort and ordinal."""
        return walk_record_events(self._index)

    def load_listed(self, subjects: Iterable[SpecDigest]) -> Mapping[SpecDigest, ListedFact]:
        """What Listings say of manifests; absent where they say nothing."""
        return query_listed(self._index, subjects)

    def load_superseded(self, runs: Iterable[SpecDigest]) -> Mapping[SpecDigest, SpecDigest]:
        """The run that each of `runs` takes the place of; absent where it takes none."""
        return query_superseded(self._index, runs)

    def load_contents(self, ids: Iterable[ObjectId]) -> dict[ObjectId, bytes]:
        """Canonical bytes of objects, each verified against its name.

        Raises:
            ObjectNotFoundError, ObjectCorruptError: the store lost or changed one.
        """
        return dict(self._store.get_many(ids))

    def load_specs(self, ids: Iterable[ObjectId]) -> dict[ObjectId, dict[str, Any]]:
        """Manifests as plain JSON values, each verified against its name; errors as above."""
        return {
            object_id: orjson.loads(content) for object_id, content in self._store.get_many(ids)
        }

    def describe_table(self, table: AnalysisTable) -> tuple[str, ...]:
        """The type of each column of a table for analysis, in order, as words."""
        if table.name == MEASUREMENTS.name:
            return describe_measurements()
        return describe_table(self._index, table)

    def write_parquet(self, table: AnalysisTable, path: Path) -> int:
        """Write a table that is read from the index to a file; returns how many rows."""
        return write_parquet(self._index, table, path)

    def write_measurements(self, rows: Iterable[tuple[Any, ...]], path: Path) -> int:
        """Write rows in the columns of `MEASUREMENTS` to a file; returns how many."""
        return write_measurements(rows, path)
