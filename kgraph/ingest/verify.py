"""Every byte, name, citation and log entry of a store checked, and what each fault touches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.errors import KgraphError
from kgraph.ingest.holding import RUN_KINDS, Holding, read_holding
from kgraph.ingest.names import find_namesakes, iter_shared
from kgraph.log import check_log, entry_sequence
from kgraph.manifest import (
    cohort_key,
    correctness_key,
    identify,
    metric_key,
    primary_measurement,
    read_manifest,
)
from kgraph.store import Problem, Severity
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from kgraph.digest import ObjectId, SpecDigest
    from kgraph.importers import Progress
    from kgraph.log import Log
    from kgraph.store import ObjectStore
    from kgraph.vocab import CohortKey

_OBJECTS_BETWEEN_PROGRESS = 200
_WORKLOADS = frozenset({Kind.WORKLOAD_CASE, Kind.WORKLOAD_SUITE})


@dataclass(frozen=True, slots=True)
class AffectedObject:
    """An object that is lost, or that builds on one that is."""

    object_id: ObjectId
    digest: SpecDigest | None
    """None where its bytes cannot be read."""
    kind: Kind | None
    name: str | None
    is_lost: bool
    """Whether its own bytes are damaged or missing; else it cites an affected object."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What a check of a whole store found."""

    object_count: int
    """Intact objects, each counted once."""
    publication_count: int
    problems: tuple[Problem, ...]
    affected: tuple[AffectedObject, ...]
    """Lost objects first, then those that build on them; by id."""
    runs: tuple[SpecDigest, ...]
    """Runs among `affected` whose bytes can be read, sorted."""
    cohorts: tuple[CohortKey, ...]
    """Cohorts of those runs, where workload and protocol can still be read; sorted."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing that is published is damaged; warnings may remain."""
        return all(problem.severity is not Severity.DAMAGE for problem in self.problems)


@dataclass(slots=True)
class _Survey:
    """What a pass over all stored bytes learns."""

    holdings: dict[ObjectId, Holding] = field(default_factory=dict)
    strange: list[Problem] = field(default_factory=list)
    """Intact bytes that are no manifest in canonical form."""

    def visit(self, object_id: ObjectId, content: bytes) -> None:
        """Take in one intact object; a second copy of it is passed over."""
        if object_id in self.holdings:
            return
        try:
            manifest = read_manifest(content, where=object_id)
            if identify(manifest).content != content:
                self._refuse(object_id, "found a manifest in another form, expected canonical JSON")
                return
        except KgraphError as error:
            self._refuse(object_id, f"found no valid manifest: {error}")
            return
        self.holdings[object_id] = read_holding(object_id, content)

    def _refuse(self, object_id: ObjectId, what: str) -> None:
        self.strange.append(Problem(object_id, what, object_id, Severity.DAMAGE))


def verify_store(
    store: ObjectStore,
    log: Log,
    *,
    expected: ObjectId | None = None,
    progress: Progress | None = None,
) -> VerifyReport:
    """Everything wrong with a store: bytes, names, manifests, citations and the log.

    Nothing is mended or removed. Objects that no log entry cites are reported as warnings and
    take no part in the rest; where the log itself is damaged, every stored object does.

    Args:
        expected: a snapshot that the log once reached. The last entries of a log may be taken away
            without a trace in the rest; who knows a later one can tell.
        progress: told how many objects are read.
    """
    survey = _Survey()
    visited = 0

    def visit(object_id: ObjectId, content: bytes) -> None:
        nonlocal visited
        survey.visit(object_id, content)
        visited += 1
        if progress is not None and visited % _OBJECTS_BETWEEN_PROGRESS == 0:
            progress(visited, None)

    problems = list(store.check(visit))
    problems += _check_log(store, log)
    is_log_whole = all(
        problem.affects is not None or problem.severity is not Severity.DAMAGE
        for problem in problems
    )
    if expected is not None and is_log_whole and expected not in _iter_snapshots(log):
        what = f"found no entry {expected}, expected it among those of the log"
        problems.append(Problem(log.where, what, None, Severity.DAMAGE))
    published = set(survey.holdings)
    if is_log_whole:
        try:
            published = {one for entry in log.entries() for one in log.object_ids(entry)}
        except KgraphError as error:
            # What has the name of an entry and cannot be opened is not listed among the files.
            problems.append(Problem(log.where, str(error), None, Severity.DAMAGE))
            is_log_whole = False
    if is_log_whole:
        problems += list(_iter_unopened(store, survey, published, problems))
        problems += [one for one in survey.strange if one.affects in published]
    else:
        problems += survey.strange
    holdings = {one: held for one, held in survey.holdings.items() if one in published}
    lost = {
        problem.affects
        for problem in problems
        if problem.severity is Severity.DAMAGE and problem.affects is not None
    }.difference(holdings)
    dangling = tuple(_iter_dangling(holdings.values()))
    problems += dangling
    if is_log_whole:
        problems += list(_iter_namesakes(log, holdings))
    citing = _spread(holdings, {one.affects for one in dangling if one.affects is not None})
    runs = [held for held in citing if held.kind in RUN_KINDS]
    return VerifyReport(
        object_count=len(holdings),
        publication_count=sum(
            entry_sequence(info.key) is not None for info in store.blobs.iter_blobs("log/")
        ),
        problems=tuple(problems),
        affected=(
            *(AffectedObject(one, None, None, None, is_lost=True) for one in sorted(lost)),
            *(
                AffectedObject(one.object_id, one.digest, one.kind, one.name, is_lost=False)
                for one in citing
            ),
        ),
        runs=tuple(sorted({held.digest for held in runs})),
        cohorts=tuple(sorted(set(_iter_cohorts(store, holdings, runs)))),
    )


