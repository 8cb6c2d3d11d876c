"""Facts of one snapshot, kept once read: they cannot change while the snapshot stands."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

# About 1 kB a fact: at most some 60 MB, and a catalogue of today's size fits whole.
_MAX_FACTS = 60_000


class FactMemory:
    """A bounded memory of facts by relation and key, shared by all requests on a snapshot."""

    def __init__(self, max_facts: int = _MAX_FACTS) -> None:
        self._facts: LRUCache[tuple[str, Hashable], Any] = LRUCache(max_facts)
        self._lock = threading.Lock()

    def load(
        self, relation: str, keys: Iterable[K], query: Callable[[list[K]], Mapping[K, T]]
    ) -> dict[K, T]:
        """Facts by key, asking `query` for those not yet known; what names nothing is absent."""
        wanted = list(dict.fromkeys(keys))
        found: dict[K, T] = {}
        missing: list[K] = []
        with self._lock:
            for key in wanted:
                fact = self._facts.get((relation, key), _ABSENT)
                if fact is _ABSENT:
                    missing.append(key)
                elif fact is not None:
                    found[key] = fact
        if missing:
            fresh = query(missing)
            with self._lock:
                for key in missing:
                    # That a key names nothing is remembered too, as None.
                    self._facts[relation, key] = fresh.get(key)
            found.update(fresh)
        return found


_ABSENT = object()
