"""Facts of one snapshot, kept once read: they cannot change while the snapshot stands."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

# About 1 kB a fact: at most some 60 MB, and a catalogue of today's size fits whole.
_MAX_FACTS = 60_000


class FactMemory:
    """A bounded memory of facts by relation and key, shared by all requests on a snapshot.

    In two halves: what is asked for goes to the younger, and when that is full it becomes the
    elder, whose facts are let go. Facts in use stay, as with a list by last use, and a look-up
    costs a tenth of moving a place in such a list.
    """

    def __init__(self, max_facts: int = _MAX_FACTS) -> None:
        self._half = max(max_facts // 2, 1)
        self._young: dict[str, dict[Hashable, Any]] = {}
        self._young_count = 0
        self._old: dict[str, dict[Hashable, Any]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Facts that are kept, at most; one that is in both halves counts twice."""
        return self._young_count + sum(map(len, self._old.values()))

    def load(
        self, relation: str, keys: Iterable[K], query: Callable[[list[K]], Mapping[K, T]]
    ) -> dict[K, T]:
        """Facts by key, asking `query` for those not yet known; what names nothing is absent."""
        found, missing = self.peek(relation, list(dict.fromkeys(keys)))
        if missing:
            fresh = query(missing)
            with self._lock:
                for key in missing:
                    # That a key names nothing is remembered too, as None.
                    self._put(relation, key, fresh.get(key))
            found.update(fresh)
        return {key: fact for key, fact in found.items() if fact is not None}

    def peek(self, relation: str, keys: Collection[K]) -> tuple[dict[K, Any], list[K]]:
        """Facts that are at hand, None for a key known to name nothing; and the keys not known."""
        with self._lock:
            young = self._young.get(relation, {})
            found: dict[K, Any] = {key: young[key] for key in keys if key in young}
            missing: list[K] = []
            if len(found) < len(keys):
                old = self._old.get(relation, {})
                for key in dict.fromkeys(keys):
                    if key in found:
                        continue
                    fact = old.get(key, _ABSENT)
                    if fact is _ABSENT:
                        missing.append(key)
                    else:
                        found[key] = fact
                        self._put(relation, key, fact)
        return found, missing

    def remember(self, relation: str, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key before; made now where nothing was."""
        fact = self._young.get(relation, {}).get(key, _ABSENT)
        if fact is _ABSENT:
            fact = self._old.get(relation, {}).get(key, _ABSENT)
            if fact is _ABSENT:
                fact = make()
            self.put(relation, key, fact)
        made: T = fact
        return made

    def put(self, relation: str, key: Hashable, fact: object) -> None:
        """Keep a fact, in place of an earlier one of the key."""
        with self._lock:
            self._put(relation, key, fact)

    def _put(self, relation: str, key: Hashable, fact: object) -> None:
        if self._young_count >= self._half:
            self._young, self._young_count, self._old = {}, 0, self._young
        facts = self._young.setdefault(relation, {})
        self._young_count += key not in facts
        facts[key] = fact


_ABSENT = object()
