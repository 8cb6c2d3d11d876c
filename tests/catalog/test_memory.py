"""A bounded memory keeps what is in use."""

from __future__ import annotations

from kgraph.catalog.memory import FactMemory


class Source:
    """Squares; notes what it is asked for. Odd numbers name nothing."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def query(self, keys: list[int]) -> dict[int, int]:
        """The squares of the even keys."""
        self.asked.append(list(keys))
        return {key: key * key for key in keys if key % 2 == 0}


def test_a_fact_is_asked_for_once_and_so_is_its_absence() -> None:
    memory, source = FactMemory(), Source()

    assert memory.load("square", [2, 3, 2], source.query) == {2: 4}
    assert memory.load("square", [3, 4], source.query) == {4: 16}

    assert source.asked == [[2, 3], [4]]
    assert memory.peek("square", [2, 3, 5]) == ({2: 4, 3: None}, [5])
    assert memory.peek("cube", [2]) == ({}, [2])


def test_facts_in_use_stay_and_the_others_go() -> None:
    memory, source = FactMemory(10), Source()
    memory.load("square", [0], source.query)

    for key in range(2, 60, 2):
        memory.load("square", [key, 0], source.query)
        assert len(memory) <= 10

    assert [0] not in source.asked[1:]
    assert memory.peek("square", [2])[1] == [2]


def test_what_was_made_is_remembered_until_it_is_put_anew() -> None:
    memory = FactMemory(4)

    assert memory.remember("made", "a", lambda: 1) == 1
    assert memory.remember("made", "a", lambda: 2) == 1
    memory.put("made", "a", 3)
    assert memory.remember("made", "a", lambda: 4) == 3
    for key in range(9):
        memory.put("made", key, key)
    assert memory.remember("made", "a", lambda: 5) == 5
