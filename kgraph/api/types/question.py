"""A query typed in one line: what it is understood as, and the answer to that."""

from __future__ import annotations

import strawberry

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import EvidenceLevel, ProblemCode, TokenRole
from kgraph.api.resolvers import question as resolve
from kgraph.api.scalars import BigInt
from kgraph.api.types.measure import AxisValue
from kgraph.api.types.record import RecordConnection
from kgraph.api.types.resolution import Resolution
from kgraph.api.types.search import SearchHit
from kgraph.catalog import ParsedQuery as ParsedQueryFact
from kgraph.catalog import QueryAnswer as QueryAnswerFact
from kgraph.catalog import QueryIntent as QueryIntentFact
from kgraph.catalog import QueryProblem as QueryProblemFact
from kgraph.catalog import QueryToken as QueryTokenFact
from kgraph.policy import TensorRequest


@object_type
class QueryToken:
    """A part of a query as it was understood."""

    text: str = plain("As typed, quotes included.")
    start: int = plain("Place of its first character, counted from 0.")
    end: int = plain("Place behind its last character.")
    role: TokenRole = plain("What it states.")
    name: str | None = plain("Key, axis, or tensor and attribute; null for a word.")
    value: str = plain("Without quotes.")
    understood: bool = plain("Whether it is part of the intent; where not, a problem covers it.")

    @classmethod
    def from_fact(cls, fact: QueryTokenFact) -> QueryToken:
        """The token as the API shows it."""
        return cls(
            text=fact.text,
            start=fact.start,
            end=fact.end,
            role=fact.role,
            name=fact.name,
            value=fact.value,
            understood=fact.is_understood,
        )


@object_type
class QueryProblem:
    """A part of a query that states nothing, and what would."""

    code: ProblemCode = plain("What is wrong.")
    start: int = plain("Place of its first character, counted from 0.")
    end: int = plain("Place behind its last character.")
    message: str = plain("For people.")
    nearest: list[str] = plain(
        "What may have been meant, nearest first; empty where nothing is near.", size=3
    )

    @classmethod
    def from_fact(cls, fact: QueryProblemFact) -> QueryProblem:
        """The problem as the API shows it."""
        return cls(
            code=fact.code,
            start=fact.start,
            end=fact.end,
            message=fact.message,
            nearest=list(fact.nearest),
        )


@object_type
class AskedTensor:
    """What a query asks of one tensor; null is not stated."""

    name: str = plain("Name of the operand.")
    shape: list[BigInt] | None = plain("Sizes, outermost first.", size=4)
    dtype: str | None = plain("Element type.")
    layout: str | None = plain("Memory layout.")

    @classmethod
    def from_fact(cls, fact: TensorRequest) -> AskedTensor:
        """The tensor as the API shows it."""
        shape = None if fact.shape is None else [BigInt(size) for size in fact.shape]
        return cls(name=fact.name, shape=shape, dtype=fact.dtype, layout=fact.layout)


@object_type
class AskedSoftware:
    """Software that a query asks for."""

    name: str = plain("What it is.")
    version: str | None = plain("Its version; null for any.")


@object_type
class QueryIntent:
    """What a query asks for; an empty or null field is not stated."""

    text: str | None = plain("The words that name an operation or family.")
    is_family: bool = plain("Whether they were given as a family's.")
    axes: list[AxisValue] = plain("Sizes of axes.", size=4)
    dtypes: list[str] = plain("Element types that must all occur.", size=2)
    tensors: list[AskedTensor] = plain("What is asked of single tensors.", size=2)
    hardware: str | None = plain("Product, device string or architecture.")
    software: list[AskedSoftware] = plain("Software that must be in use.", size=2)
    minimum_evidence: EvidenceLevel = plain("Weakest evidence level that is accepted.")
    licenses: list[str] = plain("SPDX identifiers, any of which is accepted.", size=2)
    languages: list[str] = plain("Languages, any of which is accepted.", size=2)
    permissive: bool = plain("Whether only what has a permissive licence is accepted.")
    installable: bool = plain("Whether only what has an install recipe is accepted.")
    deployable: bool = plain("Whether only what can be used today is accepted.")

    @classmethod
    def from_fact(cls, fact: QueryIntentFact) -> QueryIntent:
        """The intent as the API shows it."""
        match = fact.match
        return cls(
            text=fact.text,
            is_family=fact.is_family,
            axes=AxisValue.from_pairs(match.axes),
            dtypes=list(match.dtypes),
            tensors=[AskedTensor.from_fact(tensor) for tensor in match.tensors],
            hardware=match.hardware,
            software=[
                AskedSoftware(name=name, version=version or None)
                for name, version in match.software
            ],
            minimum_evidence=fact.minimum_evidence,
            licenses=list(fact.licenses),
            languages=list(fact.languages),
            permissive=fact.is_permissive,
            installable=fact.is_installable,
            deployable=fact.is_deployable,
        )


@object_type
class ParsedQuery:
    """A query, what it states, and what of it states nothing."""

    text: str = plain("As typed.")
    canonical: str = plain(
        "What was understood, as a query in one fixed order that gives the same intent."
    )
    intent: QueryIntent = plain("What was understood.")
    tokens: list[QueryToken] = plain("Its parts, in order, at most 60.", size=10)
    problems: list[QueryProblem] = plain(
        "What was not understood, by place; empty where everything was.", size=1
    )

    @classmethod
    def from_fact(cls, fact: ParsedQueryFact) -> ParsedQuery:
        """The query as the API shows it."""
        return cls(
            text=fact.text,
            canonical=fact.canonical,
            intent=QueryIntent.from_fact(fact.intent),
            tokens=[QueryToken.from_fact(token) for token in fact.tokens],
            problems=[QueryProblem.from_fact(problem) for problem in fact.problems],
        )


@object_type
class QueryAnswer:
    """What a query is understood as, and the answer to that."""

    query: ParsedQuery = plain("The query as it was understood.")
    choices: list[SearchHit] = plain(
        "Families and operations that its words may name, most exact first, at most 10.", size=10
    )
    chosen: SearchHit | None = plain(
        "The choice that is answered; null where no words name one, or only a misspelt one is "
        "near: that is offered and not taken."
    )
    resolution: Resolution | None = plain(
        "The answer for the operation or family; null where none is named or the query has "
        "problems."
    )
    records: RecordConnection | None = linked(
        resolve.resolve_records_of_answer,
        "Standing records that meet every stated field, latest first, whatever the operation "
        "where none is named; null where the query has problems. Software, tensors and derived "
        "axes are judged by `resolution` alone.",
    )
    fact: strawberry.Private[QueryAnswerFact]
