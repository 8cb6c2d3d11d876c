"""Answering a query typed in one line: what it was understood as, and what the catalogue says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgraph.catalog.query_intent import KnownValues, ParsedQuery, ProblemCode, QueryProblem
from kgraph.catalog.query_language import parse_query
from kgraph.digest import BadDigestError, parse_ref
from kgraph.facts import AllOf, AnyOf, Condition, PageRequest
from kgraph.index import query_all_environments, query_search
from kgraph.policy import find_architecture, find_dtypes, matches_device, suggest_devices
from kgraph.vocab import EvidenceLevel, SearchKind, SearchMatch

if TYPE_CHECKING:
    from kgraph.catalog.answers import Record
    from kgraph.catalog.pages import PageReader
    from kgraph.catalog.query_intent import QueryIntent
    from kgraph.catalog.resolve import Resolution
    from kgraph.facts import Filter, Page, SearchHit
    from kgraph.index import Index

_MAX_CHOICES = 10


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a query was understood as, and the answer to that."""

    query: ParsedQuery
    choices: tuple[SearchHit, ...]
    """Families and operations that its words may name, most exact first, at most 10."""
    chosen: SearchHit | None
    """The choice that is answered; None where no words name an operation, or only a misspelt one
    is near: that is offered and not taken."""
    resolution: Resolution | None
    """The answer for the operation or family; None where none is named or the query has
    problems."""
    records: Page[Record] | None
    """Standing records that meet every stated field, latest first, whatever the operation where
    none is named; None where the query has problems. Software, tensors and derived axes are
    judged by `resolution` alone."""
    where: Filter | None
    """Which records they are, to read on; None where there are none."""


def answer_query(
    index: Index, catalog: PageReader, text: str, page: PageRequest, known: KnownValues
) -> QueryAnswer:
    """The answer to one line of text, by a number of SQL statements that does not grow.

    Raises:
        PageSizeError, CursorError: the page of records cannot be met.
        AmbiguousRefError: the words are a digest prefix that fits several operations.
    """
    query = parse_query(text, known)
    intent = query.intent
    environments = None
    if intent.match.hardware is not None:
        environments = _find_environments(index, intent.match.hardware)
        if not environments and find_architecture(intent.match.hardware) is None:
            query = _refuse_hardware(query, intent.match.hardware)
    choices = _find_choices(index, intent)
    if query.problems:
        return QueryAnswer(query, choices, None, None, None, None)
    chosen = next((hit for hit in choices if hit.match is not SearchMatch.TYPO), None)
    operation = None if intent.text is None else (chosen.name if chosen else intent.text)
    resolution = None
    if operation is not None:
        resolution = catalog.resolve_many([intent.to_request(operation)])[0]
        if chosen is None and resolution.operation is None and choices:
            # The language's own search is finer than a comparison of slugs.
            near = ", ".join(hit.name for hit in choices[:3])
            message = f"No operation or family is known as {operation[:90]}. Nearest: {near}."
            unresolved = (replace(resolution.unresolved[0], message=message),)
            resolution = replace(resolution, unresolved=unresolved)
    where = _make_filter(intent, chosen, resolution, environments)
    records = catalog.page_records(where, (), page)
    return QueryAnswer(query, choices, chosen, resolution, records, where)


def _find_choices(index: Index, intent: QueryIntent) -> tuple[SearchHit, ...]:
    if intent.text is None or _is_digest(intent.text):
        return ()
    kinds = [SearchKind.FAMILY] if intent.is_family else [SearchKind.FAMILY, SearchKind.OPERATION]
    return query_search(index, intent.text, kinds, PageRequest(first=_MAX_CHOICES)).items


def _is_digest(text: str) -> bool:
    try:
        return parse_ref(text).algorithm is not None
    except BadDigestError:
        return False


def _find_environments(index: Index, hardware: str) -> tuple[str, ...]:
    return tuple(
        environment.digest
        for environment in query_all_environments(index)
        if matches_device(hardware, environment.hardware)
    )


def _refuse_hardware(query: ParsedQuery, hardware: str) -> ParsedQuery:
    near = suggest_devices(hardware)
    hint = f" Nearest: {', '.join(near)}." if near else ""
    token = next(token for token in query.tokens if token.name == "gpu" and token.is_understood)
    problem = QueryProblem(
        ProblemCode.BAD_VALUE,
        token.start,
        token.end,
        f"No device is known as {hardware}.{hint}",
        near,
    )
    problems = sorted((*query.problems, problem), key=lambda one: (one.start, one.end))
    return replace(query, problems=tuple(problems))


def _make_filter(
    intent: QueryIntent,
    chosen: SearchHit | None,
    resolution: Resolution | None,
    environments: tuple[str, ...] | None,
) -> Filter:
    parts: list[Filter] = []
    if chosen is not None and chosen.kind is SearchKind.FAMILY:
        parts.append(Condition("family", "eq", chosen.key))
    elif chosen is not None:
        parts.append(Condition("operation", "eq", chosen.key))
    elif intent.text is not None:
        named = resolution.operation.digest if resolution and resolution.operation else None
        # Nothing is named, so nothing is listed: no part of it holds.
        parts.append(AnyOf(()) if named is None else Condition("operation", "eq", named))
    if environments is not None:
        parts.append(Condition("environment", "in", environments))
    parts += [
        Condition("dtype", "in", tuple(sorted(find_dtypes(dtype)))) for dtype in intent.match.dtypes
    ]
    parts += [Condition(f"axis.{name}", "eq", value) for name, value in intent.match.axes]
    if intent.licenses:
        parts.append(Condition("license", "in", intent.licenses))
    if intent.languages:
        parts.append(Condition("language", "in", intent.languages))
    if intent.minimum_evidence is not EvidenceLevel.REPORTED:
        parts.append(Condition("evidence_order", "gte", intent.minimum_evidence.order))
    required = {
        "permissive": intent.is_permissive,
        "installable": intent.is_installable,
        "deployable": intent.is_deployable,
    }
    parts += [Condition(name, "eq", value) for name, value in required.items() if value]
    return AllOf(tuple(parts))
