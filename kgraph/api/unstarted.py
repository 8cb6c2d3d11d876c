"""Coroutines of one execution that never begin, because a sibling failed first.

graphql-core cancels the siblings of a field that fails; what they would have awaited is dropped
unstarted, and each such coroutine would complain where it is collected. Nothing is lost with it:
the answer names the failure.
"""

from __future__ import annotations

import inspect
from types import CoroutineType
from typing import Any

from strawberry.execution import optimized_is_awaitable


class Unstarted:
    """Remembers the coroutines that an execution meets, and closes those that never began."""

    def __init__(self) -> None:
        self._met: list[CoroutineType[Any, Any, Any]] = []

    def is_awaitable(self, value: object) -> bool:
        """Whether a value is to be waited for; what graphql-core asks of each that it meets."""
        if value.__class__ is CoroutineType:
            self._met.append(value)
            return True
        return optimized_is_awaitable(value)

    def close(self) -> None:
        """Close what never began; to be called once the execution is over."""
        for coroutine in self._met:
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()
        self._met.clear()
