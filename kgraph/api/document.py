"""Documents made ready for execution, once: parsed, measured and validated."""

from __future__ import annotations

import hashlib
import threading
from contextlib import suppress
from dataclasses import dataclass

from cachetools import LRUCache
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    OperationType,
    parse,
    specified_rules,
    strip_ignored_characters,
    validate,
)
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from kgraph.api.errors import OPERATION_FAILED, PARSE_FAILED, VALIDATION_FAILED, LimitError
from kgraph.api.limits import Limits, check_length, check_structure, why_not_parsed
from kgraph.tracing import span

# In characters of document text: some 100 MB of parsed documents at most.
_CACHE_SIZE = 1_000_000

# Likewise; refusals keep the documents that they point into.
_REFUSED_SIZE = 200_000

_MAX_ERRORS = 20
# Operations that an error names.
_MAX_NAMED = 10

# Made once: rules made anew for each request would keep every cache of them empty.
_RULES = (*specified_rules, MaybeNullValidationRule, OneOfInputValidationRule)


class RequestError(Exception):
    """A request that cannot be executed: nothing was asked of the catalogue."""

    def __init__(self, code: str, errors: list[GraphQLError]) -> None:
        self.code, self.errors = code, errors
        super().__init__(errors[0].message)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that was found sound."""

    document: DocumentNode
    operations: dict[str | None, OperationDefinitionNode]
    """By name; the one without a name under None."""
    name: str
    """The same for documents that differ in blanks, line ends, commas and comments alone."""

    def choose(self, name: str | None) -> OperationDefinitionNode:
        """The operation that a request names, or the only one.

        Raises:
            RequestError: there is none of that name, or no name and several to choose from.
        """
        if name is None and len(self.operations) == 1:
            return next(iter(self.operations.values()))
        found = self.operations.get(name) if name is not None else None
        if found is None:
            names = sorted(each for each in self.operations if each)
            known = ", ".join(names[:_MAX_NAMED]) or "one without a name"
            if len(names) > _MAX_NAMED:
                known += f" and {len(names) - _MAX_NAMED} others"
            asked = "none named" if name is None else repr(name[:90])
            message = f"operationName: {asked}, expected one of the document's operations: {known}"
            raise RequestError(OPERATION_FAILED, [GraphQLError(message)])
        return found

    def is_subscription(self, name: str | None) -> bool:
        """Whether the chosen operation is answered more than once.

        Raises:
            RequestError: as `choose`.
        """
        return self.choose(name).operation is OperationType.SUBSCRIPTION


@dataclass(frozen=True, slots=True)
class _Refused:
    error: RequestError | LimitError
    size: int


class DocumentCache:
    """Prepares documents against one schema and remembers the sound ones."""

    def __init__(self, schema: GraphQLSchema, limits: Limits) -> None:
        self._schema, self._limits = schema, limits
        self._known: LRUCache[str, Prepared] = LRUCache(_CACHE_SIZE, getsizeof=_size_of)
        # What is refused is asked for twice in a request, and again by whoever does not listen.
        self._refused: LRUCache[str, _Refused] = LRUCache(
            _REFUSED_SIZE, getsizeof=lambda refused: refused.size
        )
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def is_known(self, text: str) -> bool:
        """Whether a document is at hand, sound or refused."""
        with self._lock:
            return text in self._known or text in self._refused

    def prepare(self, text: str) -> Prepared:
        """The document, ready for execution.

        Raises:
            RequestError: it is no GraphQL, or does not fit the schema.
            LimitError: it is longer, deeper or more repetitive than a request may be.
        """
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self.hits += 1
                return known
            refused = self._refused.get(text)
            self.misses += 1
        if refused is not None:
            raise refused.error.with_traceback(None)
        try:
            with span("graphql.prepare"):
                prepared = self._prepare(text)
        except (RequestError, LimitError) as error:
            with self._lock, suppress(ValueError):
                # One that is longer than all that is kept is looked at again each time.
                self._refused[text] = _Refused(error, len(text))
            raise
        with self._lock:
            self._known[text] = prepared
        return prepared

    def _prepare(self, text: str) -> Prepared:
        check_length(text, self._limits)
        try:
            document = parse(text, max_tokens=self._limits.tokens, allow_empty_selection_sets=False)
        except GraphQLSyntaxError as error:
            limit = why_not_parsed(text, error, self._limits)
            if limit is not None:
                raise limit from error
            raise RequestError(PARSE_FAILED, [error]) from error
        check_structure(document, self._limits)
        errors = validate(
            self._schema, document, _RULES, max_errors=_MAX_ERRORS, allow_empty_selection_sets=False
        )
        if errors:
            raise RequestError(VALIDATION_FAILED, errors)
        operations = {
            node.name.value if node.name else None: node
            for node in document.definitions
            if isinstance(node, OperationDefinitionNode)
        }
        return Prepared(document, operations, _name_document(text))


def _name_document(text: str) -> str:
    return hashlib.sha256(strip_ignored_characters(text).encode()).hexdigest()


def _size_of(prepared: Prepared) -> int:
    place = prepared.document.loc
    return 1 if place is None else place.end - place.start
