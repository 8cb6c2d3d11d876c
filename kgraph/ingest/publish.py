"""The one way into the catalogue: objects are stored first, then one entry makes them visible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from kgraph.errors import KgraphError
from kgraph.ingest.holding import Citation, Holding, read_holding
from kgraph.ingest.names import find_namesakes, iter_shared
from kgraph.ingest.pairing import check_operations
from kgraph.ingest.published import Published
from kgraph.ingest.report import KindCount, PublishReport
from kgraph.log import Draft
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.importers import Progress
    from kgraph.log import Log, LogEntry
    from kgraph.manifest import Identified
    from kgraph.store import ObjectStore
    from kgraph.vocab import Slug

PACK_FROM_OBJECTS = 256
"""From so many new objects on, a publication is a pack unless the caller says otherwise: a person's
own few stay readable one by one, and an import does not make thousands of files."""

# A pack is sealed in memory, so a very large publication is several.
_OBJECTS_A_PACK = 50_000
_OBJECTS_A_STEP = 500
_SHOWN_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class BadCitation:
    """A manifest cites what is not there, or not what it must be."""

    name: str
    """`metadata.name` of the manifest that cites."""
    citation: Citation
    found: Kind | None
    """Kind of what is cited; None where neither the publication nor the catalogue holds it."""

    def __str__(self) -> str:
        """One line: where, what was found, what was expected."""
        expected = " or ".join(sorted(self.citation.kinds))
        if len(self.citation.kinds) == len(Kind):
            expected = "manifest"
        found = "nothing" if self.found is None else f"a {self.found}"
        return (
            f"{self.name}: {self.citation.field} cites {self.citation.digest}: found {found}, "
            f"expected a {expected} in the catalogue or beside it"
        )


class BadCitationsError(KgraphError):
    """Manifests cite what is not there; nothing of the publication was stored."""

    code = "CITATION_REFUSED"

    def __init__(self, bad: Sequence[BadCitation]) -> None:
        self.bad = tuple(bad)
        lines = [str(one) for one in self.bad[:_SHOWN_AT_ONCE]]
        if len(self.bad) > _SHOWN_AT_ONCE:
            lines.append(f"and {len(self.bad) - _SHOWN_AT_ONCE} more")
        super().__init__("\n".join(lines))


class LogWrittenByHandError(KgraphError):
    """A Publication was handed in as an object; only the log holds those."""

    code = "PUBLICATION_REFUSED"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name}: found a Publication, expected another kind; the log writes its own entries"
        )


def publish_manifests(
    store: ObjectStore,
    log: Log,
    manifests: Iterable[Identified],
    *,
    published_by: str,
    published_at: datetime,
    source: Slug | None = None,
    packed: bool | None = None,
    message: str | None = None,
    is_dry_run: bool = False,
    is_checked: bool = True,
    is_own: bool = False,
    progress: Progress | None = None,
) -> PublishReport:
    """The account of one publication of those manifests that the catalogue does not hold yet.

    Nothing is visible before the log entry is there, so a writer that is killed leaves the
    catalogue as it was; running it again finishes the work. Publishing twice adds nothing. Where
    another writer publishes in between, what it brought is left out of ours.

    Args:
        manifests: any order; repetitions count once.
        published_at: when, with a time zone.
        source: slug of the source that they are from; None where they are no source's.
        packed: one sealed pack or loose objects; by their number where None.
        is_dry_run: work everything out and write nothing.
        is_checked: whether citations are looked up; off only for a dry run of a refused batch.
        is_own: whether a person wrote them, who can mend what a source cannot be asked to: a run
            of two operations is refused, and a slug that operations share is noted.
        progress: told how many objects are stored.

    Raises:
        BadCitationsError: a manifest cites what is neither among them nor in the catalogue.
        OperationMismatchError: a run of ours is of two operations.
        LogWrittenByHandError: one of them is a Publication.
    """
    given = {manifest.object_id: manifest for manifest in manifests}
    for manifest in given.values():
        if manifest.kind is Kind.PUBLICATION:
            raise LogWrittenByHandError(manifest.name)
    published = Published(store, log)
    published.catch_up()
    fresh = [manifest for manifest in given.values() if manifest.object_id not in published]
    notes: tuple[str, ...] = ()
    if is_checked:
        holdings = [read_holding(manifest.object_id, manifest.content) for manifest in fresh]
        known = _find_known(holdings, given, published)
        bad = tuple(_iter_bad_citations(holdings, known))
        if bad:
            raise BadCitationsError(bad)
        if is_own:
            check_operations(holdings, known)
            notes = tuple(_iter_notes(holdings, published))
    entry = None
    if fresh and not is_dry_run:

        def make(_: LogEntry | None) -> Draft | None:
            nonlocal fresh
            published.catch_up()
            fresh = [manifest for manifest in fresh if manifest.object_id not in published]
            if not fresh:
                return None
            contents = [manifest.content for manifest in fresh]
            is_packed = len(fresh) >= PACK_FROM_OBJECTS if packed is None else packed
            objects, packs = _store(store, contents, is_packed=is_packed, progress=progress)
            return Draft(
                published_at=published_at,
                published_by=published_by,
                objects=objects,
                packs=packs,
                source=source,
                message=message,
            )

        entry = log.append(make)
    head = entry or published.head
    return PublishReport(
        source=source,
        rows_read=None,
        kinds=_count_kinds(given.values(), {manifest.object_id for manifest in fresh}),
        skipped=(),
        refused=(),
        is_withheld=False,
        notes=notes,
        parity=(),
        is_dry_run=is_dry_run,
        publication=entry.object_id if entry else None,
        snapshot=head.object_id if head else None,
    )


def _store(
    store: ObjectStore, contents: Sequence[bytes], *, is_packed: bool, progress: Progress | None
) -> tuple[tuple[ObjectId, ...], tuple[ObjectId, ...]]:
    ids: list[ObjectId] = []
    step = _OBJECTS_A_PACK if is_packed else _OBJECTS_A_STEP
    for start in range(0, len(contents), step):
        some = contents[start : start + step]
        ids.extend((store.put_pack(some).pack_id,) if is_packed else store.put_many(some))
        if progress is not None:
            progress(start + len(some), len(contents))
    return ((), tuple(ids)) if is_packed else (tuple(ids), ())


def _find_known(
    fresh: Sequence[Holding], given: dict[ObjectId, Identified], published: Published
) -> dict[SpecDigest, Holding]:
    """What is cited, of the manifests themselves and of the catalogue."""
    beside = {held.digest: held for held in fresh}
    for manifest in given.values():
        if manifest.digest not in beside:
            beside[manifest.digest] = read_holding(manifest.object_id, manifest.content)
    elsewhere = {
        citation.digest
        for holding in fresh
        for citation in holding.citations
        if citation.digest not in beside
    }
    return {**published.find_holdings(elsewhere, but_not=given), **beside}


def _iter_bad_citations(
    fresh: Sequence[Holding], known: Mapping[SpecDigest, Holding]
) -> Iterator[BadCitation]:
    for holding in fresh:
        for citation in holding.citations:
            cited = known.get(citation.digest)
            if cited is None or cited.kind not in citation.kinds:
                yield BadCitation(holding.name, citation, None if cited is None else cited.kind)


def _iter_notes(fresh: Sequence[Holding], published: Published) -> Iterator[str]:
    """What a person should know who has published: slugs that now find several operations."""
    touched = {held.digest for held in fresh if held.kind is Kind.OPERATION_SPEC}
    touched |= {subject for held in fresh for subject, _ in held.slugs}
    if not touched:
        return
    shared = find_namesakes(chain(published.iter_holdings(), fresh))
    ours = {slug: owners for slug, owners in shared.items() if not touched.isdisjoint(owners)}
    for where, what in iter_shared(ours):
        yield f"{where}: {what}"


def _count_kinds(manifests: Iterable[Identified], fresh: set[ObjectId]) -> tuple[KindCount, ...]:
    added: Counter[Kind] = Counter()
    present: Counter[Kind] = Counter()
    for manifest in manifests:
        (added if manifest.object_id in fresh else present)[manifest.kind] += 1
    return tuple(KindCount(kind, added[kind], present[kind]) for kind in sorted({*added, *present}))
