"""Execution that reads plain selections straight off objects.

A field is plain where its value is an attribute, it takes no argument and everything selected below
it is plain too. Plain fields are compiled once for each selection into a function from object to
value; all others, and any whose value is unusual (null where null may not be, an error), go through
graphql-core. The answer is the same, value for value and error for error; only the way is shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    Undefined,
    is_leaf_type,
)
from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

Project = Callable[[Any], Any]
"""From an object, or the value of a field, to what stands in the answer for it."""


class _UnusualError(Exception):
    """A value that graphql-core has to deal with."""


class _Plan:
    """How the fields of one selection are executed."""

    __slots__ = ("fields", "generic", "plain")

    def __init__(self, fields: GroupedFieldSet, plain: dict[str, Project]) -> None:
        # Held, so that its identity, by which this plan is found, is not given to another.
        self.fields = fields
        self.plain = tuple(plain.items())
        self.generic = {name: details for name, details in fields.items() if name not in plain}


class ProjectingExecutor(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor with a shorter way for plain fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the base class has it
        super().__init__(*args, **kwargs)
        self._plans: dict[int, _Plan] = {}

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,  # noqa: ANN401 - whatever a resolver returned
        path: Path | None,
        grouped_field_set: GroupedFieldSet,
        position_context: Any,  # noqa: ANN401 - graphql-core's own, passed through
    ) -> AwaitableOrValue[dict[str, Any]]:
        """The fields of one object, as graphql-core would execute them."""
        plan = self._plans.get(id(grouped_field_set))
        if plan is None:
            plan = self._make_plan(parent_type, grouped_field_set)
            self._plans[id(grouped_field_set)] = plan
        if not plan.plain:
            return super().execute_fields(
                parent_type, source_value, path, grouped_field_set, position_context
            )
        # Fields keep the order of the selection, whichever way they are executed.
        results: dict[str, Any] = dict.fromkeys(grouped_field_set)
        generic = plan.generic
        for name, project in plan.plain:
            try:
                results[name] = project(source_value)
            except Exception:  # noqa: BLE001 - whatever it is, graphql-core finds and reports it
                generic = {**generic, name: grouped_field_set[name]}
        if not generic:
            return results
        rest = super().execute_fields(parent_type, source_value, path, generic, position_context)
        if isinstance(rest, dict):
            return _merge(results, generic, rest)
        waiting = rest

        async def wait_for_rest() -> dict[str, Any]:
            return _merge(results, generic, await waiting)

        return wait_for_rest()

    def _make_plan(self, parent_type: GraphQLObjectType, fields: GroupedFieldSet) -> _Plan:
        plain: dict[str, Project] = {}
        if self.middleware_manager is None:
            for name, details in fields.items():
                project = self._compile_field(parent_type, details)
                if project is not None:
                    plain[name] = project
        return _Plan(fields, plain)

    def _compile_field(
        self, parent_type: GraphQLObjectType, details: FieldDetailsList
    ) -> Project | None:
        node = details[0].node
        if node.name.value == "__typename":
            name = parent_type.name
            return lambda _: name
        field = parent_type.fields.get(node.name.value)
        if field is None or field.args or node.arguments:
            return None
        definition = (field.extensions or {}).get("strawberry-definition")
        if not isinstance(definition, StrawberryField) or not definition.is_basic_field:
            return None
        complete = self._compile_type(field.type, details)
        if complete is None:
            return None
        read = attrgetter(definition.python_name)
        return lambda source: complete(read(source))

    def _compile_type(self, kind: GraphQLOutputType, details: FieldDetailsList) -> Project | None:
        if isinstance(kind, GraphQLNonNull):
            inner = self._compile_present(kind.of_type, details)
            return None if inner is None else _require(inner)
        inner = self._compile_present(kind, details)
        return None if inner is None else lambda value: None if value is None else inner(value)

    def _compile_present(
        self, kind: GraphQLOutputType, details: FieldDetailsList
    ) -> Project | None:
        """How a value that is not null is completed; None where only graphql-core can."""
        if isinstance(kind, GraphQLList):
            item = self._compile_type(kind.of_type, details)
            return None if item is None else _complete_list(item)
        if is_leaf_type(kind):
            return _complete_leaf(kind.coerce_output_value)
        if isinstance(kind, GraphQLObjectType):
            return self._compile_object(kind, details)
        return None

    def _compile_object(self, kind: GraphQLObjectType, details: FieldDetailsList) -> Project | None:
        collected = self.collect_subfields(kind, details)
        fields: list[tuple[str, Project]] = []
        if collected.new_defer_usages:
            return None
        for name, sub_details in collected.grouped_field_set.items():
            project = self._compile_field(kind, sub_details)
            if project is None:
                return None
            fields.append((name, project))
        is_type_of: Any = kind.is_type_of

        def complete(value: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the attribute holds
            if is_type_of is not None and is_type_of(value, None) is not True:
                raise _UnusualError
            return {name: project(value) for name, project in fields}

        return complete


def _require(complete: Project) -> Project:
    def require(value: Any) -> Any:  # noqa: ANN401 - whatever the attribute holds
        if value is None:
            raise _UnusualError
        return complete(value)

    return require


def _complete_leaf(coerce: Callable[[Any], Any]) -> Project:
    def complete(value: Any) -> Any:  # noqa: ANN401 - whatever the attribute holds
        coerced = coerce(value)
        if coerced is None or coerced is Undefined:
            raise _UnusualError
        return coerced

    return complete


def _complete_list(item: Project) -> Project:
    def complete(value: Any) -> list[Any]:  # noqa: ANN401 - whatever the attribute holds
        if not isinstance(value, list | tuple):
            raise _UnusualError
        return [item(each) for each in value]

    return complete


def _merge(
    results: dict[str, Any], asked: GroupedFieldSet, found: dict[str, Any]
) -> dict[str, Any]:
    results.update(found)
    for name in asked:
        if name not in found:
            del results[name]
    return results
