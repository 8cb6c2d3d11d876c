"""Resolving a request for a workload: the right answer, or the honest nearest (`domain.md` §9)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError
from kgraph.policy import (
    Difference,
    MatchCandidate,
    MatchRequest,
    MatchVerdict,
    Unresolved,
    conclude_license,
    is_permissive,
    judge_deployability,
    judge_match,
)
from kgraph.vocab import EvidenceLevel, Match, Slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgraph.catalog.reader import FactReader
    from kgraph.digest import SpecDigest
    from kgraph.facts import CohortFact, ImplementationFact, JudgedRun, OperationFact
    from kgraph.vocab import CohortKey

_MAX_ALTERNATIVES = 20
_MAX_NEAR = 20
# Best first; the order in which an operation of a family is preferred.
_STRENGTH = (Match.EXACT, Match.COMPATIBLE, Match.SUPPORTED_UNMEASURED, Match.NONE)


@dataclass(frozen=True, slots=True)
class ResolveRequest:
    """A workload that somebody asks for, and what they would accept as an answer."""

    operation: str
    """Slug, alias or digest of an operation, or slug of a family."""
    match: MatchRequest
    minimum_evidence: EvidenceLevel = EvidenceLevel.REPORTED
    licenses: tuple[str, ...] = ()
    """SPDX identifiers, any of which is accepted; empty accepts all, unknown ones included."""
    languages: tuple[str, ...] = ()
    """Programming languages, any of which is accepted; empty accepts all."""
    is_deployable: bool = False
    """Whether only what can be used today is accepted."""
    is_permissive: bool = False
    """Whether only what has a permissive licence is accepted."""
    is_installable: bool = False
    """Whether only what has an install recipe is accepted."""


@dataclass(frozen=True, slots=True)
class NearRun:
    """The record of a cohort that does not satisfy every stated field, and in what it differs."""

    run: JudgedRun
    differences: tuple[Difference, ...]
    is_compatible: bool


@dataclass(frozen=True, slots=True)
class BracketRun:
    """The record of the nearest measured case on one side of the request."""

    value: int
    """Of the axis."""
    run: JudgedRun


@dataclass(frozen=True, slots=True)
class BracketRuns:
    """The one axis in which measured cases differ, and the records below and above."""

    axis: str
    requested: int
    below: BracketRun | None
    above: BracketRun | None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a request is answered; nothing near is ever shown as exact."""

    match: Match
    policy: str
    operation: OperationFact | None
    """None where the request names nothing that is known."""
    cohort: CohortFact | None
    """Given for EXACT only: the fullest exact cohort, then the one with the fastest record."""
    other_cohorts: tuple[CohortFact, ...]
    """Further exact cohorts: other protocols or environments that the request leaves open."""
    best: JudgedRun | None
    """First of the cohort's ranking that the request accepts; None where it accepts none."""
    best_deployable: JudgedRun | None
    alternatives: tuple[JudgedRun, ...]
    """Others that the request accepts, in rank order, at most 20."""
    near: tuple[NearRun, ...]
    """Nearest first, at most 20; empty for EXACT."""
    bracket: BracketRuns | None
    unresolved: tuple[Unresolved, ...]


def resolve_requests(
    catalog: FactReader, requests: Sequence[ResolveRequest]
) -> tuple[Resolution, ...]:
    """An answer to each request, in order, by a number of SQL statements that does not grow."""
    operations = _find_operations(catalog, {request.operation for request in requests})
    digests = {found.digest for owned in operations.values() for found in owned}
    cohorts = catalog.load_cohorts_of_operations(digests)
    implementations = catalog.load_implementations_of_operations(digests)
    candidates = _make_candidates(catalog, cohorts)
    verdicts = [
        _judge(request, operations.get(request.operation, ()), candidates, implementations)
        for request in requests
    ]
    by_key = {cohort.key: cohort for owned in cohorts.values() for cohort in owned}
    chosen = [
        sorted((by_key[key] for key in verdict.exact), key=catalog.headline_order)
        if verdict is not None
        else []
        for _, verdict in verdicts
    ]
    ranked = catalog.load_whole_rankings([found[0].key for found in chosen if found])
    leaders = catalog.load_leaders(_shown_near(verdict for _, verdict in verdicts))
    runs = [run for owned in ranked.values() for run in owned]
    known = catalog.load_implementations(judged.run.implementation for judged in runs)
    resolutions: list[Resolution] = []
    for request, (operation, verdict), found in zip(requests, verdicts, chosen, strict=True):
        if operation is None or verdict is None:
            resolutions.append(_unknown(catalog, request))
            continue
        accepted = [
            judged
            for judged in (ranked.get(found[0].key, ()) if found else ())
            if _accepts(request, judged, known[judged.run.implementation])
        ]
        unresolved = list(verdict.unresolved)
        if found and not accepted:
            message = "Measured exactly, but no run passes the filters on evidence, licence or use."
            unresolved.append(Unresolved("filters", message))
        deployable = (
            judged
            for judged in accepted
            if judge_deployability(known[judged.run.implementation]).is_deployable
        )
        resolutions.append(
            Resolution(
                match=verdict.match,
                policy=catalog.policies.ranking,
                operation=operation,
                cohort=found[0] if found else None,
                other_cohorts=tuple(found[1:]),
                best=accepted[0] if accepted else None,
                best_deployable=next(deployable, None),
                alternatives=tuple(accepted[1 : _MAX_ALTERNATIVES + 1]),
                near=()
                if found
                else tuple(
                    NearRun(leaders[near.cohort], near.differences, near.is_compatible)
                    for near in verdict.near[:_MAX_NEAR]
                    if near.cohort in leaders
                ),
                bracket=_make_bracket(verdict, leaders),
                unresolved=tuple(unresolved),
            )
        )
    return tuple(resolutions)


