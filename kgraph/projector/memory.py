"""Compiled projections, kept from request to request in bounded memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from graphql import (
    DirectiveNode,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    VariableNode,
    Visitor,
    visit,
)
from graphql.execution.values import VariableValues

from kgraph.projector.plan import MAX_PARTS, Compiler, TooManyFieldsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graphql import DocumentNode, GraphQLObjectType, OperationDefinitionNode
    from graphql.execution import Executor
    from graphql.execution.collect_fields import FieldDetailsList

    from kgraph.projector.field import Description
    from kgraph.projector.plan import Plan

# What is kept at most, by the estimates below.
_MAX_BYTES = 64_000_000

# Twice what was measured: a parsed document takes 53 bytes a character, a compiled field 0.9 kB.
_BYTES_A_CHARACTER = 100
_BYTES_A_FIELD = 2_000
# Of a field whose values are kept, once as many are as may be: a place in a dict, and the dict.
_BYTES_A_KEPT_FIELD = 60 * MAX_PARTS

# What skips and includes depends on variables in so many ways at most; more ways are compiled anew.
_MAX_CHOICES = 8

_NOT_GIVEN = object()


class Projections:
    """The plans of one operation with one choice of what is skipped and included."""

    def __init__(
        self,
        document: DocumentNode,
        description: Description,
        choice: Mapping[str, Any],
        note_growth: Callable[[], None],
    ) -> None:
        # Kept, since plans go by the identity of its nodes.
        self._document, self._description = document, description
        self._note_growth = note_growth
        # Of all variables only these decide what a plan holds; others may be long.
        self._choice = VariableValues({}, dict(choice))
        self._plans: dict[tuple[str, tuple[int, ...]], Plan | None] = {}
        self._compiler: Compiler | None = None
        self._is_too_large = False

    def find(
        self, executor: Executor[Any], kind: GraphQLObjectType, details: FieldDetailsList
    ) -> Plan | None:
        """The plan of what is selected on a type; None where it is left to stock execution."""
        key = (kind.name, tuple([id(item.node) for item in details]))
        try:
            return self._plans[key]
        except KeyError:
            plan = self._plans[key] = self._compile(executor, kind, details)
            self._note_growth()
            return plan

    @property
    def field_count(self) -> int:
        """Fields that were compiled."""
        return 0 if self._compiler is None else self._compiler.field_count

    @property
    def kept_field_count(self) -> int:
        """Those of them whose values are kept."""
        return 0 if self._compiler is None else self._compiler.kept_field_count

    def _compile(
        self, executor: Executor[Any], kind: GraphQLObjectType, details: FieldDetailsList
    ) -> Plan | None:
        # A variable of a fragment has a value for each place the fragment is spread at.
        is_usual = all(
            item.defer_usage is None and item.fragment_variable_values is None for item in details
        ) and not any(fragment.variable_signatures for fragment in executor.fragments.values())
        if not is_usual or self._is_too_large:
            return None
        if self._compiler is None:
            self._compiler = Compiler(
                executor.schema,
                self._description,
                executor.fragments,
                executor.operation,
                self._choice,
            )
        try:
            return self._compiler.compile(kind, details)
        except TooManyFieldsError:
            self._is_too_large = True
            return None


@dataclass(slots=True)
class _Kept:
    document: DocumentNode
    variables: tuple[str, ...]
    """Those that say what is skipped and included."""
    length: int
    """Of the document's text."""
    choices: LRUCache[tuple[Any, ...], Projections] = field(
        default_factory=lambda: LRUCache(_MAX_CHOICES)
    )

    def size_bytes(self) -> int:
        """About how much memory it takes."""
        made = self.choices.values()
        fields = sum(projections.field_count for projections in made)
        kept = sum(projections.kept_field_count for projections in made)
        return (
            self.length * _BYTES_A_CHARACTER + fields * _BYTES_A_FIELD + kept * _BYTES_A_KEPT_FIELD
        )


class ProjectionMemory:
    """Projections by operation and choice, least recently used out first; safe in any thread."""

    def __init__(self, description: Description, max_bytes: int = _MAX_BYTES) -> None:
        self._description, self._max_bytes = description, max_bytes
        self._kept: LRUCache[int, _Kept] = LRUCache(
            max_bytes, getsizeof=lambda kept: min(kept.size_bytes(), max_bytes)
        )
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Operations that are kept."""
        return len(self._kept)

    def find(
        self,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        variables: Mapping[str, Any],
    ) -> Projections:
        """The projections of an operation of a document that was found sound.

        Args:
            variables: Coerced.
        """
        with self._lock:
            kept = self._kept.get(id(operation))
            # The document is held, so that none of its nodes can have given its place to another.
            if kept is None or kept.document is not document:
                place = document.loc
                length = 0 if place is None else place.end - place.start
                kept = _Kept(document, _find_choosers(document), length)
                self._kept[id(operation)] = kept
            # Another operation of the document may have a variable of that name and another type.
            choice = tuple(
                [
                    (name, value if value is None else value is True)
                    for name in kept.variables
                    if (value := variables.get(name, _NOT_GIVEN)) is not _NOT_GIVEN
                ]
            )
            found = kept.choices.get(choice)
            if found is None:
                weigh = partial(self._weigh, id(operation), kept)
                found = Projections(document, self._description, dict(choice), weigh)
                kept.choices[choice] = found
            return found

    def _weigh(self, key: int, kept: _Kept) -> None:
        """Count what an operation has grown to; the least recently used make room for it."""
        with self._lock:
            if self._kept.get(key) is kept:
                self._kept[key] = kept


class _Choosers(Visitor):
    """Collects the variables in the conditions of @skip and @include."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        """Note the variable of one condition."""
        if node.name.value in {GraphQLSkipDirective.name, GraphQLIncludeDirective.name}:
            for argument in node.arguments or ():
                if isinstance(argument.value, VariableNode):
                    self.names[argument.value.name.value] = None


def _find_choosers(document: DocumentNode) -> tuple[str, ...]:
    found = _Choosers()
    visit(document, found)
    return tuple(found.names)
