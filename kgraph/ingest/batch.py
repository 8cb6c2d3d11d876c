"""Publishing what an importer read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from kgraph.ingest.publish import publish_manifests
from kgraph.ingest.report import KindCount, PublishReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from kgraph.importers import EarlierPublication, ImportBatch, Progress
    from kgraph.log import Log
    from kgraph.manifest import Identified
    from kgraph.store import ObjectStore
    from kgraph.vocab import Kind

_Part = tuple["EarlierPublication", "Sequence[Identified]"]


def publish_batch(
    store: ObjectStore,
    log: Log,
    batch: ImportBatch,
    *,
    published_by: str,
    published_at: datetime,
    packed: bool | None = None,
    message: str | None = None,
    is_dry_run: bool = False,
    progress: Progress | None = None,
) -> PublishReport:
    """The account of publishing what an importer read: as one publication, or as the file's own.

    Rows that contradict themselves are left out, with those that refer to them, and the others are
    published; where the file itself is damaged or not understood, nothing is
    (`ImportBatch.is_publishable`).

    A batch that knows earlier publications is published as these, in their order. Where the log
    is empty, or holds a beginning of just that history, they keep their time, publisher and note,
    so that a catalogue is restored as it was; elsewhere they are published now.

    Args:
        published_at: when, with a time zone.
        packed: one sealed pack or loose objects; by their number where None.
        is_dry_run: work everything out and write nothing.
        progress: told how many objects are stored.

    Raises:
        BadCitationsError: a manifest cites what is neither in the batch nor in the catalogue.
    """
    if batch.history and batch.is_publishable and not is_dry_run:
        report = _publish_history(
            store,
            log,
            batch,
            published_by=published_by,
            published_at=published_at,
            packed=packed,
            message=message,
            progress=progress,
        )
    else:
        report = publish_manifests(
            store,
            log,
            batch.manifests,
            published_by=published_by,
            published_at=published_at,
            source=batch.source,
            packed=packed,
            message=message,
            is_dry_run=is_dry_run or not batch.is_publishable,
            # What is left of a damaged file may cite what a refused row would have brought.
            is_checked=batch.is_publishable,
            progress=progress,
        )
    return replace(
        report,
        rows_read=batch.rows_read,
        skipped=batch.skipped,
        refused=batch.refused,
        is_withheld=not batch.is_publishable,
        notes=batch.notes,
        parity=batch.parity,
        is_dry_run=is_dry_run,
    )


def _publish_history(
    store: ObjectStore,
    log: Log,
    batch: ImportBatch,
    *,
    published_by: str,
    published_at: datetime,
    packed: bool | None,
    message: str | None,
    progress: Progress | None,
) -> PublishReport:
    """One publication for each earlier one that brings anything new."""
    parts = list(_split(batch))
    is_restored = _is_beginning(log, parts)
    reports = [
        publish_manifests(
            store,
            log,
            manifests,
            published_by=earlier.published_by if is_restored else published_by,
            published_at=earlier.published_at if is_restored else published_at,
            source=earlier.source,
            packed=packed,
            message=earlier.message if is_restored or message is None else message,
            progress=progress,
        )
        for earlier, manifests in parts
    ]
    added: Counter[Kind] = Counter()
    present: Counter[Kind] = Counter()
    for report in reports:
        for count in report.kinds:
            added[count.kind] += count.added
            present[count.kind] += count.present
    publications = [one.publication for one in reports if one.publication is not None]
    return replace(
        reports[-1],
        source=batch.source,
        kinds=tuple(
            KindCount(kind, added[kind], present[kind]) for kind in sorted({*added, *present})
        ),
        publication=publications[-1] if publications else None,
    )


def _split(batch: ImportBatch) -> Iterator[_Part]:
    start = 0
    for earlier in batch.history:
        end = start + earlier.object_count
        yield earlier, batch.manifests[start:end]
        start = end


def _is_beginning(log: Log, parts: Sequence[_Part]) -> bool:
    """Whether the log is a beginning of this very history, an empty one included."""
    for number, entry in enumerate(log.entries()):
        if number >= len(parts):
            return False
        earlier, manifests = parts[number]
        ours = entry.publication
        if (
            (ours.source, ours.published_by, ours.message)
            != (earlier.source, earlier.published_by, earlier.message)
            or ours.instant != earlier.published_at
            or set(log.object_ids(entry)) != {manifest.object_id for manifest in manifests}
        ):
            return False
    return True
