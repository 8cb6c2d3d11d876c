"""The hook into graphql-core: objects and lists of objects are projected where that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphql import GraphQLNonNull, GraphQLObjectType
from graphql.execution import Executor

from kgraph.projector.later import Later
from kgraph.projector.run import run_plan

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from graphql import GraphQLList, GraphQLResolveInfo
    from graphql.execution.collect_fields import FieldDetailsList
    from graphql.pyutils import Path

    from kgraph.projector.memory import Projections
    from kgraph.projector.plan import Plan


class ProjectingExecutor(Executor[Any]):
    """Executes as its base does, with projections in the place of what they can answer.

    An answer without errors is that of stock execution. One with errors need not be: whoever
    executes asks stock execution then, which says what is wrong and where. Meant to be mixed into
    the executor class that a schema is executed with.
    """

    def __init__(self, *args: Any, projections: Projections, **kwargs: Any) -> None:  # noqa: ANN401 - those of the base
        super().__init__(*args, **kwargs)
        self._projections = projections
        self.has_projected = False
        """Whether any part of the answer is a projection's."""

    def complete_object_value(  # noqa: PLR0917 - as the base
        self,
        return_type: GraphQLObjectType,
        field_details_list: FieldDetailsList,
        info: GraphQLResolveInfo[Any],
        path: Path,
        result: Any,  # noqa: ANN401 - any object
        position_context: Any,  # noqa: ANN401 - graphql-core's own
    ) -> Any:  # noqa: ANN401 - as the base
        """The part of the answer that stands for one object."""
        plan = self._find(return_type, field_details_list, position_context)
        if plan is None or result.__class__ not in plan.classes:
            return super().complete_object_value(
                return_type, field_details_list, info, path, result, position_context
            )
        self.has_projected = True
        made = run_plan(self, plan, (result,))
        return made[0] if isinstance(made, list) else Later(_first_of, made)

    def complete_list_value(  # noqa: PLR0917 - as the base
        self,
        return_type: GraphQLList[Any],
        field_details_list: FieldDetailsList,
        info: GraphQLResolveInfo[Any],
        path: Path,
        result: Any,  # noqa: ANN401 - any list
        position_context: Any,  # noqa: ANN401 - graphql-core's own
    ) -> Any:  # noqa: ANN401 - as the base
        """The part of the answer that stands for a list."""
        kind = return_type.of_type
        if isinstance(kind, GraphQLNonNull):
            kind = kind.of_type
        if isinstance(kind, GraphQLObjectType) and result.__class__ in {list, tuple}:
            plan = self._find(kind, field_details_list, position_context)
            if plan is not None and all(item.__class__ in plan.classes for item in result):
                self.has_projected = True
                return run_plan(self, plan, result)
        return super().complete_list_value(
            return_type, field_details_list, info, path, result, position_context
        )

    def _find(
        self,
        kind: GraphQLObjectType,
        details: FieldDetailsList,
        position_context: Any,  # noqa: ANN401 - graphql-core's own
    ) -> Plan | None:
        # Deferred and streamed parts have a position of their own, and are delivered one by one.
        if position_context is not None:
            return None
        return self._projections.find(self, kind, details)


async def _first_of(parts: Awaitable[list[dict[str, Any]]]) -> dict[str, Any]:
    return (await parts)[0]
