"""What a query asks for, typed, and the query that says so in one fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kgraph.catalog.query_text import quote_word
from kgraph.catalog.resolve import ResolveRequest
from kgraph.vocab import EvidenceLevel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgraph.policy import MatchRequest

PERMISSIVE = "permissive"
"""What `license:` takes beside SPDX identifiers: any licence that asks for notice at most."""

KEYS = {
    "op": "operation: a slug, an alias or a digest",
    "family": "family of operations: a slug",
    "gpu": "device: product, device string or architecture",
    "dtype": "element types that must all occur",
    "with": "software in use: name, or name@version",
    "license": "`permissive`, or SPDX identifiers any of which is accepted",
    "lang": "programming languages, any of which is accepted",
    "evidence": "weakest evidence level that is accepted",
    "installable": "true: only what has an install recipe",
    "deployable": "true: only what has public source, a recipe and a known licence",
}
"""Every key and what it states, in the order in which a query is echoed."""


class ProblemCode(StrEnum):
    """What is wrong with a part of a query."""

    UNKNOWN_KEY = "UNKNOWN_KEY"
    BAD_VALUE = "BAD_VALUE"
    REPEATED = "REPEATED"
    UNCLOSED_QUOTE = "UNCLOSED_QUOTE"
    TOO_LONG = "TOO_LONG"


class TokenRole(StrEnum):
    """What a token states."""

    WORD = "word"
    KEY = "key"
    AXIS = "axis"
    TENSOR = "tensor"


@dataclass(frozen=True, slots=True)
class QueryProblem:
    """A part of a query that states nothing, and what would."""

    code: ProblemCode
    start: int
    """Of the first character, counted from 0."""
    end: int
    """Behind the last character."""
    message: str
    nearest: tuple[str, ...]
    """What may have been meant, nearest first; empty where nothing is near."""


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A part of a query as it was understood."""

    text: str
    """As typed, quotes included."""
    start: int
    end: int
    role: TokenRole
    name: str | None
    """Key, axis, or tensor and attribute; None for a word and for what is not known."""
    value: str
    """Without quotes."""
    is_understood: bool
    """Whether it is part of the intent; where it is not, a problem covers it."""


@dataclass(frozen=True, slots=True)
class QueryIntent:
    """What a query asks for; an empty field is not stated."""

    text: str | None
    """The words that name an operation or family."""
    is_family: bool
    """Whether the text was given as a family's."""
    match: MatchRequest
    minimum_evidence: EvidenceLevel
    licenses: tuple[str, ...]
    languages: tuple[str, ...]
    is_permissive: bool
    is_installable: bool
    is_deployable: bool

    def to_request(self, operation: str) -> ResolveRequest:
        """The request that asks this of one operation or family."""
        return ResolveRequest(
            operation=operation,
            match=self.match,
            minimum_evidence=self.minimum_evidence,
            licenses=self.licenses,
            languages=self.languages,
            is_deployable=self.is_deployable,
            is_permissive=self.is_permissive,
            is_installable=self.is_installable,
        )


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query, what it states, and what of it states nothing."""

    text: str
    intent: QueryIntent
    """Of the parts that were understood."""
    canonical: str
    """The intent as a query in one fixed order; reading it gives the same intent."""
    tokens: tuple[QueryToken, ...]
    """In order; together they hold every character that is not blank."""
    problems: tuple[QueryProblem, ...]
    """By position; empty where everything was understood."""


@dataclass(frozen=True, slots=True)
class KnownValues:
    """What a catalogue holds, to tell a misspelt value by; None where anything is accepted."""

    dtypes: frozenset[str] | None = None
    languages: frozenset[str] | None = None


def write_query(intent: QueryIntent) -> str:
    """The intent as a query: words, then keys in the order of `KEYS`, axes and tensors by name."""
    match = intent.match
    parts: list[str] = []
    if intent.text is not None:
        parts.append(
            f"family:{quote_word(intent.text)}" if intent.is_family else quote_word(intent.text)
        )
    if match.hardware is not None:
        parts.append(f"gpu:{quote_word(match.hardware)}")
    if match.dtypes:
        parts.append(f"dtype:{_join(match.dtypes)}")
    parts += [f"{name}={value}" for name, value in match.axes]
    for tensor in match.tensors:
        if tensor.shape is not None:
            parts.append(f"{tensor.name}.shape={'x'.join(map(str, tensor.shape))}")
        if tensor.dtype is not None:
            parts.append(f"{tensor.name}.dtype={quote_word(tensor.dtype)}")
        if tensor.layout is not None:
            parts.append(f"{tensor.name}.layout={quote_word(tensor.layout)}")
    if match.software:
        stated = (f"{name}@{version}" if version else name for name, version in match.software)
        parts.append(f"with:{_join(stated)}")
    licenses = ((PERMISSIVE,) if intent.is_permissive else ()) + intent.licenses
    if licenses:
        parts.append(f"license:{_join(licenses)}")
    if intent.languages:
        parts.append(f"lang:{_join(intent.languages)}")
    if intent.minimum_evidence is not EvidenceLevel.REPORTED:
        parts.append(f"evidence:{intent.minimum_evidence.value.lower()}")
    flags = {"installable": intent.is_installable, "deployable": intent.is_deployable}
    parts += [f"{name}:true" for name, is_set in flags.items() if is_set]
    return " ".join(parts)


def _join(values: Iterable[str]) -> str:
    return ",".join(quote_word(value) for value in values)
