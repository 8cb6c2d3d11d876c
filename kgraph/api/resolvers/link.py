"""Following a digest to what it names."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class DanglingError(Exception):
    """Something cites what the catalogue does not hold; the index should have kept it out."""


async def require(found: Awaitable[T | None], name: object) -> T:
    """What a loader finds, of something that must be there.

    Raises:
        DanglingError: it is not; the fault is ours, not the client's.
    """
    value = await found
    if value is None:
        message = f"{name} is cited and not held"
        raise DanglingError(message)
    return value
