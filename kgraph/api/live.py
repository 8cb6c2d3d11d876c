"""Execution of subscriptions: each event against the snapshot that it comes from.

graphql-core's own `subscribe` gives every event one context. Ours differ, because an event is
answered from the snapshot that brought it; so its parts are put together here.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from graphql import (
    DocumentNode,
    ExecutionResult,
    Executor,
    GraphQLError,
    GraphQLSchema,
    create_source_event_stream,
    execute_subscription_event,
)
from strawberry.execution import optimized_is_awaitable

from kgraph.api.context import Context
from kgraph.api.errors import TimeBudgetError
from kgraph.catalog import Catalog


@dataclass(frozen=True, slots=True)
class StreamResult:
    """One message of a stream."""

    data: dict[str, Any] | None
    errors: list[GraphQLError] | None
    is_event: bool
    """False where the stream ends without one: it was refused, or what feeds it failed."""


async def stream_results(
    schema: GraphQLSchema,
    document: DocumentNode,
    variables: Mapping[str, Any],
    operation_name: str | None,
    *,
    executor_class: type[Executor[Any]],
    first: Context,
    make_context: Callable[[Catalog], Context],
    seconds: float,
) -> AsyncGenerator[StreamResult, None]:
    """The results of a subscription, as its events come.

    Args:
        first: The context that the stream of events is made in; it has a position.
        make_context: The context of an event of another snapshot.
        seconds: Time that one event may take to be answered.
    """

    def build(context: Context, event: object) -> Executor[Any] | list[GraphQLError]:
        return executor_class.build(
            schema,
            document,
            root_value=event,
            context_value=context,
            raw_variable_values=dict(variables),
            operation_name=operation_name,
            is_awaitable=cast("Any", optimized_is_awaitable),
        )

    executor = build(first, None)
    if isinstance(executor, list):
        yield StreamResult(None, executor, is_event=False)
        return
    source = create_source_event_stream(executor)
    events = await source if inspect.isawaitable(source) else source
    if isinstance(events, ExecutionResult):
        yield StreamResult(None, events.errors, is_event=False)
        return
    context = first
    async with aclosing(cast("Any", events)):
        async for event in _iter_events(events):
            if isinstance(event, GraphQLError):
                yield StreamResult(None, [event], is_event=False)
                return
            step = None if first.live is None else first.live.step
            if step is not None and step.after is not context.catalog:
                context = make_context(step.after)
            built = build(context, event)
            if isinstance(built, list):
                yield StreamResult(None, built, is_event=False)
                return
            try:
                async with asyncio.timeout(seconds):
                    told = execute_subscription_event(built)
                    result = await told if inspect.isawaitable(told) else told
            except TimeoutError:
                context.worker.stop()
                late = TimeBudgetError(seconds)
                yield StreamResult(
                    None, [GraphQLError(str(late), original_error=late)], is_event=False
                )
                return
            yield StreamResult(result.data, result.errors, is_event=True)


async def _iter_events(events: AsyncIterable[object]) -> AsyncIterator[object]:
    """The events of a stream; an error as its last where it fails."""
    try:
        async for event in events:
            yield event
    except Exception as error:  # noqa: BLE001 - shown, logged and masked as any resolver's is
        yield GraphQLError(str(error), original_error=error)
