"""What is asked for in one turn is found with one question, and failures reach who asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from kgraph.api.batch import BatchLoader

if TYPE_CHECKING:
    from collections.abc import Sequence


class Source:
    """Doubles numbers; notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.loader = BatchLoader(self.find)

    async def find(self, keys: list[int]) -> Sequence[int | Exception]:
        """Twice each key; a negative one has no value, zero takes the whole question down."""
        self.asked.append(list(keys))
        await asyncio.sleep(0)
        if 0 in keys:
            message = "all fail"
            raise LookupError(message)
        return [ValueError(key) if key < 0 else 2 * key for key in keys]


def test_keys_of_one_turn_are_found_with_one_question() -> None:
    source = Source()

    async def ask() -> list[object]:
        many = source.loader.load_many([2, 3, 2])
        assert not isinstance(many, list)
        return list(await asyncio.gather(source.loader.load(1), many, source.loader.load(1)))

    assert asyncio.run(ask()) == [2, [4, 6, 4], 2]
    assert [sorted(keys) for keys in source.asked] == [[1, 2, 3]]


def test_a_key_is_found_once() -> None:
    source = Source()

    async def ask() -> list[int]:
        await source.loader.load(1)
        at_hand = source.loader.load_many([1, 1])
        assert isinstance(at_hand, list)
        # Asked while it is looked for: one more waits, nothing more is asked.
        first = asyncio.ensure_future(source.loader.load(2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [await source.loader.load(2), await first] == [4, 4]
        return at_hand

    assert asyncio.run(ask()) == [2, 2]
    assert source.asked == [[1], [2]]


def test_a_key_without_value_fails_alone() -> None:
    source = Source()

    async def ask() -> list[object]:
        return list(
            await asyncio.gather(
                *(source.loader.load(key) for key in (1, -1, 2)), return_exceptions=True
            )
        )

    first, second, third = asyncio.run(ask())
    assert (first, third) == (2, 4)
    assert isinstance(second, ValueError)


def test_a_question_that_fails_fails_for_all_its_keys_and_no_others() -> None:
    source = Source()

    async def ask() -> int:
        found = source.loader.load_many([0, 1])
        assert not isinstance(found, list)
        with pytest.raises(LookupError):
            await found
        with pytest.raises(LookupError):
            source.loader.load_many([1])
        return await source.loader.load(2)

    assert asyncio.run(ask()) == 4
    assert len(source.asked) == 2


def test_who_is_cancelled_takes_nobody_along() -> None:
    source = Source()

    async def ask() -> int:
        first = asyncio.ensure_future(source.loader.load(1))
        second = asyncio.ensure_future(source.loader.load(1))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(ask()) == 2


def test_what_is_at_hand_is_given_at_once() -> None:
    source = Source()
    loader = BatchLoader(source.find, lambda keys: {key: 0 for key in keys if key > 9})

    async def ask() -> list[int]:
        assert loader.load_many([10, 11]) == [0, 0]
        some = loader.load_many([10, 1])
        assert not isinstance(some, list)
        return await some

    assert asyncio.run(ask()) == [0, 2]
    assert source.asked == [[1]]
