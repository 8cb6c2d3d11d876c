"""What is found by a coroutine that is only made when it is waited for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Later(Awaitable[T_co]):
    """Begins when it is waited for, and is nothing before.

    An execution that is called off drops what it has not begun to wait for. Coroutines complain of
    that where they are collected, and the more so those that others hold.
    """

    __slots__ = ("_arguments", "_find")

    def __init__(self, find: Callable[..., Awaitable[T_co]], *arguments: Any) -> None:  # noqa: ANN401 - those of `find`
        self._find, self._arguments = find, arguments

    def __await__(self) -> Generator[Any, Any, T_co]:
        """Begin, and wait."""
        return self._find(*self._arguments).__await__()