def _iter_unopened(
    store: ObjectStore, survey: _Survey, published: set[ObjectId], known: Iterable[Problem]
) -> Iterator[Problem]:
    """Published objects that are listed and were not met: links, for one, may lead nowhere."""
    met = {one.affects for one in (*known, *survey.strange)}.union(survey.holdings)
    for object_id in sorted(published.difference(met)):
        try:
            # A repack may have moved it behind the pass over the files.
            survey.visit(object_id, store.get(object_id))
        except KgraphError as error:
            yield Problem(store.where, f"cannot be opened: {error}", object_id, Severity.DAMAGE)


def _iter_snapshots(log: Log) -> Iterator[ObjectId]:
    """Every snapshot of the log that can be read."""
    try:
        yield from (entry.object_id for entry in log.entries())
    except KgraphError:
        # Reported with the rest of the log.
        return


def _check_log(store: ObjectStore, log: Log) -> Iterator[Problem]:
    try:
        yield from check_log(log, store)
    except KgraphError as error:
        # A pack whose index is broken hides which objects are stored, so the log cannot be
        # compared with them; the pack itself has been reported.
        yield Problem(
            log.where, f"cannot be compared with the store: {error}", None, Severity.DAMAGE
        )


def _iter_dangling(holdings: Iterable[Holding]) -> Iterator[Problem]:
    held = list(holdings)
    kinds = {one.digest: one.kind for one in held}
    for one in held:
        for citation in one.citations:
            found = kinds.get(citation.digest)
            if found not in citation.kinds:
                what = f"{citation.field} cites {citation.digest}, found " + (
                    "nothing readable" if found is None else f"a {found}"
                )
                where = f"{one.kind} {one.name} ({one.object_id})"
                yield Problem(where, what, one.object_id, Severity.DAMAGE)


def _iter_namesakes(log: Log, holdings: dict[ObjectId, Holding]) -> Iterator[Problem]:
    """Operations that share a slug; nothing is damaged, and the slug finds none of them."""
    ordered = (
        holdings[one] for entry in log.entries() for one in log.object_ids(entry) if one in holdings
    )
    for where, what in iter_shared(find_namesakes(ordered)):
        yield Problem(where, what, None, Severity.WARNING)


def _spread(holdings: dict[ObjectId, Holding], start: set[ObjectId]) -> list[Holding]:
    """Those of `start` and whatever builds on them, by id."""
    citing: dict[SpecDigest, list[Holding]] = {}
    for held in holdings.values():
        for citation in held.citations:
            citing.setdefault(citation.digest, []).append(held)
    affected = {one: holdings[one] for one in start}
    waiting = list(affected.values())
    while waiting:
        for held in citing.get(waiting.pop().digest, ()):
            # A listing only describes what it cites: its other subjects are as they were.
            if held.object_id not in affected and held.kind is not Kind.LISTING:
                affected[held.object_id] = held
                waiting.append(held)
    return [affected[one] for one in sorted(affected)]


def _iter_cohorts(
    store: ObjectStore, holdings: dict[ObjectId, Holding], runs: Iterable[Holding]
) -> Iterator[CohortKey]:
    by_digest = {held.digest: held.object_id for held in holdings.values()}

    def load_spec(digest: SpecDigest, kinds: Container[Kind]) -> dict[str, Any] | None:
        object_id = by_digest.get(digest)
        if object_id is None:
            return None
        document: dict[str, Any] = orjson.loads(store.get(object_id))
        return document["spec"] if document["kind"] in kinds else None

    for run in runs:
        spec = load_spec(run.digest, {Kind.BENCHMARK_RUN})
        if spec is None:
            continue
        workload = load_spec(spec["workloadDigest"], _WORKLOADS)
        protocol = load_spec(spec["protocolDigest"], {Kind.BENCHMARK_PROTOCOL})
        if workload is not None and protocol is not None:
            yield cohort_key(
                operation=workload["operationSpecDigest"],
                workload=spec["workloadDigest"],
                protocol=spec["protocolDigest"],
                environment=spec["environmentDigest"],
                correctness=correctness_key(workload["correctness"]),
                metric=metric_key(primary_measurement(spec, protocol)),
            )
