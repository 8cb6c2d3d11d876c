"""The whole catalogue of a snapshot as lines that `kgraph import kernelindex` reads back.

The public catalogue's tables come in its own order and columns; a person or program that reads that
catalogue reads ours. What those tables cannot hold stands in tables of kgraph's own:

* `kgraph_catalogue`: the first line; names the format and counts what follows;
* `kgraph_publications`: the log, first to last;
* `kgraph_sources`, `kgraph_listings`, `kgraph_corrections`, `kgraph_attestations`: whole manifests
  of our own kinds, with object id and the number of the publication that added them;
* `kgraph_manifests`: likewise, manifests that no row above holds: amended ones that a later object
  is shown in place of, protocols and environments that no run cites, runs that cite what is not
  there;
* `kgraph_objects`: object id and publication of every manifest that a row of the site's tables
  holds.

One snapshot gives the same bytes each time: rows are sorted by digests, row ids are made from them,
and no clock is read. Compressed bytes are the same for one version of the zstd library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

import zstandard

from kgraph.exporters.kernel import KernelTables
from kgraph.exporters.lines import Row, encode_line, format_instant
from kgraph.exporters.serving import ServingTables
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog, Walk
    from kgraph.facts import ObjectFact

CATALOGUE_FORMAT: Final = "kgraph-catalogue-1"
"""Names the tables and columns of an export; another form gets another name."""

# Well beyond the public export's ratio of 16 at level 3, at no cost that is felt: 49 MB in 4 s.
_LEVEL: Final = 12

_OWN_TABLES: Final = (
    ("kgraph_sources", Kind.SOURCE),
    ("kgraph_listings", Kind.LISTING),
    ("kgraph_corrections", Kind.CORRECTION),
    ("kgraph_attestations", Kind.ATTESTATION),
)
_SITE_KINDS: Final = tuple(
    kind
    for kind in Kind
    if kind not in {Kind.PUBLICATION, *(own_kind for _, own_kind in _OWN_TABLES)}
)
_BESIDE_RUNS: Final = frozenset({Kind.BENCHMARK_PROTOCOL, Kind.EXECUTION_ENVIRONMENT})
_LINES_A_STEP: Final = 1000


class Progress(Protocol):
    """Told now and then how far an export has come."""

    def __call__(self, done: int, total: int | None) -> None:
        """Take note that `done` lines are written; `total` is None while unknown."""
        ...


def export_catalogue(
    catalog: Catalog, stream: BinaryIO, *, is_compressed: bool, progress: Progress | None = None
) -> int:
    """Write the whole catalogue to a stream; returns how many lines.

    Args:
        is_compressed: as one zstd frame with a checksum, else as plain lines.
        progress: told now and then how many lines are written.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: the store lost or changed an object.
    """
    count = 0
    # One thread: several would cut the frame into jobs, and the bytes would depend on them.
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True, threads=0)
    sink = compressor.stream_writer(stream, closefd=False) if is_compressed else stream
    try:
        for count, line in enumerate(iter_lines(catalog), start=1):
            sink.write(line)
            if progress is not None and count % _LINES_A_STEP == 0:
                progress(count, None)
    finally:
        if sink is not stream:
            sink.close()
    return count


def iter_lines(catalog: Catalog) -> Iterator[bytes]:
    """The lines of an export, each with its end; at most some hundred rows are in memory.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: the store lost or changed an object.
    """
    walk = catalog.walk()
    kernel, serving = KernelTables(catalog, walk), ServingTables(catalog, walk)
    for table, rows in (
        ("kgraph_catalogue", _iter_head(walk)),
        ("kgraph_publications", _iter_publications(walk)),
        ("sources", kernel.iter_sources()),
        ("projects", kernel.iter_projects()),
        ("operations", kernel.iter_operations()),
        ("operation_aliases", kernel.iter_aliases()),
        ("workloads", kernel.iter_workloads()),
        ("implementations", kernel.iter_implementations()),
        ("benchmark_runs", kernel.iter_runs()),
        ("measurements", kernel.iter_measurements()),
        ("record_events", kernel.iter_record_events()),
        ("artifacts", kernel.iter_artifacts()),
        ("model_revisions", serving.iter_models()),
        ("serving_stack_revisions", serving.iter_stacks()),
        ("serving_configurations", serving.iter_configurations()),
        ("serving_workloads", serving.iter_workloads()),
        ("serving_runs", serving.iter_runs()),
        ("serving_measurements", serving.iter_measurements()),
        *((table, _iter_own(walk, kind)) for table, kind in _OWN_TABLES),
        ("kgraph_manifests", _iter_left(walk, kernel)),
        ("kgraph_objects", _iter_places(walk, kernel)),
    ):
        for row in rows:
            yield encode_line(table, row)


def _iter_head(walk: Walk) -> Iterator[Row]:
    publications = objects = 0
    for chunk in walk.iter_publications():
        publications += len(chunk)
        objects += sum(publication.object_count for publication in chunk)
    yield {"format": CATALOGUE_FORMAT, "publications": publications, "objects": objects}


def _iter_publications(walk: Walk) -> Iterator[Row]:
    for chunk in walk.iter_publications():
        for publication in chunk:
            yield {
                "sequence": publication.sequence,
                "source": publication.source,
                "publishedAt": format_instant(publication.published_at),
                "publishedBy": publication.published_by,
                "message": publication.message,
                "objectCount": publication.object_count,
            }


def _iter_own(walk: Walk, kind: Kind) -> Iterator[Row]:
    for chunk in walk.iter_objects([kind]):
        yield from _manifest_rows(walk, chunk)


def _iter_left(walk: Walk, kernel: KernelTables) -> Iterator[Row]:
    for chunk in walk.iter_objects(_SITE_KINDS):
        yield from _manifest_rows(walk, [item for item in chunk if not _has_row(item, kernel)])


def _iter_places(walk: Walk, kernel: KernelTables) -> Iterator[Row]:
    for chunk in walk.iter_objects(_SITE_KINDS):
        for item in chunk:
            if _has_row(item, kernel):
                yield {"objectId": item.object_id, "publication": item.sequence}


def _has_row(item: ObjectFact, kernel: KernelTables) -> bool:
    """Whether a row of the site's tables holds the object; asked once the runs are written."""
    if not item.is_current or item.object_id in kernel.left_out:
        return False
    return item.kind not in _BESIDE_RUNS or item.object_id in kernel.held_by_runs


def _manifest_rows(walk: Walk, items: list[ObjectFact]) -> Iterator[Row]:
    contents = walk.load_contents(item.object_id for item in items)
    for item in items:
        yield {
            "objectId": item.object_id,
            "publication": item.sequence,
            "manifest": contents[item.object_id],
        }
