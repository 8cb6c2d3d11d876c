"""What an index, built while a store was sound, still knows of the objects the store has lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kgraph.errors import KgraphError
from kgraph.facts import AnyOf, Condition, PageRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog
    from kgraph.digest import SpecDigest
    from kgraph.facts import RunFact
    from kgraph.ingest import AffectedObject, VerifyReport
    from kgraph.log import Log
    from kgraph.settings import Settings
    from kgraph.store import ObjectStore

# Every field of a run by which it may be or build on a lost manifest.
_BUILDS_ON = ("digest", "operation", "workload", "implementation", "protocol", "environment")
_PAGE = 200


def recall_lost(
    report: VerifyReport, settings: Settings, store: ObjectStore, log: Log
) -> VerifyReport:
    """The report with lost objects named, and the runs and cohorts that they take along.

    Bytes that cannot be read do not tell what they were; an index of the same snapshot does.
    Without one, which this never builds, the report comes back as it is.
    """
    if not any(one.is_lost for one in report.affected):
        return report
    try:
        catalog = _open_built(settings, store, log)
    except KgraphError:
        # The log or the index is part of the damage: there is nothing to recall from.
        catalog = None
    if catalog is None:
        return report
    affected = tuple(_name(one, catalog) if one.is_lost else one for one in report.affected)
    lost = [one.digest for one in affected if one.is_lost and one.digest is not None]
    runs = [run for digest in lost for run in _iter_runs(catalog, digest)]
    return replace(
        report,
        affected=affected,
        runs=tuple(sorted({*report.runs, *(run.digest for run in runs)})),
        cohorts=tuple(sorted({*report.cohorts, *(run.cohort for run in runs)})),
    )


def _open_built(settings: Settings, store: ObjectStore, log: Log) -> Catalog | None:
    # They bring the database along, which an intact store does without.
    from kgraph.catalog import Catalog  # noqa: PLC0415
    from kgraph.index import Index, name_index  # noqa: PLC0415
    from kgraph.policy import ranking_v1  # noqa: PLC0415

    head = log.head()
    if head is None:
        return None
    path = settings.index_folder / name_index(head.object_id, ranking_v1)
    if not path.exists():
        return None
    return Catalog(Index(path), store, clock=lambda: datetime.now(UTC))


def _name(one: AffectedObject, catalog: Catalog) -> AffectedObject:
    known = catalog.find_object(one.object_id)
    if known is None:
        return one
    return replace(one, digest=known.digest, kind=known.kind, name=known.name)


def _iter_runs(catalog: Catalog, digest: SpecDigest) -> Iterator[RunFact]:
    where = AnyOf(tuple(Condition(field, "eq", digest) for field in _BUILDS_ON))
    after = None
    while True:
        page = catalog.page_runs(where, (), PageRequest(first=_PAGE, after=after))
        yield from (judged.run for judged in page.items)
        if not page.has_next:
            return
        after = page.cursors[-1]
