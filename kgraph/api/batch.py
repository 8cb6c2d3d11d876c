"""Batch loading: what is asked for one by one, or many at once, is found with one question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from kgraph.projector import Later

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

_ABSENT: Any = object()


class BatchLoader(Generic[K, T]):
    """Values by key, each found once in a request.

    Keys asked for in one turn of the event loop are found together. Unlike Strawberry's loader it
    takes many keys without a future for each, and gives at once what is at hand.
    """

    def __init__(
        self,
        find: Callable[[list[K]], Awaitable[Sequence[T | Exception]]],
        peek: Callable[[list[K]], Mapping[K, T]] | None = None,
    ) -> None:
        """A loader without values.

        Args:
            find: A value for each key, in order; an exception stands for a key that has none.
            peek: Those values that are at hand, found without waiting.
        """
        self._find, self._peek = find, peek
        self._values: dict[K, T | Exception] = {}
        self._has_errors = False
        self._asked: dict[K, _Batch[K]] = {}
        self._open: _Batch[K] | None = None
        # Tasks are only weakly held by the event loop.
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self, key: K) -> T:
        """The value of one key.

        Raises:
            Exception: what was found in its place, or came of looking.
        """
        found = self.load_many((key,))
        return found[0] if isinstance(found, list) else (await found)[0]

    def load_many(self, keys: Sequence[K]) -> list[T] | Awaitable[list[T]]:
        """The value of each key, in order; a list where all are at hand; errors as `load`."""
        values = self._values
        missing = [key for key in keys if key not in values]
        if missing and self._peek is not None:
            values.update(self._peek(missing))
            missing = [key for key in missing if key not in values]
        return (
            Later(self._wait, keys, list(dict.fromkeys(missing))) if missing else self._read(keys)
        )

    async def _wait(self, keys: Sequence[K], missing: list[K]) -> list[T]:
        batches = dict.fromkeys([self._batch_of(key) for key in missing])
        for batch in batches:
            await batch.wait()
        return self._read(keys)

    def _read(self, keys: Iterable[K]) -> list[T]:
        values: list[Any] = [self._values[key] for key in keys]
        if self._has_errors:
            for value in values:
                if isinstance(value, Exception):
                    raise value
        return values

    def _batch_of(self, key: K) -> _Batch[K]:
        batch = self._asked.get(key)
        if batch is None:
            batch = self._open
            if batch is None:
                batch = self._open = _Batch()
                asyncio.get_running_loop().call_soon(self._dispatch)
            batch.keys.append(key)
            self._asked[key] = batch
        return batch

    def _dispatch(self) -> None:
        batch, self._open = self._open, None
        if batch is not None:
            task = asyncio.get_running_loop().create_task(self._answer(batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, batch: _Batch[K]) -> None:
        try:
            found = await self._find(batch.keys)
            self._values.update(zip(batch.keys, found, strict=True))
            self._has_errors |= any(isinstance(value, Exception) for value in found)
        except Exception as error:  # noqa: BLE001 - raised again wherever one of the keys is read
            self._has_errors = True
            self._values.update(dict.fromkeys(batch.keys, error))
        finally:
            batch.finish()


class _Batch(Generic[K]):
    """Keys that are looked for together, and who waits for them."""

    def __init__(self) -> None:
        self.keys: list[K] = []
        self._is_done = False
        self._waiters: list[asyncio.Future[None]] = []

    async def wait(self) -> None:
        if not self._is_done:
            # One for each that waits: who is cancelled takes only its own along.
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    def finish(self) -> None:
        self._is_done = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