def _find_operations(catalog: FactReader, names: set[str]) -> dict[str, tuple[OperationFact, ...]]:
    """Operations by the text that names them: one for a slug or digest, all of a family."""
    found: dict[str, tuple[OperationFact, ...]] = {}
    named = catalog.load_operations_named(sorted(names))
    for name in names:
        if name in named:
            found[name] = (named[name],)
    rest = [Slug(name) for name in sorted(names - found.keys())]
    found.update(
        {str(family): owned for family, owned in catalog.load_operations_of_families(rest).items()}
    )
    for name in sorted(names - found.keys()):
        try:
            operation = catalog.find_operation(name)
        except BadDigestError:
            continue
        if operation is not None:
            found[name] = (operation,)
    return found


def _make_candidates(
    catalog: FactReader, cohorts: Mapping[SpecDigest, tuple[CohortFact, ...]]
) -> dict[SpecDigest, list[MatchCandidate]]:
    measured = [
        cohort for owned in cohorts.values() for cohort in owned if cohort.record is not None
    ]
    workloads = catalog.load_workloads(cohort.workload for cohort in measured)
    environments = catalog.load_environments(cohort.environment for cohort in measured)
    candidates: defaultdict[SpecDigest, list[MatchCandidate]] = defaultdict(list)
    for cohort in measured:
        candidates[cohort.operation].append(
            MatchCandidate(cohort.key, workloads[cohort.workload], environments[cohort.environment])
        )
    return candidates


def _judge(
    request: ResolveRequest,
    operations: Sequence[OperationFact],
    candidates: Mapping[SpecDigest, list[MatchCandidate]],
    implementations: Mapping[SpecDigest, tuple[ImplementationFact, ...]],
) -> tuple[OperationFact | None, MatchVerdict | None]:
    """The operation that answers best, and how; of a family, the strongest match, then the slug."""
    judged = [
        (
            operation,
            judge_match(
                request.match,
                operation=operation,
                candidates=candidates.get(operation.digest, []),
                implementations=implementations.get(operation.digest, ()),
            ),
        )
        for operation in operations
    ]
    if not judged:
        return None, None
    return min(
        judged,
        key=lambda item: (
            _STRENGTH.index(item[1].match),
            len(item[1].unresolved),
            len(item[1].near[0].differences) if item[1].near else 1 << 30,
            -item[0].eligible_run_count,
            item[0].slug,
        ),
    )


def _accepts(
    request: ResolveRequest, judged: JudgedRun, implementation: ImplementationFact
) -> bool:
    if judged.verdict.evidence.order < request.minimum_evidence.order:
        return False
    if request.languages and implementation.language not in request.languages:
        return False
    if request.licenses:
        concluded = _conclude(implementation)
        if concluded is None or concluded not in request.licenses:
            return False
    if request.is_permissive and not is_permissive(_conclude(implementation)):
        return False
    if request.is_installable and implementation.install_command is None:
        return False
    return not request.is_deployable or judge_deployability(implementation).is_deployable


def _conclude(implementation: ImplementationFact) -> str | None:
    stated = implementation.license_declared, implementation.license_concluded
    return conclude_license(*stated).concluded


def _shown_near(verdicts: Iterable[MatchVerdict | None]) -> list[CohortKey]:
    keys: dict[CohortKey, None] = {}
    for verdict in verdicts:
        if verdict is None or verdict.exact:
            continue
        keys.update(dict.fromkeys(near.cohort for near in verdict.near[:_MAX_NEAR]))
        if verdict.bracket is not None:
            for end in (verdict.bracket.below, verdict.bracket.above):
                keys.update(dict.fromkeys(end.cohorts if end else ()))
    return list(keys)


def _make_bracket(
    verdict: MatchVerdict, leaders: Mapping[CohortKey, JudgedRun]
) -> BracketRuns | None:
    bracket = verdict.bracket
    if bracket is None:
        return None
    ends = []
    for end in (bracket.below, bracket.above):
        runs = [leaders[key] for key in end.cohorts if key in leaders] if end else []
        best = min(
            runs, key=lambda judged: (judged.run.value or 0.0, judged.run.digest), default=None
        )
        ends.append(BracketRun(end.value, best) if end and best else None)
    return BracketRuns(bracket.axis, bracket.requested, ends[0], ends[1])


def _unknown(catalog: FactReader, request: ResolveRequest) -> Resolution:
    near = catalog.suggest_slugs(request.operation)
    hint = f" Nearest: {', '.join(near)}." if near else ""
    message = f"No operation or family is known as {request.operation[:90]}.{hint}"
    return Resolution(
        Match.NONE, catalog.policies.ranking, None, None, (), None, None, (), (), None,
        (Unresolved("operation", message),),
    )  # fmt: skip
