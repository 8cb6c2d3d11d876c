"""Blocking questions to the catalogue, asked in threads and stopped when time is spent."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from kgraph.catalog import Catalog
from kgraph.errors import KgraphError
from kgraph.tracing import is_tracing

T = TypeVar("T")


class StoppedError(KgraphError):
    """A question came after its request's time was spent."""

    code = "LIMIT_TIME"

    def __init__(self) -> None:
        super().__init__("time: the budget is spent; ask for fewer or smaller lists")


class Worker:
    """Runs the blocking calls of one request in a shared pool of threads."""

    def __init__(self, catalog: Catalog, executor: Executor) -> None:
        self._catalog, self._executor = catalog, executor
        self._lock = threading.Lock()
        self._running: set[Callable[[], None]] = set()
        self._is_stopped = False

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns, without holding up the event loop."""
        loop = asyncio.get_running_loop()
        if is_tracing():
            # A span opened in the thread then lies below the one that is open here.
            context = contextvars.copy_context()
            return await loop.run_in_executor(self._executor, context.run, self._call, call)
        return await loop.run_in_executor(self._executor, self._call, call)

    def stop(self) -> None:
        """Interrupt what this request has running and refuse what it has waiting."""
        # Under the lock, so that a thread that is done here is not interrupted in the next request.
        with self._lock:
            self._is_stopped = True
            for interrupt in self._running:
                interrupt()

    def _call(self, call: Callable[[], T]) -> T:
        interrupt = self._catalog.interrupter()
        with self._lock:
            if self._is_stopped:
                raise StoppedError
            self._running.add(interrupt)
        try:
            return call()
        finally:
            with self._lock:
                self._running.discard(interrupt)
